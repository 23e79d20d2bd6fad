//! `tfxio convert`: Avro to the other formats and back.

use serde_json::json;
use tfxio::avro_path::container::Codec;

use super::{PEOPLE, change, numbers, one};
use crate::run::{json_lines, names, path, tfxio};

fn rows(file: &str) -> String {
    // People contain themselves.
    let depth: &[&str] = if file.contains("people") { &["--max-depth", "4"] } else { &[] };
    tfxio([&["head", "-n", "100000", "--format", "json", file], depth].concat()).ok()
}

#[test]
fn there_and_back_gives_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 3000, Codec::Zstandard);
    for name in ["a.parquet", "a.arrow"] {
        let (between, back) = (path(&folder, name), path(&folder, "back.avro"));
        tfxio(["convert", &file, &between]).ok();
        tfxio(["convert", &between, &back]).ok();
        assert_eq!(rows(&back), rows(&file), "{name}");
        let report = json_lines(&tfxio(["inspect", "--json", &back]).ok()).remove(0);
        assert_eq!((&report["codec"], &report["schema"]), (&json!("deflate"), &json!("record row")));
    }
    assert_eq!(names(&folder), ["a.arrow", "a.avro", "a.parquet", "back.avro"]);
}

#[test]
fn avro_to_avro_changes_the_codec_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 100, Codec::Null);
    for codec in Codec::ALL {
        let output = path(&folder, "b.avro");
        tfxio(["convert", &file, &output, "--avro-codec", codec.name()]).ok();
        assert_eq!(rows(&output), rows(&file));
        let of = |file: &str| json_lines(&tfxio(["inspect", "--json", file]).ok()).remove(0);
        let (report, original) = (of(&output), of(&file));
        assert_eq!(report["codec"], codec.name());
        for same in ["schema", "records", "payload_bytes", "crc32_of_payloads", "metadata"] {
            assert_eq!(report[same], original[same], "{same}");
        }
    }
    // Also where records contain themselves.
    let output = path(&folder, "people.avro");
    tfxio(["convert", PEOPLE, &output]).ok();
    assert_eq!(rows(&output), rows(PEOPLE));
}

#[test]
fn fields_and_key_expressions() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.parquet");
    let keys = ["convert", PEOPLE, &output, "--key", "name.first", "--key", "friends[*].age"];
    tfxio(keys).ok();
    let back = path(&folder, "back.avro");
    tfxio(["convert", &output, &back]).ok();
    let out = tfxio(["avro-path", &back, "name_first", "friends____age[*]", "--format", "json"]).ok();
    assert_eq!(
        out,
        "{\"name_first\": \"Ada\", \"friends____age[*]\": [null, 40, 7]}\n\
         {\"name_first\": \"Max\", \"friends____age[*]\": []}\n"
    );
    tfxio(["convert", PEOPLE, &back, "--columns", "age,gender"]).ok();
    assert_eq!(rows(&back), "{\"age\": 36, \"gender\": \"f\"}\n{\"age\": null, \"gender\": \"m\"}\n");
    // Every field a list.
    tfxio(["convert", PEOPLE, &back, "--columns", "age", "--layout", "lists"]).ok();
    assert_eq!(rows(&back), "{\"age\": [36]}\n{\"age\": null}\n");
    // Two levels of friends.
    tfxio(["convert", PEOPLE, &path(&folder, "deep.arrow"), "--max-depth", "2"]).ok();
}

#[test]
fn from_examples_and_to_examples() {
    let folder = tempfile::tempdir().unwrap();
    let avro = path(&folder, "people.avro");
    let examples = "fixtures/tensors/people.tfrecord";
    tfxio(["convert", examples, &avro]).ok();
    let row = json_lines(&rows(&avro)).remove(0);
    assert_eq!((&row["age"], &row["scores"]), (&json!([36]), &json!([0.5, 1.5])));
    let numbers = numbers(&folder, "n.avro", 2, Codec::Null);
    let back = path(&folder, "back.tfrecord");
    tfxio(["convert", &numbers, &back]).ok();
    assert_eq!(
        rows(&back),
        "{\"n\": [0], \"text\": [\"number 0\"]}\n{\"n\": [1], \"text\": [\"number 1\"]}\n"
    );
    // A 32-bit int becomes a 64-bit one.
    tfxio(["convert", PEOPLE, &back, "--columns", "age"]).ok();
    assert_eq!(rows(&back), "{\"age\": [36]}\n{\"age\": null}\n");
}

