//! Errors of the array functions.

use std::sync::Arc;

use arrow_array::types::Int64Type;
use arrow_array::{
    ArrayRef, FixedSizeListArray, Float64Array, Int32Array, Int64Array, LargeListArray, ListArray, NullArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use tensor_repr::array::{
    EmptyParents, byte_size, count_invalid_utf8, element_lengths, fill_null_lists, index_in, list_lengths,
    lists_from_parent_indices, parent_indices, total_string_bytes, value_counts,
};
use tensor_repr::{Error, Kind};

fn refused<T: std::fmt::Debug>(result: Result<T, Error>, kind: Kind, text: &str) {
    let error = result.unwrap_err();
    assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string().as_str()), (kind, text));
}

#[test]
fn what_does_not_fit_is_refused() {
    use Kind::{InvalidArgument, Overflow, ShapeMismatch, TypeMismatch, Unsupported};
    let ints: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let lists = LargeListArray::from_iter_primitive::<Int64Type, _, _>([None, Some(vec![Some(1)])]);
    let floats = Float64Array::from(vec![1.0]);

    refused(list_lengths(&ints), TypeMismatch, "List, LargeList or FixedSizeList expected, found Int64");
    refused(parent_indices(&ints), TypeMismatch, "List, LargeList or FixedSizeList expected, found Int64");
    refused(element_lengths(&ints), TypeMismatch, "lists, binary or strings expected, found Int64");
    refused(total_string_bytes(&ints), TypeMismatch, "binary or strings expected, found Int64");
    refused(count_invalid_utf8(&ints), TypeMismatch, "binary or strings expected, found Int64");
    let text = "elements of Int64 cannot be filled with Float64";
    refused(fill_null_lists(&lists, &floats), TypeMismatch, text);
    let text = "lists of 2 elements cannot be filled with 1";
    refused(
        fill_null_lists(
            &FixedSizeListArray::from_iter_primitive::<Int64Type, _, _>([None::<Vec<_>>], 2),
            &Int64Array::from(vec![1]),
        ),
        ShapeMismatch,
        text,
    );
    refused(index_in(&ints, &floats), TypeMismatch, "values of Int64 cannot be looked up in Float64");
    let text = "primitive values, binary or strings expected, found LargeList(Int64)";
    refused(value_counts(&lists), TypeMismatch, text);
    refused(index_in(&lists, &lists), TypeMismatch, text);

    let parents = |count, parents: Vec<i64>| {
        lists_from_parent_indices(count, &parents.into(), &ints, EmptyParents::default())
    };
    refused(parents(3, vec![0]), InvalidArgument, "1 parent index for 2 values");
    refused(parents(3, vec![0, 3]), InvalidArgument, "parent index 3 at 1: there are 3 parents");
    refused(parents(3, vec![-1, 0]), InvalidArgument, "parent index -1 at 0: there are 3 parents");
    let text = "parent index 0 at 1 comes after 2: they must be in order";
    refused(parents(3, vec![2, 0]), InvalidArgument, text);
    let text = format!("no room for {} items", usize::MAX);
    refused(parents(usize::MAX, vec![0, 1]), Overflow, &text);
    let null = Int64Array::from(vec![Some(0), None]);
    let result = lists_from_parent_indices(3, &null, &ints, EmptyParents::default());
    refused(result, InvalidArgument, "a parent index is null");

    let ends = arrow_array::RunArray::try_new(&Int32Array::from(vec![2, 4]), &ints).unwrap();
    let error = byte_size(&ends).unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Unsupported);
    assert!(error.to_string().starts_with("the size of arrays of RunEndEncoded"), "{error}");
}

#[test]
fn lists_of_nulls_without_memory_do_not_overflow() {
    // 2^31 - 1 nulls take no memory; twice as many do not fit 32-bit offsets.
    let most = usize::try_from(i32::MAX).unwrap();
    let field = Arc::new(Field::new_list_field(DataType::Null, true));
    let offsets = OffsetBuffer::new(vec![0, 0, i32::MAX].into());
    let nulls = NullBuffer::from(vec![false, true]);
    let array = ListArray::new(field, offsets, Arc::new(NullArray::new(most)), Some(nulls));
    let error = fill_null_lists(&array, &NullArray::new(1)).unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Kind::Overflow);
    assert_eq!(error.to_string(), "more elements than List can count; use LargeList");
    assert_eq!(list_lengths(&array).unwrap().values().to_vec(), [0, i64::from(i32::MAX)]);
}
