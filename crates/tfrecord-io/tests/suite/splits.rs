//! Splits: every record exactly once, wherever the cuts fall and whatever the payloads hold.

use std::io::Cursor;

use proptest::prelude::*;
use tfrecord_io::crc::{header_crc, masked_crc32c};
use tfrecord_io::frame::{self, Header, OVERHEAD, Verify};
use tfrecord_io::{
    BatchSize, ErrorKind, Kind, Reader, ReaderBuilder, RecordBuffer, SliceReader, Split, SplitReader,
    Splitter, splits,
};

fn file_of(payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for payload in payloads {
        frame::append(&mut file, payload);
    }
    file
}

/// Returns the offsets of all records, and the file's size.
fn starts(file: &[u8]) -> Vec<u64> {
    let mut starts: Vec<u64> = SliceReader::new(file).into_iter().map(|r| r.unwrap().offset).collect();
    starts.push(file.len() as u64);
    starts
}

fn splitter(file: &[u8]) -> Splitter<Cursor<&[u8]>> {
    Splitter::new(Cursor::new(file)).unwrap()
}

/// Asserts that every cut finds the first record after it, by scanning and by hopping.
fn check_every_cut(file: &[u8]) {
    let starts = starts(file);
    let mut splitter = splitter(file);
    for cut in 0..=file.len() as u64 + 3 {
        let expected = *starts.iter().find(|&&start| start >= cut).unwrap_or(&(file.len() as u64));
        assert_eq!(splitter.first_record(cut).unwrap(), expected, "scanning from {cut}");
        assert_eq!(splitter.hop_to(cut).unwrap(), expected, "hopping to {cut}");
    }
}

/// Reads the splits and gives their records, as (offset, payload).
fn read_splits(file: &[u8], ranges: &[Split]) -> Vec<(u64, Vec<u8>)> {
    let mut records = Vec::new();
    let mut batch = RecordBuffer::new();
    for (i, &range) in ranges.iter().enumerate() {
        let mut reader = SplitReader::new(Cursor::new(file), range).unwrap();
        if i % 2 == 0 {
            while let Some(record) = reader.next_record().unwrap() {
                assert!(range.start <= record.offset && record.offset < range.end);
                records.push((record.offset, record.data.to_vec()));
            }
        } else {
            while reader.read_batch(&mut batch, BatchSize::records(3).and_bytes(1 << 20)).unwrap() > 0 {
                records.extend(batch.iter().map(|record| (record.offset, record.data.to_vec())));
            }
        }
    }
    records
}

fn all(file: &[u8]) -> Vec<(u64, Vec<u8>)> {
    SliceReader::new(file).into_iter().map(|r| r.map(|r| (r.offset, r.data.to_vec())).unwrap()).collect()
}

fn text(n: usize) -> Vec<u8> {
    b"the quick brown fox jumps over the lazy dog, ".iter().copied().cycle().take(n).collect()
}

#[test]
fn plain_records_at_every_cut() {
    let file = file_of(&[text(5), vec![], vec![0; 100], text(300), vec![0; 12], vec![], vec![], text(64)]);
    check_every_cut(&file);
}

#[test]
fn files_of_few_bytes() {
    check_every_cut(&[]);
    check_every_cut(&file_of(&[vec![]]));
    assert_eq!(splitter(&[]).splits(10).unwrap(), []);
    let mut reader = SplitReader::new(Cursor::new(&[]), Split::WHOLE).unwrap();
    assert!(reader.next_record().unwrap().is_none());
}

#[test]
fn payloads_that_are_whole_files_do_not_deceive() {
    let inner = file_of(&[text(10), vec![], text(33), text(7)]);
    let two_levels = file_of(&[text(3), inner.clone(), text(9)]);
    let around = |before: usize, what: &[u8], behind: usize| [&text(before), what, &text(behind)].concat();
    // Inner data at the start, in the middle and exactly to the end of the payload; alone, side by side, nested.
    let file = file_of(&[
        text(20),
        inner.clone(),
        around(5, &inner, 0),
        around(0, &inner, 1),
        around(3, &two_levels, 4),
        around(1, &two_levels, 0),
        vec![],
        around(0, &[inner.clone(), inner.clone(), two_levels.clone()].concat(), 11),
        text(1),
        inner,
    ]);
    check_every_cut(&file);
    for size in 1..200 {
        assert_eq!(read_splits(&file, &splits::cut(file.len() as u64, size)), all(&file), "splits of {size}");
    }
}

