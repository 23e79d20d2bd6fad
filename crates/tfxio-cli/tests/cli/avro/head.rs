//! `tfxio head`: records as JSON, and as a table of their fields.

use serde_json::json;
use tfxio::avro_path::Schema;
use tfxio::avro_path::container::{Codec, WriterBuilder};

use super::{PEOPLE, change, numbers};
use crate::run::{json_lines, path, tfxio};

#[test]
fn json_has_the_whole_record() {
    let rows = json_lines(&tfxio(["head", PEOPLE, "--format", "json"]).ok());
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["friends"][2]["jobs"][0]["coworkers"][0]["name"]["first"], "Flo");
    assert_eq!(
        rows[0]["cars"]["nickname"]["engine"],
        json!({"id": 5, "power": 2.5, "cylinders": 6, "sparkplugs": 0})
    );
    assert_eq!(rows[1]["contact"], json!({"number": "555"}));
    assert_eq!(rows[1]["car"], json!(null));

    let out = tfxio(["head", PEOPLE, "--format", "json", "--columns", "age,name", "-n", "1"]).ok();
    assert_eq!(out, "{\"age\": 36, \"name\": {\"first\":\"Ada\",\"initial\":\"A\",\"last\":\"King\"}}\n");
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
    let out = tfxio(["head", PEOPLE]).ok();
    assert!(out.starts_with("── record 0\nname     {\"first\":\"Ada\""), "{out}");
    assert!(out.contains("\ngender   \"m\"\nage      null\n"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 120), "{out}");
    assert!(out.contains("characters\n"), "{out}");
}

#[test]
fn a_root_that_is_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let schema = Schema::parse("{\"type\": \"array\", \"items\": \"double\"}").unwrap();
    let mut writer = WriterBuilder::new().from_writer(Vec::new(), &schema).unwrap();
    writer.write(&[2, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0]).unwrap();
    writer.write(&[0]).unwrap();
    let file = path(&folder, "a.avro");
    std::fs::write(&file, writer.finish().unwrap()).unwrap();
    assert_eq!(tfxio(["head", &file, "--format", "json"]).ok(), "[1.5]\n[]\n");
    assert_eq!(tfxio(["head", &file]).ok(), "value\n─────\n[1.5]\n[]\n");
    assert_eq!(
        tfxio(["avro-path", &file, "[-1]", "--format", "json"]).ok(),
        "{\"[-1]\": 1.5}\n{\"[-1]\": null}\n"
    );
}

#[test]
fn what_makes_no_sense() {
    let error = tfxio(["head", PEOPLE, "--columns", "age,nme"]).fails(2);
    assert!(
        error
            .starts_with("error: there is no field \"nme\" in record com.test.person; there are: \"name\", "),
        "{error}"
    );
    let error = tfxio(["head", PEOPLE, "--as", "example"]).fails(2);
    assert_eq!(
        error,
        "error: --as says what TFRecord files hold, and this is an Avro file, which says it itself; leave it out"
    );
    let folder = tempfile::tempdir().unwrap();
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    std::fs::copy(crate::run::root().join(digits), path(&folder, "0.tfrecord")).unwrap();
    let file = numbers(&folder, "1.avro", 1, Codec::Null);
    let error = tfxio(["head", &path(&folder, "*")]).fails(2);
    assert_eq!(
        error,
        format!(
            "error: {file} is an Avro file and {} is none; look at the files of each format by themselves",
            path(&folder, "0.tfrecord")
        )
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
