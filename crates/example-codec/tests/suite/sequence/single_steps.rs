//! Lists whose steps have one integer each, against prost.

use example_codec::OffsetWidth;
use golden_cases::proto::tensorflow::SequenceExample;
use prost::Message as _;
use tfxio_core::Origin;

use super::oracle::{Kinds, inferred, prost};
use super::rows::builder;
use super::wire::{ints, sequence_example};

/// Integers of each length that a varint may have.
fn all_lengths() -> Vec<i64> {
    let shifts = (0..9).map(|groups| 1i64 << (7 * groups));
    shifts.flat_map(|value| [value - 1, value]).chain([i64::MAX, -1, i64::MIN, 300]).collect()
}

fn record(values: &[i64]) -> Vec<u8> {
    let steps = values.iter().map(|value| ints(&[*value])).collect::<Vec<_>>();
    sequence_example(&[], &[("tokens", &steps)])
}

pub(super) fn assert_is_what_prost_reads(records: &[Vec<u8>]) {
    for width in [OffsetWidth::Bits32, OffsetWidth::Bits64] {
        let mut decoder = builder().offsets(width).build().unwrap();
        let (mut kinds, mut rows) = (Kinds::default(), Vec::new());
        for (index, record) in records.iter().enumerate() {
            let pushed = decoder.push(record, Origin::record(index as u64));
            let row = SequenceExample::decode(&**record).is_ok().then(|| prost(record));
            let fits = row.filter(|row| kinds.take(row));
            assert_eq!(pushed.is_ok(), fits.is_some(), "record {index}, {record:?}: {pushed:?}");
            rows.extend(fits);
        }
        assert_eq!(decoder.flush().unwrap(), inferred(&rows, &kinds).batch(width));
    }
}

#[test]
fn integers_of_all_lengths() {
    let all = all_lengths();
    let mut records = vec![record(&all)];
    for start in 0..all.len() {
        // Also as the last step, which may end with the record, after steps of the same and of other lengths.
        records.push(record(&all[start..]));
        records.push(record(&[all[start]; 9]));
        records.push(record(&all[start..=start]));
    }
    assert_is_what_prost_reads(&records);
}

#[test]
fn any_byte_changed() {
    let intact = record(&[5, 300, 70_000, 1 << 40, 7]);
    let mut records = vec![intact.clone()];
    // The steps; what comes before them is read by others.
    for at in intact.len() - 43..intact.len() {
        for value in 0..=u8::MAX {
            let mut changed = intact.clone();
            changed[at] = value;
            // A known field of another wire type is an error for prost, and an unknown field for protobuf and here.
            if SequenceExample::decode(&*changed).is_err_and(|error| error.to_string().contains("wire type"))
            {
                continue;
            }
            records.push(changed);
        }
    }
    assert!(records.len() > 6000, "{} records", records.len());
    assert_is_what_prost_reads(&records);
}

#[test]
fn steps_of_another_form_between() {
    let single = ints(&[300]);
    let list =
        [single.clone(), ints(&[1, 2]), single.clone(), Vec::new(), ints(&[]), single.clone(), ints(&[-1])];
    let long = [vec![ints(&[-1])], vec![single; 40]].concat();
    assert_is_what_prost_reads(&[
        sequence_example(&[], &[("tokens", &list)]),
        sequence_example(&[("a", ints(&[1]))], &[("tokens", &long), ("z", &list)]),
    ]);
}
