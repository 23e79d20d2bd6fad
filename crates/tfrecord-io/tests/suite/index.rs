//! The index: it is right, a stale or damaged one is an error, and any record can be read with it.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use tfrecord_io::crc::crc32c;
use tfrecord_io::frame::{self, OVERHEAD};
use tfrecord_io::index::{Check, Stamp};
use tfrecord_io::{Compression, ErrorKind, Index, Kind, RandomReader, WriterBuilder};

fn text(seed: usize, n: usize) -> Vec<u8> {
    b"the quick brown fox jumps over the lazy dog, ".iter().copied().cycle().skip(seed % 45).take(n).collect()
}

fn payloads(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|i| text(i, (i * 37) % 211)).collect()
}

fn file_of(payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for payload in payloads {
        frame::append(&mut file, payload);
    }
    file
}

/// Writes a file in a folder of its own.
fn on_disk(builder: &WriterBuilder, payloads: &[Vec<u8>]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    let mut writer = builder.target(&path).create().unwrap();
    for payload in payloads {
        writer.write(payload).unwrap();
    }
    writer.finish().unwrap();
    (folder, path)
}

fn members() -> WriterBuilder {
    WriterBuilder::default().compression(Compression::Gzip).member_bytes(1000)
}

fn plain() -> WriterBuilder {
    WriterBuilder::default()
}

/// Returns the builders that this build can write with: the first one, and the others if it has gzip.
fn available<const N: usize>(builders: [WriterBuilder; N]) -> Vec<WriterBuilder> {
    builders.into_iter().take(if cfg!(feature = "gzip") { N } else { 1 }).collect()
}

/// Returns the checksum that gzip and zip use, bit by bit from its definition.
fn crc32_of(payloads: &[Vec<u8>]) -> u32 {
    !payloads.iter().flatten().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    })
}

#[test]
fn says_what_the_file_holds() {
    let payloads = payloads(100);
    for builder in
        available([plain(), members(), members().single_member(), plain().compression(Compression::Zlib)])
    {
        let (_folder, path) = on_disk(&builder, &payloads);
        let index = Index::build(&path).unwrap();
        assert_eq!(index.len(), 100);
        assert_eq!(index.payload_bytes(), payloads.iter().map(|p| p.len() as u64).sum::<u64>());
        assert_eq!(index.crc32_of_payloads(), Some(crc32_of(&payloads)));
        assert_eq!(index.stamp().file_bytes, fs::metadata(&path).unwrap().len());
        let mut at = 0;
        for (i, payload) in payloads.iter().enumerate() {
            assert_eq!(index.offset(i as u64), Some(at));
            assert_eq!(index.length(i as u64), Some(payload.len() as u64));
            assert_eq!(index.record_at(at), Some(i as u64));
            at += (payload.len() + OVERHEAD) as u64;
            assert_eq!(index.record_at(at - 1), Some(i as u64));
        }
        assert_eq!(index.uncompressed_bytes(), at);
        assert_eq!((index.offset(100), index.record_at(at), index.frame(u64::MAX)), (None, None, None));
    }
    let (_folder, path) = on_disk(&plain(), &[]);
    let index = Index::build(&path).unwrap();
    assert!(index.is_empty());
    assert_eq!((index.crc32_of_payloads(), index.payload_bytes(), index.splits(1)), (Some(0), 0, vec![]));
}

/// Files that TensorFlow wrote: the same records in three compressions.
#[cfg(feature = "gzip")]
#[test]
fn files_of_another_writer() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut records = 0;
    for shard in 0..3 {
        let name = format!("digits-0000{shard}-of-00003.tfrecord");
        let plain = Index::build(fixtures.join("digits").join(&name)).unwrap();
        records += plain.len();
        for folder in ["digits-gzip", "digits-zlib"] {
            let other = Index::build(fixtures.join(folder).join(&name)).unwrap();
            assert_eq!(other.crc32_of_payloads(), plain.crc32_of_payloads());
            assert!((0..plain.len()).all(|i| other.frame(i) == plain.frame(i)));
            assert!(other.members().is_empty(), "TensorFlow describes no members");
        }
    }
    assert_eq!(records, 1797);
}

