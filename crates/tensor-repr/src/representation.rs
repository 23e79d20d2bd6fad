//! Representations of columns as tensors.

mod build;
mod columns;
pub mod json;
mod message;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tfxio_core::DType;

use crate::{ColumnPath, Endian};

/// Representation of one or more columns as one tensor.
///
/// A superset of `tensorflow.metadata.v0.TensorRepresentation`: every message of that type has its equivalent here.
/// Properties that the proto cannot express (see the fields) are refused, not dropped, when a representation is written as
/// one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind")]
#[non_exhaustive]
pub enum Representation {
    /// Every row has the same shape.
    #[serde(rename = "dense")]
    Dense(DenseRepresentation),
    /// The values of one column, each at its position in the row.
    #[serde(rename = "varlen_sparse")]
    VarLenSparse(VarLenSparseRepresentation),
    /// Values of one column at indices from other columns.
    #[serde(rename = "sparse")]
    Sparse(SparseRepresentation),
    /// Values divided by partitions: nested lists, row-length columns, or uniform ones.
    #[serde(rename = "ragged")]
    Ragged(RaggedRepresentation),
    /// A ragged tensor of all nested lists of one column (RFC 162's `VarLenRaggedTensor`).
    #[serde(rename = "varlen_ragged")]
    VarLenRagged(VarLenRaggedRepresentation),
    /// Several columns as the fields of one tensor (RFC 162's `StructuredTensor`).
    #[serde(rename = "structured")]
    Structured(StructuredRepresentation),
    /// The number of items of each row of a column.
    #[serde(rename = "lengths")]
    Lengths(LengthsRepresentation),
    /// A sequence of items of one shape in each row.
    #[serde(rename = "sequence")]
    Sequence(SequenceRepresentation),
    /// Another representation, whose values are read from raw bytes, or cast.
    #[serde(rename = "converted")]
    Converted(ConvertedRepresentation),
}

/// A dense tensor of shape `[batch] + shape`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DenseRepresentation {
    /// The column of the values: a list, nested lists, or a bare primitive column (for shape `[]`).
    pub column: ColumnPath,
    /// The shape of one row, without the batch dimension. `None` is the batch's longest list in that dimension; shorter
    /// ones are padded with the default or the padding. The proto cannot express `None`.
    pub shape: Vec<Option<usize>>,
    /// Whether nested lists are taken for one, so that only the number of values of a row must fit the shape. The proto
    /// cannot express it.
    #[serde(skip_serializing_if = "is_default")]
    pub flat: bool,
    /// Default that fills absent cells. Without it they are an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultValue>,
    /// Cells that the default fills. Has no effect without a default.
    #[serde(skip_serializing_if = "is_default")]
    pub fill: Fill,
    /// Padding of lists that are shorter than their dimension, and filling of absent rows. Unlike a default it does not
    /// replace a value: a null element stays an error. `None` (the default) leaves padding to the default; both together
    /// are refused. The proto cannot express it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding: Option<ScalarValue>,
    /// The names of the dimensions, for people: none at all, or one for each dimension of `shape`.
    #[serde(serialize_with = "json::names", skip_serializing_if = "Vec::is_empty")]
    pub dim_names: Vec<Option<Arc<str>>>,
    /// The dtype that the column must have; `None` takes the column's. The proto cannot express it.
    #[serde(serialize_with = "json::dtype", skip_serializing_if = "Option::is_none")]
    pub dtype: Option<DType>,
}

/// Cells of a dense tensor that a default fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fill {
    /// The cells of null rows; any other row must have exactly the shape. This is the meaning of the proto.
    #[default]
    AbsentRows,
    /// The cells that no value fills, row by row and dimension by dimension; null elements too. This is the meaning of
    /// feature specs: "if fewer elements than the shape, fill the rest".
    Shortfall,
}

/// Default of absent cells of a dense tensor.
///
/// ```
/// use tensor_repr::{DefaultValue, ScalarValue};
///
/// assert_eq!(DefaultValue::from(-1.0), DefaultValue::Scalar(ScalarValue::Float(-1.0)));
/// assert_eq!(DefaultValue::from("none"), DefaultValue::Scalar(ScalarValue::Bytes(b"none".to_vec())));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum DefaultValue {
    /// The same value everywhere.
    Scalar(ScalarValue),
    /// A value for each cell of one row, in row-major order. The proto cannot express it.
    Full(Vec<ScalarValue>),
}

/// One value of a default. It must fit the column's dtype.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScalarValue {
    /// For bool.
    Bool(bool),
    /// For signed integers, and for unsigned ones if it is not negative.
    Int(i64),
    /// For unsigned integers beyond `i64::MAX`.
    UInt(u64),
    /// For floats.
    Float(f64),
    /// For strings.
    Bytes(Vec<u8>),
}

/// A sparse tensor of shape `[batch, longest list, …]`: one dimension for each level of lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct VarLenSparseRepresentation {
    /// The column of the values.
    pub column: ColumnPath,
    /// The number of list levels that the column must have; `None` takes the column's. The proto cannot express it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The dtype that the column must have; `None` takes the column's. The proto cannot express it.
    #[serde(serialize_with = "json::dtype", skip_serializing_if = "Option::is_none")]
    pub dtype: Option<DType>,
}

