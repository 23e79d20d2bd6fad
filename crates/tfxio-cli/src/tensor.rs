//! Tensors as text and as JSON.

use std::fmt::Write as _;

use half::{bf16, f16};
use tfxio::DType;
use tfxio::tensor_repr::{
    DenseTensor, Element, RaggedTensor, RowSplits, RowSplitsDType, SparseTensor, StructuredTensor, Tensor,
    TensorSpec, Values,
};

use crate::json::{self, Object};

/// Characters of a row, about.
const WIDTH: usize = 90;

/// The rows of a tensor, each as a list that is cut where it is long: of a sparse tensor the positions that have values, of a
/// structured one the fields.
pub(crate) fn rows(tensor: &Tensor) -> impl Iterator<Item = String> + '_ {
    let entries = match tensor {
        Tensor::Sparse(sparse) => entries_of_rows(sparse),
        _ => Vec::new(),
    };
    (0..tensor.rows()).map(move |row| {
        let mut out = String::new();
        match tensor {
            Tensor::Sparse(sparse) => {
                sparse_row(&mut out, sparse, entries.get(row).map_or(&[], Vec::as_slice));
            }
            other => item(&mut out, other, row),
        }
        out
    })
}

/// One item of the first dimension.
fn item(out: &mut String, tensor: &Tensor, at: usize) {
    match tensor {
        Tensor::Dense(dense) => dense_row(out, dense, at),
        Tensor::Ragged(ragged) => ragged_row(out, ragged, at),
        Tensor::Structured(structs) => struct_row(out, structs, structs.row_splits(), at),
        Tensor::Sparse(sparse) => {
            let entries = entries_of_rows(sparse);
            sparse_row(out, sparse, entries.get(at).map_or(&[], Vec::as_slice));
        }
        _ => out.push('?'),
    }
}

fn dense_row(out: &mut String, dense: &DenseTensor, row: usize) {
    let inner = dense.shape().get(1..).unwrap_or_default();
    nested(out, dense.values(), inner, row);
}

/// The item number `at` of a dense part with this shape of items.
fn nested(out: &mut String, values: &Values, shape: &[usize], at: usize) {
    match shape.split_first() {
        None => value(out, values, at),
        Some((size, inner)) => list(out, *size, |out, index| nested(out, values, inner, at * size + index)),
    }
}

fn ragged_row(out: &mut String, ragged: &RaggedTensor, row: usize) {
    fn level(out: &mut String, ragged: &RaggedTensor, splits: &[RowSplits], at: usize) {
        match splits.split_first() {
            None => nested(out, ragged.values(), ragged.inner_shape(), at),
            Some((first, inner)) => {
                let (from, to) = bounds(first, at);
                list(out, to - from, |out, index| level(out, ragged, inner, from + index));
            }
        }
    }
    level(out, ragged, ragged.row_splits(), row);
}

fn struct_row(out: &mut String, structs: &StructuredTensor, splits: &[RowSplits], at: usize) {
    if let Some((first, inner)) = splits.split_first() {
        let (from, to) = bounds(first, at);
        return list(out, to - from, |out, index| struct_row(out, structs, inner, from + index));
    }
    out.push('{');
    for (number, (name, field)) in structs.fields().iter().enumerate() {
        out.push_str(if number > 0 { ", " } else { "" });
        let _ = write!(out, "{name}: ");
        item(out, field, at);
    }
    out.push('}');
}

fn bounds(splits: &RowSplits, at: usize) -> (usize, usize) {
    let get = |at: usize| splits.get(at).and_then(|split| usize::try_from(split).ok()).unwrap_or_default();
    let (from, to) = (get(at), get(at + 1));
    (from, to.max(from))
}

/// The entries of each row, by their numbers.
fn entries_of_rows(sparse: &SparseTensor) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); sparse.rows()];
    for (entry, index) in sparse.indices().chunks_exact(sparse.rank().max(1)).enumerate() {
        let row = index.first().and_then(|row| usize::try_from(*row).ok()).and_then(|row| rows.get_mut(row));
        if let Some(row) = row {
            row.push(entry);
        }
    }
    rows
}

fn sparse_row(out: &mut String, sparse: &SparseTensor, entries: &[usize]) {
    let rank = sparse.rank();
    out.push('{');
    for (number, entry) in entries.iter().enumerate() {
        out.push_str(if number > 0 { ", " } else { "" });
        if out.chars().count() > WIDTH {
            let _ = write!(out, "… {} values", entries.len());
            break;
        }
        let position = sparse.indices().get(entry * rank + 1..(entry + 1) * rank).unwrap_or_default();
        match position {
            [one] => {
                let _ = write!(out, "{one}: ");
            }
            position => {
                let position = position.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let _ = write!(out, "({position}): ");
            }
        }
        value(out, sparse.values(), *entry);
    }
    out.push('}');
}

/// Writes a list of `count` items, cut where the row gets long.
fn list(out: &mut String, count: usize, write: impl Fn(&mut String, usize)) {
    out.push('[');
    for index in 0..count {
        out.push_str(if index > 0 { ", " } else { "" });
        if out.chars().count() > WIDTH {
            out.push('…');
            break;
        }
        write(out, index);
    }
    out.push(']');
}