#[test]
fn what_tf_example_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "r", "fields": [{"name": "weight", "type": "double"},
        {"name": "ok", "type": "boolean"}]}"#;
    let mut bytes = 0.1_f64.to_le_bytes().to_vec();
    bytes.push(1);
    let file = one(&folder, "a.avro", schema, &bytes);
    let output = path(&folder, "o.tfrecord");
    assert_eq!(
        tfxio(["convert", &file, &output, "--lossless"]).fails(2),
        "error: something would be lost: column \"weight\": 64-bit floats are rounded to 32 bits; leave the columns out, cast \
         them, or allow the losses; on the command line, --exclude A,B, --cast A:TYPE, or no --lossless"
    );
    let run = tfxio(["convert", &file, &output]);
    assert_eq!(
        run.err,
        "note: 64-bit floats are rounded to 32 bits (column \"weight\"; --lossless refuses that)\n"
    );
    assert_eq!(rows(&output), "{\"ok\": [1], \"weight\": [0.1]}\n");
    tfxio(["convert", &file, &output, "--columns", "ok"]).ok();
    assert_eq!(rows(&output), "{\"ok\": [1]}\n");
    assert_eq!(names(&folder), ["a.avro", "o.tfrecord"]);
}

#[test]
fn what_makes_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.parquet");
    let error = tfxio(["convert", PEOPLE, &output]).fails(2);
    assert!(error.contains("com.test.person"), "{error}");
    let run = tfxio(["convert", PEOPLE, &output, "--key", "age.x"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.starts_with("error: key \"age.x\", column 5: "), "{}", run.err);
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    let error = tfxio(["convert", digits, &output, "--key", "age"]).fails(2);
    assert!(error.starts_with("error: neither tfrecord nor parquet has an option \"keys\"; "), "{error}");
    let error = tfxio(["convert", PEOPLE, digits, &output]).fails(2);
    assert_eq!(
        error,
        format!(
            "error: {digits}: the format of the file is tfrecord, and that of {PEOPLE} is avro; convert the files of each \
             format by themselves"
        )
    );
    let damaged = numbers(&folder, "d.avro", 50, Codec::Deflate);
    change(&damaged, |bytes| bytes.truncate(bytes.len() - 3));
    for name in ["o.parquet", "o.avro", "o.tfrecord"] {
        let error = tfxio(["convert", &damaged, &path(&folder, name)]).fails(1);
        assert!(error.contains("the file ends within a block"), "{error}");
    }
    assert_eq!(names(&folder), ["d.avro"], "nothing is left");
}

#[test]
fn sets_of_shards_need_an_ending_or_a_format() {
    let folder = tempfile::tempdir().unwrap();
    let people = "fixtures/avro/people.avro";
    let stated = ["--to", "avro"];
    for (name, args) in [("a@1.avro", &[][..]), ("b@1", &stated), ("c@*.avro", &[]), ("d@*", &stated)] {
        tfxio(["convert", people, &path(&folder, name)].iter().chain(args)).ok();
    }
    for name in ["d@1", "d@*"] {
        let error = tfxio(["convert", people, &path(&folder, name)]).fails(2);
        assert!(
            error.contains("the name of the output does not say its format; end it with one of "),
            "{error}"
        );
    }
    let written = ["a-00000-of-00001.avro", "b-00000-of-00001", "c-00000-of-00001.avro", "d-00000-of-00001"];
    assert_eq!(names(&folder), written);
}
