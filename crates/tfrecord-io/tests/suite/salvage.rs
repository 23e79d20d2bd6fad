//! Salvage: damage costs the damaged records and nothing else, is reported, and never stops or deceives the reader.

use std::io::Read;

use proptest::prelude::*;
use tfrecord_io::frame::{self, OVERHEAD};
use tfrecord_io::salvage::{Reason, Report, SalvageReader};
#[cfg(feature = "gzip")]
use tfrecord_io::{Compression, Writer};
use tfrecord_io::{Kind, SliceReader};

fn file_of<T: AsRef<[u8]>>(payloads: &[T]) -> Vec<u8> {
    let mut file = Vec::new();
    for payload in payloads {
        frame::append(&mut file, payload.as_ref());
    }
    file
}

fn text(seed: usize, n: usize) -> Vec<u8> {
    b"the quick brown fox jumps over the lazy dog, ".iter().copied().cycle().skip(seed % 45).take(n).collect()
}

/// Reads to the end with a bound on the steps, so that a reader that does not move forward fails the test.
fn salvage<R: Read>(mut reader: SalvageReader<R>) -> (Vec<Vec<u8>>, Report) {
    let mut records = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        assert_eq!(record.index, records.len() as u64);
        records.push(record.data.to_vec());
        assert!(records.len() < 100_000, "no end");
    }
    (records, reader.into_report())
}

fn read(file: &[u8]) -> (Vec<Vec<u8>>, Report) {
    salvage(SalvageReader::new(file))
}

/// Asserts that lost ranges do not overlap and, with the good records, are the whole file.
fn check_accounting(file: &[u8], records: &[Vec<u8>], report: &Report) {
    let good: u64 = records.iter().map(|record| (record.len() + OVERHEAD) as u64).sum();
    assert_eq!(report.records, records.len() as u64);
    assert_eq!(good + report.lost_bytes, file.len() as u64);
    assert!(report.damages.windows(2).all(|pair| pair[0].end <= pair[1].start));
    assert!(report.damages.iter().all(|damage| damage.start < damage.end));
}

fn ranges(report: &Report) -> Vec<(u64, u64, Reason)> {
    report.damages.iter().map(|damage| (damage.start, damage.end, damage.reason)).collect()
}

const SIZES: [usize; 7] = [20, 0, 33, 100, 7, 0, 50];

fn payloads() -> Vec<Vec<u8>> {
    SIZES.iter().enumerate().map(|(i, &n)| text(7 * i, n)).collect()
}

#[test]
fn a_good_file_is_read_as_it_is() {
    let (records, report) = read(&file_of(&payloads()));
    assert_eq!(records, payloads());
    assert!(report.is_clean());
    assert_eq!(report.payload_bytes, 210);
    let (records, report) = read(&[]);
    assert!(records.is_empty() && report.is_clean());
}

#[test]
fn one_damaged_byte_anywhere_costs_one_record() {
    let good = payloads();
    let file = file_of(&good);
    let mut start = 0;
    for (i, payload) in good.iter().enumerate() {
        let end = start + payload.len() + OVERHEAD;
        for byte in start..end {
            for flip in [1u8, 0x80, 0xff] {
                let mut damaged = file.clone();
                damaged[byte] ^= flip;
                let (records, report) = read(&damaged);
                let mut expected = good.clone();
                expected.remove(i);
                assert_eq!(records, expected, "byte {byte} of record {i}");
                let reason = if byte < start + 12 { Reason::HeaderCrc } else { Reason::PayloadCrc };
                assert_eq!(ranges(&report), [(start as u64, end as u64, reason)]);
                let damage = &report.damages[0];
                let last = damage.last_good_offset.map(|offset| (damage.records_before - 1, offset));
                let before = i.checked_sub(1).map(|k| (k as u64, start - good[k].len() - OVERHEAD));
                assert_eq!(last, before.map(|(index, offset)| (index, offset as u64)));
            }
        }
        start = end;
    }
}

