//! Columns, batches and tensors for tests of the adapter.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Int64Array, LargeBinaryArray, LargeListArray, ListArray,
    RecordBatch, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields};
use tensor_repr::{
    Adapter, ColumnPath, DefaultValue, DenseRepresentation, DenseTensor, Error, Fill, RaggedPartition,
    RaggedRepresentation, RaggedTensor, Representation, RowSplits, ScalarValue, SparseRepresentation,
    SparseTensor, StructuredTensor, Tensor, Values, VarLenSparseRepresentation,
};

pub fn ints(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

pub fn optional(values: &[Option<i64>]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

pub fn strings(values: &[&str]) -> ArrayRef {
    Arc::new(LargeBinaryArray::from_iter_values(values))
}

fn item(values: &ArrayRef) -> Arc<Field> {
    Arc::new(Field::new("item", values.data_type().clone(), true))
}

fn parts(lengths: &[Option<usize>]) -> (OffsetBuffer<i64>, Option<NullBuffer>) {
    let offsets = OffsetBuffer::from_lengths(lengths.iter().map(|length| length.unwrap_or(0)));
    let valid = lengths.iter().map(Option::is_some).collect::<Vec<_>>();
    (offsets, valid.contains(&false).then(|| NullBuffer::from(valid)))
}

/// Lists of these lengths, null for `None`.
pub fn lists(lengths: &[Option<usize>], values: ArrayRef) -> ArrayRef {
    let (offsets, nulls) = parts(lengths);
    Arc::new(LargeListArray::new(item(&values), offsets, values, nulls))
}

/// Does the same with 32-bit offsets.
pub fn small_lists(lengths: &[Option<usize>], values: ArrayRef) -> ArrayRef {
    let offsets = OffsetBuffer::<i32>::from_lengths(lengths.iter().map(|length| length.unwrap_or(0)));
    Arc::new(ListArray::new(item(&values), offsets, values, parts(lengths).1))
}

/// Returns lists of one length, null by `valid`.
pub fn fixed(size: i32, valid: Option<Vec<bool>>, values: ArrayRef) -> ArrayRef {
    Arc::new(FixedSizeListArray::new(item(&values), size, values, valid.map(NullBuffer::from)))
}

/// Does the same for a number of lists, which the values do not determine for the length 0.
pub fn fixed_lists(count: usize, size: i32, valid: Option<Vec<bool>>, values: ArrayRef) -> ArrayRef {
    let nulls = valid.map(NullBuffer::from);
    Arc::new(FixedSizeListArray::try_new_with_length(item(&values), size, values, nulls, count).unwrap())
}

/// Lists of these lengths, of which those where `valid` is false are null and hide their values.
pub fn hiding(lengths: &[usize], valid: &[bool], values: ArrayRef) -> ArrayRef {
    let offsets = OffsetBuffer::<i64>::from_lengths(lengths.iter().copied());
    Arc::new(LargeListArray::new(item(&values), offsets, values, Some(NullBuffer::from(valid.to_vec()))))
}

pub fn structs(fields: &[(&str, ArrayRef)], valid: Option<Vec<bool>>) -> ArrayRef {
    let types: Fields =
        fields.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let arrays = fields.iter().map(|(_, array)| array.clone()).collect();
    Arc::new(StructArray::new(types, arrays, valid.map(NullBuffer::from)))
}

pub fn batch(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.iter().map(|(name, array)| (*name, array.clone(), true)))
        .unwrap()
}

pub fn adapter(batch: &RecordBatch, representation: impl Into<Representation>) -> Result<Adapter, Error> {
    Adapter::builder(batch.schema(), [("t", representation.into())]).build()
}

/// Returns the tensor that a representation makes of a batch. It must conform to its spec.
pub fn tensor(batch: &RecordBatch, representation: impl Into<Representation>) -> Result<Tensor, Error> {
    let adapter = adapter(batch, representation)?;
    let tensor = adapter.tensors(batch)?[0].1.clone();
    let spec = &adapter.specs()[0].1;
    assert!(spec.accepts(&tensor), "{} does not conform to {spec}", tensor.spec());
    Ok(tensor)
}

pub fn of_column(column: ArrayRef, representation: impl Into<Representation>) -> Result<Tensor, Error> {
    tensor(&batch(&[("x", column)]), representation)
}

/// Returns the text of the error.
#[track_caller]
pub fn error<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

pub fn dense(shape: &[Option<usize>]) -> DenseRepresentation {
    DenseRepresentation::default().column("x").shape(shape.to_vec())
}

/// Returns a dense tensor whose null rows an integer fills.
pub fn filled(shape: &[Option<usize>], default: i64) -> DenseRepresentation {
    dense(shape).default_value(Some(DefaultValue::from(default)))
}

/// Returns a dense tensor whose missing cells an integer fills.
pub fn padded(shape: &[Option<usize>], default: i64) -> DenseRepresentation {
    filled(shape, default).fill(Fill::Shortfall)
}

/// Returns a dense tensor whose missing cells these integers fill.
pub fn padded_with(shape: &[Option<usize>], default: &[i64]) -> DenseRepresentation {
    let default = DefaultValue::Full(default.iter().map(|&value| ScalarValue::Int(value)).collect());
    dense(shape).default_value(Some(default)).fill(Fill::Shortfall)
}

pub fn varlen() -> VarLenSparseRepresentation {
    VarLenSparseRepresentation::default().column("x")
}

pub fn sparse(indices: &[&str], sizes: &[Option<u64>]) -> SparseRepresentation {
    SparseRepresentation::default()
        .dense_shape(sizes.to_vec())
        .index_columns(indices.iter().map(|name| ColumnPath::from(*name)).collect())
        .value_column("x")
}

pub fn ragged(path: &[&str], partitions: &[RaggedPartition]) -> RaggedRepresentation {
    RaggedRepresentation::default()
        .column(ColumnPath::new(path.iter().copied()))
        .partitions(partitions.to_vec())
}

pub fn dense_tensor(shape: &[usize], values: &[i64]) -> Tensor {
    Tensor::Dense(DenseTensor::try_new(shape.to_vec(), Values::from_vec(values.to_vec())).unwrap())
}

pub fn string_tensor(shape: &[usize], values: &[&str]) -> Tensor {
    Tensor::Dense(DenseTensor::try_new(shape.to_vec(), Values::from_strings(values)).unwrap())
}

pub fn sparse_tensor(shape: &[usize], entries: &[(&[i64], i64)]) -> Tensor {
    let indices = entries.iter().flat_map(|(index, _)| index.iter().copied()).collect::<Vec<_>>();
    let values = entries.iter().map(|(_, value)| *value).collect::<Vec<_>>();
    Tensor::Sparse(SparseTensor::try_new(indices.into(), Values::from_vec(values), shape.to_vec()).unwrap())
}

pub fn ragged_tensor(levels: &[&[i64]], inner: &[usize], values: &[i64]) -> Tensor {
    let splits = levels.iter().map(|level| RowSplits::Int64(level.to_vec().into())).collect();
    Tensor::Ragged(RaggedTensor::try_new(splits, inner.to_vec(), Values::from_vec(values.to_vec())).unwrap())
}

pub fn structured_tensor(rows: usize, levels: &[&[i64]], fields: &[(&str, Tensor)]) -> Tensor {
    let splits = levels.iter().map(|level| RowSplits::Int64(level.to_vec().into())).collect();
    let fields = fields.iter().map(|(name, tensor)| (Arc::from(*name), tensor.clone())).collect();
    Tensor::Structured(StructuredTensor::try_new(rows, splits, fields).unwrap())
}
