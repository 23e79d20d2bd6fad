//! Files to which something was appended: other files, or bytes that belong to none.

use serde_json::json;
use tfxio::avro_path::container::Codec;

use crate::avro::numbers;
use crate::run::{json_lines, path, tfxio};

/// Appends bytes to a file. Returns its size before.
fn append(file: &str, bytes: &[u8]) -> u64 {
    let mut all = std::fs::read(file).unwrap();
    let before = all.len() as u64;
    all.extend_from_slice(bytes);
    std::fs::write(file, all).unwrap();
    before
}

#[test]
fn an_avro_file_after_another_is_named_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    for codec in [Codec::Null, Codec::Deflate] {
        let (file, other) =
            (numbers(&folder, "a.avro", 25, codec), numbers(&folder, "b.avro", 12, Codec::Null));
        let mut second = std::fs::read(&other).unwrap();
        // With another marker than the first.
        let marker = b"a marker of rows";
        while let Some(at) = second.windows(16).position(|window| window == marker) {
            second[at..at + 16].copy_from_slice(b"another of a row");
        }
        let at = append(&file, &second);
        for args in [
            &["head", "-n", "100", &file][..],
            &["verify", &file],
            &["convert", &file, &path(&folder, "o.csv")],
        ] {
            let run = tfxio(args);
            assert_ne!(run.code, 0, "{args:?}");
            let said = run.out + &run.err;
            assert!(
                said.contains("here another Avro file begins") && said.contains("repair"),
                "{args:?}: {said}"
            );
            assert!(said.contains(&at.to_string()), "{said}");
        }
        let output = path(&folder, "good.avro");
        let out = tfxio(["repair", &file, &output]).ok();
        assert!(out.starts_with(&format!("{file}: 37 good records, 1 damaged range, ")), "{out}");
        assert!(out.contains("another_file: another Avro file begins here; its records follow"), "{out}");
        let report = json_lines(&tfxio(["inspect", "--json", &output]).ok()).remove(0);
        assert_eq!(report["records"], json!(37));
        tfxio(["verify", &output]).ok();
        // What skips damage reads them, too, and says what it passed over.
        let run = tfxio(["head", "-n", "100", "--format", "json", "--on-error", "skip", &file]);
        assert_eq!(json_lines(&run.out).len(), 37, "{}", run.err);
        assert!(run.err.contains("another Avro file begins here"), "{}", run.err);
    }
}

#[test]
fn bytes_after_compressed_records_are_no_corrupt_compression() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["tfrecord.gz", "tfrecord.zlib"] {
        let (file, output) = (path(&folder, &format!("a.{ending}")), path(&folder, "good.tfrecord"));
        tfxio(["convert", "fixtures/tfrecord/six-records.tfrecord", &file]).ok();
        let at = append(&file, b"some garbage");
        let out = tfxio(["repair", &file, &output]).ok();
        assert!(
            out.starts_with(&format!(
                "{file}: 6 good records, 1 damaged range, 0 bytes lost and 12 compressed bytes\n"
            )),
            "{out}"
        );
        assert!(out.contains("trailing_bytes: bytes that are not compressed data follow the end"), "{out}");
        assert!(!out.contains("corrupt"), "{out}");
        let lost = json_lines(&tfxio(["repair", "--json", &file, &output]).ok()).remove(0);
        assert_eq!(
            (&lost["start"], &lost["bytes"], &lost["compressed"], &lost["reason"]),
            (&json!(at), &json!(12), &json!(true), &json!("trailing_bytes"))
        );
    }
}

#[test]
fn bytes_after_compressed_text_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for (name, from) in
        [("a.csv.gz", "fixtures/text/people.csv"), ("a.jsonl.gz", "fixtures/text/people.jsonl")]
    {
        let file = path(&folder, name);
        tfxio(["convert", from, &file]).ok();
        let at = append(&file, b"some garbage");
        let run = tfxio(["head", &file]);
        let error = run.err;
        assert_eq!(run.code, 1, "{error}");
        assert!(error.contains("bytes that are not gzip data follow the end of the gzip data"), "{error}");
        let run = tfxio(["head", "--format", "json", "--on-error", "skip", &file]);
        assert_eq!(json_lines(&run.out).len(), 3, "{}", run.err);
        assert!(run.err.contains("bytes that are not gzip data follow"), "{}", run.err);
        assert!(
            run.err.contains(&format!("{at}")) && run.err.contains(&format!("{}", at + 12)),
            "{}",
            run.err
        );
    }
}