/// A sparse tensor of shape `[batch] + dense_shape`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct SparseRepresentation {
    /// The shape of one row, without the batch dimension: a size for each kept dimension, then one for each
    /// index column. `None` is the batch's longest list, or its largest index plus one.
    pub dense_shape: Vec<Option<u64>>,
    /// The columns of the indices, one for each dimension of `dense_shape`.
    pub index_columns: Vec<ColumnPath>,
    /// The column of the values; as many in every row as there are indices.
    pub value_column: ColumnPath,
    /// Whether the entries of each row are put in order of their indices. Otherwise they stay in the
    /// order of the data, as the proto's `SparseTensor` keeps them.
    #[serde(skip_serializing_if = "is_default")]
    pub sort: bool,
    /// Whether the indices of each row are said to be sorted. It travels with the proto and with feature
    /// specs; nothing relies on it.
    #[serde(skip_serializing_if = "is_default")]
    pub already_sorted: bool,
    /// The names of the dimensions, for people: none at all, or one for each of `dense_shape`.
    #[serde(serialize_with = "json::names", skip_serializing_if = "Vec::is_empty")]
    pub dim_names: Vec<Option<Arc<str>>>,
    /// Number of outer list levels of the columns that stay as dimensions, before the index dimensions; further levels are
    /// one list of entries. At least one column must have that many; one that has fewer needs as many entries in each row
    /// as the others. Default 0. The proto cannot express it.
    #[serde(skip_serializing_if = "is_default")]
    pub kept_dims: usize,
    /// The dtype that the value column must have; `None` takes the column's. The proto cannot express it.
    #[serde(serialize_with = "json::dtype", skip_serializing_if = "Option::is_none")]
    pub dtype: Option<DType>,
}

/// A ragged tensor: the lists on the way to the values, then the partitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct RaggedRepresentation {
    /// The path to the values. Each list on the way is a partition.
    pub column: ColumnPath,
    /// The partitions inside of a row, from the outside in, below the partitions of the path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<RaggedPartition>,
    /// The integer type of the row splits.
    #[serde(skip_serializing_if = "is_default")]
    pub row_splits: RowSplitsDType,
    /// The dtype that the column must have; `None` takes the column's. The proto cannot express it.
    #[serde(serialize_with = "json::dtype", skip_serializing_if = "Option::is_none")]
    pub dtype: Option<DType>,
}

/// One partition of a ragged tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RaggedPartition {
    /// The lengths of the rows are in this column, beside the values' one.
    RowLengths(Arc<str>),
    /// Every row has this length.
    UniformRowLength(u64),
}

/// The integer type of row splits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowSplitsDType {
    /// 32 bits.
    Int32,
    /// 64 bits.
    #[default]
    Int64,
}

impl RowSplitsDType {
    /// Returns the name in JSON and in specs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Int32 => "int32",
            Self::Int64 => "int64",
        }
    }
}

/// A ragged tensor of all nested lists of one column, with no other partitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct VarLenRaggedRepresentation {
    /// The column.
    pub column: ColumnPath,
    /// The dtype that the column must have; `None` takes the column's.
    #[serde(serialize_with = "json::dtype", skip_serializing_if = "Option::is_none")]
    pub dtype: Option<DType>,
}

/// Columns as the fields of one structured tensor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct StructuredRepresentation {
    /// The columns, each a field. A `List<Struct<…>>` column is a structured tensor itself.
    pub columns: Vec<ColumnPath>,
}

/// A dense tensor of shape `[batch]` and dtype int64: the length of the outermost list of each row, 0 where it is null. It
/// goes with a padded tensor of the same column, as the third result of `tf.io.parse_sequence_example` does. The proto
/// cannot express it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct LengthsRepresentation {
    /// The column, which must be one of lists.
    pub column: ColumnPath,
    /// The dtype that the values of the column must have; `None` takes any.
    #[serde(serialize_with = "json::dtype", skip_serializing_if = "Option::is_none")]
    pub dtype: Option<DType>,
}

/// A ragged tensor of shape `[batch, ?] + shape`: the outermost list of each row is a sequence of items, each of which has
/// exactly the values of the shape, in lists of any depth. The proto cannot express it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct SequenceRepresentation {
    /// The column, one of lists.
    pub column: ColumnPath,
    /// The shape of one item.
    pub shape: Vec<usize>,
    /// Whether an absent row is an empty sequence. Otherwise it is an error.
    #[serde(skip_serializing_if = "is_default")]
    pub optional: bool,
    /// The integer type of the row splits.
    #[serde(skip_serializing_if = "is_default")]
    pub row_splits: RowSplitsDType,
    /// The dtype that the column must have; `None` takes the column's.
    #[serde(serialize_with = "json::dtype", skip_serializing_if = "Option::is_none")]
    pub dtype: Option<DType>,
}

/// A tensor as another representation makes it, with values that are read from raw bytes first, and then cast. The proto
/// cannot express it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ConvertedRepresentation {
    /// The representation; any but a structured one.
    pub of: Box<Representation>,
    /// Format of the raw bytes in the strings of the column; `None` leaves the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawBytes>,
    /// The dtype that the values are cast to, as NumPy casts them (see [`Values::cast`](crate::Values::cast)); `None`
    /// leaves them.
    #[serde(serialize_with = "json::dtype", skip_serializing_if = "Option::is_none")]
    pub cast: Option<DType>,
}

/// Format of a string of raw bytes: the values of a tensor of a shape, in row-major order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct RawBytes {
    /// The dtype of the values; any but string.
    #[serde(serialize_with = "json::dtype_name")]
    pub dtype: DType,
    /// The order of the bytes of a value.
    #[serde(skip_serializing_if = "is_default")]
    pub endian: Endian,
    /// The shape, which follows the dimensions that the representation gives the strings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<usize>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