/// A header in a payload may point, by accident or because a footer was left out, at the end of the record around it.
#[test]
fn a_header_that_ends_with_its_outer_record_does_not_deceive() {
    let headers = |n: u64| [text(7), Header::encode(n).to_vec(), text(n as usize)].concat();
    check_every_cut(&file_of(&[text(9), headers(0), headers(5), text(4), headers(0)]));
}

#[test]
fn an_inner_file_larger_than_many_splits() {
    let inner = file_of(&(0..2000).map(|i| text(i % 50)).collect::<Vec<_>>());
    let file = file_of(&[text(10), [text(17), inner].concat(), text(10), text(30)]);
    for size in [1000, 4096, 10_000, 50_000] {
        let ranges = splits::cut(file.len() as u64, size);
        assert!(ranges.len() > 1);
        assert_eq!(read_splits(&file, &ranges), all(&file));
        // Planned ranges begin at records and are not empty.
        for planned in [splitter(&file).splits(size).unwrap(), splitter(&file).exact_splits(size).unwrap()] {
            let starts = starts(&file);
            assert!(planned.iter().all(|split| starts.contains(&split.start) && split.bytes() > 0));
            assert_eq!(read_splits(&file, &planned), all(&file));
        }
    }
}

/// With a confirmation that is too short for the inner file, cuts are deceived, and that is an error, not wrong
/// records.
#[test]
fn a_deceived_cut_is_an_error_of_the_split_before() {
    let inner = file_of(&(0..200).map(|_| text(50)).collect::<Vec<_>>());
    let file = file_of(&[text(10), inner, text(10)]);
    let short = || splitter(&file).confirm_bytes(500);
    let cut = 2000;
    assert!(
        !starts(&file).contains(&short().first_record(cut).unwrap()),
        "the premise: this cut is deceived"
    );

    let mut reader =
        SplitReader::from_splitter(short(), Split::new(0, cut), ReaderBuilder::default().name("a")).unwrap();
    let mut records = 0;
    let error = loop {
        match reader.next_record() {
            Ok(Some(_)) => records += 1,
            Ok(None) => panic!("the split ended without an error"),
            Err(error) => break error,
        }
    };
    assert_eq!(records, 2);
    assert_eq!(error.detail(), Some(&Kind::SplitMismatch));
    let end = file.len() - 10 - OVERHEAD;
    assert_eq!(error.position().byte, Some(end as u64));
    assert_eq!(
        error.to_string(),
        format!(
            "a, byte {end}: the records of the split 0..2000 end here, but the next split begins with a record at byte \
             2018; either the file is damaged between the two, or its payloads hold TFRecord data themselves; split it \
             by hopping or by an index, which is always exact"
        )
    );
    // The same by batches.
    let mut reader =
        SplitReader::from_splitter(short(), Split::new(0, cut), ReaderBuilder::default()).unwrap();
    let mut batch = RecordBuffer::new();
    assert_eq!(reader.read_batch(&mut batch, BatchSize::records(10).and_bytes(1 << 20)).unwrap(), 2);
    assert_eq!(
        reader.read_batch(&mut batch, BatchSize::records(10).and_bytes(1 << 20)).unwrap_err().detail(),
        Some(&Kind::SplitMismatch)
    );
    // Hopping is exact.
    assert_eq!(short().hop_to(cut).unwrap(), end as u64);
}

/// Returns four bytes with which the CRC of `them ++ rest` is `wanted`: the CRC is linear in them, so this is a system
/// of 32 equations.
fn forge(rest: &[u8], wanted: u32) -> [u8; 4] {
    let crc = |start: u32| tfrecord_io::crc::crc32c(&[&start.to_le_bytes()[..], rest].concat());
    let base = crc(0);
    let mut rows: Vec<(u32, u32)> = (0..32).map(|bit| (crc(1 << bit) ^ base, 1 << bit)).collect();
    let mut missing = base ^ wanted;
    let mut answer = 0;
    for bit in 0..32 {
        let pivot = rows.iter().position(|row| row.0 >> bit & 1 == 1).unwrap();
        let pivot = rows.swap_remove(pivot);
        for row in &mut rows {
            if row.0 >> bit & 1 == 1 {
                *row = (row.0 ^ pivot.0, row.1 ^ pivot.1);
            }
        }
        if missing >> bit & 1 == 1 {
            missing ^= pivot.0;
            answer ^= pivot.1;
        }
    }
    assert_eq!(crc(answer), wanted);
    answer.to_le_bytes()
}

