//! Salvage of files cut off at every byte, and with every bit turned.

use avro_path::Limits;
use avro_path::container::{Codec, ContainerReader, Report, SalvageReader};
use avro_path::datum::{DatumReader, SkipPlan};

use crate::containers::test_data::{bits, codecs, numbers, row_schema, rows};

/// Returns the good records; `None` if the header is damaged.
fn salvage(file: &[u8]) -> Option<(Vec<i64>, Report)> {
    let limits = Limits::default().record_bytes(1 << 20);
    let mut reader = ContainerReader::builder(file).limits(limits).build_salvage().ok()?;
    let schema = row_schema();
    let plan = SkipPlan::new(&schema);
    let mut good = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        for record in block.records(&schema, &plan) {
            good.push(DatumReader::new(record.unwrap()).long().unwrap() / 1000);
        }
    }
    let report = reader.report().clone();
    assert_eq!(report.records, good.len() as u64);
    let ranges = report.damages.iter().map(|damage| (damage.start, damage.end)).collect::<Vec<_>>();
    assert!(ranges.iter().all(|(start, end)| start < end && *end <= file.len() as u64), "{report}");
    assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{report}");
    Some((good, report))
}

/// Returns the end of the header and of each block.
fn ends(file: &[u8]) -> Vec<usize> {
    let marker = b"0123456789abcdef";
    (16..=file.len()).filter(|&end| file[end - 16..end] == marker[..]).collect()
}

#[test]
fn cut_off_at_every_byte() {
    for codec in codecs() {
        let file = rows(codec, 9, 3);
        let ends = ends(&file);
        for length in 0..file.len() {
            let Some((good, report)) = salvage(&file[..length]) else {
                assert!(length < ends[0], "{codec}: {length}");
                continue;
            };
            let whole = ends.iter().filter(|end| **end <= length).count() as i64 - 1;
            assert!(good.len() as i64 >= whole * 3, "{codec}: {length}: {report}");
            assert_eq!(good, (0..good.len() as i64).collect::<Vec<_>>(), "{codec}: {length}");
            assert_eq!(report.is_clean(), ends.contains(&length), "{codec}: {length}: {report}");
        }
    }
}

#[test]
fn every_bit_turned() {
    for codec in codecs() {
        let file = rows(codec, 6, 3);
        let ends = ends(&file);
        for byte in 0..file.len() {
            let all = bits(codec, byte);
            // Of the header one: nothing is checked there but that all ends.
            for bit in all.filter(|bit| byte >= ends[0] || *bit == byte % 8) {
                let mut damaged = file.clone();
                damaged[byte] ^= 1 << bit;
                if byte < ends[0] {
                    // The header may be another one now: only that it ends.
                    let _ = SalvageReader::new(&damaged[..])
                        .map(|mut reader| while let Ok(Some(_)) = reader.next_block() {});
                    continue;
                }
                let (good, report) = salvage(&damaged).unwrap();
                let other = if byte < ends[1] { [3, 4, 5] } else { [0, 1, 2] };
                assert!(other.iter().all(|number| good.contains(number)), "{codec}: {byte}, {bit}: {report}");
                // What a reader refuses is reported.
                if numbers(&damaged).is_err() {
                    assert!(!report.is_clean(), "{codec}: {byte}, {bit}");
                } else if codec != Codec::Null && codec != Codec::Deflate {
                    assert_eq!(good, [0, 1, 2, 3, 4, 5], "{codec}: {byte}, {bit}: {report}");
                }
            }
        }
    }
}