#[test]
fn comes_back_from_bytes_and_from_beside_the_file() {
    for builder in available([plain(), members(), plain().compression(Compression::Zlib)]) {
        let (_folder, path) = on_disk(&builder, &payloads(300));
        let index = Index::build(&path).unwrap();
        assert_eq!(Index::from_bytes(&index.to_bytes()).unwrap(), index);
        let beside = index.write_beside(&path).unwrap();
        assert_eq!(beside.file_name().unwrap(), "a.tfrecord.tfxi");
        assert_eq!(Index::open(&path).unwrap(), index);
        // A second time, in place of the first.
        index.write_beside(&path).unwrap();
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
    }
}

/// The bytes of a small index, as the documentation draws them.
#[test]
fn has_the_documented_layout() {
    let file = file_of(&[vec![1; 3], vec![2; 5], vec![], vec![4; 5]]);
    let stamp = Stamp::new(file.len() as u64).etag("\"e\"");
    let stamp = stamp.modified(SystemTime::UNIX_EPOCH + Duration::from_nanos(0x0102_0304));
    let index = Index::from_reader(&file[..], stamp).unwrap();
    let crc = crc32_of(&[vec![1; 3], vec![2; 5], vec![4; 5]]);
    let mut expected = vec![0x89, b'T', b'F', b'X', b'I', b'\r', b'\n', 0x1a];
    expected.extend_from_slice(&[1, 0, 0, 0, 0, 7, 0, 0]);
    expected.extend_from_slice(&77u64.to_le_bytes());
    expected.extend_from_slice(&[4, 3, 2, 1, 0, 0, 0, 0]);
    expected.extend_from_slice(&4u64.to_le_bytes());
    expected.extend_from_slice(&77u64.to_le_bytes());
    expected.extend_from_slice(&crc.to_le_bytes());
    expected.extend_from_slice(&3u32.to_le_bytes());
    expected.extend_from_slice(&0u64.to_le_bytes());
    expected.extend_from_slice(&4u64.to_le_bytes());
    expected.extend_from_slice(&0u64.to_le_bytes());
    expected.extend_from_slice(b"\"e\"");
    // +3, +2, -5, +5
    expected.extend_from_slice(&[6, 4, 9, 10]);
    expected.extend_from_slice(&crc32c(&expected).to_le_bytes());
    assert_eq!(index.to_bytes(), expected);
    assert_eq!(Index::from_bytes(&expected).unwrap(), index);
}

#[test]
fn a_damaged_index_is_an_error() {
    let builder = available([plain(), members()]).pop().unwrap();
    let (_folder, path) = on_disk(&builder, &payloads(60));
    let bytes = Index::build(&path).unwrap().to_bytes();
    for cut in 0..bytes.len() {
        assert_eq!(
            Index::from_bytes(&bytes[..cut]).unwrap_err().detail(),
            Some(&Kind::IndexCorrupt),
            "cut at {cut}"
        );
    }
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(Index::from_bytes(&damaged).unwrap_err().detail(), Some(&Kind::IndexCorrupt), "bit {bit}");
        // The same by someone who computes a checksum for it: no panic, and nothing taken that contradicts itself.
        let body = damaged.len() - 4;
        let crc = crc32c(&damaged[..body]);
        damaged[body..].copy_from_slice(&crc.to_le_bytes());
        if let Ok(index) = Index::from_bytes(&damaged) {
            assert_eq!(Index::from_bytes(&index.to_bytes()).unwrap(), index, "bit {bit}");
        }
    }
    let message = |bytes: &[u8]| Index::from_bytes(bytes).unwrap_err().to_string();
    let hint = "build the index again (`tfxio index FILE`)";
    assert_eq!(message(b"0 19\n"), format!("this is not an index file: its first bytes are others; {hint}"));
    let mut later = bytes.clone();
    later[8] = 2;
    assert_eq!(message(&later), format!("the index has version 2, this reader knows version 1; {hint}"));
    assert_eq!(message(&bytes[..10]), format!("the index ends too early; {hint}"));
    assert_eq!(message(&bytes[..50]), format!("the index is damaged: its checksum does not match; {hint}"));
}

