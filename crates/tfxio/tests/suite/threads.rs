//! Damaged files give the same batches and the same error, however many threads decode.
#![cfg(feature = "tfrecord")]

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tfxio::prelude::*;
use tfxio::tfrecord_io::compression::members;
use tfxio::tfrecord_io::frame;
use tfxio::tfrecord_io::{Compression, WriterBuilder};
use tfxio::{Cancel, ErrorKind, Limits, Partition, Spawn, Threads};

/// A file of twenty records of ten bytes, frames of 26, damaged at some bytes.
struct File(tempfile::TempDir);

impl File {
    fn damaged_at(bytes: &[usize]) -> Self {
        let mut file = Vec::new();
        for record in 0..20u8 {
            frame::append(&mut file, &[record; 10]);
        }
        for &byte in bytes {
            file[byte] ^= 1;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.tfrecord"), file).unwrap();
        Self(folder)
    }

    fn name(&self) -> String {
        self.0.path().join("a.tfrecord").to_str().unwrap().to_owned()
    }

    /// Returns the rows of each batch before the error, and its text.
    fn read(&self, partition: &Partition, request: &ScanRequest) -> (Vec<usize>, Option<String>) {
        self.read_with(OpenOptions::new(), partition, request)
    }

    fn read_with(
        &self,
        options: OpenOptions,
        partition: &Partition,
        request: &ScanRequest,
    ) -> (Vec<usize>, Option<String>) {
        let dataset = options.format("raw").open(self.name()).unwrap();
        let mut scan = dataset.scan(partition, request).unwrap();
        let mut rows = Vec::new();
        loop {
            match scan.next_batch() {
                Ok(Some(batch)) => rows.push(batch.num_rows()),
                Ok(None) => return (rows, None),
                Err(error) => return (rows, Some(error.to_string())),
            }
        }
    }

    /// The same for any number of threads: the records before the damage, of which the last batch may be shorter, and the
    /// error.
    #[track_caller]
    fn check(&self, partition: &Partition, batch_rows: usize, records: usize, text: &str) {
        let mut expected = vec![batch_rows; records / batch_rows];
        expected.extend(Some(records % batch_rows).filter(|rest| *rest > 0));
        for threads in [1, 2, 3, 7] {
            let (read, error) = self.read(partition, &request(batch_rows).threads(threads));
            assert_eq!(read, expected, "{threads} threads, batches of {batch_rows}");
            let error = error.unwrap();
            assert!(error.ends_with(text), "{threads} threads, batches of {batch_rows}: {error}");
        }
    }

    fn whole(&self) -> Partition {
        Partition::whole(self.name())
    }
}

fn request(batch_rows: usize) -> ScanRequest {
    ScanRequest::new().batch_rows(batch_rows)
}

const PAYLOAD: &str = "the checksum of the record's payload (10 bytes) does not match: the payload is damaged; copy the \
                       file again, or salvage the other records";

#[test]
fn a_damaged_payload() {
    // A byte of the payload, and one of its checksum.
    for byte in [12, 25] {
        let file = File::damaged_at(&[9 * 26 + byte]);
        let text = format!("{}, byte 234, record 9: {PAYLOAD}", file.name());
        for batch_rows in [1, 2, 3, 10, 100] {
            file.check(&file.whole(), batch_rows, 9, &text);
        }
    }
}

#[test]
fn the_first_damage_is_reported() {
    let header_of_12 = 12 * 26;
    let payload_of = |record: usize| record * 26 + 12;
    let before = File::damaged_at(&[payload_of(9), header_of_12, payload_of(14)]);
    let after = File::damaged_at(&[header_of_12, payload_of(14)]);
    for batch_rows in [2, 5, 100] {
        before.check(&before.whole(), batch_rows, 9, &format!("byte 234, record 9: {PAYLOAD}"));
        after.check(
            &after.whole(),
            batch_rows,
            12,
            "byte 312, record 12: the checksum of the record's length (11) does not match, so the length is not to be \
             trusted; the file is damaged here; salvage mode finds the next good record",
        );
    }
}

#[test]
fn a_damaged_payload_in_a_partition() {
    let file = File::damaged_at(&[9 * 26 + 12]);
    let partition = Partition::range(file.name(), 5 * 26, u64::MAX);
    let end = format!("{PAYLOAD} (in the partition {partition}, whose records are numbered from its first)");
    file.check(&partition, 3, 4, &end);
    file.check(&partition, 10, 4, &end);
}

#[test]
fn payloads_are_not_compared_when_that_is_turned_off() {
    let file = File::damaged_at(&[9 * 26 + 12]);
    for verify in ["headers", "none"] {
        for threads in [1, 3] {
            let options = OpenOptions::new().set("verify", verify).unwrap();
            let read = file.read_with(options, &file.whole(), &request(8).threads(threads));
            assert_eq!(read, (vec![8, 8, 4], None));
        }
    }
}

/// A file of members, each of ten records of about a kilobyte, with something changed.
fn gzip(change: impl Fn(&mut Vec<u8>)) -> File {
    let builder = WriterBuilder::default().compression(Compression::Gzip).member_bytes(10_000);
    let mut writer = builder.target(Vec::new()).build().unwrap();
    for record in 0..200u32 {
        let payload: Vec<u8> = (0..1000 + record).map(|i| (i * i / 7 + record) as u8).collect();
        writer.write(&payload).unwrap();
    }
    let mut file = writer.finish().unwrap();
    change(&mut file);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.tfrecord"), file).unwrap();
    File(folder)
}

/// Inflating members side by side changes nothing that can be seen.
#[test]
fn members_of_gzip_give_the_same_batches_and_errors() {
    let position = |file: &[u8], member: usize, part: u64| {
        let members = members::hop(Cursor::new(file)).unwrap().unwrap();
        (members[member].stored_offset + members[member].stored_len / 10 * part) as usize
    };
    let damage = |file: &mut Vec<u8>, member, part| {
        let at = position(file, member, part);
        file[at - 9..at - 1].iter_mut().for_each(|byte| *byte ^= 0x55);
    };
    let limits = Limits::default().decompressed_bytes(100_000);
    for (name, file, limits, fails) in [
        ("good", gzip(|_| {}), Limits::default(), false),
        ("limited", gzip(|_| {}), limits, true),
        ("first member", gzip(|file| file[200] ^= 0x55), Limits::default(), true),
        ("inside", gzip(|file| damage(file, 9, 7)), Limits::default(), true),
        ("checksum", gzip(|file| damage(file, 4, 10)), Limits::default(), true),
        ("cut short", gzip(|file| file.truncate(position(file, 12, 5))), Limits::default(), true),
        ("padded", gzip(|file| file.resize(file.len() + 600, 0)), Limits::default(), false),
        ("followed", gzip(|file| file.extend_from_slice(b"something else")), Limits::default(), true),
    ] {
        for batch_size in [1, 7, 64, 1000] {
            let request = |threads| request(batch_size).threads(threads).limits(limits);
            let expected = file.read(&file.whole(), &request(1));
            assert_eq!(expected.1.is_some(), fails, "{name}: {expected:?}");
            for threads in [2, 4] {
                let found = file.read(&file.whole(), &request(threads));
                assert_eq!(found, expected, "{name}, {threads} threads, batches of {batch_size}");
            }
        }
    }
}

/// Counts the tasks that run at the same time.
#[derive(Clone, Debug, Default)]
struct Counting(Arc<(AtomicUsize, AtomicUsize)>);

impl Spawn for Counting {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        let Self(counts) = self.clone();
        Threads.spawn(Box::new(move || {
            let live = counts.0.fetch_add(1, Ordering::SeqCst) + 1;
            counts.1.fetch_max(live, Ordering::SeqCst);
            task();
            counts.0.fetch_sub(1, Ordering::SeqCst);
        }));
    }
}

