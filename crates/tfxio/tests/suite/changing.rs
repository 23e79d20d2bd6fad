//! Files that change while they are read, and indexes that contradict their files.
#![cfg(all(feature = "parquet", feature = "ipc"))]

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use tfxio::convert::{Conversion, Phase};
use tfxio::prelude::*;
use tfxio::tfrecord_io::{FileWriter, Index};
use tfxio::{Cancel, ErrorKind, FileStore, OnError, Result, Skip, Store};

/// {a: [1]}
const RECORD: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x01";
/// Bytes of a framed record in the file.
const FRAME: u64 = RECORD.len() as u64 + 16;

fn write(folder: &tempfile::TempDir, records: usize) -> PathBuf {
    let path = folder.path().join("a.tfrecord");
    let mut writer = FileWriter::create(&path).unwrap();
    (0..records).for_each(|_| writer.write(RECORD).unwrap());
    writer.finish().unwrap();
    path
}

fn cut(path: &Path, records: u64) {
    std::fs::File::options().write(true).open(path).unwrap().set_len(records * FRAME).unwrap();
}

#[test]
fn a_file_that_is_cut_between_the_passes_of_a_conversion() {
    for output in ["o.parquet", "o.arrow"] {
        let folder = tempfile::tempdir().unwrap();
        let path = write(&folder, 3000);
        let conversion = Conversion::builder([path.to_str().unwrap()], folder.path().join(output));
        let conversion = conversion.build().unwrap();
        let (input, all) = (path.clone(), 3000 * FRAME);
        let done = conversion.run(move |at| {
            if at.phase == Phase::Schema && at.bytes_read == all {
                cut(&input, 2048);
            }
        });
        let error = done.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Malformed);
        assert!(
            error.to_string().contains(
                "it had 90000 bytes when the columns were inferred, and 61440 bytes when it had been read"
            ),
            "{error}"
        );
        assert!(!folder.path().join(output).exists());
    }
}

#[test]
fn a_file_that_is_cut_while_it_is_read() {
    // More than is read at a time.
    let records = 40_000;
    let skip = || OnError::Skip(Skip::default());
    for (threads, on_error) in [(1, OnError::Fail), (3, OnError::Fail), (1, skip())] {
        let folder = tempfile::tempdir().unwrap();
        let path = write(&folder, records);
        let dataset = OpenOptions::new().format("raw").open(&path).unwrap();
        let request = ScanRequest::new().batch_rows(100).threads(threads).on_error(on_error);
        let mut batches = dataset.read(request).unwrap();
        batches.next().unwrap().unwrap();
        cut(&path, 30_000);
        let error = batches.find_map(Result::err).expect("an error");
        assert_eq!(error.kind(), ErrorKind::Io);
        let text = error.to_string();
        let expected =
            format!("the file ends after {} bytes, and had {}", 30_000 * FRAME, records as u64 * FRAME);
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn an_input_of_any_format_that_is_cut_while_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, 100);
    let open = || FileStore::default().open(path.to_str().unwrap(), 0..u64::MAX, &Cancel::new()).unwrap();
    let mut file = open();
    file.seek(SeekFrom::Start(10 * FRAME)).unwrap();
    cut(&path, 50);
    let mut bytes = Vec::new();
    let error = file.read_to_end(&mut bytes).unwrap_err();
    assert_eq!(bytes.len() as u64, 40 * FRAME);
    assert!(error.to_string().contains("it was cut while it was read"), "{error}");
    // One that grows is read to its end.
    let mut file = open();
    cut(&path, 60);
    assert_eq!(file.read_to_end(&mut Vec::new()).unwrap() as u64, 60 * FRAME);
}

#[test]
fn an_index_that_contradicts_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, 10);
    let name = path.to_str().unwrap();
    Index::build(&path).unwrap().write_beside(&path).unwrap();
    let read = |options: OpenOptions| -> Result<usize> {
        let dataset = options.open(&path)?;
        let mut rows = 0;
        for partition in dataset.partitions(100)? {
            let mut scan = dataset.scan(&partition, &ScanRequest::new())?;
            while let Some(batch) = scan.next_batch()? {
                rows += batch.num_rows();
            }
        }
        Ok(rows)
    };
    let without = || OpenOptions::new().set("index", false).unwrap();
    assert_eq!(read(OpenOptions::new()).unwrap(), 10);
    // As a copy has it: another time, and the same records.
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(read(OpenOptions::new()).unwrap(), 10);
    cut(&path, 6);
    let index = std::fs::File::options().write(true).open(Index::path_for(&path)).unwrap();
    for (hour, newer) in [(1, "the index is newer than its file"), (0, "the file is newer than its index")] {
        let at = |hour: u64| std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(3600 * hour);
        file.set_modified(at(1 - hour)).unwrap();
        index.set_modified(at(hour)).unwrap();
        let error = read(OpenOptions::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Malformed);
        let text = error.to_string();
        assert!(text.contains("the file has 180 bytes; it had 300 when it was indexed"), "{text}");
        assert!(text.contains(newer) && text.contains(&format!("tfxio index {name}")), "{text}");
        assert_eq!(read(without()).unwrap(), 6);
    }
    // A damaged one helps nobody.
    std::fs::write(Index::path_for(&path), b"no index").unwrap();
    let error = read(OpenOptions::new()).unwrap_err();
    assert!(error.to_string().contains("the index beside the file does not fit it"), "{error}");
    assert_eq!(read(without()).unwrap(), 6);
}
