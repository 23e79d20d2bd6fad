//! Arrow files and streams of before Arrow 1.0, through the commands that read them.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::MetadataVersion;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

#[cfg(unix)]
use crate::run::piped;
use crate::run::{json_lines, path, tfxio};

fn batch() -> RecordBatch {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..3));
    let t: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c")]));
    RecordBatch::try_from_iter_with_nullable([("n", n, true), ("t", t, true)]).unwrap()
}

fn options() -> IpcWriteOptions {
    IpcWriteOptions::try_new(8, true, MetadataVersion::V4).unwrap()
}

/// A stream without markers.
fn stream() -> Vec<u8> {
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batch().schema(), options()).unwrap();
    writer.write(&batch()).unwrap();
    writer.into_inner().unwrap()
}

fn file() -> Vec<u8> {
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch().schema(), options()).unwrap();
    writer.write(&batch()).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn every_command_reads_old_streams_and_files() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, names) in
        [(stream(), &["a.arrows", "a.arrow", "a.stream", "a"][..]), (file(), &["b.arrow", "b.feather"])]
    {
        for name in names {
            let file = path(&folder, name);
            std::fs::write(&file, &bytes).unwrap();
            let rows = json_lines(&tfxio(["head", &file, "--format", "json"]).ok());
            assert_eq!((rows.len(), &rows[2]["t"]), (3, &serde_json::json!("c")), "{name}");
            assert_eq!(json_lines(&tfxio(["head", &file, "--as", "arrow", "--format", "json"]).ok()), rows);
            assert_eq!(
                json_lines(&tfxio(["head", &file, "--columns", "n", "--format", "json"]).ok()).len(),
                3
            );
            assert!(tfxio(["schema", &file]).ok().contains("2 columns of 1 file"));
            tfxio(["verify", &file]).ok();
            let report = json_lines(&tfxio(["inspect", "--json", &file]).ok()).remove(0);
            assert_eq!(report["rows"], 3, "{report}");
            let output = path(&folder, "o.jsonl");
            tfxio(["convert", &file, &output]).ok();
            assert_eq!(std::fs::read_to_string(&output).unwrap().lines().count(), 3);
            assert!(tfxio(["stats", &file]).ok().contains("3 records"));
        }
    }
}

#[cfg(unix)]
#[test]
fn old_streams_are_read_from_standard_input() {
    for bytes in [stream(), file()] {
        for args in
            [&["head", "-", "--format", "json"][..], &["head", "-", "--as", "arrow", "--format", "json"]]
        {
            let output = piped(&bytes, args);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{args:?}: {error}");
            assert_eq!(json_lines(&String::from_utf8(output.stdout).unwrap()).len(), 3, "{args:?}");
        }
    }
}
