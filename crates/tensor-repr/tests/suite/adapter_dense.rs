//! Dense tensors: exact rows, rows filled from a default, nested and flat lists, bare columns.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, Int64Array, LargeBinaryArray, NullArray};
use arrow_buffer::NullBuffer;
use tensor_repr::{
    Adapter, DefaultValue, DenseRepresentation, DenseTensor, Fill, ScalarValue, Tensor, Values,
};
use tfxio_core::DType;

use crate::columns::*;

const ABSENT: Option<usize> = None;

#[test]
fn rows_of_exactly_the_shape_need_no_default() {
    let column = || lists(&[Some(4), Some(4)], ints(&[1, 2, 3, 4, 5, 6, 7, 8]));
    let expected = |shape: &[usize]| dense_tensor(shape, &[1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(of_column(column(), dense(&[Some(4)])).unwrap(), expected(&[2, 4]));
    assert_eq!(of_column(column(), dense(&[Some(2), Some(2)])).unwrap(), expected(&[2, 2, 2]));
    assert_eq!(of_column(column(), dense(&[None])).unwrap(), expected(&[2, 4]));
    assert_eq!(of_column(column(), dense(&[None, Some(2)])).unwrap(), expected(&[2, 2, 2]));
    let fixed = fixed(4, None, ints(&[1, 2, 3, 4, 5, 6, 7, 8]));
    assert_eq!(of_column(fixed, dense(&[Some(4)])).unwrap(), expected(&[2, 4]));
    let nested = lists(&[Some(2), Some(2)], small_lists(&[Some(2); 4], ints(&[1, 2, 3, 4, 5, 6, 7, 8])));
    assert_eq!(of_column(nested, dense(&[Some(2), None])).unwrap(), expected(&[2, 2, 2]));
}

#[test]
fn a_default_of_the_proto_fills_null_rows_alone() {
    let column = lists(&[Some(2), ABSENT, Some(2)], ints(&[1, 2, 3, 4]));
    let tensor = of_column(column.clone(), filled(&[Some(2)], -1));
    assert_eq!(tensor.unwrap(), dense_tensor(&[3, 2], &[1, 2, -1, -1, 3, 4]));
    let text = "tensor \"t\", column \"x\", row 1: the row has no value, and the representation no default";
    assert_eq!(error(of_column(column, dense(&[Some(2)]))), text);
    let short = lists(&[Some(2), Some(1)], ints(&[1, 2, 3]));
    let text = "tensor \"t\", column \"x\", row 1: 1 value, the shape of a row holds 2; the default fills absent rows \
                alone, one of a feature spec would fill the rest too";
    assert_eq!(error(of_column(short, filled(&[Some(2)], -1))), text);
}

#[test]
fn a_shortfall_is_filled_by_position() {
    let column = || lists(&[Some(1), ABSENT, Some(3), Some(0)], ints(&[3, 4, 5, 6]));
    let tensor = of_column(column(), padded_with(&[Some(3)], &[0, 1, 2]));
    assert_eq!(tensor.unwrap(), dense_tensor(&[4, 3], &[3, 1, 2, 0, 1, 2, 4, 5, 6, 0, 1, 2]));
    let tensor = of_column(column(), padded(&[Some(4)], 9));
    assert_eq!(tensor.unwrap(), dense_tensor(&[4, 4], &[3, 9, 9, 9, 9, 9, 9, 9, 4, 5, 6, 9, 9, 9, 9, 9]));
    let tensor = of_column(column(), padded_with(&[Some(2), Some(2)], &[0, 1, 2, 3]));
    assert_eq!(
        tensor.unwrap(),
        dense_tensor(&[4, 2, 2], &[3, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 3, 0, 1, 2, 3]),
        "a flat list fills a shape row by row"
    );
    let text = "tensor \"t\", column \"x\", row 2: 3 values, the shape of a row holds 2";
    assert_eq!(error(of_column(column(), padded(&[Some(2)], 9))), text);
}

#[test]
fn nested_lists_are_padded_in_each_dimension() {
    let nested = || {
        // [[1, 2], [3]], null, [], [null, [4, 5]]
        let inner = lists(&[Some(2), Some(1), None, Some(2)], ints(&[1, 2, 3, 4, 5]));
        lists(&[Some(2), ABSENT, Some(0), Some(2)], inner)
    };
    let expected = [1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 5];
    assert_eq!(of_column(nested(), padded(&[None, None], 0)).unwrap(), dense_tensor(&[4, 2, 2], &expected));
    assert_eq!(
        of_column(nested(), padded(&[Some(2), Some(2)], 0)).unwrap(),
        dense_tensor(&[4, 2, 2], &expected)
    );
    let tensor = of_column(nested(), padded_with(&[Some(2), Some(3)], &[10, 11, 12, 13, 14, 15]));
    let expected = [
        [1, 2, 12, 3, 14, 15], //
        [10, 11, 12, 13, 14, 15],
        [10, 11, 12, 13, 14, 15],
        [10, 11, 12, 4, 5, 15],
    ];
    assert_eq!(tensor.unwrap(), dense_tensor(&[4, 2, 3], expected.as_flattened()));
    let text =
        "tensor \"t\", column \"x\", row 0: a list of 2 items in dimension 1 of the row, whose size is 1";
    assert_eq!(error(of_column(nested(), padded(&[None, Some(1)], 0))), text);
    let text = "tensor \"t\", column \"x\", row 0: a list of 1 item in dimension 1 of the row, whose size is 2; the \
                default fills absent rows alone, one of a feature spec would fill the rest too";
    assert_eq!(error(of_column(nested(), filled(&[Some(2), Some(2)], 0))), text);
}

#[test]
fn an_unknown_size_is_the_longest_and_pads_the_rest() {
    let column = || lists(&[Some(1), ABSENT, Some(3)], ints(&[1, 2, 3, 4]));
    let tensor = of_column(column(), filled(&[None], 0));
    assert_eq!(tensor.unwrap(), dense_tensor(&[3, 3], &[1, 0, 0, 0, 0, 0, 2, 3, 4]));
    let text = "tensor \"t\", column \"x\", row 0: 1 value, the shape of a row holds 3; a default of \
                a feature spec would fill the rest";
    assert_eq!(error(of_column(column(), dense(&[None]))), text);
    let pairs = || lists(&[Some(2), Some(4), Some(0)], ints(&[1, 2, 3, 4, 5, 6]));
    let tensor = of_column(pairs(), padded(&[None, Some(2)], 0));
    assert_eq!(tensor.unwrap(), dense_tensor(&[3, 2, 2], &[1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 0, 0]));
    let text = "tensor \"t\", column \"x\", row 0: 1 value is no multiple of the 2 of each item";
    assert_eq!(error(of_column(column(), padded(&[None, Some(2)], 0))), text);
    let none = lists(&[Some(0), ABSENT], ints(&[]));
    assert_eq!(of_column(none, padded(&[None, Some(2)], 0)).unwrap(), dense_tensor(&[2, 0, 2], &[]));
}

#[test]
fn a_null_element_is_an_error_or_filled() {
    let column = || lists(&[Some(2), Some(2)], optional(&[Some(1), Some(2), Some(3), None]));
    let text =
        "tensor \"t\", column \"x\", row 1: element 1 is null; a default of a feature spec would fill it";
    assert_eq!(error(of_column(column(), dense(&[Some(2)]))), text);
    assert_eq!(error(of_column(column(), filled(&[Some(2)], 0))), text);
    let tensor = of_column(column(), padded_with(&[Some(2)], &[10, 11]));
    assert_eq!(tensor.unwrap(), dense_tensor(&[2, 2], &[1, 2, 3, 11]));
}

#[test]
fn a_bare_column_is_one_value_a_row() {
    assert_eq!(of_column(ints(&[1, 2]), dense(&[])).unwrap(), dense_tensor(&[2], &[1, 2]));
    assert_eq!(
        of_column(ints(&[1, 2]), dense(&[Some(1), Some(1)])).unwrap(),
        dense_tensor(&[2, 1, 1], &[1, 2])
    );
    let column = || optional(&[Some(1), None]);
    assert_eq!(of_column(column(), filled(&[], 7)).unwrap(), dense_tensor(&[2], &[1, 7]));
    let text = "tensor \"t\", column \"x\", row 1: the row has no value, and the representation no default";
    assert_eq!(error(of_column(column(), dense(&[]))), text);
    let inside = structs(&[("a", ints(&[1, 2, 3]))], Some(vec![true, false, true]));
    let column =
        |representation: DenseRepresentation| representation.column(tensor_repr::ColumnPath::new(["x", "a"]));
    assert_eq!(of_column(inside.clone(), column(filled(&[], 7))).unwrap(), dense_tensor(&[3], &[1, 7, 3]));
    let text = "tensor \"t\", column \"x.a\", row 1: the row has no value, and the representation no default";
    assert_eq!(error(of_column(inside, column(dense(&[])))), text);
}

#[test]
fn nulls_among_many_bare_values_are_filled_whatever_they_hide() {
    // More than a word of nulls, from a place within one.
    let valid = (0..150).map(|row| row % 3 != 1 && row < 140).collect::<Vec<_>>();
    let nulls = Some(NullBuffer::from(valid.clone()));
    let numbers: ArrayRef = Arc::new(Int64Array::new((0..150).collect(), nulls.clone()));
    let texts = (0..150).map(|row| row.to_string()).collect::<Vec<_>>();
    let hiding = LargeBinaryArray::from_iter_values(&texts);
    let hiding: ArrayRef =
        Arc::new(LargeBinaryArray::new(hiding.offsets().clone(), hiding.values().clone(), nulls));
    let plain: ArrayRef = Arc::new(LargeBinaryArray::from_iter(
        texts.iter().zip(&valid).map(|(text, valid)| valid.then_some(text)),
    ));
    for (from, rows) in [(0, 150), (5, 100), (64, 64), (63, 3), (141, 9), (7, 0)] {
        let expected =
            (from..from + rows).map(|row| if valid[row] { row as i64 } else { -1 }).collect::<Vec<_>>();
        let tensor = of_column(numbers.slice(from, rows), filled(&[], -1)).unwrap();
        assert_eq!(tensor, dense_tensor(&[rows], &expected), "{from}, {rows}");
        for (column, default) in [(&hiding, ""), (&hiding, "none"), (&plain, ""), (&plain, "none")] {
            let expected = (from..from + rows).map(|row| if valid[row] { &*texts[row] } else { default });
            let default = Some(DefaultValue::Scalar(ScalarValue::Bytes(default.into())));
            let representation = dense(&[]).default_value(default);
            let tensor = of_column(column.slice(from, rows), representation).unwrap();
            assert_eq!(tensor, string_tensor(&[rows], &expected.collect::<Vec<_>>()), "{from}, {rows}");
        }
    }
}

#[test]
fn one_element_of_any_depth_is_a_scalar_when_shortfalls_are_filled() {
    // [[5]], [[], [6]], null
    let inner = lists(&[Some(1), Some(0), Some(1)], ints(&[5, 6]));
    let column = || lists(&[Some(1), Some(2), ABSENT], inner.clone());
    assert_eq!(of_column(column(), padded(&[], 0)).unwrap(), dense_tensor(&[3], &[5, 6, 0]));
    let text = "tensor \"t\", column \"x\": the column has 2 levels of lists, the shape [] has 0 dimensions; they must be \
                equal, or the column have one level, or the first size be unknown";
    assert_eq!(error(of_column(column(), filled(&[], 0))), text);
    let two = lists(&[Some(1)], lists(&[Some(2)], ints(&[1, 2])));
    let text = "tensor \"t\", column \"x\", row 0: 2 values, the shape of a row holds 1";
    assert_eq!(error(of_column(two, padded(&[], 0))), text);
}

#[test]
fn strings_are_filled_too() {
    let with = |default: &str, fill| {
        dense(&[Some(2)])
            .default_value(Some(DefaultValue::Scalar(ScalarValue::Bytes(default.into()))))
            .fill(fill)
    };
    let column = || lists(&[Some(2), ABSENT, Some(2)], strings(&["a", "bc", "", "def"]));
    let tensor = of_column(column(), with("zz", Fill::AbsentRows)).unwrap();
    assert_eq!(tensor, string_tensor(&[3, 2], &["a", "bc", "zz", "zz", "", "def"]));
    let tensor = of_column(column(), with("", Fill::AbsentRows)).unwrap();
    assert_eq!(tensor, string_tensor(&[3, 2], &["a", "bc", "", "", "", "def"]));
    let column = || lists(&[Some(1), ABSENT, Some(1)], strings(&["a", "def"]));
    let tensor = of_column(column(), with("zz", Fill::Shortfall)).unwrap();
    assert_eq!(tensor, string_tensor(&[3, 2], &["a", "zz", "zz", "zz", "def", "zz"]));
}

#[test]
fn hidden_values_are_not_there() {
    let column = || hiding(&[1, 2, 1], &[true, false, true], ints(&[1, 98, 99, 2]));
    assert_eq!(of_column(column(), filled(&[], 0)).unwrap(), dense_tensor(&[3], &[1, 0, 2]));
    assert_eq!(of_column(column(), padded(&[None], 0)).unwrap(), dense_tensor(&[3, 1], &[1, 0, 2]));
    let column = hiding(&[1, 2, 1], &[true, false, true], strings(&["a", "x", "y", "b"]));
    let empty = dense(&[]).default_value(Some(DefaultValue::Scalar(ScalarValue::Bytes(vec![]))));
    assert_eq!(of_column(column, empty).unwrap(), string_tensor(&[3], &["a", "", "b"]));
    let fixed = fixed(2, Some(vec![true, false]), ints(&[1, 2, 98, 99]));
    assert_eq!(of_column(fixed, filled(&[Some(2)], 0)).unwrap(), dense_tensor(&[2, 2], &[1, 2, 0, 0]));
}

#[test]
fn bools_and_floats_have_defaults_of_their_own() {
    let bools: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]));
    let with = |scalar| dense(&[]).default_value(Some(DefaultValue::Scalar(scalar)));
    let tensor = of_column(bools, with(ScalarValue::Bool(true))).unwrap();
    let expected = DenseTensor::try_new(vec![3], Values::from_bools([true, true, false])).unwrap();
    assert_eq!(tensor, Tensor::Dense(expected));
    let floats: ArrayRef = Arc::new(Float32Array::from(vec![Some(0.5), None]));
    let expected = |value: f32| {
        Tensor::Dense(DenseTensor::try_new(vec![2], Values::from_vec(vec![0.5, value])).unwrap())
    };
    assert_eq!(of_column(floats.clone(), with(ScalarValue::Float(0.1))).unwrap(), expected(0.1));
    assert_eq!(of_column(floats, with(ScalarValue::Int(-2))).unwrap(), expected(-2.0));
}

