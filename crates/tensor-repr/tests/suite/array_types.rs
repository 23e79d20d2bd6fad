//! Arrays of every type, in lists of every layout, through every function: the result is a valid array or
//! an error, never a panic.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListViewBuilder, MapBuilder, StringBuilder};
use arrow_array::types::{Int8Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, DictionaryArray, FixedSizeBinaryArray,
    FixedSizeListArray, Float16Array, GenericListArray, Int64Array, LargeStringArray, NullArray,
    OffsetSizeTrait, PrimitiveArray, RecordBatch, RunArray, StringArray, StringViewArray, StructArray,
    TimestampSecondArray, UInt32Array, UnionArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, UnionFields};
use tensor_repr::array::{
    EmptyParents, byte_size, coo_from_lists, count_invalid_utf8, element_lengths, fill_null_lists,
    flatten_nested, flatten_nested_with_parents, index_in, list_lengths, lists_from_parent_indices,
    null_bytes, parent_indices, singleton_lists, total_string_bytes, value_counts,
};
use tensor_repr::table::{
    EnumerateOptions, batch_byte_size, canonical_batch, enumerate_columns, merge_batches, take_rows,
};
use tensor_repr::{Error, Kind};

/// Returns four elements of every type.
fn leaves() -> Vec<ArrayRef> {
    let texts = [Some("a"), None, Some("a string that no view holds"), Some("")];
    let keys = PrimitiveArray::<Int8Type>::from(vec![Some(0), Some(99), None, Some(3)]);
    let many: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
    let mut views = ListViewBuilder::new(Int64Builder::new());
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for at in 0..4 {
        views.values().append_value(at);
        views.append(at != 2);
        map.keys().append_value(format!("{at}"));
        map.values().append_value(at);
        map.append(at != 1).unwrap();
    }
    let ints: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(1)]));
    let union_fields =
        [(0, Arc::new(Field::new("i", DataType::Int64, true)))].into_iter().collect::<UnionFields>();
    let union =
        UnionArray::try_new(union_fields, ScalarBuffer::from(vec![0_i8; 4]), None, vec![Arc::clone(&ints)]);
    let structs = StructArray::try_new(
        vec![Field::new("i", DataType::Int64, true), Field::new("n", DataType::Null, true)].into(),
        vec![Arc::clone(&ints), Arc::new(NullArray::new(4))],
        Some(NullBuffer::from(vec![true, true, false, true])),
    );
    vec![
        Arc::new(NullArray::new(4)),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)])),
        ints,
        Arc::new(Float16Array::from(vec![half::f16::NAN; 4])),
        Arc::new(TimestampSecondArray::from(vec![1, 2, 3, 4])),
        Arc::new(Decimal128Array::from(vec![Some(1), None, Some(1), Some(2)])),
        Arc::new(FixedSizeBinaryArray::try_from_iter([[1_u8, 2], [3, 4], [1, 2], [5, 6]].iter()).unwrap()),
        Arc::new(StringArray::from_iter(texts)),
        Arc::new(LargeStringArray::from_iter(texts)),
        Arc::new(StringViewArray::from_iter(texts)),
        Arc::new(BinaryViewArray::from_iter(texts.map(|text| text.map(str::as_bytes)))),
        Arc::new(DictionaryArray::new(keys, many)),
        Arc::new(RunArray::<arrow_array::types::Int32Type>::from_iter(["a", "a", "b", "b"])),
        Arc::new(views.finish()),
        Arc::new(map.finish()),
        Arc::new(union.unwrap()),
        Arc::new(structs.unwrap()),
    ]
}

/// Rows of 1, 2 (null), 0 and 1 elements.
fn lists<O: OffsetSizeTrait>(values: &ArrayRef) -> ArrayRef {
    let offsets = OffsetBuffer::new([0, 1, 3, 3, 4].map(O::usize_as).to_vec().into());
    let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    let nulls = NullBuffer::from(vec![true, false, true, true]);
    Arc::new(GenericListArray::new(field, offsets, Arc::clone(values), Some(nulls)))
}

/// Returns two rows of two elements.
fn pairs(values: &ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    Arc::new(FixedSizeListArray::new(field, 2, Arc::clone(values), Some(NullBuffer::from(vec![false, true]))))
}

/// Returns every leaf, and lists of it in every layout, and lists of those.
fn arrays() -> Vec<ArrayRef> {
    let mut all = leaves();
    for leaf in leaves() {
        let four = [lists::<i32>(&leaf), lists::<i64>(&leaf)];
        all.push(pairs(&leaf));
        all.extend(four.iter().flat_map(|inner| [lists::<i32>(inner), pairs(inner)]));
        all.extend(four);
    }
    all
}

fn valid<T>(of: &DataType, result: Result<T, Error>, check: impl FnOnce(T)) {
    match result {
        Ok(value) => check(value),
        Err(error) => {
            let expected = matches!(
                *error.detail::<Kind>().unwrap(),
                Kind::TypeMismatch | Kind::Unsupported | Kind::ShapeMismatch | Kind::Overflow
            );
            assert!(expected, "{of}: {error}");
        }
    }
}

