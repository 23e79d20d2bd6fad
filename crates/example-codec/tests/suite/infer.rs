//! Schema inference: what it finds, against prost and against the decoder.

use crate::model;
use crate::wire;

use std::collections::BTreeMap;

use example_codec::{
    Error, ExampleDecoder, ExampleSchema, ExampleSchemaInference, FeatureField, FeatureKind,
    SequenceExampleSchemaInference, UnknownFeatures,
};
use golden_cases::proto::tensorflow::Example;
use golden_cases::proto::tensorflow::feature::Kind;
use proptest::prelude::*;
use prost::Message as _;
use tfxio_core::{Limits, Origin};
use wire::{bytes, example, floats, ints};

fn infer(records: &[Vec<u8>]) -> Result<ExampleSchemaInference, Error> {
    let mut inference = ExampleSchemaInference::default();
    for (index, record) in records.iter().enumerate() {
        inference.push(record, Origin::new("a.tfrecord", 100 * index as u64, index as u64))?;
    }
    Ok(inference)
}

/// Name, kind, present, unset, values, least, most.
type Row = (String, Option<FeatureKind>, u64, u64, u64, u64, u64);

fn rows(inference: &ExampleSchemaInference) -> Vec<Row> {
    let row = |f: example_codec::FeatureStatistics<'_>| {
        (f.name.to_owned(), f.kind, f.present, f.unset, f.values, f.min_values, f.max_values)
    };
    inference.features().map(row).collect()
}

#[test]
fn lengths_and_presence() {
    let records = [
        example(&[("one", ints(&[1])), ("some", floats(&[1.0])), ("empty", bytes(&[])), ("unset", vec![])]),
        example(&[
            ("one", ints(&[2])),
            ("some", floats(&[])),
            ("empty", bytes(&[])),
            ("late", ints(&[1, 2])),
        ]),
    ];
    let inference = infer(&records).unwrap();
    assert_eq!(inference.records(), 2);
    let int = FeatureKind::Int64;
    assert_eq!(
        rows(&inference),
        [
            ("empty".to_owned(), Some(FeatureKind::Bytes), 2, 0, 0, 0, 0),
            ("late".to_owned(), Some(int), 1, 0, 2, 2, 2),
            ("one".to_owned(), Some(int), 2, 0, 2, 1, 1),
            ("some".to_owned(), Some(FeatureKind::Float), 2, 0, 1, 0, 1),
            ("unset".to_owned(), None, 0, 1, 0, 0, 0),
        ]
    );
    let expected = |required: bool| {
        let mark = |spec: FeatureField| if required { spec.required() } else { spec };
        ExampleSchema::new([
            mark(FeatureField::new("empty", FeatureKind::Bytes)),
            FeatureField::new("late", int).fixed_len(2),
            mark(FeatureField::new("one", int).fixed_len(1)),
            mark(FeatureField::new("some", FeatureKind::Float)),
            FeatureField::null("unset"),
        ])
        .unwrap()
    };
    assert_eq!(inference.finish(), expected(false));
    assert_eq!(inference.required(true).finish(), expected(true));
}

#[test]
fn nothing_seen_is_an_empty_schema() {
    let inference = ExampleSchemaInference::default().required(true);
    assert_eq!((inference.records(), inference.features().len()), (0, 0));
    assert_eq!(inference.finish(), ExampleSchema::default());
}

#[test]
fn two_kinds_of_one_feature() {
    let records = [
        example(&[("y", ints(&[1]))]),
        example(&[("x", ints(&[1]))]),
        example(&[("new", ints(&[1])), ("x", floats(&[1.0]))]),
    ];
    let error = infer(&records).unwrap_err();
    let kind =
        example_codec::Kind::KindMismatch { expected: Some(FeatureKind::Int64), found: FeatureKind::Float };
    assert_eq!(error.detail(), Some(&kind));
    assert_eq!(
        error.to_string(),
        "a.tfrecord, byte 200, record 2, column \"x\": the value is a float_list, in a.tfrecord, byte 100, record \
         1 it is an int64_list; a column can hold only one"
    );
}

#[test]
fn of_several_features_of_another_kind_the_first_in_the_record_is_named() {
    let records = [
        example(&[("a", ints(&[1])), ("b", ints(&[1]))]),
        example(&[("b", floats(&[1.0])), ("a", floats(&[1.0]))]),
    ];
    let error = infer(&records).unwrap_err();
    assert_eq!(error.position().column.as_deref(), Some("b"));
}

