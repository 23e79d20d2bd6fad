//! Columns of scalars and of narrower numbers: the same records as of lists of one value.

use std::sync::Arc;

use arrow_array::builder::{
    Int8Builder, Int16Builder, Int64Builder, LargeListBuilder, ListBuilder, StringBuilder,
};
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float16Array, Float32Array, Int8Array,
    Int16Array, Int32Array, Int64Array, LargeBinaryArray, LargeListArray, LargeStringArray, ListArray,
    RecordBatch, StringArray, StringViewArray, StructArray, UInt8Array, UInt16Array, UInt32Array,
};
use arrow_schema::{DataType, Field};
use example_codec::{EncodedExamples, EncoderOptions, ExampleEncoder, Kind, SequenceExampleEncoder};
use half::f16;

fn encoded(column: ArrayRef) -> Vec<Vec<u8>> {
    let batch = RecordBatch::try_from_iter_with_nullable([("x", column, true)]).unwrap();
    let options = EncoderOptions::default().text(true);
    ExampleEncoder::builder(&batch.schema()).options(options).build().unwrap().encode_to_vec(&batch).unwrap()
}

fn ints(values: &[Option<i64>]) -> ArrayRef {
    Arc::new(LargeListArray::from_iter_primitive::<Int64Type, _, _>(
        values.iter().map(|value| value.map(|value| [Some(value)])),
    ))
}

fn floats(values: &[Option<f32>]) -> ArrayRef {
    Arc::new(LargeListArray::from_iter_primitive::<Float32Type, _, _>(
        values.iter().map(|value| value.map(|value| [Some(value)])),
    ))
}

#[test]
fn integers_and_booleans() {
    let expected = encoded(ints(&[Some(7), None, Some(0), Some(1)]));
    let columns: [ArrayRef; 7] = [
        Arc::new(Int64Array::from(vec![Some(7), None, Some(0), Some(1)])),
        Arc::new(Int32Array::from(vec![Some(7), None, Some(0), Some(1)])),
        Arc::new(Int16Array::from(vec![Some(7), None, Some(0), Some(1)])),
        Arc::new(Int8Array::from(vec![Some(7), None, Some(0), Some(1)])),
        Arc::new(UInt32Array::from(vec![Some(7), None, Some(0), Some(1)])),
        Arc::new(UInt16Array::from(vec![Some(7), None, Some(0), Some(1)])),
        Arc::new(UInt8Array::from(vec![Some(7), None, Some(0), Some(1)])),
    ];
    for column in columns {
        assert_eq!(encoded(Arc::clone(&column)), expected, "{}", column.data_type());
        // Of a part of a column as well.
        assert_eq!(encoded(column.slice(1, 2)), expected[1..3], "{}", column.data_type());
    }
    let booleans = BooleanArray::from(vec![Some(true), None, Some(false)]);
    assert_eq!(encoded(Arc::new(booleans)), encoded(ints(&[Some(1), None, Some(0)])));
    let extremes = Int8Array::from(vec![i8::MIN, i8::MAX]);
    assert_eq!(encoded(Arc::new(extremes)), encoded(ints(&[Some(-128), Some(127)])));
    let largest = UInt32Array::from(vec![u32::MAX]);
    assert_eq!(encoded(Arc::new(largest)), encoded(ints(&[Some(4_294_967_295)])));
}

#[test]
fn floats_of_32_and_16_bits() {
    let expected = encoded(floats(&[Some(1.5), None, Some(-0.0)]));
    assert_eq!(encoded(Arc::new(Float32Array::from(vec![Some(1.5), None, Some(-0.0)]))), expected);
    let halves = [Some(f16::from_f32(1.5)), None, Some(f16::from_f32(-0.0))];
    assert_eq!(encoded(Arc::new(Float16Array::from(halves.to_vec()))), expected);
}

#[test]
fn bytes_and_text() {
    let values = [Some("a"), None, Some("")];
    let bytes = values.map(|value| value.map(str::as_bytes));
    let expected = encoded(Arc::new(BinaryArray::from(bytes.to_vec())));
    assert_eq!(expected[0], b"\x0a\x0c\x0a\x0a\x0a\x01x\x12\x05\x0a\x03\x0a\x01a");
    let columns: [ArrayRef; 4] = [
        Arc::new(LargeBinaryArray::from(bytes.to_vec())),
        Arc::new(StringArray::from(values.to_vec())),
        Arc::new(LargeStringArray::from(values.to_vec())),
        Arc::new(StringViewArray::from(values.to_vec())),
    ];
    for column in columns {
        assert_eq!(encoded(Arc::clone(&column)), expected, "{}", column.data_type());
    }
}

