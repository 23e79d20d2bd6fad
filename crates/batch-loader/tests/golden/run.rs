//! A case, loaded.

use std::fs;
use std::path::Path;

use batch_loader::config::LoaderConfig;
use batch_loader::{Batch, BatchLoader, Error};
use golden_cases::{Case, base64};
use serde_json::Value;

/// Result of a case.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) batches: Vec<Batch>,
    pub(super) error: Option<Failure>,
    /// Whether there was an end, and not only no further call.
    pub(super) ended: bool,
}

pub(super) struct Failure {
    pub(super) error: Error,
    /// Whether the loader could not even be built.
    pub(super) on_construction: bool,
}

pub(super) fn run(case: &Case) -> Answer {
    let root = tempfile::tempdir().expect("a directory");
    write_files(case, root.path());
    let mut answer = Answer::default();
    let mut loader = match build(case, root.path()) {
        Ok(loader) => loader,
        Err(error) => {
            answer.error = Some(Failure { error, on_construction: true });
            return answer;
        }
    };
    let take = case.inputs["take"].as_u64().unwrap_or(u64::MAX);
    while (answer.batches.len() as u64) < take {
        match loader.next_batch() {
            Ok(Some(batch)) => answer.batches.push(batch),
            Ok(None) => {
                answer.ended = true;
                break;
            }
            Err(error) => {
                answer.error = Some(Failure { error, on_construction: false });
                break;
            }
        }
    }
    answer
}

fn write_files(case: &Case, root: &Path) {
    let write = |path: &Value, bytes: &[u8]| {
        let path = root.join(path.as_str().expect("a path"));
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    };
    if let Some(text) = case.inputs["manifest_text"].as_str() {
        write(&case.inputs["manifest_path"], text.as_bytes());
    }
    for file in case.inputs["files"].as_array().into_iter().flatten() {
        let bytes = base64(&file["b64"]);
        if file["subst"] == true {
            let text =
                String::from_utf8(bytes).expect("text").replace("$ROOT", root.to_str().expect("a path"));
            write(&file["path"], text.as_bytes());
        } else {
            write(&file["path"], &bytes);
        }
    }
}

fn build(case: &Case, root: &Path) -> Result<BatchLoader, Error> {
    let mut config = config(case).clone();
    if let Some(members) = config.as_object_mut() {
        members.entry("type").or_insert_with(|| case.inputs["loader_type"].clone());
    }
    let text = config.to_string().replace("$ROOT", root.to_str().expect("a path"));
    let names =
        |key: &str| -> Vec<String> { serde_json::from_value(case.inputs[key].clone()).expect("names") };
    let builder = BatchLoader::builder(LoaderConfig::from_json(&text)?).formats(&tfxio_formats::formats());
    let mut builder = builder.inputs(names("inputs")).targets(names("targets")).base_dir(root);
    if let Some(size) = case.inputs["input_fn_params"]["batch_size"].as_u64() {
        builder = builder.batch_size(size.try_into().expect("a size"));
    }
    builder.build()
}

/// The documented spelling of the configuration; the recorded one where it is what is wrong.
fn config(case: &Case) -> &Value {
    let documented = &case.inputs["config_documented"];
    let wrong = case.expected.get("error").is_some_and(|error| error["phase"] == "construct");
    if documented.is_null() || (wrong && !case.inputs["config"].is_null()) {
        return &case.inputs["config"];
    }
    documented
}

/// The tensors that are computed, and not only moved.
pub(super) fn normalized(case: &Case) -> Vec<&str> {
    let list = config(case)["normalization"].as_array().into_iter().flatten();
    list.filter_map(|of| of["tensor"].as_str()).collect()
}