#[test]
fn two_damages_side_by_side_cost_two_records() {
    let good = payloads();
    let file = file_of(&good);
    let starts: Vec<usize> =
        SliceReader::new(&file).into_iter().map(|record| record.unwrap().offset as usize).collect();
    for i in 0..good.len() - 1 {
        let end = starts.get(i + 2).copied().unwrap_or(file.len());
        for first in starts[i]..starts[i + 1] {
            for second in starts[i + 1]..end {
                let mut damaged = file.clone();
                damaged[first] ^= 4;
                damaged[second] ^= 32;
                let (records, report) = read(&damaged);
                let mut expected = good.clone();
                expected.drain(i..=i + 1);
                assert_eq!(records, expected, "bytes {first} and {second}");
                check_accounting(&damaged, &records, &report);
            }
        }
    }
}

#[test]
fn header_and_payload_of_one_record_and_another_damage_farther_on() {
    let good = payloads();
    let mut file = file_of(&good);
    // Record 0: length and payload. Record 3: payload.
    file[3] ^= 1;
    file[15] ^= 1;
    let third: usize = SIZES[..3].iter().map(|n| n + OVERHEAD).sum();
    file[third + 40] ^= 1;
    let (records, report) = read(&file);
    assert_eq!(records, [&good[1..3], &good[4..]].concat());
    let end = third + SIZES[3] + OVERHEAD;
    assert_eq!(ranges(&report), [(0, 36, Reason::HeaderCrc), (third as u64, end as u64, Reason::PayloadCrc)]);
}

#[test]
fn cut_at_every_byte() {
    let good = payloads();
    let file = file_of(&good);
    let ends: Vec<usize> = good
        .iter()
        .scan(0, |end, payload| {
            *end += payload.len() + OVERHEAD;
            Some(*end)
        })
        .collect();
    for cut in 0..file.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        let (records, report) = read(&file[..cut]);
        assert_eq!(records, good[..whole], "cut at {cut}");
        let start = if whole == 0 { 0 } else { ends[whole - 1] };
        if start == cut {
            assert!(report.is_clean());
        } else {
            assert_eq!(ranges(&report), [(start as u64, cut as u64, Reason::Truncated)]);
        }
    }
}

/// A writer died inside a record, and another one appended to the file.
#[test]
fn cut_at_every_byte_and_written_on() {
    let good = payloads();
    let behind: Vec<Vec<u8>> = (0..9).map(|i| text(i, 40 + i)).collect();
    for size in [0, 1, 60, 300, 5000] {
        let last = file_of(&[text(3, size)]);
        let before = file_of(&good);
        for cut in (1..last.len()).step_by(1 + size / 100) {
            let file = [&before, &last[..cut], &file_of(&behind)].concat();
            let (records, report) = read(&file);
            assert_eq!(records, [&good[..], &behind].concat(), "a record of {size} cut at {cut}");
            check_accounting(&file, &records, &report);
            assert_eq!(report.damages.len(), 1);
        }
    }
}

#[test]
fn bytes_in_between_and_in_front() {
    let good = payloads();
    let file = file_of(&good);
    for garbage in [vec![0; 1], vec![0; 5000], vec![0xff; 77], text(0, 1000), (0..=255).collect()] {
        // Behind the first record, and behind the last.
        let first = SIZES[0] + OVERHEAD;
        for at in [first, file.len()] {
            let damaged = [&file[..at], &garbage, &file[at..]].concat();
            let (records, report) = read(&damaged);
            assert_eq!(records, good);
            assert_eq!(
                (report.damages[0].start, report.damages[0].bytes()),
                (at as u64, garbage.len() as u64)
            );
            check_accounting(&damaged, &records, &report);
        }
    }
    let (records, _) = read(&[&[0; 100], &file[..]].concat());
    assert_eq!(records, good);
}

