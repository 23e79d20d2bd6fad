//! The tensors of a configuration: what is read, made, changed and padded.

use std::sync::Arc;

use serde::Serialize;
use tfxio_core::DType;

use super::write;

/// A feature of the data set and the name of its tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PrimaryFeature {
    /// The feature's name in the manifest.
    pub from_name: Arc<str>,
    /// The tensor's name.
    pub to_name: Arc<str>,
}

impl PrimaryFeature {
    /// Returns a feature of the manifest under the name of a tensor.
    #[must_use]
    pub fn new(from_name: impl Into<Arc<str>>, to_name: impl Into<Arc<str>>) -> Self {
        Self { from_name: from_name.into(), to_name: to_name.into() }
    }
}

/// A tensor of one value in every cell.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SecondaryFeature {
    /// The tensor's name.
    pub to_name: Arc<str>,
    /// Its shape in one record.
    pub shape: ShapeOf,
    /// Its dtype.
    pub dtype: DTypeOf,
    /// Its value; `None` for 0 or the empty string. `ones` is a constant of value 1.
    pub value: Option<Constant>,
}

impl SecondaryFeature {
    /// Returns a tensor of zeros or empty strings; set `value` for another.
    #[must_use]
    pub fn new(to_name: impl Into<Arc<str>>, shape: ShapeOf, dtype: DTypeOf) -> Self {
        Self { to_name: to_name.into(), shape, dtype, value: None }
    }
}

/// A shape, or where it is copied from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ShapeOf {
    /// This shape.
    Given(Vec<usize>),
    /// The shape of that primary tensor, before processing.
    Tensor(Arc<str>),
    /// As many steps as that primary tensor has, before processing, each of this shape. As JSON a list that begins with the name.
    #[serde(serialize_with = "write::steps")]
    Steps(Arc<str>, Vec<usize>),
}

/// A dtype, or where it is copied from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum DTypeOf {
    /// This dtype.
    Given(#[serde(serialize_with = "write::dtype")] DType),
    /// The dtype of that primary tensor, before processing.
    Tensor(Arc<str>),
}

/// A value in a configuration that has to fit a dtype.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Constant {
    /// `true` or `false`.
    Bool(bool),
    /// A number without a fraction.
    Int(i128),
    /// Any other number.
    Float(f64),
    /// A string.
    String(String),
}

/// A step of processing, of records or of windows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProcessingStep {
    /// The tensor that it changes.
    pub tensor: Arc<str>,
    /// Its operation.
    #[serde(flatten)]
    pub operation: Operation,
}

impl ProcessingStep {
    /// Returns a step that changes a tensor.
    #[must_use]
    pub fn new(tensor: impl Into<Arc<str>>, operation: Operation) -> Self {
        Self { tensor: tensor.into(), operation }
    }
}

/// Operation of a processing step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", content = "args", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Operation {
    /// Takes a part, as Python's brackets do.
    #[serde(serialize_with = "write::slice")]
    Slice(Slice),
    /// Turns each index into a vector with a one at that position.
    OneHot {
        /// The length of the vectors.
        depth: usize,
        /// Their dtype. Default float32.
        #[serde(serialize_with = "write::dtype")]
        dtype: DType,
    },
    /// Gives the same values another shape.
    #[serde(serialize_with = "write::reshape")]
    Reshape(Vec<usize>),
}

/// A slice in several dimensions, such as `[3,:,4:,:-2,1:4]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Slice {
    /// One entry a dimension, from the first.
    pub axes: Vec<SliceAxis>,
}

impl Slice {
    /// Returns a slice of one entry a dimension.
    #[must_use]
    pub fn new(axes: Vec<SliceAxis>) -> Self {
        Self { axes }
    }
}

/// Selection of a slice in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SliceAxis {
    /// Takes one position and drops the dimension. Negative positions count from the end.
    Index(i64),
    /// Takes every `step`-th position from `start` to `stop`, which is excluded. `step` is not 0.
    Range {
        /// The first position.
        start: Option<i64>,
        /// The position before which it ends.
        stop: Option<i64>,
        /// Distance between positions; negative for backwards.
        step: i64,
    },
}

/// A tensor to normalise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Normalization {
    /// The tensor.
    pub tensor: Arc<str>,
    /// Along which dimension, without the batch; negative from the end.
    pub axis: i64,
}

impl Normalization {
    /// Returns the normalisation of a tensor along a dimension.
    #[must_use]
    pub fn new(tensor: impl Into<Arc<str>>, axis: i64) -> Self {
        Self { tensor: tensor.into(), axis }
    }
}

/// Padding of tensors whose shapes differ within a batch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Padding {
    /// None: shapes must be equal.
    Off,
    /// All tensors, to the largest of the batch in each dimension, with 0 or the empty string.
    All,
    /// All tensors; the listed ones as given.
    List(Vec<TensorPadding>),
}

/// Padding of one tensor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TensorPadding {
    /// The tensor.
    pub tensor: Arc<str>,
    /// The size of each dimension without the batch, `None` for the largest of the batch. `None` for all of these.
    #[serde(serialize_with = "write::sizes")]
    pub shape: Option<Vec<Option<usize>>>,
    /// The pad value; `None` for 0 or the empty string.
    pub value: Option<Constant>,
}

impl TensorPadding {
    /// Returns the padding of a tensor to the largest of the batch, with 0 or the empty string; set `shape` and `value` for others.
    #[must_use]
    pub fn new(tensor: impl Into<Arc<str>>) -> Self {
        Self { tensor: tensor.into(), shape: None, value: None }
    }
}
