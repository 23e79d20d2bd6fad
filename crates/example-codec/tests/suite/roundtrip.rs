//! `decode(encode(batch)) == batch`, for every layout.

use crate::model;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, LargeListArray, ListArray, RecordBatch};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use example_codec::{
    EncodedExamples, EncoderOptions, ExampleDecoder, ExampleDecoderBuilder, ExampleEncoder,
    ExampleSchemaInference, OffsetWidth,
};
use model::{Cells, Lists, Model, Strings};
use proptest::prelude::*;
use tfxio_core::Origin;

fn encode(batch: &RecordBatch, options: EncoderOptions) -> Vec<Vec<u8>> {
    ExampleEncoder::builder(&batch.schema()).options(options).build().unwrap().encode_to_vec(batch).unwrap()
}

fn decode(records: &[Vec<u8>], builder: ExampleDecoderBuilder) -> RecordBatch {
    let mut decoder = builder.build().unwrap();
    for (index, record) in records.iter().enumerate() {
        decoder.push(record, Origin::record(index as u64)).unwrap();
    }
    decoder.flush().unwrap()
}

fn with_schema(model: &Model) -> ExampleDecoderBuilder {
    ExampleDecoder::builder().schema(model.schema(None))
}

const OFFSETS: [(OffsetWidth, Lists, Strings); 2] = [
    (OffsetWidth::Bits32, Lists::Bits32, Strings::Bits32),
    (OffsetWidth::Bits64, Lists::Bits64, Strings::Bits64),
];

