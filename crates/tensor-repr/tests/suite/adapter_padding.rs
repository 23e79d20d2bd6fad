//! Dense tensors whose short rows are padded without a default for missing values.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, LargeBinaryArray, NullArray};
use tensor_repr::{
    DenseRepresentation, DenseTensor, Error, FeatureSpec, FixedLenSequence, ScalarValue, Tensor, Values,
};
use tfxio_core::DType;

use crate::columns::*;

const NONE: Option<usize> = None;
const INT64: DType = DType::Int64;

/// Returns a dense tensor whose short rows an integer pads.
fn padding(shape: &[Option<usize>], padding: i64) -> DenseRepresentation {
    dense(shape).padding(Some(ScalarValue::Int(padding)))
}

/// Returns the tensor of a `FixedLenSequence` of that column.
fn sequence(
    column: &ArrayRef,
    shape: &[usize],
    dtype: DType,
    default: Option<ScalarValue>,
) -> Result<Tensor, Error> {
    let spec = FixedLenSequence::new(shape.to_vec(), dtype).default(default);
    of_column(column.clone(), FeatureSpec::FixedLenSequence(spec).representation("x").unwrap())
}

/// Checks that without a default the element of that row is an error.
#[track_caller]
fn null_element(column: &ArrayRef, shape: &[usize], dtype: DType, row: usize, element: usize) {
    let text =
        format!("tensor \"t\", column \"x\", row {row}: element {element} is null; a default would fill it");
    assert_eq!(error(sequence(column, shape, dtype, None)), text);
}

fn tensor_of(shape: &[usize], values: Values) -> Tensor {
    Tensor::Dense(DenseTensor::try_new(shape.to_vec(), values).unwrap())
}

#[test]
fn short_and_absent_rows_are_padded() {
    let column = lists(&[Some(1), NONE, Some(3), Some(0)], ints(&[1, 2, 3, 4]));
    let expected = |pad: i64| dense_tensor(&[4, 3], &[1, pad, pad, pad, pad, pad, 2, 3, 4, pad, pad, pad]);
    assert_eq!(sequence(&column, &[], INT64, None).unwrap(), expected(0));
    assert_eq!(sequence(&column, &[], INT64, Some(ScalarValue::Int(-1))).unwrap(), expected(-1));
    assert_eq!(of_column(column.clone(), padding(&[None], 7)).unwrap(), expected(7));
    // Up to a size that is known too.
    let tensor = of_column(column.clone(), padding(&[Some(4)], 7)).unwrap();
    assert_eq!(tensor, dense_tensor(&[4, 4], &[1, 7, 7, 7, 7, 7, 7, 7, 2, 3, 4, 7, 7, 7, 7, 7]));
    let text = "tensor \"t\", column \"x\", row 2: 3 values, the shape of a row holds 2";
    assert_eq!(error(of_column(column, padding(&[Some(2)], 7))), text);
    assert_eq!(of_column(optional(&[Some(1), None]), padding(&[], 7)).unwrap(), dense_tensor(&[2], &[1, 7]));
}

#[test]
fn a_null_element_of_a_flat_list_needs_a_default() {
    let column = lists(&[Some(1), Some(3), NONE], optional(&[Some(1), Some(2), None, Some(4)]));
    null_element(&column, &[], INT64, 1, 1);
    let expected = [1, 9, 9, 2, 9, 4, 9, 9, 9];
    assert_eq!(
        sequence(&column, &[], INT64, Some(ScalarValue::Int(9))).unwrap(),
        dense_tensor(&[3, 3], &expected)
    );
    // The elements of a flat list are those of the items of a shape.
    let column = lists(&[Some(2), Some(4)], optional(&[Some(1), Some(2), Some(3), Some(4), Some(5), None]));
    null_element(&column, &[2], INT64, 1, 3);
    let expected = [1, 2, 9, 9, 3, 4, 5, 9];
    assert_eq!(
        sequence(&column, &[2], INT64, Some(ScalarValue::Int(9))).unwrap(),
        dense_tensor(&[2, 2, 2], &expected)
    );
}

