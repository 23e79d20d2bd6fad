//! One tf.SequenceExample of Rust values.

use std::collections::BTreeMap;
use std::fmt;

use proto_wire::len_field_size;

use super::feature::Feature;
use super::view::FeatureView;
use super::wire::{Message, Parts, entry_head, entry_len, head, utf8};
use super::{Example, missing};
use crate::decode::feature::FEATURE_DEPTH;
use crate::error::check_size;
use crate::foreign::{is_other_message, other_message};
use crate::infer::{FEATURE_LISTS, FEATURES};
use crate::{Error, Limits};

pub(crate) const SEQUENCE_EXAMPLE: &str = "tf.SequenceExample";
/// Depth of a `FeatureList` in a record.
const LIST_DEPTH: u32 = 3;

/// One tf.SequenceExample of Rust values: the features of a context, and lists of steps, each of which is a [`Feature`].
///
/// It is written like an [`Example`], in the order of names, and read by the same rules.
///
/// ```
/// use example_codec::{Example, Feature, SequenceExample};
///
/// let video = SequenceExample::new()
///     .context(Example::new().bytes("title", ["the sea"]))
///     .steps("frame", [Feature::bytes(["jpeg 0"]), Feature::bytes(["jpeg 1"])])
///     .steps("labels", [Feature::int64([3, 5]), Feature::int64([8])]);
///
/// let read = SequenceExample::parse(&video.to_vec())?;
/// assert_eq!(read, video);
/// assert_eq!(read.context.get_bytes("title")?, [b"the sea"]);
/// assert_eq!(read.get("labels")?[1].as_int64(), Some(&[8][..]));
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SequenceExample {
    /// The features that do not belong to a step.
    pub context: Example,
    lists: BTreeMap<String, Vec<Feature>>,
}

impl SequenceExample {
    /// Returns an example without features.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a record. Fields that a tf.SequenceExample does not have are passed over, and are not written again.
    ///
    /// # Errors
    /// `Malformed` and `NameNotUtf8` for bytes that are not a tf.SequenceExample, with the byte in the text; `OtherMessage`
    /// for bytes of another message, as far as bytes can tell; `LimitExceeded` for more than 2^31 − 1 bytes.
    pub fn parse(record: &[u8]) -> Result<Self, Error> {
        check_size(record, &Limits::default())?;
        let message = Message::new(record, SEQUENCE_EXAMPLE);
        let mut read = Self::new();
        message.fields(message.whole(), 0, |number, content| match number {
            FEATURES => message.entries(content, |name, value| {
                let feature = FeatureView::parse(message, name, &value, FEATURE_DEPTH)?;
                read.context.insert(utf8(name)?, feature.to_feature());
                Ok(())
            }),
            FEATURE_LISTS => message.entries(content, |name, value| {
                let mut steps = Vec::new();
                steps_of(message, name, &value, |step| {
                    steps.push(step.to_feature());
                    Ok(())
                })?;
                read.lists.insert(utf8(name)?.to_owned(), steps);
                Ok(())
            }),
            _ => Ok(()),
        })?;
        if read == Self::new() && is_other_message(record) {
            return Err(other_message(SEQUENCE_EXAMPLE, record));
        }
        Ok(read)
    }

    /// Sets the features that do not belong to a step.
    #[must_use]
    pub fn context(mut self, context: Example) -> Self {
        self.context = context;
        self
    }

    /// Adds a feature list. Without steps it is an empty list, which is not an absent one.
    #[must_use]
    pub fn steps(mut self, name: impl Into<String>, steps: impl IntoIterator<Item = Feature>) -> Self {
        self.lists.insert(name.into(), steps.into_iter().collect());
        self
    }

    /// Returns the steps of a feature list.
    ///
    /// # Errors
    /// `MissingFeature` when there is none of that name, with the nearest one that there is.
    pub fn get(&self, name: &str) -> Result<&[Feature], Error> {
        let steps = self.lists.get(name).map(Vec::as_slice);
        steps.ok_or_else(|| missing(name, self.lists.keys().map(String::as_str)))
    }

    /// Removes a feature list and returns its steps.
    pub fn remove(&mut self, name: &str) -> Option<Vec<Feature>> {
        self.lists.remove(name)
    }

    /// Returns the feature lists in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[Feature])> {
        self.lists.iter().map(|(name, steps)| (name.as_str(), steps.as_slice()))
    }

    /// Returns the encoded message, as a TFRecord file holds it.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.context.write(&mut out);
        let lists = self.iter().map(|(name, steps)| entry_len(name, list_len(steps))).sum();
        if lists > 0 {
            out.reserve(len_field_size(lists));
            head(&mut out, FEATURE_LISTS, lists);
        }
        for (name, steps) in self.iter() {
            entry_head(&mut out, name, list_len(steps));
            for step in steps {
                head(&mut out, 1, step.encoded_len());
                step.write(&mut out);
            }
        }
        out
    }
}

/// Calls `each` with the steps of a feature list.
pub(crate) fn steps_of<'a>(
    message: Message<'a>,
    name: &'a [u8],
    list: &Parts,
    mut each: impl FnMut(FeatureView<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    for part in list.iter() {
        message.fields(part, LIST_DEPTH, |number, step| match number {
            1 => each(FeatureView::parse(message, name, &step.into(), LIST_DEPTH + 1)?),
            _ => Ok(()),
        })?;
    }
    Ok(())
}

/// Returns the size of a `FeatureList`.
fn list_len(steps: &[Feature]) -> usize {
    steps.iter().map(|step| len_field_size(step.encoded_len())).sum()
}

/// Shows the context and the feature lists by name.
impl fmt::Debug for SequenceExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SequenceExample").field("context", &self.context).field("lists", &self.lists).finish()
    }
}