/// Numbers of records that no memory could hold.
#[test]
fn claims_of_an_index_are_checked_before_memory_is_taken() {
    let index =
        Index::from_reader(&file_of(&payloads(3))[..], Stamp::new(file_of(&payloads(3)).len() as u64));
    let bytes = index.unwrap().to_bytes();
    for field in [16, 32, 40, 52, 56, 64, 72] {
        for value in [u64::MAX, 1 << 63, 1 << 40, u64::from(u32::MAX)] {
            let mut claimed = bytes.clone();
            let size = if field == 52 { 4 } else { 8 };
            claimed[field..field + size].copy_from_slice(&value.to_le_bytes()[..size]);
            if claimed == bytes {
                continue;
            }
            let body = claimed.len() - 4;
            let crc = crc32c(&claimed[..body]);
            claimed[body..].copy_from_slice(&crc.to_le_bytes());
            assert_eq!(Index::from_bytes(&claimed).unwrap_err().detail(), Some(&Kind::IndexCorrupt));
        }
    }
}

fn set_time(path: &Path, seconds: u64) {
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

#[test]
fn a_stale_index_is_an_error() {
    let (_folder, path) = on_disk(&plain(), &payloads(20));
    let missing = Index::open(&path).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert!(missing.to_string().ends_with("build it first (`tfxio index FILE`)"), "{missing}");

    set_time(&path, 1_000_000_000);
    Index::build(&path).unwrap().write_beside(&path).unwrap();
    Index::open(&path).unwrap();

    // The time.
    set_time(&path, 1_000_000_001);
    let error = Index::open(&path).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::IndexStale));
    assert_eq!(
        error.to_string(),
        format!(
            "{}: the file was modified after it was indexed (its time is another, its size is the same); build the \
             index again; if the file was only copied, compare its size or its contents instead of its time",
            path.display()
        )
    );
    assert_eq!(RandomReader::open(&path).unwrap_err().detail(), Some(&Kind::IndexStale));
    Index::open_with(&path, Check::Size).unwrap();
    Index::open_with(&path, Check::Contents).unwrap();

    // Other contents of the same size and lengths.
    let mut other = payloads(20);
    other[5][3] ^= 1;
    fs::write(&path, file_of(&other)).unwrap();
    Index::open_with(&path, Check::Size).unwrap();
    assert_eq!(Index::open_with(&path, Check::Contents).unwrap_err().detail(), Some(&Kind::IndexStale));

    // Another size.
    fs::write(&path, file_of(&payloads(21))).unwrap();
    for check in [Check::Stamp, Check::Size, Check::Contents] {
        let error = Index::open_with(&path, check).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::IndexStale));
        assert!(error.to_string().contains("it had"), "{error}");
    }
    assert_eq!(Index::build(path.parent().unwrap()).unwrap_err().kind(), ErrorKind::IsDirectory);
}

#[test]
fn etags_are_compared_where_both_are_known() {
    let file = file_of(&payloads(3));
    let stamp = |etag: &str| Stamp::new(file.len() as u64).etag(etag);
    let index = Index::from_reader(&file[..], stamp("a")).unwrap();
    let index = Index::from_bytes(&index.to_bytes()).unwrap();
    assert_eq!(index.stamp(), &stamp("a"));
}

#[test]
fn a_damaged_file_has_no_index() {
    let mut file = file_of(&payloads(20));
    let last = file.len() - 6;
    file[last] ^= 1;
    let error = Index::from_reader(&file[..], Stamp::new(file.len() as u64)).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::PayloadCrc));
    assert_eq!(error.position().record, Some(19));
}

