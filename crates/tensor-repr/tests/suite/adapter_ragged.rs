//! Ragged and structured tensors.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, NullArray};
use tensor_repr::{
    ColumnPath, Kind, RaggedPartition, Representation, RowSplitsDType, StructuredRepresentation, Tensor,
    VarLenRaggedRepresentation,
};
use tfxio_core::DType;

use crate::columns::*;

fn lengths(name: &str) -> RaggedPartition {
    RaggedPartition::RowLengths(name.into())
}

fn uniform(length: u64) -> RaggedPartition {
    RaggedPartition::UniformRowLength(length)
}

#[test]
fn every_list_on_the_path_is_a_partition() {
    let nested = || {
        let inner = small_lists(&[Some(2), Some(0), Some(1)], ints(&[1, 2, 3]));
        lists(&[Some(2), None, Some(1)], inner)
    };
    let expected = ragged_tensor(&[&[0, 2, 2, 3], &[0, 2, 2, 3]], &[], &[1, 2, 3]);
    assert_eq!(of_column(nested(), ragged(&["x"], &[])).unwrap(), expected);
    let all = Representation::VarLenRagged(VarLenRaggedRepresentation::default().column("x").dtype(None));
    assert_eq!(of_column(nested(), all).unwrap(), expected);
    let through = structs(&[("a", nested())], Some(vec![true, true, false]));
    let expected = ragged_tensor(&[&[0, 2, 2, 2], &[0, 2, 2]], &[], &[1, 2]);
    assert_eq!(of_column(through, ragged(&["x", "a"], &[])).unwrap(), expected, "a null struct has no lists");
}

#[test]
fn fixed_size_lists_are_partitions_too() {
    let column = fixed(2, Some(vec![true, false, true]), ints(&[1, 2, 98, 99, 5, 6]));
    let expected = ragged_tensor(&[&[0, 2, 2, 4]], &[], &[1, 2, 5, 6]);
    assert_eq!(of_column(column, ragged(&["x"], &[])).unwrap(), expected);
}

#[test]
fn row_splits_are_of_the_type_asked_for() {
    let column = lists(&[Some(1), Some(2)], ints(&[1, 2, 3]));
    let int32 = ragged(&["x"], &[]).row_splits(RowSplitsDType::Int32);
    let Tensor::Ragged(tensor) = of_column(column, int32).unwrap() else { panic!() };
    assert_eq!(tensor.row_splits()[0].dtype(), RowSplitsDType::Int32);
    assert_eq!(tensor.row_splits()[0].iter().collect::<Vec<_>>(), [0, 1, 3]);
}

#[test]
fn slices_and_hidden_values_begin_at_zero() {
    let column = lists(&[Some(1), Some(2), None, Some(1)], ints(&[1, 2, 3, 4]));
    let sliced = of_column(column.slice(1, 3), ragged(&["x"], &[])).unwrap();
    assert_eq!(sliced, ragged_tensor(&[&[0, 2, 2, 3]], &[], &[2, 3, 4]));
    let column = hiding(&[1, 2, 1], &[true, false, true], ints(&[1, 98, 99, 4]));
    assert_eq!(
        of_column(column, ragged(&["x"], &[])).unwrap(),
        ragged_tensor(&[&[0, 1, 1, 2]], &[], &[1, 4])
    );
}

#[test]
fn row_lengths_may_lie_in_structs_and_be_of_any_integer_type() {
    let short: ArrayRef = Arc::new(Int32Array::from(vec![2, 0, 1]));
    let parent = structs(
        &[
            ("v", lists(&[Some(2), None, Some(1)], ints(&[1, 2, 3]))),
            ("n", lists(&[Some(2), None, Some(1)], short)),
        ],
        None,
    );
    let column = lists(&[Some(1), Some(2)], parent);
    let expected = ragged_tensor(&[&[0, 1, 3], &[0, 2, 2, 3], &[0, 2, 2, 3]], &[], &[1, 2, 3]);
    assert_eq!(of_column(column, ragged(&["x", "v"], &[lengths("n")])).unwrap(), expected);
}

