//! `tfxio repair`: what is whole is kept, what is lost is reported.

use serde_json::json;

use crate::run::{json_lines, names, path, root, tfxio};

#[test]
fn the_report_says_what_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "good.tfrecord");
    let out = tfxio(["repair", "fixtures/damaged/bit-in-length.tfrecord", &output]).ok();
    assert_eq!(
        out,
        "\
fixtures/damaged/bit-in-length.tfrecord: 5 good records, 1 damaged range, 127 bytes lost
from byte  to byte  bytes  good records before  lost records  reason
─────────  ───────  ─────  ───────────────────  ────────────  ──────────────────────────────────
      158      285    127                    2  unknown       header_crc: checksum of the length
"
    );
    let out = tfxio(["repair", "--json", "fixtures/damaged/bit-in-length.tfrecord", &output]).ok();
    assert_eq!(
        json_lines(&out),
        [json!({
            "file": "fixtures/damaged/bit-in-length.tfrecord", "start": 158, "end": 285, "bytes": 127,
            "compressed": false, "records_before": 2, "last_good_record": 1, "last_good_offset": 63, "lost_records": null,
            "reason": "header_crc", "detail": "checksum of the length",
        })]
    );
}

#[test]
fn a_whole_file_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "same.tfrecord");
    let out = tfxio(["repair", "fixtures/tfrecord/six-records.tfrecord", &output]).ok();
    assert_eq!(out, "fixtures/tfrecord/six-records.tfrecord: 6 good records, nothing lost\n");
    let original = std::fs::read(root().join("fixtures/tfrecord/six-records.tfrecord")).unwrap();
    assert_eq!(std::fs::read(&output).unwrap(), original);
}

#[test]
fn the_name_of_the_output_says_the_compression() {
    let folder = tempfile::tempdir().unwrap();
    for (name, compression) in [("a.tfrecord.gz", "gzip"), ("a.tfrecord.zlib", "zlib"), ("a", "none")] {
        let output = path(&folder, name);
        tfxio(["repair", "fixtures/damaged/bit-in-payload.tfrecord", &output]).ok();
        let report = json_lines(&tfxio(["inspect", "--json", &output]).ok());
        assert_eq!(report[0]["compression"], compression);
    }
}

#[test]
fn a_name_of_another_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["o.parquet", "o.avro", "o.arrow", "o.csv", "o.json", "o.JSON", "o.csv.gz"] {
        let output = path(&folder, name);
        let error = tfxio(["repair", "fixtures/damaged/bit-in-payload.tfrecord", &output]).fails(2);
        assert!(error.starts_with(&format!("error: {output}: the name says another format")), "{error}");
        assert!(error.contains("end it with .tfrecord, "), "{error}");
    }
    assert!(names(&folder).is_empty());
}

#[test]
fn the_damaged_file_is_never_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    std::fs::copy(root().join("fixtures/damaged/bit-in-payload.tfrecord"), &file).unwrap();
    let before = std::fs::read(&file).unwrap();
    let error = tfxio(["repair", &file, &file]).fails(2);
    assert_eq!(error, format!("error: {file}: the output is one of the inputs; write to another name"));
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(names(&folder), ["a.tfrecord"]);
}