#[test]
fn any_record_in_any_order() {
    let payloads = payloads(200);
    for builder in available([plain(), members(), members().member_bytes(1), members().member_bytes(1 << 20)])
    {
        let (_folder, path) = on_disk(&builder, &payloads);
        Index::build(&path).unwrap().write_beside(&path).unwrap();
        let mut reader = RandomReader::open(&path).unwrap();
        assert_eq!(reader.len(), 200);
        for step in [1, 7, 199, 53] {
            for i in 0..200 {
                let i = i * step % 200;
                let record = reader.record(i as u64).unwrap();
                assert_eq!(record.data, payloads[i]);
                assert_eq!(record.index, i as u64);
            }
        }
        let error = reader.record(200).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::OutOfRange));
        assert!(error.to_string().ends_with("there is no record 200: the file has 200, numbered from 0"));
    }
}

#[cfg(feature = "gzip")]
#[test]
fn a_single_stream_cannot_be_read_at_random() {
    for builder in [members().single_member(), plain().compression(Compression::Zlib)] {
        let (_folder, path) = on_disk(&builder, &payloads(10));
        let error = RandomReader::open_with(&path, Index::build(&path).unwrap()).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::CompressionUnsupported));
        assert!(error.to_string().contains("write it again as gzip"), "{error}");
    }
}

#[test]
fn a_wrong_index_gives_errors_and_no_wrong_records() {
    let good = file_of(&payloads(20));
    let index = Index::from_reader(&good[..], Stamp::new(good.len() as u64)).unwrap();
    // Another file of the same size.
    let mut lengths: Vec<Vec<u8>> = payloads(20);
    lengths.reverse();
    let other = file_of(&lengths);
    assert_eq!(other.len(), good.len());
    let mut reader = RandomReader::new(Cursor::new(&other), index.clone()).unwrap();
    for i in 0..20 {
        match reader.record(i) {
            Ok(record) => assert_eq!(Some(record.data.len() as u64), index.length(i)),
            Err(error) => assert_eq!(error.detail(), Some(&Kind::IndexStale), "{error}"),
        }
    }
    assert_eq!(reader.record(1).unwrap_err().position().record, Some(1));
    // A shorter one.
    let mut reader = RandomReader::new(Cursor::new(&good[..500]), index.clone()).unwrap();
    assert_eq!(reader.record(19).unwrap_err().detail(), Some(&Kind::IndexStale));
    assert_eq!(reader.record(0).unwrap().data, payloads(20)[0]);
    // A damaged one.
    let mut damaged = good.clone();
    damaged[16 + 12 + 3] ^= 1;
    let mut reader = RandomReader::new(Cursor::new(&damaged), index).unwrap();
    let error = reader.record(1).unwrap_err();
    assert_eq!((error.detail(), error.position().record), (Some(&Kind::PayloadCrc), Some(1)));
}

#[test]
fn splits_are_balanced_and_hold_every_record_once() {
    let payloads = payloads(1000);
    for (builder, most) in available([plain(), members()]).into_iter().zip([211 + 16, 1000 + 2 * 227]) {
        let (_folder, path) = on_disk(&builder, &payloads);
        let index = Index::build(&path).unwrap();
        for target in [1, 500, 3000, 10_000, 1 << 30] {
            let splits = index.splits(target);
            let mut next = 0;
            for split in &splits {
                assert_eq!(split.records.start, next);
                assert!(split.records.end > next);
                assert_eq!(Some(split.bytes.start), index.offset(next));
                assert!(split.bytes.bytes() <= target + most, "{} for {target}", split.bytes.bytes());
                next = split.records.end;
            }
            assert_eq!(next, 1000);
        }
    }
}

#[cfg(feature = "gzip")]
#[test]
fn one_stream_is_one_split() {
    let payloads = payloads(1000);
    let (_folder, path) = on_disk(&members().single_member(), &payloads);
    let splits = Index::build(&path).unwrap().splits(100);
    assert_eq!(splits.len(), 1);
    assert_eq!(splits[0].records, 0..1000);
}

