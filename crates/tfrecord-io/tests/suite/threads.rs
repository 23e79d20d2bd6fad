//! Readers that inflate ahead: the same records, and the same errors at the same positions, as on one thread.

#![cfg(feature = "gzip")]

use std::fs;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use tfrecord_io::frame::Verify;
use tfrecord_io::{
    BatchSize, Compression, Kind, Limits, Reader, ReaderBuilder, RecordBuffer, Threading, Writer, frame,
};
use tfxio_base::{Cancel, ErrorKind, Spawn};

/// The least that a reader takes, so that small files have many chunks.
const BUFFER: usize = 4 << 10;

/// Never runs a task, and keeps it.
#[derive(Debug)]
struct Never;

impl Spawn for Never {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        std::mem::forget(task);
    }
}

/// Drops tasks.
#[derive(Debug)]
struct Drops;

impl Spawn for Drops {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        drop(task);
    }
}

/// Runs a task within the call.
#[derive(Debug)]
struct Inline;

impl Spawn for Inline {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        task();
    }
}

fn threadings() -> Vec<Threading> {
    let two = Threading::new().threads(2);
    vec![
        Threading::new(),
        two.clone(),
        Threading::new().threads(8),
        two.clone().ahead(1),
        two.clone().spawn(Arc::new(Never)),
        two.clone().spawn(Arc::new(Drops)),
        two.spawn(Arc::new(Inline)),
    ]
}

/// Numbers that look random.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Records of 0 to 20,000 bytes, half of which repeat what was before.
fn payloads(count: u64) -> Vec<Vec<u8>> {
    let mut state = 7;
    (0..count)
        .map(|number| {
            let len = if number % 10 == 0 { random(&mut state) % 20_000 } else { random(&mut state) % 900 };
            let mut byte = 0;
            (0..len)
                .map(|_| {
                    let next = random(&mut state);
                    if next.is_multiple_of(3) {
                        byte = (next >> 8) as u8 % 64;
                    }
                    byte
                })
                .collect()
        })
        .collect()
}

fn stored(compression: Compression, payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = Writer::builder(Vec::new()).compression(compression).single_member().build().unwrap();
    for payload in payloads {
        writer.write(payload).unwrap();
    }
    writer.finish().unwrap()
}

type Builder = ReaderBuilder<Cursor<Vec<u8>>>;
type Read1 = (Vec<(u64, u64, Vec<u8>)>, Option<String>);

fn builder(file: &[u8]) -> Builder {
    Reader::builder(Cursor::new(file.to_vec())).buffer_bytes(BUFFER).name("a file")
}

