//! Memory that is shared with the columns, counted as written, or used again.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use tensor_repr::{
    ColumnPath, DefaultValue, RaggedPartition, RaggedTensor, Representation, RowSplits, ScalarValue,
    StructuredRepresentation, Tensor, Values,
};

use crate::columns::*;

const NOTHING: (u64, u64) = (0, 0);

/// Returns the tensor of a column and the counts of what was written for it.
fn made(column: &ArrayRef, representation: impl Into<Representation>) -> (Tensor, (u64, u64)) {
    let batch = batch(&[("x", column.clone())]);
    let tensors = adapter(&batch, representation).unwrap().tensors(&batch).unwrap();
    let count = tensors.copy_count();
    assert_eq!(tensors.copied_bytes(), count.values + count.computed);
    (tensors[0].1.clone(), (count.values, count.computed))
}

fn values(tensor: &Tensor) -> &Values {
    match tensor {
        Tensor::Dense(tensor) => tensor.values(),
        Tensor::Sparse(tensor) => tensor.values(),
        Tensor::Ragged(tensor) => tensor.values(),
        other => panic!("{other:?}"),
    }
}

/// Returns the address of the first value.
fn address(values: &Values) -> usize {
    values.buffer().unwrap().as_ptr() as usize
}

fn address_of(ints: &ArrayRef, at: usize) -> usize {
    &raw const ints.as_primitive::<Int64Type>().values()[at] as usize
}

#[test]
fn equal_lists_are_dense_without_a_copy() {
    let numbers = ints(&[1, 2, 3, 4, 5, 6, 7, 8]);
    let columns = [
        fixed(2, None, numbers.clone()),
        lists(&[Some(2); 4], numbers.clone()),
        small_lists(&[Some(2); 4], numbers.clone()),
    ];
    for column in &columns {
        for representation in
            [dense(&[Some(2)]), filled(&[Some(2)], 0), padded(&[None], 0), dense(&[Some(2), Some(1)])]
        {
            let (tensor, count) = made(column, representation);
            assert_eq!((address(values(&tensor)), count), (address_of(&numbers, 0), NOTHING));
        }
        let (tensor, count) = made(&column.slice(1, 2), dense(&[Some(2)]));
        assert_eq!((address(values(&tensor)), count), (address_of(&numbers, 2), NOTHING));
        assert_eq!(tensor, dense_tensor(&[2, 2], &[3, 4, 5, 6]));
    }
    for column in [fixed(2, None, columns[0].clone()), lists(&[Some(2); 2], columns[1].clone())] {
        let (tensor, count) = made(&column, dense(&[Some(2), Some(2)]));
        assert_eq!((address(values(&tensor)), count), (address_of(&numbers, 0), NOTHING));
    }
    let (tensor, count) = made(&numbers, dense(&[]));
    assert_eq!((address(values(&tensor)), count), (address_of(&numbers, 0), NOTHING));
}

#[test]
fn a_null_that_is_not_in_the_slice_costs_nothing() {
    let numbers = ints(&[1, 2, 3]);
    let column = lists(&[None, Some(1), Some(1), Some(1)], numbers.clone());
    let (tensor, count) = made(&column.slice(1, 3), filled(&[], 0));
    assert_eq!((address(values(&tensor)), count), (address_of(&numbers, 0), NOTHING));
}

fn splits_address(tensor: &RaggedTensor, level: usize) -> usize {
    let RowSplits::Int64(splits) = &tensor.row_splits()[level] else { panic!() };
    splits.as_ptr() as usize
}

#[test]
fn nested_lists_are_ragged_without_a_copy() {
    let numbers = ints(&[1, 2, 3]);
    let inner = lists(&[Some(2), None, Some(1)], numbers.clone());
    let outer = lists(&[Some(1), Some(2)], inner.clone());
    let (tensor, count) = made(&outer, ragged(&["x"], &[]));
    let Tensor::Ragged(ragged_tensor) = &tensor else { panic!() };
    assert_eq!((address(values(&tensor)), count), (address_of(&numbers, 0), NOTHING));
    assert_eq!(splits_address(ragged_tensor, 0), outer.as_list::<i64>().value_offsets().as_ptr() as usize);
    assert_eq!(splits_address(ragged_tensor, 1), inner.as_list::<i64>().value_offsets().as_ptr() as usize);
    // The inner uniform dimension needs other splits, the values stay.
    let even = lists(&[Some(2), Some(0)], numbers.slice(0, 2));
    let (tensor, count) = made(&even, ragged(&["x"], &[RaggedPartition::UniformRowLength(2)]));
    assert_eq!((address(values(&tensor)), count.0), (address_of(&numbers, 0), 0));
    // A slice must begin with 0 again.
    let (tensor, count) = made(&inner.slice(1, 2), ragged(&["x"], &[]));
    assert_eq!(address(values(&tensor)), address_of(&numbers, 2));
    assert_eq!(count, (0, 3 * 8));
}

