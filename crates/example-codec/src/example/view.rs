//! Views of one tf.Example in the bytes of its record.

use std::fmt;

use proto_wire::{Error as WireError, count_varints, decode_varints};

use super::feature::Feature;
use super::wire::{Message, Parts, utf8};
use super::{EXAMPLE, Example, missing, wrong_kind};
use crate::decode::feature::{Count, FEATURE_DEPTH, Span, Values, parse_part, read_list, usual};
use crate::error::{Locate, check_size};
use crate::foreign::{is_other_message, other_message};
use crate::infer::{FEATURE_LISTS, FEATURES};
use crate::{Error, FeatureKind, Kind, Limits};

/// One tf.Example, read without copying its values: the features of a record by name.
///
/// The whole record is checked by [`parse`](Self::parse). Features come in the order of their names. Records that protobuf
/// allows are read as the [decoder](crate::ExampleDecoder) reads them: of one name the last entry counts, lists of one kind
/// are merged, numbers are packed or not, unknown fields are passed over.
///
/// ```
/// use example_codec::{Example, ExampleView};
///
/// let record = Example::new().bytes("words", ["red", "shoes"]).int64("label", [5]).to_vec();
/// let example = ExampleView::parse(&record)?;
/// assert_eq!(example.get("words")?.to_bytes()?, [b"red", &b"shoes"[..]]);
/// assert_eq!(example.get("label")?.to_int64()?, [5]);
///
/// let error = example.get("lable").unwrap_err();
/// assert_eq!(error.to_string(), "column \"lable\": the record lacks the feature; did you mean \"label\"?");
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone)]
pub struct ExampleView<'a> {
    features: Vec<(&'a str, FeatureView<'a>)>,
}

impl<'a> ExampleView<'a> {
    /// Reads a record.
    ///
    /// # Errors
    /// `Malformed` and `NameNotUtf8` for bytes that are not a tf.Example, with the byte in the text; `OtherMessage` for
    /// bytes of another message, as far as bytes can tell; `FeatureLists` for a tf.SequenceExample that has feature lists;
    /// `LimitExceeded` for more than 2^31 − 1 bytes.
    pub fn parse(record: &'a [u8]) -> Result<Self, Error> {
        check_size(record, &Limits::default())?;
        let message = Message::new(record, EXAMPLE);
        let mut features = Vec::new();
        message.fields(message.whole(), 0, |number, content| match number {
            FEATURES => message.entries(content, |name, value| {
                let feature = FeatureView::parse(message, name, &value, FEATURE_DEPTH)?;
                features.push((utf8(name)?, feature));
                Ok(())
            }),
            FEATURE_LISTS if content.start < content.end => Err(Error::new(
                Kind::FeatureLists,
                "the record has feature lists, which a tf.Example does not have, and which would be left out",
            )
            .help("read it as a `SequenceExample`")),
            _ => Ok(()),
        })?;
        if features.is_empty() && is_other_message(record) {
            return Err(other_message(EXAMPLE, record));
        }
        keep_last(&mut features);
        Ok(Self { features })
    }

    /// Returns a feature.
    ///
    /// # Errors
    /// `MissingFeature` when there is none of that name, with the nearest one that there is.
    pub fn get(&self, name: &str) -> Result<&FeatureView<'a>, Error> {
        match self.features.binary_search_by_key(&name, |(known, _)| known) {
            Ok(at) => self.features.get(at).map(|(_, feature)| feature),
            Err(_) => None,
        }
        .ok_or_else(|| missing(name, self.features.iter().map(|(name, _)| *name)))
    }

    /// Returns the features in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a str, &FeatureView<'a>)> {
        self.features.iter().map(|(name, feature)| (*name, feature))
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

    /// Copies the values.
    #[must_use]
    pub fn to_example(&self) -> Example {
        self.iter().map(|(name, feature)| (name.to_owned(), feature.to_feature())).collect()
    }
}

impl fmt::Debug for ExampleView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Sorts entries by name, and keeps the last of each name.
pub(super) fn keep_last<T>(entries: &mut Vec<(&str, T)>) {
    entries.reverse();
    entries.sort_by_key(|(name, _)| *name);
    entries.dedup_by_key(|(name, _)| *name);
}

/// View of the values of one feature in a record, which has been checked.
#[derive(Clone)]
pub struct FeatureView<'a> {
    message: Message<'a>,
    /// The name of the feature, for errors.
    name: &'a [u8],
    kind: Option<FeatureKind>,
    content: Content,
    depth: u32,
}

#[derive(Clone)]
enum Content {
    /// All of it: packed numbers, or one byte string.
    Run(Span),
    /// The list messages, which are merged.
    Lists(Vec<Span>),
}

impl<'a> FeatureView<'a> {
    /// Reads and checks a `Feature` that is `depth` messages deep.
    #[inline]
    pub(crate) fn parse(
        message: Message<'a>,
        name: &'a [u8],
        feature: &Parts,
        depth: u32,
    ) -> Result<Self, Error> {
        if let Some((kind, run)) = feature.single().and_then(|feature| usual(message.bytes, feature)) {
            return Ok(Self { message, name, kind: Some(kind), content: Content::Run(run), depth });
        }
        Self::parse_any(message, name, feature, depth)
    }

    #[inline(never)]
    fn parse_any(message: Message<'a>, name: &'a [u8], feature: &Parts, depth: u32) -> Result<Self, Error> {
        let (mut kind, mut lists) = (None, Vec::new());
        let parts =
            feature.iter().try_for_each(|part| parse_part(message.bytes, part, depth, &mut kind, &mut lists));
        let view = Self { message, name, kind, content: Content::Lists(lists), depth };
        parts.map_err(|error| view.named(message.malformed(error)))?;
        Ok(view)
    }

