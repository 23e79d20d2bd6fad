//! `decode(encode(batch)) == batch`, and what an encoder takes.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, GenericListBuilder, Int64Builder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields, Schema};
use example_codec::{
    EncodedExamples, EncoderOptions, FeaturePartition, OffsetWidth, RaggedColumn, SequenceExampleEncoder,
};
use proptest::prelude::*;

use super::model::{self, Cells, Model};
use super::rows::{List, Rows, builder, decode, rows};

fn encode(batch: &RecordBatch) -> Vec<Vec<u8>> {
    let encoder = SequenceExampleEncoder::builder(&batch.schema(), "##SEQUENCE##").build().unwrap();
    encoder.encode_to_vec(batch).unwrap()
}

proptest! {
    #![proptest_config(model::config(256))]

    #[test]
    fn what_is_encoded_is_decoded(rows in rows(0..5, 0..6)) {
        for width in [OffsetWidth::Bits32, OffsetWidth::Bits64] {
            let batch = rows.batch(width);
            let decoded = decode(builder().schema(rows.schema()).offsets(width), &encode(&batch));
            prop_assert_eq!(decoded, batch);
        }
    }

    #[test]
    fn long_lists_and_long_steps(rows in prop_oneof![rows(100..140, 0..3), rows(0..3, 30..200)]) {
        let batch = rows.batch(OffsetWidth::Bits64);
        prop_assert_eq!(decode(builder().schema(rows.schema()), &encode(&batch)), batch);
    }

    #[test]
    fn slices(rows in rows(0..5, 0..4), cut in 0..12usize, keep in 0..12usize) {
        let start = cut.min(rows.count());
        let length = keep.min(rows.count() - start);
        for width in [OffsetWidth::Bits32, OffsetWidth::Bits64] {
            let slice = rows.batch(width).slice(start, length);
            let decoded = decode(builder().schema(rows.schema()).offsets(width), &encode(&slice));
            prop_assert_eq!(decoded, slice);
        }
    }

    #[test]
    fn both_widths_give_the_same_bytes(rows in rows(0..4, 0..4)) {
        prop_assert_eq!(encode(&rows.batch(OffsetWidth::Bits32)), encode(&rows.batch(OffsetWidth::Bits64)));
    }
}

#[test]
fn a_record_is_what_tensorflow_writes() {
    let context = Model { rows: 1, columns: vec![("c".to_owned(), Cells::Ints(vec![Some(vec![5])]))] };
    let lists = vec![("s".to_owned(), List::Ints(vec![Some(vec![Some(vec![5, 6]), None, Some(vec![])])]))];
    let record = encode(&Rows { context, lists }.batch(OffsetWidth::Bits64));
    let expected = b"\x0a\x0c\x0a\x0a\x0a\x01c\x12\x05\x1a\x03\x0a\x01\x05\
        \x12\x15\x0a\x13\x0a\x01s\x12\x0e\x0a\x06\x1a\x04\x0a\x02\x05\x06\x0a\x00\x0a\x02\x1a\x00";
    assert_eq!(record, [expected]);
}

/// Returns `[[[1, 2]], null, [[5, 6]]]` as lists of a fixed size of lists of a fixed size.
fn fixed() -> ArrayRef {
    let mut lists = FixedSizeListBuilder::new(FixedSizeListBuilder::new(Int64Builder::new(), 2), 1);
    for (row, valid) in [(1, true), (3, false), (5, true)] {
        lists.values().values().append_slice(&[row, row + 1]);
        lists.values().append(true);
        lists.append(valid);
    }
    Arc::new(lists.finish())
}

fn with_lists(name: &str, list: ArrayRef, nulls: Option<NullBuffer>) -> RecordBatch {
    let field = Field::new("s", list.data_type().clone(), true);
    let lists: ArrayRef = Arc::new(StructArray::new(vec![field].into(), vec![list], nulls));
    RecordBatch::try_from_iter([(name, lists)]).unwrap()
}

#[test]
fn lists_of_a_fixed_size_and_null_structs() {
    let decoded =
        |nulls: Option<NullBuffer>| decode(builder(), &encode(&with_lists("##SEQUENCE##", fixed(), nulls)));
    let expected = |first| {
        let list = List::Ints(vec![first, None, Some(vec![Some(vec![5, 6])])]);
        let context = Model { rows: 3, columns: Vec::new() };
        Rows { context, lists: vec![("s".to_owned(), list)] }.batch(OffsetWidth::Bits64)
    };
    assert_eq!(decoded(None), expected(Some(vec![Some(vec![1, 2])])));
    assert_eq!(decoded(Some(NullBuffer::from(vec![false, true, true]))), expected(None));
}

#[test]
fn ragged_columns_of_the_context() {
    let mut x = GenericListBuilder::<i64, _>::new(GenericListBuilder::<i64, _>::new(Int64Builder::new()));
    x.values().append_value([Some(1), Some(2)]);
    x.values().append_value([]);
    x.append(true);
    x.append(false);
    x.append(true);
    let batch = with_lists("lists", fixed(), None);
    let columns = vec![("x", Arc::new(x.finish()) as ArrayRef), ("lists", Arc::clone(batch.column(0)))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let lengths = FeaturePartition::RowLengths("n".to_owned());
    let options = EncoderOptions::default().ragged_features([RaggedColumn::new("x", "v", [lengths])]);
    let encoder = SequenceExampleEncoder::builder(&batch.schema(), "lists").options(options).build().unwrap();
    let decoded = decode(builder().sequence_column("lists"), &encoder.encode_to_vec(&batch).unwrap());
    let names = decoded.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    assert_eq!(names, ["n", "v", "lists"]);
    let columns = vec![
        ("n".to_owned(), Cells::Ints(vec![Some(vec![2, 0]), None, Some(vec![])])),
        ("v".to_owned(), Cells::Ints(vec![Some(vec![1, 2]), None, Some(vec![])])),
    ];
    let list = decoded.column(2).as_struct().column(0).clone();
    assert_eq!(list.null_count(), 1);
    let context = Rows { context: Model { rows: 3, columns }, lists: Vec::new() };
    assert_eq!(decoded.project(&[0, 1]).unwrap(), context.batch(OffsetWidth::Bits64));
}

#[test]
fn room_around_the_records_and_an_output_that_is_used_again() {
    let batch = with_lists("##SEQUENCE##", fixed(), None);
    let options = EncoderOptions::default().room(12, 4);
    let encoder =
        SequenceExampleEncoder::builder(&batch.schema(), "##SEQUENCE##").options(options).build().unwrap();
    let mut output = EncodedExamples::new();
    for _ in 0..2 {
        encoder.encode(&batch, &mut output).unwrap();
        assert_eq!(output.iter().map(<[u8]>::to_vec).collect::<Vec<_>>(), encode(&batch));
        assert_eq!(output.bytes().len(), output.iter().map(|record| record.len() + 16).sum::<usize>());
    }
}

#[test]
fn an_encoder_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<SequenceExampleEncoder>();
    let schema = Schema::new(vec![Field::new("##SEQUENCE##", DataType::Struct(Fields::empty()), true)]);
    let encoder = SequenceExampleEncoder::builder(&schema, "##SEQUENCE##").build().unwrap();
    assert!(encoder.encode_to_vec(&RecordBatch::new_empty(Arc::new(schema))).unwrap().is_empty());
}
