//! The functions over batches: cases that the recorded ones leave open, and errors.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float16Array, Float32Array, Float64Array,
    Int8Array, Int16Array, Int32Array, Int64Array, LargeBinaryArray, LargeStringArray, ListArray, NullArray,
    RecordBatch, RecordBatchOptions, StringArray, StringViewArray, StructArray, TimestampSecondArray,
    UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, Schema};
use proptest::prelude::*;
use tensor_repr::array::singleton_lists;
use tensor_repr::table::{
    EnumerateOptions, FlatStructs, batch_byte_size, canonical_batch, column_at, column_at_with_rows,
    enumerate_columns, merge_batches, take_rows,
};
use tensor_repr::{ColumnPath, Error, Kind};

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn ints(values: Vec<Option<i64>>) -> ArrayRef {
    Arc::new(Int64Array::from(values))
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>, kind: Kind, text: &str) {
    let error = result.unwrap_err();
    assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string().as_str()), (kind, text));
}

proptest! {
    #[test]
    fn rows_that_are_cut_and_merged_are_the_same(
        rows in proptest::collection::vec(proptest::option::of(proptest::collection::vec(-5_i64..5, 0..3)), 1..12),
        cuts in proptest::collection::vec(0_usize..12, 0..4),
    ) {
        let lists = rows.iter().map(|row| row.as_ref().map(|row| row.iter().copied().map(Some)));
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists));
        let whole = batch([("x", lists)]);
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(rows.len())).chain([0, rows.len()]).collect();
        cuts.sort_unstable();
        let parts: Vec<_> = cuts.windows(2).map(|cut| whole.slice(cut[0], cut[1] - cut[0])).collect();
        prop_assert_eq!(merge_batches(&parts).unwrap(), whole.clone());

        // Rows backwards, and back again.
        let back: Int64Array = (0..rows.len() as i64).rev().collect::<Vec<_>>().into();
        let turned = take_rows(&whole, &back).unwrap();
        prop_assert_eq!(take_rows(&turned, &back).unwrap(), whole);
    }
}

#[test]
fn structs_are_merged_by_the_names_of_their_fields() {
    let structs = |fields: Vec<(&str, ArrayRef)>| -> ArrayRef {
        let fields = fields
            .into_iter()
            .map(|(name, array)| (Arc::new(Field::new(name, array.data_type().clone(), true)), array));
        Arc::new(StructArray::from(fields.collect::<Vec<_>>()))
    };
    let null = || -> ArrayRef { Arc::new(NullArray::new(1)) };
    let one = batch([("s", structs(vec![("a", ints(vec![Some(1)])), ("b", null())]))]);
    let other = batch([("s", structs(vec![("b", ints(vec![Some(2)])), ("c", ints(vec![Some(3)]))]))]);
    let third = batch([("s", null())]);
    let merged = merge_batches(&[third, one, other]).unwrap();
    let merged = merged.column(0).as_struct();
    assert_eq!(merged.column_names(), ["a", "b", "c"]);
    assert_eq!(merged.nulls().unwrap(), &NullBuffer::from(vec![false, true, true]));
    assert_eq!(merged.column(0), &ints(vec![None, Some(1), None]));
    assert_eq!(merged.column(1), &ints(vec![None, None, Some(2)]));
    assert_eq!(merged.column(2), &ints(vec![None, None, Some(3)]));
}

#[test]
fn lists_of_fixed_size_are_merged() {
    let of = |values: ArrayRef, size: i32| -> ArrayRef {
        let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
        Arc::new(FixedSizeListArray::new(field, size, values, None))
    };
    let nulls = batch([("x", of(Arc::new(NullArray::new(4)), 2))]);
    let known = batch([("x", of(ints(vec![Some(1), Some(2)]), 2))]);
    let merged = merge_batches(&[nulls.clone(), known]).unwrap();
    assert_eq!(merged.column(0), &of(ints(vec![None, None, None, None, Some(1), Some(2)]), 2));

    let longer = batch([("x", of(ints(vec![Some(1), Some(2), Some(3)]), 3))]);
    let error = merge_batches(&[nulls, longer]).unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Kind::TypeMismatch);
}

#[test]
fn a_column_that_may_be_absent_may_be_null() {
    let field = Field::new("x", DataType::Int64, false);
    let schema = Schema::new_with_metadata(vec![field], [("k".to_owned(), "v".to_owned())].into());
    let values: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let one = RecordBatch::try_new(Arc::new(schema), vec![values]).unwrap();
    let merged = merge_batches(&[one.clone(), one.clone()]).unwrap();
    assert_eq!(merged.schema(), one.schema());
    let merged = merge_batches(&[one, batch([("y", ints(vec![None]))])]).unwrap();
    assert!(merged.schema().field(0).is_nullable());
    assert_eq!(merged.schema().metadata().get("k").map(String::as_str), Some("v"));
}

