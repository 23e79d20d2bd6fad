//! `tfxio schema`: what stands in the header.

use serde_json::json;
use tfxio::avro_path::container::Codec;

use super::{PEOPLE, numbers};
use crate::run::{json_lines, path, tfxio};

#[test]
fn the_schema_as_it_stands_in_the_file() {
    let text = tfxio(["schema", PEOPLE, "--format", "avro"]).ok();
    let schema = &json_lines(&text)[0];
    assert_eq!((&schema["name"], &schema["fields"][2]["type"]), (&json!("person"), &json!(["null", "int"])));
}

#[test]
fn fields_and_the_columns_that_they_become() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 1, Codec::Null);
    assert_eq!(
        tfxio(["schema", &file]).ok(),
        "\
field  Avro    Arrow
─────  ──────  ────────────
n      long    int64
text   string  large_string
record a.b.row of 1 file
"
    );
    assert_eq!(tfxio(["schema", &file, "--format", "arrow"]).ok(), "n: int64\ntext: large_string\n");
    let fields = json_lines(&tfxio(["schema", &file, "--format", "json"]).ok());
    assert_eq!(fields[1], json!({"name": "text", "avro": "string", "arrow": "large_string"}));

    // A person has friends who are persons.
    let out = tfxio(["schema", PEOPLE]).ok();
    assert!(
        out.starts_with("field    Avro\n") && out.contains("\nage      union of null and int\n"),
        "{out}"
    );
    let error = tfxio(["schema", PEOPLE, "--format", "arrow"]).fails(2);
    assert!(error.contains("com.test.person"), "{error}");
}

#[test]
fn a_schema_of_other_fields_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 1, Codec::Null);
    let run = tfxio(["schema", &file, PEOPLE]);
    assert_eq!(run.code, 0);
    assert!(run.out.ends_with("record a.b.row of 2 files\n"), "{}", run.out);
    assert_eq!(run.err, format!("note: {PEOPLE} has another schema than {file}\n"));
}

#[test]
fn what_makes_no_sense() {
    for (args, start) in [
        (&["--format", "pbtxt"][..], "--format pbtxt infers"),
        (&["--validate", "fixtures/tensors/people.pbtxt"], "--validate holds"),
        (&["--records", "5"], "--records says"),
        (&["--as", "example"], "--as says"),
    ] {
        let error = tfxio(["schema", PEOPLE].iter().chain(args)).fails(2);
        assert!(error.starts_with(&format!("error: {start} ")), "{error}");
        assert!(
            error.ends_with("these are Avro files, which have their schema in them; leave it out"),
            "{error}"
        );
    }
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    let error = tfxio(["schema", digits, "--format", "avro"]).fails(2);
    assert_eq!(
        error,
        "error: --format avro prints the schema of Avro files, and these are none; choose another format"
    );
    let folder = tempfile::tempdir().unwrap();
    assert!(tfxio(["schema", &path(&folder, "no.avro")]).fails(3).contains("no such file"));
}
