//! Records whose values are damaged: they are lost, and the others of their block are not.

use avro_path::container::{Codec, ContainerReader, ContainerWriter, Reason, Report, SalvageReader};
use avro_path::datum::{DatumReader, check, write, write_json};
use avro_path::{AvroSchema, Limits};

use crate::containers::test_data::{bits, codecs, rows};

const SCHEMA: &str = r#"{"type": "record", "name": "r", "fields": [
    {"name": "number", "type": "long"},
    {"name": "flag", "type": "boolean"},
    {"name": "text", "type": "string"},
    {"name": "kind", "type": {"type": "enum", "name": "e", "symbols": ["A", "B", "C"]}},
    {"name": "maybe", "type": ["null", "int", "string"]},
    {"name": "list", "type": {"type": "array", "items": "int"}},
    {"name": "map", "type": {"type": "map", "values": "bytes"}},
    {"name": "nulls", "type": {"type": "array", "items": "null"}}]}"#;

fn push(out: &mut Vec<u8>, number: i64) {
    write::long(out, number);
    out.push(1);
    write::string(out, "text");
    write::long(out, 2);
    out.extend([4, 2, b'u']);
    // A block of two items that says how many bytes they have.
    out.extend([3, 4, 2, 4, 0]);
    out.extend([2, 2, b'k', 2, 7, 0]);
    out.extend([6, 0]);
}

/// Returns a file of twelve records, four a block.
fn file(codec: Codec) -> Vec<u8> {
    let builder = ContainerWriter::builder(Vec::new(), &AvroSchema::parse(SCHEMA).unwrap())
        .codec(codec)
        .sync_marker(*b"0123456789abcdef");
    let mut writer = builder.build().unwrap();
    for number in 0..12 {
        let pushed = writer.write_with(|out| {
            push(out, number);
            Ok(())
        });
        pushed.unwrap();
        if number % 4 == 3 {
            writer.end_block().unwrap();
        }
    }
    writer.finish().unwrap()
}

/// Returns the good records, each of which must decode.
fn salvage(file: &[u8]) -> Option<(Vec<String>, Report)> {
    let mut reader = SalvageReader::new(file).ok()?;
    let schema = reader.header().schema().clone();
    let mut good = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        let mut records = DatumReader::new(block.bytes());
        for _ in 0..block.count() {
            let mut json = Vec::new();
            write_json(&schema, &mut records, &Limits::default(), &mut json).unwrap();
            good.push(String::from_utf8(json).unwrap());
        }
        block.finish(&records).unwrap();
    }
    assert_eq!(reader.report().records, good.len() as u64);
    Some((good, reader.report().clone()))
}

/// Returns the offset of each record in an uncompressed file.
fn records(file: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut reader = ContainerReader::new(file).unwrap();
    let schema = reader.header().schema().clone();
    let first = reader.header().len();
    while let Some(block) = reader.next_block().unwrap() {
        // Two bytes of count and size and one more where the size has two.
        let head = if block.bytes().len() < 64 { 2 } else { 3 };
        let mut records = DatumReader::new(block.bytes());
        for _ in 0..block.count() {
            found.push(usize::try_from(block.position().offset).unwrap() + head + records.position());
            check(&schema, &mut records, &Limits::default()).unwrap();
        }
    }
    assert!(found[0] as u64 > first);
    found
}

#[test]
fn a_record_with_a_damaged_value_is_lost_alone() {
    let whole = file(Codec::Null);
    let starts = records(&whole);
    let (all, _) = salvage(&whole).unwrap();
    let length = starts[1] - starts[0];
    // The byte within the record, what it becomes, and what is wrong with it.
    for (at, byte, what) in [
        (1, 2, "at flag: a boolean is the byte 2, not 0 or 1"),
        (3, 0xff, "at text: a string of 4 bytes is not UTF-8 from its byte 0"),
        (7, 6, "at kind: a branch or symbol has the number 3, there are 3"),
        (10, 0xff, "at maybe: a string of 1 byte is not UTF-8 from its byte 0"),
        (11, 1, "at list: a block of an array or map claims to have 2 bytes, its items have 1"),
        (18, 0xff, "at map[0]: a string of 1 byte is not UTF-8 from its byte 0"),
    ] {
        let mut damaged = whole.clone();
        damaged[starts[5] + at] = byte;
        let (good, report) = salvage(&damaged).unwrap();
        let expected = [&all[..5], &all[6..]].concat();
        assert_eq!(good, expected, "{what}: {report}");
        let damage = &report.damages[0];
        assert_eq!((damage.start as usize, damage.end as usize), (starts[5], starts[5] + length), "{what}");
        assert_eq!((damage.records, damage.records_before), (Some(1), 5));
        assert_eq!(damage.why(), format!("records: record 1 of the block, {what}"));
        assert_eq!(report.damages.len(), 1);
    }
    // A claimed size that leads astray: the items say where the record ends.
    let mut damaged = whole.clone();
    damaged[starts[5] + 12] = 6;
    let (good, report) = salvage(&damaged).unwrap();
    assert_eq!(good, [&all[..5], &all[6..]].concat(), "{report}");
}

