//! The words of every error: what is wrong, where, and what to do.

use crate::model;
use crate::wire;

use std::error::Error as _;
use std::sync::Arc;

use arrow_array::builder::BinaryViewBuilder;
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float64Array, Int64Array, RecordBatch, StringArray,
    StructArray, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use example_codec::{
    EncodedExamples, EncoderOptions, Error, ExampleDecoder, ExampleDecoderBuilder, ExampleEncoder,
    ExampleSchema, FeatureField, FeatureKind, Kind, UnknownFeatures, append_raw_record_column,
};
use model::{Cells, Lists, Model, Strings};
use tfxio_core::{Limits, Origin};
use wire::{bytes, example, floats, ints};

/// Returns the error of the last record, which is number 41 of a file and begins at byte 960 of it.
fn decode(builder: ExampleDecoderBuilder, records: &[Vec<u8>]) -> Error {
    let mut decoder = builder.build().unwrap();
    let (last, before) = records.split_last().unwrap();
    for record in before {
        decoder.push(record, Origin::new("a.tfrecord", 0, 0)).unwrap();
    }
    decoder.push(last, Origin::new("a.tfrecord", 960, 41)).unwrap_err()
}

fn build(builder: ExampleDecoderBuilder) -> Error {
    builder.build().unwrap_err()
}

fn builder() -> ExampleDecoderBuilder {
    ExampleDecoder::builder()
}

fn with(specs: impl IntoIterator<Item = FeatureField>) -> ExampleDecoderBuilder {
    builder().schema(ExampleSchema::new(specs).unwrap())
}

#[track_caller]
fn check(error: Error, text: &str) {
    assert_eq!(error.to_string(), text);
}

#[test]
fn records_that_are_no_examples() {
    check(
        decode(builder(), &[b"not an example".to_vec()]),
        "a.tfrecord, byte 960, record 41, byte of the record 0: the record is not a tf.Example: a tag has wire \
         type 6 or 7, which do not exist",
    );
    check(
        decode(builder(), &[b"\x0a\x7f".to_vec()]),
        "a.tfrecord, byte 960, record 41, byte of the record 1: the record is not a tf.Example: the bytes end before \
         the message does",
    );
    check(
        decode(builder(), &[example(&[("x", b"\x1a\x03\x0a\x01\x80".to_vec())])]),
        "a.tfrecord, byte 960, record 41, byte of the record 13, column \"x\": the record is not a tf.Example: the \
         bytes end before the message does",
    );
    let error = decode(builder(), &[vec![0xff; 20]]);
    check(
        decode(builder(), &[vec![0xff; 20]]),
        "a.tfrecord, byte 960, record 41, byte of the record 0: the record is not a tf.Example: a varint has too \
         many bytes (a value may have 10, a tag or length 5)",
    );
    assert!(error.source().is_some(), "the cause is kept");
    assert!(matches!(error.detail(), Some(Kind::Malformed(_))));
    let name = wire::field(1, &wire::field(1, &wire::field(1, b"caf\xe9")));
    check(
        decode(builder(), &[name]),
        "a.tfrecord, byte 960, record 41: the feature name \"caf\u{fffd}\" is not UTF-8",
    );
}

#[test]
fn records_of_other_messages() {
    let lists = wire::sequence_example(&[("x", ints(&[1]))], &[("s", &[ints(&[1])])]);
    let refusing =
        || with([FeatureField::new("x", FeatureKind::Int64)]).unknown_features(UnknownFeatures::Refuse);
    check(
        decode(refusing(), std::slice::from_ref(&lists)),
        "a.tfrecord, byte 960, record 41: the record has feature lists, which a tf.Example does not have, and which would \
         be left out; read the records as tf.SequenceExamples, or infer from more of them what they are",
    );
    let event = b"\x10\x07".to_vec();
    check(
        decode(refusing(), std::slice::from_ref(&event)),
        "a.tfrecord, byte 960, record 41: the record is not a tf.Example: no feature comes from its 2 bytes, whose fields \
         are those of another message",
    );
    // Feature lists without anything in them, other fields beside a feature, and what was asked for.
    let no_lists = [example(&[("x", ints(&[1]))]), wire::field(2, &[]), event.clone()].concat();
    let asked = || refusing().other_messages(UnknownFeatures::Ignore);
    for (builder, record) in [(refusing(), no_lists), (asked(), lists), (asked(), event)] {
        builder.build().unwrap().push(&record, Origin::record(0)).unwrap();
    }
}

