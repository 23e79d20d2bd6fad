//! An inference that has learned, against one that begins at each record with what was seen so far, and so never has.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use tfxio_core::{Limits, Origin};

use crate::example::field;
use crate::{ExampleSchemaInference, FeatureKind, UnknownFeatures};

/// A small generator of numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

fn message(number: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    field(&mut bytes, number, content);
    bytes
}

/// Returns a varint of that many bytes; of eleven it is malformed.
fn varint(bytes: usize) -> Vec<u8> {
    let mut varint = vec![0x81; bytes.saturating_sub(1)];
    varint.push(1);
    varint
}

/// Returns a feature of that kind, mostly of one value as it is usually written, or in one of many other forms.
fn feature(random: &mut Random, kind: FeatureKind, plain: usize) -> Vec<u8> {
    let form = if random.one_in(plain) { random.below(9) } else { 0 };
    let (count, list) = match form {
        1 => (0, message(kind.field(), &[])),
        2 => return Vec::new(),
        3 => (random.below(40), Vec::new()),
        // Unknown fields, before and after.
        4 => (1, vec![0x20, 0x05]),
        // Twice.
        5 => (1, feature(random, kind, usize::MAX)),
        6 => {
            let other = FeatureKind::ALL[random.below(3)];
            (1, feature(random, other, usize::MAX))
        }
        _ => (1, Vec::new()),
    };
    if form == 1 {
        return list;
    }
    let mut values = Vec::new();
    let mut unpacked = Vec::new();
    for _ in 0..count {
        match kind {
            FeatureKind::Int64 => {
                let length = if form == 7 { 9 + random.below(3) } else { 1 + random.below(3) };
                values.extend(varint(length));
                unpacked.extend([&[0x08][..], &varint(length)].concat());
            }
            FeatureKind::Float => {
                values.extend([1; 4]);
                unpacked.extend([0x0d, 1, 1, 1, 1]);
            }
            FeatureKind::Bytes => {
                let length = if form == 7 { random.below(400) } else { random.below(12) };
                unpacked.extend(message(1, &vec![b'v'; length]));
            }
        }
    }
    if form == 8 && kind == FeatureKind::Float {
        values.push(1);
    }
    let packed = if kind == FeatureKind::Bytes || form == 8 { unpacked } else { message(1, &values) };
    let feature = message(kind.field(), &packed);
    if random.one_in(2) { [list, feature].concat() } else { [feature, list].concat() }
}

/// Returns a record of features that come in an order, most of them there; one in `odd` things about it is odd.
fn record(random: &mut Random, odd: usize) -> Vec<u8> {
    let mut entries = Vec::new();
    for number in 0..12 {
        if random.one_in(if number % 4 == 3 { 3 } else { 4 * odd }) {
            continue;
        }
        let length = if number == 7 { 45 } else { 1 + number % 5 };
        let mut name = vec![b'a' + number as u8; length];
        if random.one_in(30 * odd) {
            name[0] = b'A' + random.below(26) as u8;
        }
        let kind = FeatureKind::ALL[if random.one_in(40 * odd) { random.below(3) } else { number % 3 }];
        let value = message(2, &feature(random, kind, odd));
        let key = message(1, &name);
        let entry = match random.below(20 * odd) {
            0 => [value, key].concat(),
            1 => key,
            2 => [key, value, vec![0x18, 0x01]].concat(),
            3 => [key.clone(), value.clone(), value].concat(),
            4 => [key, value, message(1, b"z")].concat(),
            _ => [key, value].concat(),
        };
        entries.push(message(1, &entry));
        if random.one_in(20 * odd) {
            entries.push(entries[random.below(entries.len())].clone());
        }
    }
    if random.one_in(20 * odd) {
        let (one, other) = (random.below(entries.len().max(1)), random.below(entries.len().max(1)));
        if one < entries.len() && other < entries.len() {
            entries.swap(one, other);
        }
    }
    let mut record = message(1, &entries.concat());
    match random.below(20 * odd) {
        0 => record.extend([0x18, 0x01]),
        1 => record.truncate(random.below(record.len() + 1)),
        2 => record.extend(message(1, &[])),
        3 => record = message(2, &record),
        4 if !record.is_empty() => {
            let at = random.below(record.len());
            record[at] ^= 1 << random.below(8);
        }
        5 => record.push(0),
        _ => {}
    }
    record
}

fn state(inference: &ExampleSchemaInference) -> String {
    let features = inference.features().collect::<Vec<_>>();
    format!("{} {features:?} {:?} {:?}", inference.records(), inference.finish(), inference.kind_mismatches())
}

#[test]
fn records_that_are_alike_are_seen_as_any() {
    let (mut taken, mut all, mut refused) = (0, 0, 0);
    for round in 0..240_u64 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (round + 1));
        let odd = [3, 16, 64][round as usize % 3];
        let action = if round % 5 == 0 { UnknownFeatures::Refuse } else { UnknownFeatures::Ignore };
        let empty = ExampleSchemaInference::default()
            .mixed_kinds(round % 4 == 0)
            .required(true)
            .other_messages(action)
            .limits(Limits::default().columns(if round % 7 == 0 { 14 } else { 1000 }));
        let (mut learned, mut fresh) = (empty.clone(), empty.clone());
        for number in 0..120 {
            let record = record(&mut random, odd);
            let origin = Origin::record(number);
            let mut next = empty.clone();
            next.merge(&fresh).unwrap();
            let (one, other) = (learned.push(&record, origin), next.push(&record, origin));
            taken += u32::from(one.is_ok() && learned.features.is_alike);
            all += 1;
            assert!(!next.features.is_alike);
            match (one, other) {
                (Ok(()), Ok(())) => fresh = next,
                (Err(one), Err(other)) => {
                    refused += 1;
                    assert_eq!(one.to_string(), other.to_string(), "round {round}, {record:02x?}");
                }
                (one, other) => panic!("round {round}, {record:02x?}: {one:?}, {other:?}"),
            }
            if number % 8 == 0 {
                assert_eq!(state(&learned), state(&fresh), "round {round}, {record:02x?}");
            }
            if random.one_in(100) {
                learned = learned.clone();
            }
        }
        assert_eq!(state(&learned), state(&fresh), "round {round}");
        let mut merged = empty.clone();
        merged.merge(&learned).unwrap();
        assert_eq!(state(&merged), state(&fresh), "round {round}");
    }
    assert!(taken > all / 4 && refused > all / 50, "{taken} taken and {refused} refused of {all}");
}
