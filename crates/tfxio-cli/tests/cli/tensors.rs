//! `tfxio tensors`: specs and values. `docs/tensors.md`, whose commands are run, shows each kind of tensor.

use serde_json::json;

use crate::run::{json_lines, path, tfxio};

const PEOPLE: &str = "fixtures/tensors/people.tfrecord";
const SCHEMA: &str = "fixtures/tensors/people.pbtxt";

#[test]
fn json_has_the_whole_tensor() {
    let tensors = json_lines(&tfxio(["tensors", PEOPLE, "--schema", SCHEMA, "--format", "json"]).ok());
    assert_eq!(tensors.len(), 6);
    assert_eq!(
        tensors[1],
        json!({
            "name": "moves", "spec": "ragged int64 [?, ?, ?] (int64 splits)", "kind": "ragged", "dtype": "int64",
            "row_splits_dtype": "int64", "row_splits": [[0, 2, 2, 4], [0, 2, 3, 3, 5]], "inner_shape": [],
            "values": [7, 8, 9, 3, 5],
        })
    );
    assert_eq!(tensors[3]["shape"], json!([3, 2]));
    assert_eq!(
        tensors[5],
        json!({
            "name": "weights", "spec": "sparse float32 [?, 10]", "kind": "sparse", "dtype": "float32",
            "indices": [[0, 1], [0, 4], [2, 9]], "values": [0.25, 2.0, 1.0], "dense_shape": [3, 10],
        })
    );
    let args = [
        "tensors",
        PEOPLE,
        "--schema",
        SCHEMA,
        "--group",
        "nested",
        "--format",
        "json",
        "--tensors",
        "person",
    ];
    let person = &json_lines(&tfxio(args).ok())[0];
    assert_eq!((&person["kind"], &person["rows"]), (&json!("structured"), &json!(3)));
    assert_eq!(person["fields"]["tags"]["row_splits"], json!([[0, 2, 2, 3]]));
}

#[test]
fn some_tensors_of_some_rows() {
    let out = tfxio(["tensors", PEOPLE, "--schema", SCHEMA, "--tensors", "name,age", "-n", "2"]).ok();
    assert_eq!(
        out,
        "name: dense string [?]\n  0  \"Ada\"\n  1  \"Grace\"\nage: dense int64 [?]\n  0  36\n  1  -1\n"
    );
    let out = tfxio(["tensors", PEOPLE, PEOPLE, "--schema", SCHEMA, "--tensors", "age", "-n", "99"]).ok();
    assert_eq!(out.lines().count(), 4, "a file that is named twice is read once");
    let args = ["tensors", PEOPLE, "--schema", SCHEMA, "--tensors", "age", "-n", "0", "--format", "json"];
    assert_eq!(json_lines(&tfxio(args).ok()), [json!({"name": "age", "spec": "dense int64 [?]"})]);
    let folder = tempfile::tempdir().unwrap();
    let empty = path(&folder, "empty.tfrecord");
    std::fs::write(&empty, "").unwrap();
    assert_eq!(
        tfxio(["tensors", &empty, "--schema", SCHEMA, "--tensors", "age"]).ok(),
        "age: dense int64 [?]\n"
    );
}

#[test]
fn long_rows_are_cut() {
    let digits = "fixtures/digits/digits@3.tfrecord";
    let args =
        ["tensors", digits, "--schema", "fixtures/tensors/digits.pbtxt", "--tensors", "image", "-n", "12"];
    let out = tfxio(args).ok();
    assert_eq!(out.lines().count(), 13);
    assert!(out.lines().all(|line| line.chars().count() < 120), "{out}");
    assert!(out.contains("\n   9  [[") && out.contains("\n  11  [["), "{out}");
    assert!(out.contains("…"), "{out}");
}

