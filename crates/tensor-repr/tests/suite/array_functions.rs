//! The array functions against a plain model, in every layout of lists: sliced, and with null lists over
//! values that do not count.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, FixedSizeListArray, Float64Array,
    GenericListArray, Int32Array, Int64Array, LargeBinaryArray, LargeListArray, ListArray, NullArray,
    OffsetSizeTrait, StringViewArray, StructArray, TimestampSecondArray, UInt8Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use proptest::prelude::*;
use tensor_repr::array::{
    EmptyParents, byte_size, coo_from_lists, count_invalid_utf8, element_lengths, fill_null_lists,
    flatten_nested, flatten_nested_with_parents, index_in, list_lengths, lists_from_parent_indices,
    null_bytes, parent_indices, singleton_lists, total_string_bytes, value_counts,
};

type Rows = Vec<Option<Vec<Option<i64>>>>;

/// Returns the rows as a list array; each null list hides two values.
fn lists<O: OffsetSizeTrait>(rows: &Rows) -> GenericListArray<O> {
    let mut values = vec![Some(-1)];
    let mut offsets = vec![O::usize_as(1)];
    for row in rows {
        match row {
            Some(row) => values.extend(row),
            None => values.extend([Some(-2), None]),
        }
        offsets.push(O::usize_as(values.len()));
    }
    values.push(Some(-3));
    let nulls = NullBuffer::from_iter(rows.iter().map(Option::is_some));
    let field = Arc::new(Field::new_list_field(DataType::Int64, true));
    let values = Arc::new(Int64Array::from(values));
    GenericListArray::new(field, OffsetBuffer::new(offsets.into()), values, Some(nulls))
}

/// Returns the rows, each of which is null or has `size` values, as lists of fixed size.
fn fixed(rows: &Rows, size: i32) -> FixedSizeListArray {
    let filler = vec![Some(-2); usize::try_from(size).unwrap()];
    let values: Vec<_> = rows.iter().flat_map(|row| row.clone().unwrap_or_else(|| filler.clone())).collect();
    let nulls = NullBuffer::from_iter(rows.iter().map(Option::is_some));
    let field = Arc::new(Field::new_list_field(DataType::Int64, true));
    FixedSizeListArray::new(field, size, Arc::new(Int64Array::from(values)), Some(nulls))
}

/// Returns the rows in every layout, whole and as a slice of a longer array.
fn layouts(rows: &Rows) -> Vec<ArrayRef> {
    let mut longer = vec![Some(vec![Some(90), None]), None];
    longer.extend(rows.iter().cloned());
    longer.push(Some(vec![Some(91)]));
    vec![
        Arc::new(lists::<i32>(rows)),
        Arc::new(lists::<i64>(rows)),
        Arc::new(lists::<i32>(&longer).slice(2, rows.len())),
        Arc::new(lists::<i64>(&longer).slice(2, rows.len())),
    ]
}

fn rows() -> impl Strategy<Value = Rows> {
    let value = proptest::option::weighted(0.8, -5_i64..5);
    let row = proptest::option::weighted(0.7, proptest::collection::vec(value, 0..4));
    proptest::collection::vec(row, 0..12)
}

fn ints(array: &dyn Array) -> Vec<i64> {
    match array.data_type() {
        DataType::Int32 => array.as_primitive::<Int32Type>().values().iter().map(|&v| v.into()).collect(),
        _ => array.as_primitive::<Int64Type>().values().to_vec(),
    }
}

