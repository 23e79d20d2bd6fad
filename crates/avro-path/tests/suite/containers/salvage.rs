//! Records that salvage recovers.

use avro_path::container::{Codec, Reason, Report, SalvageReader};
use avro_path::datum::{DatumReader, SkipPlan};

use crate::containers::test_data::{codecs, row_schema, rows};

fn salvage(file: &[u8]) -> (Vec<i64>, Report) {
    let mut reader = SalvageReader::new(file).unwrap();
    let schema = row_schema();
    let plan = SkipPlan::new(&schema);
    let mut good = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        assert_eq!(block.position().first_record, good.len() as u64);
        for record in block.records(&schema, &plan) {
            good.push(DatumReader::new(record.unwrap()).long().unwrap() / 1000);
        }
    }
    (good, reader.report().clone())
}

/// Returns the offsets of the blocks, and the end of the file.
fn starts(file: &[u8]) -> Vec<usize> {
    let marker = b"0123456789abcdef";
    (16..=file.len()).filter(|&end| file[end - 16..end] == marker[..]).collect()
}

#[test]
fn a_whole_file_loses_nothing() {
    for codec in codecs() {
        let (good, report) = salvage(&rows(codec, 30, 3));
        assert_eq!(good, (0..30).collect::<Vec<i64>>(), "{codec}");
        assert!(report.is_clean() && report.blocks == 10 && report.records == 30, "{report}");
        assert_eq!(report.to_string(), "30 good records, nothing lost");
    }
}

#[test]
fn a_damaged_head_loses_its_block() {
    for codec in codecs() {
        let mut file = rows(codec, 30, 3);
        let starts = starts(&file);
        file[starts[4] + 1] ^= 0x08; // the size of the fifth block
        let (good, report) = salvage(&file);
        assert_eq!(good, (0..12).chain(15..30).collect::<Vec<i64>>(), "{codec}");
        let damage = &report.damages[0];
        assert_eq!((damage.start, damage.end), (starts[4] as u64, starts[5] as u64), "{codec}");
        assert_eq!((damage.reason, damage.records_before), (Reason::Frame, 12), "{codec}");
        assert_eq!(report.damages.len(), 1);
    }
}

#[test]
fn a_damaged_marker_loses_nothing() {
    for codec in codecs() {
        for block in [3, 9] {
            let mut file = rows(codec, 30, 3);
            let end = starts(&file)[block + 1];
            file[end - 5] ^= 1;
            let (good, report) = salvage(&file);
            assert_eq!(good, (0..30).collect::<Vec<i64>>(), "{codec}");
            assert_eq!(report.damages[0].records, Some(0));
            assert_eq!(report.damages[0].reason, Reason::Frame);
        }
    }
}

#[test]
fn damaged_compression_loses_its_block() {
    for codec in codecs().filter(|codec| !matches!(codec, Codec::Null | Codec::Deflate)) {
        let mut file = rows(codec, 30, 3);
        let starts = starts(&file);
        let middle = (starts[4] + starts[5]) / 2;
        file[middle] ^= 0xff;
        let (good, report) = salvage(&file);
        assert_eq!(good, (0..12).chain(15..30).collect::<Vec<i64>>(), "{codec}: {report}");
        assert_eq!(report.damages[0].records, Some(3), "{codec}");
        assert_eq!(report.damages[0].reason, Reason::Compression, "{codec}");
    }
}

#[test]
fn records_before_a_damaged_one_are_saved() {
    let mut file = rows(Codec::Null, 30, 3);
    let starts = starts(&file);
    // The length of the second record's string, of the fifth block: from "row 13 …" on.
    let text = starts[4] + file[starts[4]..].windows(6).position(|window| window == b"row 13").unwrap();
    file[text - 1] = 0x7f; // a negative length
    let (good, report) = salvage(&file);
    assert_eq!(good, (0..13).chain(15..30).collect::<Vec<i64>>());
    assert_eq!(
        report.to_string(),
        format!(
            "28 good records\nbytes {} to {}: 2 records lost after 13 good records (records: record 1 of the block, at s: \
             bytes or a string have the length -64)",
            starts[4], starts[5]
        )
    );
}

#[test]
fn the_end_may_be_missing() {
    for codec in codecs() {
        let file = rows(codec, 30, 3);
        let starts = starts(&file);
        let (good, report) = salvage(&file[..file.len() - 20]);
        assert_eq!(good, (0..27).collect::<Vec<i64>>(), "{codec}");
        let damage = &report.damages[0];
        assert_eq!((damage.start, damage.end), (starts[9] as u64, file.len() as u64 - 20));
        assert_eq!(damage.reason, Reason::Truncated);
    }
}

#[test]
fn every_byte_turned_loses_no_other_block() {
    for codec in codecs() {
        let file = rows(codec, 12, 3);
        let starts = starts(&file);
        for byte in starts[0]..file.len() {
            let mut damaged = file.clone();
            damaged[byte] = !damaged[byte];
            let (good, report) = salvage(&damaged);
            let block = starts.iter().filter(|start| **start <= byte).count() as i64 - 1;
            let others = (0..12).filter(|number| number / 3 != block);
            for number in others {
                assert!(good.contains(&number), "{codec}: byte {byte}: {number} is lost: {report}");
            }
        }
    }
}
