//! `tfxio inspect`: what it counts, and that it goes on.

use serde_json::json;

use crate::run::{json_lines, path, root, tfxio};

#[test]
fn json_says_what_the_manifest_says() {
    let manifest = std::fs::read_to_string(root().join("fixtures/tfrecord/manifest.jsonl")).unwrap();
    for known in json_lines(&manifest) {
        let file = format!("fixtures/tfrecord/{}", known["file"].as_str().unwrap());
        let mut reports = json_lines(&tfxio(["inspect", "--json", &file]).ok());
        // The manifest does not say the longest payload.
        let longest = reports[0].as_object_mut().unwrap().remove("longest").unwrap();
        assert!(longest.as_u64() <= known["payload_bytes"].as_u64(), "{longest}");
        let expected = json!({
            "file": file,
            "format": "tfrecord",
            "compression": known["compression"].as_str().unwrap_or("none"),
            "records": known["records"],
            "payload_bytes": known["payload_bytes"],
            "crc32_of_payloads": known["crc32_of_payloads"],
            "errors": [],
        });
        assert_eq!(reports, [expected]);
    }
}

#[test]
fn a_table_for_people() {
    let out =
        tfxio(["inspect", "fixtures/digits/digits@3.tfrecord", "fixtures/tfrecord/empty.tfrecord.gz"]).ok();
    assert_eq!(
        out,
        "\
file                                            compression  records  payload bytes  longest  CRC-32    state
──────────────────────────────────────────────  ───────────  ───────  ─────────────  ───────  ────────  ─────
fixtures/digits/digits-00000-of-00003.tfrecord  none             599        189,284      316  c585f007  ok
fixtures/digits/digits-00001-of-00003.tfrecord  none             599        189,284      316  93dd0e5b  ok
fixtures/digits/digits-00002-of-00003.tfrecord  none             599        189,284      316  1358b87b  ok
fixtures/tfrecord/empty.tfrecord.gz             gzip               0              0        0  00000000  ok
4 files                                                        1,797        567,852      316
"
    );
}

#[test]
fn goes_on_after_damage_and_after_a_missing_file() {
    let files = [
        "fixtures/damaged/bit-in-payload.tfrecord",
        "fixtures/no-such-file.tfrecord",
        "fixtures/damaged/parquet.tfrecord",
        "fixtures/tfrecord/six-records.tfrecord",
    ];
    let run = tfxio(["inspect", "--json"].iter().chain(&files));
    assert_eq!(run.code, 3);
    let reports = json_lines(&run.out);
    let of = |index: usize| (&reports[index]["records"], reports[index]["errors"].as_array().unwrap().len());
    assert_eq!(reports.len(), 3);
    assert_eq!(of(0), (&json!(5), 1));
    assert_eq!(of(1), (&json!(null), 1));
    assert_eq!(of(2), (&json!(6), 0));
    assert_eq!(reports[1]["format"], json!(null));
    assert_eq!(
        run.err,
        "error: fixtures/no-such-file.tfrecord: opening the file failed: no such file; check the path\n"
    );
}

#[test]
fn damage_is_said_on_standard_error() {
    let run = tfxio(["inspect", "fixtures/damaged/bit-in-payload.tfrecord"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("damaged\n"));
    assert_eq!(
        run.err,
        "error: fixtures/damaged/bit-in-payload.tfrecord, byte 158, record 2: the checksum of the record's payload \
         (111 bytes) does not match: the payload is damaged; copy the file again, or salvage the other records. To keep \
         the records that are whole: tfxio repair fixtures/damaged/bit-in-payload.tfrecord OUT\n"
    );
}

#[test]
fn files_with_footers_say_their_groups_and_columns() {
    let folder = tempfile::tempdir().unwrap();
    for (name, groups, compression) in [("d.parquet", "row_groups", "zstd"), ("d.arrow", "batches", "none")] {
        let file = path(&folder, name);
        tfxio(["convert", "fixtures/digits/digits-00000-of-00003.tfrecord", &file]).ok();
        let mut report = json_lines(&tfxio(["inspect", "--json", &file]).ok()).remove(0);
        assert!(report.as_object_mut().unwrap().remove("bytes").unwrap().as_u64() > Some(10_000));
        assert!(report.as_object_mut().unwrap().remove("crc32_of_file").unwrap().is_u64());
        let expected = json!({
            "file": file,
            "format": name.trim_start_matches("d."),
            "compression": compression,
            groups: 1,
            "rows": 599,
            "columns": {
                "id": "LargeList(LargeBinary)", "image": "LargeList(Float32)", "label": "LargeList(Int64)"
            },
            "errors": [],
        });
        assert_eq!(report, expected);
        let table = tfxio(["inspect", &file, &file]).ok();
        let title = groups.replace('_', " ");
        assert!(table.starts_with("file ") && table.contains(&format!("  {title}  ")), "{table}");
        assert!(table.contains("  id, image, label  ok\n") && table.contains("1,198"), "{table}");

        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        let run = tfxio(["inspect", &file]);
        assert_eq!(run.code, 1);
        assert!(
            run.out.contains("not read") && run.err.starts_with(&format!("error: {file}: ")),
            "{}",
            run.err
        );
    }
}