#[test]
fn lists_of_structs_are_structured_without_a_copy() {
    let numbers = ints(&[1, 2, 3]);
    let column = lists(&[Some(1), Some(2)], structs(&[("a", numbers.clone())], None));
    let whole = StructuredRepresentation::default().columns(vec![ColumnPath::from("x")]);
    let (Tensor::Structured(tensor), count) = made(&column, whole) else { panic!() };
    let Some(Tensor::Structured(users)) = tensor.field("x") else { panic!() };
    assert_eq!((address(values(users.field("a").unwrap())), count), (address_of(&numbers, 0), NOTHING));
}

#[test]
fn the_values_of_sparse_tensors_are_shared_unless_they_are_sorted() {
    let numbers = ints(&[1, 2, 3]);
    let column = lists(&[Some(2), None, Some(1)], numbers.clone());
    let (tensor, count) = made(&column, varlen());
    assert_eq!(address(values(&tensor)), address_of(&numbers, 0));
    assert_eq!(count, (0, 3 * 2 * 8));
    let of = |index: &[i64], sort| {
        let batch = batch(&[("x", column.clone()), ("i", lists(&[Some(2), None, Some(1)], ints(index)))]);
        let representation = sparse(&["i"], &[Some(9)]).sort(sort);
        let tensors = adapter(&batch, representation).unwrap().tensors(&batch).unwrap();
        (address(values(&tensors[0].1)) == address_of(&numbers, 0), tensors.copy_count().values > 0)
    };
    assert_eq!(of(&[5, 4, 3], false), (true, false));
    assert_eq!(of(&[4, 5, 3], true), (true, false), "they are in order already");
    assert_eq!(of(&[5, 4, 3], true), (false, true));
}

#[test]
fn the_bytes_of_strings_are_copied_only_for_a_default_with_bytes() {
    let words = strings(&["a", "bc", "def"]);
    let data = words.as_binary::<i64>().values().as_ptr();
    let column = lists(&[Some(1), None, Some(1), Some(1)], words.clone());
    let with = |default: &str| {
        let default = Some(DefaultValue::Scalar(ScalarValue::Bytes(default.into())));
        let (tensor, count) = made(&column, dense(&[]).default_value(default));
        (values(&tensor).as_strings().unwrap().data().as_ptr(), count)
    };
    assert_eq!(with(""), (data, (5 * 8, 0)));
    let (copy, count) = with("zz");
    assert_ne!(copy, data);
    assert_eq!(count, (5 * 8 + 8, 0));
    let (tensor, count) = made(&lists(&[Some(1); 3], words.clone()), dense(&[]));
    assert_eq!((values(&tensor).as_strings().unwrap().data().as_ptr(), count), (data, NOTHING));
}

#[test]
fn dropped_tensors_give_their_memory_to_the_next_batch() {
    let batch = batch(&[("x", lists(&[Some(1), None, Some(1)], ints(&[1, 2])))]);
    let dense = adapter(&batch, filled(&[], 0)).unwrap();
    let varlen = adapter(&batch, varlen()).unwrap();
    for adapter in [dense, varlen] {
        let make = || adapter.tensors(&batch).unwrap()[0].clone().1;
        let at = |tensor: &Tensor| match tensor {
            Tensor::Dense(tensor) => address(tensor.values()),
            Tensor::Sparse(tensor) => tensor.indices().as_ptr() as usize,
            other => panic!("{other:?}"),
        };
        let first = make();
        let held = at(&first);
        let second = make();
        assert_ne!(at(&second), held, "the first tensor is still held");
        assert_eq!(first, second);
        drop(first);
        let third = make();
        assert_eq!(at(&third), held, "its memory came back");
        assert_eq!(third, second);
    }
}

#[test]
fn threads_share_an_adapter() {
    let batch = batch(&[("x", lists(&[Some(1), None, Some(1)], ints(&[1, 2])))]);
    let adapter = adapter(&batch, filled(&[], 7)).unwrap();
    let expected = dense_tensor(&[3], &[1, 7, 2]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(adapter.tensors(&batch).unwrap()[0].1, expected);
                }
            });
        }
    });
}