#[test]
fn batches_without_columns_keep_their_rows() {
    let options = RecordBatchOptions::new().with_row_count(Some(3));
    let none = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options).unwrap();
    assert_eq!(merge_batches(&[none.clone(), none.clone()]).unwrap().num_rows(), 6);
    assert_eq!(take_rows(&none, &UInt64Array::from(vec![2, 2])).unwrap().num_rows(), 2);
    assert_eq!(canonical_batch(&none).unwrap().num_rows(), 3);
    assert_eq!(batch_byte_size(&none).unwrap(), 0);
    assert_eq!(merge_batches(&[]).unwrap().num_rows(), 0);
}

#[test]
fn a_null_row_number_gives_null_rows() {
    let rows = Int8Array::from_iter([Some(1), None]);
    // Under the null lies a number that is no row.
    let wild = Int8Array::new(vec![1, -7].into(), rows.nulls().cloned());
    let one = batch([("x", ints(vec![Some(7), Some(8)]))]);
    assert_eq!(take_rows(&one, &wild).unwrap().column(0), &ints(vec![Some(8), None]));
}

#[test]
fn columns_become_lists_of_the_widest_type() {
    let fixed = FixedSizeListArray::from_iter_primitive::<Int8Type, _, _>([Some(vec![Some(5)]), None], 1);
    let one = batch([
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None])) as ArrayRef),
        ("text", Arc::new(StringArray::from(vec![Some("a"), None]))),
        ("lists", Arc::new(fixed)),
    ]);
    let canonical = canonical_batch(&one).unwrap();
    let types: Vec<_> = canonical.schema().fields().iter().map(|field| field.data_type().clone()).collect();
    let list = |item| DataType::new_large_list(item, true);
    assert_eq!(types, [list(DataType::Int8), list(DataType::LargeBinary), list(DataType::Int64)]);
    for column in canonical.columns() {
        assert!(column.is_null(1));
        assert_eq!(column.as_list::<i64>().value_length(0), 1);
    }
    let times: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1]));
    let text = "column \"t\": Timestamp(s) has no canonical form; numbers, strings and lists of them have";
    refused(canonical_batch(&batch([("t", times)])), Kind::Unsupported, text);
}

#[test]
fn every_width_has_its_canonical_value() {
    fn one<T: Array + From<Vec<Option<V>>> + 'static, V>(value: V) -> ArrayRef {
        Arc::new(T::from(vec![Some(value), None]))
    }
    let one_of_each: [(ArrayRef, ArrayRef); 16] = [
        (one::<Int8Array, _>(i8::MIN), one::<Int64Array, _>(i64::from(i8::MIN))),
        (one::<Int16Array, _>(i16::MIN), one::<Int64Array, _>(i64::from(i16::MIN))),
        (one::<Int32Array, _>(i32::MIN), one::<Int64Array, _>(i64::from(i32::MIN))),
        (one::<Int64Array, _>(i64::MIN), one::<Int64Array, _>(i64::MIN)),
        (one::<UInt8Array, _>(u8::MAX), one::<UInt64Array, _>(u64::from(u8::MAX))),
        (one::<UInt16Array, _>(u16::MAX), one::<UInt64Array, _>(u64::from(u16::MAX))),
        (one::<UInt32Array, _>(u32::MAX), one::<UInt64Array, _>(u64::from(u32::MAX))),
        (one::<UInt64Array, _>(u64::MAX), one::<UInt64Array, _>(u64::MAX)),
        (one::<Float16Array, _>(half::f16::from_f32(0.1)), one::<Float64Array, _>(0.099_975_585_937_5)),
        (one::<Float32Array, _>(0.1_f32), one::<Float64Array, _>(f64::from(0.1_f32))),
        (one::<BooleanArray, _>(true), one::<Int8Array, _>(1_i8)),
        (one::<StringArray, _>("é"), one::<LargeBinaryArray, _>("é".as_bytes())),
        (one::<LargeStringArray, _>("é"), one::<LargeBinaryArray, _>("é".as_bytes())),
        (one::<BinaryArray, _>(b"\xff".as_slice()), one::<LargeBinaryArray, _>(b"\xff".as_slice())),
        (
            one::<StringViewArray, _>("longer than twelve bytes"),
            one::<LargeBinaryArray, _>(b"longer than twelve bytes".as_slice()),
        ),
        (
            Arc::new(NullArray::new(2)),
            Arc::new(LargeBinaryArray::from(vec![None::<&[u8]>, None])) as ArrayRef,
        ),
    ];
    for (narrow, wide) in one_of_each {
        let of = narrow.data_type().clone();
        let canonical = canonical_batch(&batch([("x", Arc::clone(&narrow))])).unwrap();
        let expected: ArrayRef = Arc::new(singleton_lists(&wide).unwrap());
        assert_eq!(canonical.column(0), &expected, "{of}");
        // One list of both values, within lists of one: the levels stay, with null lists and offsets.
        let inner = ListArray::new(
            Arc::new(Field::new("element", of, true)),
            OffsetBuffer::new(vec![0, 0, 2].into()),
            narrow,
            Some(NullBuffer::from(vec![false, true])),
        );
        let outer: ArrayRef = Arc::new(FixedSizeListArray::new(
            Arc::new(Field::new_list_field(inner.data_type().clone(), true)),
            1,
            Arc::new(inner),
            None,
        ));
        let canonical = canonical_batch(&batch([("x", outer)])).unwrap();
        let outer = canonical.column(0).as_list::<i64>();
        assert_eq!(outer.value_offsets(), [0, 1, 2]);
        let inner = outer.values().as_list::<i64>();
        assert!(inner.is_null(0));
        assert_eq!(&inner.value(1), &wide);
    }
}