/// Runs nothing.
#[derive(Debug)]
struct Never;

impl Spawn for Never {
    fn spawn(&self, _: Box<dyn FnOnce() + Send>) {}
}

#[test]
fn eight_threads_are_eight_though_members_are_inflated_and_batches_decoded() {
    let file = gzip(|_| {});
    let expected = file.read(&file.whole(), &request(7));
    for threads in [2, 8] {
        let spawn = Counting::default();
        let request = request(7).threads(threads).spawn(Arc::new(spawn.clone()));
        assert_eq!(file.read(&file.whole(), &request), expected);
        let most = spawn.0.1.load(Ordering::SeqCst);
        assert!(most < threads, "{most} tasks beside the consumer, of {threads} threads");
    }
}

#[test]
fn without_a_thread_to_be_had_the_consumer_does_all_of_it() {
    for file in [gzip(|_| {}), File::damaged_at(&[]), File::damaged_at(&[9 * 26 + 12])] {
        let expected = file.read(&file.whole(), &request(7));
        let request = request(7).threads(8).spawn(Arc::new(Never));
        assert_eq!(file.read(&file.whole(), &request), expected);
    }
}

#[test]
fn a_scan_that_is_cancelled_says_so() {
    let file = gzip(|_| {});
    for threads in [1, 4] {
        let cancel = Cancel::new();
        let dataset = OpenOptions::new().format("raw").open(file.name()).unwrap();
        let mut batches = dataset.read(request(7).threads(threads).cancel(cancel.clone())).unwrap();
        assert_eq!(batches.next().unwrap().unwrap().num_rows(), 7);
        cancel.cancel();
        let error = batches.next().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert!(batches.next().is_none());
        // Only what holds the token ends.
        assert!(file.read(&file.whole(), &request(7)).1.is_none());
    }
}
