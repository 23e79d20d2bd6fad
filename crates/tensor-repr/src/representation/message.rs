//! Representations from and to `tensorflow.metadata.v0.TensorRepresentation`.
//!
//! From the proto nothing is lost that means anything. Two things are not told apart, because no reader of the proto does:
//! a shape that is absent and one without dimensions, and the partition dtypes `UNSPECIFIED` and `INT64`. Representations
//! that the proto cannot express are [`Kind::NotExpressible`]. A message without a kind does not describe a tensor, and is
//! an error.

use std::sync::Arc;

use prost::Message as _;

use super::{
    DefaultValue, DenseRepresentation, Fill, RaggedPartition, RaggedRepresentation, Representation,
    RowSplitsDType, ScalarValue, SparseRepresentation, StructuredRepresentation, VarLenRaggedRepresentation,
    VarLenSparseRepresentation,
};
use crate::kind::Locate as _;
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::tensor_representation as message;
use crate::{ColumnPath, Error, Kind, path};

type DimNames = Vec<Option<Arc<str>>>;

impl Representation {
    /// Reads an encoded `tensorflow.metadata.v0.TensorRepresentation`.
    ///
    /// # Errors
    ///
    /// If the bytes are not such a message ([`Kind::MalformedProto`]); if it has no kind, or an impossible value such as a
    /// negative size ([`Kind::InvalidRepresentation`]).
    pub fn from_proto(bytes: &[u8]) -> Result<Self, Error> {
        let message = tfmd::TensorRepresentation::decode(bytes).map_err(|error| {
            let text = format!("the bytes are not a TensorRepresentation: {error}");
            Error::new(Kind::MalformedProto, text).because(error)
        })?;
        Self::from_message(&message)
    }

    /// Encodes the representation as a `tensorflow.metadata.v0.TensorRepresentation`.
    ///
    /// # Errors
    ///
    /// If the message cannot express all of it ([`Kind::NotExpressible`]); [`to_json`](Self::to_json) can.
    pub fn to_proto(&self) -> Result<Vec<u8>, Error> {
        Ok(self.to_message()?.encode_to_vec())
    }

    pub(crate) fn from_message(message: &tfmd::TensorRepresentation) -> Result<Self, Error> {
        use message::Kind as Wire;
        let kind = message
            .kind
            .as_ref()
            .ok_or_else(|| invalid("the representation has no kind: set dense_tensor or one of its like"))?;
        Ok(match kind {
            Wire::DenseTensor(dense) => Self::Dense(from_dense(dense)?),
            Wire::VarlenSparseTensor(sparse) => Self::VarLenSparse(VarLenSparseRepresentation {
                column: sparse.column_name().into(),
                ..Default::default()
            }),
            Wire::SparseTensor(sparse) => Self::Sparse(from_sparse(sparse)?),
            Wire::RaggedTensor(ragged) => Self::Ragged(from_ragged(ragged)?),
            Wire::VarlenRaggedTensor(ragged) => Self::VarLenRagged(VarLenRaggedRepresentation {
                column: ragged.column.as_ref().map(path::column).unwrap_or_default(),
                dtype: None,
            }),
            Wire::StructuredTensor(structured) => Self::Structured(StructuredRepresentation {
                columns: structured.column.iter().map(path::column).collect(),
            }),
        })
    }
}

fn from_dense(dense: &message::DenseTensor) -> Result<DenseRepresentation, Error> {
    let (sizes, dim_names) = dims(dense.shape.as_ref());
    let shape = sizes.iter().map(|&size| match usize::try_from(size) {
        Ok(size) => Ok(Some(size)),
        Err(_) => Err(invalid(format!("a dense tensor has a dimension of size {size}"))),
    });
    let default = match &dense.default_value {
        None => None,
        Some(value) => Some(DefaultValue::Scalar(from_default(value)?)),
    };
    Ok(DenseRepresentation {
        column: dense.column_name().into(),
        shape: shape.collect::<Result<_, _>>()?,
        flat: false,
        default,
        fill: Fill::AbsentRows,
        padding: None,
        dim_names,
        dtype: None,
    })
}

fn from_default(value: &message::DefaultValue) -> Result<ScalarValue, Error> {
    use message::default_value::Kind as Wire;
    match &value.kind {
        Some(Wire::FloatValue(value)) => Ok(ScalarValue::Float(*value)),
        Some(Wire::IntValue(value)) => Ok(ScalarValue::Int(*value)),
        Some(Wire::UintValue(value)) => Ok(ScalarValue::UInt(*value)),
        Some(Wire::BytesValue(value)) => Ok(ScalarValue::Bytes(value.clone())),
        None => Err(invalid("the default_value has no value: set int_value or one of its like")),
    }
}