#[test]
fn partitions_that_do_not_divide_are_refused() {
    let values = lists(&[Some(2), Some(3)], ints(&[1, 2, 3, 4, 5]));
    let with = |n: ArrayRef, partitions: &[RaggedPartition]| {
        let batch = batch(&[("x", values.clone()), ("n", n)]);
        tensor(&batch, ragged(&["x"], partitions)).unwrap_err()
    };
    let n = || lists(&[Some(1), Some(2)], ints(&[2, 1, 2]));
    let check = |n: ArrayRef, partitions: &[RaggedPartition], kind, text: &str| {
        let error = with(n, partitions);
        assert_eq!(
            (*error.detail::<Kind>().unwrap(), error.to_string()),
            (kind, format!("tensor \"t\", {text}"))
        );
    };
    let invalid = Kind::InvalidPartition;
    let text = "column \"x\", row 1: 3 values do not divide into items of shape [2]";
    check(n(), &[uniform(2)], invalid, text);
    let text = "column \"x\", row 0: 2 items do not divide into rows of 3";
    check(
        n(),
        &[uniform(3), uniform(1)],
        invalid,
        "column \"x\", row 0: 2 values do not divide into items of shape [3, 1]",
    );
    check(lists(&[Some(2), Some(3)], ints(&[1; 5])), &[uniform(3), lengths("n")], invalid, text);
    let text = "column \"n\", row 1: the row lengths add up to 2, there are 3 items to divide";
    check(lists(&[Some(1), Some(1)], ints(&[2, 2])), &[lengths("n")], invalid, text);
    let text = "column \"n\", row 1: a row length is -1";
    check(lists(&[Some(1), Some(2)], ints(&[2, -1, 4])), &[lengths("n")], invalid, text);
    let text =
        "column \"x\": a uniform row length of 0 leaves the number of rows open; it must be at least 1";
    check(n(), &[uniform(0)], Kind::InvalidRepresentation, text);
    let text = "column \"m\": there is no such column in the batch; it has \"x\", \"n\"";
    check(n(), &[lengths("m")], Kind::MissingColumn, text);
    let text = "column \"n\": row lengths must be a list of integers, these are 0 lists deep";
    check(ints(&[2, 3]), &[lengths("n")], Kind::TypeMismatch, text);
    let text = "column \"n\": row lengths must be integers, these are LargeBinary";
    check(lists(&[Some(1), Some(0)], strings(&["2"])), &[lengths("n")], Kind::TypeMismatch, text);
    let text = "column \"n\", row 0: an element is null; only a dense tensor with a default for shortfalls has a value \
                for it";
    check(lists(&[Some(1), Some(0)], optional(&[None])), &[lengths("n")], Kind::NullValue, text);
}

#[test]
fn a_ragged_tensor_needs_a_path_to_lists() {
    let flat = structs(&[("a", ints(&[1]))], None);
    let text =
        "tensor \"t\", column \"x.a\": a ragged tensor needs a list on the path, the values are bare Int64";
    assert_eq!(error(of_column(flat.clone(), ragged(&["x", "a"], &[]))), text);
    let text = "tensor \"t\", column \"x\": the path ends at a struct; go on to one of its fields, \"a\"";
    assert_eq!(error(of_column(flat.clone(), ragged(&["x"], &[]))), text);
    let text = "tensor \"t\", column \"x.b\": there is no field \"b\"; the struct has \"a\"";
    assert_eq!(error(of_column(flat.clone(), ragged(&["x", "b"], &[]))), text);
    let text = "tensor \"t\", column \"x.a.c\": there is no field \"c\" in Int64, which is not a struct";
    assert_eq!(error(of_column(flat.clone(), ragged(&["x", "a", "c"], &[]))), text);
    let text = "tensor \"t\", column \"t\": there is no such column in the batch; it has \"x\"";
    assert_eq!(error(of_column(flat, ragged(&[], &[]))), text);
}

