//! `tfxio schema`: the schema in the header.

use serde_json::json;
use tfxio::avro_path::container::Codec;

use super::{PEOPLE, numbers, one};
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
column  avro    Arrow
──────  ──────  ────────────
n       long    int64
text    string  large_string
record a.b.row of 1 file
"
    );
    assert_eq!(tfxio(["schema", &file, "--format", "arrow"]).ok(), "n: int64\ntext: large_string\n");
    let fields = json_lines(&tfxio(["schema", &file, "--format", "json"]).ok());
    assert_eq!(fields[1], json!({"name": "text", "avro": "string", "arrow": "large_string"}));

    // A person has friends who are persons.
    let out = tfxio(["schema", PEOPLE]).ok();
    assert!(out.starts_with("column   avro"), "{out}");
    let arrow = |name: &str| {
        let line = out.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().last().unwrap().to_owned()
    };
    assert_eq!(arrow("gender "), "large_string");
    assert_eq!(arrow("age "), "int32");
    assert_eq!(arrow("friends "), "recursive");
    assert_eq!(arrow("jobs "), "recursive");
    assert!(
        out.ends_with(
            "2 fields hold records that contain themselves: a column needs the option max_depth, or key expressions\n"
        ),
        "{out}"
    );
    let fields = json_lines(&tfxio(["schema", PEOPLE, "--format", "json"]).ok());
    assert_eq!(fields[2], json!({"name": "age", "avro": "union of null and int", "arrow": "int32"}));
    assert_eq!((&fields[4]["arrow"], &fields[4]["recursive"]), (&json!(null), &json!(true)));
    let error = tfxio(["schema", PEOPLE, "--format", "arrow"]).fails(2);
    assert!(error.contains("com.test.person"), "{error}");
}

/// Schemas that need rows are inferred from every format.
#[test]
fn a_schema_of_metadata_is_inferred_and_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 12, Codec::Null);
    let text = tfxio(["schema", &file, "--format", "pbtxt"]).ok();
    assert!(text.starts_with("feature {\n  name: \"n\"\n  type: INT\n"), "{text}");
    let schema = path(&folder, "schema.pbtxt");
    std::fs::write(&schema, text).unwrap();
    assert_eq!(tfxio(["schema", &file, "--validate", &schema]).ok(), "12 records satisfy the schema\n");
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
    let error = tfxio(["schema", PEOPLE, "--format", "pbtxt"]).fails(2);
    assert!(error.ends_with("For this command: --max-depth N, --columns A,B or --keys KEY"), "{error}");
    let error = tfxio(["schema", PEOPLE, "--records", "5"]).fails(2);
    assert!(error.starts_with("error: the format avro has no option \"infer_records\"; "), "{error}");
    let error = tfxio(["schema", PEOPLE, "--as", "example"]).fails(2);
    assert!(error.starts_with("error: the format avro has no records of the format example; "), "{error}");
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    let error = tfxio(["schema", digits, "--format", "avro"]).fails(2);
    assert_eq!(error, "error: the format tfrecord does not offer a schema that stands in its files");
    let folder = tempfile::tempdir().unwrap();
    assert!(tfxio(["schema", &path(&folder, "no.avro")]).fails(3).contains("no such file"));
}

/// Recursion through arrays, maps, unions and other records; a field beside a recursive one is not recursive.
#[test]
fn fields_with_records_that_contain_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "tree", "fields": [
        {"name": "leaf", "type": {"type": "record", "name": "leaf", "fields": [{"name": "v", "type": "int"}]}},
        {"name": "below", "type": {"type": "map", "values": {"type": "array", "items": ["null", "tree"]}}},
        {"name": "chain", "type": ["null", {"type": "record", "name": "link", "fields": [
            {"name": "next", "type": ["null", "link"]}]}]},
        {"name": "again", "type": "leaf"}]}"#;
    let file = one(&folder, "a.avro", schema, &[2, 0, 0, 4]);
    let fields = json_lines(&tfxio(["schema", &file, "--format", "json"]).ok());
    let arrow = fields.iter().map(|field| field["arrow"].as_str()).collect::<Vec<_>>();
    assert_eq!(arrow, [Some("struct<v: int32>"), None, None, Some("struct<v: int32>")]);
    assert!(fields[1]["recursive"] == json!(true) && fields[3].get("recursive").is_none());
}

#[test]
fn all_keys_with_their_types() {
    let out = tfxio(["schema", "--keys", PEOPLE]).ok();
    assert!(out.starts_with("key  ") && out.lines().count() == 26, "{out}");
    for (key, arrow) in [
        ("address[*].zip ", "large_list<int64>"),
        ("cars[*]~ ", "large_list<large_binary>"),
        ("contact:'com.test.phone'.number ", "large_binary"),
        ("friends[*] ", "on"),
    ] {
        let line = out.lines().find(|line| line.starts_with(key)).unwrap();
        assert!(line.ends_with(&format!(" {arrow}")), "{line}");
    }
    let types = tfxio(["schema", PEOPLE, "--keys=2", "--format", "arrow"]).ok();
    assert!(types.contains("\nfriends[*].age: large_list<int32>\n"), "{types}");
    let lines = json_lines(&tfxio(["schema", PEOPLE, "--keys=1", "--format", "json"]).ok());
    assert_eq!(lines[2], json!({"key": "age", "avro": "int", "arrow": "int32"}));
    // Each of them is a key.
    for line in json_lines(&tfxio(["schema", PEOPLE, "--keys", "--format", "json"]).ok()) {
        let key = line["key"].as_str().unwrap();
        if let Some(arrow) = line["arrow"].as_str() {
            assert_eq!(tfxio(["avro-path", PEOPLE, key, "--types"]).ok(), format!("{key}: {arrow}\n"));
        }
    }
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    let error = tfxio(["schema", digits, "--keys"]).fails(2);
    assert_eq!(error, "error: the format tfrecord does not offer key expressions");
    let error = tfxio(["schema", PEOPLE, "--keys", "--format", "avro"]).fails(2);
    assert!(error.starts_with("error: --list-keys lists key expressions, and --format says "), "{error}");
}
