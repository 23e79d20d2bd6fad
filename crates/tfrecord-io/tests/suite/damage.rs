//! Damaged files: an error each, after all the records before the damage, and never a record that was not written.

use std::io::Cursor;

use tfrecord_io::{
    BatchSize, Error, Kind, Reader, RecordBuffer, SliceReader,
    frame::{self, Verify},
};

fn payloads() -> Vec<Vec<u8>> {
    [5usize, 0, 30, 1]
        .iter()
        .enumerate()
        .map(|(i, &len)| (0..len).map(|j| (i * 50 + j) as u8).collect())
        .collect()
}

fn plain() -> Vec<u8> {
    let mut file = Vec::new();
    for payload in payloads() {
        frame::append(&mut file, &payload);
    }
    file
}

/// Reads `data` in all ways, which must agree, and returns what came before the end or the error.
fn read(data: &[u8]) -> (Vec<Vec<u8>>, Option<Error>) {
    let mut records = Vec::new();
    let mut reader = Reader::builder(data).buffer_bytes(4096).build();
    let error = loop {
        match reader.next_record() {
            Ok(Some(record)) => records.push(record.data.to_vec()),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    if let Some(error) = &error {
        // Damage does not go away by asking again.
        let again = reader.next_record().map(|record| record.is_some()).unwrap_err();
        assert_eq!(again.kind(), error.kind());
    }

    let mut batched = Vec::new();
    let mut reader = Reader::builder(data).buffer_bytes(4096).build();
    let mut batch = RecordBuffer::new();
    let batch_error = loop {
        match reader.read_batch(&mut batch, BatchSize::records(3)) {
            Ok(0) => break None,
            Ok(_) => batched.extend(batch.iter().map(|record| record.data.to_vec())),
            Err(error) => break Some(error),
        }
    };
    assert_eq!(batched, records);
    assert_eq!(batch_error.map(|error| error.to_string()), error.as_ref().map(ToString::to_string));
    (records, error)
}

fn starts_with(records: &[Vec<u8>]) -> bool {
    payloads().starts_with(records)
}

#[test]
fn cut_at_every_byte() {
    let file = plain();
    let mut ends = vec![0];
    for payload in payloads() {
        ends.push(ends.last().unwrap() + payload.len() + frame::OVERHEAD);
    }
    for cut in 0..=file.len() {
        let (records, error) = read(&file[..cut]);
        let whole = ends.iter().filter(|&&end| end <= cut).count() - 1;
        assert_eq!(records, payloads()[..whole]);
        match error {
            None => assert_eq!(ends[whole], cut),
            Some(error) => {
                assert_eq!(error.detail(), Some(&Kind::Truncated), "{cut}");
                assert_eq!(error.position().byte, Some(ends[whole] as u64));
                assert_eq!(error.position().record, Some(whole as u64));
            }
        }
        let slice: Vec<_> = SliceReader::new(&file[..cut]).into_iter().collect();
        assert_eq!(slice.iter().filter(|record| record.is_ok()).count(), whole);
        assert_eq!(slice.last().is_some_and(Result::is_err), ends[whole] != cut);
    }
}

#[test]
fn a_flipped_bit_at_every_position() {
    let file = plain();
    for bit in 0..file.len() * 8 {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let (records, error) = read(&damaged);
        let error = error.unwrap_or_else(|| panic!("bit {bit} goes unnoticed"));
        assert!(starts_with(&records), "bit {bit}: a wrong record");
        assert!(
            matches!(error.detail(), Some(Kind::HeaderCrc | Kind::PayloadCrc | Kind::NotTfRecord)),
            "bit {bit}: {error}"
        );
        assert_eq!(error.position().record, Some(records.len() as u64), "bit {bit}");

        // Without checksums anything may come, but not a panic.
        let reader = Reader::builder(&damaged[..]).verify(Verify::None).build();
        assert!(reader.into_records().count() <= 8);
    }
}

#[test]
fn absurd_lengths() {
    for length in [1 << 63, u64::MAX, u64::MAX - 16, u64::MAX - 15, 1 << 31, i64::MAX as u64] {
        let mut file = plain();
        let offset = file.len() as u64;
        file.extend_from_slice(&frame::Header::encode(length));
        file.extend_from_slice(&[0; 100]);
        let (records, error) = read(&file);
        assert_eq!(records, payloads());
        let error = error.unwrap();
        assert_eq!(error.detail(), Some(&Kind::RecordTooLong));
        assert_eq!(error.position().byte, Some(offset));
        for verify in [Verify::Headers, Verify::None] {
            let reader = Reader::builder(&file[..]).verify(verify).build();
            let error = reader.into_records().find_map(Result::err).unwrap();
            assert_eq!(error.detail(), Some(&Kind::RecordTooLong));
        }
    }
}

#[test]
fn a_file_that_ends_while_it_is_read_through_a_range() {
    let file = plain();
    let mut reader = Reader::builder(Cursor::new(&file[..30])).build_range(21..37).unwrap();
    assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::Truncated));
    // A range that begins where no record begins.
    let mut reader = Reader::builder(Cursor::new(&file)).build_range(20..37).unwrap();
    assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::HeaderCrc));
}

