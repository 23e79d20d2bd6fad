//! `tfxio tensors`: specs and values. `docs/tensors.md`, whose commands are run, shows each kind of tensor.

use serde_json::json;

use crate::run::{json_lines, path, tfxio};

const PEOPLE: &str = "fixtures/tensors/people.tfrecord";
const SCHEMA: &str = "fixtures/tensors/people.pbtxt";

#[test]
fn a_schema_says_the_tensors_of_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let tensors = |file: &str| tfxio(["tensors", file, "--schema", SCHEMA, "--format", "json"]).ok();
    let group = |file: &str| tfxio(["tensors", file, "--schema", SCHEMA, "--group", "nested"]).ok();
    for name in ["people.parquet", "people.arrow", "people.avro"] {
        let file = path(&folder, name);
        tfxio(["convert", PEOPLE, &file]).ok();
        assert_eq!(tensors(&file), tensors(PEOPLE), "{name}");
        assert_eq!(group(&file), group(PEOPLE), "{name}");
        let error = tfxio(["tensors", &file, "--schema", "no/such.pbtxt"]).fails(3);
        assert!(error.starts_with("error: no/such.pbtxt: "), "{error}");
    }
}

#[test]
fn raw_records_are_a_tensor_of_byte_strings() {
    let records = "fixtures/tfrecord/six-records.tfrecord";
    let one = |args: &[&str]| tfxio([&["tensors", records, "--as", "raw", "-n", "1"], args].concat());
    let value = "\n  0  \"record 0 word 0 record 0 word 1 record 0 word 2\"\n";
    assert_eq!(one(&[]).ok(), format!("raw_record: dense string [?]{value}"));
    assert_eq!(one(&["--column", "bytes"]).ok(), format!("bytes: dense string [?]{value}"));
    // What is asked for goes before that.
    let specs = r#"{"text": {"kind": "FixedLen", "key": "raw_record", "shape": [], "dtype": "string"}}"#;
    let other = r#"{"record": {"kind": "FixedLen", "shape": [], "dtype": "string"}}"#;
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "specs.json");
    std::fs::write(&file, specs).unwrap();
    assert_eq!(one(&["--features", &file]).ok(), format!("text: dense string [?]{value}"));
    std::fs::write(&file, other).unwrap();
    let error = one(&["--features", &file]).fails(1);
    assert!(error.contains("column \"record\": there is no such column in the batch"), "{error}");
    let error = one(&["--schema", "fixtures/tensors/digits.pbtxt"]).fails(2);
    assert!(error.contains("no option \"schema\""), "{error}");
    let error = tfxio(["tensors", PEOPLE, "--as", "example"]).fails(2);
    assert!(error.contains("say what the tensors are, by --schema SCHEMA"), "{error}");
}

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
    let run = tfxio(["tensors", PEOPLE, PEOPLE, "--schema", SCHEMA, "--tensors", "age", "-n", "99"]);
    assert_eq!(run.out.lines().count(), 4, "a file that is named twice is read once: {}", run.err);
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
    let error = tfxio(["tensors", PEOPLE, "--specs", &specs]).fails(1);
    let position = format!("error: {specs}, line 1, column 16, tensor \"a\": ");
    assert!(
        error.starts_with(&format!("{position}\"kind\" is \"FixedLength\"; it must be one of ")),
        "{error}"
    );
    let error = tfxio(["tensors", PEOPLE, "--specs", &path(&folder, "no.json")]).fails(3);
    assert!(error.ends_with("no.json: opening the file failed: no such file; check the path"), "{error}");
    std::fs::write(&specs, b"{\"a\": \xff}").unwrap();
    let error = tfxio(["tensors", PEOPLE, "--specs", &specs]).fails(1);
    assert!(
        error.ends_with("the feature specs cannot be read: the file is not UTF-8; save it as UTF-8"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_made_is_an_error() {
    let error = |args: &[&str], code| tfxio(["tensors", PEOPLE].iter().chain(args)).fails(code);
    assert_eq!(
        error(&["--schema", SCHEMA, "--tensors", "nme"], 2),
        "error: there is no tensor \"nme\"; did you mean \"name\"?"
    );
    assert_eq!(
        error(&["--schema", SCHEMA, "--group", "serving"], 2),
        "error: the schema has no group of tensor representations \"serving\"; it has \"\", \"nested\""
    );
    assert_eq!(
        error(&["--schema", "fixtures/tensors/digits.pbtxt"], 1),
        "error: fixtures/tensors/people.tfrecord, byte 0, record 0, tensor \"id\", column \"id\": the row has no value, and the \
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
        error.starts_with("error: fixtures/tensors/people.tfrecord, byte 0, record 0, column \"scores\": "),
        "{error}"
    );
}

#[test]
fn the_schema_that_was_written_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let (file, schema) = (path(&folder, "a.tfrecord"), path(&folder, "a.pbtxt"));
    // "a" without a list, "b" of one float.
    let record =
        b"\x0a\x16\x0a\x05\x0a\x01a\x12\x00\x0a\x0d\x0a\x01b\x12\x08\x12\x06\x0a\x04\x00\x00\xc0\x3f";
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&file).unwrap();
    writer.write(record).unwrap();
    writer.finish().unwrap();
    let text = tfxio(["schema", "--format", "pbtxt", &file]).ok();
    assert!(text.starts_with("feature {\n  name: \"a\"\n  lifecycle_stage: PLANNED\n}\n"), "{text}");
    std::fs::write(&schema, text).unwrap();
    assert_eq!(tfxio(["schema", "--validate", &schema, &file]).ok(), "1 record satisfies the schema\n");
    let out = tfxio(["tensors", &file, "--schema", &schema]).ok();
    assert_eq!(out, "b: dense float32 [?, 1]\n  0  [1.5]\n");
}