#[test]
fn text_indexes() {
    let file = file_of(&[text(0, 3), text(0, 5), vec![]]);
    let read = |text: &str, bytes: usize| Index::read_text(text.as_bytes(), Stamp::new(bytes as u64));
    // As `tfrecord.tools.tfrecord2idx` of the PyPI package writes it.
    let index = read("0 19\n19 21\n40 16\n", file.len()).unwrap();
    assert_eq!((index.len(), index.length(1), index.crc32_of_payloads()), (3, Some(5), None));
    let mut reader = RandomReader::new(Cursor::new(&file), index.clone()).unwrap();
    assert_eq!(reader.record(1).unwrap().data, text(0, 5));
    assert_eq!(Index::from_bytes(&index.to_bytes()).unwrap(), index);
    let mut out = Vec::new();
    index.write_text(&mut out).unwrap();
    assert_eq!(out, b"0 19\n19 21\n40 16\n");
    assert_eq!(read("0 19\r\n19\t21\n 40 16\n\n", file.len()).unwrap(), index);

    let error = |text: &str| {
        let error = read(text, file.len()).unwrap_err();
        (*error.detail::<Kind>().unwrap(), error.what().to_owned())
    };
    assert_eq!(
        error("0 19\n19 21\n"),
        (Kind::IndexStale, "the text index describes 40 bytes, but the file has 56".into())
    );
    assert_eq!(
        error("0 19\n20 21\n"),
        (
            Kind::IndexCorrupt,
            "line 2 of the text index: the record begins at byte 20, but the one before ends at byte 19"
                .into()
        )
    );
    assert_eq!(
        error("0 3\n"),
        (
            Kind::IndexCorrupt,
            "line 1 of the text index: a record takes at least 16 bytes, this one takes 3".into()
        )
    );
    for bad in ["0\n", "0 19 3\n", "a b\n", "0 -19\n", "0 99999999999999999999\n"] {
        let (kind, what) = error(bad);
        assert_eq!(kind, Kind::IndexCorrupt);
        assert_eq!(
            what,
            format!("line 1 of the text index: \"{}\" is not an offset and a length", bad.trim_end())
        );
    }
    assert_eq!(error(&format!("0 {}\n", u64::MAX)).0, Kind::IndexStale);
}

#[cfg(feature = "gzip")]
#[test]
fn a_compressed_file_has_no_text_index() {
    let (_folder, path) = on_disk(&members(), &payloads(5));
    let error = Index::build(&path).unwrap().write_text(Vec::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

proptest! {
    #[test]
    fn any_lengths_come_back(lengths in proptest::collection::vec(0..2000usize, 0..200)) {
        let payloads: Vec<Vec<u8>> = lengths.iter().map(|&n| text(n, n)).collect();
        let file = file_of(&payloads);
        let index = Index::from_reader(&file[..], Stamp::new(file.len() as u64)).unwrap();
        prop_assert_eq!(&Index::from_bytes(&index.to_bytes()).unwrap(), &index);
        let mut text = Vec::new();
        index.write_text(&mut text).unwrap();
        let same = Index::read_text(&text[..], Stamp::new(file.len() as u64)).unwrap();
        prop_assert_eq!(same.len(), index.len());
        prop_assert!((0..index.len()).all(|i| same.frame(i) == index.frame(i)));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), sign in any::<bool>()) {
        let mut bytes = bytes;
        if sign {
            bytes.splice(..0, *b"\x89TFXI\r\n\x1a\x01\0\0\0");
            let crc = crc32c(&bytes);
            bytes.extend_from_slice(&crc.to_le_bytes());
        }
        let _ = Index::from_bytes(&bytes);
        let _ = Index::read_text(&bytes[..], Stamp::new(bytes.len() as u64));
    }
}

#[test]
fn etags_of_indexes_are_compared_as_weak_ones() {
    let tagged = |tag: &str| Stamp::new(5).etag(tag);
    for now in ["\"a\"", "W/\"a\"", "a"] {
        assert!(tagged("\"a\"").check(&tagged(now)).is_ok(), "{now}");
        assert!(tagged("W/\"a\"").check(&tagged(now)).is_ok(), "{now}");
    }
    let error = tagged("\"a\"").check(&tagged("W/\"b\"")).unwrap_err();
    assert!(error.is(Kind::IndexStale));
    assert_eq!(
        error.to_string(),
        "the object has the ETag W/\"b\"; it had \"a\" when it was indexed; build the index again; if the file was only \
         copied, compare its size or its contents instead of its time"
    );
}
