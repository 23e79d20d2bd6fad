//! Files that were written one after the other into one, as `cat a.avro b.avro` makes it.

use std::io::Cursor;

use avro_path::container::{Codec, ContainerReader, ContainerWriter, Reason, Report, SalvageReader};
use avro_path::datum::write;
use avro_path::{AvroSchema, Kind};
use tfxio_base::Threading;
use tfxio_core::Skip;

use crate::containers::test_data::{codecs, read_json, row_schema};

const MARKERS: [[u8; 16]; 3] = [*b"0123456789abcdef", *b"fedcba9876543210", *b"0123456789abcdeg"];

/// Rows from a number on, three in a block.
fn file(codec: Codec, marker: [u8; 16], first: u32, rows: u32) -> Vec<u8> {
    of_schema(&row_schema(), codec, marker, rows, |out, number| {
        write::long(out, i64::from(first + number));
        write::string(out, &format!("row {number} of some rows of text"));
    })
}

fn of_schema(
    schema: &AvroSchema,
    codec: Codec,
    marker: [u8; 16],
    rows: u32,
    push: impl Fn(&mut Vec<u8>, u32),
) -> Vec<u8> {
    let builder = ContainerWriter::builder(Vec::new(), schema).codec(codec).sync_marker(marker);
    let mut writer: ContainerWriter<Vec<u8>> = builder.build().unwrap();
    for number in 0..rows {
        writer
            .write_with(|out| {
                push(out, number);
                Ok(())
            })
            .unwrap();
        if number % 3 == 2 {
            writer.end_block().unwrap();
        }
    }
    writer.finish().unwrap()
}

fn header_len(file: &[u8]) -> usize {
    usize::try_from(ContainerReader::new(file).unwrap().header().len()).unwrap()
}

/// Returns the first field of each good record, and the report.
fn salvaged(file: &[u8]) -> (Vec<i64>, Report) {
    let mut reader = SalvageReader::new(file).unwrap();
    let schema = reader.header().schema().clone();
    let plan = avro_path::datum::SkipPlan::new(&schema);
    let mut numbers = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        for record in block.records(&schema, &plan) {
            numbers.push(avro_path::datum::DatumReader::new(record.unwrap()).long().unwrap());
        }
    }
    (numbers, reader.report().clone())
}

fn numbers(rows: std::ops::Range<i64>) -> Vec<i64> {
    rows.collect()
}

