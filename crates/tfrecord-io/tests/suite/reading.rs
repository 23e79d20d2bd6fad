//! Every way of reading gives the same records, whatever the sizes of reads, buffers and batches.

use std::io::{self, Read};

use proptest::prelude::*;
use tfrecord_io::frame::{self, FrameDecoder};
use tfrecord_io::{BatchSize, Reader, RecordBuffer, SliceReader};

/// Gives at most `step` bytes a call, and is interrupted now and then.
struct Trickle<'a> {
    data: &'a [u8],
    step: usize,
    calls: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let step = self.step.min(out.len());
        (&mut self.data).take(step as u64).read(out)
    }
}

fn payload(length: usize, seed: usize) -> Vec<u8> {
    (0..length).map(|i| (i.wrapping_mul(31).wrapping_add(seed * 7) >> 2) as u8).collect()
}

fn file(lengths: &[usize]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let payloads: Vec<_> = lengths.iter().enumerate().map(|(i, &length)| payload(length, i)).collect();
    let mut file = Vec::new();
    for payload in &payloads {
        frame::append(&mut file, payload);
    }
    (file, payloads)
}

#[cfg(feature = "gzip")]
fn compressed(file: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    use flate2::Compression;
    use flate2::read::{GzEncoder, ZlibEncoder};
    let read = |mut reader: Box<dyn Read + '_>| {
        let mut out = Vec::new();
        reader.read_to_end(&mut out).unwrap();
        out
    };
    let gzip = |part| read(Box::new(GzEncoder::new(part, Compression::default())));
    let (front, back) = file.split_at(file.len() / 3);
    let members = [gzip(front), gzip(back), gzip(b"")].concat();
    vec![
        ("plain", file.to_vec()),
        ("gzip", gzip(file)),
        ("gzip, stored blocks", read(Box::new(GzEncoder::new(file, Compression::none())))),
        ("gzip, members that cut a record", members.clone()),
        ("gzip with zero padding", [members, vec![0; 1000]].concat()),
        ("zlib", read(Box::new(ZlibEncoder::new(file, Compression::default())))),
    ]
}

#[cfg(not(feature = "gzip"))]
fn compressed(file: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    vec![("plain", file.to_vec())]
}

/// Reads `data` with `next_record` and with batches of some sizes, and mixed, and compares.
fn check(what: &str, data: &[u8], expected: &[Vec<u8>], step: usize, buffer: usize, batch_size: usize) {
    let open = || Reader::builder(Trickle { data, step, calls: 0 }).buffer_bytes(buffer).build();
    let mut offset = 0;
    let offsets: Vec<u64> = expected
        .iter()
        .map(|payload| {
            offset += (payload.len() + frame::OVERHEAD) as u64;
            offset - (payload.len() + frame::OVERHEAD) as u64
        })
        .collect();

    let mut reader = open();
    for (i, payload) in expected.iter().enumerate() {
        let record = reader.next_record().unwrap().unwrap();
        assert_eq!((record.offset, record.index), (offsets[i], i as u64), "{what}");
        assert!(record.data == payload, "{what}: record {i}");
    }
    assert!(reader.next_record().unwrap().is_none(), "{what}");
    assert!(reader.next_record().unwrap().is_none(), "{what}: stays at the end");

    for mixed in [false, true] {
        let mut reader = open();
        let mut batch = RecordBuffer::new();
        let mut at = 0;
        loop {
            if mixed && at < expected.len() {
                let record = reader.next_record().unwrap().unwrap();
                assert_eq!((record.offset, record.index), (offsets[at], at as u64), "{what}");
                assert!(record.data == expected[at], "{what}: record {at}");
                at += 1;
            }
            let count = reader.read_batch(&mut batch, BatchSize::records(batch_size)).unwrap();
            assert_eq!(count, batch.len());
            assert_eq!(count, batch_size.min(expected.len() - at), "{what}: batches are full");
            for record in &batch {
                assert_eq!((record.offset, record.index), (offsets[at], at as u64), "{what}");
                assert!(record.data == expected[at], "{what}: record {at}");
                at += 1;
            }
            if count == 0 {
                break;
            }
        }
        assert_eq!(at, expected.len(), "{what}");
    }
}

#[test]
fn all_ways_agree_whatever_the_size_of_reads() {
    let lengths = [0, 1, 7, 0, 376, 12, 698, 20_000, 3, 65_536, 0, 0, 5, 100];
    let (file, payloads) = file(&lengths);
    for (what, data) in compressed(&file) {
        for step in [1, 3, 7, 100, usize::MAX] {
            for (buffer, batch) in [(4096, 1), (4096, 3), (1 << 18, 5), (1 << 18, 1000)] {
                check(what, &data, &payloads, step, buffer, batch);
            }
        }
    }
}