#[test]
fn a_column_without_values_has_empty_rows() {
    let nulls: ArrayRef = Arc::new(NullArray::new(2));
    let typed = |partitions: &[RaggedPartition]| ragged(&["x"], partitions).dtype(Some(DType::Int64));
    assert_eq!(of_column(nulls.clone(), typed(&[])).unwrap(), ragged_tensor(&[&[0, 0, 0]], &[], &[]));
    assert_eq!(of_column(nulls, typed(&[uniform(2)])).unwrap(), ragged_tensor(&[&[0, 0, 0]], &[2], &[]));
}

fn structured(columns: &[&str]) -> Representation {
    let columns = columns.iter().map(|column| ColumnPath::from(*column)).collect();
    Representation::Structured(StructuredRepresentation::default().columns(columns))
}

#[test]
fn lists_of_structs_are_structured_tensors() {
    let inner = structs(&[("street", lists(&[Some(1), Some(0), Some(2)], ints(&[7, 8, 9])))], None);
    let people =
        structs(&[("age", ints(&[30, 40, 50])), ("home", lists(&[Some(2), None, Some(1)], inner))], None);
    let batch = batch(&[("user", lists(&[Some(1), Some(2)], people)), ("id", ints(&[1, 2]))]);
    let home = structured_tensor(
        3,
        &[&[0, 2, 2, 3]],
        &[("street", ragged_tensor(&[&[0, 1, 1, 3]], &[], &[7, 8, 9]))],
    );
    let user =
        structured_tensor(2, &[&[0, 1, 3]], &[("age", dense_tensor(&[3], &[30, 40, 50])), ("home", home)]);
    let expected = structured_tensor(2, &[], &[("user", user), ("id", dense_tensor(&[2], &[1, 2]))]);
    let adapter = adapter(&batch, structured(&["user", "id"])).unwrap();
    let text = "structured [?] {user: structured [?, ?] {age: dense int64 [?], home: structured [?, ?] {street: ragged \
                int64 [?, ?] (int64 splits)}}, id: dense int64 [?]}";
    assert_eq!(adapter.specs()[0].1.to_string(), text);
    assert_eq!(tensor(&batch, structured(&["user", "id"])).unwrap(), expected);
}

#[test]
fn errors_inside_of_structs_name_the_row_of_the_batch() {
    let people = structs(&[("age", optional(&[Some(1), Some(2), Some(3), None]))], None);
    let column = lists(&[Some(1), Some(0), Some(3)], people);
    let text = "tensor \"t\", column \"x.age\", row 2: an element is null; only a dense tensor with a default for \
                shortfalls has a value for it";
    assert_eq!(error(of_column(column, structured(&["x"]))), text);
    assert_eq!(
        error(of_column(ints(&[1]), structured(&[]))),
        "tensor \"t\": a structured tensor needs at least one column"
    );
    assert_eq!(
        error(of_column(ints(&[1]), structured(&["x", "x"]))),
        "tensor \"t\", column \"x\": the column is named twice"
    );
}

#[test]
fn structs_that_hide_values_and_slices_are_as_if_they_were_not_there() {
    let people =
        structs(&[("age", lists(&[Some(1); 4], ints(&[1, 2, 3, 4])))], Some(vec![true, false, true, true]));
    let column = hiding(&[2, 1, 1], &[true, false, true], people);
    let age = ragged_tensor(&[&[0, 1, 1, 2]], &[], &[1, 4]);
    let user = structured_tensor(3, &[&[0, 2, 2, 3]], &[("age", age)]);
    assert_eq!(
        of_column(column.clone(), structured(&["x"])).unwrap(),
        structured_tensor(3, &[], &[("x", user)])
    );
    let user = structured_tensor(2, &[&[0, 0, 1]], &[("age", ragged_tensor(&[&[0, 1]], &[], &[4]))]);
    assert_eq!(
        of_column(column.slice(1, 2), structured(&["x"])).unwrap(),
        structured_tensor(2, &[], &[("x", user)])
    );
}