#[test]
fn lists_of_narrower_numbers() {
    let mut lists = ListBuilder::new(Int8Builder::new());
    lists.append_value([Some(1), Some(2)]);
    lists.append_null();
    lists.append_value([]);
    lists.append_value([Some(-3)]);
    let narrow: ArrayRef = Arc::new(lists.finish());
    let wide = ListArray::from_iter_primitive::<Int64Type, _, _>([
        Some(vec![Some(1), Some(2)]),
        None,
        Some(vec![]),
        Some(vec![Some(-3)]),
    ]);
    let expected = encoded(Arc::new(wide));
    assert_eq!(encoded(Arc::clone(&narrow)), expected);
    assert_eq!(encoded(narrow.slice(2, 2)), expected[2..]);
    let item = Arc::new(Field::new_list_field(DataType::Boolean, false));
    let pairs = BooleanArray::from(vec![true, false, true, true]);
    let pairs = FixedSizeListArray::new(item, 2, Arc::new(pairs), None);
    let wide = ListArray::from_iter_primitive::<Int64Type, _, _>([
        Some([Some(1), Some(0)]),
        Some([Some(1), Some(1)]),
    ]);
    assert_eq!(encoded(Arc::new(pairs)), encoded(Arc::new(wide)));
}

/// Encodes feature lists, which are the column of a struct.
fn sequences(column: ArrayRef) -> Vec<Vec<u8>> {
    let field = Field::new("s", column.data_type().clone(), true);
    let lists: ArrayRef = Arc::new(StructArray::new(vec![field].into(), vec![column], None));
    let label: ArrayRef = Arc::new(Int32Array::from_iter_values(0..lists.len() as i32));
    let batch = RecordBatch::try_from_iter([("label", label), ("lists", lists)]).unwrap();
    let options = EncoderOptions::default().text(true);
    let builder = SequenceExampleEncoder::builder(&batch.schema(), "lists").options(options).build();
    builder.unwrap().encode_to_vec(&batch).unwrap()
}

#[test]
fn steps_of_feature_lists() {
    let rows = [
        Some(vec![Some(vec![Some(1)]), None, Some(vec![Some(-3)])]),
        None,
        Some(vec![]),
        Some(vec![Some(vec![Some(2)])]),
    ];
    let mut wide = ListBuilder::new(ListBuilder::new(Int64Builder::new()));
    let mut narrow = ListBuilder::new(ListBuilder::new(Int8Builder::new()));
    let mut scalars = LargeListBuilder::new(Int16Builder::new());
    for row in &rows {
        for step in row.iter().flatten() {
            wide.values().append_option(step.clone());
            let step = step
                .as_ref()
                .map(|step| step.iter().map(|value| value.map(|value| value as i8)).collect::<Vec<_>>());
            let value = step.as_ref().and_then(|step| step[0]);
            scalars.values().append_option(value.map(i16::from));
            narrow.values().append_option(step);
        }
        wide.append(row.is_some());
        narrow.append(row.is_some());
        scalars.append(row.is_some());
    }
    let expected = sequences(Arc::new(wide.finish()));
    let (narrow, scalars): (ArrayRef, ArrayRef) = (Arc::new(narrow.finish()), Arc::new(scalars.finish()));
    assert_eq!(sequences(Arc::clone(&narrow)), expected);
    assert_eq!(sequences(Arc::clone(&scalars)), expected);
    // Of a part of a column as well; the labels are others then.
    let labels = |records: &[Vec<u8>]| records.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(labels(&sequences(narrow.slice(2, 2))), labels(&expected[2..]));
    assert_eq!(labels(&sequences(scalars.slice(2, 2))), labels(&expected[2..]));

    let item = Arc::new(Field::new_list_field(DataType::Utf8, false));
    let words = FixedSizeListArray::new(item, 2, Arc::new(StringArray::from(vec!["a", "b"])), None);
    let mut lists = ListBuilder::new(ListBuilder::new(StringBuilder::new()));
    for word in ["a", "b"] {
        lists.values().append_value([Some(word)]);
    }
    lists.append(true);
    assert_eq!(sequences(Arc::new(words)), sequences(Arc::new(lists.finish())));
}

#[test]
fn steps_that_are_scalars_are_refused_where_the_options_say_so() {
    let steps: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some([Some(1)])]));
    let field = Field::new("s", steps.data_type().clone(), true);
    let lists: ArrayRef = Arc::new(StructArray::new(vec![field].into(), vec![steps], None));
    let batch = RecordBatch::try_from_iter([("lists", lists)]).unwrap();
    let options = EncoderOptions::default().scalars(false);
    let error =
        SequenceExampleEncoder::builder(&batch.schema(), "lists").options(options).build().unwrap_err();
    assert!(error.to_string().ends_with("make it a list of lists, with one list a step"), "{error}");
}

#[test]
fn a_batch_of_another_type_is_refused() {
    let batch = |column: ArrayRef| RecordBatch::try_from_iter([("x", column)]).unwrap();
    let ints = batch(Arc::new(Int32Array::from(vec![1])));
    let encoder = ExampleEncoder::builder(&ints.schema()).build().unwrap();
    let mut output = EncodedExamples::new();
    let longs = batch(Arc::new(Int64Array::from(vec![1])));
    let error = encoder.encode(&longs, &mut output).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::UnsupportedColumn));
    assert_eq!(
        error.to_string(),
        "column \"x\": the column is of type Int64, the encoder was built for Int32; build one for each schema"
    );
    encoder.encode(&ints, &mut output).unwrap();
    assert_eq!(output.len(), 1);
}
