//! The words of every error of sequence examples: what is wrong, where, and what to do.

use std::sync::Arc;

use arrow_array::builder::{GenericListBuilder, Int64Builder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema};
use example_codec::{
    EncoderOptions, Error, ExampleEncoder, ExampleSchema, FeatureField, FeatureKind, FeaturePartition, Kind,
    RaggedColumn, SequenceExampleDecoderBuilder, SequenceExampleEncoder, SequenceExampleSchema,
    UnknownFeatures,
};
use tfxio_core::{Limits, Origin};

use super::rows::builder;
use super::wire::{self, bytes, floats, ints, sequence_example};

/// Returns the error of the last record, which is number 41 of a file and begins at byte 960 of it.
fn decode(builder: SequenceExampleDecoderBuilder, records: &[Vec<u8>]) -> Error {
    let mut decoder = builder.build().unwrap();
    let (last, before) = records.split_last().unwrap();
    for record in before {
        decoder.push(record, Origin::new("a.tfrecord", 0, 0)).unwrap();
    }
    decoder.push(last, Origin::new("a.tfrecord", 960, 41)).unwrap_err()
}

fn with(context: &[FeatureField], sequence: &[FeatureField]) -> SequenceExampleDecoderBuilder {
    let schema = |specs: &[FeatureField]| ExampleSchema::new(specs.iter().cloned()).unwrap();
    builder().schema(SequenceExampleSchema::new(schema(context), schema(sequence)))
}

#[track_caller]
fn check(error: Error, text: &str) {
    assert_eq!(error.to_string(), text);
}

fn list(steps: &[Vec<u8>]) -> Vec<u8> {
    sequence_example(&[], &[("s", steps)])
}

#[test]
fn lists_that_do_not_fit() {
    check(
        decode(builder(), &[list(&[ints(&[1]), Vec::new(), floats(&[1.0])])]),
        "a.tfrecord, byte 960, record 41, column \"s\": step 2 of the feature list is a float_list, an earlier \
         step has int64_list",
    );
    check(
        decode(builder(), &[list(&[bytes(&[b""])]), list(&[Vec::new(), ints(&[1])])]),
        "a.tfrecord, byte 960, record 41, column \"s\": step 1 of the feature list is an int64_list, earlier \
         records have bytes_list",
    );
    check(
        decode(with(&[], &[FeatureField::new("s", FeatureKind::Int64)]), &[list(&[floats(&[1.0])])]),
        "a.tfrecord, byte 960, record 41, column \"s\": step 0 of the feature list is a float_list, the schema \
         says int64_list",
    );
    // The kind of an empty list is none that others contradict.
    check(
        decode(builder(), &[list(&[bytes(&[])]), list(&[floats(&[]), ints(&[1]), floats(&[1.0])])]),
        "a.tfrecord, byte 960, record 41, column \"s\": step 2 of the feature list is a float_list, an earlier \
         step has int64_list",
    );
    check(
        decode(with(&[], &[FeatureField::null("s")]), &[list(&[floats(&[])])]),
        "a.tfrecord, byte 960, record 41, column \"s\": step 0 of the feature list is a float_list, the schema \
         says no value; infer the schema from more records, or give the feature a kind in it",
    );
    check(
        decode(with(&[], &[FeatureField::new("t", FeatureKind::Int64).required()]), &[list(&[])]),
        "a.tfrecord, byte 960, record 41, column \"t\": the record lacks the feature list, which the schema \
         requires",
    );
    check(
        decode(
            with(&[], &[FeatureField::new("t", FeatureKind::Int64)])
                .unknown_features(UnknownFeatures::Refuse),
            &[list(&[])],
        ),
        "a.tfrecord, byte 960, record 41, column \"s\": the feature is not in the schema, which was inferred \
         from other records; infer it from more of them, or give a schema",
    );
    check(
        decode(builder(), &[list(&[ints(&[1])]), sequence_example(&[("##SEQUENCE##", ints(&[1]))], &[])]),
        "a.tfrecord, byte 960, record 41, column \"##SEQUENCE##\": a context feature is named like the column \
         of the sequence features; give that column another name with `sequence_column`",
    );
}

#[test]
fn records_that_are_no_sequence_examples() {
    for record in [b"\x0a\x7f".to_vec(), b"\x12\x7f".to_vec()] {
        check(
            decode(builder(), &[record]),
            "a.tfrecord, byte 960, record 41, byte of the record 1: the record is not a tf.SequenceExample: the bytes \
             end before the message does",
        );
    }
    check(
        decode(builder(), &[list(&[ints(&[1]), b"\x1a\x03\x0a\x01\x80".to_vec()])]),
        "a.tfrecord, byte 960, record 41, byte of the record 24, column \"s\": the record is not a tf.SequenceExample: \
         the bytes end before the message does",
    );
    let name = wire::field(2, &wire::field(1, &wire::field(1, b"caf\xe9")));
    check(
        decode(builder(), &[name]),
        "a.tfrecord, byte 960, record 41: the feature name \"caf\u{fffd}\" is not UTF-8",
    );
}

#[test]
fn records_beyond_the_limits() {
    let record = sequence_example(&[], &[("s", &[ints(&[1, 2])]), ("t", &[])]);
    let limited = |limits: Limits| decode(builder().limits(limits), std::slice::from_ref(&record));
    let default = Limits::default();
    check(
        limited(default.columns(1)),
        "a.tfrecord, byte 960, record 41, column \"t\": the data have more than 1 feature; raise \
         `Limits::columns` or choose some",
    );
    check(
        limited(default.list_items(2)),
        "a.tfrecord, byte 960, record 41: the record has 3 values, 2 are allowed; raise `Limits::list_items`",
    );
}

