//! Sparse tensors: of one column, and of values with index columns.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int8Array, NullArray, RecordBatch, UInt64Array};
use tensor_repr::{Kind, SparseRepresentation};
use tfxio_core::DType;

use crate::columns::*;

#[test]
fn each_level_of_lists_is_a_dimension() {
    let column = lists(&[Some(2), None, Some(0), Some(1)], ints(&[5, 6, 7]));
    let expected = sparse_tensor(&[4, 2], &[(&[0, 0], 5), (&[0, 1], 6), (&[3, 0], 7)]);
    assert_eq!(of_column(column, varlen()).unwrap(), expected);
    // [[1, 2], []], null, [null, [3]]
    let inner = small_lists(&[Some(2), Some(0), None, Some(1)], ints(&[1, 2, 3]));
    let column = lists(&[Some(2), None, Some(2)], inner);
    let expected = sparse_tensor(&[3, 2, 2], &[(&[0, 0, 0], 1), (&[0, 0, 1], 2), (&[2, 1, 0], 3)]);
    assert_eq!(of_column(column.clone(), varlen()).unwrap(), expected);
    let deep = lists(&[Some(2), Some(1)], column);
    let expected =
        sparse_tensor(&[2, 2, 2, 2], &[(&[0, 0, 0, 0], 1), (&[0, 0, 0, 1], 2), (&[1, 0, 1, 0], 3)]);
    assert_eq!(of_column(deep, varlen()).unwrap(), expected);
}

#[test]
fn batches_without_values_keep_their_rank() {
    let column = lists(&[Some(0), None], lists(&[], ints(&[])));
    assert_eq!(of_column(column, varlen()).unwrap(), sparse_tensor(&[2, 0, 0], &[]));
    let nulls: ArrayRef = Arc::new(NullArray::new(3));
    let rank = varlen().rank(Some(2)).dtype(Some(DType::Int64));
    assert_eq!(of_column(nulls.clone(), rank).unwrap(), sparse_tensor(&[3, 0, 0], &[]));
    let plain = varlen().dtype(Some(DType::Int64));
    assert_eq!(of_column(nulls, plain).unwrap(), sparse_tensor(&[3, 0], &[]));
}

#[test]
fn hidden_values_and_slices_are_as_if_they_were_not_there() {
    let column = hiding(&[1, 2, 1], &[true, false, true], ints(&[5, 98, 99, 6]));
    let expected = sparse_tensor(&[3, 1], &[(&[0, 0], 5), (&[2, 0], 6)]);
    assert_eq!(of_column(column.clone(), varlen()).unwrap(), expected);
    assert_eq!(of_column(column.slice(1, 2), varlen()).unwrap(), sparse_tensor(&[2, 1], &[(&[1, 0], 6)]));
    let inner = hiding(&[1, 1, 1], &[true, false, true], ints(&[1, 99, 3]));
    let column = hiding(&[1, 1, 1], &[false, true, true], inner);
    assert_eq!(of_column(column, varlen()).unwrap(), sparse_tensor(&[3, 1, 1], &[(&[2, 0, 0], 3)]));
    let column = fixed(2, Some(vec![true, false, true]), ints(&[1, 2, 98, 99, 5, 6]));
    let entries: &[(&[i64], i64)] = &[(&[0, 0], 1), (&[0, 1], 2), (&[2, 0], 5), (&[2, 1], 6)];
    assert_eq!(of_column(column, varlen()).unwrap(), sparse_tensor(&[3, 2], entries));
}

#[test]
fn a_varlen_tensor_needs_lists_of_values() {
    let text = "tensor \"t\", column \"x\": a varlen sparse tensor needs lists, the column is Int64; take a dense one of shape []";
    assert_eq!(error(of_column(ints(&[1]), varlen())), text);
    let rank = varlen().rank(Some(2));
    let text = "tensor \"t\", column \"x\": the column has 1 level of lists, the representation says 2";
    assert_eq!(error(of_column(lists(&[Some(1)], ints(&[1])), rank)), text);
    let dtype = varlen().dtype(Some(DType::Float32));
    let text = "tensor \"t\", column \"x\": the values are int64 (Int64), the representation says float32";
    assert_eq!(error(of_column(lists(&[Some(1)], ints(&[1])), dtype)), text);
    let null = lists(&[Some(1), Some(2)], optional(&[Some(1), Some(2), None]));
    let text = "tensor \"t\", column \"x\", row 1: an element is null; only a dense tensor with a default for shortfalls has \
                a value for it";
    assert_eq!(error(of_column(null, varlen())), text);
}