#[test]
fn an_empty_file_has_no_records() {
    assert!(Reader::new(&b""[..]).next_record().unwrap().is_none());
    assert!(SliceReader::new(b"").next_record().unwrap().is_none());
    let mut batch = RecordBuffer::new();
    assert_eq!(
        Reader::new(&b""[..]).read_batch(&mut batch, BatchSize::records(10).and_bytes(10)).unwrap(),
        0
    );
    for (what, data) in compressed(b"") {
        assert!(Reader::new(&data[..]).next_record().unwrap().is_none(), "{what}");
    }
}

#[test]
fn batches_keep_to_their_bytes() {
    let (file, payloads) = file(&[100, 100, 100, 1000, 50, 50]);
    let sizes = |max_bytes| {
        let mut reader = Reader::new(&file[..]);
        let mut batch = RecordBuffer::new();
        let mut sizes = Vec::new();
        while reader.read_batch(&mut batch, BatchSize::bytes(max_bytes)).unwrap() > 0 {
            sizes.push(batch.len());
        }
        assert_eq!(reader.records_read(), payloads.len() as u64);
        assert_eq!(reader.offset(), file.len() as u64);
        sizes
    };
    assert_eq!(sizes(usize::MAX), [6]);
    assert_eq!(sizes(2 * 116), [2, 1, 1, 2], "116 bytes is a frame");
    assert_eq!(sizes(2 * 116 - 1), [1, 1, 1, 1, 2]);
    assert_eq!(sizes(0), [1; 6], "one record at least");
}

#[test]
fn a_batch_asked_for_no_records_takes_none() {
    let (file, _) = file(&[5]);
    let mut reader = Reader::new(&file[..]);
    let mut batch = RecordBuffer::new();
    assert_eq!(reader.read_batch(&mut batch, BatchSize::records(0)).unwrap(), 0);
    assert_eq!(reader.read_batch(&mut batch, BatchSize::records(1)).unwrap(), 1);
}