fn from_sparse(sparse: &message::SparseTensor) -> Result<SparseRepresentation, Error> {
    let (sizes, dim_names) = dims(sparse.dense_shape.as_ref());
    let dense_shape = sizes.iter().map(|&size| match u64::try_from(size) {
        Ok(size) => Ok(Some(size)),
        Err(_) if size == -1 => Ok(None),
        Err(_) => Err(invalid(format!("a sparse tensor has a dimension of size {size}; -1 is unknown"))),
    });
    Ok(SparseRepresentation {
        dense_shape: dense_shape.collect::<Result<_, _>>()?,
        index_columns: sparse.index_column_names.iter().map(|name| name.as_str().into()).collect(),
        value_column: sparse.value_column_name().into(),
        already_sorted: sparse.already_sorted(),
        dim_names,
        ..Default::default()
    })
}

fn from_ragged(ragged: &message::RaggedTensor) -> Result<RaggedRepresentation, Error> {
    use message::ragged_tensor::partition::Kind as Wire;
    let partitions = ragged.partition.iter().map(|partition| match &partition.kind {
        Some(Wire::RowLength(name)) => Ok(RaggedPartition::RowLengths(name.as_str().into())),
        Some(Wire::UniformRowLength(length)) => match u64::try_from(*length) {
            Ok(length) => Ok(RaggedPartition::UniformRowLength(length)),
            Err(_) => Err(invalid(format!("a ragged tensor has a uniform row length of {length}"))),
        },
        None => Err(invalid("a partition has no kind: set row_length or uniform_row_length")),
    });
    Ok(RaggedRepresentation {
        column: ragged.feature_path.as_ref().map(path::column).unwrap_or_default(),
        partitions: partitions.collect::<Result<_, _>>()?,
        row_splits: match ragged.row_partition_dtype() {
            message::RowPartitionDType::Int32 => RowSplitsDType::Int32,
            message::RowPartitionDType::Int64 | message::RowPartitionDType::Unspecified => {
                RowSplitsDType::Int64
            }
        },
        dtype: None,
    })
}

/// Returns the sizes, and names if there is one.
fn dims(shape: Option<&tfmd::FixedShape>) -> (Vec<i64>, DimNames) {
    let dims = shape.map(|shape| shape.dim.as_slice()).unwrap_or_default();
    let names: DimNames = dims.iter().map(|dim| dim.name.as_deref().map(Into::into)).collect();
    let named = names.iter().any(Option::is_some);
    (dims.iter().map(tfmd::fixed_shape::Dim::size).collect(), if named { names } else { Vec::new() })
}

impl Representation {
    pub(crate) fn to_message(&self) -> Result<tfmd::TensorRepresentation, Error> {
        use message::Kind as Wire;
        let kind = match self {
            Self::Dense(dense) => Wire::DenseTensor(to_dense(dense)?),
            Self::VarLenSparse(sparse) => {
                refuse(sparse.rank.is_some(), "a rank")?;
                refuse(sparse.dtype.is_some(), "a dtype")?;
                Wire::VarlenSparseTensor(message::VarLenSparseTensor {
                    column_name: Some(column_name(&sparse.column)?),
                })
            }
            Self::Sparse(sparse) => Wire::SparseTensor(to_sparse(sparse)?),
            Self::Ragged(ragged) => Wire::RaggedTensor(to_ragged(ragged)?),
            Self::VarLenRagged(ragged) => {
                refuse(ragged.dtype.is_some(), "a dtype")?;
                Wire::VarlenRaggedTensor(message::VarLenRaggedTensor {
                    column: Some(path::path(&ragged.column)),
                })
            }
            Self::Structured(structured) => Wire::StructuredTensor(message::StructuredTensor {
                column: structured.columns.iter().map(path::path).collect(),
            }),
            Self::Lengths(_) => return Err(not_expressible("the lengths of rows")),
            Self::Sequence(_) => return Err(not_expressible("a sequence")),
            Self::Converted(_) => return Err(not_expressible("raw bytes and casts")),
        };
        Ok(tfmd::TensorRepresentation { kind: Some(kind) })
    }
}

