//! Records with wrong checksums, read with `--verify none`.

use crate::run::{path, tfxio};

/// A file of records whose checksums are zeros.
fn written(folder: &tempfile::TempDir) -> String {
    let mut bytes = Vec::new();
    for id in 0..3u8 {
        // An example with the feature `id`.
        let payload =
            [0x0a, 0x0d, 0x0a, 0x0b, 0x0a, 0x02, b'i', b'd', 0x12, 0x05, 0x1a, 0x03, 0x0a, 0x01, id];
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(payload);
        bytes.extend([0; 4]);
    }
    let path = path(folder, "a.tfrecord");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn every_command_reads_records_without_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&folder);
    let record = format!("{file}@2");
    let (output, rows) = (path(&folder, "o.jsonl"), "{\"id\":[0]}\n{\"id\":[1]}\n{\"id\":[2]}\n");
    for (args, expected) in [
        (&["head", &file, "--format", "json"][..], rows),
        (&["tail", &file, "--format", "json"], rows),
        (&["sample", &file, "--format", "json", "--seed", "1"], rows),
        (&["show", &record], "id  2"),
        (&["inspect", &file], " 3 "),
        (&["verify", &file], " 3  ok"),
        (&["schema", &file], "3 records of 1 file"),
        (&["stats", &file], "3 records, 1 column"),
        (&["convert", &file, &output], ""),
        (&["head", &file, "--where", "id > 0", "--format", "json"], "{\"id\":[1]}\n{\"id\":[2]}\n"),
        (&["index", &file], " 3 "),
        (&["show", &record], "id  2"),
    ] {
        let run = tfxio(args.iter().copied().chain(["--verify", "none"]));
        let text = format!("{}{}", run.out.replace(": ", ":"), run.err);
        assert!(run.code == 0 && text.contains(expected), "{args:?}: {} {text}", run.code);
    }
    assert_eq!(std::fs::read_to_string(&output).unwrap().replace(": ", ":"), rows);
    // Where checksums are compared, they are wrong.
    let error = tfxio(["head", &path(&folder, "a.tfrecord")]).fails(1);
    assert!(error.contains("checksum"), "{error}");
}