proptest! {
    #[test]
    fn lists_are_what_the_model_says(rows in rows(), fill in proptest::collection::vec(-5_i64..5, 0..3)) {
        let positions = || rows.iter().enumerate().flat_map(|(row, list)| {
            list.iter().flatten().enumerate().map(move |(position, value)| (row as i64, position as i64, *value))
        });
        let lengths: Vec<_> = rows.iter().map(|row| row.as_ref().map_or(0, Vec::len) as i64).collect();
        let values: Int64Array = positions().map(|(_, _, value)| value).collect();
        let parents: Vec<_> = positions().map(|(row, _, _)| row).collect();
        let coordinates: Vec<_> = positions().flat_map(|(row, position, _)| [row, position]).collect();
        let shape = vec![rows.len() as i64, lengths.iter().copied().max().unwrap_or(0)];
        let filler: Vec<_> = fill.iter().copied().map(Some).collect();
        let filled: Vec<_> = rows.iter().map(|row| Some(row.clone().unwrap_or_else(|| filler.clone()))).collect();
        let nulls: UInt8Array = rows.iter().map(|row| Some(u8::from(row.is_none()))).collect();

        for array in layouts(&rows) {
            prop_assert_eq!(list_lengths(&array).unwrap().values().to_vec(), lengths.clone());
            prop_assert_eq!(element_lengths(&array).unwrap().values().to_vec(), lengths.clone());
            prop_assert_eq!(ints(&parent_indices(&array).unwrap()), parents.clone());
            prop_assert_eq!(null_bytes(&array), nulls.clone());

            let coo = coo_from_lists(&array).unwrap();
            prop_assert_eq!(coo.indices, coordinates.clone());
            prop_assert_eq!(coo.dense_shape, shape.clone());

            let flat = flatten_nested(&array).unwrap();
            prop_assert_eq!(flat.as_primitive::<Int64Type>(), &values);
            let (flat, from) = flatten_nested_with_parents(&array).unwrap();
            prop_assert_eq!(flat.as_primitive::<Int64Type>(), &values);
            prop_assert_eq!(from.values().to_vec(), parents.clone());

            let ours = fill_null_lists(&array, &Int64Array::from(fill.clone())).unwrap();
            prop_assert_eq!(ours.data_type(), array.data_type());
            ours.to_data().validate_full().unwrap();
            prop_assert_eq!(ours.null_count(), 0);
            let expected = ListArray::from_iter_primitive::<Int64Type, _, _>(filled.clone());
            let plain = |array: &ArrayRef| flatten_nested(array).unwrap().as_primitive::<Int64Type>().clone();
            prop_assert_eq!(list_lengths(&ours).unwrap(), list_lengths(&expected).unwrap());
            prop_assert_eq!(plain(&ours), plain(&(Arc::new(expected) as ArrayRef)));

            let single = singleton_lists(&array).unwrap();
            single.to_data().validate_full().unwrap();
            for (row, list) in single.iter().enumerate() {
                prop_assert_eq!(list.map(|list| list.len()), rows[row].as_ref().map(|_| 1));
            }
        }
    }

    #[test]
    fn parents_lead_back_to_the_lists(rows in rows(), absent in any::<bool>()) {
        let empty = if absent { EmptyParents::Null } else { EmptyParents::Empty };
        // What has no elements is null, or empty, whatever it was.
        let expected = rows.iter().map(|row| match row {
            Some(row) if !row.is_empty() => Some(row.clone()),
            _ => (!absent).then(Vec::new),
        });
        let expected = LargeListArray::from_iter_primitive::<Int64Type, _, _>(expected);
        for array in layouts(&rows) {
            let (values, parents) = flatten_nested_with_parents(&array).unwrap();
            let ours = lists_from_parent_indices(rows.len(), &parents, &values, empty).unwrap();
            prop_assert_eq!(&ours, &expected);
        }
    }

    #[test]
    fn lists_of_fixed_size_are_lists(present in proptest::collection::vec(any::<bool>(), 0..8), size in 0_i32..4) {
        let row = |at: usize| (0..size).map(|position| Some(at as i64 * 10 + i64::from(position))).collect::<Vec<_>>();
        let rows: Rows = present.iter().enumerate().map(|(at, present)| present.then(|| row(at))).collect();
        let (one, other) = (fixed(&rows, size), lists::<i32>(&rows));
        for from in 0..rows.len() {
            let (one, other) = (one.slice(from, rows.len() - from), other.slice(from, rows.len() - from));
            let (one, other): (ArrayRef, ArrayRef) = (Arc::new(one), Arc::new(other));
            prop_assert_eq!(list_lengths(&one).unwrap(), list_lengths(&other).unwrap());
            prop_assert_eq!(ints(&parent_indices(&one).unwrap()), ints(&parent_indices(&other).unwrap()));
            prop_assert_eq!(coo_from_lists(&one).unwrap(), coo_from_lists(&other).unwrap());
            prop_assert_eq!(&flatten_nested(&one).unwrap(), &flatten_nested(&other).unwrap());
            let fill = Int64Array::from(vec![7; usize::try_from(size).unwrap()]);
            let (one, other) = (fill_null_lists(&one, &fill).unwrap(), fill_null_lists(&other, &fill).unwrap());
            prop_assert_eq!(&flatten_nested(&one).unwrap(), &flatten_nested(&other).unwrap());
            prop_assert_eq!(one.null_count(), 0);
        }
    }

    #[test]
    fn a_copy_of_a_slice_has_the_size_of_the_slice(rows in rows(), from in 0_usize..12, len in 0_usize..12) {
        let from = from.min(rows.len());
        let len = len.min(rows.len() - from);
        let slice = lists::<i64>(&rows).slice(from, len);
        let values = slice.value_offsets()[len] - slice.value_offsets()[0];
        let values = usize::try_from(values).unwrap();
        // Validity counts where the array has it.
        let validity = slice.values().nulls().map_or(0, |_| values.div_ceil(8));
        let expected = len.div_ceil(8) + 8 * (len + 1) + validity + 8 * values;
        prop_assert_eq!(byte_size(&slice).unwrap(), expected);
    }

    #[test]
    fn counts_are_those_of_the_values(values in proptest::collection::vec(proptest::option::of(-3_i64..3), 0..40)) {
        let array = Int64Array::from(values.clone());
        let counted = value_counts(&array).unwrap();
        let distinct = counted.column(0).as_primitive::<Int64Type>();
        let counts = counted.column(1).as_primitive::<Int64Type>();
        prop_assert_eq!(counts.values().iter().sum::<i64>(), values.len() as i64);
        for (value, &count) in distinct.iter().zip(counts.values()) {
            prop_assert_eq!(values.iter().filter(|other| **other == value).count() as i64, count);
        }
        // Looked up among the distinct values, each one leads to itself.
        let positions = index_in(&array, distinct).unwrap();
        for (at, position) in positions.iter().enumerate() {
            let position = usize::try_from(position.unwrap()).unwrap();
            prop_assert_eq!(array.is_null(at), distinct.is_null(position));
            prop_assert!(array.is_null(at) || array.value(at) == distinct.value(position));
        }
    }
}