/// The contents of a damaged payload are not taken for records of the file.
#[test]
fn records_inside_a_damaged_record_are_not_read() {
    let inner = file_of(&(0..20).map(|i| text(i, 30)).collect::<Vec<_>>());
    for (before, behind) in [(0, 0), (5, 0), (0, 9), (13, 100)] {
        let nested = [&text(1, before)[..], &inner, &text(2, behind)].concat();
        for followers in 0..3 {
            let mut good = vec![text(1, 10), nested.clone()];
            good.extend((0..followers).map(|i| text(i, 20)));
            let file = file_of(&good);
            let start = 26;
            let end = start + nested.len() + OVERHEAD;
            let mut expected = good.clone();
            expected.remove(1);
            // The length: the payload is recognised by its checksum. The payload: the length says where it ends.
            for byte in (start..start + 12).chain([start + 12, start + 60, end - 5, end - 1]) {
                let mut damaged = file.clone();
                damaged[byte] ^= 2;
                let (records, report) = read(&damaged);
                assert_eq!(
                    records, expected,
                    "byte {byte}, {before} before, {behind} behind, {followers} followers"
                );
                assert_eq!(report.damages.len(), 1);
            }
            // Cut off inside of it, but for the cuts between two inner records, which cannot be told from the end of
            // a file.
            let inner_start = start + 12 + before;
            for cut in
                (start + 12..end).step_by(5).filter(|&cut| cut < inner_start || (cut - inner_start) % 46 != 0)
            {
                let (records, _) = read(&file[..cut]);
                assert_eq!(records, good[..1], "cut at {cut}");
            }
        }
    }
}

#[test]
fn files_of_other_kinds_are_not_repaired_to_nothing() {
    let error = SalvageReader::new(&b"PAR1 and so on, with much more"[..]).next_record().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::NotTfRecord));
}

#[test]
fn too_long_for_the_limit() {
    let good = payloads();
    let limits = tfrecord_io::Limits::default().record_bytes(60);
    let (records, report) = salvage(SalvageReader::builder(&file_of(&good)[..]).limits(limits).build());
    assert_eq!(records, [&good[..3], &good[4..]].concat());
    assert_eq!(report.damages[0].reason, Reason::RecordTooLong);
}

/// Gives a few bytes at a time.
struct Slow<'a>(&'a [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(out.len()).min(self.0.len());
        out[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn the_same_whatever_the_reads() {
    let mut file = file_of(&payloads());
    for byte in [3, 70, 75, 200] {
        file[byte] ^= 8;
    }
    let expected = read(&file);
    for size in [1, 3, 7, 100] {
        assert_eq!(salvage(SalvageReader::new(Slow(&file, size))), expected, "reads of {size}");
    }
}

#[test]
fn a_small_lookahead_still_finds_what_is_near() {
    let good: Vec<Vec<u8>> = (0..500).map(|i| text(i, 100)).collect();
    let mut file = file_of(&good);
    file[116 * 100] ^= 1;
    file[116 * 100 + 50] ^= 1;
    let (records, _) = salvage(SalvageReader::builder(&file[..]).lookahead_bytes(0).build());
    assert_eq!(records, [&good[..100], &good[101..]].concat());
}

#[cfg(feature = "gzip")]
fn gzip(payloads: &[Vec<u8>], member_bytes: Option<usize>) -> Vec<u8> {
    let builder = Writer::builder(Vec::new()).compression(Compression::Gzip);
    let builder = match member_bytes {
        Some(bytes) => builder.member_bytes(bytes),
        None => builder.single_member(),
    };
    let mut writer = builder.build().unwrap();
    for payload in payloads {
        writer.write(payload).unwrap();
    }
    writer.finish().unwrap()
}

/// Payloads that do not compress to nothing.
#[cfg(feature = "gzip")]
fn noise(seed: u64, n: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(88_172_645_463_325_252);
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 58) as u8
        })
        .collect()
}

#[cfg(feature = "gzip")]
#[test]
fn a_damaged_gzip_member_costs_at_most_that_member() {
    let good: Vec<Vec<u8>> = (0..120).map(|i| noise(i, 84)).collect();
    // Ten records a member.
    let file = gzip(&good, Some(1000));
    let members = tfrecord_io::compression::members::hop(std::io::Cursor::new(&file)).unwrap().unwrap();
    assert_eq!(members.len(), 12);
    let damaged_member = members[5];
    for byte in damaged_member.stored_offset..damaged_member.stored_offset + damaged_member.stored_len {
        let mut damaged = file.clone();
        damaged[byte as usize] ^= 0x11;
        let (records, report) = salvage(SalvageReader::new(&damaged[..]));
        assert!(records.len() >= 110, "byte {byte}: {} records\n{report}", records.len());
        assert_eq!(records[..50], good[..50]);
        assert_eq!(records[records.len() - 60..], good[60..]);
        assert!(records.iter().all(|record| good.contains(record)));
        // Fields that no reader needs may change without a damage: time, flags, system.
        assert!(!report.is_clean() || records.len() == 120);
    }
}