#[test]
fn specs_without_a_schema() {
    let folder = tempfile::tempdir().unwrap();
    let specs = path(&folder, "specs.json");
    let text = r###"{"c": {"kind": "Ragged", "value_key": ["##SEQUENCE##", "clicks"], "dtype": "int64"}}"###;
    std::fs::write(&specs, text).unwrap();
    let out = tfxio(["tensors", "fixtures/tensors/sessions.tfrecord", "--specs", &specs]).ok();
    assert_eq!(
        out,
        "c: ragged int64 [?, ?, ?] (int32 splits)\n  0  [[1, 2], [], [3]]\n  1  []\n  2  [[4]]\n"
    );

    std::fs::write(&specs, "{\"a\": {\"kind\": \"FixedLength\"}}").unwrap();
    let error = tfxio(["tensors", PEOPLE, "--specs", &specs]).fails(2);
    let place = format!("error: {specs}: tensor \"a\": line 1, column 16: ");
    assert!(error.starts_with(&format!("{place}\"kind\" is \"FixedLength\"; it must be one of ")), "{error}");
    let error = tfxio(["tensors", PEOPLE, "--specs", &path(&folder, "no.json")]).fails(3);
    assert!(error.contains("no.json: the feature specs cannot be read: "), "{error}");
}

#[test]
fn what_cannot_be_made_is_an_error() {
    let error = |args: &[&str], code| tfxio(["tensors", PEOPLE].iter().chain(args)).fails(code);
    assert_eq!(
        error(&["--schema", SCHEMA, "--tensors", "nme"], 2),
        "error: there is no tensor \"nme\"; there are: \"age\", \"moves\", \"name\", \"scores\", \"tags\", \"weights\""
    );
    assert_eq!(
        error(&["--schema", SCHEMA, "--group", "serving"], 2),
        "error: the schema has no group of tensor representations \"serving\"; it has \"\", \"nested\""
    );
    assert_eq!(
        error(&["--schema", "fixtures/tensors/digits.pbtxt"], 1),
        "error: fixtures/tensors/people.tfrecord, record 0, tensor \"id\", column \"id\": the row has no value, and the \
         representation no default"
    );
    assert_eq!(
        error(&["--schema", "fixtures/tensors/people.json"], 1),
        "error: fixtures/tensors/people.json: the schema cannot be read: line 1, column 1: a field of Schema is needed, \
         found `{`"
    );
    let folder = tempfile::tempdir().unwrap();
    let schema = path(&folder, "schema.pbtxt");
    std::fs::write(
        &schema,
        "feature { name: \"scores\" type: FLOAT shape { dim { size: 3 } } presence { min_fraction: 1 } }",
    )
    .unwrap();
    let error = error(&["--schema", &schema], 1);
    assert!(
        error.starts_with("error: fixtures/tensors/people.tfrecord, record 0, byte 0, feature \"scores\": "),
        "{error}"
    );
}

/// Files of other writers with their schemas, when `TFXIO_REALDATA_DIR` names a folder of them.
#[test]
fn real_files() {
    let Some(folder) = std::env::var_os("TFXIO_REALDATA_DIR").filter(|folder| !folder.is_empty()) else {
        println!("left out: TFXIO_REALDATA_DIR is not set");
        return;
    };
    let folder = std::path::Path::new(&folder).canonicalize().unwrap();
    for (file, schema, tensors) in [
        ("tfx-penguin-eval.tfrecord.gz", "tfx-penguin-schema.pbtxt", 5),
        ("tfx-taxi-evaluator-2019.tfrecord.gz", "tfx-taxi-user-schema.pbtxt", 18),
        ("tfx-sequence-eval.tfrecord.gz", "tfx-sequence-schema.pbtxt", 3),
    ] {
        let (file, schema) = (folder.join(file), folder.join(schema));
        let (file, schema) = (file.to_str().unwrap(), schema.to_str().unwrap());
        let shown = json_lines(&tfxio(["tensors", file, "--schema", schema, "--format", "json"]).ok());
        assert_eq!(shown.len(), tensors, "{file}");
    }
}
