//! Reading with threads gives what reading without them gives, for every kind of file.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::fs;
use std::path::{Path, PathBuf};

use tfrecord_io::frame;
use tfrecord_io::{Compression, ErrorKind, Kind, ParallelReader, Reader, RecordBuffer, WriterBuilder};

/// What a reader gave: records as (offset, number, payload), and the error it ended with.
type Outcome = (Vec<(u64, u64, Vec<u8>)>, Option<(Option<Kind>, String)>);

fn in_order(path: &Path) -> Outcome {
    let mut reader = Reader::open(path).unwrap();
    let mut records = Vec::new();
    loop {
        match reader.next_record() {
            Ok(Some(record)) => records.push((record.offset, record.index, record.data.to_vec())),
            Ok(None) => return (records, None),
            Err(error) => return (records, Some((error.detail().copied(), error.to_string()))),
        }
    }
}

fn in_parallel(mut reader: ParallelReader) -> Outcome {
    let mut batch = RecordBuffer::new();
    let mut records = Vec::new();
    loop {
        match reader.read_batch(&mut batch) {
            Ok(0) => {
                assert_eq!(reader.records_read(), records.len() as u64);
                return (records, None);
            }
            Ok(count) => {
                assert_eq!(count, batch.len());
                records
                    .extend(batch.iter().map(|record| (record.offset, record.index, record.data.to_vec())));
            }
            Err(error) => {
                assert!(batch.is_empty());
                assert_eq!(reader.read_batch(&mut batch).unwrap(), 0, "nothing behind an error");
                return (records, Some((error.detail().copied(), error.to_string())));
            }
        }
    }
}

/// The records by batches of some size, which are all full but the one before the end or an error.
fn by_batches(mut reader: ParallelReader, size: usize) -> Outcome {
    let mut batch = RecordBuffer::new();
    let mut records = Vec::new();
    let mut short = false;
    loop {
        match reader.read_at_most(&mut batch, size, 1 << 20) {
            Ok(0) => return (records, None),
            Ok(count) => {
                assert!(!short && count == batch.len() && count <= size);
                short = count < size;
                records
                    .extend(batch.iter().map(|record| (record.offset, record.index, record.data.to_vec())));
                assert_eq!(reader.records_read(), records.len() as u64);
                assert!((0..count).all(|position| batch.check_payload(position).is_ok()));
            }
            Err(error) => {
                assert_eq!(
                    reader.read_at_most(&mut batch, size, 1 << 20).unwrap(),
                    0,
                    "nothing behind an error"
                );
                return (records, Some((error.detail().copied(), error.to_string())));
            }
        }
    }
}

fn check(path: &Path) -> Outcome {
    let expected = in_order(path);
    for size in [1, 13, 100_000] {
        let builder = ParallelReader::builder(path).threads(2).split_bytes(0);
        assert!(by_batches(builder.open().unwrap(), size) == expected, "batches of {size} records");
    }
    for threads in [1, 2, 5] {
        for batch_bytes in [1, 10_000, 1 << 20] {
            // The least, so that there are many splits.
            let builder =
                ParallelReader::builder(path).threads(threads).split_bytes(0).batch_bytes(batch_bytes);
            let found = in_parallel(builder.open().unwrap());
            assert_eq!(found.1, expected.1, "{threads} threads, batches of {batch_bytes}");
            assert!(found.0 == expected.0, "{threads} threads, batches of {batch_bytes}: other records");
        }
    }
    expected
}

fn text(seed: usize, n: usize) -> Vec<u8> {
    b"the quick brown fox jumps over the lazy dog, ".iter().copied().cycle().skip(seed % 45).take(n).collect()
}

fn payloads(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|i| text(i, (i * 37) % 1511)).collect()
}

