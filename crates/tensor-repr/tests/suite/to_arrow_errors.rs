//! Specs, options and tensors that do not become a batch, and what is said of them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use half::bf16;
use tensor_repr::{
    DenseTensor, Error, Kind, RowSplitsDType, SparseTensor, Tensor, TensorSpec, TensorsToArrow, Values,
};
use tfxio_core::DType;

fn dense(shape: &[usize], values: Values) -> Tensor {
    Tensor::Dense(DenseTensor::try_new(shape.to_vec(), values).unwrap())
}

fn sparse(indices: &[i64], values: Values, shape: &[usize]) -> Tensor {
    Tensor::Sparse(SparseTensor::try_new(indices.to_vec().into(), values, shape.to_vec()).unwrap())
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>, kind: Kind, text: &str) {
    let error = result.unwrap_err();
    assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string().as_str()), (kind, text));
}

#[test]
fn specs_without_columns_are_refused() {
    use Kind::{InvalidArgument, UnknownTensor, Unsupported};
    let of = |spec: TensorSpec| TensorsToArrow::builder([("x", spec)]).build();
    let halves = dense(&[1], Values::from_vec(vec![bf16::from_f32(1.0)]));
    let text = "tensor \"x\": Arrow has no bfloat16; cast the tensor to float32";
    refused(of(halves.spec()), Unsupported, text);
    let text = "tensor \"x\": a dense tensor without dimensions has no batch dimension";
    refused(of(TensorSpec::Dense { dtype: DType::Int64, shape: vec![] }), Unsupported, text);
    let text = "tensor \"x\": a sparse tensor needs a dimension beside the batch to become lists";
    refused(of(TensorSpec::Sparse { dtype: DType::Int64, shape: vec![None] }), Unsupported, text);

    let ragged = |shape: &[Option<usize>], ragged_rank| TensorSpec::Ragged {
        dtype: DType::Int64,
        shape: shape.to_vec(),
        ragged_rank,
        row_splits: RowSplitsDType::Int64,
    };
    for (size, shape) in [("0", "0"), ("unknown", "?")] {
        let text = format!(
            "tensor \"x\": ragged int64 [?, ?, {shape}] (int64 splits): the size of an inner dimension is {size}, so that lists cannot be divided by it"
        );
        let inner = (size == "0").then_some(0);
        refused(of(ragged(&[None, None, inner], 1)), Unsupported, &text);
    }
    let text = "tensor \"x\": ragged int64 [?] (int64 splits): a ragged tensor has at least one level of row splits, each of which is a dimension";
    refused(of(ragged(&[None], 0)), Unsupported, text);
    refused(of(ragged(&[None], 1)), Unsupported, text);

    let structured = |shape: &[Option<usize>], fields: Vec<(&str, TensorSpec)>| TensorSpec::Structured {
        shape: shape.to_vec(),
        row_splits: RowSplitsDType::Int64,
        fields: fields.into_iter().map(|(name, spec)| (name.into(), spec)).collect(),
    };
    let text =
        "tensor \"x\": structured [?] {}: a structured tensor has one struct a row, and at least one field";
    refused(of(structured(&[None], vec![])), Unsupported, text);
    let field = TensorSpec::Dense { dtype: DType::Int64, shape: vec![None, Some(2)] };
    let text = "tensor \"x\": field \"a\", dense int64 [?, 2]: a field is dense with one value a struct, ragged, or structured";
    refused(of(structured(&[None], vec![("a", field)])), Unsupported, text);
    let field = TensorSpec::Dense { dtype: DType::Int64, shape: vec![None] };
    let text = "tensor \"x\": two fields are called \"a\"";
    refused(of(structured(&[None], vec![("a", field.clone()), ("a", field.clone())])), InvalidArgument, text);

    let twice = TensorsToArrow::builder([("x", field.clone()), ("x", field.clone())]).build();
    refused(twice, InvalidArgument, "tensor \"x\": the name occurs twice");
    let text = "tensor \"y\": the options name it as sparse, and there is no tensor of this name";
    refused(
        TensorsToArrow::builder([("x", field.clone())]).generic_sparse_tensors(["y"]).build(),
        UnknownTensor,
        text,
    );
    let sparse = TensorSpec::Sparse { dtype: DType::Int64, shape: vec![None, None, None] };
    let specs = [("x", sparse), ("x$index1", field.clone())];
    let text = "tensor \"x$index1\", column \"x$index1\": tensor \"x\" has a column of this name too";
    refused(TensorsToArrow::builder(specs).build(), InvalidArgument, text);

    let value = |template: &str| {
        TensorsToArrow::builder([("x", field.clone())]).sparse_value_column(template).build()
    };
    for (template, part) in [("{index}", "{index}"), ("a{b}c", "{b}"), ("a{", "{"), ("}", "}")] {
        let text = format!(
            "template {template:?} of column names: {part:?} means nothing here, but {{tensor_name}}, {{{{ and }}}} do"
        );
        refused(value(template), InvalidArgument, &text);
    }
}