#[test]
fn a_null_element_of_nested_lists_needs_a_default() {
    // [[1], null], [[2, null]], null
    let inner = lists(&[Some(1), NONE, Some(2)], optional(&[Some(1), Some(2), None]));
    let column = lists(&[Some(2), Some(1), NONE], inner);
    null_element(&column, &[2], INT64, 1, 1);
    let expected = [[1, 9, 9, 9], [2, 9, 9, 9], [9; 4]];
    let tensor = sequence(&column, &[2], INT64, Some(ScalarValue::Int(9))).unwrap();
    assert_eq!(tensor, dense_tensor(&[3, 2, 2], expected.as_flattened()));
    // A list that is null has no elements, so that only the row before is wrong.
    let before = column.slice(0, 1);
    assert_eq!(sequence(&before, &[2], INT64, None).unwrap(), dense_tensor(&[1, 2, 2], &[1, 0, 0, 0]));
    // The outermost list is the sequence.
    let fields = [arrow_schema::Field::new("x", column.data_type().clone(), true)];
    let bound = |default| {
        let spec = FixedLenSequence::new(vec![3, 2], INT64).default(default);
        let representation = FeatureSpec::FixedLenSequence(spec).representation_of("x", &[&fields[0]]);
        representation.and_then(|representation| of_column(column.clone(), representation))
    };
    let text = "tensor \"t\", column \"x\", row 1: element 1 is null; a default would fill it";
    assert_eq!(error(bound(None)), text);
    let expected = [[1, 9, 9, 9, 9, 9], [2, 9, 9, 9, 9, 9], [9; 6]];
    assert_eq!(
        bound(Some(ScalarValue::Int(9))).unwrap(),
        dense_tensor(&[3, 3, 2], expected.as_flattened()),
        "the same with a default"
    );
}

#[test]
fn values_of_every_kind_are_padded_and_none_is_made_up() {
    let lengths = [Some(1), Some(2)];
    let texts: ArrayRef =
        lists(&lengths, Arc::new(LargeBinaryArray::from(vec![Some(b"a" as &[u8]), Some(b"bc"), None])));
    null_element(&texts, &[], DType::String, 1, 1);
    let default = Some(ScalarValue::Bytes(b"-".to_vec()));
    let expected = string_tensor(&[2, 2], &["a", "-", "bc", "-"]);
    assert_eq!(sequence(&texts, &[], DType::String, default).unwrap(), expected);

    let bools = lists(&lengths, Arc::new(BooleanArray::from(vec![Some(true), None, Some(true)])));
    null_element(&bools, &[], DType::Bool, 1, 0);
    let expected = tensor_of(&[2, 2], Values::from_bools([true, false, false, true]));
    assert_eq!(sequence(&bools, &[], DType::Bool, Some(ScalarValue::Bool(false))).unwrap(), expected);

    let floats = lists(&lengths, Arc::new(Float64Array::from(vec![None, Some(1.5), Some(2.5)])));
    null_element(&floats, &[], DType::Float64, 0, 0);
    let expected = tensor_of(&[2, 2], Values::from_vec(vec![0.5, 0.5, 1.5, 2.5]));
    assert_eq!(sequence(&floats, &[], DType::Float64, Some(ScalarValue::Float(0.5))).unwrap(), expected);

    // Without nulls each is padded with what is zero in its dtype.
    let column = |values: ArrayRef| lists(&lengths, values);
    let texts = column(strings(&["a", "b", "c"]));
    assert_eq!(
        sequence(&texts, &[], DType::String, None).unwrap(),
        string_tensor(&[2, 2], &["a", "", "b", "c"])
    );
    let bools = column(Arc::new(BooleanArray::from(vec![true; 3])));
    let expected = tensor_of(&[2, 2], Values::from_bools([true, false, true, true]));
    assert_eq!(sequence(&bools, &[], DType::Bool, None).unwrap(), expected);
    let floats = column(Arc::new(Float64Array::from(vec![1.5, 2.5, 3.5])));
    let expected = tensor_of(&[2, 2], Values::from_vec(vec![1.5, 0.0, 2.5, 3.5]));
    assert_eq!(sequence(&floats, &[], DType::Float64, None).unwrap(), expected);
}

