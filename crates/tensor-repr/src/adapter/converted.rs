//! Tensors whose values are read from raw bytes, or cast.

use arrow_array::RecordBatch;
use tfxio_core::DType;

use super::recycle;
use super::route::SchemaColumns;
use super::{AdapterPlan, TensorRun};
use crate::kind::Locate as _;
use crate::tensor::{not_cast, raw};
use crate::{
    ColumnPath, ConvertedRepresentation, DenseTensor, Error, Kind, RaggedTensor, RawBytes, Representation,
    SparseTensor, Tensor, TensorSpec, Values,
};

#[derive(Debug)]
pub(super) struct ConvertedPlan {
    of: Box<AdapterPlan>,
    column: ColumnPath,
    raw: Option<RawBytes>,
    /// The bytes of one string, if values are raw.
    each: usize,
    cast: Option<DType>,
}

impl ConvertedPlan {
    pub(super) fn of(
        columns: &SchemaColumns<'_>,
        representation: &ConvertedRepresentation,
    ) -> Result<(Self, TensorSpec), Error> {
        let ConvertedRepresentation { of, raw, cast } = representation;
        let of = match (raw, of.dtype()) {
            (Some(_), None) => (**of).clone().of_dtype(DType::String),
            _ => (**of).clone(),
        };
        let column = of.value_column().cloned().unwrap_or_default();
        let invalid =
            |message: &str| Err(Error::new(Kind::InvalidRepresentation, message).in_column(&column));
        if matches!(of, Representation::Structured(_)) {
            return invalid(
                "the fields of a structured tensor are not converted; give each a tensor of its own",
            );
        }
        let (plan, mut spec) = AdapterPlan::of(columns, &of)?;
        let mut each = 0;
        if let Some(raw) = raw {
            if spec.dtype() != Some(DType::String) {
                return invalid("raw bytes are read from strings; the dtype of the column must be string");
            }
            let Some(width) = raw.dtype.width() else {
                return invalid("raw bytes are numbers or bools; a string is read as it is");
            };
            if matches!(spec, TensorSpec::Sparse { .. }) && !raw.shape.is_empty() {
                return invalid("the raw bytes of a sparse tensor are single values; their shape must be []");
            }
            let bytes = raw.shape.iter().try_fold(width, |bytes, size| bytes.checked_mul(*size));
            match bytes {
                Some(bytes) => each = bytes,
                None => return invalid("the shape of the raw bytes has more cells than can be counted"),
            }
            change(&mut spec, raw.dtype, &raw.shape);
        }
        if let (Some(to), Some(from)) = (cast, spec.dtype()) {
            if from != *to && (from == DType::String || *to == DType::String) {
                return Err(not_cast(from, *to).in_column(&column));
            }
            change(&mut spec, *to, &[]);
        }
        Ok((Self { of: Box::new(plan), column, raw: raw.clone(), each, cast: *cast }, spec))
    }

    pub(super) fn run(&self, batch: &RecordBatch, run: &mut TensorRun<'_>) -> Result<Tensor, Error> {
        match self.of.run(batch, run)? {
            Tensor::Dense(tensor) => {
                let (shape, values) = tensor.into_parts();
                let rows = shape.first().copied().unwrap_or(1);
                let row_of = |value: usize| value / (values.len() / rows.max(1)).max(1);
                let values = self.values(&values, row_of, run)?;
                DenseTensor::try_new(self.shape(shape), values).map(Tensor::Dense)
            }
            Tensor::Ragged(tensor) => {
                let cells = tensor.inner_shape().iter().product::<usize>().max(1);
                let row_of = |value: usize| row_of_item(&tensor, value / cells);
                let values = self.values(tensor.values(), row_of, run)?;
                let inner_shape = self.shape(tensor.inner_shape().to_vec());
                RaggedTensor::try_new(tensor.row_splits().to_vec(), inner_shape, values).map(Tensor::Ragged)
            }
            Tensor::Sparse(tensor) => {
                let rank = tensor.rank();
                let row = |value: usize| tensor.indices().get(value.saturating_mul(rank)).copied();
                let row_of = |value: usize| row(value).and_then(|row| usize::try_from(row).ok()).unwrap_or(0);
                let values = self.values(tensor.values(), row_of, run)?;
                let shape = tensor.dense_shape().to_vec();
                Ok(Tensor::Sparse(SparseTensor::of_parts(tensor.indices().clone(), values, shape)))
            }
            other @ Tensor::Structured(_) => Ok(other),
        }
    }

    fn shape(&self, mut shape: Vec<usize>) -> Vec<usize> {
        shape.extend(self.raw.iter().flat_map(|raw| raw.shape.iter().copied()));
        shape
    }

    fn values(
        &self,
        values: &Values,
        row_of: impl Fn(usize) -> usize,
        run: &mut TensorRun<'_>,
    ) -> Result<Values, Error> {
        let mut values = values.clone();
        if let (Some(RawBytes { dtype, endian, shape }), Some(strings)) = (&self.raw, values.as_strings()) {
            let bytes = raw::bytes(strings, self.each).map_err(|wrong| {
                raw::wrong_size(*dtype, shape, wrong.bytes, self.each)
                    .in_column(&self.column)
                    .in_row(row_of(wrong.at))
            })?;
            let before = bytes.as_ptr();
            values = Values::from_raw(*dtype, *endian, bytes)?;
            count(&values, before, run);
        }
        if let Some(to) = self.cast {
            let bytes = values.len().saturating_mul(to.width().unwrap_or(0));
            recycle::bytes::<u8>(bytes, run.limit).map_err(|error| error.in_column(&self.column))?;
            let before = values.buffer().map_or(std::ptr::null(), |buffer| buffer.as_ptr());
            values = values.cast(to)?;
            count(&values, before, run);
        }
        Ok(values)
    }
}

/// Counts the bytes of values that are at another address than before.
fn count(values: &Values, before: *const u8, run: &mut TensorRun<'_>) {
    if let Some(buffer) = values.buffer().filter(|buffer| buffer.as_ptr() != before) {
        run.count.values += buffer.len() as u64;
    }
}

fn change(spec: &mut TensorSpec, to: DType, more: &[usize]) {
    match spec {
        TensorSpec::Dense { dtype, shape }
        | TensorSpec::Sparse { dtype, shape }
        | TensorSpec::Ragged { dtype, shape, .. } => {
            *dtype = to;
            shape.extend(more.iter().copied().map(Some));
        }
        TensorSpec::Structured { .. } => {}
    }
}

/// Returns the row of an item of the innermost lists.
fn row_of_item(tensor: &RaggedTensor, item: usize) -> usize {
    tensor.row_splits().iter().rev().fold(item, |item, splits| splits.row_of(item))
}
