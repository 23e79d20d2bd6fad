//! `tfxio head`: tables and JSON.

use serde_json::json;

use crate::run::{json_lines, path, tfxio};

const DIGITS: &str = "fixtures/digits/digits-00000-of-00003.tfrecord";

#[test]
fn a_table() {
    assert_eq!(
        tfxio(["head", DIGITS, "-n", "3"]).ok(),
        "\
id            image                                         label
────────────  ────────────────────────────────────────────  ─────
\"digit-0000\"  [0.0, 0.0, 5.0, 13.0, 9.0, 1.0, … 64 values]      0
\"digit-0001\"  [0.0, 0.0, 0.0, 12.0, 13.0, … 64 values]          1
\"digit-0002\"  [0.0, 0.0, 0.0, 4.0, 15.0, … 64 values]           2
"
    );
}

#[test]
fn ten_rows_unless_told_otherwise() {
    assert_eq!(tfxio(["head", DIGITS]).ok().lines().count(), 12);
    assert_eq!(tfxio(["head", DIGITS, "-n", "0"]).ok(), "");
    assert_eq!(tfxio(["head", "fixtures/tfrecord/empty.tfrecord"]).ok(), "0 records\n");
}

#[test]
fn columns_in_the_order_asked_for() {
    let out = tfxio(["head", DIGITS, "-n", "1", "--columns", "label,id"]).ok();
    assert_eq!(out, "label  id\n─────  ────────────\n    0  \"digit-0000\"\n");
}

#[test]
fn json_is_the_same_for_every_compression() {
    let rows = |folder: &str| {
        let file = format!("fixtures/{folder}/digits-00000-of-00003.tfrecord");
        tfxio(["head", &file, "-n", "599", "--format", "json"]).ok()
    };
    let plain = rows("digits");
    assert_eq!((rows("digits-gzip"), rows("digits-zlib")), (plain.clone(), plain.clone()));
    let rows = json_lines(&plain);
    assert_eq!(rows.len(), 599);
    assert_eq!(rows[598]["label"], json!([rows[598]["label"][0].as_u64().unwrap()]));
    assert_eq!(rows[598]["id"], json!(["digit-0598"]));
    assert_eq!(rows[0]["image"].as_array().unwrap().len(), 64);
    assert_eq!(rows[0]["image"][3], json!(13.0));
}

#[test]
fn a_pattern_goes_through_its_files() {
    let out = tfxio(["head", "fixtures/digits/digits@3.tfrecord", "-n", "600", "--format", "json"]).ok();
    assert_eq!(json_lines(&out)[599]["id"], json!(["digit-0599"]));
}

#[test]
fn absent_empty_bytes_and_what_json_does_not_have() {
    // features: a = [1], absent; b = [], ["\xff"]; f = absent, [NaN, inf]
    let records: [&[u8]; 2] = [
        b"\x0a\x15\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x01\x0a\x07\x0a\x01b\x12\x02\x0a\x00",
        b"\x0a\x1f\x0a\x0a\x0a\x01b\x12\x05\x0a\x03\x0a\x01\xff\
          \x0a\x11\x0a\x01f\x12\x0c\x12\x0a\x0a\x08\x00\x00\xc0\x7f\x00\x00\x80\x7f",
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "odd.tfrecord");
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&file).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
    let rows = json_lines(&tfxio(["head", &file, "--format", "json"]).ok());
    assert_eq!(rows[0], json!({"a": [1], "b": [], "f": null}));
    assert_eq!(rows[1], json!({"a": null, "b": [{"base64": "/w=="}], "f": ["NaN", "Infinity"]}));
    assert_eq!(
        tfxio(["head", &file]).ok(),
        "   a  b     f\n────  ────  ───────────────\n   1  []    null\nnull  0xff  [NaN, Infinity]\n"
    );
}

#[test]
fn an_unknown_column_is_named() {
    let error = tfxio(["head", DIGITS, "--columns", "lable"]).fails(2);
    assert_eq!(
        error,
        "error: there is no column \"lable\"; did you mean \"label\"? (in the first 10 records)"
    );
}

#[test]
fn records_that_are_no_examples() {
    let error = tfxio(["head", "fixtures/tfrecord/six-records.tfrecord"]).fails(1);
    assert!(
        error.starts_with(
            "error: fixtures/tfrecord/six-records.tfrecord, byte 0, record 0, byte of the record "
        ),
        "{error}"
    );
    assert!(error.contains("the record is not a tf.Example: "), "{error}");
    let proto = if cfg!(feature = "proto") { ", `--as proto`" } else { "" };
    let end = "if the records hold something else, state their format: `--as example`, `--as sequence_example`, `--as raw`";
    assert!(error.ends_with(&format!("{end}{proto}")), "{error}");
}
