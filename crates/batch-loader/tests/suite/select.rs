//! Configurations with some of their tensors only.

use batch_loader::config::{LoaderConfig, Located};
use batch_loader::{BatchLoader, Error};

const CONFIG: &str = r#"{
  "type": "independent",
  "dataset": {"type": "dir", "args": {"data_dir": "fixtures/digits"}},
  "target_batch_size": 8,
  "epochs": 1,
  "primary_features": [
    {"from_name": "id", "to_name": "id"},
    {"from_name": "image", "to_name": "image"},
    {"from_name": "label", "to_name": "label"}
  ],
  "secondary_features": [
    {"to_name": "mask", "type": "ones", "args": {"shape": "image", "dtype": "image"}},
    {"to_name": "one", "type": "ones", "args": {"shape": [], "dtype": "int64"}}
  ],
  "processing_steps": [
    {"tensor": "image", "type": "reshape", "args": {"shape": [8, 8]}},
    {"tensor": "label", "type": "reshape", "args": {"shape": [3]}}
  ],
  "defaults": [{"tensor": "id", "value": "none"}, {"tensor": "image", "value": 0}],
  "normalization": [{"tensor": "image", "axis": 0}],
  "padding": [{"tensor": "image", "shape": [8, 8]}, {"tensor": "label", "shape": [1]}]
}"#;

fn names(names: &[&str]) -> Vec<std::sync::Arc<str>> {
    names.iter().map(|name| (*name).into()).collect()
}

fn select(config: &mut Located<LoaderConfig>, wanted: &[&str]) -> String {
    config.select(&names(wanted)).join(" ")
}

fn check(config: Located<LoaderConfig>, inputs: &[&str]) -> Result<(), Error> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).base_dir(root);
    builder.inputs(names(inputs)).check().map(drop)
}

#[test]
fn what_is_not_named_is_left_out_with_what_is_said_of_it() {
    let config = || LoaderConfig::from_json(&CONFIG.replace("[3]", "[1]")).unwrap();
    let mut all = config();
    assert_eq!(select(&mut all, &["id", "image", "label", "mask", "one"]), "");
    assert_eq!(*all, *config());

    let mut one = config();
    assert_eq!(select(&mut one, &["label"]), "id image mask one");
    assert_eq!(one.tensor_names(), names(&["label"]));
    let left = serde_json::to_string(&*one).unwrap();
    assert!(!left.contains("image") && left.contains("reshape") && left.contains("padding"), "{left}");
    check(one, &["label"]).unwrap();

    // Whose shape another copies stays, and has to be named, too.
    let mut copied = config();
    assert_eq!(select(&mut copied, &["mask"]), "id label one");
    let error = check(copied, &["mask"]).unwrap_err().to_string();
    assert!(error.contains("\"image\" is neither an input nor a target"), "{error}");
}

#[test]
fn errors_stand_where_they_are_in_the_text() {
    let mut config = LoaderConfig::from_json(CONFIG).unwrap();
    let before = check(config.clone(), &["id", "image", "label", "mask", "one"]).unwrap_err();
    assert_eq!(before.position().line, Some(17), "{before}");
    select(&mut config, &["label"]);
    let after = check(config, &["label"]).unwrap_err();
    assert_eq!(after.position().line, before.position().line, "{after}");
}