#[test]
fn a_default_must_fit() {
    let with = |column: ArrayRef, scalar| {
        let default = Some(DefaultValue::Scalar(scalar));
        error(of_column(column, dense(&[]).default_value(default)))
    };
    let text = |value: &str, dtype: &str| {
        format!("tensor \"t\", column \"x\": the default {value} is not of dtype {dtype}")
    };
    let bytes: ArrayRef = Arc::new(arrow_array::UInt8Array::from(vec![1]));
    assert_eq!(with(bytes.clone(), ScalarValue::Int(256)), text("256", "uint8"));
    assert_eq!(with(bytes, ScalarValue::Int(-1)), text("-1", "uint8"));
    assert_eq!(with(ints(&[1]), ScalarValue::UInt(u64::MAX)), text("18446744073709551615", "int64"));
    assert_eq!(with(ints(&[1]), ScalarValue::Float(1.0)), text("1.0", "int64"));
    assert_eq!(with(strings(&["a"]), ScalarValue::Int(1)), text("1", "string"));
    assert_eq!(with(ints(&[1]), ScalarValue::Bytes(b"a\n".to_vec())), text("\"a\\n\"", "int64"));
    let floats: ArrayRef = Arc::new(Float32Array::from(vec![0.5]));
    assert_eq!(with(floats, ScalarValue::Int((1 << 60) + 1)), text("1152921504606846977", "float32"));
    let text =
        "tensor \"t\", column \"x\": the default has 2 values, the shape [3] needs one for each of its cells";
    assert_eq!(error(of_column(lists(&[Some(3)], ints(&[1, 2, 3])), padded_with(&[Some(3)], &[1, 2]))), text);
    let text =
        "tensor \"t\", column \"x\": the default has 2 values, the shape [?] needs one for each of its cells";
    assert_eq!(error(of_column(lists(&[Some(3)], ints(&[1, 2, 3])), padded_with(&[None], &[1, 2]))), text);
}

