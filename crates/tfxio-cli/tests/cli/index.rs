//! `tfxio index`: an index beside each file.

use crate::run::{json_lines, names, path, root, tfxio};

#[test]
fn an_index_beside_each_file() {
    let folder = tempfile::tempdir().unwrap();
    for (from, to) in [("six-records.tfrecord", "a.tfrecord"), ("two-members.tfrecord.gz", "b.tfrecord.gz")] {
        std::fs::copy(root().join("fixtures/tfrecord").join(from), folder.path().join(to)).unwrap();
    }
    let pattern = path(&folder, "*");
    let out = tfxio(["index", &pattern]).ok();
    assert_eq!(names(&folder), ["a.tfrecord", "a.tfrecord.tfxi", "b.tfrecord.gz", "b.tfrecord.gz.tfxi"]);
    let inspected = json_lines(&tfxio(["inspect", "--json", &pattern]).ok());
    // Indexes are not taken for data.
    assert_eq!(inspected.len(), 2);
    let rows = out.lines().skip(2).collect::<Vec<_>>();
    assert_eq!(rows.len(), 2);
    for (row, report) in rows.iter().zip(&inspected) {
        let cells = row.split_whitespace().collect::<Vec<_>>();
        assert_eq!(cells[0], format!("{}.tfxi", report["file"].as_str().unwrap()));
        assert_eq!(cells[1], report["records"].to_string());
        assert_eq!(cells[3], format!("{:08x}", report["crc32_of_payloads"].as_u64().unwrap()));
    }
    // Again, over the indexes that are there.
    assert_eq!(tfxio(["index", &pattern]).ok(), out);
}

#[test]
fn a_damaged_file_gets_no_index_and_the_next_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| {
        let to = path(&folder, to);
        std::fs::copy(root().join("fixtures").join(from), &to).unwrap();
        to
    };
    let broken = copy("damaged/bit-in-length.tfrecord", "a.tfrecord");
    let good = copy("tfrecord/six-records.tfrecord", "b.tfrecord");
    let run = tfxio(["index", &broken, &good]);
    assert_eq!(run.code, 1);
    assert!(run.err.starts_with(&format!("error: {broken}, byte 158, record 2: ")), "{}", run.err);
    assert_eq!(names(&folder), ["a.tfrecord", "b.tfrecord", "b.tfrecord.tfxi"]);
}