/// The worst case: a payload made so that its inner record shares the footer of the outer one. Then a chain leads out
/// of the payload to the end of the file, with every checksum right, and nothing behind the cut can tell.
#[test]
fn a_forged_payload_is_noticed() {
    let tail = text(40);
    let rest = [&Header::encode(40)[..], &tail].concat();
    let payload = [&forge(&rest, tfrecord_io::crc::crc32c(&tail))[..], &rest].concat();
    assert_eq!(masked_crc32c(&payload), masked_crc32c(&tail));
    let file = file_of(&[text(5), payload, text(6), text(7)]);

    let cut = 21 + 12 + 2;
    let deceived = splitter(&file).confirm_bytes(u64::MAX).first_record(cut).unwrap();
    assert_eq!(deceived, 21 + 12 + 4, "the premise: no scan behind the cut can see this");

    let mut reader = SplitReader::new(Cursor::new(&file), Split::new(0, cut)).unwrap();
    assert_eq!(reader.next_record().unwrap().unwrap().offset, 0);
    assert_eq!(reader.next_record().unwrap().unwrap().offset, 21);
    assert_eq!(reader.next_record().unwrap_err().detail(), Some(&Kind::SplitMismatch));

    let exact = splitter(&file).exact_splits(30).unwrap();
    assert_eq!(read_splits(&file, &exact[..1]).len(), 2);
    let read: Vec<u64> = exact
        .iter()
        .flat_map(|&split| {
            let mut reader = SplitReader::planned(Reader::builder(Cursor::new(&file)), split).unwrap();
            let mut offsets = Vec::new();
            while let Some(record) = reader.next_record().unwrap() {
                offsets.push(record.offset);
            }
            offsets
        })
        .collect();
    assert_eq!(read, starts(&file)[..4]);
}

/// An inner file that ends with its payload leads to the outer footer. Could that footer, with the first bytes of the
/// next outer record, be a header? Only if the next length is a multiple of 2^32, so that its upper half, 0, is the
/// checksum, and only one footer has that checksum (a CRC maps 32 bits one to one). It is a length of 233 MB, at the end
/// of which a record would have to begin.
#[test]
fn an_outer_footer_does_not_prolong_an_inner_chain() {
    const ONLY: u32 = 233_286_277;
    assert_eq!(header_crc(u64::from(ONLY)), 0);

    // A payload whose footer is made to be any wanted number, before an empty record.
    let inner = file_of(&[text(9), text(12)]);
    for footer in [0u32, 16, 28, ONLY] {
        let wanted = tfrecord_io::crc::unmask(footer);
        let payload = [&forge(&inner, wanted)[..], &inner].concat();
        assert_eq!(masked_crc32c(&payload), footer);
        check_every_cut(&file_of(&[text(3), payload, vec![], text(100)]));
    }
}

#[test]
fn payloads_of_nothing_but_headers_are_given_up_in_favour_of_hopping() {
    // Each header points behind the payload's end, to no header.
    let many: Vec<u8> = (0..280_000u64).flat_map(|i| Header::encode(12 * (280_000 - i) + 100)).collect();
    let file = file_of(&[text(3), many, text(300), text(50)]);
    let starts = starts(&file);
    assert_eq!(splitter(&file).first_record(1000).unwrap(), starts[2]);
    assert_eq!(read_splits(&file, &splits::cut(file.len() as u64, 2_000_000)), all(&file));
}

