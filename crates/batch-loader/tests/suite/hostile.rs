//! Configurations and manifests cut off anywhere, and with anything in any position: refused with a position, or loaded, and never
//! a panic.

use std::path::Path;

use batch_loader::config::{LoaderConfig, Located};
use batch_loader::manifest::Manifest;
use batch_loader::{BatchLoader, Error};
use serde_json::Value;
use tfrecord_io::Compression;
use tfxio_core::Limits;

use crate::data;

/// Values that are invalid for all keys, or for most.
const VALUES: [&str; 22] = [
    "null",
    "true",
    "-1",
    "0",
    "1",
    "2",
    "0.5",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "-9223372036854775808",
    "170141183460469231731687303715884105728",
    "1e308",
    "\"\"",
    "\"id\"",
    "\"global\"",
    "\"[-9223372036854775808::-9223372036854775808]\"",
    "[]",
    "{}",
    "[[4294967295, 4294967295, 4294967295], {\"x\": null}]",
];

const INDEPENDENT: &str = r#"{
    "type": "independent", "dataset": {"type": "dir", "args": {"data_dir": "DIR"}},
    "target_batch_size": 2, "drop_remainder": false, "epochs": 2, "num_read_buffer_bytes": 0, "num_prefetch": 2,
    "num_parallel_reads": 2, "num_parallel_parses": 2, "seed": 1, "shard": {"index": 0, "count": 1},
    "shuffle": true, "num_shuffle_buffer_elements": 3, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2,
    "sloppy_interleave": false, "on_error": "skip", "error_budget": {"ranges": 1, "bytes": 1, "share": 0.5},
    "index": "none", "even": "drop", "name": "n",
    "primary_features": [{"from_name": "id", "to_name": "id"}, {"from_name": "raw", "to_name": "raw"}],
    "secondary_features": [{"to_name": "c", "type": "const", "args": {"shape": [2], "dtype": "float32", "value": 1}}],
    "processing_steps": [
        {"tensor": "raw", "type": "slice", "args": {"slice": "[1:3]"}},
        {"tensor": "raw", "type": "reshape", "args": {"shape": [2, 1]}},
        {"tensor": "id", "type": "onehot", "args": {"depth": 3, "dtype": "int8"}}
    ],
    "normalization": [{"tensor": "c", "axis": 0}],
    "padding": [{"tensor": "raw", "shape": [3, -1], "value": 7}],
    "bucket_by_length": {"tensor": "raw", "boundaries": [2], "batch_sizes": [2, 2]}
}"#;

const CONTINUOUS: &str = r#"{
    "type": "continuous_sequence", "dataset": {"type": "dir", "args": {"data_dir": "DIR"}},
    "target_batch_size": 2, "drop_remainder": true, "epochs": 1, "num_read_buffer_bytes": 0, "num_prefetch": 0,
    "min_window": 2, "max_window": 3, "min_stride": 1, "max_stride": 2, "shuffle": false,
    "primary_features": [{"from_name": "v", "to_name": "v"}],
    "window_steps": [{"tensor": "v", "type": "slice", "args": {"slice": "[:-1]"}}], "padding": true
}"#;

const DISCRETE: &str = r#"{
    "type": "discrete_sequence", "dataset": {"type": "dir", "args": {"data_dir": "DIR"}},
    "target_batch_size": 1, "drop_remainder": false, "epochs": 1, "num_read_buffer_bytes": 0, "num_prefetch": 1,
    "min_window": 2, "max_window": 2, "shuffle": "global", "seed": 3,
    "primary_features": [{"from_name": "v", "to_name": "v"}], "padding": [{"tensor": "v", "shape": [-1]}]
}"#;

/// The paths of all values in a document, as JSON pointers.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| pointers(item, &format!("{at}/{n}"), out));
        }
        Value::Object(members) => {
            members.iter().for_each(|(key, member)| pointers(member, &format!("{at}/{key}"), out));
        }
        _ => {}
    }
}

/// Calls a function with each document that has another value in one position.
fn each_change(text: &str, mut check: impl FnMut(&str)) {
    const MARK: &str = "\"@@\"";
    let document: Value = serde_json::from_str(text).unwrap();
    let mut all = Vec::new();
    pointers(&document, "", &mut all);
    for pointer in all {
        let mut changed = document.clone();
        *changed.pointer_mut(&pointer).unwrap() = Value::String("@@".to_owned());
        let changed = changed.to_string();
        VALUES.iter().for_each(|value| check(&changed.replace(MARK, value)));
    }
}

/// Checks that an error of reading has a line and a text.
#[track_caller]
fn is_located(error: &Error, text: &str) {
    assert!(error.position().line.is_some(), "{error} of {text}");
    assert!(!error.what().is_empty(), "{error:?} of {text}");
}

/// Builds a loader and takes some batches. An error must have a position or a hint.
fn load(config: Located<LoaderConfig>, dir: &Path) -> Result<(), Error> {
    let names = config.tensor_names();
    let limits = Limits::default().batch_bytes(1 << 20);
    let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(names);
    let built = builder.base_dir(dir).limits(limits).threads(1).build();
    let loaded = built.and_then(|mut loader| {
        for _ in 0..3 {
            loader.next_batch()?;
        }
        Ok(())
    });
    if let Err(error) = &loaded {
        let position = error.position();
        let says_where = position.json_path.is_some() || position.file.is_some() || position.tensor.is_some();
        assert!(says_where || error.hint().is_some(), "{error}");
    }
    loaded
}

fn hostile(config: &str, dir: &Path) {
    let config = config.replace("DIR", dir.to_str().unwrap());
    load(LoaderConfig::from_json(&config).unwrap(), dir).unwrap();
    each_change(&config, |text| match LoaderConfig::from_json(text) {
        Ok(config) => _ = load(config, dir),
        Err(error) => is_located(&error, text),
    });
    for end in (0..config.len()).filter(|end| config.is_char_boundary(*end)) {
        let text = config.get(..end).unwrap();
        is_located(&LoaderConfig::from_json(text).unwrap_err(), text);
    }
}

#[test]
fn of_independent_records() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3, 2], Compression::None);
    hostile(INDEPENDENT, dir.path());
}

#[test]
fn of_sequences() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![3, 0, 2], vec![4]], Compression::None);
    hostile(CONTINUOUS, dir.path());
    hostile(DISCRETE, dir.path());
}

#[test]
fn manifests() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3], Compression::None);
    let path = dir.path().join("__manifest__.json");
    let manifest = std::fs::read_to_string(&path).unwrap();
    for end in 0..manifest.len() {
        let text = manifest.get(..end).unwrap();
        is_located(&Manifest::from_json(text).unwrap_err(), text);
    }
    each_change(&manifest, |text| {
        if let Err(error) = Manifest::from_json(text) {
            return is_located(&error, text);
        }
        std::fs::write(&path, text).unwrap();
        let more = r#""target_batch_size": 2, "drop_remainder": false, "epochs": 1"#;
        for tensor in ["id", "raw"] {
            let _ = load(data::located("independent", dir.path(), tensor, more), dir.path());
        }
    });
}
