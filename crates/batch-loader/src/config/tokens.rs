//! Settings of sequence lengths: defaults, truncation, packing, and budgets of batches.

use std::sync::Arc;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use tfxio_core::DType;

use super::Constant;

/// The value of a tensor in records that lack its feature.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TensorDefault {
    /// The tensor, of a primary feature.
    pub tensor: Arc<str>,
    /// Its value.
    pub value: DefaultValue,
}

impl TensorDefault {
    /// Returns the default of a tensor.
    pub fn new(tensor: impl Into<Arc<str>>, value: impl Into<DefaultValue>) -> Self {
        Self { tensor: tensor.into(), value: value.into() }
    }
}

/// The value of a whole tensor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum DefaultValue {
    /// This value in every cell; not for sequences of any length.
    Cells(Constant),
    /// These values, in row-major order; of a sequence as many as its steps have.
    List(Vec<Constant>),
}

impl From<Constant> for DefaultValue {
    fn from(value: Constant) -> Self {
        Self::Cells(value)
    }
}

impl From<Vec<Constant>> for DefaultValue {
    fn from(values: Vec<Constant>) -> Self {
        Self::List(values)
    }
}

/// The most steps of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Truncation {
    /// The tensor.
    pub tensor: Arc<str>,
    /// The most that is kept of its first dimension, the batch not counted.
    pub length: usize,
    /// The end that is kept.
    pub keep: Keep,
}

impl Truncation {
    /// Returns the truncation of a tensor to its first `length` steps.
    pub fn new(tensor: impl Into<Arc<str>>, length: usize) -> Self {
        Self { tensor: tensor.into(), length, keep: Keep::default() }
    }

    /// Sets which end is kept. Default: the head.
    #[must_use]
    pub fn keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }
}

/// End of a sequence that is kept when it is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Keep {
    /// Its beginning.
    #[default]
    Head,
    /// Its end.
    Tail,
}

/// Treatment of an example that alone is longer than a budget or a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TooLong {
    /// It is an error.
    #[default]
    Fail,
    /// It is left out, and counted.
    Drop,
    /// Its head is kept, and it is counted.
    Truncate,
}

/// A budget of tokens: the most that a batch holds, padding counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MaxTokens {
    /// The most tokens of a batch: its examples times the length of the longest.
    pub tokens: usize,
    /// The tensors whose longest counts; empty for all sequences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tensors: Vec<Arc<str>>,
    /// The most examples of a batch. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_examples: Option<usize>,
    /// Treatment of an example that alone has more tokens. Default: it is an error.
    pub too_long: TooLong,
}

impl MaxTokens {
    /// Returns a budget.
    #[must_use]
    pub fn new(tokens: usize) -> Self {
        Self { tokens, tensors: Vec::new(), max_examples: None, too_long: TooLong::default() }
    }

    /// Sets the tensors of which the longest counts. Default: all sequences.
    #[must_use]
    pub fn tensors<N: Into<Arc<str>>>(mut self, tensors: impl IntoIterator<Item = N>) -> Self {
        self.tensors = tensors.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the most examples of a batch. Default: no limit.
    #[must_use]
    pub fn max_examples(mut self, examples: usize) -> Self {
        self.max_examples = Some(examples);
        self
    }

    /// Sets what is done with an example that has more tokens alone. Default: it is an error.
    #[must_use]
    pub fn too_long(mut self, too_long: TooLong) -> Self {
        self.too_long = too_long;
        self
    }
}

/// Rows of one length, each with the sequences of several examples.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pack {
    /// The tokens of a row.
    pub length: usize,
    /// The most rows that are open at once for examples that fit. Default 32.
    pub open_rows: usize,
    /// Whether an example may begin in one row and go on in the next, so that all rows are full. Default false.
    pub split: bool,
    /// Treatment of an example that is longer than a row, unless it is split. Default: it is an error.
    pub too_long: TooLong,
    /// The name of the tensor of the numbers of examples in their rows. Default `segment_ids`.
    pub segment_ids: Arc<str>,
    /// The name of the tensor of the numbers of tokens in their examples. Default `positions`.
    pub positions: Arc<str>,
    /// The dtype of these two: int32 or int64. Default int32.
    pub dtype: DType,
}

impl Serialize for Pack {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { length, open_rows, split, too_long, segment_ids, positions, dtype } = self;
        let mut out = serializer.serialize_struct("Pack", if *split { 5 } else { 6 })?;
        out.serialize_field("length", length)?;
        // What is split has one open row and no length that is too much.
        if *split {
            out.serialize_field("split", split)?;
        } else {
            out.serialize_field("open_rows", open_rows)?;
            out.serialize_field("too_long", too_long)?;
        }
        out.serialize_field("segment_ids", segment_ids)?;
        out.serialize_field("positions", positions)?;
        out.serialize_field("dtype", dtype.name())?;
        out.end()
    }
}

impl Pack {
    /// Returns rows of a length.
    #[must_use]
    pub fn new(length: usize) -> Self {
        Self {
            length,
            open_rows: 32,
            split: false,
            too_long: TooLong::default(),
            segment_ids: "segment_ids".into(),
            positions: "positions".into(),
            dtype: DType::Int32,
        }
    }

    /// Sets how many rows are open at once. Default 32.
    #[must_use]
    pub fn open_rows(mut self, rows: usize) -> Self {
        self.open_rows = rows;
        self
    }

    /// Sets whether examples are split over rows. Default false.
    #[must_use]
    pub fn split(mut self, split: bool) -> Self {
        self.split = split;
        self
    }

    /// Sets what is done with an example that is longer than a row. Default: it is an error.
    #[must_use]
    pub fn too_long(mut self, too_long: TooLong) -> Self {
        self.too_long = too_long;
        self
    }

    /// Sets the dtype of the tensors that tell examples apart: int32 or int64. Default int32.
    #[must_use]
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = dtype;
        self
    }
}
