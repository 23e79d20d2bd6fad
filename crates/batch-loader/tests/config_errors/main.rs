//! What a configuration may not be, and what the errors say.
#![allow(clippy::unwrap_used, reason = "a test")]

mod batching;
mod loader;
mod order;
mod tensors;

use std::fs;

use batch_loader::config::LoaderConfig;
use batch_loader::{BatchLoader, ErrorKind};

/// A configuration in order, a key a line from line 2 on; each edit replaces a value, removes it if it is empty, or adds
/// a key at the end.
fn config(edits: &[(&str, &str)]) -> String {
    let mut members = vec![
        ("type", "\"independent\""),
        ("dataset", r#"{"type": "dir", "args": {"data_dir": "data"}}"#),
        ("target_batch_size", "2"),
        ("drop_remainder", "false"),
        ("epochs", "1"),
        ("num_read_buffer_bytes", "0"),
        ("num_prefetch", "1"),
        ("primary_features", r#"[{"from_name": "x", "to_name": "x"}]"#),
    ];
    for (key, value) in edits {
        match members.iter_mut().find(|(known, _)| known == key) {
            Some(member) => member.1 = value,
            None => members.push((key, value)),
        }
    }
    let members = members.iter().filter(|(_, value)| !value.is_empty());
    let lines = members.map(|(key, value)| format!("\n{key:?}: {value}")).collect::<Vec<_>>();
    format!("{{{}\n}}", lines.join(","))
}

#[track_caller]
fn check(edits: &[(&str, &str)], kind: ErrorKind, text: &str) {
    let error = LoaderConfig::from_json(&config(edits)).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (kind, text));
    let position = error.position();
    assert!(position.line.is_some() && position.column.is_some() && position.path.is_some(), "{position:?}");
}

#[test]
fn a_text_that_is_no_object_is_no_configuration() {
    for (text, kind, expected) in [
        ("", ErrorKind::InvalidJson, "line 1, column 1: the text ends, expected a value"),
        (
            "[]",
            ErrorKind::InvalidValue,
            "line 1, column 1: [] is no loader configuration; give an object: {…}",
        ),
        ("1", ErrorKind::InvalidValue, "line 1, column 1: 1 is no loader configuration; give an object: {…}"),
        (
            "{\"type\": \"independent\",\n\"type\": \"independent\"}",
            ErrorKind::InvalidJson,
            "line 2, column 1: the key \"type\" stands there twice; leave one of the two out",
        ),
    ] {
        let error = LoaderConfig::from_json(text).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, expected), "{text:?}");
    }
}

#[test]
fn errors_of_files_name_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("c.json");
    let name = path.display();
    let error = LoaderConfig::from_file(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.to_string(), format!("{name}: the configuration does not exist"));
    let error = LoaderConfig::from_file(directory.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(
        error.to_string(),
        format!(
            "{}: this is a directory and not a configuration; give the JSON file of the configuration",
            directory.path().display()
        )
    );
    for (text, expected) in [
        (
            &b"{}"[..],
            "line 1, column 1, `type`: the key \"type\" is missing; a loader configuration needs it",
        ),
        (b"{\n]", "line 2, column 1: found `]`, expected a key, which is a string"),
        (b"// \n\"\xe4\"", "line 2: this is no UTF-8; save it as UTF-8"),
    ] {
        fs::write(&path, text).unwrap();
        let error = LoaderConfig::from_file(&path).unwrap_err();
        assert_eq!(error.to_string(), format!("{name}, {expected}"));
    }
    fs::write(&path, config(&[]) + "\u{feff}").unwrap();
    assert!(LoaderConfig::from_file(&path).is_err());
    fs::write(&path, "\u{feff}".to_owned() + &config(&[])).unwrap();
    assert_eq!(LoaderConfig::from_file(&path).unwrap(), LoaderConfig::from_json(&config(&[])).unwrap());
}

#[test]
fn what_only_the_data_set_shows_has_its_place_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("c.json");
    let feature = r#"[{"from_name": "imagf", "to_name": "x"}]"#;
    let data = r#"{"type": "dir", "args": {"data_dir": "digits"}}"#;
    fs::write(&path, config(&[("dataset", data), ("primary_features", feature)])).unwrap();
    let builder = BatchLoader::builder(LoaderConfig::from_file(&path).unwrap()).inputs(["x"]);
    let error = builder.base_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures")).check().unwrap_err();
    let place = format!("{}, line 9, column 36, `primary_features[0].from_name`", path.display());
    assert_eq!(
        error.to_string(),
        format!("{place}: the data set has no feature \"imagf\"; did you mean \"image\"?")
    );
}