#[test]
fn a_column_without_values_takes_its_dtype_from_the_representation() {
    let nulls = || -> ArrayRef { Arc::new(NullArray::new(2)) };
    assert_eq!(of_column(nulls(), filled(&[Some(2)], 5)).unwrap(), dense_tensor(&[2, 2], &[5, 5, 5, 5]));
    assert_eq!(of_column(nulls(), padded(&[None, None], 5)).map_err(|e| e.to_string()).unwrap_err(), {
        "tensor \"t\", column \"x\": of the shape [?, ?] only the first size may be unknown, the column has no lists \
         inside of lists"
    });
    let string = dense(&[]).default_value(Some(DefaultValue::from("a")));
    assert_eq!(of_column(nulls(), string).unwrap(), string_tensor(&[2], &["a", "a"]));
    let typed = dense(&[]).dtype(Some(DType::Int64));
    let text = "tensor \"t\", column \"x\", row 0: the row has no value, and the representation no default";
    assert_eq!(error(of_column(nulls(), typed)), text);
    let text = "tensor \"t\", column \"x\": the column is of the type Null, which has no dtype; say the dtype in the \
                representation";
    assert_eq!(error(of_column(nulls(), dense(&[]))), text);
}

#[test]
fn batches_without_rows_and_rows_without_cells_have_tensors() {
    assert_eq!(of_column(lists(&[], ints(&[])), dense(&[Some(3)])).unwrap(), dense_tensor(&[0, 3], &[]));
    assert_eq!(of_column(lists(&[], ints(&[])), dense(&[None])).unwrap(), dense_tensor(&[0, 0], &[]));
    assert_eq!(
        of_column(lists(&[Some(0), Some(0)], ints(&[])), dense(&[Some(0)])).unwrap(),
        dense_tensor(&[2, 0], &[])
    );
    let text = "tensor \"t\", column \"x\", row 1: 1 value, the shape of a row holds 0";
    assert_eq!(error(of_column(lists(&[Some(0), Some(1)], ints(&[1])), dense(&[Some(0)]))), text);
    assert_eq!(of_column(fixed(0, None, ints(&[])), dense(&[Some(0)])).unwrap(), dense_tensor(&[0, 0], &[]));
}