#[test]
fn elements_are_shared_where_none_is_left_out() {
    let values = Int64Array::from(vec![1, 2, 3, 4]);
    let pointer = values.values().as_ptr();
    let field = Arc::new(Field::new_list_field(DataType::Int64, true));
    let offsets = OffsetBuffer::new(vec![0, 1, 1, 4].into());
    let nulls = NullBuffer::from(vec![true, false, true]);
    let array: ArrayRef = Arc::new(ListArray::new(field, offsets, Arc::new(values), Some(nulls)));
    assert_eq!(flatten_nested(&array).unwrap().as_primitive::<Int64Type>().values().as_ptr(), pointer);

    let single: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
    let lists = singleton_lists(&single).unwrap();
    let shared = lists.values().as_primitive::<Int64Type>().values().as_ptr();
    assert_eq!(shared, single.as_primitive::<Int64Type>().values().as_ptr());

    let full = lists.clone();
    let filled = fill_null_lists(&full, &Int64Array::from(vec![0])).unwrap();
    assert_eq!(filled.as_list::<i64>().values().as_primitive::<Int64Type>().values().as_ptr(), shared);
}

#[test]
fn strings_of_every_type_have_lengths_and_sizes() {
    let long = "a string that no view holds itself";
    let texts = [Some("a"), None, Some(""), Some(long)];
    let bytes = |text: &Option<&'static str>| text.map(str::as_bytes);
    let view = BinaryViewArray::from_iter(texts.iter().map(bytes));
    let arrays: [ArrayRef; 4] = [
        Arc::new(BinaryArray::from_iter(texts.iter().map(bytes))),
        Arc::new(LargeBinaryArray::from_iter(texts.iter().map(bytes))),
        Arc::new(view),
        Arc::new(StringViewArray::from_iter(texts)),
    ];
    let total = long.len();
    // Offsets of 4 or 8 bytes, or views of 16; then the bytes, without the short ones in views; 1 of validity.
    let sizes = [5 * 4 + 1 + total + 1, 5 * 8 + 1 + total + 1, 4 * 16 + total + 1, 4 * 16 + total + 1];
    for (array, size) in arrays.iter().zip(sizes) {
        assert_eq!(element_lengths(array).unwrap(), Int64Array::from(vec![1, 0, 0, total as i64]));
        assert_eq!(total_string_bytes(array).unwrap(), total + 1);
        assert_eq!(byte_size(array).unwrap(), size, "{}", array.data_type());
        assert_eq!(count_invalid_utf8(array).unwrap(), 0);
        assert_eq!(total_string_bytes(&array.slice(0, 2)).unwrap(), 1);
        let counted = value_counts(array).unwrap();
        assert_eq!(counted.column(0).to_data(), array.to_data());
        for other in &arrays {
            let positions = index_in(array, other).unwrap();
            assert_eq!(positions, Int32Array::from(vec![0, 1, 2, 3]));
        }
    }
    let broken = BinaryViewArray::from_iter([Some(&b"\xc3"[..]), Some(b"ok"), None]);
    assert_eq!(count_invalid_utf8(&broken).unwrap(), 1);
}