#[test]
fn records_that_do_not_fit() {
    let (int, float) = (example(&[("x", ints(&[1]))]), example(&[("x", floats(&[1.0]))]));
    check(
        decode(builder(), &[int.clone(), float.clone()]),
        "a.tfrecord, byte 960, record 41, column \"x\": the value is a float_list, earlier records have int64_list",
    );
    check(
        decode(with([FeatureField::new("x", FeatureKind::Bytes)]), std::slice::from_ref(&int)),
        "a.tfrecord, byte 960, record 41, column \"x\": the value is an int64_list, the schema says bytes_list",
    );
    check(
        decode(with([FeatureField::null("x")]), &[example(&[("x", bytes(&[]))])]),
        "a.tfrecord, byte 960, record 41, column \"x\": the value is a bytes_list, the schema says no value; \
         infer the schema from more records, or give the feature a kind in it",
    );
    let fixed = with([FeatureField::new("x", FeatureKind::Int64).fixed_len(3)]).fixed_size_lists(true);
    check(
        decode(fixed, std::slice::from_ref(&int)),
        "a.tfrecord, byte 960, record 41, column \"x\": the record has 1 value, the schema says 3",
    );
    check(
        decode(with([FeatureField::new("y", FeatureKind::Int64).required()]), std::slice::from_ref(&int)),
        "a.tfrecord, byte 960, record 41, column \"y\": the record lacks the feature, which the schema requires",
    );
    check(
        decode(
            with([FeatureField::new("y", FeatureKind::Int64)]).unknown_features(UnknownFeatures::Refuse),
            &[int],
        ),
        "a.tfrecord, byte 960, record 41, column \"x\": the feature is not in the schema, which was inferred \
         from other records; infer it from more of them, or give a schema",
    );
}

#[test]
fn records_beyond_the_limits() {
    let record = example(&[("x", ints(&[1, 2, 3])), ("y", ints(&[]))]);
    let limited = |limits| builder().limits(limits);
    check(
        decode(limited(Limits::default().record_bytes(5)), std::slice::from_ref(&record)),
        "a.tfrecord, byte 960, record 41: the record has 25 bytes, 5 are allowed; a protobuf message has at \
         most 2147483647",
    );
    check(
        decode(limited(Limits::default().list_items(2)), std::slice::from_ref(&record)),
        "a.tfrecord, byte 960, record 41: the record has 3 values, 2 are allowed; raise `Limits::list_items`",
    );
    check(
        decode(limited(Limits::default().columns(1)), std::slice::from_ref(&record)),
        "a.tfrecord, byte 960, record 41, column \"y\": the data have more than 1 feature; raise \
         `Limits::columns` or choose some",
    );
    check(
        decode(limited(Limits::default().batch_bytes(9)), &[record]),
        "a.tfrecord, byte 960, record 41: with this record the batch would exceed 9 bytes; flush smaller \
         batches or raise `Limits::batch_bytes`",
    );
}

#[test]
fn decoders_that_cannot_be_built() {
    let image =
        || [FeatureField::new("image", FeatureKind::Float), FeatureField::new("label", FeatureKind::Int64)];
    check(
        build(with(image()).projection(["lable"])),
        "there is no column \"lable\"; did you mean \"label\"?",
    );
    check(
        build(with(image()).projection(["x"])),
        "there is no column \"x\"; the columns are \"image\", \"label\"",
    );
    check(
        build(with(image()).raw_record_column("label")),
        "two columns would be named \"label\"; give one another name",
    );
    check(
        build(with([FeatureField::new("x", FeatureKind::Int64).fixed_len(0)]).fixed_size_lists(true)),
        "column \"x\": a fixed length is between 1 and 2147483647 values",
    );
    check(
        build(with(image()).limits(Limits::default().columns(1))),
        "the data have more than 1 feature; raise `Limits::columns` or choose some",
    );
    check(
        ExampleSchema::new([FeatureField::null("x"), FeatureField::null("x")]).unwrap_err(),
        "the schema has two features named \"x\"; remove one",
    );
}