#[cfg(feature = "gzip")]
mod compressed {
    use std::io::Write;

    use flate2::write::{GzEncoder, ZlibEncoder};
    use flate2::{Compression as Level, GzBuilder};
    use tfrecord_io::{Compression, ErrorKind, Limits, Reader, WriterBuilder};

    use super::*;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Level::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    /// Returns a few files of every kind that can be read.
    fn files() -> Vec<(&'static str, Vec<u8>)> {
        let file = plain();
        let mut zlib = ZlibEncoder::new(Vec::new(), Level::default());
        zlib.write_all(&file).unwrap();
        let mut named =
            GzBuilder::new().filename("name").comment("c").extra(vec![1, 2]).write(Vec::new(), Level::none());
        named.write_all(&file).unwrap();
        let write = |builder: WriterBuilder| {
            let mut writer = builder.target(Vec::new()).build().unwrap();
            for payload in payloads() {
                writer.write(&payload).unwrap();
            }
            writer.finish().unwrap()
        };
        vec![
            ("gzip", gzip(&file)),
            ("gzip, two members", [gzip(&file[..25]), gzip(&file[25..])].concat()),
            ("gzip with names, stored", named.finish().unwrap()),
            ("our members", write(WriterBuilder::default().compression(Compression::Gzip).member_bytes(30))),
            (
                "our single member",
                write(WriterBuilder::default().compression(Compression::Gzip).single_member()),
            ),
            ("zlib", zlib.finish().unwrap()),
        ]
    }

    #[test]
    fn cut_at_every_byte() {
        for (what, file) in files() {
            assert_eq!(read(&file).0, payloads(), "{what}");
            for cut in 1..file.len() {
                let (records, error) = read(&file[..cut]);
                assert!(starts_with(&records), "{what}, {cut}");
                // Between two members a file ends like any other; what shows then is a record that is not complete,
                // and where members end with records nothing shows.
                let Some(error) = error else {
                    assert!(matches!(what, "our members"), "{what}, {cut}");
                    continue;
                };
                // A stream of one or two bytes is not seen to be one.
                let kinds: &[_] =
                    if cut < 3 { &[Kind::Truncated, Kind::NotTfRecord] } else { &[Kind::Truncated] };
                assert!(kinds.iter().any(|kind| error.is(*kind)), "{what}, {cut}: {error}");
            }
        }
    }

    #[test]
    fn a_flipped_bit_at_every_position() {
        for (what, file) in files() {
            for bit in 0..file.len() * 8 {
                let mut damaged = file.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                let (records, error) = read(&damaged);
                assert!(starts_with(&records), "{what}, bit {bit}: a wrong record");
                // Parts of a header carry no data: time, system, name. Damage there is none to the records.
                assert!(
                    error.is_some() || records == payloads(),
                    "{what}, bit {bit}: records lost in silence"
                );
            }
        }
    }

    #[test]
    fn what_stands_behind_a_stream() {
        for (what, file) in files() {
            let (records, error) = read(&[file.clone(), vec![0; 5000]].concat());
            assert_eq!(records, payloads(), "{what}");
            assert!(error.is_none(), "{what}: zero bytes are padding");
            for garbage in [&b"garbage"[..], b"\0\0x", b"\x1f", b"\x1f\x8b\x08"] {
                let (records, error) = read(&[&file, garbage].concat());
                assert_eq!(records, payloads(), "{what}: nothing before the garbage is lost");
                let error = error.unwrap();
                let is_trailing = matches!(error.detail(), Some(Kind::TrailingBytes));
                assert!(
                    is_trailing || matches!(error.detail(), Some(Kind::Truncated)) && garbage[0] == 0x1f,
                    "{what}: {error}"
                );
                // It belongs to no record then.
                assert_eq!(error.position().record.is_none(), is_trailing, "{what}: {error}");
                assert!(error.position().stored_byte >= Some(file.len() as u64), "{what}: {error}");
            }
        }
    }

    #[test]
    fn bombs_meet_limits() {
        let file = gzip(&vec![0; 10 << 20]);
        let limits = Limits::default().decompression_ratio(100);
        let error = Reader::builder(&file[..])
            .limits(limits)
            .compression(Some(Compression::Gzip))
            .verify(Verify::None)
            .build()
            .into_records()
            .find_map(Result::err)
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.to_string().contains("`decompression_ratio`"), "{error}");
        let limits = Limits::default().decompressed_bytes(1000);
        let error = Reader::builder(&file[..])
            .limits(limits)
            .verify(Verify::None)
            .build()
            .into_records()
            .find_map(Result::err)
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }
}
