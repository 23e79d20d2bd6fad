//! The texts of errors of compressed streams, of indexes and random readers, and of writers.

use std::io::Cursor;

use tfrecord_io::index::Stamp;
use tfrecord_io::{
    Error, ErrorKind, FileWriter, Index, Kind, Limits, RandomReader, Sharding, SliceReader, Writer, frame,
};
use tfxio_base::Detail;

fn good() -> Vec<u8> {
    let mut file = Vec::new();
    frame::append(&mut file, b"first record");
    frame::append(&mut file, b"second record");
    file
}

#[track_caller]
fn check(error: &Error, kind: impl Detail + PartialEq, text: &str) {
    assert_eq!(error.to_string(), text);
    assert!(error.is(kind), "{error:?}");
}

#[test]
fn each_kind_of_file_that_is_known_by_its_start() {
    for (start, name) in [
        (&b"ARROW1\0\0\0\0\0\0"[..], "an Arrow IPC file"),
        (b"\xff\xff\xff\xff\x10\0\0\0\0\0\0\0", "an Arrow IPC stream"),
        (b"\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0\0", "an LZ4 frame"),
        (b"\xff\x06\0\0sNaPpY\0\0\0", "a snappy stream"),
        (b"BZh91AY&SY\0\0", "a bzip2 stream"),
        (b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46", "an xz stream"),
        (b"\x89HDF\r\n\x1a\n\0\0\0\0", "an HDF5 file"),
        (b"\x93NUMPY\x01\0\x76\0{'", "a NumPy array file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\x0d", "a PNG image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01", "a JPEG image"),
        (b"ORC\x0a\0\0\0\0\0\0\0\0", "an ORC file"),
        (b"SQLite format 3\0", "an SQLite database"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "a Git LFS pointer (the data was never fetched: run `git lfs pull`)",
        ),
        (b"%PDF-1.7\n%\xe2\xe3\xcf", "a PDF document"),
        (b"<html><body>", "an HTML or XML document"),
    ] {
        check(
            &SliceReader::new(start).next_record().unwrap_err(),
            Kind::NotTfRecord,
            &format!(
                "byte 0, record 0: this is not a TFRecord file: it begins like {name}; give it to a reader of that format, \
                 or convert it first"
            ),
        );
    }
}

#[test]
fn records_that_are_not_where_the_index_says() {
    let index = |file: &[u8]| Index::from_reader(file, Stamp::new(file.len() as u64)).unwrap();
    let record = |file: &[u8], number| {
        let mut reader = RandomReader::new(Cursor::new(file.to_vec()), index(&good())).unwrap().name("a");
        reader.record(number).map(drop).unwrap_err()
    };
    check(&record(&good(), 2), Kind::OutOfRange, "a: there is no record 2: the file has 2, numbered from 0");
    let mut other = Vec::new();
    frame::append(&mut other, b"first record");
    frame::append(&mut other, b"2nd record, longer");
    let hint = "build the index again; if the file was only copied, compare its size or its contents instead of its time";
    for (file, what) in [
        (&good()[..30], "the file ends before"),
        (&good()[..50], "the file ends before the record does"),
        (&other, "there is one of 18 bytes, not 13"),
        (&[&good()[..20], &good()[..]].concat(), "no record begins there"),
    ] {
        check(
            &record(file, 1),
            Kind::IndexStale,
            &format!("a, byte 28, record 1: record 1 is not where the index says: {what}; {hint}"),
        );
    }
    let mut damaged = good();
    damaged[45] ^= 1;
    check(
        &record(&damaged, 1),
        Kind::PayloadCrc,
        "a, byte 28, record 1: the checksum of the record's payload (13 bytes) does not match: the payload is damaged; \
         copy the file again, or salvage the other records",
    );
    let limits = Limits::default().record_bytes(12);
    let mut reader = RandomReader::new(Cursor::new(good()), index(&good())).unwrap().limits(limits);
    check(
        &reader.record(1).unwrap_err(),
        Kind::RecordTooLong,
        "byte 28, record 1: the record has 13 bytes; the limit is 12; raise `record_bytes` if such records are real",
    );
}

#[test]
fn text_indexes_that_are_none() {
    let hint =
        "build the index again; a text index must have `offset length` of each record's frame, in order";
    for (text, what) in [
        ("0 28\n28 x\n", "line 2 of the text index: \"28 x\" is not an offset and a length"),
        (
            "0 28\n30 29\n",
            "line 2 of the text index: the record begins at byte 30, but the one before ends at byte 28",
        ),
        ("0 15\n", "line 1 of the text index: a record takes at least 16 bytes, this one takes 15"),
    ] {
        let error = Index::read_text(text.as_bytes(), Stamp::new(57)).unwrap_err();
        check(&error, Kind::IndexCorrupt, &format!("{what}; {hint}"));
    }
}

#[test]
fn names_that_writers_cannot_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    std::fs::write(&path, good()).unwrap();
    check(
        &Writer::builder(&path).overwrite(false).create().unwrap_err(),
        ErrorKind::AlreadyExists,
        &format!(
            "{}: the output file exists already; remove it, choose another name, or allow overwriting",
            path.display()
        ),
    );
    let missing = folder.path().join("none");
    let inside = missing.join("a.tfrecord");
    check(
        &FileWriter::create(&inside).unwrap_err(),
        ErrorKind::NotFound,
        &format!(
            "{}: creating the file failed: the directory \"{}\" does not exist; make the directory first",
            inside.display(),
            missing.display()
        ),
    );
    for (name, sharding, text) in [
        (
            "a.tfrecord",
            Sharding::RoundRobin,
            "this is not a name for a set of shards; write it like train@16.tfrecord or train@*",
        ),
        (
            "a@*",
            Sharding::RoundRobin,
            "records in turn need a known number of shards; write it like train@16",
        ),
        ("a@3", Sharding::BySize(10), "shards by size have no number known before; write it like train@*"),
        ("a@*", Sharding::BySize(0), "shards of 0 bytes were asked for; give a size"),
    ] {
        let error = Writer::builder(name).create_sharded(sharding).unwrap_err();
        check(&error, Kind::ShardPattern, &format!("{name}: {text}"));
    }
}

