//! The manifest of a data set: its compression and its features.

mod derive;
mod draft;
mod read;

use std::sync::Arc;

use serde::Serialize;
use tfxio_core::DType;

pub(crate) use self::derive::{Derived, FeatureColumns, derive};
pub use self::draft::Draft;
use crate::config::write;

/// Name of the file of a manifest, beside the files that it describes.
pub(crate) const FILE_NAME: &str = "__manifest__.json";
/// Format of the files that a manifest describes.
pub(crate) const FORMAT: &str = "tfrecord";

/// Description of a data set in `__manifest__.json`.
///
/// serde writes it as that JSON, and reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Manifest {
    /// Compression of the files.
    #[serde(serialize_with = "write::compression")]
    pub compression: Compression,
    /// Whether records are tf.SequenceExamples, whose features may vary in length; tf.Examples otherwise.
    pub allow_var_len: bool,
    /// The features, in the order of the file. Names are unique.
    pub features: Vec<Feature>,
}

/// Compression of the files of a data set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// As gzip.
    Gzip,
    /// As zlib.
    Zlib,
}

/// One feature of a data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Feature {
    /// Its name in the records.
    pub name: Arc<str>,
    /// The dtype of its tensor; values are cast if they are stored as another.
    #[serde(serialize_with = "write::dtype")]
    pub dtype: DType,
    /// The shape of its tensor in one record, or of one step if it is a sequence.
    pub shape: Vec<usize>,
    /// Whether it is a feature list (a sequence of any length) and not a context feature.
    pub var_len: bool,
    /// Encoding of its values in records.
    #[serde(flatten)]
    pub deserialize: Deserialize,
}

impl Feature {
    /// Returns the number of values, or raw strings, in a record; of a sequence in a step.
    pub(crate) fn values(&self) -> usize {
        match self.deserialize {
            Deserialize::Raw { .. } if self.var_len => 1,
            Deserialize::Raw { len, .. } => len.max(1),
            _ => self.shape.iter().product(),
        }
    }
}

/// Encoding of a feature in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "deserialize_type", content = "deserialize_args", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Deserialize {
    /// An `int64_list`.
    Int,
    /// A `float_list`.
    Float,
    /// A `bytes_list` of strings.
    String,
    /// A `bytes_list` of the bytes of tensors.
    Raw {
        /// The byte order of the elements.
        endian: Endian,
        /// Number of tensors in a record. More than one adds a first dimension. 1 for sequences.
        len: usize,
    },
}

/// A byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Endian {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}