/// Returns a batch with values `x` and index columns `i`, `j`, each a list a row.
fn with_indices(lengths: &[Option<usize>], x: &[i64], i: &[i64], j: &[i64]) -> RecordBatch {
    batch(&[
        ("x", lists(lengths, ints(x))),
        ("i", lists(lengths, ints(i))),
        ("j", small_lists(lengths, ints(j))),
    ])
}

#[test]
fn index_columns_place_the_values() {
    let batch = with_indices(&[Some(2), None, Some(1)], &[5, 6, 7], &[3, 0, 1], &[0, 9, 2]);
    let expected = sparse_tensor(&[3, 4], &[(&[0, 3], 5), (&[0, 0], 6), (&[2, 1], 7)]);
    assert_eq!(
        tensor(&batch, sparse(&["i"], &[Some(4)])).unwrap(),
        expected,
        "the order of the data is kept"
    );
    let expected = sparse_tensor(&[3, 4, 10], &[(&[0, 3, 0], 5), (&[0, 0, 9], 6), (&[2, 1, 2], 7)]);
    assert_eq!(tensor(&batch, sparse(&["i", "j"], &[None, Some(10)])).unwrap(), expected);
}

#[test]
fn entries_are_sorted_within_their_row_where_asked() {
    let batch = with_indices(&[Some(3), Some(2)], &[5, 6, 7, 8, 9], &[3, 0, 3, 1, 1], &[1, 0, 0, 5, 5]);
    let sorted = sparse(&["i", "j"], &[Some(4), Some(6)]).sort(true);
    let entries: &[(&[i64], i64)] =
        &[(&[0, 0, 0], 6), (&[0, 3, 0], 7), (&[0, 3, 1], 5), (&[1, 1, 5], 8), (&[1, 1, 5], 9)];
    assert_eq!(
        tensor(&batch, sorted).unwrap(),
        sparse_tensor(&[2, 4, 6], entries),
        "duplicates keep their order"
    );
}

#[test]
fn indices_may_be_of_any_integer_type_and_bare() {
    let index: ArrayRef = Arc::new(Int8Array::from(vec![Some(2), None, Some(0)]));
    let plain = batch(&[("x", optional(&[Some(5), None, Some(6)])), ("i", index)]);
    let expected = sparse_tensor(&[3, 3], &[(&[0, 2], 5), (&[2, 0], 6)]);
    assert_eq!(tensor(&plain, sparse(&["i"], &[Some(3)])).unwrap(), expected);
    // A bare index beside lists of one.
    let mixed = batch(&[("x", lists(&[Some(1), Some(1)], ints(&[5, 6]))), ("i", ints(&[1, 0]))]);
    let expected = sparse_tensor(&[2, 2], &[(&[0, 1], 5), (&[1, 0], 6)]);
    assert_eq!(tensor(&mixed, sparse(&["i"], &[None])).unwrap(), expected);
    let huge: ArrayRef = Arc::new(UInt64Array::from(vec![0, u64::MAX]));
    let huge = batch(&[("x", ints(&[1, 2])), ("i", huge)]);
    let text = "tensor \"t\", column \"i\", row 1: the index 18446744073709551615 is more than 64 bits hold";
    assert_eq!(error(tensor(&huge, sparse(&["i"], &[None]))), text);
}