#[cfg(unix)]
#[test]
fn a_device_without_room() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut writer = Writer::builder(full).build().unwrap();
    let error = writer.write(b"record").and_then(|()| writer.finish().map(drop)).unwrap_err();
    check(
        &error,
        ErrorKind::StorageFull,
        "writing failed: no space is left; free some space or write to another device; nothing was left under the final \
         name",
    );
}

#[cfg(feature = "gzip")]
mod compressed {
    use tfrecord_io::{BatchSize, Compression, Reader, RecordBuffer};

    use super::*;

    fn stream(compression: Compression) -> Vec<u8> {
        let builder = Writer::builder(Vec::new()).compression(compression).single_member();
        let mut writer = builder.build().unwrap();
        writer.write(b"first record").unwrap();
        writer.write(b"second record").unwrap();
        writer.finish().unwrap()
    }

    /// Asserts the error of a compressed file, without its position and the hint, which is always the same.
    #[track_caller]
    fn corrupt(file: &[u8], what: &str) {
        let error = Reader::new(file).into_records().find_map(Result::err).unwrap();
        assert_eq!(error.what(), what);
        assert_eq!(error.detail(), Some(&Kind::Decompress));
        let hint = "the file is damaged; copy it again, or salvage the records before this";
        assert!(error.to_string().ends_with(&format!(": {what}; {hint}")), "{error}");
        assert!(error.to_string().starts_with("compressed byte "), "{error}");
    }

