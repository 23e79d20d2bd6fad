//! Dense tensors of sequences: lists of steps, each of which has the values of one element; and the lengths of rows.

use arrow_array::{ArrayRef, NullArray};
use tensor_repr::{
    Error, FeatureSpec, FixedLenSequence, Kind, LengthsRepresentation, Representation, ScalarValue, Tensor,
};
use tfxio_core::DType;

use crate::columns::*;

const NONE: Option<usize> = None;

/// Returns the tensor of a `FixedLenSequence` of a column of integers.
fn sequence(column: &ArrayRef, shape: &[usize], default: Option<i64>) -> Result<Tensor, Error> {
    let default = default.map(ScalarValue::Int);
    let spec = FixedLenSequence::new(shape.to_vec(), DType::Int64).default(default);
    of_column(column.clone(), FeatureSpec::FixedLenSequence(spec).representation("x").unwrap())
}

/// Rows of steps: the number of steps of each row, and the number of values of each step.
fn steps(rows: &[Option<usize>], steps: &[Option<usize>], values: &[i64]) -> ArrayRef {
    lists(rows, lists(steps, ints(values)))
}

#[test]
fn one_value_a_step_is_a_row_of_values() {
    // [[1], [2]], [[3]], null, [], as `tf.io.parse_sequence_example` reads them with `FixedLenSequenceFeature([])`.
    let column = steps(&[Some(2), Some(1), NONE, Some(0)], &[Some(1); 3], &[1, 2, 3]);
    assert_eq!(sequence(&column, &[], None).unwrap(), dense_tensor(&[4, 2], &[1, 2, 3, 0, 0, 0, 0, 0]));
    assert_eq!(sequence(&column, &[], Some(9)).unwrap(), dense_tensor(&[4, 2], &[1, 2, 3, 9, 9, 9, 9, 9]));
    // Rows that are equally long share the values.
    let even = steps(&[Some(2); 2], &[Some(1); 4], &[1, 2, 3, 4]);
    assert_eq!(sequence(&even, &[], None).unwrap(), dense_tensor(&[2, 2], &[1, 2, 3, 4]));
    assert_eq!(of_column(even, dense(&[None])).unwrap(), dense_tensor(&[2, 2], &[1, 2, 3, 4]));
    // No steps at all.
    let none = steps(&[Some(0), NONE], &[], &[]);
    assert_eq!(sequence(&none, &[], None).unwrap(), dense_tensor(&[2, 0], &[]));
    assert_eq!(sequence(&column.slice(0, 0), &[], None).unwrap(), dense_tensor(&[0, 0], &[]));
    assert_eq!(sequence(&column.slice(1, 2), &[], None).unwrap(), dense_tensor(&[2, 1], &[3, 0]));
}

#[test]
fn a_step_of_several_values_is_in_row_major_order() {
    let values = (1..=18).collect::<Vec<_>>();
    let column = steps(&[Some(1), Some(2)], &[Some(6); 3], &values);
    let expected = (1..=6).chain([0; 6]).chain(7..=18).collect::<Vec<_>>();
    assert_eq!(sequence(&column, &[2, 3], None).unwrap(), dense_tensor(&[2, 2, 2, 3], &expected));
    assert_eq!(sequence(&column, &[1, 2, 3], None).unwrap(), dense_tensor(&[2, 2, 1, 2, 3], &expected));
    // As with as many levels of lists as sizes.
    assert_eq!(sequence(&column, &[6], None).unwrap(), dense_tensor(&[2, 2, 6], &expected));
    let row = column.slice(1, 1);
    assert_eq!(sequence(&row, &[2, 3], None).unwrap(), dense_tensor(&[1, 2, 2, 3], &values[6..]));
    // Deeper lists: the outer ones are dimensions.
    let deeper = lists(&[Some(1), Some(2)], lists(&[Some(1); 3], lists(&[Some(6); 3], ints(&values))));
    let shape = [None, Some(1), Some(2), Some(3)];
    assert_eq!(of_column(deeper, padded(&shape, 0)).unwrap(), dense_tensor(&[2, 2, 1, 2, 3], &expected));
}