/// A value as JSON has it.
fn value(out: &mut String, values: &Values, at: usize) {
    match values.dtype() {
        DType::Bool => match values.as_bools().and_then(|values| values.get(at)) {
            Some(value) => out.push_str(if *value == 0 { "false" } else { "true" }),
            None => out.push_str("null"),
        },
        DType::String => match values.as_strings().and_then(|values| values.get(at)) {
            Some(value) => json::bytes(out, value),
            None => out.push_str("null"),
        },
        DType::Int8 => number::<i8>(out, values, at, whole),
        DType::Int16 => number::<i16>(out, values, at, whole),
        DType::Int32 => number::<i32>(out, values, at, whole),
        DType::Int64 => number::<i64>(out, values, at, whole),
        DType::UInt8 => number::<u8>(out, values, at, whole),
        DType::UInt16 => number::<u16>(out, values, at, whole),
        DType::UInt32 => number::<u32>(out, values, at, whole),
        DType::UInt64 => number::<u64>(out, values, at, whole),
        // Exact, and short enough.
        DType::Float16 => number::<f16>(out, values, at, |out, value| json::float(out, value.into())),
        DType::BFloat16 => number::<bf16>(out, values, at, |out, value| json::float(out, value.into())),
        DType::Float32 => number::<f32>(out, values, at, json::float),
        DType::Float64 => number::<f64>(out, values, at, json::double),
        other => {
            let _ = write!(out, "\"{other}\"");
        }
    }
}

fn number<T: Element>(out: &mut String, values: &Values, at: usize, write: impl Fn(&mut String, T)) {
    match values.as_slice::<T>().and_then(|values| values.get(at)) {
        Some(value) => write(out, *value),
        None => out.push_str("null"),
    }
}

fn whole(out: &mut String, value: impl std::fmt::Display) {
    let _ = write!(out, "{value}");
}

/// A dense tensor as one list that is cut where it is long.
pub(crate) fn dense(dense: &DenseTensor) -> String {
    let mut out = String::new();
    nested(&mut out, dense.values(), dense.shape(), 0);
    out
}

/// The rows of a ragged tensor of int64 as one list of JSON.
pub(crate) fn int_lists(ragged: &RaggedTensor) -> String {
    let values = ragged.values().as_slice::<i64>().unwrap_or_default();
    let mut out = String::from("[");
    for row in 0..ragged.rows() {
        out.push_str(if row > 0 { ", " } else { "" });
        let (from, to) = ragged.row_splits().first().map_or((0, 0), |splits| bounds(splits, row));
        numbers(&mut out, values.get(from..to).unwrap_or_default());
    }
    out + "]"
}

/// Returns a tensor as a JSON object; its spec alone without a tensor.
pub(crate) fn json(name: &str, spec: &TensorSpec, tensor: Option<&Tensor>) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.text("name", Some(name));
    object.text("spec", Some(&spec.to_string()));
    if let Some(tensor) = tensor {
        members(&mut object, tensor);
    }
    object.finish();
    line
}

fn members(object: &mut Object<'_>, tensor: &Tensor) {
    let dtype = tensor.dtype().map(|dtype| dtype.to_string());
    match tensor {
        Tensor::Dense(dense) => {
            object.text("kind", Some("dense"));
            dense_members(object, dense);
        }
        Tensor::Sparse(sparse) => {
            object.text("kind", Some("sparse"));
            object.text("dtype", dtype.as_deref());
            let out = object.key("indices");
            out.push('[');
            for (number, index) in sparse.indices().chunks_exact(sparse.rank().max(1)).enumerate() {
                out.push_str(if number > 0 { ", " } else { "" });
                numbers(out, index);
            }
            out.push(']');
            all(object.key("values"), sparse.values());
            numbers(object.key("dense_shape"), sparse.dense_shape());
        }
        Tensor::Ragged(ragged) => {
            object.text("kind", Some("ragged"));
            object.text("dtype", dtype.as_deref());
            row_splits(object, ragged.row_splits());
            numbers(object.key("inner_shape"), ragged.inner_shape());
            all(object.key("values"), ragged.values());
        }
        Tensor::Structured(structs) => {
            object.text("kind", Some("structured"));
            object.number("rows", structs.rows() as u64);
            row_splits(object, structs.row_splits());
            let mut fields = Object::new(object.key("fields"));
            for (name, field) in structs.fields() {
                let mut inner = Object::new(fields.key(name));
                members(&mut inner, field);
                inner.finish();
            }
            fields.finish();
        }
        _ => {}
    }
}

/// Dtype, shape and all values.
pub(crate) fn dense_members(object: &mut Object<'_>, dense: &DenseTensor) {
    object.text("dtype", Some(&dense.values().dtype().to_string()));
    numbers(object.key("shape"), dense.shape());
    all(object.key("values"), dense.values());
}

fn row_splits(object: &mut Object<'_>, splits: &[RowSplits]) {
    if let Some(first) = splits.first() {
        let dtype = if first.dtype() == RowSplitsDType::Int32 { "int32" } else { "int64" };
        object.text("row_splits_dtype", Some(dtype));
    }
    let out = object.key("row_splits");
    out.push('[');
    for (number, level) in splits.iter().enumerate() {
        out.push_str(if number > 0 { ", " } else { "" });
        numbers(out, &level.iter().collect::<Vec<_>>());
    }
    out.push(']');
}

fn numbers<T: std::fmt::Display>(out: &mut String, numbers: &[T]) {
    out.push('[');
    for (at, number) in numbers.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        let _ = write!(out, "{number}");
    }
    out.push(']');
}

/// All values in one list.
fn all(out: &mut String, values: &Values) {
    out.push('[');
    for at in 0..values.len() {
        out.push_str(if at > 0 { ", " } else { "" });
        value(out, values, at);
    }
    out.push(']');
}