#[test]
fn decoders_that_cannot_be_built() {
    let spec = || FeatureField::new("s", FeatureKind::Int64);
    let build = |builder: SequenceExampleDecoderBuilder| builder.build().unwrap_err();
    check(
        build(with(&[spec()], &[spec()]).projection(["s"], ["S"])),
        "there is no column \"S\"; did you mean \"s\"?",
    );
    let clash = "two columns would be named \"s\"; give one another name";
    check(build(with(&[spec()], &[spec()]).sequence_column("s")), clash);
    check(build(builder().projection(["a"], ["s", "s"])), clash);
    check(build(builder().raw_record_column("s").sequence_column("s")), clash);
    assert!(with(&[spec()], &[]).sequence_column("s").build().is_ok(), "there is no such column");
    let limits = Limits::default().columns(0);
    check(
        build(with(&[], &[spec()]).limits(limits)),
        "the data have more than 0 features; raise `Limits::columns` or choose some",
    );
}

fn batch(list: ArrayRef) -> RecordBatch {
    let field = Field::new("s", list.data_type().clone(), true);
    let lists: ArrayRef = Arc::new(StructArray::new(vec![field].into(), vec![list], None));
    RecordBatch::try_from_iter([("lists", lists)]).unwrap()
}

fn encode(batch: &RecordBatch, options: EncoderOptions) -> Error {
    let encoder = SequenceExampleEncoder::builder(&batch.schema(), "lists").options(options).build();
    encoder.and_then(|encoder| encoder.encode_to_vec(batch)).unwrap_err()
}

#[test]
fn batches_that_cannot_be_encoded() {
    check(
        encode(&batch(Arc::new(Int64Array::from(vec![1]))), EncoderOptions::default()),
        "column \"s\": tf.Example has no equivalent of a column of type Int64; make it a list of lists, with one \
         list a step",
    );
    let mut steps = GenericListBuilder::<i64, _>::new(GenericListBuilder::<i64, _>::new(Int64Builder::new()));
    steps.append(true);
    steps.values().append_value([Some(1)]);
    steps.values().append_value([Some(1), None]);
    steps.append(true);
    check(
        encode(&batch(Arc::new(steps.finish())), EncoderOptions::default()),
        "record 1, column \"s\": value 1 of step 1 is null, which a list of tf.SequenceExample cannot hold; fill it \
         or drop it",
    );
    let field = || Arc::new(Field::new("s", DataType::Null, true));
    let twice = Field::new("lists", DataType::Struct(vec![field(), field()].into()), true);
    let schema = Schema::new(vec![twice]);
    check(
        SequenceExampleEncoder::builder(&schema, "lists").build().unwrap_err(),
        "column \"lists\": two sequence features are named \"s\"; a record can hold only one of a name",
    );
    let error = SequenceExampleEncoder::builder(&schema, "other").build().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::UnsupportedColumn), "{error}");
}

/// Returns `[[[1, 2, 3]], [[4], null]]`
fn nested() -> RecordBatch {
    let mut lists = GenericListBuilder::<i64, _>::new(GenericListBuilder::<i32, _>::new(Int64Builder::new()));
    lists.values().append_value([Some(1), Some(2), Some(3)]);
    lists.append(true);
    lists.values().append_value([Some(4)]);
    lists.values().append(false);
    lists.append(true);
    RecordBatch::try_from_iter([("x", Arc::new(lists.finish()) as ArrayRef)]).unwrap()
}

fn ragged(features: &[(&str, &[FeaturePartition])]) -> Error {
    let features =
        features.iter().map(|(column, partitions)| RaggedColumn::new(*column, "v", partitions.to_vec()));
    let options = EncoderOptions::default().ragged_features(features);
    let batch = nested();
    ExampleEncoder::builder(&batch.schema())
        .options(options)
        .build()
        .and_then(|e| e.encode_to_vec(&batch))
        .unwrap_err()
}

#[test]
fn ragged_columns_that_cannot_be_taken_apart() {
    let lengths = || FeaturePartition::RowLengths("n".to_owned());
    check(ragged(&[("X", &[])]), "there is no column \"X\"; did you mean \"x\"?");
    check(
        ragged(&[("x", &[])]),
        "column \"x\": the column is of type LargeList(List(Int64)), 2 lists in one another; its partitions need \
         1: one for the rows and one for each partition of row lengths; give it one for each level of lists below the \
         rows",
    );
    check(
        ragged(&[("x", &[lengths()]), ("x", &[lengths()])]),
        "column \"x\": the column has two lists of partitions; remove one",
    );
    check(
        ragged(&[("x", &[lengths(), FeaturePartition::UniformRowLength(0)])]),
        "column \"x\": a uniform row length of 0; rows of at least one item are needed",
    );
    check(
        ragged(&[("x", &[lengths(), FeaturePartition::UniformRowLength(2)])]),
        "record 0, column \"x\": list 0 of level 1 has 3 items, which cannot be divided into rows of 2; \
         give a uniform row length that every list is a multiple of",
    );
    check(
        ragged(&[("x", &[lengths()])]),
        "record 1, column \"x\": list 1 of level 1 is null, which row lengths cannot say; make it an empty list",
    );
    check(
        ragged(&[("x", &[FeaturePartition::RowLengths("v".to_owned())])]),
        "two columns are named \"v\"; an example can hold only one feature of a name",
    );
}
