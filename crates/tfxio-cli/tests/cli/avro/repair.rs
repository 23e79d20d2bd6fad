//! `tfxio repair`: schema, codec and metadata stay, and every record that is whole.

use serde_json::json;
use tfxio::avro_path::container::Codec;

use super::{PEOPLE, change, find, numbers};
use crate::run::{json_lines, names, path, tfxio};

#[test]
fn what_is_whole_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    for codec in [Codec::Null, Codec::Deflate] {
        let file = numbers(&folder, "a.avro", 50, codec);
        change(&file, |bytes| {
            // The head of the third block, behind the header's marker and those of two blocks.
            let marker = b"a marker of rows";
            let mut at = 0;
            for _ in 0..3 {
                at += find(&bytes[at..], marker) + marker.len();
            }
            bytes[at + 1] = 0xff;
        });
        let output = path(&folder, "good.avro");
        let out = tfxio(["repair", &file, &output]).ok();
        assert!(out.starts_with(&format!("{file}: 40 good records, 1 damaged range, ")), "{out}");
        assert!(out.ends_with("                   20  unknown       frame\n"), "{out}");
        let report = json_lines(&tfxio(["inspect", "--json", &output]).ok()).remove(0);
        assert_eq!((&report["records"], &report["codec"]), (&json!(40), &json!(codec.name())));
        assert_eq!(report["metadata"], json!({"by": "a test"}));
        let out = tfxio(["repair", "--json", &file, &output]).ok();
        let damage = json_lines(&out).remove(0);
        assert_eq!((&damage["records_before"], &damage["reason"]), (&json!(20), &json!("frame")));
        assert_eq!(damage["lost_records"], json!(null));
    }
    assert_eq!(names(&folder), ["a.avro", "good.avro"]);
}

#[test]
fn a_whole_file_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "same.avro");
    assert_eq!(tfxio(["repair", PEOPLE, &output]).ok(), format!("{PEOPLE}: 2 good records, nothing lost\n"));
    let rows = |file: &str| tfxio(["head", file, "--format", "json", "--max-depth", "4"]).ok();
    assert_eq!(rows(&output), rows(PEOPLE));
}

#[test]
fn outputs_that_make_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let error = tfxio(["repair", PEOPLE, &path(&folder, "o.tfrecord")]).fails(2);
    assert_eq!(
        error,
        format!(
            "error: {}: the name says another format than avro, which repair keeps; end it with .avro, and convert the \
             repaired file",
            path(&folder, "o.tfrecord")
        )
    );
    let file = numbers(&folder, "a.avro", 3, Codec::Null);
    let error = tfxio(["repair", &file, &file]).fails(2);
    assert_eq!(error, format!("error: {file}: the output is one of the inputs; write to another name"));
    let error = tfxio(["repair", PEOPLE, &path(&folder, "no/o.avro")]).fails(3);
    assert!(
        error.contains("creating the file failed: the directory ") && error.contains("does not exist"),
        "{error}"
    );
    assert_eq!(names(&folder), ["a.avro"]);
}
