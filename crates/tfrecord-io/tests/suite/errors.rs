//! The texts of errors: what, where, and what to do. One bad input for each.

use std::error::Error as _;
use std::fs;
use std::io::{self, Read};

use tfrecord_io::{Compression, Error, ErrorKind, Kind, Limits, Reader, SliceReader, frame};
use tfxio_base::Detail;

fn good() -> Vec<u8> {
    let mut file = Vec::new();
    frame::append(&mut file, b"first record");
    frame::append(&mut file, b"second record");
    file
}

fn error_of(file: &[u8]) -> Error {
    Reader::builder(file).name("train.tfrecord").build().into_records().find_map(Result::err).unwrap()
}

#[track_caller]
fn check(error: &Error, kind: impl Detail + PartialEq, text: &str) {
    assert_eq!(error.to_string(), text);
    assert!(error.is(kind), "{error:?}");
}

#[test]
fn damaged_length() {
    let mut file = good();
    file[28] ^= 1;
    check(
        &error_of(&file),
        Kind::HeaderCrc,
        "train.tfrecord, byte 28, record 1: the checksum of the record's length (12) does not match, so the length is \
         not to be trusted; the file is damaged here; salvage mode finds the next good record",
    );
}

#[test]
fn damaged_payload() {
    let mut file = good();
    file[12] ^= 1;
    check(
        &error_of(&file),
        Kind::PayloadCrc,
        "train.tfrecord, byte 0, record 0: the checksum of the record's payload (12 bytes) does not match: the payload \
         is damaged; copy the file again, or salvage the other records",
    );
}

#[test]
fn cut_short() {
    check(
        &error_of(&good()[..50]),
        Kind::Truncated,
        "train.tfrecord, byte 28, record 1: the input ends inside a record: 22 of 29 bytes are there; the file was not \
         written or copied to its end; copy it again, or salvage the records before this",
    );
    check(
        &error_of(&good()[..33]),
        Kind::Truncated,
        "train.tfrecord, byte 28, record 1: the input ends inside a record's header: 5 of 12 bytes are there; the file \
         was not written or copied to its end; copy it again, or salvage the records before this",
    );
}

#[test]
fn too_long() {
    let limits = Limits::default().record_bytes(12);
    let error = Reader::builder(&good()[..]).limits(limits).build().into_records().find_map(Result::err);
    check(
        &error.unwrap(),
        Kind::RecordTooLong,
        "byte 28, record 1: the record claims 13 bytes; the limit is 12; raise `record_bytes` if such records are \
         real",
    );
}

#[test]
fn files_of_other_kinds() {
    for (start, name) in [
        (&b"PAR1\x15\x04\x15\x10\x15\x14"[..], "a Parquet file"),
        (b"Obj\x01\x04\x16avro.schema", "an Avro object container file"),
        (b"PK\x03\x04\x14\0\0\0\x08\0\0\0", "a zip archive (or npz)"),
        (b"\x28\xb5\x2f\xfd\x04\x58\x09\0\0\0\0\0", "a zstd stream"),
        (b"name,age\nAda,36\n", "a text file"),
        (b"hey\n", "a text file"),
        (b"{\"a\": 1, \"b\": 2}\n", "a JSON document"),
    ] {
        check(
            &error_of(start),
            Kind::NotTfRecord,
            &format!(
                "train.tfrecord, byte 0, record 0: this is not a TFRecord file: it begins like {name}; give it to a reader \
                 of that format, or convert it first"
            ),
        );
        let slice = SliceReader::new(start).next_record().unwrap_err();
        assert_eq!(slice.detail(), Some(&Kind::NotTfRecord));
    }
    check(
        &error_of(&[0xa5; 40]),
        Kind::NotTfRecord,
        "train.tfrecord, byte 0, record 0: this is not a TFRecord file: its first 12 bytes are not a record's header; \
         check what the file holds; if it should be TFRecord, its start is damaged",
    );
}

#[test]
fn wrong_compression() {
    let error = |compression, file: &[u8]| {
        Reader::builder(file).compression(Some(compression)).build().next_record().map(drop).unwrap_err()
    };
    let hint = "leave the compression to be detected, or give the right one";
    check(
        &error(Compression::Gzip, &good()),
        Kind::CompressionMismatch,
        &format!(
            "byte 0, record 0: the compression was given as gzip, but it is not compressed: it begins with a record; {hint}"
        ),
    );
    check(
        &error(Compression::None, &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 2, 3]),
        Kind::CompressionMismatch,
        &format!(
            "byte 0, record 0: the compression was given as none, but it begins like a gzip stream; {hint}"
        ),
    );
    check(
        &error(Compression::Zlib, b"name,age\nAda,36\n"),
        Kind::CompressionMismatch,
        &format!(
            "byte 0, record 0: the compression was given as zlib, but it begins like a text file; {hint}"
        ),
    );
    check(
        &error(Compression::Gzip, &[0xa5; 40]),
        Kind::CompressionMismatch,
        &format!(
            "byte 0, record 0: the compression was given as gzip, but it begins like no format that is known here; {hint}"
        ),
    );
}