#[test]
fn lists_of_a_fixed_length_that_no_row_can_have_are_refused_at_once() {
    let build = |column: ArrayRef, representation: DenseRepresentation| {
        let builder = Adapter::builder(batch(&[("x", column)]).schema(), [("t", representation.into())]);
        builder.build().map(|_| ()).map_err(|error| error.to_string())
    };
    let four = || fixed(4, None, ints(&[1, 2, 3, 4]));
    let says = |size: usize, shape: &str| {
        Err(format!(
            "tensor \"t\", column \"x\": each list of the column has 4 items, the shape {shape} holds {size}"
        ))
    };
    assert_eq!(build(four(), dense(&[Some(5)])), says(5, "[5]"));
    assert_eq!(build(four(), dense(&[Some(3)])), says(3, "[3]"));
    assert_eq!(build(four(), dense(&[])), says(1, "[]"));
    assert_eq!(build(four(), dense(&[Some(2), Some(3)])), says(6, "[2, 3]"));
    // Present rows have four in any case.
    assert_eq!(build(four(), filled(&[Some(5)], -1)), says(5, "[5]"));
    // A default that pads fills the rest, and an open size takes any.
    assert_eq!(build(four(), filled(&[Some(5)], -1).fill(Fill::Shortfall)), Ok(()));
    assert_eq!(build(four(), dense(&[None, Some(2)])), Ok(()));
    assert_eq!(build(four(), dense(&[Some(2), Some(2)])), Ok(()));
}
