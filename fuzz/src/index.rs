//! An index of any bytes is refused or comes back from its bytes as it is; one that was built from a file agrees with
//! the file; and a reader with an index of another file gives no wrong record.

use std::io::Cursor;

use tfrecord_io::index::{Index, Stamp};
use tfrecord_io::{RandomReader, crc, frame};

use crate::input::{Input, Outcome};

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let kind = input.byte();
    let mut file_part = Input::new(input.take(input.rest.len() / 2));
    let file = file_part.damaged_file();
    let index = match kind % 4 {
        0 => Index::from_bytes(input.rest),
        1 => {
            // With the right start and checksum, so that a fuzzer need not guess them.
            let mut bytes = b"\x89TFXI\r\n\x1a\x01\0\0\0".to_vec();
            bytes.extend_from_slice(input.rest);
            bytes.extend_from_slice(&crc::crc32c(&bytes).to_le_bytes());
            Index::from_bytes(&bytes)
        }
        2 => Index::read_text(input.rest, Stamp::new(file.len() as u64)),
        _ => Index::from_reader(&*file, Stamp::new(file.len() as u64)),
    };
    let Ok(index) = index else { return };
    assert_eq!(Index::from_bytes(&index.to_bytes()).ok().as_ref(), Some(&index));
    let records: u64 = index.splits(100).iter().map(|split| split.records.end - split.records.start).sum();
    if index.members().is_empty()
        || index.members().last().is_some_and(|m| m.first_record + m.records == index.len())
    {
        assert_eq!(records, index.len());
    }

    let plain = Outcome::of_slices(&file);
    let Ok(mut reader) = RandomReader::new(Cursor::new(&file), index) else { return };
    let mut found = Vec::new();
    for number in (0..reader.len().min(100)).rev() {
        if let Ok(record) = reader.record(number) {
            let mut framed = Vec::new();
            frame::append(&mut framed, record.data);
            if reader.index().compression() == tfrecord_io::Compression::None {
                let record = reader.record(number).map(|record| record.offset as usize);
                assert!(record.is_ok_and(|at| file[at..].starts_with(&framed)));
            }
            found.push(number);
        }
    }
    if kind % 4 == 3 && plain.error.is_none() {
        assert_eq!(reader.len(), plain.records.len() as u64);
        assert_eq!(found.len() as u64, reader.len().min(100));
    }
}

/// Returns an index of each kind.
pub fn seeds() -> Vec<Vec<u8>> {
    let file = b"\0\0\0\0\0\0\0\x01\x03one\x00\x04four";
    let mut framed = Vec::new();
    for payload in [&b"one"[..], b"", b"four"] {
        frame::append(&mut framed, payload);
    }
    let index = Index::from_reader(&*framed, Stamp::new(framed.len() as u64)).map(|index| index.to_bytes());
    let bytes = index.unwrap_or_default();
    let seed = |kind: u8, rest: &[u8]| {
        let half = file.len().max(rest.len());
        let mut seed = vec![kind];
        seed.extend_from_slice(file);
        seed.resize(1 + half, 0);
        seed.extend_from_slice(rest);
        seed.resize(1 + 2 * half, b'\n');
        seed
    };
    vec![
        seed(0, &bytes),
        seed(1, bytes.get(12..bytes.len().saturating_sub(4)).unwrap_or_default()),
        seed(2, b"0 19\n19 16\n35 20\n"),
        seed(3, b""),
    ]
}
