//! The schema of SequenceExamples from their records.

use example_codec::{FeatureKind, Kind, SequenceExampleSchemaInference};
use proptest::prelude::*;
use tfxio_core::{Limits, Origin};

use super::model;
use super::rows::{builder, decode};
use super::wire::{self, bytes, floats, ints, sequence_example};

fn look(records: &[Vec<u8>]) -> SequenceExampleSchemaInference {
    let mut inference = SequenceExampleSchemaInference::default();
    for (index, record) in records.iter().enumerate() {
        inference.push(record, Origin::record(index as u64)).unwrap();
    }
    inference
}

#[test]
fn steps_and_values_are_counted() {
    let records = [
        sequence_example(&[("c", ints(&[1]))], &[("s", &[floats(&[1.0, 2.0]), Vec::new()]), ("t", &[])]),
        sequence_example(&[], &[("s", &[floats(&[3.0, 4.0]), floats(&[5.0, 6.0]), Vec::new()])]),
        sequence_example(&[("c", ints(&[2]))], &[("t", &[Vec::new()])]),
    ];
    let inference = look(&records);
    assert_eq!((inference.records(), inference.context_features().len()), (3, 1));
    let [s, t] = inference.sequence_features().collect::<Vec<_>>()[..] else { panic!("two lists") };
    assert_eq!((s.name, s.kind, s.present), ("s", Some(FeatureKind::Float), 2));
    assert_eq!((s.steps, s.unset_steps, s.values), (5, 2, 6));
    assert_eq!((s.min_steps, s.max_steps, s.min_values, s.max_values), (2, 3, 2, 2));
    assert_eq!((t.kind, t.present, t.steps, t.unset_steps), (None, 2, 1, 1));
    assert_eq!((t.min_steps, t.max_steps), (0, 1));
    let schema = inference.clone().finish();
    let s = schema.sequence().feature("s").unwrap();
    assert_eq!((s.kind, s.fixed_len, s.required), (Some(FeatureKind::Float), Some(2), false));
    assert_eq!(schema.sequence().feature("t").unwrap().kind, None);
    assert_eq!(schema.context().feature("c").unwrap().fixed_len, Some(1));
    let required = SequenceExampleSchemaInference::default().required(true);
    assert_eq!(required.finish(), Default::default());
}

#[test]
fn only_what_every_record_has_can_be_required() {
    let mut inference = SequenceExampleSchemaInference::default().required(true);
    for lists in [&[("s", &[][..]), ("t", &[][..])][..], &[("s", &[][..])][..]] {
        inference.push(&sequence_example(&[("c", ints(&[1]))], lists), Origin::record(0)).unwrap();
    }
    let schema = inference.finish();
    assert!(
        schema.sequence().feature("s").unwrap().required && schema.context().feature("c").unwrap().required
    );
    assert!(!schema.sequence().feature("t").unwrap().required);
}

#[test]
fn kinds_that_do_not_fit_are_refused_with_both_places() {
    let mut inference = SequenceExampleSchemaInference::default();
    let origin = |index| Origin::new("a.tfrecord", 100 * index, index);
    inference.push(&sequence_example(&[], &[("s", &[ints(&[1])])]), origin(4)).unwrap();
    let before = inference.clone().finish();
    let mixed = sequence_example(&[], &[("new", &[]), ("t", &[Vec::new(), bytes(&[b""]), floats(&[1.0])])]);
    let error = inference.push(&mixed, origin(5)).unwrap_err();
    let expected = "a.tfrecord, byte 500, record 5, column \"t\": step 2 of the feature list is a float_list, an \
                    earlier step has bytes_list";
    assert_eq!(error.to_string(), expected);
    let other = sequence_example(&[], &[("s", &[floats(&[1.0])])]);
    let error = inference.push(&other, origin(6)).unwrap_err();
    let expected = "a.tfrecord, byte 600, record 6, column \"s\": the feature list holds a float_list, in \
                    a.tfrecord, byte 400, record 4 it holds an int64_list; a column can hold only one";
    assert_eq!(error.to_string(), expected);
    // A context that does not fit leaves no list behind either.
    let bad = [sequence_example(&[], &[("new", &[])]), vec![0x0a]].concat();
    assert!(matches!(inference.push(&bad, origin(7)).unwrap_err().detail(), Some(Kind::Malformed(_))));
    let error = inference.push(b"\xff", origin(8)).unwrap_err();
    assert!(error.to_string().contains("not a tf.SequenceExample"), "{error}");
    assert_eq!(inference.finish(), before);
    let mut theirs = look(&[other]);
    let kept = theirs.clone().finish();
    assert!(matches!(theirs.merge(&inference).unwrap_err().detail(), Some(Kind::KindMismatch { .. })));
    assert_eq!(theirs.finish(), kept);
}