/// Reads the splits until each ends or fails: the records, and whether any failed.
fn read_damaged(file: &[u8], size: u64, verify: Verify, batches: bool) -> (Vec<(u64, Vec<u8>)>, bool) {
    let mut seen = Vec::new();
    let mut failed = false;
    let mut batch = RecordBuffer::new();
    for range in splits::cut(file.len() as u64, size) {
        let builder = ReaderBuilder::default().verify(verify);
        let Ok(mut reader) = SplitReader::from_splitter(splitter(file), range, builder) else {
            failed = true;
            continue;
        };
        let before = seen.len();
        loop {
            let more = if batches {
                let count = reader.read_batch(&mut batch, BatchSize::records(2).and_bytes(1 << 20));
                seen.extend(batch.iter().map(|record| (record.offset, record.data.to_vec())));
                count.map(|count| count > 0)
            } else {
                let record = reader.next_record();
                record.map(|r| r.map(|r| seen.push((r.offset, r.data.to_vec()))).is_some())
            };
            failed |= more.is_err();
            if !matches!(more, Ok(true)) {
                break;
            }
        }
        for (offset, _) in &seen[before..] {
            assert!(
                range.start <= *offset && *offset < range.end,
                "a record at {offset} in the split {range}"
            );
        }
    }
    (seen, failed)
}

#[test]
fn damage_is_an_error_of_some_split_and_never_a_lost_record() {
    let good = file_of(&[text(30), text(40), text(50), text(60), text(70)]);
    let records = all(&good);
    for byte in 0..good.len() {
        let mut file = good.clone();
        file[byte] ^= 0x10;
        for (size, batches) in [(40, false), (77, true), (130, false), (130, true)] {
            let (seen, failed) = read_damaged(&file, size, Verify::All, batches);
            assert!(failed, "byte {byte}, splits of {size}: nobody noticed");
            assert!(seen.iter().all(|record| records.contains(record)), "byte {byte}: a wrong record");
            assert!(seen.is_sorted_by(|a, b| a.0 < b.0), "byte {byte}: a record twice");
        }
    }
}

/// Payloads that are not compared may be damaged, but where records begin still counts.
#[test]
fn records_stay_in_their_range_without_checksums_of_payloads() {
    let good = file_of(&[text(30), text(40), text(50), text(60), text(70)]);
    let offsets = starts(&good);
    for byte in 0..good.len() {
        let mut file = good.clone();
        file[byte] ^= 0x10;
        for size in [40, 77, 130] {
            let (seen, failed) = read_damaged(&file, size, Verify::Headers, size == 77);
            assert!(seen.iter().all(|(offset, _)| offsets.contains(offset)), "byte {byte}: a wrong record");
            assert!(failed || seen.len() == 5, "byte {byte}, splits of {size}: nobody noticed");
        }
    }
}

/// The header of the fourth record is damaged: no chain leads over it, so that the second range seems to begin with the
/// fifth. The third record begins behind the cut, and the first range does not give it out.
#[test]
fn damage_behind_a_cut_is_an_error_at_the_cut() {
    let mut file = file_of(&[text(30), text(40), text(50), text(60), text(70)]);
    let starts = starts(&file);
    file[starts[3] as usize] ^= 1;
    let cut = starts[2] - 5;
    assert_eq!(splitter(&file).first_record(cut).unwrap(), starts[4], "the premise");

    let builder = ReaderBuilder::default().name("a");
    let mut reader = SplitReader::from_splitter(splitter(&file), Split::new(0, cut), builder).unwrap();
    assert_eq!(reader.next_record().unwrap().unwrap().offset, 0);
    assert_eq!(reader.next_record().unwrap().unwrap().offset, starts[1]);
    let error = reader.next_record().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::SplitMismatch));
    assert_eq!(
        error.to_string(),
        "a, byte 102: the records of the split 0..97 end here, but the next split begins with a record at byte 244; \
         either the file is damaged between the two, or its payloads hold TFRecord data themselves; split it by hopping \
         or by an index, which is always exact"
    );
}

#[test]
fn hopping_says_what_is_damaged() {
    let good = file_of(&[text(30), text(40)]);
    let mut file = good.clone();
    file[46] ^= 1;
    let error = splitter(&file).name("b").exact_splits(20).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::HeaderCrc));
    assert_eq!(
        error.to_string(),
        "b, byte 46: the checksum of the record's length does not match, so the next record cannot be found; the file \
         is damaged here; salvage mode finds the next good record"
    );
    let error = splitter(&good[..100]).exact_splits(20).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Truncated));
    assert_eq!(
        error.to_string(),
        "byte 46: the file ends 54 bytes after the start of this record, inside of it; the file was not written or \
         copied to its end; copy it again, or salvage the records before this"
    );
    let error = splitter(&good).record_bytes(35).exact_splits(20).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::RecordTooLong));
    // A file of another kind is not scanned for records.
    let mut gzip = vec![0x1f, 0x8b, 8, 0];
    gzip.extend_from_slice(&good);
    let error = splitter(&gzip).splits(20).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::NotTfRecord));
    assert!(error.to_string().contains("gzip"), "{error}");
}

