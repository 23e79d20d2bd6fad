//! One tf.Example of Rust values, written and read.

mod feature;
mod sequence;
mod view;
mod wire;

use std::collections::BTreeMap;
use std::fmt;

use proto_wire::len_field_size;
use tfxio_base::suggest;

pub use self::feature::Feature;
pub use self::sequence::SequenceExample;
pub(crate) use self::sequence::{SEQUENCE_EXAMPLE, steps_of};
pub use self::view::{ExampleView, FeatureView};
pub(crate) use self::wire::{Message, Parts, entry_head, entry_len, field, head, utf8, varint};
use crate::error::Locate;
use crate::infer::FEATURES;
use crate::{Error, FeatureKind, Kind};

/// The name of the message in errors.
pub(crate) const EXAMPLE: &str = "tf.Example";

/// One tf.Example of Rust values, feature by feature.
///
/// Features are written in the order of their names, whatever the order of the calls, so that equal examples are equal
/// bytes: the same as of TensorFlow's deterministic serialisation. A name that is given again takes the later values, as in
/// a map. To write or read many rows of columns, take [`ExampleEncoder`](crate::ExampleEncoder) and
/// [`ExampleDecoder`](crate::ExampleDecoder); to read without a copy, [`ExampleView`].
///
/// ```
/// use example_codec::{Example, Feature};
///
/// let example = Example::new()
///     .int64("label", [5])
///     .float("scores", [0.5, 1.5])
///     .bytes("words", ["red", "shoes"]);
///
/// let mut read = Example::parse(&example.to_vec())?;
/// assert_eq!(read, example);
/// assert_eq!(read.get_int64("label")?, [5]);
/// assert_eq!(read.get("scores").map(Feature::len), Some(2));
/// assert_eq!(read.remove("words"), Some(Feature::bytes(["red", "shoes"])));
/// assert_eq!(read.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["label", "scores"]);
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Example {
    features: BTreeMap<String, Feature>,
}

impl Example {
    /// Returns an example without features.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a record. Fields that a tf.Example does not have are passed over, and are not written again.
    ///
    /// # Errors
    /// As [`ExampleView::parse`].
    pub fn parse(record: &[u8]) -> Result<Self, Error> {
        Ok(ExampleView::parse(record)?.to_example())
    }

    /// Adds a feature of integers. Without values it is an empty list, which is not an absent feature.
    #[must_use]
    pub fn int64<I>(self, name: impl Into<String>, values: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<i64>,
    {
        self.feature(name, Feature::int64(values))
    }

    /// Adds a feature of floats.
    #[must_use]
    pub fn float(self, name: impl Into<String>, values: impl IntoIterator<Item = f32>) -> Self {
        self.feature(name, Feature::float(values))
    }

    /// Adds a feature of byte strings, or of texts, which are their UTF-8.
    #[must_use]
    pub fn bytes<I>(self, name: impl Into<String>, values: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        self.feature(name, Feature::bytes(values))
    }

    /// Adds a feature.
    #[must_use]
    pub fn feature(mut self, name: impl Into<String>, feature: Feature) -> Self {
        self.insert(name, feature);
        self
    }

    /// Adds a feature, and returns the one of this name that it replaces.
    pub fn insert(&mut self, name: impl Into<String>, feature: Feature) -> Option<Feature> {
        self.features.insert(name.into(), feature)
    }

    /// Removes a feature and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Feature> {
        self.features.remove(name)
    }

    /// Returns a feature.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Feature> {
        self.features.get(name)
    }

    /// Returns the integers of a feature.
    ///
    /// # Errors
    /// `MissingFeature` when there is none of that name, with the nearest one that there is; `KindMismatch` when its values
    /// are not integers.
    pub fn get_int64(&self, name: &str) -> Result<&[i64], Error> {
        self.typed(name, Feature::as_int64, FeatureKind::Int64)
    }

    /// Returns the floats of a feature.
    ///
    /// # Errors
    /// As [`get_int64`](Self::get_int64).
    pub fn get_float(&self, name: &str) -> Result<&[f32], Error> {
        self.typed(name, Feature::as_float, FeatureKind::Float)
    }

    /// Returns the byte strings of a feature.
    ///
    /// # Errors
    /// As [`get_int64`](Self::get_int64).
    pub fn get_bytes(&self, name: &str) -> Result<&[Vec<u8>], Error> {
        self.typed(name, Feature::as_bytes, FeatureKind::Bytes)
    }

    /// Returns the features in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Feature)> + Clone {
        self.features.iter().map(|(name, feature)| (name.as_str(), feature))
    }

    /// Returns the number of features.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Returns whether the example has zero features.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Returns the encoded message, as a TFRecord file holds it.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    /// Appends the encoded message as a field 1, which an example without features does not have.
    fn write(&self, out: &mut Vec<u8>) {
        let entry = |(name, feature): (&String, &Feature)| entry_len(name, feature.encoded_len());
        let features = self.features.iter().map(entry).sum();
        if features == 0 {
            return;
        }
        out.reserve(len_field_size(features));
        head(out, FEATURES, features);
        for (name, feature) in &self.features {
            entry_head(out, name, feature.encoded_len());
            feature.write(out);
        }
    }

    fn typed<'a, T>(
        &'a self,
        name: &str,
        values: impl Fn(&'a Feature) -> Option<&'a [T]>,
        kind: FeatureKind,
    ) -> Result<&'a [T], Error> {
        let Some(feature) = self.get(name) else {
            return Err(missing(name, self.iter().map(|(name, _)| name)));
        };
        values(feature).ok_or_else(|| wrong_kind(feature.kind(), kind).in_feature(name))
    }
}

/// Shows the features by name, of each the first values.
impl fmt::Debug for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Example ")?;
        f.debug_map().entries(&self.features).finish()
    }
}

impl<N: Into<String>> FromIterator<(N, Feature)> for Example {
    fn from_iter<I: IntoIterator<Item = (N, Feature)>>(features: I) -> Self {
        Self { features: features.into_iter().map(|(name, feature)| (name.into(), feature)).collect() }
    }
}

/// Returns the error of a feature that a record does not have.
#[cold]
pub(crate) fn missing<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Error {
    Error::new(Kind::MissingFeature, "the record lacks the feature")
        .help(suggest::hint(name, known, "features"))
        .in_feature(name)
}

#[cold]
pub(crate) fn wrong_kind(found: Option<FeatureKind>, expected: FeatureKind) -> Error {
    match found {
        Some(found) => {
            let kind = Kind::KindMismatch { expected: Some(expected), found };
            Error::new(
                kind,
                format!("the value is {}, not {}", found.with_article(), expected.with_article()),
            )
        }
        None => Error::new(
            Kind::MissingFeature,
            format!("the feature has no values, where {} is expected", expected.with_article()),
        ),
    }
}