fn write(folder: &Path, builder: &WriterBuilder, payloads: &[Vec<u8>]) -> PathBuf {
    let path = folder.join("a.tfrecord");
    let mut writer = builder.target(&path).create().unwrap();
    for payload in payloads {
        writer.write(payload).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn every_kind_of_file() {
    let folder = tempfile::tempdir().unwrap();
    let gzip = WriterBuilder::default().compression(Compression::Gzip);
    let compressed = [
        gzip.clone().member_bytes(20_000),
        gzip.clone().member_bytes(1),
        gzip.single_member(),
        WriterBuilder::default().compression(Compression::Zlib),
    ];
    let compressed = if cfg!(feature = "gzip") { &compressed[..] } else { &[] };
    for builder in [&[WriterBuilder::default()], compressed].concat() {
        for count in [0, 1, 1000] {
            let path = write(folder.path(), &builder, &payloads(count));
            let (records, error) = check(&path);
            assert_eq!((records.len(), error), (count, None));
        }
    }
}

/// Payloads that hold whole files deceive the threads about where their splits begin. The result is right all the same.
#[test]
fn payloads_that_deceive_cost_time_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut inner = Vec::new();
    for payload in payloads(1000) {
        frame::append(&mut inner, &payload);
    }
    let file = [text(1, 10), inner, text(2, 100_000), text(3, 0), text(4, 70_000)];
    let (records, error) = check(&write(folder.path(), &WriterBuilder::default(), &file));
    assert_eq!((records.len(), error), (5, None));
}

#[test]
fn damage_is_the_same_error_behind_the_same_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &WriterBuilder::default(), &payloads(1000));
    let good = fs::read(&path).unwrap();
    for byte in [3, 14, 60_000, 65_536, 65_540, 300_001, 400_000, good.len() - 1] {
        let mut damaged = good.clone();
        damaged[byte] ^= 1;
        fs::write(&path, &damaged).unwrap();
        let (records, error) = check(&path);
        assert!(error.is_some() && records.len() < 1000, "byte {byte}");
    }
    for cut in [10, 65_537, good.len() - 1] {
        fs::write(&path, &good[..cut]).unwrap();
        assert_eq!(check(&path).1.unwrap().0, Some(Kind::Truncated));
    }
    fs::write(&path, b"PAR1 and much more than that").unwrap();
    assert_eq!(check(&path).1.unwrap().0, Some(Kind::NotTfRecord));
}

#[cfg(feature = "gzip")]
#[test]
fn a_corrupt_member_is_an_error_behind_the_members_before() {
    let folder = tempfile::tempdir().unwrap();
    let builder = WriterBuilder::default().compression(Compression::Gzip).member_bytes(20_000);
    let path = write(folder.path(), &builder, &payloads(1000));
    let mut file = fs::read(&path).unwrap();
    let members = tfrecord_io::compression::members::hop(std::io::Cursor::new(&file)).unwrap().unwrap();
    let member = members[7];
    file[(member.stored_offset + member.stored_len / 2) as usize] ^= 0x55;
    fs::write(&path, &file).unwrap();
    let (records, error) = in_parallel(ParallelReader::builder(&path).threads(3).open().unwrap());
    assert_eq!(records.len() as u64, member.first_record);
    let (kind, text) = error.unwrap();
    assert_eq!(kind, Some(Kind::Decompress));
    assert!(text.contains(&format!("compressed byte {}", member.stored_offset)), "{text}");
}

#[cfg(feature = "gzip")]
#[test]
fn limits_of_decompression_hold_for_members() {
    let folder = tempfile::tempdir().unwrap();
    let builder = WriterBuilder::default().compression(Compression::Gzip).member_bytes(100_000);
    let path = write(folder.path(), &builder, &vec![vec![0; 84]; 30_000]);
    let limits = tfrecord_io::Limits::default();
    for limits in [limits.decompressed_bytes(2_000_000), limits.decompression_ratio(10)] {
        let error = in_parallel(ParallelReader::builder(&path).threads(2).limits(limits).open().unwrap()).1;
        assert!(error.unwrap().1.contains(", the limit; raise `decompress"));
    }
    let enough = limits.decompressed_bytes(3_000_000).decompression_ratio(1000);
    let reader = ParallelReader::builder(&path).threads(2).limits(enough).open().unwrap();
    assert_eq!(in_parallel(reader).0.len(), 30_000);
}

#[test]
fn dropping_the_reader_stops_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &WriterBuilder::default(), &payloads(3000));
    for reads in 0..3 {
        let mut reader =
            ParallelReader::builder(&path).threads(3).split_bytes(0).batch_bytes(1).open().unwrap();
        let mut batch = RecordBuffer::new();
        for _ in 0..reads {
            assert!(reader.read_batch(&mut batch).unwrap() > 0);
        }
        // Joins the threads, and so would not return if one of them went on waiting.
        drop(reader);
    }
    assert_eq!(ParallelReader::open(folder.path()).unwrap_err().kind(), ErrorKind::IsDirectory);
    assert_eq!(ParallelReader::open(folder.path().join("none")).unwrap_err().kind(), ErrorKind::NotFound);
}