#[test]
fn ranges_read_the_records_that_start_in_them() {
    let (file, payloads) = file(&[10, 0, 300, 20, 5, 7]);
    let mut starts = vec![0u64];
    for payload in &payloads {
        starts.push(starts.last().unwrap() + (payload.len() + frame::OVERHEAD) as u64);
    }
    for (first, &start) in starts.iter().enumerate() {
        for end in start..=file.len() as u64 + 5 {
            let expected: Vec<_> = (first..payloads.len()).filter(|&i| starts[i] < end).collect();
            let open = || Reader::builder(io::Cursor::new(&file)).build_range(start..end).unwrap();
            let mut reader = open();
            let mut batch = RecordBuffer::new();
            reader.read_batch(&mut batch, BatchSize::records(usize::MAX)).unwrap();
            let got: Vec<_> = batch.iter().map(|record| record.offset).collect();
            assert_eq!(got, expected.iter().map(|&i| starts[i]).collect::<Vec<_>>(), "{start}..{end}");
            assert_eq!(reader.read_batch(&mut batch, BatchSize::records(1)).unwrap(), 0);

            let got: Vec<_> = open().into_records().map(|record| record.unwrap().data).collect();
            assert_eq!(got, expected.iter().map(|&i| payloads[i].clone()).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_reader_goes_on_with_any_range_as_a_new_one_reads_it() {
    let (file, _) = file(&[10, 0, 300, 70_000, 5, 7]);
    let mut starts = vec![0u64];
    for record in Reader::new(&file[..]).into_records() {
        starts.push(starts.last().unwrap() + (record.unwrap().data.len() + frame::OVERHEAD) as u64);
    }
    let batch_of = |reader: &mut Reader<io::Cursor<&Vec<u8>>>| {
        let mut batch = RecordBuffer::new();
        reader.read_batch(&mut batch, BatchSize::records(usize::MAX)).unwrap();
        let records = batch.iter().map(|record| (record.offset, record.index, record.data.to_vec()));
        (records.collect::<Vec<_>>(), reader.offset(), reader.records_read())
    };
    let mut reader = Reader::builder(io::Cursor::new(&file)).build();
    for &start in starts.iter().rev().chain(&starts) {
        // Ends between records and inside of them, and the end of the file.
        for end in starts.iter().flat_map(|&end| [end, end + 3]).chain([u64::MAX]).filter(|&end| end >= start)
        {
            let mut fresh = Reader::builder(io::Cursor::new(&file)).build_range(start..end).unwrap();
            reader.next_range(start..end).unwrap();
            // Only one record of it, so that something of each range is left.
            assert_eq!(reader.next_record().unwrap(), fresh.next_record().unwrap(), "{start}..{end}");
            reader.next_range(start..end).unwrap();
            let mut fresh = Reader::builder(io::Cursor::new(&file)).build_range(start..end).unwrap();
            assert_eq!(batch_of(&mut reader), batch_of(&mut fresh), "{start}..{end}");
        }
    }
}

#[test]
fn a_reader_goes_on_after_damage() {
    let (mut file, _) = file(&[10, 20, 30]);
    file[40] ^= 1;
    let mut reader = Reader::builder(io::Cursor::new(&file)).build_range(0..u64::MAX).unwrap();
    let mut batch = RecordBuffer::new();
    assert_eq!(reader.read_batch(&mut batch, BatchSize::records(10)).unwrap(), 1, "the error comes next");
    reader.next_range(62..108).unwrap();
    assert_eq!(reader.read_batch(&mut batch, BatchSize::records(10)).unwrap(), 1);
    assert_eq!(batch.get(0).map(|record| (record.offset, record.data.len())), Some((62, 30)));
    assert_eq!(reader.read_batch(&mut batch, BatchSize::records(10)).unwrap(), 0);
}

#[test]
fn buffers_are_reused() {
    let lengths = vec![698; 5000];
    let (file, _) = file(&lengths);
    let mut reader = Reader::new(&file[..]);
    let mut batch = RecordBuffer::new();
    let mut positions = Vec::new();
    while reader.read_batch(&mut batch, BatchSize::records(512)).unwrap() > 0 {
        positions.push(batch.bytes().as_ptr());
    }
    assert_eq!(positions.len(), 10);
    positions.drain(..2);
    positions.dedup();
    assert_eq!(positions.len(), 1, "the buffer moved: it was allocated again");
}

#[test]
fn memory_does_not_follow_the_claim_of_a_header() {
    // A record that claims a gibibyte, in a file of 100 bytes.
    let mut data = frame::Header::encode(1 << 30).to_vec();
    data.resize(100, 1);
    let mut reader = Reader::new(&data[..]);
    let mut batch = RecordBuffer::new();
    let error = reader.read_batch(&mut batch, BatchSize::records(10)).unwrap_err();
    assert_eq!(error.detail(), Some(&tfrecord_io::Kind::Truncated));
    assert!(batch.bytes().len() < 1 << 20);
}

#[test]
fn the_push_decoder_resumes_wherever_the_input_is_cut() {
    let (file, payloads) = file(&[3, 0, 40, 1]);
    for cut in 0..=file.len() {
        let mut decoder = FrameDecoder::new();
        let mut ranges = Vec::new();
        let first = decoder.decode(&file[..cut], 0, &mut ranges, usize::MAX).unwrap();
        assert!(first.next <= cut && first.next + first.frame_len > cut);
        assert_eq!(decoder.offset(), first.next as u64);
        decoder.decode(&file, first.next, &mut ranges, usize::MAX).unwrap();
        let got: Vec<_> = ranges.iter().map(|range| file[range.clone()].to_vec()).collect();
        assert_eq!(got, payloads);
        decoder.finish(&[]).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_lengths_any_cuts(
        lengths in prop::collection::vec(prop_oneof![Just(0), 1..50usize, 600..800usize, 5_000..40_000usize], 0..40),
        step in 1..10_000usize,
        buffer in 4096..100_000usize,
        batch in 1..20usize,
    ) {
        let (file, payloads) = file(&lengths);
        for (what, data) in compressed(&file) {
            check(what, &data, &payloads, step, buffer, batch);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(data in prop::collection::vec(any::<u8>(), 0..600), prefix in 0..5usize) {
        // Some begin like the real thing, so that more than the first check is reached.
        let header = frame::Header::encode(100);
        let prefixes: [&[u8]; 5] =
            [b"", &[0x1f, 0x8b, 8], &[0x78, 0x9c], &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], &header];
        let data = [prefixes[prefix], &data].concat();
        let mut records = 0;
        for record in Reader::new(&data[..]).into_records() {
            records += usize::from(record.is_ok());
        }
        prop_assert!(records <= data.len() / frame::OVERHEAD * 1100);
        let mut batch = RecordBuffer::new();
        let mut reader = Reader::new(&data[..]);
        while reader.read_batch(&mut batch, BatchSize::records(3).and_bytes(1000)).is_ok_and(|count| count > 0) {}
    }
}