#[cfg(not(feature = "gzip"))]
#[test]
fn without_the_feature_gzip_is_refused() {
    check(
        &error_of(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 2, 3]),
        Kind::CompressionUnsupported,
        "train.tfrecord, byte 0, record 0: the file is compressed with gzip, which this build cannot read; build \
         tfrecord-io with its feature `gzip`",
    );
}

#[cfg(feature = "gzip")]
mod compressed {
    use tfrecord_io::WriterBuilder;

    use super::*;

    fn gzip() -> Vec<u8> {
        let builder = WriterBuilder::default().compression(Compression::Gzip).single_member();
        let mut writer = builder.target(Vec::new()).build().unwrap();
        writer.write(b"first record").unwrap();
        writer.write(b"second record").unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn cut_short() {
        let file = gzip();
        let error = error_of(&file[..file.len() - 3]);
        let at = file.len() - 3;
        check(
            &error,
            Kind::Truncated,
            &format!(
                "train.tfrecord, compressed byte {at}, uncompressed byte 57, record 2: the input ends inside the \
                 checksum and size of a gzip member; the file was not written or copied to its end; copy it again, or \
                 salvage the records before this"
            ),
        );
        assert_eq!(error.position().stored_byte, Some(at as u64));
        assert_eq!(error.position().byte, Some(57));
    }

    #[test]
    fn corrupt() {
        let mut file = gzip();
        let at = file.len() - 8;
        file[at] ^= 1;
        let end = at + 8;
        check(
            &error_of(&file),
            Kind::Decompress,
            &format!(
                "train.tfrecord, compressed byte {end}, uncompressed byte 57, record 2: the CRC-32 of the gzip member \
                 does not match; the file is damaged; copy it again, or salvage the records before this"
            ),
        );
    }
}

#[test]
fn files_that_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.tfrecord");
    let error = Reader::open(&missing).unwrap_err();
    check(
        &error,
        ErrorKind::NotFound,
        &format!("{}: opening the file failed: no such file; check the path", missing.display()),
    );
    assert!(error.source().is_some());

    let error = Reader::open(folder.path()).unwrap_err();
    check(
        &error,
        ErrorKind::IsDirectory,
        &format!(
            "{}: opening the file failed: this is a directory; name the files in it, for example with a pattern such \
             as DIR/*",
            folder.path().display()
        ),
    );
}

#[cfg(unix)]
#[test]
fn no_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.tfrecord");
    fs::write(&path, good()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&path).is_ok() {
        return; // Root may read everything.
    }
    check(
        &Reader::open(&path).unwrap_err(),
        ErrorKind::PermissionDenied,
        &format!(
            "{}: opening the file failed: permission denied; check the owner and the mode of the file and of its \
             directory",
            path.display()
        ),
    );
}

#[test]
fn reading_fails() {
    struct Broken(bool);
    impl Read for Broken {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0 {
                return Err(io::Error::new(io::ErrorKind::ConnectionReset, "the cable"));
            }
            self.0 = true;
            let file = good();
            out[..40].copy_from_slice(&file[..40]);
            Ok(40)
        }
    }
    let mut reader = Reader::builder(Broken(false)).name("socket").build();
    assert!(reader.next_record().unwrap().is_some());
    let error = reader.next_record().unwrap_err();
    check(&error, ErrorKind::Io, "socket, byte 28, record 1: reading failed: connection reset");
    assert_eq!(error.source().unwrap().to_string(), "the cable");
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::Other);
}

#[test]
fn a_range_that_ends_before_it_starts() {
    let reversed = std::ops::Range { start: 5, end: 4 };
    let error = Reader::builder(io::Cursor::new(good())).build_range(reversed).unwrap_err();
    check(&error, ErrorKind::InvalidArgument, "the range of bytes ends at 4, before it starts at 5");
}

#[test]
fn the_next_range_of_a_file() {
    let mut reader = Reader::builder(io::Cursor::new(good())).build();
    let reversed = std::ops::Range { start: 5, end: 4 };
    let error = reader.next_range(reversed).unwrap_err();
    check(&error, ErrorKind::InvalidArgument, "the range of bytes ends at 4, before it starts at 5");
}

#[test]
#[cfg(feature = "gzip")]
fn the_next_range_of_a_compressed_file() {
    let mut writer = tfrecord_io::Writer::builder(Vec::new()).compression(Compression::Gzip).build().unwrap();
    writer.write(b"one").unwrap();
    let file = io::Cursor::new(writer.finish().unwrap());
    let error = Reader::builder(file).name("a.gz").build().next_range(0..4).unwrap_err();
    let what =
        "a.gz: a range of a file that is compressed with gzip cannot be read; read the file from its start";
    check(&error, ErrorKind::InvalidArgument, what);
}

#[test]
fn errors_are_one_word_and_can_cross_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Error>();
    assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
}