#[test]
fn further_list_levels_are_dropped_or_kept_as_dimensions() {
    // Two cars in row 0 with 2 and 1 values, one in row 1 with 1.
    let nested =
        |values: &[i64]| lists(&[Some(2), Some(1)], lists(&[Some(2), Some(1), Some(1)], ints(values)));
    let batch = batch(&[("x", nested(&[5, 6, 7, 8])), ("i", nested(&[0, 3, 2, 1]))]);
    let dropped = tensor(&batch, sparse(&["i"], &[Some(4)])).unwrap();
    let expected = sparse_tensor(&[2, 4], &[(&[0, 0], 5), (&[0, 3], 6), (&[0, 2], 7), (&[1, 1], 8)]);
    assert_eq!(dropped, expected);
    let kept = |kept_dims, sizes: &[Option<u64>]| sparse(&["i"], sizes).kept_dims(kept_dims);
    let entries: &[(&[i64], i64)] = &[(&[0, 0, 0], 5), (&[0, 0, 3], 6), (&[0, 1, 2], 7), (&[1, 0, 1], 8)];
    assert_eq!(tensor(&batch, kept(1, &[None, Some(4)])).unwrap(), sparse_tensor(&[2, 2, 4], entries));
    assert_eq!(tensor(&batch, kept(1, &[Some(5), Some(4)])).unwrap(), sparse_tensor(&[2, 5, 4], entries));
    let entries: &[(&[i64], i64)] =
        &[(&[0, 0, 0, 0], 5), (&[0, 0, 1, 3], 6), (&[0, 1, 0, 2], 7), (&[1, 0, 0, 1], 8)];
    assert_eq!(
        tensor(&batch, kept(2, &[None, None, Some(4)])).unwrap(),
        sparse_tensor(&[2, 2, 2, 4], entries)
    );
    let text = "tensor \"t\", column \"x\", row 0: a list of 2 items, the size of the dimension is 1";
    assert_eq!(error(tensor(&batch, kept(1, &[Some(1), Some(4)]))), text);
    let text = "tensor \"t\", column \"i\": 4 sizes are given, at most 3 can be: one for each index column (1), and in front \
                of them one for each level of lists of this column (2)";
    assert_eq!(error(tensor(&batch, kept(3, &[None, None, None, Some(4)]))), text);
}

/// Returns a sparse tensor of the columns `i`, `j` and `x` that keeps `kept_dims` list levels.
fn keeping(kept_dims: usize) -> SparseRepresentation {
    let sizes = [vec![None; kept_dims], vec![Some(12), Some(10)]].concat();
    sparse(&["i", "j"], &sizes).kept_dims(kept_dims).sort(true)
}

#[test]
fn a_column_may_have_fewer_lists_than_stay_as_dimensions() {
    let list = |lengths: &[usize], values: &[i64]| {
        lists(&lengths.iter().copied().map(Some).collect::<Vec<_>>(), ints(values))
    };
    let all = batch(&[
        ("i", ints(&[3, 7, 11, 9])),
        ("j", list(&[1, 1, 1, 1], &[5, 6, 4, 8])),
        ("x", list(&[1, 1, 1, 1], &[50, 60, 40, 80])),
    ]);
    let entries: &[(&[i64], i64)] =
        &[(&[0, 0, 3, 5], 50), (&[1, 0, 7, 6], 60), (&[2, 0, 11, 4], 40), (&[3, 0, 9, 8], 80)];
    assert_eq!(tensor(&all, keeping(1)).unwrap(), sparse_tensor(&[4, 1, 12, 10], entries));
    let entries: &[(&[i64], i64)] = &[(&[0, 0, 7, 6], 60), (&[1, 0, 11, 4], 40)];
    assert_eq!(tensor(&all.slice(1, 2), keeping(1)).unwrap(), sparse_tensor(&[2, 1, 12, 10], entries));

    // One list of all entries beside lists of lists.
    let nested = |values: &[i64]| lists(&[Some(2), Some(2)], list(&[0, 2, 1, 0], values));
    let mixed =
        batch(&[("i", list(&[2, 1], &[2, 1, 4])), ("j", nested(&[3, 4, 5])), ("x", nested(&[30, 40, 50]))]);
    let entries: &[(&[i64], i64)] = &[(&[0, 1, 0, 2, 3], 30), (&[0, 1, 1, 1, 4], 40), (&[1, 0, 0, 4, 5], 50)];
    assert_eq!(tensor(&mixed, keeping(2)).unwrap(), sparse_tensor(&[2, 2, 2, 12, 10], entries));

    // The values may be those without lists; then an index column says the places.
    let bare = batch(&[("i", ints(&[3, 7])), ("j", list(&[1, 1], &[5, 6])), ("x", ints(&[50, 60]))]);
    let entries: &[(&[i64], i64)] = &[(&[0, 0, 3, 5], 50), (&[1, 0, 7, 6], 60)];
    assert_eq!(tensor(&bare, keeping(1)).unwrap(), sparse_tensor(&[2, 1, 12, 10], entries));
}