#[test]
fn readers_say_that_another_file_begins() {
    for codec in codecs() {
        for (rows, marker) in [(0, MARKERS[0]), (7, MARKERS[0]), (7, MARKERS[1])] {
            let (first, second) = (file(codec, MARKERS[0], 0, rows), file(codec, marker, 100, 5));
            let at = first.len();
            let both = [first, second].concat();
            let (found, error) = read_json(&both, avro_path::Limits::default());
            assert_eq!(found.len(), rows as usize);
            let error = error.unwrap();
            assert_eq!(error.detail(), Some(&Kind::Block));
            assert_eq!(error.position().byte, Some(at as u64));
            let text = error.to_string();
            assert!(text.contains("here another Avro file begins (\"Obj\" and 1)"), "{text}");
            assert!(text.contains("repair the file"), "{text}");
            let threads = ContainerReader::new(Cursor::new(both.clone())).unwrap();
            let threads = threads
                .map_blocks(&Threading::new().threads(2), || |_: avro_path::container::Block<'_>| Ok(()))
                .unwrap();
            assert!(
                threads.filter_map(Result::err).any(|error| error.to_string().contains("another Avro file"))
            );
            let header = ContainerReader::new(&both[..]).unwrap().header().clone();
            let mut heads = avro_path::container::BlockHeads::new(
                Cursor::new(&both),
                header,
                avro_path::Limits::default(),
            );
            let error = std::iter::repeat_with(|| heads.next_head()).find_map(Result::err).unwrap();
            assert!(error.to_string().contains("another Avro file begins"), "{error}");
            // Cut within the magic there is nothing that says so.
            for cut in 1..4 {
                let (_, error) = read_json(&both[..at + cut], avro_path::Limits::default());
                let error = error.unwrap().to_string();
                assert!(error.contains("the file ends within the head of a block"), "{error}");
            }
        }
    }
}

#[test]
fn the_records_of_all_files_are_salvaged() {
    for codec in codecs() {
        for other in codecs() {
            for marker in MARKERS {
                let files = [
                    file(codec, MARKERS[0], 0, 7),
                    file(other, marker, 7, 8),
                    file(codec, MARKERS[2], 15, 0),
                    file(other, MARKERS[0], 15, 4),
                ];
                let all = files.concat();
                let (found, report) = salvaged(&all);
                assert_eq!(found, numbers(0..19), "{codec} {other}: {report}");
                let mut at = 0;
                let starts = files.iter().map(|file| {
                    at += file.len();
                    at - file.len()
                });
                let starts = starts.skip(1).collect::<Vec<_>>();
                assert_eq!(report.damages.len(), 3, "{report}");
                for ((damage, start), file) in report.damages.iter().zip(starts).zip(&files[1..]) {
                    assert_eq!(damage.reason, Reason::AnotherFile);
                    assert_eq!(damage.records, Some(0));
                    let header = (start as u64, (start + header_len(file)) as u64);
                    assert_eq!((damage.start, damage.end), header);
                    assert!(
                        damage.why().contains("another Avro file begins here; its records follow"),
                        "{report}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_damaged_end_does_not_hide_the_next_file() {
    let first = file(Codec::Null, MARKERS[0], 0, 9);
    let start = header_len(&first);
    let at = first.len();
    let both = [first, file(Codec::Null, MARKERS[1], 9, 6)].concat();
    for byte in start..at {
        let mut damaged = both.clone();
        damaged[byte] ^= 0x15;
        let (found, report) = salvaged(&damaged);
        assert!(found.ends_with(&numbers(9..15)), "byte {byte}: {found:?} {report}");
        assert!(found.len() >= 12, "byte {byte}: {found:?} {report}");
    }
    for byte in at..both.len() {
        let mut damaged = both.clone();
        damaged[byte] ^= 0x15;
        let (found, report) = salvaged(&damaged);
        assert!(found.starts_with(&numbers(0..9)), "byte {byte}: {found:?} {report}");
        assert!(!report.is_clean());
    }
    for cut in at..both.len() {
        let (found, report) = salvaged(&both[..cut]);
        assert!(found.starts_with(&numbers(0..9)), "{cut}");
        assert!(cut == at || !report.is_clean(), "{cut}");
    }
}

#[test]
fn what_looks_like_a_header_in_records_is_none() {
    let schema = row_schema();
    let whole = of_schema(&schema, Codec::Null, MARKERS[0], 9, |out, number| {
        write::long(out, i64::from(number));
        write::string(out, "Obj\u{1}\u{4}\u{16}avro.schemaObj\u{1}Obj\u{1}\u{2}");
    });
    assert_eq!(salvaged(&whole).0, numbers(0..9));
    let start = header_len(&whole);
    for byte in start..whole.len() {
        let mut damaged = whole.clone();
        damaged[byte] ^= 1;
        let (found, report) = salvaged(&damaged);
        assert!(found.len() >= 6, "byte {byte}: {report}");
        assert!(report.damages.iter().all(|damage| damage.reason != Reason::AnotherFile), "{report}");
    }
}

fn wider() -> AvroSchema {
    let text = r#"{"type": "record", "name": "row", "fields": [
        {"name": "more", "type": "double"}, {"name": "i", "type": "int"}, {"name": "s", "type": "string"}]}"#;
    AvroSchema::parse(text).unwrap()
}

#[test]
fn records_of_another_schema_are_resolved_to_the_first() {
    for codec in codecs() {
        let second = of_schema(&wider(), codec, MARKERS[1], 6, |out, number| {
            write::double(out, 0.5);
            write::long(out, i64::from(9 + number));
            write::string(out, "a text");
        });
        let at = 9;
        let all = [file(Codec::Null, MARKERS[0], 0, at), second, file(codec, MARKERS[2], 15, 2)].concat();
        let (found, report) = salvaged(&all);
        assert_eq!(found, numbers(0..17), "{report}");
        let why = report.damages[0].why();
        assert!(why.contains("made those of the first schema, without the fields that it lacks"), "{why}");
        assert_eq!(report.damages.len(), 2, "{report}");
    }
}

#[test]
fn records_that_cannot_be_resolved_are_reported_lost() {
    let other = AvroSchema::parse(
        r#"{"type": "record", "name": "row", "fields": [{"name": "x", "type": "string"}]}"#,
    );
    let other = other.unwrap();
    for marker in [MARKERS[0], MARKERS[1]] {
        for codec in codecs() {
            let second = of_schema(&other, codec, marker, 7, |out, _| write::string(out, "some text"));
            let (start, length) = (header_len(&second), second.len());
            let first = file(Codec::Null, MARKERS[0], 0, 4);
            let at = first.len();
            let all = [first, second, file(codec, marker, 4, 5)].concat();
            let (found, report) = salvaged(&all);
            assert_eq!(found, numbers(0..9), "{codec}: {report}");
            let lost = &report.damages[1];
            assert_eq!((lost.reason, lost.records), (Reason::AnotherFile, Some(7)));
            assert_eq!((lost.start, lost.end), ((at + start) as u64, (at + length) as u64));
            assert!(lost.why().contains("its records are not read as those of the first"), "{}", lost.why());
            assert_eq!(report.damages.len(), 3, "{report}");
            // At the end of the file as well.
            let (found, report) = salvaged(&all[..at + length]);
            assert_eq!((found, report.damages.len()), (numbers(0..4), 2));
            assert_eq!(report.damages[1].records, Some(7));
        }
    }
}

#[test]
fn a_record_that_cannot_be_resolved_is_lost_alone() {
    let enums = |symbols: &str| {
        let text = format!(
            r#"{{"type": "record", "name": "row", "fields": [{{"name": "i", "type": "long"}},
                {{"name": "e", "type": {{"type": "enum", "name": "e", "symbols": {symbols}}}}}]}}"#
        );
        AvroSchema::parse(&text).unwrap()
    };
    let push = |out: &mut Vec<u8>, number: u32| {
        write::long(out, i64::from(number));
        write::long(out, i64::from(number % 2));
    };
    for codec in codecs() {
        let first = of_schema(&enums(r#"["A", "B"]"#), codec, MARKERS[0], 3, push);
        let second = of_schema(&enums(r#"["A", "C"]"#), codec, MARKERS[1], 6, push);
        let (found, report) = salvaged(&[first, second].concat());
        assert_eq!(found, [0, 1, 2, 0, 2, 4], "{report}");
        let lost = report.damages.iter().filter_map(|damage| damage.records).sum::<u64>();
        assert_eq!(lost, 3, "{report}");
    }
}

/// Returns the blocks of a part of a file, and its number of damages.
fn part(file: &[u8], start: u64, end: u64) -> (Vec<(u64, Vec<u8>)>, usize) {
    let mut reader = ContainerReader::builder(Cursor::new(file)).build_salvage().unwrap();
    if (start, end) != (0, u64::MAX) {
        reader.restrict(start, end).unwrap();
    }
    let mut found = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        found.push((block.position().offset, block.bytes().to_vec()));
    }
    (found, reader.report().damages.len())
}

#[test]
fn parts_of_several_files_are_all_of_them() {
    for codec in codecs() {
        for marker in [MARKERS[0], MARKERS[1]] {
            for empty in [true, false] {
                let all = [
                    file(codec, MARKERS[0], 0, if empty { 0 } else { 9 }),
                    file(codec, marker, 9, 8),
                    file(codec, MARKERS[2], 17, 7),
                    file(codec, MARKERS[0], 24, 6),
                ]
                .concat();
                let (whole, damages) = part(&all, 0, u64::MAX);
                for parts in [2, 3, 7, 29] {
                    let length = all.len() as u64;
                    let cut = |at: u64| if at == parts { u64::MAX } else { length * at / parts };
                    let (mut found, mut told) = (Vec::new(), 0);
                    for at in 0..parts {
                        let (blocks, damages) = part(&all, cut(at), cut(at + 1));
                        found.extend(blocks);
                        told += damages;
                    }
                    found.sort();
                    assert_eq!(found, whole, "{codec}, {parts} parts");
                    assert_eq!(told, damages, "{codec}, {parts} parts");
                }
            }
        }
    }
}

#[test]
fn skipping_readers_say_what_they_pass_over() {
    let all = [file(Codec::Null, MARKERS[0], 0, 7), file(Codec::Null, MARKERS[1], 7, 8)].concat();
    let skip = Skip::default();
    let builder = ContainerReader::builder(Cursor::new(&all)).name("a.avro");
    let mut reader = builder.build_skipping(all.len() as u64, &skip).unwrap();
    let mut records = 0;
    while reader.next_block().unwrap() {
        records += reader.last_block().unwrap().count();
    }
    assert_eq!(records, 15);
    let report = skip.report();
    assert_eq!(report.records, 0);
    assert_eq!(report.ranges, 1);
    assert!(report.listed[0].why().contains("another Avro file begins here"), "{report}");
}