fn one(name: &str, column: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter([(name, column)]).unwrap()
}

fn encoder(batch: &RecordBatch, options: EncoderOptions) -> Error {
    ExampleEncoder::builder(&batch.schema()).options(options).build().unwrap_err()
}

#[test]
fn columns_that_tf_example_cannot_hold() {
    let none = EncoderOptions::default;
    check(
        encoder(&one("x", Arc::new(Int64Array::from(vec![1]))), none().scalars(false)),
        "column \"x\": tf.Example has no equivalent of a column of type Int64; make it a list, with one value a row, or \
         allow scalars in the options",
    );
    check(
        encoder(&one("x", Arc::new(Float64Array::from(vec![1.0]))), none()),
        "column \"x\": tf.Example has no equivalent of a column of type Float64; cast it to Float32",
    );
    check(
        encoder(&one("x", Arc::new(UInt64Array::from(vec![1]))), none()),
        "column \"x\": tf.Example has no equivalent of a column of type UInt64; cast it to Int64",
    );
    check(
        encoder(&one("x", Arc::new(StringArray::from(vec!["a"]))), none()),
        "column \"x\": tf.Example has no equivalent of a column of type Utf8; cast it to binary, or allow text in the \
         options",
    );
    let list = |item: ArrayRef| -> ArrayRef {
        let field = Arc::new(Field::new_list_field(item.data_type().clone(), true));
        let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0i64, item.len() as i64]));
        Arc::new(arrow_array::LargeListArray::new(field, offsets, item, None))
    };
    check(
        encoder(&one("x", list(Arc::new(Float64Array::from(vec![1.0])))), none()),
        "column \"x\": tf.Example has no equivalent of a column of type LargeList(Float64); cast it to lists of Float32",
    );
    check(
        encoder(&one("x", list(Arc::new(BooleanArray::from(vec![true])))), none().scalars(false)),
        "column \"x\": tf.Example has no equivalent of a column of type LargeList(Boolean); cast it to lists of Int64",
    );
    let nested = list(list(Arc::new(Int64Array::from(vec![1]))));
    check(
        encoder(&one("x", nested), none()),
        "column \"x\": tf.Example has no equivalent of a column of type LargeList(LargeList(Int64)); cast it \
         to lists of Int64, Float32 or Binary",
    );
    let text = Model { rows: 1, columns: vec![("x".to_owned(), Cells::Bytes(vec![None]))] };
    check(
        encoder(&text.batch(Lists::Bits32, Strings::Text), none()),
        "column \"x\": tf.Example has no equivalent of a column of type List(LargeUtf8); cast it to binary, or \
         allow text in the options",
    );
    let fields = vec![Field::new("a", DataType::Int64, true)];
    let column = StructArray::new(fields.into(), vec![Arc::new(Int64Array::from(vec![1]))], None);
    let error = encoder(&one("source", Arc::new(column)), none());
    assert_eq!(error.detail(), Some(&Kind::UnsupportedColumn));
    assert!(error.to_string().ends_with("; leave it out, or take its fields apart"), "{error}");
    check(
        encoder(&one("label", nested_free()), none().ignored_columns(["lable"])),
        "there is no column \"lable\"; did you mean \"label\"?",
    );
    let twice =
        Schema::new(vec![Field::new("x", DataType::Null, true), Field::new("x", DataType::Null, true)]);
    check(
        ExampleEncoder::builder(&twice).options(none()).build().unwrap_err(),
        "two columns are named \"x\"; an example can hold only one feature of a name",
    );
}

fn nested_free() -> ArrayRef {
    model::array(&Cells::Ints(vec![Some(vec![1])]), 1, Lists::Bits64, Strings::Bits64)
}