fn whole(array: impl Array) {
    array.to_data().validate_full().unwrap();
}

#[test]
fn functions_over_arrays_take_any_type() {
    for array in arrays() {
        let of = array.data_type();
        for array in [array.slice(1, array.len() - 1), array.slice(0, 0), Arc::clone(&array)] {
            assert_eq!(null_bytes(&array).len(), array.len());
            valid(of, list_lengths(&array), |lengths| assert_eq!(lengths.len(), array.len()));
            valid(of, element_lengths(&array), |lengths| assert_eq!(lengths.len(), array.len()));
            valid(of, parent_indices(&array), whole);
            valid(of, coo_from_lists(&array), |coo| {
                let flat = flatten_nested(&array).unwrap();
                assert_eq!(coo.indices.len(), coo.dense_shape.len() * flat.len(), "{of}");
            });
            valid(of, flatten_nested(&array), whole);
            valid(of, flatten_nested_with_parents(&array), |(flat, rows)| {
                assert_eq!(flat.len(), rows.len());
                whole(flat);
            });
            valid(of, singleton_lists(&array), |lists| {
                assert_eq!(lists.len(), array.len());
                whole(lists);
            });
            valid(of, value_counts(&array), |counted| {
                whole(counted.clone());
                assert_eq!(
                    arrow_array::cast::as_primitive_array::<Int64Type>(counted.column(1))
                        .values()
                        .iter()
                        .sum::<i64>(),
                    array.len() as i64
                );
            });
            valid(of, index_in(&array, &array), |places| assert_eq!(places.null_count(), 0, "{of}"));
            valid(of, total_string_bytes(&array), |_| {});
            valid(of, count_invalid_utf8(&array), |count| assert_eq!(count, 0));
            valid(of, byte_size(&array), |_| {});
            let rows: Int64Array = (0..array.len() as i64).collect();
            let back = lists_from_parent_indices(array.len(), &rows, &array, EmptyParents::Null);
            valid(of, back, |lists| {
                assert_eq!(lists.values(), &array);
                whole(lists);
            });
            for fill in arrays() {
                valid(of, fill_null_lists(&array, &fill), |filled| {
                    assert_eq!(filled.null_count(), 0);
                    whole(filled);
                });
            }
        }
    }
}

#[test]
fn functions_over_batches_take_any_type() {
    for array in arrays() {
        let of = array.data_type();
        let field = Field::new("x", of.clone(), true);
        let schema = Arc::new(arrow_schema::Schema::new(vec![field]));
        let batch = RecordBatch::try_new(schema, vec![Arc::clone(&array)]).unwrap();
        let other = RecordBatch::try_from_iter([("y", array.slice(1, array.len() - 1))]).unwrap();
        let rows = |batch: &RecordBatch, count: usize| {
            assert_eq!(batch.num_rows(), count);
            batch.columns().iter().for_each(whole);
        };
        let count = array.len();
        valid(of, merge_batches(&[batch.clone(), batch.slice(1, count - 1)]), |merged| {
            rows(&merged, 2 * count - 1)
        });
        valid(of, merge_batches(&[batch.clone(), other]), |merged| rows(&merged, 2 * count - 1));
        valid(of, take_rows(&batch, &UInt32Array::from(vec![1, 0, 1])), |taken| rows(&taken, 3));
        let absent = UInt32Array::from(vec![Some(1), None]);
        valid(of, take_rows(&batch, &absent), |taken| rows(&taken, 2));
        valid(of, canonical_batch(&batch), |canonical| rows(&canonical, count));
        valid(of, batch_byte_size(&batch), |_| {});
        valid(of, enumerate_columns(&batch, EnumerateOptions::default()), |columns| {
            assert!(!columns.is_empty());
            columns.into_iter().for_each(|(_, column)| whole(column));
        });
    }
}

#[test]
fn dictionaries_with_too_few_keys_are_refused() {
    let dictionary = leaves().remove(11);
    let (lists, fixed) = (lists::<i32>(&dictionary), pairs(&dictionary));
    let error = fill_null_lists(&lists, &dictionary).unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Kind::Overflow);
    let text = "the values of both dictionaries are more than the keys can tell apart; use wider keys";
    assert_eq!(error.to_string(), text);

    // Lists share what is equal in the dictionaries; those of fixed size do not.
    let batch = |array: &ArrayRef| RecordBatch::try_from_iter([("x", Arc::clone(array))]).unwrap();
    assert_eq!(merge_batches(&[batch(&lists), batch(&lists)]).unwrap().num_rows(), 8);
    let error = merge_batches(&[batch(&fixed), batch(&fixed)]).unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Kind::Overflow);
    let text = "column \"x\": all batches together hold more than 32-bit offsets of lists, or keys of dictionaries, can tell apart; use LargeList or wider keys";
    assert_eq!(error.to_string(), text);
}
