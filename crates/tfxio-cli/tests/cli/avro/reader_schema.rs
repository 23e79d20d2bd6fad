//! `--reader-schema`: files of several schemas as one data set.

use tfxio::avro_path::container::Codec;

use super::{numbers, one};
use crate::run::{json_lines, names, path, tfxio};

/// Two files, `n` an int in the first and a long in the second, and a schema that fits both.
fn set(folder: &tempfile::TempDir) -> (String, String) {
    let schema = |ty: &str, more: &str| {
        format!(r#"{{"type": "record", "name": "row", "fields": [{{"name": "n", "type": "{ty}"}}{more}]}}"#)
    };
    one(folder, "set-0.avro", &schema("long", ""), &[14]);
    one(folder, "set-1.avro", &schema("int", ""), &[16]);
    let file = path(folder, "wanted.avsc");
    let more = r#", {"name": "more", "type": "string", "default": "none"}"#;
    std::fs::write(&file, schema("double", more)).unwrap();
    (path(folder, "set-*.avro"), file)
}

#[test]
fn every_command_reads_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (files, schema) = set(&folder);
    let read = ["--reader-schema", &schema];
    let out = tfxio(["avro-path", &files, "n", "more", "--format", "json", read[0], read[1]]).ok();
    assert_eq!(out, "{\"n\": 7.0, \"more\": \"none\"}\n{\"n\": 8.0, \"more\": \"none\"}\n");
    let out = tfxio(["avro-path", &files, "n", "--types", read[0], read[1]]).ok();
    assert_eq!(out, "n: float64\n");
    let out = tfxio(["head", &files, "--format", "json", read[0], read[1]]).ok();
    assert_eq!(out, "{\"n\": 7.0, \"more\": \"none\"}\n{\"n\": 8.0, \"more\": \"none\"}\n");
    let specs = path(&folder, "specs.json");
    std::fs::write(&specs, r#"{"n": {"kind": "FixedLen", "shape": [], "dtype": "float64"}}"#).unwrap();
    let out = tfxio(["tensors", &files, "--features", &specs, read[0], read[1]]).ok();
    assert_eq!(out.lines().skip(1).map(str::trim).collect::<Vec<_>>(), ["0  7.0", "1  8.0"], "{out}");
    for output in ["out.avro", "out.parquet"] {
        let output = path(&folder, output);
        tfxio(["convert", &files, &output, read[0], read[1]]).ok();
        if output.ends_with(".avro") {
            let rows = json_lines(&tfxio(["head", &output, "--format", "json"]).ok());
            assert_eq!(rows[1]["more"], "none");
        }
    }
}

#[test]
fn without_it_several_files_have_the_schema_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let (files, _) = set(&folder);
    assert_eq!(tfxio(["avro-path", &files, "n", "--types"]).ok(), "n: int64\n");
    assert_eq!(tfxio(["avro-path", &files, "n", "--format", "json"]).ok(), "{\"n\": 7}\n{\"n\": 8}\n");
    assert_eq!(tfxio(["avro-path", &files, "n"]).ok(), "n\n─\n7\n8\n");
}

#[test]
fn schemas_that_make_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 3, Codec::Null);
    let missing = path(&folder, "no.avsc");
    let error = tfxio(["head", &file, "--reader-schema", &missing]).fails(3);
    assert!(error.starts_with(&format!("error: {missing}: opening the file failed: ")), "{error}");
    let schema = path(&folder, "bad.avsc");
    std::fs::write(&schema, r#"{"type": "strin"}"#).unwrap();
    let error = tfxio(["avro-path", &file, "n", "--reader-schema", &schema]).fails(1);
    assert!(error.starts_with(&format!("error: {schema}: this is not an Avro schema: ")), "{error}");
    let other = path(&folder, "other.avsc");
    std::fs::write(&other, r#"{"type": "record", "name": "row", "fields": [{"name": "z", "type": "int"}]}"#)
        .unwrap();
    for args in [&["head", &file][..], &["avro-path", &file, "z"], &["convert", &file, "out.avro"]] {
        let error = tfxio([args, &["--reader-schema", &other]].concat()).fails(1);
        assert!(error.contains("was written without the field \"z\", which has no default"), "{error}");
    }
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    let error = tfxio(["head", digits, "--reader-schema", &other]).fails(2);
    assert!(error.starts_with("error: the format tfrecord has no option \"reader_schema\"; "), "{error}");
    assert_eq!(names(&folder), ["a.avro", "bad.avsc", "other.avsc"]);
}