#[test]
fn a_wrong_plan_gives_no_wrong_records() {
    let file = file_of(&[text(30), text(40), text(50)]);
    let planned =
        |start, end| SplitReader::planned(Reader::builder(Cursor::new(&file)), Split::new(start, end));
    assert_eq!(planned(0, 50).unwrap().next_record().unwrap().unwrap().offset, 0);
    let mut reader = planned(0, 50).unwrap();
    let kinds: Vec<_> = (0..3)
        .map(|_| reader.next_record().map(|r| r.map(|r| r.index)).map_err(|e| e.detail::<Kind>().copied()))
        .collect();
    assert_eq!(kinds, [Ok(Some(0)), Ok(Some(1)), Err(Some(Kind::SplitMismatch))]);
    assert_eq!(planned(5, 46).unwrap().next_record().unwrap_err().detail(), Some(&Kind::HeaderCrc));
    for error in
        [planned(46, 5).unwrap_err(), SplitReader::new(Cursor::new(&file), Split::new(46, 5)).unwrap_err()]
    {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(error.to_string(), "the split ends at byte 5, before it starts at 46");
    }
    // A range inside of one record is empty.
    assert!(
        SplitReader::new(Cursor::new(&file), Split::new(47, 60)).unwrap().next_record().unwrap().is_none()
    );
    // Beyond the end of the file.
    let mut reader = planned(0, file.len() as u64 + 5).unwrap();
    let ended = loop {
        match reader.next_record() {
            Ok(Some(_)) => {}
            other => break other.map(|_| ()).map_err(|e| e.detail::<Kind>().copied()),
        }
    };
    assert_eq!(ended, Err(Some(Kind::SplitMismatch)));
}

#[test]
fn files_on_disk() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.tfrecord");
    let file = file_of(&[text(30), text(40), text(50)]);
    std::fs::write(&path, &file).unwrap();
    let planned = Splitter::open(&path).unwrap().splits(60).unwrap();
    let mut records = 0;
    for split in planned {
        let mut reader = SplitReader::open(&path, split).unwrap();
        while reader.next_record().unwrap().is_some() {
            records += 1;
        }
    }
    assert_eq!(records, 3);
    let missing = SplitReader::open(directory.path().join("b"), Split::WHOLE).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert_eq!(Splitter::open(directory.path()).unwrap_err().kind(), ErrorKind::IsDirectory);
}

/// Payloads of many kinds, whole files among them.
fn payload() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..80),
        (0..200usize).prop_map(|n| vec![0; n]),
        (0..200usize).prop_map(text),
        any::<u16>().prop_map(|n| Header::encode(u64::from(n)).to_vec()),
    ];
    leaf.prop_recursive(3, 40, 6, |inner| {
        (proptest::collection::vec(inner, 0..6), 0..20usize, 0..20usize)
            .prop_map(|(payloads, before, behind)| [text(before), file_of(&payloads), text(behind)].concat())
    })
}

proptest! {
    #[test]
    fn any_file_and_any_cuts(
        payloads in proptest::collection::vec(payload(), 0..12),
        mut cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12),
    ) {
        let file = file_of(&payloads);
        cuts.sort_by_key(|cut| cut.index(file.len() + 1));
        let mut ranges = Vec::new();
        let mut start = 0;
        for cut in cuts {
            let end = cut.index(file.len() + 1) as u64;
            ranges.push(Split::new(start, end));
            start = end;
        }
        ranges.push(Split::new(start, u64::MAX));
        prop_assert_eq!(read_splits(&file, &ranges), all(&file));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), cut in 0..500u64) {
        let _ = splitter(&bytes).first_record(cut);
        let _ = splitter(&bytes).hop_to(cut);
        let _ = splitter(&bytes).splits(cut);
        if let Ok(mut reader) = SplitReader::new(Cursor::new(&bytes), Split::new(0, cut)) {
            while let Ok(Some(_)) = reader.next_record() {}
        }
    }
}
