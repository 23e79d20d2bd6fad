//! Schemas of tf.Example features.

mod of_arrow;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use tfxio_core::UnknownColumn;

use crate::{Error, Kind};

/// The three kinds of a tf.Example feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FeatureKind {
    /// `bytes_list`: byte strings; Arrow `LargeBinary` (or `Binary`).
    Bytes,
    /// `float_list`: 32-bit floats; Arrow `Float32`.
    Float,
    /// `int64_list`: 64-bit integers; Arrow `Int64`.
    Int64,
}

impl FeatureKind {
    /// As a sentence has it: `"an int64_list"`.
    pub(crate) const fn with_article(self) -> &'static str {
        match self {
            Self::Bytes => "a bytes_list",
            Self::Float => "a float_list",
            Self::Int64 => "an int64_list",
        }
    }

    /// All of them, in the order of their field numbers.
    pub const ALL: [Self; 3] = [Self::Bytes, Self::Float, Self::Int64];

    /// Returns the field number in `tensorflow.Feature`.
    pub(crate) const fn field(self) -> u32 {
        match self {
            Self::Bytes => 1,
            Self::Float => 2,
            Self::Int64 => 3,
        }
    }

    /// Returns the kind of that field number in `tensorflow.Feature`.
    pub(crate) const fn from_field(field: u32) -> Option<Self> {
        match field {
            1 => Some(Self::Bytes),
            2 => Some(Self::Float),
            3 => Some(Self::Int64),
            _ => None,
        }
    }

    /// Returns the field's name in `tensorflow.Feature`: `bytes_list`, `float_list` or `int64_list`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes_list",
            Self::Float => "float_list",
            Self::Int64 => "int64_list",
        }
    }
}

impl fmt::Display for FeatureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Specification of one feature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeatureField {
    /// The feature's name.
    pub name: Arc<str>,
    /// Its kind; `None` for a feature that never has a value, whose column is of type `Null`.
    pub kind: Option<FeatureKind>,
    /// The number of values that every record has that has the feature at all. It makes the column
    /// a `FixedSizeList` where the decoder is asked for such columns, and is not checked otherwise.
    pub fixed_len: Option<u32>,
    /// Whether every record must have the feature. Default false.
    pub required: bool,
}

impl FeatureField {
    /// Returns a feature of a kind, of any length, that may be absent.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, kind: FeatureKind) -> Self {
        Self { name: name.into(), kind: Some(kind), fixed_len: None, required: false }
    }

    /// Returns a feature that never has a value.
    #[must_use]
    pub fn null(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), kind: None, fixed_len: None, required: false }
    }

    /// Returns the same with a fixed number of values.
    #[must_use]
    pub fn fixed_len(mut self, values: u32) -> Self {
        self.fixed_len = Some(values);
        self
    }

    /// Returns the same, required in every record.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// The features of a data set, in the order of their columns.
///
/// ```
/// use example_codec::{ExampleSchema, FeatureKind, FeatureField};
/// let schema = ExampleSchema::new([
///     FeatureField::new("image", FeatureKind::Float).fixed_len(64),
///     FeatureField::new("label", FeatureKind::Int64).required(),
/// ])?;
/// assert_eq!(schema.features().len(), 2);
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExampleSchema {
    features: Vec<FeatureField>,
}

impl ExampleSchema {
    /// Returns a schema of these features, in this order.
    ///
    /// # Errors
    /// [`Kind::InvalidSchema`] when two features have one name.
    pub fn new(features: impl IntoIterator<Item = FeatureField>) -> Result<Self, Error> {
        let features = features.into_iter().collect::<Vec<_>>();
        let mut names = HashSet::with_capacity(features.len());
        for feature in &features {
            if !names.insert(&feature.name) {
                return Err(Error::new(
                    Kind::InvalidSchema,
                    format!("the schema has two features named {:?}", feature.name),
                )
                .help("remove one"));
            }
        }
        Ok(Self { features })
    }

    /// Returns a schema of features that are known to have different names.
    pub(crate) fn of_distinct(features: Vec<FeatureField>) -> Self {
        Self { features }
    }

    /// Returns the features, in the order of their columns.
    #[must_use]
    pub fn features(&self) -> &[FeatureField] {
        &self.features
    }

    /// Returns the feature of that name.
    #[must_use]
    pub fn feature(&self, name: &str) -> Option<&FeatureField> {
        self.features.iter().find(|feature| &*feature.name == name)
    }

    /// Returns the schema of some of the features, in the order asked for.
    ///
    /// # Errors
    /// [`UnknownColumn`] for a name that the schema does not have, with the nearest one
    /// that it has; [`Kind::InvalidSchema`] for a name given twice.
    pub fn project<S: AsRef<str>>(&self, names: impl IntoIterator<Item = S>) -> Result<Self, Error> {
        let by_name =
            self.features.iter().map(|feature| (&*feature.name, feature)).collect::<HashMap<_, _>>();
        let find = |name: S| {
            by_name.get(name.as_ref()).copied().cloned().ok_or_else(|| {
                let known = self.features.iter().map(|feature| &*feature.name);
                UnknownColumn::among(name.as_ref(), known)
            })
        };
        Self::new(names.into_iter().map(find).collect::<Result<Vec<_>, _>>()?)
    }
}
