//! Compressed files of any bytes: how the bytes come changes neither the records nor the error; and what our writer
//! compresses comes back.

use tfrecord_io::compression::members;
use tfrecord_io::{Compression, Limits, Reader, SliceReader, Writer, WriterBuilder};

use crate::input::{Dribble, Input, Outcome};

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let (kind, step, member_bytes) = (input.byte(), input.byte(), input.byte());
    let compression = if kind % 2 == 0 { Compression::Gzip } else { Compression::Zlib };
    let bytes = if kind % 4 < 2 {
        let start: &[u8] = if kind % 2 == 0 { b"\x1f\x8b\x08\0\0\0\0\0\0\xff" } else { b"\x78\x9c" };
        let mut bytes = if kind % 8 < 4 { start.to_vec() } else { Vec::new() };
        bytes.extend_from_slice(input.rest);
        bytes
    } else {
        let (at, flip) = (input.short(), input.byte());
        let file = input.file();
        let builder = WriterBuilder::default().compression(compression).member_bytes(usize::from(member_bytes));
        let Some(mut bytes) = compressed(&builder, &file) else { return };
        match bytes.get_mut(at) {
            Some(byte) => *byte ^= flip,
            None => same(&bytes, &file),
        }
        bytes
    };
    let read = |step| {
        let limits = Limits::default().decompressed_bytes(1 << 20);
        let builder = Reader::builder(Dribble::new(&bytes, step)).compression(Some(compression)).limits(limits);
        Outcome::of_reader(builder.buffer_bytes(4096).build())
    };
    let (whole, parts) = (read(255), read(step));
    assert_eq!(whole.records, parts.records);
    assert_eq!(whole.error.is_some(), parts.error.is_some(), "{whole:?} {parts:?}");
    let _ = members::hop(std::io::Cursor::new(&bytes));
    Outcome::of_reader(Reader::new(Dribble::new(&bytes, step)));
}

/// Writes the records of `file` with a writer; `None` if it is not a file of whole records.
fn compressed(builder: &WriterBuilder, file: &[u8]) -> Option<Vec<u8>> {
    let mut writer: Writer<Vec<u8>> = builder.target(Vec::new()).build().ok()?;
    for record in SliceReader::new(file) {
        writer.write(record.ok()?.data).ok()?;
    }
    writer.finish().ok()
}

/// Checks that undamaged compressed bytes give the records of the file.
fn same(bytes: &[u8], file: &[u8]) {
    let found = Outcome::of_reader(Reader::new(bytes));
    let wanted = Outcome::of_slices(file);
    assert_eq!(found, wanted);
}

/// Returns whole and damaged files of each compression.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for kind in 0..8 {
        for at in [b"\xff\xff\0", b"\x30\0\x01"] {
            let mut seed = vec![kind, 7, 20];
            seed.extend_from_slice(at);
            seed.extend_from_slice(b"\x01\x03one\x00\xff\x0aten bytes.\xff\x05after");
            seeds.push(seed);
        }
    }
    seeds
}
