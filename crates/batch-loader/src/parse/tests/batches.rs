//! Batches of any source.

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeListBuilder, Int32Builder, Int64Builder, LargeListBuilder, ListBuilder, StringBuilder,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Float32Array, Int32Array, Int64Array, LargeBinaryArray,
    RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Fields};
use tensor_repr::Values;
use tfxio_core::DType;

use super::{INDEPENDENT, failed, feature, limits, pipeline, source, whole};
use crate::column::{Column, RowShape};
use crate::parse::{Importer, Parsed, chunk_of};

fn batch(array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("x", array, true)]).unwrap()
}

/// The chunk of one feature.
fn parse(allow_var_len: bool, feature: &str, batch: &RecordBatch) -> Parsed {
    let pipeline = pipeline(allow_var_len, feature, INDEPENDENT);
    chunk_of(
        &mut Importer::new(limits()),
        &pipeline,
        batch,
        source(&Arc::from("table"), batch.num_rows()),
        &limits(),
    )
}

#[track_caller]
fn column(feature: &str, array: ArrayRef) -> Column {
    whole(parse(false, feature, &batch(array))).columns.remove(0)
}

fn int(shape: &[usize]) -> String {
    feature("x", DType::Int64, shape, "int", None)
}

fn pointer(column: &Column) -> *const u8 {
    column.values.buffer().unwrap().as_ptr()
}

#[test]
fn primitives_are_scalars() {
    let numbers = Int64Array::from(vec![1, 2, 3]);
    let at = numbers.values().inner().as_ptr();
    let scalars = column(&int(&[]), Arc::new(numbers.clone()));
    assert_eq!((pointer(&scalars), scalars.values.len()), (at, 3));
    assert_eq!(column(&int(&[1, 1]), Arc::new(numbers.clone())).shape, RowShape::Fixed(vec![1, 1]));
    let sliced = column(&int(&[]), Arc::new(numbers.slice(1, 2)));
    assert_eq!(sliced.values, Values::from_vec(vec![2i64, 3]));

    // Whatever the source calls numbers.
    let bools = column(
        &feature("x", DType::Float32, &[], "int", None),
        Arc::new(BooleanArray::from(vec![true, false])),
    );
    assert_eq!(bools.values, Values::from_vec(vec![1f32, 0.0]));
    let text = column(
        &feature("x", DType::String, &[], "string", None),
        Arc::new(StringArray::from(vec!["a", "bc"])),
    );
    assert_eq!(text.values, Values::from_strings(["a", "bc"]));
}

/// Rows such as `[[1, 2], [3, 4]]`, with lists of both widths and a fixed one.
fn nested() -> ArrayRef {
    let inner = ListBuilder::new(Int32Builder::new());
    let mut lists = LargeListBuilder::new(inner);
    for row in 0..3 {
        for pair in 0..2 {
            lists.values().values().append_slice(&[row * 10 + pair * 2 + 1, row * 10 + pair * 2 + 2]);
            lists.values().append(true);
        }
        lists.append(true);
    }
    Arc::new(lists.finish())
}

#[test]
fn lists_of_any_kind_and_depth_have_the_shapes_elements() {
    let expected = Values::from_vec(vec![11i64, 12, 13, 14, 21, 22, 23, 24]);
    for shape in [&[2, 2][..], &[4], &[1, 4]] {
        let column = column(&int(shape), nested().slice(1, 2));
        assert_eq!((&column.shape, &column.values), (&RowShape::Fixed(shape.to_vec()), &expected));
    }
    let mut lists = FixedSizeListBuilder::new(Int64Builder::new(), 4);
    for row in [0, 10, 20] {
        lists.values().append_slice(&[row + 1, row + 2, row + 3, row + 4]);
        lists.append(true);
    }
    let lists: ArrayRef = Arc::new(lists.finish());
    assert_eq!(column(&int(&[2, 2]), lists.slice(1, 2)).values, expected);
}

