//! `--on-error skip` and `repair` on Avro files with records that cannot be decoded.

use tfxio::avro_path::container::Codec;

use super::{change, find, numbers};
use crate::run::{json_lines, names, path, tfxio};

/// Thirty numbers of which the text of one is not UTF-8.
fn damaged(folder: &tempfile::TempDir) -> String {
    let file = numbers(folder, "a.avro", 30, Codec::Null);
    change(&file, |bytes| {
        let at = find(bytes, b"number 23");
        bytes[at] = 0xff;
    });
    file
}

#[test]
fn convert_and_head_leave_it_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = damaged(&folder);
    for output in ["b.parquet", "b.avro", "b.arrow"] {
        let output = path(&folder, output);
        let run = tfxio(["convert", &file, &output, "--on-error", "skip"]);
        let lines = run.err.lines().collect::<Vec<_>>();
        assert_eq!((run.code, run.out.as_str(), lines.len()), (0, "", 2), "{}", run.err);
        assert!(lines[0].starts_with(&format!("{file}, bytes ")), "{}", lines[0]);
        let ending = ": 1 record skipped (records: record 3 of the block, at text: a string of 9 bytes is not UTF-8 \
                      from its byte 0)";
        assert!(lines[0].ends_with(ending), "{}", lines[0]);
        assert_eq!(lines[1], "skipped 1 damaged range: 1 record, 11 bytes");
    }
    let rows = json_lines(&tfxio(["head", &path(&folder, "b.avro"), "-n", "99", "--format", "json"]).ok());
    assert_eq!(rows.len(), 29);
    let run = tfxio(["head", &file, "-n", "99", "--format", "json", "--on-error", "skip"]);
    assert_eq!((run.code, json_lines(&run.out)), (0, rows), "{}", run.err);
    assert!(run.err.contains("skipped 1 damaged range"), "{}", run.err);
    let run = tfxio(["head", &file, "-n", "99", "--on-error", "skip", "--max-skipped", "0"]);
    assert_eq!(run.code, 1, "{}", run.err);
}

#[test]
fn head_fails_where_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let file = damaged(&folder);
    let mut bytes = std::fs::read(&file).unwrap();
    // The header ends with the marker that ends the file, too. Of the first block, only the beginning is left.
    let marker = bytes[bytes.len() - 16..].to_vec();
    let header = bytes.windows(16).position(|window| window == marker).unwrap() + 16;
    bytes.truncate(header + 9);
    std::fs::write(&file, bytes).unwrap();
    let run = tfxio(["head", &file, "--format", "json", "--on-error", "skip"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{}", run.err);
    let (report, end) = run.err.split_once("skipped 1 damaged range: ").unwrap();
    assert!(report.starts_with(&file), "{}", run.err);
    assert!(end.ends_with("\nerror: everything was damaged and skipped: there is no record\n"), "{end}");
}

#[test]
fn what_is_repaired_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = damaged(&folder);
    let output = path(&folder, "b.avro");
    let out = tfxio(["repair", &file, &output]).ok();
    assert!(out.starts_with(&format!("{file}: 29 good records, 1 damaged range, 11 bytes lost\n")), "{out}");
    assert!(
        out.contains("                   23             1  records: record 3 of the block, at text: "),
        "{out}"
    );
    assert_eq!(tfxio(["head", &output, "-n", "99", "--format", "json"]).ok().lines().count(), 29);
    let damage = json_lines(&tfxio(["repair", "--json", &file, &output]).ok()).remove(0);
    assert!(damage["detail"].as_str().unwrap().contains("not UTF-8"), "{damage}");
}

#[test]
fn a_damaged_marker_in_the_header_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 50, Codec::Deflate);
    change(&file, |bytes| {
        let at = find(bytes, b"a marker of rows");
        bytes[at] ^= 1;
    });
    let run = tfxio(["convert", &file, &path(&folder, "b.arrow")]);
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("the sync marker in the file's header is damaged: the blocks end with another one"),
        "{}",
        run.err
    );
    assert!(run.err.contains(&format!("tfxio repair {file} OUT")), "{}", run.err);
    let output = path(&folder, "b.avro");
    let out = tfxio(["repair", &file, &output]).ok();
    assert!(out.starts_with(&format!("{file}: 50 good records, 1 damaged range, ")), "{out}");
    assert_eq!(tfxio(["head", &output, "-n", "99", "--format", "json"]).ok().lines().count(), 50);
}

#[test]
fn a_repair_that_keeps_nothing_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 5, Codec::Null);
    change(&file, |bytes| {
        let marker = b"a marker of rows";
        let at = find(bytes, marker) + marker.len();
        bytes.truncate(at + 20);
    });
    let output = path(&folder, "b.avro");
    let run = tfxio(["repair", &file, &output]);
    assert_eq!(run.code, 1);
    assert!(run.out.starts_with(&format!("{file}: 0 good records, 1 damaged range, ")), "{}", run.out);
    assert_eq!(run.err, format!("error: nothing could be kept, and {output} was not written\n"));
    assert_eq!(names(&folder), ["a.avro"]);
    // A file that has no records loses none.
    let empty = numbers(&folder, "empty.avro", 0, Codec::Null);
    assert_eq!(tfxio(["repair", &empty, &output]).ok(), format!("{empty}: 0 good records, nothing lost\n"));
}
