//! The columns of a batch into columns of tensors, by the representations that a manifest amounts to.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use tensor_repr::{
    Adapter, ColumnPath, DenseRepresentation, Endian as Order, RawBytes, Representation, Tensor,
};
use tfxio_core::{DType, Limits};

use crate::column::{Column, RowError, RowShape};
use crate::error::Locate as _;
use crate::manifest::{Deserialize, Endian, Feature};
use crate::pipeline::Primary;
use crate::{Error, Kind, Result};

/// Makes columns of tensors. One a thread; what it checked of a schema stays.
#[derive(Debug)]
pub(crate) struct Importer {
    adapter: Option<Adapter>,
    limits: Limits,
}

impl Importer {
    /// Returns one that has not seen a batch.
    pub(crate) fn new(limits: Limits) -> Self {
        Self { adapter: None, limits }
    }

    /// Returns the column of each feature.
    ///
    /// # Errors
    /// `Record`, with the row if it is not all of them that do not fit.
    pub(super) fn columns(
        &mut self,
        primary: &[Primary],
        batch: &RecordBatch,
    ) -> Result<Vec<Column>, RowError> {
        let adapter = match self.adapter.take() {
            Some(adapter) if adapter.schema() == batch.schema_ref() => adapter,
            _ => adapter(primary, batch.schema_ref(), self.limits)
                .map_err(|error| row_error(primary, error))?,
        };
        let tensors = self.adapter.insert(adapter).tensors(batch);
        let tensors = tensors.map_err(|error| row_error(primary, error))?;
        let column = |primary: &Primary| {
            let tensor =
                tensors.get(&primary.feature.name).map_err(|error| explained(&primary.feature, error))?;
            column(tensor, batch.num_rows()).ok_or_else(|| {
                Error::new(Kind::Source, "a tensor of another kind was made")
                    .of_tensor(primary.feature.name.clone())
            })
        };
        Ok(primary.iter().map(column).collect::<Result<_>>()?)
    }
}

/// Returns what makes tensors of batches of a schema.
fn adapter(primary: &[Primary], schema: &Arc<Schema>, limits: Limits) -> Result<Adapter> {
    let mut names = HashSet::new();
    let features = primary.iter().map(|primary| &primary.feature);
    let features = features.filter(|feature| names.insert(&feature.name));
    let made = features.map(|feature| {
        (Arc::clone(&feature.name), representation(feature).column(path(&feature.name, schema)))
    });
    Adapter::builder(Arc::clone(schema), made).limits(limits).build()
}

/// Returns the column of a feature: at the top, or a field of a struct of sequences.
fn path(name: &str, schema: &Schema) -> ColumnPath {
    let is_struct = |data_type: &DataType| matches!(data_type, DataType::Struct(_));
    if !schema.fields().iter().any(|field| field.name() == name && !is_struct(field.data_type())) {
        for field in schema.fields() {
            if let DataType::Struct(fields) = field.data_type()
                && fields.iter().any(|inner| inner.name() == name)
            {
                return ColumnPath::new([field.name().as_str(), name]);
            }
        }
    }
    ColumnPath::from(name)
}

/// Returns how the column of a feature becomes a tensor.
fn representation(feature: &Feature) -> Representation {
    let dense = |shape: &[usize]| -> Representation {
        DenseRepresentation::default().shape(shape.iter().copied().map(Some).collect()).flat(true).into()
    };
    let shape = feature.shape.iter().copied();
    match feature.deserialize {
        Deserialize::Int | Deserialize::Float if feature.var_len => {
            Representation::sequence(shape).cast(feature.dtype)
        }
        Deserialize::Int | Deserialize::Float => dense(&feature.shape).cast(feature.dtype),
        Deserialize::String if feature.var_len => Representation::sequence(shape).of_dtype(DType::String),
        Deserialize::String => dense(&feature.shape).of_dtype(DType::String),
        Deserialize::Raw { endian, len } => {
            let endian = if endian == Endian::Little { Order::Little } else { Order::Big };
            let raw = RawBytes::new(feature.dtype).endian(endian).shape(feature.shape.clone());
            match (feature.var_len, len) {
                (true, _) => Representation::sequence([]).raw(raw),
                (false, 2..) => dense(&[len]).raw(raw),
                (false, _) => dense(&[]).raw(raw),
            }
        }
    }
}

/// Returns the tensors of all rows in one column.
fn column(tensor: &Tensor, rows: usize) -> Option<Column> {
    match tensor {
        Tensor::Dense(dense) => {
            let shape = RowShape::Fixed(dense.shape().get(1..)?.to_vec());
            Some(Column { rows, shape, values: dense.values().clone() })
        }
        Tensor::Ragged(ragged) => {
            let [splits] = ragged.row_splits() else { return None };
            let offsets = splits.iter().map(usize::try_from).collect::<Result<_, _>>().ok()?;
            let shape = RowShape::Leading { offsets, inner: ragged.inner_shape().to_vec() };
            Some(Column { rows, shape, values: ragged.values().clone() })
        }
        _ => None,
    }
}

/// Says of an error which row it is about.
#[cold]
fn row_error(primary: &[Primary], error: Error) -> RowError {
    let row = error.position().row.and_then(|row| usize::try_from(row).ok());
    let name = error.position().tensor.clone();
    let feature = primary.iter().map(|primary| &primary.feature).find(|of| Some(&of.name) == name.as_ref());
    RowError {
        row,
        error: match feature {
            Some(feature) => explained(feature, error),
            None => error,
        },
    }
}

/// Returns an error of the adapter in terms of the manifest.
#[cold]
fn explained(feature: &Feature, error: Error) -> Error {
    use tensor_repr::Kind as Of;

    let (mut what, mut kind) = (error.what().to_owned(), Kind::Record);
    let mut hint = error.hint().map(str::to_owned);
    match error.detail() {
        Some(Of::Overflow) => kind = Kind::LimitExceeded,
        Some(Of::AbsentValue) => {
            what = "the record lacks the feature".to_owned();
            hint = Some("every record needs each feature that is read".to_owned());
        }
        Some(Of::NullValue) => hint = Some("fill it in, or leave the record out".to_owned()),
        Some(Of::ShapeMismatch) => {
            hint = Some("correct the record, or what the manifest says of the feature".to_owned());
        }
        _ => {}
    }
    let explained = Error::new(kind, what).of_tensor(feature.name.clone());
    let explained = if let Some(hint) = hint { explained.help(hint) } else { explained };
    explained.because(error)
}
