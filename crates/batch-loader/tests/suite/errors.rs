//! Errors of configurations and manifests, each with its text: `errors/*/*.txt`.
//!
//! A file holds cases with a blank line between them: the input, then the error, indented. An input is either edits of a
//! valid document that has one key a line from line 2 on (`key = value` replaces a value or adds a key, `key =` removes
//! one), or a whole document, each line after `> `. `UPDATE_EXPECT=1 cargo test -p tfxio-batch-loader --test suite -- errors`
//! writes the errors of today into the files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::fs;
use std::path::Path;

use batch_loader::config::LoaderConfig;
use batch_loader::manifest::Manifest;
use batch_loader::{BatchLoader, Error, Kind};

/// A valid configuration.
const CONFIG: &[(&str, &str)] = &[
    ("type", "\"independent\""),
    ("dataset", r#"{"type": "dir", "args": {"data_dir": "data"}}"#),
    ("target_batch_size", "2"),
    ("drop_remainder", "false"),
    ("epochs", "1"),
    ("num_read_buffer_bytes", "0"),
    ("num_prefetch", "1"),
    ("primary_features", r#"[{"from_name": "x", "to_name": "x"}]"#),
];

/// A valid manifest.
const MANIFEST: &[(&str, &str)] = &[
    ("compression", "null"),
    ("allow_var_len", "false"),
    ("features", r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#),
];

/// The valid document with some values replaced, added at the end, or, where they are empty, removed.
fn edited(base: &[(&str, &str)], edits: &[(&str, &str)]) -> String {
    let mut members = base.to_vec();
    for edit in edits {
        match members.iter_mut().find(|(key, _)| *key == edit.0) {
            Some(member) => *member = *edit,
            None => members.push(*edit),
        }
    }
    let members = members.iter().filter(|(_, value)| !value.is_empty());
    let lines = members.map(|(key, value)| format!("\n{key:?}: {value}")).collect::<Vec<_>>();
    format!("{{{}\n}}", lines.join(","))
}

/// The case with the error that its input gets now; a comment as it is.
fn run(case: &str, base: &[(&str, &str)], parse: fn(&str) -> Option<Error>) -> String {
    let input = case.lines().filter(|line| !line.starts_with("    ")).collect::<Vec<_>>();
    if input.iter().all(|line| line.starts_with('#')) {
        return case.to_owned();
    }
    let literal = input.iter().filter_map(|line| line.strip_prefix('>')).collect::<Vec<_>>();
    let document = if literal.is_empty() {
        let edits = input.iter().map(|line| {
            let (key, value) = line.split_once(" =").unwrap_or_else(|| panic!("not an edit: {line}"));
            (key, value.trim_start())
        });
        edited(base, &edits.collect::<Vec<_>>())
    } else {
        literal.iter().map(|line| line.trim_start_matches(' ')).collect::<Vec<_>>().join("\n")
    };
    let error = parse(&document).unwrap_or_else(|| panic!("nothing is wrong with {document}"));
    let position = error.position();
    // Only where the document as a whole is wrong has the position no path.
    assert!(position.line.is_some() && position.line_column.is_some(), "{position:?}");
    assert!(position.json_path.is_some() || !literal.is_empty(), "{position:?}");
    format!("{}\n    {:?}: {error}", input.join("\n"), error.detail::<Kind>().unwrap())
}

/// Runs each file of the folder; with `UPDATE_EXPECT` writes it again.
fn check(folder: &str, base: &[(&str, &str)], parse: fn(&str) -> Option<Error>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors").join(folder);
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let cases = text.trim_end().split("\n\n").map(|case| (case, run(case, base, parse)));
        let cases = cases.collect::<Vec<_>>();
        if update {
            let found = cases.into_iter().map(|(_, found)| found).collect::<Vec<_>>();
            fs::write(&path, found.join("\n\n") + "\n").unwrap();
            continue;
        }
        let name = path.file_name().unwrap().display().to_string();
        let differing = cases.iter().filter(|(expected, found)| expected != found);
        wrong.extend(
            differing.map(|(expected, found)| format!("{name}\nexpected: {expected}\nfound: {found}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn of_configurations() {
    check("config", CONFIG, |text| LoaderConfig::from_json(text).err());
}

#[test]
fn of_manifests() {
    check("manifest", MANIFEST, |text| Manifest::from_json(text).err());
}

#[test]
fn errors_of_files_name_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("c.json");
    let name = path.display();
    let error = LoaderConfig::from_file(&path).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::NotFound));
    assert_eq!(error.to_string(), format!("{name}: the configuration does not exist; check the path"));
    let error = LoaderConfig::from_file(directory.path()).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Io));
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
        (b"// \n\"\xe4\"", "line 2: this is not UTF-8; save it as UTF-8"),
    ] {
        fs::write(&path, text).unwrap();
        let error = LoaderConfig::from_file(&path).unwrap_err();
        assert_eq!(error.to_string(), format!("{name}, {expected}"));
    }
    let valid = edited(CONFIG, &[]);
    fs::write(&path, valid.clone() + "\u{feff}").unwrap();
    assert!(LoaderConfig::from_file(&path).is_err());
    fs::write(&path, "\u{feff}".to_owned() + &valid).unwrap();
    assert_eq!(*LoaderConfig::from_file(&path).unwrap(), *LoaderConfig::from_json(&valid).unwrap());
}

#[test]
fn what_only_the_data_set_shows_has_its_position_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("c.json");
    let feature = r#"[{"from_name": "imagf", "to_name": "x"}]"#;
    let data = r#"{"type": "dir", "args": {"data_dir": "digits"}}"#;
    fs::write(&path, edited(CONFIG, &[("dataset", data), ("primary_features", feature)])).unwrap();
    let builder = BatchLoader::builder(LoaderConfig::from_file(&path).unwrap());
    let builder = builder.formats(&tfxio_formats::formats()).inputs(["x"]);
    let error = builder.base_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures")).check().unwrap_err();
    let position = format!("{}, line 9, column 36, `primary_features[0].from_name`", path.display());
    assert_eq!(
        error.to_string(),
        format!("{position}: the data set has no feature \"imagf\"; did you mean \"image\"?")
    );
}