#[test]
fn a_step_has_exactly_the_values_of_its_shape() {
    let wrong = |step: Option<usize>, shape: &[usize], says: &str| {
        let count = step.unwrap_or(0);
        let values = (0..2 + count as i64).collect::<Vec<_>>();
        let column = steps(&[Some(1), Some(2)], &[Some(1), Some(1), step], &values);
        let text = format!("tensor \"t\", column \"x\", row 1: item 1 of the list has {says}");
        let error = sequence(&column, shape, None).unwrap_err();
        assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string()), (Kind::ShapeMismatch, text));
    };
    let hint = "the shape of an item holds 1; a default would fill the rest";
    wrong(Some(0), &[], &format!("0 values, {hint}"));
    wrong(NONE, &[], &format!("0 values, {hint}"));
    wrong(Some(2), &[], "2 values, the shape of an item holds 1");
    wrong(Some(3), &[1, 1], "3 values, the shape of an item holds 1");
    // A default stands for values that are missing, within a step too.
    let column = steps(&[Some(3), Some(1)], &[Some(1), Some(0), NONE, Some(1)], &[1, 2]);
    assert_eq!(sequence(&column, &[], Some(9)).unwrap(), dense_tensor(&[2, 3], &[1, 9, 9, 2, 9, 9]));
    let column = steps(&[Some(2)], &[Some(3), Some(4)], &[1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(
        sequence(&column, &[2, 2], Some(9)).unwrap(),
        dense_tensor(&[1, 2, 2, 2], &[1, 2, 3, 9, 4, 5, 6, 7])
    );
    let text = "tensor \"t\", column \"x\", row 0: item 0 of the list has 3 values, the shape of an item holds 4; a \
                default would fill the rest";
    assert_eq!(error(sequence(&column, &[2, 2], None)), text);
    // A null element is as it is elsewhere.
    let column = lists(&[Some(2)], lists(&[Some(1); 2], optional(&[Some(1), None])));
    assert_eq!(sequence(&column, &[], Some(9)).unwrap(), dense_tensor(&[1, 2], &[1, 9]));
    let text = "tensor \"t\", column \"x\", row 0: element 0 is null; a default would fill it";
    assert_eq!(error(sequence(&column, &[], None)), text);
}

#[test]
fn nothing_is_padded_where_nothing_may_be_missing() {
    let spec = FixedLenSequence::new(vec![], DType::Int64).allow_missing(false);
    let representation = FeatureSpec::FixedLenSequence(spec).representation("x").unwrap();
    let even = steps(&[Some(2); 2], &[Some(1); 4], &[1, 2, 3, 4]);
    let tensor = of_column(even, representation.clone()).unwrap();
    assert_eq!(tensor, dense_tensor(&[2, 2], &[1, 2, 3, 4]));
    let odd = steps(&[Some(2), Some(1)], &[Some(1); 3], &[1, 2, 3]);
    let text = "tensor \"t\", column \"x\", row 1: a list of 1 item in dimension 0 of the row, whose size is 2; a \
                default would fill the rest, unless \"allow_missing\" is false, which ignores it";
    assert_eq!(error(of_column(odd, representation)), text);
}

/// Returns the lengths of the rows of a column.
fn lengths(column: ArrayRef) -> Result<Tensor, Error> {
    of_column(column, LengthsRepresentation::default().column("x").dtype(None))
}

#[test]
fn the_lengths_of_rows() {
    let column = steps(&[Some(2), Some(1), NONE, Some(0)], &[Some(1), Some(0), Some(3)], &[1, 2, 3, 4]);
    assert_eq!(lengths(column.clone()).unwrap(), dense_tensor(&[4], &[2, 1, 0, 0]));
    assert_eq!(lengths(column.slice(1, 2)).unwrap(), dense_tensor(&[2], &[1, 0]));
    assert_eq!(lengths(column.slice(0, 0)).unwrap(), dense_tensor(&[0], &[]));
    let texts = small_lists(&[Some(1), Some(3)], strings(&["a", "b", "c", "d"]));
    assert_eq!(lengths(texts).unwrap(), dense_tensor(&[2], &[1, 3]));
    assert_eq!(
        lengths(fixed(2, Some(vec![true, false]), ints(&[1, 2, 3, 4]))).unwrap(),
        dense_tensor(&[2], &[2, 0])
    );
    let hidden = hiding(&[2, 1], &[false, true], ints(&[1, 2, 3]));
    assert_eq!(lengths(hidden).unwrap(), dense_tensor(&[2], &[0, 1]));
    // A column without values may be of lists of any depth.
    let nulls: ArrayRef = std::sync::Arc::new(NullArray::new(2));
    assert_eq!(lengths(nulls.clone()).unwrap(), dense_tensor(&[2], &[0, 0]));
    assert_eq!(lengths(lists(&[Some(2)], nulls)).unwrap(), dense_tensor(&[1], &[2]));
    // Of a feature in a struct, null ones included.
    let inner = lists(&[Some(2), Some(1)], ints(&[1, 2, 3]));
    let batch = batch(&[("s", structs(&[("x", inner)], Some(vec![true, false])))]);
    let of = |path: [&str; 2]| {
        LengthsRepresentation::default().column(tensor_repr::ColumnPath::new(path)).dtype(None)
    };
    assert_eq!(tensor(&batch, of(["s", "x"])).unwrap(), dense_tensor(&[2], &[2, 0]));

    let text = "tensor \"t\", column \"x\": the column has single values, of which there are no lengths; name a column \
                of lists";
    assert_eq!(error(lengths(ints(&[1]))), text);
    let wrong = LengthsRepresentation::default().column("x").dtype(Some(DType::String));
    let text = "tensor \"t\", column \"x\": the values are int64 (Int64), the representation says string";
    assert_eq!(error(of_column(column, wrong)), text);
}

#[test]
fn lengths_in_their_other_forms() {
    let json = r#"{"kind":"lengths","column":["s","x"],"dtype":"int64"}"#;
    let representation = Representation::from_json(json).unwrap();
    assert_eq!(representation.to_json(), json);
    assert_eq!(representation.dtype(), Some(DType::Int64));
    let json = r#"{"kind":"Lengths","key":["s","x"],"dtype":"int64"}"#;
    let spec = FeatureSpec::from_json(json).unwrap();
    assert_eq!(spec.to_json(), json);
    assert_eq!(spec.representation("t").unwrap(), representation);
    assert_eq!(spec.keys("t").keys, ["s.x"]);
    assert_eq!(representation.to_proto().unwrap_err().detail(), Some(&Kind::NotExpressible));
}
