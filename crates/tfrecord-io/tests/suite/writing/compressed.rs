//! Compressed files, read by us and by a plain gzip reader.

use std::io::{Cursor, Read as _};

use proptest::prelude::*;
use tfrecord_io::compression::members::{self, Member};
use tfrecord_io::writer::MemberEncoder;
use tfrecord_io::{Compression, Kind, Reader, SliceReader, Writer, WriterBuilder, frame};

fn write(builder: &WriterBuilder, payloads: &[Vec<u8>], flush_every: usize) -> Vec<u8> {
    let mut writer = builder.target(Vec::new()).build().unwrap();
    for (i, payload) in payloads.iter().enumerate() {
        writer.write(payload).unwrap();
        if i % flush_every == flush_every - 1 {
            writer.flush().unwrap();
        }
    }
    writer.finish().unwrap()
}

/// Inflates a file as any gzip tool does.
fn gunzip(file: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::MultiGzDecoder::new(file).read_to_end(&mut out).unwrap();
    out
}

fn member(file: &[u8], member: &Member) -> Vec<u8> {
    let from = member.stored_offset as usize;
    let mut out = Vec::new();
    let stored = &file[from..from + member.stored_len as usize];
    members::inflate(stored, member, 1 << 30, &mut out).unwrap();
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn round_trip(
        lengths in prop::collection::vec(prop_oneof![Just(0), 1..50usize, 500..5000usize], 0..60),
        level in 0..10u32,
        member_bytes in 1..20_000usize,
        flush_every in 1..100usize,
        kind in 0..4usize,
    ) {
        let payloads: Vec<Vec<u8>> =
            lengths.iter().map(|&len| (0..len).map(|i| (i * i / 7 + len) as u8).collect()).collect();
        let builder = WriterBuilder::default().level(level).buffer_bytes(member_bytes).member_bytes(member_bytes);
        let builder = match kind {
            0 => builder,
            1 => builder.compression(Compression::Gzip),
            2 => builder.compression(Compression::Gzip).single_member(),
            _ => builder.compression(Compression::Zlib),
        };
        let file = write(&builder, &payloads, flush_every);
        let mut reader = Reader::new(&file[..]);
        let expected = [Compression::None, Compression::Gzip, Compression::Gzip, Compression::Zlib][kind];
        // Of nothing there is nothing to detect.
        prop_assert!(file.is_empty() || reader.compression().unwrap() == expected);
        let got: Vec<_> = reader.into_records().map(|record| record.unwrap().data).collect();
        prop_assert_eq!(&got, &payloads);

        if kind == 1 {
            let whole = gunzip(&file);
            let members = members::hop(Cursor::new(&file)).unwrap().unwrap();
            let (mut at, mut offset, mut first_record) = (0, 0, 0);
            for m in &members {
                prop_assert_eq!((m.stored_offset, m.offset, m.first_record), (at, offset, first_record));
                let inflated = member(&file, m);
                prop_assert_eq!(&inflated, &whole[offset as usize..(offset + m.uncompressed_len) as usize]);
                prop_assert_eq!(SliceReader::new(&inflated).into_iter().count() as u64, m.records);
                at += m.stored_len;
                offset += m.uncompressed_len;
                first_record += m.records;
            }
            prop_assert_eq!(at as usize, file.len());
            prop_assert_eq!(first_record as usize, payloads.len());
        } else if kind == 2 {
            prop_assert_eq!(members::hop(Cursor::new(&file)).unwrap(), None);
            gunzip(&file);
        }
    }

    #[test]
    fn headers_of_members_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..100), real in any::<bool>()) {
        let mut start = bytes;
        if real {
            start.splice(0..start.len().min(4), [0x1f, 0x8b, 8, 4]);
        }
        members::parse_header(&start);
        let _ = members::hop(Cursor::new(&start));
    }
}

#[test]
fn a_member_ends_behind_the_record_that_fills_it() {
    let payloads = vec![vec![1; 84]; 25]; // frames of 100 bytes
    let builder = WriterBuilder::default().compression(Compression::Gzip).member_bytes(950);
    let file = write(&builder, &payloads, usize::MAX);
    let members = members::hop(Cursor::new(&file)).unwrap().unwrap();
    assert_eq!(members.iter().map(|m| m.records).collect::<Vec<_>>(), [10, 10, 5]);
}

