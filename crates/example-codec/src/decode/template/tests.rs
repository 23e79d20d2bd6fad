//! Steps against entries that differ a little, and decoders that have learned against fresh ones.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

mod orders;

use arrow_array::RecordBatch;
use proptest::prelude::*;
use tfxio_core::{Origin, RecordDecoder as _};

use super::WINDOW;
use super::block::is_equal;
#[cfg(target_arch = "x86_64")]
use super::block::is_equal_avx2;
use super::stage::StagedColumn;
use super::step::{Form, TemplateStep};
use crate::decode::core::Core;
use crate::decode::names::Names;
use crate::decode::options::ExampleDecoderBuilder;
#[cfg(target_arch = "x86_64")]
use crate::decode::processor::has_avx2;
use crate::example::field;
use crate::{Example, FeatureKind};

const KINDS: [Option<FeatureKind>; 4] =
    [None, Some(FeatureKind::Bytes), Some(FeatureKind::Float), Some(FeatureKind::Int64)];

fn message(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    field(&mut bytes, u32::from(number), content);
    bytes
}

/// Returns every form, with how much of an entry it takes for granted: that its value is `kind`, and in how many messages.
fn forms() -> Vec<(Form, Option<FeatureKind>)> {
    let kinds = [FeatureKind::Bytes, FeatureKind::Float, FeatureKind::Int64];
    let one = [Form::Bytes, Form::Float, Form::Int].into_iter().zip(kinds.map(Some));
    let lists = kinds.map(|kind| (Form::List, Some(kind)));
    one.chain(lists).chain([(Form::Feature, None), (Form::Ignored, Some(FeatureKind::Float))]).collect()
}

/// Returns an entry of that name whose value, in that form, is that many bytes of 7; and the offset of the value.
fn entry(name: &str, (form, kind): (Form, Option<FeatureKind>), value: usize) -> (Vec<u8>, usize) {
    let value = vec![7; value];
    let list = |content: &[u8]| message(kind.map_or(0, |kind| kind.field() as u8), content);
    let feature = match form {
        Form::Int | Form::Float | Form::Bytes => list(&message(1, &value)),
        Form::List => list(&value),
        Form::Feature | Form::Ignored | Form::Other => value.clone(),
    };
    let all = message(1, &[message(1, name.as_bytes()), message(2, &feature)].concat());
    let at = all.len() - value.len();
    (all, at)
}

fn names(name: &str) -> Names {
    let mut names = Names::new();
    names.insert(&name.into(), 0);
    names
}

/// Returns the value that a step finds in an entry, by each of the comparisons.
fn value(step: &TemplateStep, entry: &[u8], names: &Names) -> Option<(usize, usize)> {
    let mut window = [0xaa; WINDOW];
    window.iter_mut().zip(entry).for_each(|(to, from)| *to = *from);
    let found = step.value(&window, is_equal);
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has the feature that the function is compiled for.
        let vector = step.value(&window, |bytes, expected, shape, length| unsafe {
            is_equal_avx2(bytes, expected, shape, length)
        });
        assert_eq!(vector, found);
    }
    found.or_else(|| step.is_long().then(|| step.long_value(entry, names)).flatten())
}

