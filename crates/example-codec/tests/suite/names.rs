//! Names of every length, in every order: the ways in which the decoder finds a column must agree.

use crate::wire;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use example_codec::{ExampleDecoder, ExampleSchema, FeatureField, FeatureKind};
use tfxio_core::Origin;

/// Shuffles items by a small generator with a seed.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for end in (1..items.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        items.swap(end, (state % (end as u64 + 1)) as usize);
    }
}

/// Names that differ in their first byte, in their last, in the middle, and in their length only.
fn names(lengths: impl Iterator<Item = usize>) -> Vec<String> {
    let mut names = Vec::new();
    for length in lengths {
        names.push("n".repeat(length));
        for position in [0, length / 2, length.saturating_sub(1)] {
            let mut name = "n".repeat(length).into_bytes();
            if let Some(byte) = name.get_mut(position) {
                *byte = b'a' + (position % 7) as u8;
            }
            names.push(String::from_utf8(name).unwrap());
        }
    }
    names.sort();
    names.dedup();
    names
}

fn value(batch: &RecordBatch, name: &str, row: usize) -> Option<i64> {
    let lists = batch.column_by_name(name)?.as_list_opt::<i64>()?;
    (!arrow_array::Array::is_null(lists, row)).then(|| lists.value(row).as_primitive::<Int64Type>().value(0))
}

/// Decodes 600 records in which some of the names are missing and the rest have an order that changes every `same` records;
/// each value encodes its name and row.
fn check(names: &[String], same: u64, with_schema: bool) {
    let mut builder = ExampleDecoder::builder();
    if with_schema {
        let specs = names.iter().map(|name| FeatureField::new(name.as_str(), FeatureKind::Int64));
        builder = builder.schema(ExampleSchema::new(specs).unwrap());
    }
    let mut decoder = builder.build().unwrap();
    let missing = |row: u64, index: usize| (row * 31 + index as u64 * 17).is_multiple_of(13);
    for row in 0..600 {
        let mut order = (0..names.len()).collect::<Vec<_>>();
        shuffle(&mut order, row / same);
        order.retain(|&index| !missing(row, index));
        let features = order
            .iter()
            .map(|&index| (names[index].as_str(), wire::ints(&[(row * 100_000) as i64 + index as i64])));
        decoder.push(&wire::example(&features.collect::<Vec<_>>()), Origin::record(row)).unwrap();
    }
    let batch = decoder.flush().unwrap();
    assert_eq!(batch.num_columns(), names.len());
    for (index, name) in names.iter().enumerate() {
        for row in 0..600 {
            let expected = (!missing(row, index)).then_some((row * 100_000) as i64 + index as i64);
            assert_eq!(value(&batch, name, row as usize), expected, "{name:?} in row {row}");
        }
    }
}

#[test]
fn names_of_every_length_in_one_order() {
    check(&names(0..40), u64::MAX, true);
    check(&names(0..40), u64::MAX, false);
}

#[test]
fn names_of_every_length_in_an_order_that_changes() {
    for same in [1, 50] {
        check(&names(0..40), same, true);
        check(&names(0..40), same, false);
    }
}

#[test]
fn very_long_names() {
    check(&names([31, 32, 33, 63, 64, 65, 127, 128, 129, 300].into_iter()), u64::MAX, true);
    check(&names([31, 32, 33, 63, 64, 65, 127, 128, 129, 300].into_iter()), 1, false);
}

#[test]
fn more_columns_than_are_looked_at_for_each_record() {
    let names = (0..1500).map(|index| format!("feature_{index}")).collect::<Vec<_>>();
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    for row in 0..300u64 {
        let chosen = (0..6).map(|step| ((row * 7 + step * 331) % 1500) as usize).collect::<Vec<_>>();
        let features =
            chosen.iter().map(|&index| (names[index].as_str(), wire::ints(&[index as i64, row as i64])));
        decoder.push(&wire::example(&features.collect::<Vec<_>>()), Origin::record(row)).unwrap();
    }
    let batch = decoder.flush().unwrap();
    let mut values = 0;
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        let index: i64 = field.name().trim_start_matches("feature_").parse().unwrap();
        let lists = column.as_list::<i64>();
        for (row, list) in lists.iter().enumerate() {
            let Some(list) = list else { continue };
            assert_eq!(list.as_primitive::<Int64Type>().values(), &[index, row as i64]);
            values += 1;
        }
    }
    assert_eq!(values, 300 * 6);
}

/// An entry of zeros is none: it must not be taken for a feature of the first column, nor for a name without a length,
/// which later entries would begin with.
#[test]
fn entries_of_zeros_are_refused() {
    // features { feature { key: "f0" value { bytes_list { value: "7" } } } }
    let good = b"\x0a\x0d\x0a\x0b\x0a\x02f0\x12\x05\x0a\x03\x0a\x017";
    for projection in [false, true] {
        let builder = ExampleDecoder::builder();
        let builder = if projection { builder.projection(["f0"]) } else { builder };
        let mut decoder = builder.build().unwrap();
        for record in 0..40 {
            decoder.push(good, Origin::record(record)).unwrap();
            for length in 3..20 {
                // Empty values, and others.
                for last in [0, 1] {
                    let mut entry = vec![0; length + 2];
                    entry[..2].copy_from_slice(&[0x0a, length as u8]);
                    entry[length + 1] = last;
                    let zeros = [&[0x0a, entry.len() as u8], &entry[..]].concat();
                    assert!(decoder.push(&zeros, Origin::record(record)).is_err(), "{length}");
                }
            }
        }
        let batch = decoder.flush().unwrap();
        assert_eq!((batch.num_rows(), batch.num_columns()), (40, 1));
        assert_eq!(arrow_array::Array::null_count(batch.column(0)), 0);
    }
}
