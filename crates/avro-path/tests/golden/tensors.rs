//! Tensors as the case files write them.

use golden_cases::base64;
use serde_json::Value;
use tensor_repr::{DenseTensor, Error, RaggedTensor, RowSplits, SparseTensor, Tensor, Values};
use tfxio_core::DType;

/// Returns a tensor.
///
/// # Errors
///
/// If there cannot be such a tensor.
pub(super) fn tensor(value: &Value) -> Result<Tensor, Error> {
    let flat = values(value);
    Ok(match value["kind"].as_str() {
        Some("dense") => Tensor::Dense(DenseTensor::try_new(sizes(&value["shape"]), flat)?),
        Some("sparse") => {
            let indices: Vec<Vec<i64>> = serde_json::from_value(value["indices"].clone()).unwrap();
            Tensor::Sparse(SparseTensor::try_new(
                indices.concat().into(),
                flat,
                sizes(&value["dense_shape"]),
            )?)
        }
        Some("ragged") => {
            let splits = value["row_splits"].as_array().expect("row splits").iter().map(|splits| {
                let splits: Vec<i32> = serde_json::from_value(splits.clone()).unwrap();
                RowSplits::Int32(splits.into())
            });
            Tensor::Ragged(RaggedTensor::try_new(splits.collect(), Vec::new(), flat)?)
        }
        other => panic!("a tensor of kind {other:?}"),
    })
}

fn sizes(value: &Value) -> Vec<usize> {
    serde_json::from_value(value.clone()).expect("sizes")
}

fn values(tensor: &Value) -> Values {
    let list = tensor["values"].as_array().expect("values");
    match DType::from_name(tensor["dtype"].as_str().expect("a dtype")) {
        Some(DType::Bool) => Values::from_bools(list.iter().map(|value| value.as_bool().unwrap())),
        Some(DType::Int32) => Values::from_vec(ints::<i32>(list)),
        Some(DType::Int64) => Values::from_vec(ints::<i64>(list)),
        // Every float32 is written as the double that it is.
        Some(DType::Float32) => Values::from_vec(floats(list).map(|value| value as f32).collect::<Vec<_>>()),
        Some(DType::Float64) => Values::from_vec(floats(list).collect::<Vec<_>>()),
        Some(DType::String) if tensor["encoding"] == "base64" => {
            Values::from_strings(list.iter().map(base64))
        }
        Some(DType::String) => {
            Values::from_strings(list.iter().map(|value| value.as_str().expect("a string")))
        }
        other => panic!("values of {other:?}"),
    }
}

fn ints<T: TryFrom<i64, Error: std::fmt::Debug>>(list: &[Value]) -> Vec<T> {
    list.iter().map(|value| value.as_i64().expect("an int").try_into().unwrap()).collect()
}

fn floats(list: &[Value]) -> impl Iterator<Item = f64> {
    list.iter().map(|value| match value.as_str() {
        Some("NaN") => f64::NAN,
        Some("Infinity") => f64::INFINITY,
        Some("-Infinity") => f64::NEG_INFINITY,
        Some(other) => panic!("a float called {other}"),
        None => value.as_f64().expect("a float"),
    })
}