proptest! {
    #![proptest_config(model::config(256))]

    #[test]
    fn lists(model in model::model(0..5)) {
        for (width, lists, strings) in OFFSETS {
            let batch = model.batch(lists, strings);
            let records = encode(&batch, EncoderOptions::default());
            prop_assert_eq!(decode(&records, with_schema(&model).offsets(width)), batch);
        }
    }

    #[test]
    fn one_value_or_none_a_row(model in model::model(1..2)) {
        for (width, lists, strings) in OFFSETS {
            let batch = model.batch(lists, strings);
            let records = encode(&batch, EncoderOptions::default());
            prop_assert_eq!(decode(&records, with_schema(&model).offsets(width)), batch);
        }
    }

    #[test]
    fn long_lists(model in model::model(200..300)) {
        let batch = model.batch(Lists::Bits64, Strings::Bits64);
        let records = encode(&batch, EncoderOptions::default());
        prop_assert_eq!(decode(&records, with_schema(&model)), batch);
    }

    #[test]
    fn fixed_size_lists(model in (1..6usize).prop_flat_map(|n| model::model(n..n + 1).prop_map(move |m| (n, m)))) {
        let (length, model) = model;
        for (width, _, strings) in OFFSETS {
            let batch = model.batch(Lists::Fixed(length as i32), strings);
            let records = encode(&batch, EncoderOptions::default());
            let builder = ExampleDecoder::builder().schema(model.schema(Some(length as u32)));
            let decoded = decode(&records, builder.fixed_size_lists(true).offsets(width));
            prop_assert_eq!(decoded, batch);
        }
    }

    #[test]
    fn without_a_schema(model in model::model(0..4)) {
        // A column of nulls only, of any type, is `Null` without a schema; so it is without rows.
        let mut model = model;
        for (_, cells) in &mut model.columns {
            let seen = match cells {
                Cells::Ints(rows) => rows.iter().any(Option::is_some),
                Cells::Floats(rows) => rows.iter().any(Option::is_some),
                Cells::Bytes(rows) => rows.iter().any(Option::is_some),
                Cells::Nothing => false,
            };
            if !seen {
                *cells = Cells::Nothing;
            }
        }
        if model.rows == 0 {
            model.columns.clear();
        }
        let batch = model.batch(Lists::Bits64, Strings::Bits64);
        let records = encode(&batch, EncoderOptions::default());
        prop_assert_eq!(decode(&records, ExampleDecoder::builder()), batch);
    }

    #[test]
    fn slices(model in model::model(0..4), cut in 0..12usize, keep in 0..12usize) {
        let start = cut.min(model.rows);
        let length = keep.min(model.rows - start);
        for (lists, strings) in [(Lists::Bits32, Strings::Bits32), (Lists::Bits64, Strings::Views)] {
            let slice = model.batch(lists, strings).slice(start, length);
            let records = encode(&slice, EncoderOptions::default());
            let expected = model.batch(Lists::Bits64, Strings::Bits64).slice(start, length);
            prop_assert_eq!(decode(&records, with_schema(&model)), expected);
        }
    }

    #[test]
    fn slices_of_fixed_size_lists(model in model::model(2..3), cut in 0..12usize, keep in 0..12usize) {
        let start = cut.min(model.rows);
        let length = keep.min(model.rows - start);
        let slice = model.batch(Lists::Fixed(2), Strings::Bits32).slice(start, length);
        let records = encode(&slice, EncoderOptions::default());
        let expected = model.batch(Lists::Bits64, Strings::Bits64).slice(start, length);
        prop_assert_eq!(decode(&records, with_schema(&model)), expected);
    }

    #[test]
    fn every_layout_gives_the_same_bytes(model in model::model(2..3)) {
        let expected = encode(&model.batch(Lists::Bits64, Strings::Bits64), EncoderOptions::default());
        for lists in [Lists::Bits32, Lists::Bits64, Lists::Fixed(2)] {
            for strings in [Strings::Bits32, Strings::Bits64, Strings::Views] {
                prop_assert_eq!(&encode(&model.batch(lists, strings), EncoderOptions::default()), &expected);
            }
        }
    }

    #[test]
    fn room_around_the_records(model in model::model(0..3), before in 0..40usize, after in 0..40usize) {
        let batch = model.batch(Lists::Bits64, Strings::Bits64);
        let expected = encode(&batch, EncoderOptions::default());
        let options = EncoderOptions::default().room(before, after);
        let mut output = EncodedExamples::new();
        ExampleEncoder::builder(&batch.schema()).options(options).build().unwrap().encode(&batch, &mut output).unwrap();
        prop_assert_eq!(output.len(), expected.len());
        let mut at = 0;
        for (row, record) in expected.iter().enumerate() {
            prop_assert_eq!(output.range(row), Some(at + before..at + before + record.len()));
            prop_assert_eq!(output.get(row), Some(record.as_slice()));
            at += before + record.len() + after;
        }
        prop_assert_eq!(output.bytes().len(), at);
        // Whatever is written into the room, the records stay.
        let ranges = (0..output.len()).map(|row| output.range(row).unwrap()).collect::<Vec<_>>();
        let mut bytes = output.bytes().to_vec();
        for (row, range) in ranges.iter().enumerate() {
            bytes[range.start - before..range.start].fill(0xff);
            bytes[range.end..range.end + after].fill(0xff);
            prop_assert_eq!(&bytes[range.clone()], expected[row].as_slice());
        }
    }
}

#[test]
fn text_is_bytes_when_allowed() {
    let words = |words: &[&str]| Some(words.iter().map(|word| word.as_bytes().to_vec()).collect());
    let columns = vec![("t".to_owned(), Cells::Bytes(vec![words(&["a", "é"]), None, words(&[])]))];
    let model = Model { rows: 3, columns };
    let batch = model.batch(Lists::Bits64, Strings::Text);
    let records = encode(&batch, EncoderOptions::default().text(true));
    let decoded = decode(&records, ExampleDecoder::builder());
    assert_eq!(decoded, model.batch(Lists::Bits64, Strings::Bits64));
}

/// `[[10], null, [12, 13], []]`, with items under the null, before the first offset and after the last.
#[test]
fn items_that_no_row_refers_to() {
    let items = Arc::new(Int64Array::from(vec![Some(9), Some(10), None, Some(12), Some(13), None]));
    let nulls = NullBuffer::from(vec![true, false, true, true]);
    let item = Arc::new(Field::new_list_field(DataType::Int64, true));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![1i32, 2, 3, 5, 5]));
    let column: ArrayRef = Arc::new(ListArray::new(item, offsets, items, Some(nulls)));
    let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
    let columns =
        vec![("x".to_owned(), Cells::Ints(vec![Some(vec![10]), None, Some(vec![12, 13]), Some(vec![])]))];
    let model = Model { rows: 4, columns };
    let records = encode(&batch, EncoderOptions::default());
    assert_eq!(decode(&records, ExampleDecoder::builder()), model.batch(Lists::Bits64, Strings::Bits64));
}

