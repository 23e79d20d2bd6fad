//! The slice reader, the push decoder and the readers over any `Read` find the same records and end with the same
//! error, however the bytes come; and the records, framed again, are the bytes they came from.

use std::collections::VecDeque;

use tfrecord_io::frame::{self, FrameDecoder};
use tfrecord_io::{BatchSize, Compression, Kind, Reader, RecordBuffer};

use crate::input::{Dribble, Input, Outcome};

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let (step, records_a_batch, bytes_a_batch) = (input.byte(), input.byte(), input.short());
    let file = input.damaged_file();

    let expected = Outcome::of_slices(&file);

    let mut again = Vec::new();
    for (offset, payload) in &expected.records {
        assert_eq!(*offset, again.len() as u64);
        frame::append(&mut again, payload);
    }
    assert!(file.starts_with(&again));
    assert_eq!(expected.error.is_none(), again.len() == file.len());

    assert_eq!(pushed(&file, usize::from(step) + 1), expected, "push decoder");

    let builder = || Reader::builder(Dribble::new(&file, step)).compression(Some(Compression::None)).buffer_bytes(4096);
    let found = Outcome::of_reader(builder().build());
    // Bytes that are plainly compressed are refused by name.
    if found.error.as_ref().is_some_and(|error| error.detail == Some(Kind::CompressionMismatch)) {
        return;
    }
    assert_eq!(found, expected, "record by record");
    assert_eq!(
        batched(
            builder().build(),
            usize::from(records_a_batch),
            bytes_a_batch
        ),
        expected,
        "in batches"
    );
}

/// Decodes with the push decoder, adding `step` bytes at a time.
fn pushed(file: &[u8], step: usize) -> Outcome {
    let mut decoder = FrameDecoder::new();
    let mut records = Vec::new();
    let (mut have, mut next) = (0, 0);
    loop {
        let mut payloads = Vec::new();
        let offset = decoder.offset();
        match decoder.decode(&file[..have], next, &mut payloads, 3) {
            Ok(progress) => {
                for payload in &payloads {
                    records
                        .push(((payload.start - frame::HEADER_LEN) as u64, file[payload.clone()].to_vec()));
                }
                assert!(progress.next >= next && progress.frame_len >= frame::HEADER_LEN);
                next = progress.next;
                assert_eq!(decoder.offset(), next as u64);
            }
            Err(error) => {
                assert_eq!(decoder.offset(), offset, "an error moves nothing");
                return Outcome { records, error: Some(error.into()) };
            }
        }
        if payloads.is_empty() {
            if have == file.len() {
                let error = decoder.finish(&file[next..]).err().map(Into::into);
                return Outcome { records, error };
            }
            have = file.len().min(have + step);
        }
    }
}

fn batched<R: std::io::Read>(mut reader: Reader<R>, records: usize, bytes: usize) -> Outcome {
    let mut batch = RecordBuffer::new();
    let mut waiting = VecDeque::new();
    Outcome::of(|| {
        if waiting.is_empty() {
            let count = reader.read_batch(&mut batch, BatchSize::records(records.max(1)).and_bytes(bytes))?;
            assert_eq!(count, batch.len());
            waiting = batch.iter().map(|record| (record.offset, record.data.to_vec())).collect();
        }
        Ok(waiting.pop_front())
    })
}

/// Returns whole files, records within records, damage of each kind.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for damage in [[0; 7], [1, 20, 0, 1, 0, 0, 0], [2, 30, 0, 0, 0, 0, 0], [3, 3, 0, 5, 0, 0, 0]] {
        for step in [0, 6, 255] {
            let mut seed = vec![step, 2, 40, 0];
            seed.extend_from_slice(&damage);
            seed.extend_from_slice(b"\x01\x03one\x00\xff\x0aten bytes.\xff\x05after");
            seeds.push(seed);
        }
    }
    let mut raw = vec![3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    frame::append(&mut raw, b"payload");
    seeds.push(raw);
    seeds.push(b"\x03\x02\0\0\0\0\0\0\0\0\0\0\x1f\x8b\x08\0".to_vec());
    seeds
}