#[test]
fn several_records_of_a_block_may_be_damaged() {
    let whole = file(Codec::Null);
    let starts = records(&whole);
    let (all, _) = salvage(&whole).unwrap();
    let mut damaged = whole.clone();
    for record in [4, 6, 7] {
        damaged[starts[record] + 1] = 9;
    }
    let (good, report) = salvage(&damaged).unwrap();
    assert_eq!(good, [&all[..4], &all[5..6], &all[8..]].concat());
    let before = report.damages.iter().map(|damage| damage.records_before).collect::<Vec<_>>();
    assert_eq!(before, [4, 5, 5]);
    assert!(report.damages.iter().all(|damage| damage.reason == Reason::Records), "{report}");
    // All of them.
    damaged[starts[5] + 1] = 9;
    let (good, report) = salvage(&damaged).unwrap();
    assert_eq!(good, [&all[..4], &all[8..]].concat());
    assert_eq!(report.blocks, 2);
}

/// Returns a file whose blocks are compressed, with a bad record between good ones in the second.
fn compressed(codec: Codec) -> Vec<u8> {
    let builder = ContainerWriter::builder(Vec::new(), &AvroSchema::parse("\"string\"").unwrap())
        .codec(codec)
        .check(false);
    let mut writer = builder.build().unwrap();
    for record in [&b"\x02a"[..], b"\x02b", b"\x02c", b"\x02\xff", b"\x02e", b"\x02\xfe"] {
        writer.write(record).unwrap();
        if record[1] == b'b' {
            writer.end_block().unwrap();
        }
    }
    writer.finish().unwrap()
}

#[test]
fn bad_records_of_a_compressed_block_are_one_damage() {
    for codec in codecs().filter(|codec| *codec != Codec::Null) {
        let file = compressed(codec);
        let (good, report) = salvage(&file).unwrap();
        assert_eq!(good, ["\"a\"", "\"b\"", "\"c\"", "\"e\""], "{codec}");
        assert_eq!(report.damages.len(), 1);
        let damage = &report.damages[0];
        assert_eq!(
            (damage.end, damage.records, damage.records_before),
            (file.len() as u64, Some(2), 3),
            "{codec}"
        );
        assert_eq!(
            damage.detail.as_deref(),
            Some("record 1 of the block: a string of 1 byte is not UTF-8 from its byte 0; and 1 more")
        );
        // Whoever does not want values to be looked at gets all.
        let mut reader = SalvageReader::new(&file[..]).unwrap().check_values(false);
        let mut count = 0;
        while let Some(block) = reader.next_block().unwrap() {
            count += block.count();
        }
        assert_eq!((count, reader.report().is_clean()), (6, true), "{codec}");
    }
}

#[test]
fn what_salvage_keeps_can_be_decoded_whatever_bit_is_turned() {
    for codec in codecs() {
        let whole = file(codec);
        let (all, _) = salvage(&whole).unwrap();
        let first = usize::try_from(ContainerReader::new(&whole[..]).unwrap().header().len()).unwrap();
        // The header is of no interest: another schema has other values.
        for byte in first..whole.len() {
            for bit in bits(codec, byte) {
                let mut damaged = whole.clone();
                damaged[byte] ^= 1 << bit;
                let (good, report) = salvage(&damaged).unwrap();
                if !matches!(codec, Codec::Null | Codec::Deflate) {
                    // What has a checksum comes out as it was written, or not at all.
                    assert!(
                        good.iter().all(|record| all.contains(record)),
                        "{codec}: {byte}, {bit}: {report}"
                    );
                    let is_told = report.damages.iter().any(|damage| damage.records != Some(0));
                    assert!(good == all || is_told, "{codec}: {byte}, {bit}: {report}");
                }
                assert!(good.len() >= 8, "{codec}: {byte}, {bit}: {report}");
            }
        }
    }
}

#[test]
fn checks_look_at_every_record_of_a_whole_file() {
    for codec in codecs() {
        let file = rows(codec, 12, 3);
        let (good, report) = salvage(&file).unwrap();
        assert!(good.len() == 12 && report.is_clean(), "{codec}: {report}");
    }
}