#[cfg(feature = "gzip")]
#[test]
fn a_cut_gzip_stream_gives_what_came_before() {
    let good: Vec<Vec<u8>> = (0..50).map(|i| noise(i, 100)).collect();
    for member_bytes in [Some(1000), None] {
        let file = gzip(&good, member_bytes);
        let mut most = 0;
        for cut in (12..file.len()).step_by(41) {
            let (records, report) =
                salvage(SalvageReader::builder(&file[..cut]).compression(Some(Compression::Gzip)).build());
            assert_eq!(records, good[..records.len()], "cut at {cut}");
            assert!(records.len() >= most, "more bytes, fewer records");
            most = records.len();
            let at_member_end = report.is_clean();
            assert!(!at_member_end || records.len().is_multiple_of(9) || member_bytes.is_some());
        }
        assert!(most >= 45);
        let (records, report) = salvage(SalvageReader::new(&file[..]));
        assert_eq!(records, good);
        assert!(report.is_clean());
    }
}

#[cfg(feature = "gzip")]
#[test]
fn damage_in_a_single_member_is_lost_to_the_end() {
    let good: Vec<Vec<u8>> = (0..200).map(|i| noise(i, 1000)).collect();
    let mut file = gzip(&good, None);
    let middle = file.len() / 2;
    // No deflate block begins like this.
    file[middle..middle + 600].fill(0xff);
    let (records, report) = salvage(SalvageReader::new(&file[..]));
    assert!(records.len() > 50 && records.len() < 150, "{}", records.len());
    assert_eq!(records, good[..records.len()]);
    let last = report.damages.last().unwrap();
    assert_eq!((last.reason, last.compressed, last.end), (Reason::Compression, true, file.len() as u64));
    assert_eq!(report.lost_compressed_bytes, last.bytes());
}

/// Members of another writer, whose headers have no length: no record comes twice.
#[cfg(feature = "gzip")]
#[test]
fn members_of_other_writers() {
    use std::io::Write;

    let good: Vec<Vec<u8>> = (0..30).map(|i| noise(i, 60)).collect();
    let mut file = Vec::new();
    let mut starts = Vec::new();
    for payloads in good.chunks(10) {
        starts.push(file.len());
        let mut encoder = flate2::write::GzEncoder::new(&mut file, flate2::Compression::default());
        encoder.write_all(&file_of(payloads)).unwrap();
        encoder.finish().unwrap();
    }
    for byte in starts[1]..starts[2] {
        let mut damaged = file.clone();
        damaged[byte] ^= 0x11;
        let (records, report) = salvage(SalvageReader::new(&damaged[..]));
        assert_eq!(records[..10], good[..10], "byte {byte}");
        assert_eq!(records[records.len() - 10..], good[20..], "byte {byte}\n{report}");
        assert!(records.len() <= 30 && records.iter().all(|record| good.contains(record)), "byte {byte}");
    }
    for cut in starts[1] + 1..file.len() {
        let (records, report) = salvage(SalvageReader::new(&file[..cut]));
        assert_eq!(records, good[..records.len()], "cut at {cut}\n{report}");
        assert!(!report.is_clean() || cut == starts[2]);
    }
}

#[cfg(feature = "gzip")]
#[test]
fn zlib_gives_what_came_before() {
    let good: Vec<Vec<u8>> = (0..50).map(|i| noise(i, 100)).collect();
    let mut writer = Writer::builder(Vec::new()).compression(Compression::Zlib).build().unwrap();
    for payload in &good {
        writer.write(payload).unwrap();
    }
    let file = writer.finish().unwrap();
    let (records, report) = salvage(SalvageReader::new(&file[..]));
    assert_eq!(records, good);
    assert!(report.is_clean());
    let (records, report) = salvage(SalvageReader::new(&file[..file.len() / 2]));
    assert!(records.len() > 10);
    assert_eq!(records, good[..records.len()]);
    assert!(report.damages.iter().any(|damage| damage.reason == Reason::Compression));
}