#[test]
fn an_empty_gzip_file_is_one_empty_member() {
    let builder = WriterBuilder::default().compression(Compression::Gzip);
    for builder in [builder.clone(), builder.single_member()] {
        let file = write(&builder, &[], 1);
        assert!(file.len() > 18);
        assert_eq!(gunzip(&file), b"");
        assert!(Reader::new(&file[..]).next_record().unwrap().is_none());
    }
}

#[test]
fn a_wrong_claim_of_a_member_is_an_error() {
    let payloads: Vec<Vec<u8>> = (0..50u8).map(|i| vec![i; 100]).collect();
    let builder = WriterBuilder::default().compression(Compression::Gzip).member_bytes(2000);
    let file = write(&builder, &payloads, usize::MAX);
    let hop = |file: &[u8]| members::hop(Cursor::new(file));
    let good = hop(&file).unwrap().unwrap();
    assert_eq!(good.len(), 3);

    // Every bit of the first header's subfield: its checksum does not match, so nobody hops.
    for bit in 12 * 8..members::HEADER_LEN * 8 {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(hop(&damaged).unwrap(), None, "bit {bit}");
        // A sequential reader does not care for the claims, as long as the fields of gzip itself are whole.
        let read = Reader::new(&damaged[..]).into_records().filter(|r| r.is_ok()).count();
        assert!(read == 50 || (14 * 8..16 * 8).contains(&bit), "bit {bit}: {read}");
    }
    // Claims that lie, with a checksum that fits.
    for (field, change) in [(0, 1u64), (0, u64::MAX), (1, 1), (1, u64::MAX), (2, 1)] {
        let mut lying = file.clone();
        let numbers = &mut lying[16..40];
        let number = u64::from_le_bytes(numbers[field * 8..][..8].try_into().unwrap()).wrapping_add(change);
        numbers[field * 8..][..8].copy_from_slice(&number.to_le_bytes());
        let crc = tfrecord_io::crc::masked_crc32c(numbers);
        lying[40..44].copy_from_slice(&crc.to_le_bytes());
        let claim = members::parse_header(&lying).unwrap();
        let mut out = Vec::new();
        let stored = &lying[..claim.stored_len as usize];
        let inflated = members::inflate(stored, &claim, 1 << 30, &mut out);
        match field {
            // The count of records is compared by those who count.
            2 => assert!(
                inflated.is_ok() && SliceReader::new(&out).into_iter().count() as u64 != claim.records
            ),
            _ => assert_eq!(inflated.unwrap_err().detail(), Some(&Kind::Decompress), "field {field}"),
        }
    }
    for cut in 1..file.len() {
        match hop(&file[..cut]) {
            Err(error) => assert_eq!(error.detail(), Some(&Kind::Truncated)),
            Ok(found) => {
                assert!(found.is_none() || good.iter().any(|m| m.stored_offset == cut as u64), "{cut}")
            }
        }
    }
    let mut padded = file.clone();
    padded.extend_from_slice(&[0; 500]);
    assert_eq!(hop(&padded).unwrap().unwrap(), good);
    padded.push(1);
    assert_eq!(hop(&padded).unwrap(), None);
}

#[test]
fn members_cost_little() {
    // Records like those of a real set: some structure, some noise.
    let mut seed = 1u32;
    let payloads: Vec<Vec<u8>> = (0..20_000u32)
        .map(|i| {
            let mut payload = format!("feature_{} value {} ", i % 7, i / 3).repeat(4).into_bytes();
            for _ in 0..40 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                payload.push((seed >> 24) as u8);
            }
            payload
        })
        .collect();
    let builder = WriterBuilder::default().compression(Compression::Gzip);
    let members = write(&builder, &payloads, usize::MAX).len() as f64;
    let single = write(&builder.single_member(), &payloads, usize::MAX).len() as f64;
    assert!(members < single * 1.01, "{members} against {single} bytes");
    let raw: usize = payloads.iter().map(|payload| payload.len() + frame::OVERHEAD).sum();
    assert!(single < raw as f64 / 2.0);
}