#[test]
fn of_a_slice_only_its_own_elements_count() {
    let column = lists(
        &[Some(2), Some(1), NONE, Some(2), Some(1)],
        optional(&[Some(1), None, Some(3), Some(4), Some(5), None]),
    );
    null_element(&column, &[], INT64, 0, 1);
    null_element(&column.slice(3, 2), &[], INT64, 1, 0);
    let tensor = sequence(&column.slice(1, 3), &[], INT64, None).unwrap();
    assert_eq!(tensor, dense_tensor(&[3, 2], &[3, 0, 0, 0, 4, 5]));
    // A list that is null hides its elements, null ones too.
    let column = hiding(&[2, 1], &[false, true], optional(&[None, Some(1), Some(2)]));
    assert_eq!(sequence(&column, &[], INT64, None).unwrap(), dense_tensor(&[2, 1], &[0, 2]));
}

#[test]
fn a_row_of_nulls_is_not_an_absent_row() {
    let nulls = lists(&[Some(2), NONE], optional(&[None, None]));
    null_element(&nulls, &[], INT64, 0, 0);
    let tensor = sequence(&nulls, &[], INT64, Some(ScalarValue::Int(9))).unwrap();
    assert_eq!(tensor, dense_tensor(&[2, 2], &[9, 9, 9, 9]));
    let absent = lists(&[NONE, NONE], ints(&[]));
    assert_eq!(sequence(&absent, &[], INT64, None).unwrap(), dense_tensor(&[2, 0], &[]));
    // A column of the type Null is one of absent rows, a list of such values one of null elements.
    let column: ArrayRef = Arc::new(NullArray::new(2));
    assert_eq!(of_column(column, padding(&[Some(1)], 7)).unwrap(), dense_tensor(&[2, 1], &[7, 7]));
    let column = lists(&[Some(0), Some(1)], Arc::new(NullArray::new(1)));
    null_element(&column, &[], INT64, 1, 0);
}

#[test]
fn nothing_is_padded_where_nothing_may_be_missing() {
    let spec = FixedLenSequence::new(vec![], INT64).allow_missing(false).default(Some(ScalarValue::Int(9)));
    let representation = FeatureSpec::FixedLenSequence(spec).representation("x").unwrap();
    let of = |column: ArrayRef| of_column(column, representation.clone());
    assert_eq!(of(lists(&[Some(1); 2], ints(&[1, 2]))).unwrap(), dense_tensor(&[2, 1], &[1, 2]));
    let text = "tensor \"t\", column \"x\", row 1: the row has no value, and the representation no default";
    assert_eq!(error(of(lists(&[Some(1), NONE], ints(&[1])))), text);
    let text = "tensor \"t\", column \"x\", row 1: element 0 is null; a default would fill it";
    assert_eq!(error(of(lists(&[Some(1); 2], optional(&[Some(1), None])))), text);
    let two = FixedLenSequence::new(vec![2], INT64).allow_missing(false).default(Some(ScalarValue::Int(9)));
    let two = FeatureSpec::FixedLenSequence(two).representation("x").unwrap();
    let short = lists(&[Some(1)], lists(&[Some(1)], ints(&[1])));
    let text = "tensor \"t\", column \"x\", row 0: a list of 1 item in dimension 1 of the row, whose size is 2; \
                a default would fill the rest, unless \"allow_missing\" is false, which ignores it";
    assert_eq!(error(of_column(short, two)), text);
}

#[test]
fn padding_stands_alone_and_must_fit() {
    let column = || lists(&[Some(1)], ints(&[1]));
    let text = "tensor \"t\", column \"x\": there is a default and a padding; a default with `Fill::Shortfall` pads too, \
                and a padding leaves null elements an error: give one of them";
    let both = filled(&[None], 0).padding(Some(ScalarValue::Int(1)));
    assert_eq!(error(of_column(column(), both)), text);
    let text = "tensor \"t\", column \"x\": the padding \"a\" is not of dtype int64";
    let misfit = dense(&[None]).padding(Some(ScalarValue::Bytes(b"a".to_vec())));
    assert_eq!(error(of_column(column(), misfit)), text);
}