#[test]
fn byte_strings_at_the_end_of_a_short_buffer() {
    // Shorter than one wide copy, and the first strings nearer to the front than that.
    let items: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"", b"bcd", b"e"]));
    let item = Arc::new(Field::new_list_field(DataType::Binary, true));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0i64, 1, 2, 3, 4]));
    let column: ArrayRef = Arc::new(LargeListArray::new(item, offsets, items, None));
    let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
    let decoded = decode(&encode(&batch, EncoderOptions::default()), ExampleDecoder::builder());
    let cells = [&b"a"[..], b"", b"bcd", b"e"].map(|value| Some(vec![value.to_vec()]));
    let expected = model::array(&Cells::Bytes(cells.to_vec()), 4, Lists::Bits64, Strings::Bits64);
    assert_eq!(decoded.column(0), &expected);
}

#[test]
fn rows_without_columns_are_examples_without_features() {
    let model = Model { rows: 3, columns: Vec::new() };
    let batch = model.batch(Lists::Bits64, Strings::Bits64);
    let records = encode(&batch, EncoderOptions::default());
    assert_eq!(records.len(), 3);
    assert_eq!(decode(&records, ExampleDecoder::builder()), batch);
}

#[test]
fn columns_that_are_left_out() {
    let records = [b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05".to_vec()];
    let builder = ExampleDecoder::builder().raw_record_column("raw").source_column("source");
    let batch = decode(&records, builder);
    assert_eq!(batch.num_columns(), 3);
    let options = EncoderOptions::default().ignored_columns(["raw", "source"]);
    assert_eq!(encode(&batch, options), records);
}

#[test]
fn an_output_is_used_again() {
    let model = |rows| {
        let cells = Cells::Ints((0..rows as i64).map(|value| Some(vec![value])).collect());
        Model { rows, columns: vec![("x".to_owned(), cells)] }.batch(Lists::Bits64, Strings::Bits64)
    };
    let (long, short) = (model(1000), model(3));
    let encoder = ExampleEncoder::builder(&long.schema()).build().unwrap();
    let mut output = EncodedExamples::new();
    encoder.encode(&long, &mut output).unwrap();
    let end = output.bytes().as_ptr_range().end;
    assert_eq!(output.len(), 1000);
    encoder.encode(&short, &mut output).unwrap();
    assert_eq!(output.len(), 3);
    assert_eq!(output.bytes().as_ptr_range().end, end, "the same buffer");
    assert_eq!(output.iter().map(<[u8]>::to_vec).collect::<Vec<_>>(), encoder.encode_to_vec(&short).unwrap());
    assert_eq!(output.get(3), None);
    assert!(long.column(0).is_valid(0));
}

#[test]
fn a_schema_is_enough_for_an_encoder() {
    let item = Arc::new(Field::new_list_field(DataType::Int64, true));
    let schema = Schema::new(vec![Field::new("x", DataType::LargeList(item), true)]);
    let encoder = ExampleEncoder::builder(&schema).build().unwrap();
    let empty = RecordBatch::new_empty(Arc::new(schema));
    let mut output = EncodedExamples::new();
    encoder.encode(&empty, &mut output).unwrap();
    assert!(output.is_empty() && output.bytes().is_empty());
}

#[test]
fn an_encoder_is_shared_between_threads_and_a_decoder_moves() {
    fn shared<T: Send + Sync>() {}
    fn moved<T: Send>() {}
    shared::<ExampleEncoder>();
    moved::<ExampleDecoder>();
    moved::<EncodedExamples>();
    moved::<ExampleSchemaInference>();
    shared::<example_codec::Error>();
}
