//! `tfxio verify`: checksums, records, indexes and earlier reports.

use serde_json::json;

use crate::run::{json_lines, path, root, tfxio};

const FIRST: &str = "fixtures/digits/digits-00000-of-00003.tfrecord";

#[test]
fn whole_files_of_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = vec![FIRST.to_owned()];
    for name in ["a.tfrecord.gz", "a.avro", "a.parquet", "a.arrow"] {
        let file = path(&folder, name);
        tfxio(["convert", FIRST, &file]).ok();
        files.push(file);
    }
    let rows =
        json_lines(&tfxio(["verify", "--json"].into_iter().chain(files.iter().map(|file| &**file))).ok());
    for ((file, row), format) in
        files.iter().zip(&rows).zip(["tfrecord", "tfrecord", "avro", "parquet", "arrow"])
    {
        assert_eq!(
            row,
            &json!({"file": file, "format": format, "records": 599, "state": "ok", "errors": []})
        );
    }
    assert_eq!(rows.len(), 5);
    let out = tfxio(["verify", FIRST]).ok();
    assert!(out.ends_with("  tfrecord      599  ok\n"), "{out}");
}

#[test]
fn other_values_of_the_same_size_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let (rows, report) = (path(&folder, "rows.csv"), path(&folder, "report.json"));
    for name in ["a.csv", "a.csv.gz", "a.jsonl", "a.arrow", "a.arrows", "a.parquet"] {
        let file = path(&folder, name);
        let write = |value: &str| {
            std::fs::write(&rows, format!("n,m\n1,5\n{value},6\n")).unwrap();
            tfxio(["convert", &rows, &file]).ok();
        };
        write("21");
        let inspected = tfxio(["inspect", "--format", "json", &file]).ok();
        assert!(json_lines(&inspected)[0]["crc32_of_file"].is_u64(), "{inspected}");
        assert!(!tfxio(["inspect", &file]).ok().contains("CRC-32"));
        std::fs::write(&report, inspected).unwrap();
        tfxio(["verify", &file, "--against", &report]).ok();
        write("22");
        let run = tfxio(["verify", &file, "--against", &report]);
        assert!(run.code == 1 && run.err.contains(": crc32_of_file is "), "{name}: {}{}", run.out, run.err);
        assert!(run.out.contains("not as reported"), "{}", run.out);
    }
}

#[test]
fn every_damaged_fixture_is_found() {
    let text = std::fs::read_to_string(root().join("fixtures/damaged/manifest.jsonl")).unwrap();
    let mut files = 0;
    for case in json_lines(&text) {
        let file = format!("fixtures/damaged/{}", case["file"].as_str().unwrap());
        let inspected = tfxio(["inspect", &file, "--as", "tfrecord"]).code;
        let run = tfxio(["verify", &file, "--as", "raw", "--format", "json"]);
        assert_eq!(run.code, inspected, "{file}: {} {}", run.out, run.err);
        files += 1;
    }
    assert!(files > 30, "{files}");
    let run = tfxio(["verify", "fixtures/damaged/bit-in-payload.tfrecord", FIRST, "--as", "raw"]);
    assert_eq!(run.code, 1);
    assert!(run.err.starts_with("error: fixtures/damaged/bit-in-payload.tfrecord, byte "), "{}", run.err);
    assert!(run.out.contains("damaged\n") && run.out.ends_with("599  ok\n"), "{}", run.out);
}

#[test]
fn damage_that_checksums_do_not_show() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&file).unwrap();
    // An example, and one that ends within its feature.
    writer.write(b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x01").unwrap();
    writer.write(b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a").unwrap();
    writer.finish().unwrap();
    tfxio(["inspect", &file]).ok();
    let run = tfxio(["verify", &file]);
    assert!(
        run.code == 1 && run.err.contains(", byte 30, record 1, byte of the record "),
        "{} {}",
        run.code,
        run.err
    );
    assert!(tfxio(["verify", &file, "--as", "raw"]).ok().ends_with("2  ok\n"));

    // A page of a Parquet file, where pages have checksums or values that do not decode.
    let parquet = path(&folder, "a.parquet");
    tfxio(["convert", FIRST, &parquet]).ok();
    let whole = std::fs::read(&parquet).unwrap();
    let mut found = 0;
    for at in (4..whole.len() / 2).step_by(997) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&parquet, bytes).unwrap();
        let run = tfxio(["verify", &parquet]);
        assert!(run.code <= 1, "{}", run.err);
        if run.code == 1 {
            assert!(run.err.contains("a.parquet, byte "), "{}", run.err);
            found += 1;
        }
    }
    assert!(found > 0);
}

#[test]
fn an_index_and_a_report_of_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, report) = (path(&folder, "a.tfrecord"), path(&folder, "report.jsonl"));
    std::fs::copy(root().join(FIRST), &file).unwrap();
    std::fs::write(&report, tfxio(["inspect", &file, "--json"]).ok()).unwrap();
    tfxio(["index", &file]).ok();
    tfxio(["verify", &file, "--against", &report]).ok();
    // The same in another folder.
    std::fs::create_dir(folder.path().join("moved")).unwrap();
    let moved = path(&folder, "moved/a.tfrecord");
    std::fs::copy(&file, &moved).unwrap();
    tfxio(["verify", &moved, "--against", &report]).ok();

    std::fs::copy(root().join("fixtures/digits/digits-00001-of-00003.tfrecord"), &file).unwrap();
    let run = tfxio(["verify", &file, "--against", &report]);
    assert!(run.code == 1 && run.out.ends_with("not as indexed\n"), "{} {}", run.out, run.err);
    assert!(run.err.contains("the file has other records than those that were indexed"), "{}", run.err);
    let run = tfxio(["verify", &file, "--no-index", "--against", &report]);
    assert!(run.code == 1 && run.out.ends_with("not as reported\n"), "{} {}", run.out, run.err);
    assert_eq!(
        run.err,
        format!(
            "error: {file}: crc32_of_payloads is 2480737883, and was 3313889287 when {report} was made\n"
        )
    );
    let run = tfxio(["verify", FIRST, "--against", &report]);
    assert!(run.err.ends_with("says nothing of this file\n") && run.code == 1, "{}", run.err);
    for (text, says) in
        [("{]", "line 1 of the report is not what"), ("{\"a\": 1}", "it has no file"), ("[1]", "line 1")]
    {
        std::fs::write(&report, text).unwrap();
        let error = tfxio(["verify", FIRST, "--against", &report]).fails(2);
        assert!(error.contains(says), "{error}");
    }
    assert_eq!(tfxio(["verify", FIRST, "--against", "nothing.jsonl"]).code, 3);
    assert_eq!(tfxio(["verify", "nothing.tfrecord"]).code, 3);
}