    #[test]
    fn gzip() {
        let good = stream(Compression::Gzip);
        let changed = |at: usize, byte: u8| {
            let mut file = good.clone();
            file[at] = byte;
            file
        };
        // Without these bytes the first member would not be taken for gzip.
        let second = |at, byte| [&good[..], &changed(at, byte)].concat();
        corrupt(&second(1, 0), "no gzip member begins here");
        corrupt(&second(2, 7), "the gzip member has a method other than deflate");
        corrupt(&second(3, 0x80), "the gzip member has flags that RFC 1952 reserves");
        corrupt(&changed(good.len() - 4, 0xee), "the size of the gzip member does not match");
        // A header with a checksum, which does not fit.
        let with_crc = [&good[..3], &[2], &good[4..10], &[0xab, 0xcd], &good[10..]].concat();
        corrupt(&with_crc, "the checksum of the gzip member's header does not match");
        // A name that does not end.
        let endless = [&good[..3], &[8], &good[4..10], &vec![b'x'; 2 << 20]].concat();
        corrupt(&endless, "the header of the gzip member is longer than 1 MiB");
        let error = Reader::new(&changed(10, 0xff)[..]).next_record().unwrap_err();
        assert!(error.what().starts_with("the deflate stream is corrupt: "), "{error}");
    }

    #[test]
    fn zlib() {
        let good = stream(Compression::Zlib);
        let mut damaged = good.clone();
        *damaged.last_mut().unwrap() ^= 1;
        corrupt(&damaged, "the Adler-32 of the zlib stream does not match");
        for (cut, inside) in
            [(good.len() - 2, "the checksum of a zlib stream"), (good.len() - 6, "a zlib stream")]
        {
            let error = Reader::new(&good[..cut]).into_records().find_map(Result::err).unwrap();
            assert_eq!(error.detail(), Some(&Kind::Truncated));
            assert_eq!(error.what(), format!("the input ends inside {inside}"));
        }
    }

    #[test]
    fn bytes_after_the_end_are_said_with_their_offset_in_the_file() {
        for (compression, name) in [(Compression::Gzip, "gzip"), (Compression::Zlib, "zlib")] {
            let good = stream(compression);
            let followed = |after: &[u8]| [&good[..], after].concat();
            let text = |padding: usize| {
                format!(
                    "stored byte {}: bytes that are not {name} data follow the end of the {name} data; cut the file off at this \
                     byte if they do not belong to it, or copy it again: a damaged part of the data looks the same",
                    good.len() + padding
                )
            };
            for (after, padding) in [(&b"x"[..], 0), (b"and more", 0), (b"\0\0\0more", 3)] {
                let file = followed(after);
                let mut reader = Reader::new(&file[..]);
                assert_eq!(
                    reader.next_record().unwrap().map(|record| record.data),
                    Some(&b"first record"[..])
                );
                assert!(reader.next_record().unwrap().is_some());
                for _ in 0..2 {
                    check(&reader.next_record().unwrap_err(), Kind::TrailingBytes, &text(padding));
                }
                // As a batch, which comes first.
                let mut reader = Reader::new(&file[..]);
                let mut batch = RecordBuffer::new();
                assert_eq!(reader.read_batch(&mut batch, BatchSize::records(100)).unwrap(), 2);
                let error = reader.read_batch(&mut batch, BatchSize::records(100)).unwrap_err();
                check(&error, Kind::TrailingBytes, &text(padding));
            }
            // Zeros are padding.
            for zeros in [1, 511, 100_000] {
                assert_eq!(Reader::new(&followed(&vec![0; zeros])[..]).into_records().count(), 2);
            }
        }
    }

    #[test]
    fn one_stream_cannot_be_read_at_random() {
        let file = stream(Compression::Gzip);
        let index = Index::from_reader(&file[..], Stamp::new(file.len() as u64)).unwrap();
        check(
            &RandomReader::new(Cursor::new(file), index).unwrap_err(),
            Kind::CompressionUnsupported,
            "this gzip file is one stream, in which no record can be read without those before; write it again as gzip \
             with this crate's writer, which makes members, or without compression",
        );
    }
}