#[test]
fn names_of_a_record_that_fails_are_forgotten() {
    let mut inference = infer(&[example(&[("a", ints(&[1])), ("b", ints(&[1]))])]).unwrap();
    let before = rows(&inference);
    let bad = example(&[("new", ints(&[1])), ("b", floats(&[1.0])), ("a", ints(&[2]))]);
    inference.push(&bad, Origin::record(1)).unwrap_err();
    assert_eq!(rows(&inference), before);
    inference.push(&example(&[("newer", ints(&[])), ("b", ints(&[3]))]), Origin::record(2)).unwrap();
    let found = inference.features().map(|feature| (feature.name, feature.present)).collect::<Vec<_>>();
    assert_eq!(found, [("a", 1), ("b", 2), ("newer", 1)]);
}

#[test]
fn integers_of_every_length_are_counted() {
    let of_length = |bytes: u32| if bytes == 10 { -1 } else { 1_i64 << (7 * (bytes - 1)) };
    for length in 1..=10 {
        for count in 0..20 {
            let mut values = vec![of_length(length); count];
            values.extend([1, 2, 3].iter().take(count % 4));
            let inference = infer(&[example(&[("x", ints(&values))])]).unwrap();
            assert_eq!(inference.features().next().unwrap().values, values.len() as u64, "{length} {count}");
        }
    }
    // Eleven bytes, and one that does not end.
    for run in [[&[0x80; 10], &[1][..]].concat(), vec![1, 1, 1, 1, 0x80]] {
        let value = wire::field(3, &wire::field(1, &run));
        let error = infer(&[example(&[("x", value)])]).unwrap_err();
        assert!(matches!(error.detail(), Some(example_codec::Kind::Malformed(_))), "{error}");
    }
}