fn to_dense(dense: &DenseRepresentation) -> Result<message::DenseTensor, Error> {
    refuse(dense.dtype.is_some(), "a dtype")?;
    refuse(dense.flat, "nested lists as one")?;
    refuse(dense.padding.is_some(), "what short rows are padded with")?;
    let default_value = match &dense.default {
        None => None,
        Some(default) => {
            refuse(dense.fill == Fill::Shortfall, "a default that fills rows up")?;
            Some(to_default(default)?)
        }
    };
    let mut sizes = Vec::with_capacity(dense.shape.len());
    for size in &dense.shape {
        let size = size.ok_or_else(|| not_expressible("a dimension of unknown size in a dense tensor"))?;
        sizes.push(i64::try_from(size).map_err(|_| not_expressible("a size beyond 63 bits"))?);
    }
    Ok(message::DenseTensor {
        column_name: Some(column_name(&dense.column)?),
        shape: Some(shape(&sizes, &dense.dim_names)),
        default_value,
    })
}

fn to_default(default: &DefaultValue) -> Result<message::DefaultValue, Error> {
    use message::default_value::Kind as Wire;
    let kind = match default {
        DefaultValue::Full(_) => return Err(not_expressible("a default with a value for each cell")),
        DefaultValue::Scalar(ScalarValue::Bool(_)) => return Err(not_expressible("a bool as default")),
        DefaultValue::Scalar(ScalarValue::Int(value)) => Wire::IntValue(*value),
        DefaultValue::Scalar(ScalarValue::UInt(value)) => Wire::UintValue(*value),
        DefaultValue::Scalar(ScalarValue::Float(value)) => Wire::FloatValue(*value),
        DefaultValue::Scalar(ScalarValue::Bytes(value)) => Wire::BytesValue(value.clone()),
    };
    Ok(message::DefaultValue { kind: Some(kind) })
}

fn to_sparse(sparse: &SparseRepresentation) -> Result<message::SparseTensor, Error> {
    refuse(sparse.sort, "that indices are to be sorted")?;
    refuse(sparse.kept_dims > 0, "list levels that stay as dimensions")?;
    refuse(sparse.dtype.is_some(), "a dtype")?;
    let mut sizes = Vec::with_capacity(sparse.dense_shape.len());
    for size in &sparse.dense_shape {
        sizes.push(match size {
            None => -1,
            Some(size) => i64::try_from(*size).map_err(|_| not_expressible("a size beyond 63 bits"))?,
        });
    }
    Ok(message::SparseTensor {
        dense_shape: Some(shape(&sizes, &sparse.dim_names)),
        index_column_names: sparse.index_columns.iter().map(column_name).collect::<Result<_, _>>()?,
        value_column_name: Some(column_name(&sparse.value_column)?),
        already_sorted: sparse.already_sorted.then_some(true),
    })
}

fn to_ragged(ragged: &RaggedRepresentation) -> Result<message::RaggedTensor, Error> {
    use message::ragged_tensor::partition::Kind as Wire;
    refuse(ragged.dtype.is_some(), "a dtype")?;
    let mut partition = Vec::with_capacity(ragged.partitions.len());
    for part in &ragged.partitions {
        let kind = match part {
            RaggedPartition::RowLengths(name) => Wire::RowLength(name.to_string()),
            RaggedPartition::UniformRowLength(length) => Wire::UniformRowLength(
                i64::try_from(*length).map_err(|_| not_expressible("a row length beyond 63 bits"))?,
            ),
        };
        partition.push(message::ragged_tensor::Partition { kind: Some(kind) });
    }
    Ok(message::RaggedTensor {
        feature_path: Some(path::path(&ragged.column)),
        partition,
        row_partition_dtype: match ragged.row_splits {
            RowSplitsDType::Int32 => Some(message::RowPartitionDType::Int32.into()),
            RowSplitsDType::Int64 => None,
        },
    })
}

fn shape(sizes: &[i64], names: &[Option<Arc<str>>]) -> tfmd::FixedShape {
    let dim = |(at, &size): (usize, &i64)| {
        let name = names.get(at).and_then(Option::as_deref);
        tfmd::fixed_shape::Dim { size: Some(size), name: name.map(str::to_owned) }
    };
    tfmd::FixedShape { dim: sizes.iter().enumerate().map(dim).collect() }
}

fn column_name(path: &ColumnPath) -> Result<String, Error> {
    match path.steps() {
        [name] => Ok(name.to_string()),
        [] => Err(invalid("a column path has no steps")),
        _ => Err(not_expressible("a path into a struct where the proto has a column name").in_column(path)),
    }
}

fn refuse(stated: bool, what: &str) -> Result<(), Error> {
    if stated { Err(not_expressible(what)) } else { Ok(()) }
}

fn not_expressible(what: &str) -> Error {
    let text = format!("a TensorRepresentation message cannot say {what}; the JSON form can");
    Error::new(Kind::NotExpressible, text)
}

fn invalid(text: impl Into<String>) -> Error {
    Error::new(Kind::InvalidRepresentation, text)
}