/// Payloads that may hold whole files, which may hold whole files.
fn nested() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop_oneof![
        (0..100usize, 0..200usize).prop_map(|(seed, n)| text(seed, n)),
        (0..50usize).prop_map(|n| vec![0; n])
    ];
    leaf.prop_recursive(3, 40, 6, |inner| {
        (proptest::collection::vec(inner, 1..6), 0..20usize, 0..20usize).prop_map(
            |(payloads, before, behind)| {
                [&text(1, before)[..], &file_of(&payloads), &text(2, behind)].concat()
            },
        )
    })
}

proptest! {
    #[test]
    fn one_damaged_byte_costs_one_record_whatever_the_payloads_hold(
        good in proptest::collection::vec(nested(), 1..10),
        at in any::<proptest::sample::Index>(),
        flip in 1..=255u8,
    ) {
        let mut file = file_of(&good);
        let at = at.index(file.len());
        file[at] ^= flip;
        let (records, report) = read(&file);
        let mut end = 0;
        let damaged = good.iter().position(|payload| {
            end += payload.len() + OVERHEAD;
            at < end
        });
        let mut expected = good.clone();
        expected.remove(damaged.unwrap());
        prop_assert_eq!(records, expected);
        prop_assert_eq!(report.damages.len(), 1);
    }

    #[test]
    fn any_damage_ends_and_gives_only_real_records(
        sizes in proptest::collection::vec(0..300usize, 1..30),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), 1..=255u8), 0..12),
    ) {
        let good: Vec<Vec<u8>> = sizes.iter().enumerate().map(|(i, &n)| text(i, n)).collect();
        let mut file = file_of(&good);
        // One damaged byte costs at most one record.
        for (index, flip) in &damage {
            let at = index.index(file.len());
            file[at] ^= flip;
        }
        let (records, report) = read(&file);
        check_accounting(&file, &records, &report);
        prop_assert!(records.len() + damage.len() >= good.len());
        prop_assert!(records.iter().all(|record| good.contains(record)));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600), gz in any::<bool>()) {
        let mut bytes = bytes;
        if gz {
            bytes.splice(..0, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0]);
        }
        let mut reader = SalvageReader::new(&bytes[..]);
        while let Ok(Some(_)) = reader.next_record() {}
    }
}

#[cfg(feature = "gzip")]
#[test]
fn bytes_after_the_compressed_data_are_called_so() {
    let payloads = payloads();
    for compression in [Compression::Gzip, Compression::Zlib] {
        for member_bytes in [1 << 20, 60] {
            let builder = Writer::builder(Vec::new()).compression(compression).member_bytes(member_bytes);
            let mut writer = builder.build().unwrap();
            payloads.iter().for_each(|payload| writer.write(payload).unwrap());
            let file = writer.finish().unwrap();
            for padding in [0, 3, 70_000] {
                for garbage in [&b"garbage"[..], b"x", &[0xab; 100_000]] {
                    let padded = [&file[..], &vec![0; padding]].concat();
                    let (records, report) = read(&[&padded[..], garbage].concat());
                    assert_eq!(records, payloads);
                    let [damage] = &report.damages[..] else { panic!("{report}") };
                    let (start, end) = (padded.len() as u64, (padded.len() + garbage.len()) as u64);
                    assert_eq!((damage.start, damage.end, damage.compressed), (start, end, true), "{report}");
                    assert_eq!(damage.reason, Reason::TrailingBytes, "{report}");
                    assert!(report.to_string().contains("follow the end of the compressed data"), "{report}");
                }
                // Cut short it is something else.
                let (_, report) = read(&file[..file.len() - 5]);
                assert!(
                    report.damages.iter().all(|damage| damage.reason != Reason::TrailingBytes),
                    "{report}"
                );
            }
            if compression == Compression::Gzip {
                // Bytes between members do not follow the end.
                let (records, report) = read(&[&file[..], b"garbage", &file].concat());
                assert_eq!(records.len(), 2 * payloads.len());
                assert_eq!(report.damages.len(), 1, "{report}");
                assert_eq!(report.damages[0].reason, Reason::Compression);
            }
        }
    }
}