#[test]
fn mixed_kinds_are_counted_where_they_are_allowed() {
    let records = [
        sequence_example(&[], &[("s", &[ints(&[1])]), ("t", &[bytes(&[b""]), floats(&[1.0])])]),
        sequence_example(&[], &[("s", &[floats(&[1.0])]), ("t", &[bytes(&[b""])])]),
    ];
    let mut inference = SequenceExampleSchemaInference::default().mixed_kinds(true);
    for (index, record) in (0..).zip(&records) {
        inference.push(record, Origin::record(index)).unwrap();
    }
    let kinds = inference.sequence_features().map(|f| (f.kinds, f.is_mixed())).collect::<Vec<_>>();
    assert_eq!(kinds, [([0, 1, 1], true), ([2, 1, 0], true)]);
    let errors = inference.mixed_sequence_kinds().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        errors,
        [
            "record 1, column \"s\": the feature list holds a float_list, in record 0 it holds an int64_list; a column can \
             hold only one",
            "record 0, column \"t\": step 1 of the feature list is a float_list, an earlier step has bytes_list",
        ]
    );
    assert!(inference.mixed_context_kinds().is_empty());
}

#[test]
fn an_empty_list_of_another_kind_contradicts_nothing() {
    // In a record, and between records: in any order, in one go and in parts.
    let steps = [ints(&[]), floats(&[1.0]), Vec::new(), bytes(&[])];
    let empty = [bytes(&[]), ints(&[])];
    let records = [
        sequence_example(&[("c", floats(&[]))], &[("s", &steps), ("empty", &empty)]),
        sequence_example(&[("c", ints(&[7]))], &[("s", &steps[3..]), ("empty", &[])]),
        sequence_example(&[("c", bytes(&[]))], &[("s", &steps[..1]), ("empty", &empty[1..])]),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let ordered = order.map(|at: usize| records[at].clone());
        let whole = look(&ordered);
        let mut parts = look(&ordered[..1]);
        parts.merge(&look(&ordered[1..])).unwrap();
        for inference in [whole, parts] {
            let lists = inference.sequence_features().collect::<Vec<_>>();
            let kinds = lists.iter().map(|list| (list.name, list.kinds, list.is_mixed())).collect::<Vec<_>>();
            assert_eq!(kinds, [("empty", [0, 0, 0], false), ("s", [0, 1, 0], false)]);
            let first = if order[0] == 0 { FeatureKind::Bytes } else { FeatureKind::Int64 };
            assert_eq!((lists[0].kind, lists[1].kind), (Some(first), Some(FeatureKind::Float)));
            let s = lists[1];
            assert_eq!((s.steps, s.unset_steps, s.values, s.min_values, s.max_values), (6, 1, 1, 0, 1));
            let c = inference.context_features().next().unwrap();
            assert_eq!((c.kind, c.kinds, c.present), (Some(FeatureKind::Int64), [0, 0, 1], 3));
            // What was inferred decodes the records, in their order and in another.
            let schema = builder().schema(inference.finish());
            let one = decode(schema.clone(), &ordered);
            assert_eq!(decode(schema, &[&ordered[2], &ordered[1], &ordered[0]]).num_rows(), one.num_rows());
        }
    }
}

#[test]
fn too_many_lists() {
    let limits = Limits::default().columns(1);
    let mut inference = SequenceExampleSchemaInference::default().limits(limits);
    let error =
        inference.push(&sequence_example(&[], &[("s", &[]), ("t", &[])]), Origin::record(0)).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::LimitExceeded));
    inference.push(&sequence_example(&[("c", ints(&[1]))], &[("t", &[])]), Origin::record(0)).unwrap();
    let other = look(&[sequence_example(&[], &[("s", &[])])]);
    assert_eq!(inference.merge(&other).unwrap_err().detail(), Some(&Kind::LimitExceeded));
    assert_eq!(inference.sequence_features().len(), 1);
}

proptest! {
    #![proptest_config(model::config(500))]

    #[test]
    fn records_that_are_accepted_decode_with_the_schema(records in prop::collection::vec(wire::any_sequence_example(), 0..6), cut in 0..6usize) {
        let mut inference = SequenceExampleSchemaInference::default();
        let mut decoder = builder().build().unwrap();
        let mut good = Vec::new();
        for record in records {
            let accepted = inference.push(&record, Origin::record(0)).is_ok();
            prop_assert_eq!(decoder.push(&record, Origin::record(0)).is_ok(), accepted);
            if accepted {
                good.push(record);
            }
        }
        prop_assert_eq!(inference.records(), good.len() as u64);
        let batch = decode(builder().schema(inference.finish()), &good);
        prop_assert_eq!(batch.num_rows(), good.len());
        // In parts it is the same.
        let (first, second) = good.split_at(cut.min(good.len()));
        let mut parts = look(first);
        parts.merge(&look(second)).unwrap();
        prop_assert_eq!(parts.finish(), inference.finish());
        prop_assert!(parts.sequence_features().eq(inference.sequence_features()));
    }
}