/// Encodes with an encoder for another batch, or with limits.
fn encode(built_for: &RecordBatch, batch: &RecordBatch, options: EncoderOptions) -> Error {
    let mut output = EncodedExamples::new();
    let encoder = ExampleEncoder::builder(&built_for.schema()).options(options).build().unwrap();
    encoder.encode(built_for, &mut output).unwrap_or_default();
    let error = encoder.encode(batch, &mut output).unwrap_err();
    assert!(output.is_empty() && output.bytes().is_empty(), "nothing is left of a failed batch");
    error
}

#[test]
fn batches_that_cannot_be_encoded() {
    let none = EncoderOptions::default;
    let ints = one("x", nested_free());
    let bytes = one("x", model::array(&Cells::Bytes(vec![None]), 1, Lists::Bits64, Strings::Bits64));
    check(
        encode(&ints, &bytes, none()),
        "column \"x\": the column is of type LargeList(LargeBinary), the encoder was built for \
         LargeList(Int64); build one for each schema",
    );
    check(
        encode(&ints, &one("y", nested_free()), none()),
        "column \"x\": column 0 of the batch is \"y\"; build an encoder for each schema",
    );
    let two = RecordBatch::try_from_iter([("x", nested_free()), ("y", nested_free())]).unwrap();
    check(
        encode(&ints, &two, none()),
        "the batch has 2 columns, the encoder was built for 1; build one for each schema",
    );
    let items = Arc::new(Int64Array::from(vec![None, Some(1), Some(2), None]));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0i32, 1, 2, 4]));
    let nulls = NullBuffer::from(vec![false, true, true]);
    let item = Arc::new(Field::new_list_field(DataType::Int64, true));
    let list = one("x", Arc::new(arrow_array::ListArray::new(item, offsets, items, Some(nulls))));
    let error = encode(&list, &list, none());
    assert_eq!(error.detail(), Some(&Kind::NullValue));
    check(
        error,
        "record 2, column \"x\": value 1 is null, which a list of tf.Example cannot hold; fill it or drop it",
    );
    let limited = |limits| none().limits(limits);
    check(
        encode(&ints, &ints, limited(Limits::default().record_bytes(4))),
        "record 0: the record is 14 bytes long, more than the limit of 4; raise record_bytes or encode less at once",
    );
    check(
        encode(&ints, &ints, limited(Limits::default().batch_bytes(4))),
        "record 0: the batch, so far, is 14 bytes long, more than the limit of 4; raise batch_bytes or encode \
         less at once",
    );
    // A view may stand for a large string many times over: nothing is allocated for what is not allowed.
    let mut views = BinaryViewBuilder::new();
    let block = views.append_block(vec![b'x'; 1 << 20].into());
    (0..64).for_each(|_| views.try_append_view(block, 0, 1 << 20).unwrap());
    let item = Arc::new(Field::new_list_field(DataType::BinaryView, true));
    let list = FixedSizeListArray::new(item, 64, Arc::new(views.finish()), None);
    let views = one("x", Arc::new(list));
    check(
        encode(&views, &views, limited(Limits::default().batch_bytes(1 << 20))),
        "record 0: the encoded batch does not fit in memory or in the limit of 1048576 bytes; encode less at once",
    );
}

#[test]
fn raw_records_that_do_not_match() {
    let batch = one("x", nested_free());
    let append =
        |name, records: &[&[u8]], index| append_raw_record_column(&batch, name, records, index).unwrap_err();
    check(append("x", &[b""], None), "the batch has a column named \"x\" already; choose another name");
    check(append("raw", &[b"", b""], None), "2 records for 1 row; there must be one each");
    check(append("raw", &[b""], Some("y")), "there is no column \"y\"; the columns are \"x\"");
    check(append("raw", &[b""], Some("x")), "record 0, column \"x\": there is no record 1 among the 1 given");
}

#[test]
fn errors_have_a_coarse_kind_and_keep_their_cause() {
    let error = decode(builder(), &[b"\x0a\x7f".to_vec()]);
    assert_eq!(error.kind(), example_codec::ErrorKind::Malformed);
    assert_eq!(error.position().record, Some(41));
    assert!(error.source().unwrap().is::<proto_wire::Error>());
}