/// Returns two rows: two users and none; the list of the second is null over one more user, who does not count.
fn users() -> RecordBatch {
    let fields = Fields::from(vec![Field::new("id", DataType::Int64, true)]);
    let ids = ints(vec![Some(1), Some(2), Some(3)]);
    let users = StructArray::new(fields.clone(), vec![ids], Some(NullBuffer::from(vec![true, false, true])));
    let field = Arc::new(Field::new_list_field(DataType::Struct(fields), true));
    let nulls = NullBuffer::from(vec![true, false]);
    let lists = ListArray::new(field, OffsetBuffer::new(vec![0, 2, 3].into()), Arc::new(users), Some(nulls));
    batch([("users", Arc::new(lists) as ArrayRef)])
}

#[test]
fn what_lies_under_a_null_does_not_come_out() {
    let path = ColumnPath::new(["users", "id"]);
    let (ids, rows) = column_at_with_rows(&users(), &path, FlatStructs::InLists).unwrap();
    assert_eq!(&ids, &ints(vec![Some(1), None]));
    assert_eq!(rows, Int64Array::from(vec![0, 0]));
    let columns = enumerate_columns(&users(), EnumerateOptions::default()).unwrap();
    assert_eq!(columns[1], (path, ids));
}

#[test]
fn paths_that_lead_nowhere_are_refused() {
    let find =
        |steps: &[&str]| column_at(&users(), &ColumnPath::new(steps.iter().copied()), FlatStructs::default());
    refused(find(&[]), Kind::InvalidArgument, "the path has no steps; name a column");
    let text = "column \"x\": the batch has no such column";
    refused(find(&["x"]), Kind::MissingColumn, text);
    let text = "column \"users.x\": the structs have no field \"x\"";
    refused(find(&["users", "x"]), Kind::MissingColumn, text);
    let text = "column \"users.id.x\": step \"x\" leads into Int64, which holds no structs";
    refused(find(&["users", "id", "x"]), Kind::TypeMismatch, text);
}

#[test]
fn what_does_not_fit_is_refused() {
    use Kind::{InvalidArgument, Overflow, TypeMismatch};
    let one = batch([("x", ints(vec![Some(1)]))]);
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let other = batch([("x", floats)]);
    let text = "column \"x\": Float64 in batch 1 cannot be merged with Int64 of the batches before it";
    refused(merge_batches(&[one.clone(), other.clone()]), TypeMismatch, text);

    let schema = Schema::new(vec![Field::new("x", DataType::Int64, true); 2]);
    let twice = RecordBatch::try_new(Arc::new(schema), vec![ints(vec![None]), ints(vec![None])]).unwrap();
    let text = "column \"x\": batch 1 has two columns of this name";
    refused(merge_batches(&[one.clone(), twice]), InvalidArgument, text);

    refused(
        take_rows(&one, &Int64Array::from(vec![0, 1])),
        InvalidArgument,
        "row 1 at 1: the batch has 1 row",
    );
    refused(take_rows(&one, &Int8Array::from(vec![-1])), InvalidArgument, "row -1 at 0: the batch has 1 row");
    let far = UInt64Array::from(vec![u64::MAX]);
    let text = format!("row {} at 0: the batch has 1 row", u64::MAX);
    refused(take_rows(&one, &far), InvalidArgument, &text);
    refused(take_rows(&one, other.column(0)), TypeMismatch, "row numbers expected, found Float64");

    // Nulls take no memory, so that a few bytes can claim more of them than 32 bits count.
    let most = usize::try_from(i32::MAX).unwrap();
    let field = Arc::new(Field::new_list_field(DataType::Null, true));
    let offsets = OffsetBuffer::new(vec![0, i32::MAX].into());
    let lists = ListArray::new(field, offsets, Arc::new(NullArray::new(most)), None);
    let many = batch([("x", Arc::new(lists) as ArrayRef)]);
    let text = "column \"x\": all batches together hold more than 32-bit offsets of lists, or keys of dictionaries, can tell apart; use LargeList or wider keys";
    refused(merge_batches(&[many.clone(), many.clone()]), Overflow, text);
    let text =
        "column \"x\": the lists of these rows hold more than 32-bit offsets can count; take fewer rows";
    refused(take_rows(&many, &Int64Array::from(vec![0, 0])), Overflow, text);
}