    /// Returns which list is set: `None` counts as an absent feature.
    #[must_use]
    pub const fn kind(&self) -> Option<FeatureKind> {
        self.kind
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match (&self.content, self.kind) {
            (Content::Run(run), Some(FeatureKind::Int64)) => count_varints(run.of(self.message.bytes)),
            (Content::Run(run), Some(FeatureKind::Float)) => (run.end - run.start) / 4,
            (Content::Run(_), _) => 1,
            (Content::Lists(lists), _) if lists.is_empty() => 0,
            _ => {
                let mut count = Count(0);
                // What has been checked cannot fail.
                self.read(&mut count).map_or(0, |()| count.0 as usize)
            }
        }
    }

    /// Returns whether the feature has zero values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the integers. An empty list has none, whatever its kind.
    ///
    /// # Errors
    /// `KindMismatch` for values of another kind; `MissingFeature` for a feature without a kind.
    pub fn to_int64(&self) -> Result<Vec<i64>, Error> {
        self.expect(FeatureKind::Int64)?;
        let mut values = Ints(Vec::new());
        self.read(&mut values)?;
        Ok(values.0)
    }

    /// Returns the floats.
    ///
    /// # Errors
    /// As [`to_int64`](Self::to_int64).
    pub fn to_float(&self) -> Result<Vec<f32>, Error> {
        self.expect(FeatureKind::Float)?;
        let mut values = Floats(Vec::new());
        self.read(&mut values)?;
        Ok(values.0)
    }

    /// Returns the byte strings, which are not copied.
    ///
    /// # Errors
    /// As [`to_int64`](Self::to_int64).
    pub fn to_bytes(&self) -> Result<Vec<&'a [u8]>, Error> {
        self.expect(FeatureKind::Bytes)?;
        let mut values = Strings(Vec::new());
        self.read(&mut values)?;
        Ok(values.0.into_iter().map(|value| value.of(self.message.bytes)).collect())
    }

    /// Copies the values.
    #[must_use]
    pub fn to_feature(&self) -> Feature {
        match self.kind {
            Some(FeatureKind::Int64) => self.to_int64().map(Feature::Int64),
            Some(FeatureKind::Float) => self.to_float().map(Feature::Float),
            Some(FeatureKind::Bytes) => self.to_bytes().map(Feature::bytes),
            None => Ok(Feature::Unset),
        }
        .unwrap_or_default()
    }

    /// Checks the kind. A list without values contradicts none.
    #[inline]
    pub(crate) fn expect(&self, expected: FeatureKind) -> Result<(), Error> {
        if self.kind == Some(expected) { Ok(()) } else { self.expect_empty(expected) }
    }

    /// Checks that a feature of another kind is an empty list.
    #[cold]
    fn expect_empty(&self, expected: FeatureKind) -> Result<(), Error> {
        if self.kind.is_some() && self.is_empty() {
            Ok(())
        } else {
            Err(self.named(wrong_kind(self.kind, expected)))
        }
    }

    /// Returns all of the value, where it is packed numbers or one byte string.
    #[inline]
    pub(crate) fn run(&self) -> Option<&'a [u8]> {
        match self.content {
            Content::Run(run) => Some(run.of(self.message.bytes)),
            Content::Lists(_) => None,
        }
    }

    /// Reads the values in order.
    pub(crate) fn read(&self, values: &mut impl Values<Fault = WireError>) -> Result<(), Error> {
        let Some(kind) = self.kind else { return Ok(()) };
        let record = self.message.bytes;
        match &self.content {
            Content::Run(run) => match kind {
                FeatureKind::Int64 => values.ints(record, *run),
                FeatureKind::Float => values.floats(record, *run),
                FeatureKind::Bytes => values.bytes(record, *run),
            },
            Content::Lists(lists) => {
                lists.iter().try_for_each(|list| read_list(record, *list, self.depth + 1, kind, values))
            }
        }
        .map_err(|error| self.named(self.message.malformed(error)))
    }

    /// Adds the name of the feature to an error.
    #[cold]
    pub(crate) fn named(&self, error: Error) -> Error {
        error.in_feature(&String::from_utf8_lossy(self.name))
    }
}

impl fmt::Debug for FeatureView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_feature().fmt(f)
    }
}

/// Appends integers.
pub(crate) struct Ints(pub(crate) Vec<i64>);

/// Values that a decoder of varints may write beyond the last.
const SPARE: usize = 64;

impl Values for Ints {
    type Fault = WireError;

    fn int(&mut self, value: i64) -> Result<(), WireError> {
        self.0.push(value);
        Ok(())
    }

    fn ints(&mut self, record: &[u8], run: Span) -> Result<(), WireError> {
        let start = self.0.len();
        self.0.resize(start + count_varints(run.of(record)) + SPARE, 0);
        let free = self.0.get_mut(start..).unwrap_or_default();
        let values = decode_varints(record, run.start, run.end, free)?;
        self.0.truncate(start + values);
        Ok(())
    }
}

/// Appends floats.
pub(crate) struct Floats(pub(crate) Vec<f32>);

impl Values for Floats {
    type Fault = WireError;

    fn floats(&mut self, record: &[u8], run: Span) -> Result<(), WireError> {
        let (values, _) = run.of(record).as_chunks();
        self.0.extend(values.iter().map(|value| f32::from_le_bytes(*value)));
        Ok(())
    }
}

/// Collects the ranges of byte strings.
pub(crate) struct Strings(pub(crate) Vec<Span>);

impl Values for Strings {
    type Fault = WireError;

    fn bytes(&mut self, _: &[u8], value: Span) -> Result<(), WireError> {
        self.0.push(value);
        Ok(())
    }
}