#[test]
fn raw_bytes_are_shared_where_they_can_be() {
    let raw = |dtype, shape: &[usize], endian: &str| {
        feature("x", dtype, shape, &format!(r#"{{"endian": "{endian}"}}"#), None)
    };
    let native = if cfg!(target_endian = "little") { "little" } else { "big" };
    let rows = [0u8, 1, 2, 3, 4, 5, 6, 7].map(|byte| [byte, 0, 1, byte]);
    let strings = LargeBinaryArray::from_iter_values(rows);
    let at = strings.values().as_ptr();
    let bytes = column(&raw(DType::UInt8, &[2, 2], "big"), Arc::new(strings.clone()));
    assert_eq!((pointer(&bytes), bytes.values.len()), (at, 32));
    let numbers = column(&raw(DType::UInt16, &[2], native), Arc::new(strings.slice(2, 3)));
    assert_eq!(pointer(&numbers), at.wrapping_add(8));
    let expected =
        rows[2..5].iter().flat_map(|row| row.chunks(2).map(|two| u16::from_ne_bytes([two[0], two[1]])));
    assert_eq!(numbers.values, Values::from_vec(expected.collect::<Vec<_>>()));
    // Eight bytes each, but not at a multiple of eight.
    let pairs = LargeBinaryArray::from_iter_values([&[1u8, 2, 3][..], &[0, 0, 0, 0, 0, 0, 0, 1]]);
    let unaligned = column(&raw(DType::UInt64, &[], "big"), Arc::new(pairs.slice(1, 1)));
    assert_eq!(unaligned.values, Values::from_vec(vec![1u64]));
    let unaligned = column(&raw(DType::Float64, &[], "little"), Arc::new(pairs.slice(1, 1)));
    assert_eq!(unaligned.values, Values::from_vec(vec![f64::from_bits(1 << 56)]));

    let small = BinaryArray::from_iter_values([[0u8, 7], [1, 0]]);
    assert_eq!(
        column(&raw(DType::Bool, &[2], "big"), Arc::new(small)).values,
        Values::from_bools([false, true, true, false])
    );
}

#[test]
fn sequences_lie_at_the_top_or_in_a_struct() {
    let sequence = feature("x", DType::Int64, &[2], "int", Some(true));
    let mut lists = ListBuilder::new(ListBuilder::new(Int64Builder::new()));
    for steps in [1i64, 0, 2] {
        for step in 0..steps {
            lists.values().values().append_slice(&[steps, step]);
            lists.values().append(true);
        }
        lists.append(true);
    }
    let lists: ArrayRef = Arc::new(lists.finish());
    let expected = Values::from_vec(vec![2i64, 0, 2, 1]);
    let shape = RowShape::Leading { offsets: vec![0, 0, 2], inner: vec![2] };
    let sliced = whole(parse(true, &sequence, &batch(lists.slice(1, 2))));
    assert_eq!((&sliced.columns[0].shape, &sliced.columns[0].values), (&shape, &expected));

    let fields = Fields::from(vec![Field::new("x", lists.data_type().clone(), true)]);
    let of_struct = |nulls| {
        let lists = StructArray::new(fields.clone(), vec![lists.clone()], nulls);
        RecordBatch::try_from_iter_with_nullable([("lists", Arc::new(lists) as ArrayRef, true)]).unwrap()
    };
    let chunk = whole(parse(true, &sequence, &of_struct(None).slice(1, 2)));
    assert_eq!((&chunk.columns[0].shape, &chunk.columns[0].values), (&shape, &expected));
    let (rows, text) = failed(parse(true, &sequence, &of_struct(Some(vec![true, true, false].into()))));
    assert_eq!(rows, 2);
    assert!(
        text.starts_with("table, byte 1200, record 12, tensor \"x\": the record lacks the feature"),
        "{text}"
    );

    // Every record of one length is a sequence, too.
    let scalar = feature("x", DType::Int64, &[], "int", Some(true));
    let mut lists = FixedSizeListBuilder::new(Int64Builder::new(), 2);
    lists.values().append_slice(&[1, 2, 3, 4]);
    lists.append(true);
    lists.append(true);
    let chunk = whole(parse(true, &scalar, &batch(Arc::new(lists.finish()))));
    assert_eq!(chunk.columns[0].shape, RowShape::Leading { offsets: vec![0, 2, 4], inner: vec![] });
}

#[test]
fn nulls_are_features_that_are_missing() {
    let lacks = |row: usize| {
        let at = format!("table, byte 1{row}00, record 1{row}, tensor \"x\"");
        (
            row,
            format!(
                "{at}: the record lacks the feature; every record needs each feature that is read, or set `defaults`"
            ),
        )
    };
    let wrong = |feature: &str, array: ArrayRef| failed(parse(false, feature, &batch(array)));
    assert_eq!(wrong(&int(&[]), Arc::new(Int32Array::from(vec![Some(1), None]))), lacks(1));
    let mut lists = ListBuilder::new(Int64Builder::new());
    lists.append_value([Some(1), Some(2)]);
    lists.append_value([Some(3), Some(4)]);
    lists.append(false);
    assert_eq!(wrong(&int(&[2]), Arc::new(lists.finish())), lacks(2));
    let mut lists = ListBuilder::new(Int64Builder::new());
    lists.append_value([Some(1), Some(2)]);
    lists.append_value([Some(3), None]);
    let (row, text) = wrong(&int(&[2]), Arc::new(lists.finish()));
    assert_eq!(row, 1);
    assert_eq!(
        text,
        "table, byte 1100, record 11, tensor \"x\": element 1 is null; a default of a feature spec would fill it; \
         fill it in, or leave the record out"
    );
}

#[test]
fn columns_that_are_not_what_the_manifest_says() {
    let wrong = |feature: &str, array: ArrayRef| failed(parse(false, feature, &batch(array)));
    let mut lists = ListBuilder::new(Int64Builder::new());
    lists.append_value([Some(1), Some(2)]);
    lists.append_value([Some(1), Some(2), Some(3)]);
    assert_eq!(
        wrong(&int(&[2]), Arc::new(lists.finish())),
        (
            1,
            "table, byte 1100, record 11, tensor \"x\": 3 values, the shape of a row holds 2; correct the \
             record, or what the manifest says of the feature"
                .to_owned()
        )
    );
    let strings = Arc::new(StringArray::from(vec!["1"]));
    let expected = "values of dtype \"string\" are not cast to \"int64\"; numbers are cast to numbers only";
    assert_eq!(wrong(&int(&[]), strings), (0, format!("table, tensor \"x\": {expected}")));
    let numbers: ArrayRef = Arc::new(Float32Array::from(vec![1.0]));
    let strings = feature("x", DType::String, &[], "string", None);
    let raw = feature("x", DType::Int8, &[], r#"{"endian": "big"}"#, None);
    let sequence = feature("x", DType::Int64, &[], "int", Some(true));
    for (var_len, feature, expected) in [
        (false, &strings, "the values are float32 (Float32), the representation says string"),
        (false, &raw, "the values are float32 (Float32), the representation says string"),
        (true, &sequence, "a sequence needs a column of lists, the values are bare Float32"),
    ] {
        let (_, text) = failed(parse(var_len, feature, &batch(Arc::clone(&numbers))));
        assert_eq!(text, format!("table, tensor \"x\": {expected}"));
    }

    let mut words = ListBuilder::new(StringBuilder::new());
    words.append_value([Some("a")]);
    let other = RecordBatch::try_from_iter([("y", Arc::new(words.finish()) as ArrayRef)]).unwrap();
    let (_, text) = failed(parse(false, &int(&[]), &other));
    assert!(
        text.starts_with("table, tensor \"x\": there is no such column in the batch; it has \"y\""),
        "{text}"
    );
    assert_eq!(other.schema().field(0).data_type(), &DataType::new_list(DataType::Utf8, true));

    let pipeline = pipeline(false, &int(&[]), INDEPENDENT);
    let two = batch(Arc::new(Int64Array::from(vec![1, 2])));
    let (_, text) = failed(chunk_of(
        &mut Importer::new(limits()),
        &pipeline,
        &two,
        source(&Arc::from("table"), 3),
        &limits(),
    ));
    assert_eq!(text, "table: 3 records came as 2 rows");
}