#[test]
fn a_column_with_fewer_lists_needs_as_many_entries_in_each_row() {
    let refused = |columns: &[(&str, ArrayRef)], representation, text: &str| {
        assert_eq!(error(tensor(&batch(columns), representation)), format!("tensor \"t\", {text}"));
    };
    let list = |lengths: &[Option<usize>], values: &[i64]| lists(lengths, ints(values));
    let two = list(&[Some(1), Some(2)], &[1, 2, 3]);
    refused(
        &[("i", ints(&[3, 7])), ("j", two.clone()), ("x", two.clone())],
        keeping(1),
        "column \"i\", row 1: 1 index for the 2 values of column \"x\"",
    );
    let one = list(&[Some(1), Some(1)], &[1, 2]);
    refused(
        &[("i", optional(&[Some(3), None])), ("j", one.clone()), ("x", one.clone())],
        keeping(1),
        "column \"i\", row 1: 0 indices for the 1 value of column \"x\"",
    );
    refused(
        &[("i", ints(&[3, 7])), ("j", two), ("x", ints(&[1, 2]))],
        keeping(1),
        "column \"j\", row 1: 2 indices for the 1 value of column \"x\"",
    );
    refused(
        &[("i", ints(&[3, 12])), ("j", one.clone()), ("x", one.clone())],
        keeping(1),
        "column \"i\", row 1: the index 12 lies outside of the size 12",
    );
    // Two index columns must have their entries in the same places.
    let nested = |inner: &[Option<usize>]| lists(&[Some(2)], list(inner, &[1, 2, 3]));
    refused(
        &[
            ("i", nested(&[Some(1), Some(2)])),
            ("j", nested(&[Some(2), Some(1)])),
            ("x", list(&[Some(3)], &[1, 2, 3])),
        ],
        keeping(2),
        "column \"j\", row 0: a list of 2 where column \"i\" has one of 1",
    );
    let wide = keeping(1).dense_shape(vec![Some(0), Some(12), Some(10)]);
    refused(
        &[("i", ints(&[3, 7])), ("j", one.clone()), ("x", ints(&[1, 2]))],
        wide,
        "column \"j\", row 0: a list of 1 item, the size of the dimension is 0",
    );
    refused(
        &[("i", ints(&[3, 7])), ("j", one.clone()), ("x", one)],
        keeping(2),
        "column \"j\": 4 sizes are given, at most 3 can be: one for each index column (2), and in front of them one for \
         each level of lists of this column (1)",
    );
}

#[test]
fn indices_that_do_not_fit_are_refused() {
    let good = with_indices(&[Some(1), Some(2)], &[1, 2, 3], &[0, 1, 5], &[0, -1, 0]);
    let check = |representation: SparseRepresentation, kind: Kind, text: &str| {
        let error = tensor(&good, representation).unwrap_err();
        assert_eq!(
            (*error.detail::<Kind>().unwrap(), error.to_string()),
            (kind, format!("tensor \"t\", {text}"))
        );
    };
    let outside = "column \"i\", row 1: the index 5 lies outside of the size 5";
    check(sparse(&["i"], &[Some(5)]), Kind::InvalidIndex, outside);
    let negative = "column \"j\", row 1: the index -1 lies outside of the size 5";
    check(sparse(&["j"], &[Some(5)]), Kind::InvalidIndex, negative);
    let negative = "column \"j\", row 1: the index -1 is negative or too large";
    check(sparse(&["j"], &[None]), Kind::InvalidIndex, negative);
    let sizes = "there is 1 size for 2 index columns; give one for each";
    let error = tensor(&good, sparse(&["i", "j"], &[Some(5)])).unwrap_err();
    assert_eq!(error.to_string(), format!("tensor \"t\": {sizes}"));
    let error = tensor(&good, sparse(&[], &[])).unwrap_err();
    assert_eq!(error.to_string(), "tensor \"t\": a sparse tensor needs at least one index column");
    let error = tensor(&good, sparse(&["i"], &[Some(u64::MAX)])).unwrap_err();
    assert_eq!(error.to_string(), "tensor \"t\": the size 18446744073709551615 is more than an index counts");
}

#[test]
fn every_row_needs_as_many_indices_as_values() {
    let uneven = batch(&[
        ("x", lists(&[Some(1), Some(2), Some(1)], ints(&[1, 2, 3, 4]))),
        ("i", lists(&[Some(1), Some(1), Some(2)], ints(&[0, 1, 2, 3]))),
    ]);
    let text = "tensor \"t\", column \"i\", row 1: 1 index for the 2 values of column \"x\"";
    assert_eq!(error(tensor(&uneven, sparse(&["i"], &[None]))), text);
    let float: ArrayRef = Arc::new(arrow_array::Float32Array::from(vec![0.0]));
    let floats = batch(&[("x", ints(&[1])), ("i", float)]);
    let text = "tensor \"t\", column \"i\": indices must be integers, these are Float32";
    assert_eq!(error(tensor(&floats, sparse(&["i"], &[None]))), text);
}