#[test]
fn two_kinds_in_two_parts() {
    let one = |file, feature| {
        let mut inference = ExampleSchemaInference::default();
        inference.push(&example(&[("x", feature), ("y", ints(&[1]))]), Origin::new(file, 7, 5)).unwrap();
        inference
    };
    let mut first = one("one", ints(&[1]));
    let before = rows(&first);
    let error = first.merge(&one("two", bytes(&[b""]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "two, byte 7, record 5, column \"x\": the value is a bytes_list, in one, byte 7, record 5 it is an \
         int64_list; a column can hold only one"
    );
    assert_eq!((rows(&first), first.records()), (before, 1));
}

#[test]
fn mixed_kinds_are_counted_where_they_are_allowed() {
    let records = [
        example(&[("id", ints(&[1])), ("n", ints(&[1]))]),
        example(&[("id", ints(&[2])), ("n", floats(&[1.0]))]),
        example(&[("id", ints(&[3])), ("n", ints(&[2]))]),
    ];
    let look = |records: &[Vec<u8>], first: u64| {
        let mut inference = ExampleSchemaInference::default().mixed_kinds(true);
        for (index, record) in (first..).zip(records) {
            inference.push(record, Origin::record(index)).unwrap();
        }
        inference
    };
    let all = look(&records, 0);
    let mut parts = look(&records[..1], 0);
    parts.merge(&look(&records[1..], 1)).unwrap();
    for inference in [all, parts] {
        let kinds = inference.features().map(|f| (f.kinds, f.is_mixed())).collect::<Vec<_>>();
        assert_eq!(kinds, [([0, 0, 3], false), ([0, 1, 2], true)]);
        let errors = inference.kind_mismatches().iter().map(ToString::to_string).collect::<Vec<_>>();
        let expected = "record 1, column \"n\": the value is a float_list, in record 0 it is an int64_list; a column can hold only \
                        one";
        assert_eq!(errors, [expected]);
        let n = inference.finish();
        assert_eq!(n.feature("n").unwrap().kind, Some(FeatureKind::Int64));
    }
}

#[test]
fn an_empty_list_of_another_kind_contradicts_nothing() {
    let records = [
        example(&[("x", ints(&[])), ("empty", bytes(&[]))]),
        example(&[("x", floats(&[1.0])), ("empty", ints(&[]))]),
        example(&[("x", bytes(&[])), ("empty", floats(&[]))]),
    ];
    // In any order, in one go, in parts, and with those that are counted without an error.
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let ordered = order.map(|at: usize| records[at].clone());
        let whole = infer(&ordered).unwrap();
        let mut parts = infer(&ordered[..1]).unwrap();
        parts.merge(&infer(&ordered[1..]).unwrap()).unwrap();
        let mut mixed = ExampleSchemaInference::default().mixed_kinds(true);
        // Often enough for what is like earlier records.
        for record in ordered.iter().cycle().take(300) {
            mixed.push(record, Origin::default()).unwrap();
        }
        for inference in [&whole, &parts, &mixed] {
            let x = inference.features().find(|feature| feature.name == "x").unwrap();
            let times = inference.records() / 3;
            assert_eq!((x.kind, x.kinds, x.is_mixed()), (Some(FeatureKind::Float), [0, times, 0], false));
            assert_eq!((x.present, x.min_values, x.max_values), (3 * times, 0, 1));
            // Without values the first list says the kind.
            let first = [FeatureKind::Bytes, FeatureKind::Int64, FeatureKind::Float][order[0]];
            let schema = inference.finish();
            let empty = FeatureField::new("empty", first);
            assert_eq!(schema.features(), [empty, FeatureField::new("x", FeatureKind::Float)]);
            assert!(inference.kind_mismatches().is_empty());
        }
    }
}

#[test]
fn records_of_another_message_are_refused_where_that_is_asked_for() {
    let group = [wire::varint(7 << 3 | 3), wire::varint(7 << 3 | 4)].concat();
    let others = [
        // A tf.Event: a double, a number and a message.
        [b"\x09\0\0\0\0\0\0\xf0\x3f\x10\x07".to_vec(), wire::field(5, b"\x0a\x01x")].concat(),
        // Statistics: a message in field 1, in which are a number and a message in field 3.
        wire::field(1, &[vec![0x10, 0x05], wire::field(3, b"\x08\x01")].concat()),
        // Entries without name and kind.
        wire::field(1, &wire::field(1, &[0x10, 0x05])),
        wire::field(1, &wire::field(1, &wire::field(2, &[0x08, 0x05]))),
        wire::field(2, &wire::field(1, &wire::field(2, &[0x08, 0x05]))),
        // Fields 1 and 2 of other wire types.
        vec![0x08, 0x01],
        vec![0x10, 0x01],
        group,
    ];
    let examples = [
        Vec::new(),
        wire::field(1, &[]),
        wire::field(2, &[]),
        wire::field(1, &wire::field(1, &[])),
        example(&[("a", Vec::new())]),
        example(&[("", ints(&[]))]),
        wire::field(1, &wire::field(1, &wire::field(2, &ints(&[1])))),
        [example(&[("a", ints(&[1]))]), vec![0x20, 0x01]].concat(),
    ];
    for record in &others {
        let mut inference = ExampleSchemaInference::default().other_messages(UnknownFeatures::Refuse);
        let error = inference.push(record, Origin::record(0)).unwrap_err();
        assert_eq!(error.detail(), Some(&example_codec::Kind::OtherMessage), "{record:02x?}");
        let mut lists = SequenceExampleSchemaInference::default().other_messages(UnknownFeatures::Refuse);
        let error = lists.push(record, Origin::record(0)).unwrap_err();
        assert_eq!(error.detail(), Some(&example_codec::Kind::OtherMessage), "{record:02x?}");
        // By default they are read as protobuf reads them.
        ExampleSchemaInference::default().push(record, Origin::record(0)).unwrap();
    }
    for record in &examples {
        let mut inference = ExampleSchemaInference::default().other_messages(UnknownFeatures::Refuse);
        inference.push(record, Origin::record(0)).unwrap();
    }
}

#[test]
fn limits() {
    let record = example(&[("a", ints(&[1])), ("b", ints(&[1]))]);
    let limited = |limits| ExampleSchemaInference::default().limits(limits);
    let mut few = limited(Limits::default().columns(1));
    let error = few.push(&record, Origin::record(3)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 3: the data have more than 1 feature; raise `Limits::columns` or choose some"
    );
    few.push(&example(&[("b", ints(&[1]))]), Origin::record(4)).unwrap();
    let error = few.merge(&infer(std::slice::from_ref(&record)).unwrap()).unwrap_err();
    assert_eq!(error.detail(), Some(&example_codec::Kind::LimitExceeded));
    let mut short = limited(Limits::default().record_bytes(3));
    let error = short.push(&record, Origin::record(0)).unwrap_err();
    assert_eq!(error.detail(), Some(&example_codec::Kind::LimitExceeded));
}

#[test]
fn the_schema_decodes_what_it_was_inferred_from() {
    let records = [
        example(&[("image", floats(&[0.5; 4])), ("label", ints(&[1])), ("words", bytes(&[b"a", b"b"]))]),
        example(&[("image", floats(&[0.5; 4])), ("label", ints(&[2])), ("words", bytes(&[]))]),
    ];
    let schema = infer(&records).unwrap().required(true).finish();
    let builder = ExampleDecoder::builder().schema(schema).fixed_size_lists(true);
    let mut decoder = builder.build().unwrap();
    for record in &records {
        decoder.push(record, Origin::default()).unwrap();
    }
    assert_eq!(decoder.flush().unwrap().num_rows(), 2);
}

fn kind_and_count(kind: &Kind) -> (FeatureKind, u64) {
    match kind {
        Kind::BytesList(list) => (FeatureKind::Bytes, list.value.len() as u64),
        Kind::FloatList(list) => (FeatureKind::Float, list.value.len() as u64),
        Kind::Int64List(list) => (FeatureKind::Int64, list.value.len() as u64),
    }
}

/// Returns the statistics that prost finds in these records, whose kinds agree.
fn expected(records: &[&Vec<u8>]) -> Vec<Row> {
    let mut all: BTreeMap<String, Row> = BTreeMap::new();
    for record in records {
        let example = Example::decode(record.as_slice()).unwrap();
        for (name, feature) in example.features.unwrap_or_default().feature {
            let row = all.entry(name.clone()).or_insert((name, None, 0, 0, 0, u64::MAX, 0));
            match &feature.kind {
                None => row.3 += 1,
                Some(kind) => {
                    let (kind, count) = kind_and_count(kind);
                    // Of lists without values the first says a kind, where no values do.
                    if row.4 == 0 && (count > 0 || row.1.is_none()) {
                        row.1 = Some(kind);
                    }
                    row.2 += 1;
                    row.4 += count;
                    row.5 = row.5.min(count);
                    row.6 = row.6.max(count);
                }
            }
        }
    }
    let finish = |mut row: Row| {
        row.5 = if row.2 == 0 { 0 } else { row.5 };
        row
    };
    all.into_values().map(finish).collect()
}

proptest! {
    #![proptest_config(model::config(1000))]

    #[test]
    fn agrees_with_the_decoder_and_with_prost(records in prop::collection::vec(wire::any_example(), 0..8), cut in 0..8usize) {
        let mut inference = ExampleSchemaInference::default();
        let mut decoder = ExampleDecoder::builder().build().unwrap();
        let mut taken = Vec::new();
        for (index, record) in records.iter().enumerate() {
            let origin = Origin::record(index as u64);
            let before = rows(&inference);
            let result = inference.push(record, origin);
            prop_assert_eq!(result.is_ok(), decoder.push(record, origin).is_ok());
            match result {
                Ok(()) => taken.push(record),
                Err(_) => prop_assert_eq!(rows(&inference), before),
            }
        }
        prop_assert_eq!(rows(&inference), expected(&taken));
        prop_assert_eq!(inference.records(), taken.len() as u64);
        // In two parts, merged.
        let (first, second) = taken.split_at(cut.min(taken.len()));
        let part = |records: &[&Vec<u8>]| {
            let mut part = ExampleSchemaInference::default();
            for record in records {
                part.push(record, Origin::record(0)).unwrap();
            }
            part
        };
        let mut merged = part(first);
        merged.merge(&part(second)).unwrap();
        prop_assert_eq!(rows(&merged), rows(&inference));
        prop_assert_eq!(merged.finish(), inference.finish());
    }

    #[test]
    fn refuses_what_the_decoder_refuses(record in wire::any_example(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bad = record;
        if !bad.is_empty() {
            let at = at.index(bad.len());
            bad[at] = byte;
        }
        let mut decoder = ExampleDecoder::builder().build().unwrap();
        let mut inference = ExampleSchemaInference::default();
        let (ours, theirs) = (inference.push(&bad, Origin::record(0)), decoder.push(&bad, Origin::record(0)));
        // Of two faults the two may find another one first.
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?}, the decoder {:?}", ours, theirs);
    }
}