#[test]
fn values_of_many_types_are_counted() {
    let counts = |array: &dyn Array| {
        let counted = value_counts(array).unwrap();
        (counted.column(0).to_data(), counted.column(1).as_primitive::<Int64Type>().values().to_vec())
    };
    let bools = BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]);
    let expected = BooleanArray::from(vec![Some(true), Some(false), None]);
    assert_eq!(counts(&bools), (expected.to_data(), vec![2, 1, 1]));
    assert_eq!(counts(&NullArray::new(3)), (NullArray::new(1).to_data(), vec![3]));
    let times = TimestampSecondArray::from(vec![9, 8, 8, 9]);
    assert_eq!(counts(&times.slice(1, 3)), (TimestampSecondArray::from(vec![8, 9]).to_data(), vec![2, 1]));

    // By their bits: zero is not minus zero, and a NaN is itself.
    let floats = Float64Array::from(vec![0.0, -0.0, f64::NAN, f64::NAN]);
    let (distinct, counts) = counts(&floats);
    assert_eq!(counts, [1, 1, 2]);
    let distinct = Float64Array::from(distinct);
    let bits = |array: &Float64Array| array.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&distinct), bits(&floats.slice(0, 3)));
    assert_eq!(index_in(&distinct.slice(1, 2), &floats).unwrap(), Int32Array::from(vec![1, 2]));
}

#[test]
fn sizes_of_nested_arrays_add_up() {
    let ints: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let fields =
        Fields::from(vec![Field::new("a", DataType::Int64, false), Field::new("b", DataType::Null, true)]);
    let nulls = NullBuffer::from(vec![true, false, true]);
    let structs = StructArray::new(fields, vec![Arc::clone(&ints), Arc::new(NullArray::new(3))], Some(nulls));
    assert_eq!(byte_size(&structs).unwrap(), 3 * 8 + 1);
    assert_eq!(byte_size(&structs.slice(1, 1)).unwrap(), 8 + 1);

    let keys = Int32Array::from(vec![0, 2, 0, 1]);
    let dictionary = arrow_array::DictionaryArray::new(keys, ints);
    assert_eq!(byte_size(&dictionary).unwrap(), 4 * 4 + 3 * 8);

    let mut map = arrow_array::builder::MapBuilder::new(
        None,
        arrow_array::builder::StringBuilder::new(),
        arrow_array::builder::Int64Builder::new(),
    );
    for (key, value) in [("a", 1), ("bc", 2), ("d", 3)] {
        map.keys().append_value(key);
        map.values().append_value(value);
        map.append(true).unwrap();
    }
    let map = map.finish().slice(1, 1);
    // Two offsets of the map, two of the keys, the key and the value.
    assert_eq!(byte_size(&map).unwrap(), 2 * 4 + 2 * 4 + 2 + 8);
}
