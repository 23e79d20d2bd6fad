//! Feature specs: what a tensor should look like, in the terms of `tf.io`'s feature classes.

mod build;
mod json;
mod keys;

use serde::Serialize;
use tfxio_core::DType;

pub(crate) use self::build::sizes;
pub use self::json::{feature_specs_from_json, feature_specs_to_json};
pub use self::keys::FeatureKeys;

use crate::representation::json::dtype_name;
use crate::setters::setters;
use crate::{ColumnPath, RaggedPartition, RowSplitsDType, ScalarValue};

/// Spec of one feature's tensor in the terms of TensorFlow's users: `tf.io.FixedLenFeature` and its siblings, with arrays
/// of any depth.
///
/// A spec belongs to a name, the tensor's. The values come from the column of its key, by default the one of that name.
/// [`representation`](Self::representation) returns the equivalent representation; its defaults fill a shortfall too: null
/// elements and lists that are shorter than the shape, each cell by its position. A null element without a default is an
/// error.
///
/// ```
/// use tensor_repr::{FeatureSpec, FixedLen, Representation, SpecDefault, ScalarValue};
/// use tfxio_core::DType;
///
/// let default = SpecDefault::Scalar(ScalarValue::Int(-1));
/// let spec = FeatureSpec::FixedLen(FixedLen::new(vec![Some(3)], DType::Int64).default(default));
/// let Representation::Dense(dense) = spec.representation("age")? else { unreachable!() };
/// assert_eq!(dense.column.to_string(), "age");
/// assert_eq!(FeatureSpec::from_json(r#"{"kind": "FixedLen", "shape": [3], "dtype": "int64", "default": -1}"#)?, spec);
/// # Ok::<(), tensor_repr::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind")]
#[non_exhaustive]
pub enum FeatureSpec {
    /// A dense tensor of a known shape.
    FixedLen(FixedLen),
    /// A sparse tensor of lists of any length.
    VarLen(VarLen),
    /// A dense tensor, padded to the longest list of the batch.
    FixedLenSequence(FixedLenSequence),
    /// A sparse tensor whose indices are features too.
    Sparse(SparseFeature),
    /// A ragged tensor.
    Ragged(RaggedFeature),
    /// The lengths of rows, which padding hides.
    Lengths(Lengths),
}

/// A dense tensor of shape `[batch] + shape`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FixedLen {
    /// The column; `None` (the default) is the one of the tensor's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<ColumnPath>,
    /// The shape of a row. `[]` is one value a row. `None` is the batch's longest list in that dimension. A first dimension
    /// that is `None` is the batch's own where a default has a value for each cell of the others.
    pub shape: Vec<Option<usize>>,
    /// The dtype that the column must have.
    #[serde(serialize_with = "dtype_name")]
    pub dtype: DType,
    /// Default of cells without a value. Without it (the default) they are an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<SpecDefault>,
}

/// A sparse tensor of shape `[batch, longest list, …]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VarLen {
    /// The column; `None` (the default) is the one of the tensor's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<ColumnPath>,
    /// The dtype that the column must have.
    #[serde(serialize_with = "dtype_name")]
    pub dtype: DType,
    /// Number of list levels that the column must have; `None` (the default) takes the column's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
}

/// A dense tensor of shape `[batch] + [longest list] + shape`.
///
/// For a column of lists in lists, a list of steps is the sequence, and each step has the values of one element, in
/// row-major order: exactly as many as it has cells. A step that has fewer takes the default; without one it is an error,
/// since padding does not replace a value. If `shape` has one size, such a list of values is padded like the sequence
/// itself.
///
/// For a column named by a key expression with as many list levels as `shape` has sizes, two at least, the tensor has the
/// shape `[batch] + shape`: the outermost list is the sequence already.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FixedLenSequence {
    /// The column; `None` (the default) is the one of the tensor's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<ColumnPath>,
    /// The shape of one element of the sequence.
    pub shape: Vec<usize>,
    /// The dtype that the column must have.
    #[serde(serialize_with = "dtype_name")]
    pub dtype: DType,
    /// Padding of shorter rows, which also replaces null elements. `None` (the default) pads with false, 0 or the empty
    /// string, and a null element is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<ScalarValue>,
    /// Whether a row may be shorter than the longest one, or absent. Default true, as TensorFlow demands it. Otherwise
    /// a shortfall is an error, whatever the default.
    pub allow_missing: bool,
}

/// A sparse tensor of shape `[batch] + size`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SparseFeature {
    /// Base of relative keys, in sources with key expressions; `None` (the default) is the tensor's name. Columns of other
    /// sources have whole names, and this has no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<ColumnPath>,
    /// The columns of the indices.
    #[serde(rename = "index_key")]
    pub index_keys: Vec<ColumnPath>,
    /// The column of the values.
    pub value_key: ColumnPath,
    /// The dtype that the value column must have.
    #[serde(serialize_with = "dtype_name")]
    pub dtype: DType,
    /// A size for each index column. Further ones, in front, are the sizes of as many outer list levels, which then stay as
    /// dimensions. `None` is the batch's largest.
    pub size: Vec<Option<u64>>,
    /// Whether the entries of each row are in the order of their indices already. Default false: they are put in
    /// order.
    pub already_sorted: bool,
}