#[test]
fn a_step_takes_its_entries_and_no_others() {
    for form in forms() {
        for name_length in (0..30).chain([50, 53, 54, 60, 110, 113, 114, 115, 116, 117, 118, 119, 128, 200]) {
            let name = "n".repeat(name_length);
            let names = names(&name);
            let prefix = names.prefix(1).unwrap();
            let step = TemplateStep::new(prefix, form, 0, 1, StagedColumn::default());
            let (shortest, _) = entry(&name, form, 0);
            assert_eq!(step.form == Form::Other, shortest[1] >= 0x80, "{form:?}, {name_length}");
            for length in 0..140 {
                let (bytes, at) = entry(&name, form, length);
                let expected = (bytes[1] < 0x80).then_some((at, length));
                assert_eq!(value(&step, &bytes, &names), expected, "{form:?}, {name_length}, {length}");
                if length % 8 > 2 {
                    continue;
                }
                for other in 0..at.min(bytes.len()) {
                    for bit in 0..8 {
                        let mut bytes = bytes.clone();
                        bytes[other] ^= 1 << bit;
                        let found = value(&step, &bytes, &names);
                        assert_eq!(found, None, "{form:?}, {name_length}, {length}, {other}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_step_without_a_form_takes_nothing() {
    let names = names("a");
    let step =
        TemplateStep::new(names.prefix(1).unwrap(), (Form::Other, None), 0, 1, StagedColumn::default());
    for byte in 0..=u8::MAX {
        assert_eq!(value(&step, &[byte; WINDOW], &names), None);
    }
}

/// Pushes records into one decoder, each also into a fresh one, and compares.
fn compare(builder: &ExampleDecoderBuilder, records: &[Vec<u8>]) -> (usize, usize) {
    let mut learned = Core::<i64>::new(builder.clone()).unwrap();
    let mut by_template = 0;
    let mut taken = Vec::new();
    for record in records {
        // A decoder that is told not to try is the two passes alone.
        let mut fresh = Core::<i64>::new(builder.clone()).unwrap();
        fresh.templates.switch_off();
        for earlier in &taken {
            let earlier: &Vec<u8> = earlier;
            fresh.push(earlier, Origin::record(0)).unwrap();
        }
        let walked = learned.walk.stamp;
        let result = learned.push(record, Origin::record(0)).map_err(|error| format!("{error:?}"));
        by_template += usize::from(learned.walk.stamp == walked);
        let expected = fresh.push(record, Origin::record(0)).map_err(|error| format!("{error:?}"));
        assert_eq!(result, expected);
        if result.is_ok() {
            taken.push(record.clone());
        }
    }
    let mut fresh = Core::<i64>::new(builder.clone()).unwrap();
    fresh.templates.switch_off();
    for record in &taken {
        fresh.push(record, Origin::record(0)).unwrap();
    }
    let expected: RecordBatch = fresh.flush().unwrap();
    assert_eq!(learned.flush().unwrap(), expected);
    (by_template, taken.len())
}

/// Returns one feature, as a name and a choice of a form.
fn feature() -> impl Strategy<Value = (usize, usize, Vec<u8>)> {
    (0usize..8, 0usize..12, prop::collection::vec(any::<u8>(), 0..40))
}

const NAMES: [&str; 8] = [
    "",
    "a",
    "ab",
    "abc",
    "abd",
    "feature_of_17_byt",
    "a_name_of_twenty-two_b",
    "a_name_longer_than_all_the_words",
];

/// Entries of mostly one kind a name, in mostly usual forms.
fn features(features: &[(usize, usize, Vec<u8>)]) -> Vec<u8> {
    let mut map = Vec::new();
    for (name, form, data) in features {
        let kind = if *form == 11 { KINDS[1 + (name + 1) % 3] } else { KINDS[1 + name % 3] };
        let value = match (kind, form) {
            (_, 10) => Vec::new(),
            (Some(FeatureKind::Bytes), ..7) => message(1, &message(1, data)),
            (Some(FeatureKind::Bytes), _) => message(1, &[message(1, data), message(1, data)].concat()),
            (Some(FeatureKind::Float), ..7) => message(2, &message(1, &[1, 2, 3, 4])),
            (Some(FeatureKind::Float), _) => message(2, &message(1, data)),
            (_, ..4) => message(3, &message(1, &[0x85, 0x01])),
            (_, 4..7) => message(3, &message(1, &[0x80 + *form as u8, 0x80, 0x80, 0x80, 0x01])),
            (_, 7) => message(3, &[8, 5, 8, 6]),
            _ => message(3, &message(1, data)),
        };
        let entry = [message(1, NAMES[*name].as_bytes()), message(2, &value)].concat();
        map.extend(message(1, &entry));
    }
    message(1, &map)
}

fn builders() -> [ExampleDecoderBuilder; 3] {
    let all = ExampleDecoderBuilder::default();
    [
        all.clone(),
        all.clone().projection(["abc", "feature_of_17_byt", "nowhere"]),
        all.raw_record_column("raw"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn learned_is_as_fresh(
        base in prop::collection::vec(feature(), 1..8),
        changes in prop::collection::vec((any::<usize>(), feature(), 0u8..6, any::<usize>(), any::<u8>()), 1..12),
        builder in 0usize..3,
        is_turned in any::<bool>(),
    ) {
        let turned = |base: &[(usize, usize, Vec<u8>)], by: usize| {
            let mut base = base.to_vec();
            if is_turned {
                let by = by % base.len();
                base.rotate_left(by);
            }
            features(&base)
        };
        let mut records = (0..6).map(|by| turned(&base, by)).collect::<Vec<_>>();
        for (at, new, how, byte, flip) in changes {
            let mut changed = base.clone();
            let at = at % changed.len();
            match how {
                0 => changed[at] = new,
                1 => changed.insert(at, new),
                2 => drop(changed.remove(at)),
                3 => changed.rotate_left(at),
                _ => changed[at].2 = new.2,
            }
            let mut record = features(&changed);
            if how == 5 && !record.is_empty() {
                let byte = byte % record.len();
                record[byte] ^= flip;
            }
            records.push(record);
            records.push(turned(&base, at));
        }
        compare(&builders()[builder], &records);
    }
}

fn univalent(row: u64, names: impl Iterator<Item = u64>) -> Vec<u8> {
    in_order(names.map(|name| single(row, name)))
}

fn single(row: u64, name: u64) -> Example {
    match name % 3 {
        0 => Example::new().int64(format!("n{name}"), [(row * name) as i64]),
        1 => Example::new().float(format!("n{name}"), [row as f32]),
        _ => Example::new().bytes(format!("n{name}"), [row.to_string()]),
    }
}

/// Returns one record with the features of records of one feature each, in that order.
fn in_order(examples: impl Iterator<Item = Example>) -> Vec<u8> {
    let map = examples.flat_map(|example| {
        let record = example.to_vec();
        let map = record.len() - usize::from(record[1]);
        assert_eq!(map, 2);
        record[map..].to_vec()
    });
    message(1, &map.collect::<Vec<_>>())
}

#[test]
fn nearly_all_records_are_taken() {
    let records = (0..100).map(|row| univalent(row, 0..40)).collect::<Vec<_>>();
    assert_eq!(compare(&ExampleDecoderBuilder::default(), &records), (97, 100));
    // Of some features few are absent, or many.
    for (every, expected) in [(11, 90..100), (3, 90..100)] {
        let names = |row: u64| (0..40).filter(move |name| row == 0 || !(row + name).is_multiple_of(every));
        let records = (0..100).map(|row| univalent(row, names(row))).collect::<Vec<_>>();
        let (taken, _) = compare(&ExampleDecoderBuilder::default(), &records);
        assert!(expected.contains(&taken), "{every}: {taken}");
    }
}

#[test]
fn records_without_one_of_a_few_columns_are_tried() {
    let few = ExampleDecoderBuilder::default().projection(["n1", "n5", "n20"]);
    let mut core = Core::<i64>::new(few).unwrap();
    let mut tried = 0;
    for row in 0..1000_u64 {
        tried += u32::from(core.templates.ordered.pause <= 1);
        let names = (0..40).filter(|name| row == 0 || !(row + name).is_multiple_of(11));
        core.push(&univalent(row, names), Origin::record(0)).unwrap();
    }
    assert!(tried > 900, "{tried}");
}

#[test]
fn records_that_are_never_taken_are_seldom_tried() {
    // The same feature twice.
    let feature = entry("k", (Form::Float, Some(FeatureKind::Float)), 4).0;
    let usual = message(1, &feature);
    let odd = message(1, &[feature.clone(), feature].concat());
    let mut core = Core::<i64>::new(ExampleDecoderBuilder::default()).unwrap();
    let mut tried = 0;
    for record in 0..10_000 {
        tried += u32::from(core.templates.ordered.pause <= 1);
        core.push(if record < 4 { &usual } else { &odd }, Origin::record(0)).unwrap();
    }
    assert!(tried < 200, "{tried}");
}
