//! Tensors and their specs as the case files write them.

use std::error::Error;

use half::f16;
use serde_json::Value;
use tensor_repr::{
    DenseTensor, RaggedTensor, RowSplits, RowSplitsDType, SparseTensor, Tensor, TensorSpec, Values,
};
use tfxio_core::DType;

/// Reads a SPEC.
pub(super) fn spec(value: &Value) -> TensorSpec {
    let shape = || value["shape"].as_array().expect("a shape").iter().map(size).collect::<Vec<_>>();
    let dtype = dtype(&value["dtype"]);
    match value["kind"].as_str() {
        Some("dense") => TensorSpec::Dense { dtype, shape: shape() },
        Some("sparse") => TensorSpec::Sparse { dtype, shape: shape() },
        Some("ragged") => TensorSpec::Ragged {
            dtype,
            shape: shape(),
            ragged_rank: count(&value["ragged_rank"]),
            row_splits: row_splits_dtype(value),
        },
        other => panic!("a SPEC of kind {other:?}"),
    }
}

/// Reads a TENSOR.
///
/// # Errors
///
/// If there cannot be such a tensor.
pub(super) fn tensor(value: &Value) -> Result<Tensor, String> {
    made(value).map_err(|error| error.to_string())
}

fn made(value: &Value) -> Result<Tensor, Box<dyn Error>> {
    let dtype = dtype(&value["dtype"]);
    Ok(match value["kind"].as_str() {
        Some("dense") => {
            let shape = value["shape"].as_array().unwrap().iter().map(count).collect();
            Tensor::Dense(DenseTensor::try_new(shape, values(dtype, &value["values"]))?)
        }
        Some("sparse") => {
            let indices: Vec<Vec<i64>> = serde_json::from_value(value["indices"].clone()).unwrap();
            // A tensor of tfx-bsl may have the size -1, one of ours cannot.
            let size = |size: &Value| usize::try_from(size.as_i64().expect("a size"));
            let shape =
                value["dense_shape"].as_array().unwrap().iter().map(size).collect::<Result<_, _>>()?;
            let values = values(dtype, &value["values"]);
            Tensor::Sparse(SparseTensor::try_new(indices.concat().into(), values, shape)?)
        }
        Some("ragged") => {
            let flat = &value["flat_values"];
            let inner = flat["shape"].as_array().unwrap().iter().skip(1).map(count).collect();
            let splits = value["row_splits"].as_array().unwrap().iter().map(|splits| {
                let splits = splits.as_array().unwrap().iter().map(|split| split.as_i64().unwrap());
                match row_splits_dtype(value) {
                    RowSplitsDType::Int64 => RowSplits::Int64(splits.collect()),
                    RowSplitsDType::Int32 => {
                        RowSplits::Int32(splits.map(|split| i32::try_from(split).unwrap()).collect())
                    }
                }
            });
            let values = values(dtype, &flat["values"]);
            Tensor::Ragged(RaggedTensor::try_new(splits.collect(), inner, values)?)
        }
        other => panic!("a TENSOR of kind {other:?}"),
    })
}

fn size(value: &Value) -> Option<usize> {
    if value.is_null() { None } else { Some(count(value)) }
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a count")).unwrap()
}

fn dtype(value: &Value) -> DType {
    DType::from_name(value.as_str().expect("a dtype")).expect("a dtype")
}

fn row_splits_dtype(value: &Value) -> RowSplitsDType {
    match value["row_splits_dtype"].as_str() {
        Some("int32") => RowSplitsDType::Int32,
        Some("int64") => RowSplitsDType::Int64,
        other => panic!("row splits of {other:?}"),
    }
}

fn values(dtype: DType, value: &Value) -> Values {
    fn ints<T: TryFrom<i128, Error: std::fmt::Debug>>(list: &[Value]) -> Vec<T> {
        let int = |value: &Value| value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
        list.iter().map(|value| int(value).expect("an int").try_into().unwrap()).collect()
    }
    let list = value.as_array().expect("values");
    let floats = || list.iter().map(float);
    match dtype {
        DType::Bool => Values::from_bools(list.iter().map(|value| value.as_bool().unwrap())),
        DType::Int8 => Values::from_vec(ints::<i8>(list)),
        DType::Int16 => Values::from_vec(ints::<i16>(list)),
        DType::Int32 => Values::from_vec(ints::<i32>(list)),
        DType::Int64 => Values::from_vec(ints::<i64>(list)),
        DType::UInt8 => Values::from_vec(ints::<u8>(list)),
        DType::UInt16 => Values::from_vec(ints::<u16>(list)),
        DType::UInt32 => Values::from_vec(ints::<u32>(list)),
        DType::UInt64 => Values::from_vec(ints::<u64>(list)),
        DType::Float16 => Values::from_vec(floats().map(f16::from_f64).collect::<Vec<_>>()),
        // Every float32 is written as the double that it is.
        DType::Float32 => Values::from_vec(floats().map(|value| value as f32).collect::<Vec<_>>()),
        DType::Float64 => Values::from_vec(floats().collect::<Vec<_>>()),
        DType::String => Values::from_strings(list.iter().map(|value| bytes(value.as_str().unwrap()))),
        other => panic!("values of {other}"),
    }
}

fn float(value: &Value) -> f64 {
    match value.as_str() {
        Some("NaN") => f64::NAN,
        Some("Infinity") => f64::INFINITY,
        Some("-Infinity") => f64::NEG_INFINITY,
        Some(other) => panic!("a float called {other}"),
        None => value.as_f64().expect("a float"),
    }
}

/// Returns bytes, each written as the character of its number.
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|char| u8::try_from(char).expect("a byte")).collect()
}