/// A ragged tensor: the lists of the column, then the partitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RaggedFeature {
    /// The column of the values; `None` (the default) is the one of the tensor's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_key: Option<ColumnPath>,
    /// The dtype that the column must have.
    #[serde(serialize_with = "dtype_name")]
    pub dtype: DType,
    /// The partitions inside of a row, from the outside in. Default none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<RaggedPartition>,
    /// The integer type of the row splits. Default 32 bits, as TensorFlow's.
    pub row_splits: RowSplitsDType,
}

/// A dense tensor of shape `[batch]` and dtype int64: the length of each row, 0 where it is absent. It is what
/// `tf.io.parse_sequence_example` returns third, the lengths of sequences before they were padded.
///
/// ```
/// use tensor_repr::{ColumnPath, FeatureSpec, Lengths};
/// use tfxio_core::DType;
///
/// let spec = FeatureSpec::from_json(r#"{"kind": "Lengths", "dtype": "string", "key": "words"}"#)?;
/// assert_eq!(spec, FeatureSpec::Lengths(Lengths::new(DType::String).key(ColumnPath::from("words"))));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Lengths {
    /// The column; `None` (the default) is the one of the tensor's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<ColumnPath>,
    /// The dtype that the values of the column must have. The lengths are int64 whatever it is.
    #[serde(serialize_with = "dtype_name")]
    pub dtype: DType,
}

/// The default of a [`FixedLen`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SpecDefault {
    /// The same value in every cell.
    Scalar(ScalarValue),
    /// A value for each cell.
    Full {
        /// The shape: that of the feature, or that of its dimensions after a first one that is not known.
        shape: Vec<usize>,
        /// The values, in row-major order.
        values: Vec<ScalarValue>,
    },
}

impl FixedLen {
    /// Returns a feature without a default.
    #[must_use]
    pub fn new(shape: Vec<Option<usize>>, dtype: DType) -> Self {
        Self { key: None, shape, dtype, default: None }
    }
}

impl VarLen {
    /// Returns a feature of lists of any depth.
    #[must_use]
    pub fn new(dtype: DType) -> Self {
        Self { key: None, dtype, rank: None }
    }
}

impl FixedLenSequence {
    /// Returns a feature padded with false, 0 or the empty string.
    #[must_use]
    pub fn new(shape: Vec<usize>, dtype: DType) -> Self {
        Self { key: None, shape, dtype, default: None, allow_missing: true }
    }
}

impl Lengths {
    /// Returns the lengths of the column of the tensor's name.
    #[must_use]
    pub fn new(dtype: DType) -> Self {
        Self { key: None, dtype }
    }
}

impl SparseFeature {
    /// Returns a feature whose entries are put in order.
    #[must_use]
    pub fn new<I>(
        index_keys: I,
        value_key: impl Into<ColumnPath>,
        dtype: DType,
        size: Vec<Option<u64>>,
    ) -> Self
    where
        I: IntoIterator,
        I::Item: Into<ColumnPath>,
    {
        let index_keys = index_keys.into_iter().map(Into::into).collect();
        Self { key: None, index_keys, value_key: value_key.into(), dtype, size, already_sorted: false }
    }
}

impl RaggedFeature {
    /// Returns a feature of the column's lists alone.
    #[must_use]
    pub fn new(dtype: DType) -> Self {
        Self { value_key: None, dtype, partitions: Vec::new(), row_splits: RowSplitsDType::Int32 }
    }
}

setters! {
    FixedLen {
        /// Sets the column.
        key: impl Into<Option<ColumnPath>> => key.into(),
        /// Sets what fills rows that have fewer values.
        default: impl Into<Option<SpecDefault>> => default.into(),
    }
    VarLen {
        /// Sets the column.
        key: impl Into<Option<ColumnPath>> => key.into(),
        /// Sets the number of list levels that the column must have.
        rank: impl Into<Option<usize>> => rank.into(),
    }
    FixedLenSequence {
        /// Sets the column.
        key: impl Into<Option<ColumnPath>> => key.into(),
        /// Sets what pads short rows.
        default: impl Into<Option<ScalarValue>> => default.into(),
        /// Sets whether rows may be shorter than others.
        allow_missing: bool => allow_missing,
    }
    SparseFeature {
        /// Sets the prefix of the keys.
        key: impl Into<Option<ColumnPath>> => key.into(),
        /// Sets whether the entries of each row are in order already.
        already_sorted: bool => already_sorted,
    }
    RaggedFeature {
        /// Sets the column of the values.
        value_key: impl Into<Option<ColumnPath>> => value_key.into(),
        /// Sets the partitions inside of a row.
        partitions: Vec<RaggedPartition> => partitions,
        /// Sets the integer type of the row splits.
        row_splits: RowSplitsDType => row_splits,
    }
    Lengths {
        /// Sets the column.
        key: impl Into<Option<ColumnPath>> => key.into(),
    }
}
