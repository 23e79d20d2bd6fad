//! `tfxio tensors`: feature specs over key expressions.

use serde_json::json;

use super::{PEOPLE, one};
use crate::run::{json_lines, path, tfxio};

const SPECS: &str = r#"{
    "name": {"kind": "FixedLen", "key": "name.first", "shape": [], "dtype": "string"},
    "age": {"kind": "FixedLen", "shape": [], "dtype": "int32", "default": -1},
    "power": {"kind": "FixedLen", "key": "car.engine.power", "shape": [], "dtype": "float32", "default": 0},
    "streets": {"kind": "VarLen", "key": "friends[*].address[*].street", "dtype": "string"}
}"#;

#[test]
fn specs_name_columns_by_key_expressions() {
    let folder = tempfile::tempdir().unwrap();
    let specs = path(&folder, "specs.json");
    std::fs::write(&specs, SPECS).unwrap();
    assert_eq!(
        tfxio(["tensors", PEOPLE, "--features", &specs]).ok(),
        "\
age: dense int32 [?]
  0  36
  1  -1
name: dense string [?]
  0  \"Ada\"
  1  \"Max\"
power: dense float32 [?]
  0  1.5
  1  0.0
streets: sparse string [?, ?, ?]
  0  {(0, 0): \"1 A\", (0, 1): \"2 A\", (2, 0): \"3 E\"}
  1  {}
"
    );
    let args = ["tensors", PEOPLE, "--specs", &specs, "--tensors", "age", "--format", "json", "-n", "1"];
    let tensors = json_lines(&tfxio(args).ok());
    assert_eq!(
        tensors,
        [
            json!({"name": "age", "spec": "dense int32 [?]", "kind": "dense", "dtype": "int32", "shape": [1], "values": [36]})
        ]
    );
    assert_eq!(
        tfxio(["tensors", PEOPLE, "--specs", &specs, "--tensors", "name,age", "-n", "0"]).ok(),
        "name: dense string [?]\nage: dense int32 [?]\n"
    );
}

#[test]
fn what_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let specs = path(&folder, "specs.json");
    let error = |text: &str, code| {
        std::fs::write(&specs, text).unwrap();
        let run = tfxio(["tensors", PEOPLE, "--features", &specs]);
        assert_eq!((run.code, run.out.as_str()), (code, ""));
        run.err.trim_end().to_owned()
    };
    let found =
        error(r#"{"a": {"kind": "FixedLen", "key": "name.frist", "shape": [], "dtype": "string"}}"#, 2);
    assert_eq!(
        found,
        "error: tensor \"a\", key \"name.frist\", column 6: no field \"frist\" in record com.test.fullname; did you mean \"first\"?\n  \
         name.frist\n       ^"
    );
    // A relative key is shown as the whole one.
    let found = error(
        r#"{"e": {"kind": "Sparse", "key": "car.engine", "index_key": "idd", "value_key": "power", "dtype": "float32", "size": 9}}"#,
        2,
    );
    assert_eq!(
        found,
        "error: tensor \"e\", key \"car.engine.idd\", column 12: no field \"idd\" in record com.test.engine; did you mean \"id\"?\n  \
         car.engine.idd\n             ^"
    );
    let found = error(r#"{"age": {"kind": "FixedLen", "shape": [], "dtype": "int32"}}"#, 1);
    assert!(found.contains("tensor \"age\"") && found.contains("1"), "{found}");

    let error = tfxio(["tensors", PEOPLE, "--schema", "fixtures/tensors/people.pbtxt"]).fails(2);
    assert!(error.starts_with("error: at friends: the schema is recursive: "), "{error}");
}

/// The dtype chooses among the branches of a union; a value of another one is an error with its record.
#[test]
fn the_dtype_resolves_a_union() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "r", "fields": [
        {"name": "x", "type": ["null", "int", "string"]},
        {"name": "y", "type": ["null", "int", "string"]}]}"#;
    let (file, specs) = (one(&folder, "a.avro", schema, &[2, 10, 0]), path(&folder, "specs.json"));
    let run = |text: &str| {
        std::fs::write(&specs, text).unwrap();
        tfxio(["tensors", &file, "--features", &specs])
    };
    let both = r#"{"x": {"kind": "FixedLen", "shape": [], "dtype": "int32", "default": -1},
        "y": {"kind": "FixedLen", "shape": [], "dtype": "int32", "default": -1},
        "text": {"kind": "FixedLen", "key": "y", "shape": [], "dtype": "string", "default": "-"}}"#;
    assert_eq!(
        run(both).ok(),
        "text: dense string [?]\n  0  \"-\"\nx: dense int32 [?]\n  0  5\ny: dense int32 [?]\n  0  -1\n"
    );
    let found =
        run(r#"{"x": {"kind": "FixedLen", "shape": [], "dtype": "string", "default": "-"}}"#).fails(1);
    assert!(
        found.contains("record 0, byte of the record 1, at x:int: the value is of the branch int"),
        "{found}"
    );
    assert!(found.contains("read as string") && found.contains("x:string"), "{found}");
    let found = run(r#"{"x": {"kind": "FixedLen", "shape": [], "dtype": "int64"}}"#);
    assert_eq!(found.code, 2);
    assert!(found.err.contains("tensor \"x\"") && found.err.contains("has the dtype int64"), "{}", found.err);
}

/// A field of type null has no value: each dtype can be its default's.
#[test]
fn every_dtype_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "r", "fields": [{"name": "n", "type": "null"}]}"#;
    let (file, specs) = (one(&folder, "a.avro", schema, &[]), path(&folder, "specs.json"));
    for (dtype, value) in [
        ("bool", "true"),
        ("int8", "-128"),
        ("int16", "-32768"),
        ("int32", "-2147483648"),
        ("int64", "9223372036854775807"),
        ("uint8", "255"),
        ("uint16", "65535"),
        ("uint32", "4294967295"),
        ("uint64", "9223372036854775807"),
        ("float16", "-0.5"),
        ("bfloat16", "1.5"),
        ("float32", "0.25"),
        ("float64", "1e300"),
        ("string", "\"text\""),
    ] {
        let spec = format!(
            r#"{{"n": {{"kind": "FixedLen", "shape": [], "dtype": "{dtype}", "default": {value}}}}}"#
        );
        std::fs::write(&specs, spec).unwrap();
        assert_eq!(
            tfxio(["tensors", &file, "--features", &specs]).ok(),
            format!("n: dense {dtype} [?]\n  0  {value}\n")
        );
        let json = tfxio(["tensors", &file, "--features", &specs, "--format", "json"]).ok();
        assert!(json.ends_with(&format!("\"shape\": [1], \"values\": [{value}]}}\n")), "{json}");
    }
}

#[test]
fn what_is_missing_is_asked_for() {
    let error = tfxio(["tensors", PEOPLE]).fails(2);
    assert!(
        error.starts_with("error: say what the tensors are, by --schema SCHEMA or by --features JSON; "),
        "{error}"
    );
    let error = tfxio(["tensors", "fixtures/tensors/people.tfrecord"]).fails(2);
    assert!(
        error.starts_with("error: say what the tensors are, by --schema SCHEMA or by --features JSON; "),
        "{error}"
    );
}