#[test]
fn tensors_that_do_not_fit_are_refused() {
    use Kind::{InvalidTensor, ShapeMismatch, TypeMismatch, UnknownTensor};
    let ints = |count: i64| Values::from_vec((0..count).collect::<Vec<_>>());
    let spec = TensorSpec::Dense { dtype: DType::Int64, shape: vec![None, Some(2)] };
    let two = TensorsToArrow::builder([("a", spec.clone()), ("b", spec)]).build().unwrap();
    let named = |name: &str, tensor: Tensor| (Arc::from(name), tensor);
    let one = || named("a", dense(&[1, 2], ints(2)));

    refused(two.convert(&[one()]), UnknownTensor, "tensor \"b\": not given");
    refused(two.convert(&[one(), one()]), UnknownTensor, "tensor \"a\": given twice");
    let third = named("c", dense(&[1, 2], ints(2)));
    let all = [one(), named("b", dense(&[1, 2], ints(2))), third];
    let text = "tensor \"c\": the converter was not made for a tensor of this name";
    refused(two.convert(&all), UnknownTensor, text);
    let text = "tensor \"b\": dense int64 [1, 3] does not fit the spec dense int64 [?, 2]";
    refused(two.convert(&[one(), named("b", dense(&[1, 3], ints(3)))]), TypeMismatch, text);
    let text = "tensor \"b\": dense float32 [1, 2] does not fit the spec dense int64 [?, 2]";
    let floats = dense(&[1, 2], Values::from_vec(vec![1.0_f32, 2.0]));
    refused(two.convert(&[one(), named("b", floats)]), TypeMismatch, text);
    let text = "tensor \"b\": 2 rows, and the tensors before it have 1";
    refused(two.convert(&[one(), named("b", dense(&[2, 2], ints(4)))]), ShapeMismatch, text);

    let open = TensorSpec::Sparse { dtype: DType::Int64, shape: vec![None, None] };
    let lists = TensorsToArrow::builder([("x", open)]).build().unwrap();
    let of = |indices: &[i64]| {
        lists.convert(&[named("x", sparse(indices, ints(indices.len() as i64 / 2), &[3, 3]))])
    };
    let text = "tensor \"x\": entry 1 is of row 0, and one of row 2 stands before it: sort the entries";
    refused(of(&[2, 0, 0, 0]), InvalidTensor, text);
    for indices in [[0, 0, 2, 1], [0, 1, 0, 0], [1, 0, 1, 0]] {
        let error = of(&indices).unwrap_err();
        assert_eq!(*error.detail::<Kind>().unwrap(), InvalidTensor);
        assert!(error.to_string().contains("have to stand at 0, 1, 2, …"), "{error}");
    }
    assert_eq!(of(&[1, 0, 1, 1]).unwrap().column(0).as_list::<i64>().value_offsets(), [0, 0, 2, 2]);
}