fn one_by_one(mut reader: Reader<Cursor<Vec<u8>>>) -> Read1 {
    let mut records = Vec::new();
    let error = loop {
        match reader.next_record() {
            Ok(Some(record)) => records.push((record.offset, record.index, record.data.to_vec())),
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    // Neither the end nor damage goes away by asking again.
    let again = reader.next_record().map(|record| record.is_none()).map_err(|error| error.to_string());
    assert_eq!(again, error.clone().map_or(Ok(true), Err));
    (records, error)
}

fn in_batches(mut reader: Reader<Cursor<Vec<u8>>>, most: usize) -> Read1 {
    let (mut records, mut batch) = (Vec::new(), RecordBuffer::new());
    loop {
        match reader.read_batch(&mut batch, BatchSize::records(most)) {
            Ok(0) => return (records, None),
            Ok(_) => {
                records
                    .extend(batch.iter().map(|record| (record.offset, record.index, record.data.to_vec())));
            }
            Err(error) => return (records, Some(error.to_string())),
        }
    }
}

/// Reads a file in all ways, which must agree; what one thread gives.
fn read(make: impl Fn() -> Builder, what: &str) -> Read1 {
    let alone = one_by_one(make().build());
    for threading in threadings() {
        let what = format!("{what}, {threading:?}");
        assert!(one_by_one(make().build_threaded(&threading)) == alone, "{what}: {:?}", alone.1);
        for most in [1, 50] {
            let batches = in_batches(make().build_threaded(&threading), most);
            assert_eq!(batches.1, alone.1, "{what}, batches of {most}");
            assert!(batches.0 == alone.0, "{what}, batches of {most}");
        }
    }
    alone
}

#[test]
fn intact_files_are_the_same() {
    for count in [0, 1, 5, 400] {
        let payloads = payloads(count);
        for compression in [Compression::None, Compression::Gzip, Compression::Zlib] {
            let file = stored(compression, &payloads);
            let (records, error) = read(|| builder(&file), &format!("{count} records, {compression}"));
            assert_eq!((records.len() as u64, error), (count, None));
        }
    }
}

#[test]
fn members_follow_each_other() {
    let one = stored(Compression::Gzip, &payloads(100));
    let mut file = [&one[..], &one, &[0; 100]].concat();
    assert_eq!(read(|| builder(&file), "two members").0.len(), 200);
    file.push(1);
    let (records, error) = read(|| builder(&file), "garbage");
    assert!(records.len() == 200 && error.is_some());
}

#[test]
fn cut_files_fail_the_same() {
    let payloads = payloads(60);
    for compression in [Compression::Gzip, Compression::Zlib] {
        let file = stored(compression, &payloads);
        let lens = (0..24).chain((24..file.len()).step_by(file.len() / 7)).chain(file.len() - 10..file.len());
        for len in lens {
            let cut = &file[..len];
            let (_, error) = read(|| builder(cut), &format!("{compression} cut to {len}"));
            assert!(error.is_some() || len == 0, "{compression} cut to {len}");
            let promised = || builder(cut).stored_bytes(file.len() as u64);
            let (_, error) = read(promised, &format!("{compression} cut to {len} of a known size"));
            assert!(error.is_some());
        }
    }
}

#[test]
fn damaged_files_fail_the_same() {
    let payloads = payloads(60);
    let mut state = 11;
    for compression in [Compression::Gzip, Compression::Zlib] {
        let file = stored(compression, &payloads);
        for _ in 0..24 {
            let mut damaged = file.clone();
            let at = random(&mut state) as usize % damaged.len();
            damaged[at] ^= 1 << (random(&mut state) % 8);
            read(|| builder(&damaged), &format!("{compression}, byte {at}"));
        }
        let trailer = if compression == Compression::Gzip { 8 } else { 4 };
        for at in file.len() - trailer..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 0x10;
            let (_, error) = read(|| builder(&damaged), &format!("{compression}, byte {at} of the trailer"));
            assert!(error.is_some());
        }
    }
}

#[test]
fn damaged_records_fail_the_same() {
    let payloads = payloads(60);
    let mut framed = Vec::new();
    for payload in &payloads {
        frame::append(&mut framed, payload);
    }
    let mut state = 3;
    for _ in 0..10 {
        let mut damaged = framed.clone();
        let at = random(&mut state) as usize % damaged.len();
        damaged[at] ^= 0x20;
        let file = deflated(&damaged);
        for verify in [Verify::All, Verify::Headers] {
            read(
                || builder(&file).compression(Some(Compression::Gzip)).verify(verify),
                &format!("byte {at}"),
            );
        }
    }
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(bytes, flate2::Compression::fast());
    encoder.read_to_end(&mut file).unwrap();
    file
}

#[test]
fn limits_hold() {
    let file = stored(Compression::Gzip, &payloads(400));
    let mut limits = Limits::default();
    limits.decompressed_bytes = 100_000;
    for threading in threadings() {
        let reader = builder(&file).limits(limits).build_threaded(&threading);
        let (records, error) = one_by_one(reader);
        assert!(records.len() < 400);
        assert!(error.unwrap().contains("100000 bytes, the limit"), "{threading:?}");
    }
}

/// Fails once, after some bytes.
struct Fails {
    bytes: Cursor<Vec<u8>>,
    after: u64,
    has_failed: bool,
}

impl Read for Fails {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.bytes.position() >= self.after && !self.has_failed {
            self.has_failed = true;
            return Err(io::Error::other("a disk"));
        }
        self.bytes.read(out)
    }
}

#[test]
fn a_failed_read_is_tried_again() {
    let payloads = payloads(200);
    let file = stored(Compression::Gzip, &payloads);
    for threading in threadings() {
        for after in [0, 5, 20_000, file.len() as u64] {
            let source = Fails { bytes: Cursor::new(file.clone()), after, has_failed: false };
            let mut reader = Reader::builder(source).buffer_bytes(BUFFER).build_threaded(&threading);
            let (mut records, mut failures) = (Vec::new(), Vec::new());
            loop {
                match reader.next_record() {
                    Ok(Some(record)) => records.push(record.data.to_vec()),
                    Ok(None) => break,
                    Err(error) => failures.push((error.kind(), records.len())),
                }
            }
            assert!(records == payloads, "{threading:?}");
            assert_eq!(failures.len(), 1, "{threading:?}");
            assert_eq!(failures[0].0, ErrorKind::Io);
        }
    }
}

#[test]
fn the_source_comes_back() {
    let file = stored(Compression::Gzip, &payloads(400));
    for threading in threadings() {
        for records in [0, 1, 300] {
            let mut reader = builder(&file).build_threaded(&threading);
            for _ in 0..records {
                reader.next_record().unwrap().unwrap();
            }
            assert_eq!(reader.into_inner().into_inner(), file);
        }
    }
}

#[test]
fn cancelling_ends_a_reader() {
    let file = stored(Compression::Gzip, &payloads(400));
    let cancel = Cancel::new();
    let threading = Threading::new().threads(2).cancel(cancel.clone());
    let mut reader = builder(&file).build_threaded(&threading);
    reader.next_record().unwrap().unwrap();
    cancel.cancel();
    for _ in 0..2 {
        let error = loop {
            match reader.next_record() {
                Ok(record) => assert!(record.is_some()),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }
}

#[test]
fn paths_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gz");
    fs::write(&path, stored(Compression::Gzip, &payloads(50))).unwrap();
    let two = Threading::new().threads(2);
    let mut reader = Reader::builder(&path).open_threaded(&two).unwrap();
    assert_eq!(reader.compression().unwrap(), Compression::Gzip);
    while reader.next_record().unwrap().is_some() {}
    assert_eq!(reader.records_read(), 50);
    // The compression is not what was stated.
    let stated = Reader::builder(&path).compression(Some(Compression::Zlib));
    let error = stated.open_threaded(&two).unwrap().next_record().map(|_| ()).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::CompressionMismatch));
}