#[test]
fn a_shape_that_no_schema_says_is_the_tensors() {
    let folder = tempfile::tempdir().unwrap();
    let schema = path(&folder, "schema.pbtxt");
    let group = |shape: &str| {
        format!(
            "tensor_representation_group {{ key: \"\" value {{ tensor_representation {{ key: \"t\" value {{ dense_tensor {{ \
             column_name: \"move_lengths\" shape {{ {shape} }} }} }} }} }} }}"
        )
    };
    let feature = "feature { name: \"move_lengths\" type: INT }";
    std::fs::write(&schema, format!("{feature} {}", group("dim { size: 3 }"))).unwrap();
    assert_eq!(
        tfxio(["tensors", PEOPLE, "--schema", &schema]).fails(1),
        "error: fixtures/tensors/people.tfrecord, byte 0, record 0, column \"move_lengths\": the record has 2 values, the \
         shape of the tensor \"t\" holds 3"
    );
    // A default for what a row lacks is one of a spec: no Rust name says so.
    let default = "dim { size: 2 } } default_value { int_value: 0 ";
    std::fs::write(&schema, format!("feature {{ name: \"tags\" type: BYTES }} {feature} {}", group(default)))
        .unwrap();
    let error = tfxio(["schema", "--validate", &schema, PEOPLE]);
    assert_eq!(error.code, 1);
    assert!(!error.out.contains("Fill::"), "{}", error.out);
    let says = "0 values, the shape of a row holds 2; the default fills absent rows alone, one of a feature spec would fill";
    assert!(error.out.contains(says), "{}", error.out);
}

#[test]
fn a_column_that_nobody_knows() {
    let folder = tempfile::tempdir().unwrap();
    let schema = path(&folder, "schema.pbtxt");
    let group = "tensor_representation_group { key: \"bad\" value { tensor_representation { key: \"t\" value { \
                 varlen_sparse_tensor { column_name: \"nosuch\" } } } } }";
    std::fs::write(&schema, format!("feature {{ name: \"tags\" type: BYTES }} {group}")).unwrap();
    let out = tfxio(["schema", "--validate", &schema, "--group", "bad", PEOPLE]).out;
    assert!(
        out.contains(
            "the data has no column \"nosuch\", and the schema no such feature; correct the column's name"
        ),
        "{out}"
    );
    let error = tfxio(["tensors", PEOPLE, "--schema", &schema, "--group", "bad"]).fails(1);
    assert!(error.contains("there is no such column in the batch"), "{error}");
}

#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    for (args, what) in [
        (["tensors", PEOPLE, "--schema", "/dev/zero"], "schema"),
        (["tensors", PEOPLE, "--specs", "/dev/zero"], "feature specs"),
        (["schema", PEOPLE, "--validate", "/dev/zero"], "schema"),
    ] {
        let error = tfxio(args).fails(1);
        assert!(
            error.starts_with(&format!(
                "error: /dev/zero: the file of the {what} has more than 64 MiB; check that "
            )),
            "{error}"
        );
    }
}

#[test]
fn steps_of_one_value() {
    let folder = tempfile::tempdir().unwrap();
    let specs = path(&folder, "specs.json");
    let text = r###"{"c": {"kind": "FixedLenSequence", "shape": [], "key": ["##SEQUENCE##", "clicks"], "dtype": "int64"}}"###;
    std::fs::write(&specs, text).unwrap();
    assert_eq!(
        tfxio(["tensors", "fixtures/tensors/sessions.tfrecord", "--specs", &specs]).fails(1),
        "error: fixtures/tensors/sessions.tfrecord, byte 0, record 0, tensor \"c\", column \"##SEQUENCE##.clicks\": item 0 of the \
         list has 2 values, the shape of an item holds 1"
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
