//! Tensors as short texts: `dense [2] [1,2]`, `sparse [2,3] {[0,0]:"a"}`, `ragged [["a","b"],[]]`.

use serde_json::{Value, json};
use tensor_repr::{RaggedTensor, SparseTensor, Tensor, Values};
use tfxio_core::DType;

pub fn tensor(tensor: &Tensor) -> String {
    match tensor {
        Tensor::Dense(dense) => {
            let flat = values(dense.values());
            format!("dense {} {}", json!(dense.shape()), nested(dense.shape(), &flat))
        }
        Tensor::Sparse(tensor) => sparse(tensor),
        Tensor::Ragged(tensor) => format!("ragged {}", ragged(tensor)),
        other => panic!("{other:?}"),
    }
}

pub fn nested(shape: &[usize], flat: &[Value]) -> Value {
    let Some((&size, inner)) = shape.split_first() else { return flat[0].clone() };
    let unit = inner.iter().product::<usize>();
    let items = (0..size).map(|at| nested(inner, &flat[at * unit..(at + 1) * unit]));
    Value::Array(items.collect())
}

fn sparse(tensor: &SparseTensor) -> String {
    let rank = tensor.dense_shape().len();
    let entries = tensor.indices().chunks(rank).zip(values(tensor.values()));
    let entries = entries.map(|(index, value)| format!("{}:{value}", json!(index)));
    format!("sparse {} {{{}}}", json!(tensor.dense_shape()), entries.collect::<Vec<_>>().join(", "))
}

fn ragged(tensor: &RaggedTensor) -> Value {
    let mut items = values(tensor.values());
    let unit = tensor.inner_shape().iter().product::<usize>();
    if !tensor.inner_shape().is_empty() {
        items = items.chunks(unit).map(|item| nested(tensor.inner_shape(), item)).collect();
    }
    for splits in tensor.row_splits().iter().rev() {
        let ends = splits.iter().map(|end| usize::try_from(end).unwrap()).collect::<Vec<_>>();
        items = ends.windows(2).map(|pair| Value::Array(items[pair[0]..pair[1]].to_vec())).collect();
    }
    Value::Array(items)
}

fn values(values: &Values) -> Vec<Value> {
    match values.dtype() {
        DType::Bool => values.as_bools().unwrap().iter().map(|&byte| json!(byte != 0)).collect(),
        DType::Int32 => values.as_slice::<i32>().unwrap().iter().map(|value| json!(value)).collect(),
        DType::Int64 => values.as_slice::<i64>().unwrap().iter().map(|value| json!(value)).collect(),
        DType::Float32 => values.as_slice::<f32>().unwrap().iter().map(|value| json!(value)).collect(),
        DType::Float64 => values.as_slice::<f64>().unwrap().iter().map(|value| json!(value)).collect(),
        DType::String => {
            let strings = values.as_strings().unwrap().iter();
            strings.map(|bytes| json!(String::from_utf8_lossy(bytes))).collect()
        }
        other => panic!("values of {other}"),
    }
}
