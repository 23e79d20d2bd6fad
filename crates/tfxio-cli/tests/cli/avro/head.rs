//! `tfxio head`: records as JSON, and as a table of their fields.

use serde_json::json;
use tfxio::avro_path::AvroSchema;
use tfxio::avro_path::container::{Codec, ContainerWriter};
use tfxio::avro_path::datum::write;

use super::{PEOPLE, change, numbers, one};
use crate::run::{json_lines, path, tfxio};

#[test]
fn json_has_the_whole_record() {
    let rows = json_lines(&tfxio(["head", PEOPLE, "--format", "json", "--max-depth", "4"]).ok());
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["friends"][2]["jobs"][0]["coworkers"][0]["name"]["first"], "Flo");
    assert_eq!(
        rows[0]["cars"]["nickname"]["engine"],
        json!({"id": 5, "power": 2.5, "cylinders": 6, "sparkplugs": 0})
    );
    assert_eq!(rows[1]["contact"], json!({"string": null, "phone": {"number": "555"}}));
    assert_eq!(rows[1]["car"], json!(null));

    let out = tfxio(["head", PEOPLE, "--format", "json", "--columns", "age,name", "-n", "1"]).ok();
    assert_eq!(
        out,
        "{\"age\": 36, \"name\": {\"first\": \"Ada\", \"initial\": \"A\", \"last\": \"King\"}}\n"
    );
}

#[test]
fn a_table_has_a_column_a_field() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 12, Codec::Xz);
    let out = tfxio(["head", &file, "-n", "2"]).ok();
    assert_eq!(out, "n  text\n─  ──────────\n0  \"number 0\"\n1  \"number 1\"\n");
    assert_eq!(
        tfxio(["head", &file, "-n", "1", "--columns", "text"]).ok(),
        "text\n──────────\n\"number 0\"\n"
    );
    // Too wide for a line.
    let run = tfxio(["head", PEOPLE]);
    let note = "note: records that contain themselves are shown 4 deep; --max-depth N shows more\n";
    assert_eq!((run.code, run.err.as_str()), (0, note));
    let out = run.out;
    assert!(out.starts_with("── record 0\nname     {\"first\": \"Ada\""), "{out}");
    assert!(out.contains("\ngender   \"m\"\nage      null\n"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 120), "{out}");
    assert!(out.contains("characters\n"), "{out}");
}

#[test]
fn a_root_that_is_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let schema = AvroSchema::parse("{\"type\": \"array\", \"items\": \"double\"}").unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).build().unwrap();
    writer.write(&[2, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0]).unwrap();
    writer.write(&[0]).unwrap();
    let file = path(&folder, "a.avro");
    std::fs::write(&file, writer.finish().unwrap()).unwrap();
    assert_eq!(tfxio(["head", &file, "--format", "json"]).ok(), "{\"value\": [1.5]}\n{\"value\": []}\n");
    assert_eq!(tfxio(["head", &file]).ok(), "value\n─────\n1.5\n[]\n");
    assert_eq!(
        tfxio(["avro-path", &file, "[-1]", "--format", "json"]).ok(),
        "{\"[-1]\": 1.5}\n{\"[-1]\": null}\n"
    );
}

#[test]
fn values_of_logical_types_are_shown_as_they_are_meant() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "r", "fields": [
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "days", "type": {"type": "array", "items": {"type": "int", "logicalType": "date"}}},
        {"name": "noon", "type": ["null", {"type": "int", "logicalType": "time-millis"}]},
        {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
        {"name": "id", "type": {"type": "fixed", "name": "id", "size": 16, "logicalType": "uuid"}},
        {"name": "raw", "type": "bytes"}]}"#;
    let mut record = Vec::new();
    write::bytes(&mut record, &[0, 100]);
    write::long(&mut record, 1_000_000_000_000);
    write::long(&mut record, 1);
    write::long(&mut record, 19_000);
    write::long(&mut record, 0);
    write::long(&mut record, 1);
    write::long(&mut record, 43_200_000);
    write::long(&mut record, -1);
    record.extend([0x12; 16]);
    write::bytes(&mut record, b"a");
    let file = one(&folder, "a.avro", schema, &record);
    assert_eq!(
        json_lines(&tfxio(["head", &file, "--format", "json"]).ok()),
        [json!({
            "price": "1.00",
            "at": "2001-09-09T01:46:40.000Z",
            "days": ["2022-01-08"],
            "noon": "12:00:00.000",
            "local": "1969-12-31T23:59:59.999999",
            "id": "12121212-1212-1212-1212-121212121212",
            "raw": "a",
        })]
    );
    let table = tfxio(["head", &file, "--columns", "price,at"]).ok();
    assert!(table.contains(" 1.00  2001-09-09T01:46:40.000Z\n"), "{table}");
}

#[test]
fn what_makes_no_sense() {
    let error = tfxio(["head", PEOPLE, "--columns", "age,nme"]).fails(2);
    assert_eq!(error, "error: there is no column \"nme\"; did you mean \"name\"?");
    let error = tfxio(["head", PEOPLE, "--as", "example"]).fails(2);
    assert_eq!(
        error,
        "error: the format avro has no records of the format example; state the format of the files instead"
    );
    let folder = tempfile::tempdir().unwrap();
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    std::fs::copy(crate::run::root().join(digits), path(&folder, "0.tfrecord")).unwrap();
    let file = numbers(&folder, "1.avro", 1, Codec::Null);
    let error = tfxio(["head", &path(&folder, "*"), "-n", "600"]).fails(2);
    assert!(
        error.starts_with(&format!("error: {file}: the format of the file is avro, and that of ")),
        "{error}"
    );
}

#[test]
fn records_before_a_damage_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 25, Codec::Snappy);
    change(&file, |bytes| bytes.truncate(bytes.len() - 5));
    for format in ["json", "table"] {
        let run = tfxio(["head", &file, "-n", "99", "--format", format]);
        assert_eq!(run.code, 1);
        assert!(run.out.contains("number 19") && !run.out.contains("number 20"), "{}", run.out);
        assert!(run.err.contains("block 2: the file ends within a block of "), "{}", run.err);
        assert!(
            run.err.contains(&format!("To keep the records that are whole: tfxio repair {file} OUT")),
            "{}",
            run.err
        );
    }
}