#[test]
fn a_flushed_stream_can_be_read_to_there() {
    for builder in [
        WriterBuilder::default(),
        WriterBuilder::default().compression(Compression::Gzip),
        WriterBuilder::default().compression(Compression::Gzip).single_member(),
        WriterBuilder::default().compression(Compression::Zlib),
    ] {
        let mut out = Vec::new();
        let mut writer = builder.target(&mut out).build().unwrap();
        for i in 0..3u8 {
            writer.write(&[i; 1000]).unwrap();
        }
        writer.flush().unwrap();
        drop(writer);
        let read = Reader::new(&out[..]).into_records().filter(|record| record.is_ok()).count();
        assert_eq!(read, 3);
    }
}

#[test]
fn frames_and_members_are_made_apart_from_the_writer() {
    let records = (0..3000u32).map(|i| vec![i as u8; (i % 700) as usize]).collect::<Vec<_>>();
    let framed = |records: &[Vec<u8>]| {
        let mut frames = Vec::new();
        records.iter().for_each(|record| frame::append(&mut frames, record));
        frames
    };
    let whole = |builder: WriterBuilder<Vec<u8>>| {
        let mut writer = builder.build().unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        writer.finish().unwrap()
    };
    for part in [1, 7, 1000, 5000] {
        let mut writer = Writer::builder(Vec::new()).build().unwrap();
        for records in records.chunks(part) {
            writer.write_frames(&framed(records), records.len() as u64).unwrap();
        }
        assert_eq!((writer.records_written(), writer.offset()), (3000, framed(&records).len() as u64));
        assert_eq!(writer.finish().unwrap(), whole(Writer::builder(Vec::new())), "{part}");
    }
    // Members that end where those of the writer do are those of the writer.
    let gzip = || Writer::builder(Vec::new()).compression(Compression::Gzip).level(4).member_bytes(1);
    let (mut writer, mut encoder) = (gzip().build().unwrap(), MemberEncoder::new(4));
    for record in &records {
        let member = encoder.encode(&framed(std::slice::from_ref(record)), 1).unwrap();
        assert_eq!((member.records(), member.uncompressed_len()), (1, record.len() as u64 + 16));
        writer.write_member(&member).unwrap();
    }
    assert_eq!((writer.records_written(), writer.offset()), (3000, framed(&records).len() as u64));
    let stored = writer.stored_bytes();
    let file = writer.finish().unwrap();
    assert_eq!((stored, &file), (file.len() as u64, &whole(gzip())));
    // What is buffered comes first.
    let mut writer = Writer::builder(Vec::new()).compression(Compression::Gzip).build().unwrap();
    writer.write(b"first").unwrap();
    writer.write_member(&encoder.encode(&framed(&records[1..3]), 2).unwrap()).unwrap();
    let file = writer.finish().unwrap();
    let read = Reader::new(&file[..]).into_records().map(|record| record.unwrap().data);
    assert_eq!(read.collect::<Vec<_>>(), [b"first".to_vec(), records[1].clone(), records[2].clone()]);
    for builder in [Writer::builder(Vec::new()), gzip().single_member()] {
        let error = builder.build().unwrap().write_member(&encoder.encode(&[], 0).unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a gzip member is written to a file that is not gzip in members; write its records one by one"
        );
    }
}

#[test]
fn a_member_does_not_depend_on_those_before_it() {
    let mut state = 1u64;
    let mut framed = |records: usize| {
        let mut frames = Vec::new();
        for _ in 0..records {
            // Words, so that there are matches where room would run out.
            let record = (0..200).flat_map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let word = (state >> 56) as u8;
                (0..3 + word % 5).map(move |at| word.wrapping_mul(at + 1))
            });
            frame::append(&mut frames, &record.collect::<Vec<_>>());
        }
        frames
    };
    let long = framed(1000);
    for level in [1, 6, 9] {
        for records in [70, 150, 260, 400] {
            let short = framed(records);
            let alone = MemberEncoder::new(level).encode(&short, records as u64).unwrap();
            let mut encoder = MemberEncoder::new(level);
            encoder.encode(&long, 1000).unwrap();
            let after = encoder.encode(&short, records as u64).unwrap();
            assert!(after == alone, "level {level}, {records} records");
        }
    }
}
