//! Structs as tf.SequenceExamples: context features, as in a tf.Example, and feature lists.

use proto_wire::len_field_size;

use super::record::Record;
use super::slots::Slot;
use super::{FeatureWriter, FromFeature, ToFeature};
use crate::error::{Locate, check_size, too_long};
use crate::example::{Message, SEQUENCE_EXAMPLE, entry_head, entry_len, head, steps_of, utf8};
use crate::foreign::{is_other_message, other_message};
use crate::infer::{FEATURE_LISTS, FEATURES};
use crate::{Error, Kind, Limits, Origin};

/// A struct that is written as a tf.SequenceExample: `#[derive(ToSequenceExample)]`. Fields with `#[example(steps)]` are
/// feature lists, of one item of a `Vec` a step; the others are features of the context.
///
/// ```
/// # #[cfg(feature = "derive")] {
/// use example_codec::{FromSequenceExample, SequenceExample, ToSequenceExample};
///
/// #[derive(Debug, PartialEq, ToSequenceExample, FromSequenceExample)]
/// struct Video {
///     title: String,
///     #[example(steps)]
///     frames: Vec<Vec<u8>>,
///     #[example(steps)]
///     labels: Vec<Vec<i64>>,
///     #[example(steps)]
///     loudness: Option<Vec<f32>>,
/// }
///
/// let video = Video {
///     title: "the sea".into(),
///     frames: vec![b"jpeg 0".to_vec(), b"jpeg 1".to_vec()],
///     labels: vec![vec![3, 5], vec![]],
///     loudness: None,
/// };
/// let record = video.to_sequence_example_bytes()?;
/// assert_eq!(SequenceExample::parse(&record)?.get("labels")?[0].as_int64(), Some(&[3, 5][..]));
/// assert_eq!(Video::from_sequence_example(&record)?, video);
/// # }
/// # Ok::<(), example_codec::Error>(())
/// ```
pub trait ToSequenceExample {
    /// Hands each feature of the context to the writer. It is called once for the lengths and once for the bytes.
    ///
    /// # Errors
    /// `InvalidValue` for an integer that does not fit an `i64`.
    fn write_context(&self, out: &mut FeatureWriter<'_>) -> Result<(), Error>;

    /// Hands each feature list to the writer. It is called once for the lengths and once for the bytes.
    ///
    /// # Errors
    /// `InvalidValue` for an integer that does not fit an `i64`.
    fn write_lists(&self, out: &mut ListWriter<'_>) -> Result<(), Error>;

    /// Returns the record.
    ///
    /// # Errors
    /// `InvalidValue` for an integer that does not fit an `i64`; `LimitExceeded` for more than 2^31 − 1 bytes.
    fn to_sequence_example_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        self.append_sequence_example(&mut out)?;
        Ok(out)
    }

    /// Appends the record to bytes, which an error leaves as they were.
    ///
    /// # Errors
    /// As [`to_sequence_example_bytes`](Self::to_sequence_example_bytes).
    fn append_sequence_example(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        let written = append(self, out);
        if written.is_err() {
            out.truncate(start);
        }
        written
    }
}

fn append<T: ToSequenceExample + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut context = FeatureWriter::of_lengths();
    value.write_context(&mut context)?;
    let mut lists = ListWriter { length: 0, out: None };
    value.write_lists(&mut lists)?;
    let (context, lists) = (context.length(), lists.length);
    let size = |length| if length == 0 { 0 } else { len_field_size(length) };
    let (most, all) = (i32::MAX as usize, size(context).saturating_add(size(lists)));
    if all > most {
        return Err(too_long(all, most as u64));
    }
    out.reserve(all);
    let start = out.len();
    if context > 0 {
        head(out, FEATURES, context);
        value.write_context(&mut FeatureWriter::of_bytes(out))?;
    }
    if lists > 0 {
        head(out, FEATURE_LISTS, lists);
        value.write_lists(&mut ListWriter { length: 0, out: Some(&mut *out) })?;
    }
    if out.len() - start == all { Ok(()) } else { Err(super::write::changed()) }
}

/// Takes the feature lists of a record, for implementations of [`ToSequenceExample`].
#[derive(Debug)]
pub struct ListWriter<'a> {
    /// The size of all entries.
    length: usize,
    /// Output of the entries; `None` if only their size is asked for.
    out: Option<&'a mut Vec<u8>>,
}

impl ListWriter<'_> {
    /// Takes a feature list. `LOSSY` is whether its values may be rounded.
    ///
    /// # Errors
    /// `InvalidValue` for a value that a feature cannot hold, with the number of its step.
    pub fn steps<const LOSSY: bool, T: ToSteps<LOSSY>>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), Error> {
        let Some(steps) = value.steps() else { return Ok(()) };
        let mut list = 0usize;
        for (number, step) in steps.iter().enumerate() {
            let length = step_len(step).map_err(|error| in_step(error, number).in_feature(name))?;
            list = list.saturating_add(len_field_size(length));
        }
        let Some(out) = &mut self.out else {
            self.length = self.length.saturating_add(entry_len(name, list));
            return Ok(());
        };
        entry_head(out, name, list);
        for step in steps {
            head(out, 1, step_len(step)?);
            if let Some(kind) = step.kind() {
                head(out, kind.field(), step.list_len()?);
                step.write_list(out);
            }
        }
        Ok(())
    }
}

/// Returns the size of the feature of a step.
fn step_len<const LOSSY: bool, T: ToFeature<LOSSY>>(step: &T) -> Result<usize, Error> {
    if step.kind().is_some() { step.list_len().map(len_field_size) } else { Ok(0) }
}

#[cold]
fn in_step(error: Error, number: usize) -> Error {
    error.at_path(format!("[{number}]"))
}

/// A type whose values are the steps of a feature list, to write.
///
/// `LOSSY` is whether values may be rounded to 32 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a feature list of a tf.SequenceExample",
    note = "feature lists are `Vec<T>` and `Option<Vec<T>>`, where `T` is the value of a feature: one of each step"
)]
pub trait ToSteps<const LOSSY: bool = false> {
    /// The value of a step.
    type Step: ToFeature<LOSSY>;

    /// Returns the steps, or `None` for an absent feature list.
    fn steps(&self) -> Option<&[Self::Step]>;
}

impl<const M: bool, T: ToFeature<M>> ToSteps<M> for Vec<T> {
    type Step = T;

    fn steps(&self) -> Option<&[T]> {
        Some(self)
    }
}

impl<const M: bool, T: ToFeature<M>> ToSteps<M> for Option<Vec<T>> {
    type Step = T;

    fn steps(&self) -> Option<&[T]> {
        self.as_deref()
    }
}

/// A type whose values are the steps of a feature list, to read.
///
/// `LOSSY` is whether the type may have more bits than the values; `'r` is the lifetime of the record.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a feature list of a tf.SequenceExample",
    note = "feature lists are `Vec<T>` and `Option<Vec<T>>`, where `T` is the value of a feature: one of each step"
)]
pub trait FromSteps<'r, const LOSSY: bool = false>: Sized {
    /// The value of a step.
    type Step: FromFeature<'r, LOSSY>;

    /// Returns the value of a feature list.
    fn from_steps(steps: Vec<Self::Step>) -> Self;

    /// Returns the value of an absent feature list, if the type has one.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }
}

impl<'r, const M: bool, T: FromFeature<'r, M>> FromSteps<'r, M> for Vec<T> {
    type Step = T;

    fn from_steps(steps: Vec<T>) -> Self {
        steps
    }
}

impl<'r, const M: bool, T: FromFeature<'r, M>> FromSteps<'r, M> for Option<Vec<T>> {
    type Step = T;

    fn from_steps(steps: Vec<T>) -> Self {
        Some(steps)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A struct that is read from a tf.SequenceExample: `#[derive(FromSequenceExample)]`. `'r` is the lifetime of the record, from
/// which a struct may borrow.
///
/// An absent feature list is an error, unless the field is an `Option` or has a default; one without steps is an empty `Vec`.
/// [`ToSequenceExample`] has an example.
pub trait FromSequenceExample<'r>: Sized {
    /// One slot for each field of the context.
    #[doc(hidden)]
    type Context: Default;
    /// One slot for each feature list.
    #[doc(hidden)]
    type Lists: Default;

    /// Whether a feature or a feature list that has no field is an error.
    #[doc(hidden)]
    const DENY_UNKNOWN: bool = false;

    /// Returns the slot of the feature of a name.
    #[doc(hidden)]
    fn slot<'s>(slots: &'s mut Self::Context, name: &[u8]) -> Option<&'s mut Slot<'r>>;

    /// Returns the slot of the feature list of a name.
    #[doc(hidden)]
    fn list<'s>(slots: &'s mut Self::Lists, name: &[u8]) -> Option<&'s mut Slot<'r>>;

    /// Appends the names of all features and feature lists.
    #[doc(hidden)]
    fn names(prefix: &str, names: &mut Vec<String>);

    /// Returns the struct of what was found.
    #[doc(hidden)]
    fn from_slots(context: Self::Context, lists: Self::Lists, record: &Record<'_, 'r>)
    -> Result<Self, Error>;

    /// Reads a record.
    ///
    /// # Errors
    /// `MissingFeature`, `KindMismatch`, `WrongLength` and `InvalidValue` for a feature or a step that is not what its field
    /// needs, with the name of the feature and the number of the step; `UnknownFeature` where the struct denies them;
    /// `Malformed` and `NameNotUtf8` for bytes that are not a tf.SequenceExample; `OtherMessage` for bytes of another message,
    /// as far as bytes can tell.
    fn from_sequence_example(record: &'r [u8]) -> Result<Self, Error> {
        read(record)
    }

    /// Reads a record, and puts its origin into errors.
    ///
    /// # Errors
    /// As [`from_sequence_example`](Self::from_sequence_example).
    fn from_sequence_example_at(record: &'r [u8], origin: Origin<'_>) -> Result<Self, Error> {
        Self::from_sequence_example(record).map_err(|error| error.in_record(origin))
    }
}

fn read<'r, T: FromSequenceExample<'r>>(record: &'r [u8]) -> Result<T, Error> {
    check_size(record, &Limits::default())?;
    let message = Message::new(record, SEQUENCE_EXAMPLE);
    let (mut context, mut lists) = (T::Context::default(), T::Lists::default());
    let mut has_features = false;
    message.fields(message.whole(), 0, |number, content| match number {
        FEATURES => message.entries(content, |name, value| {
            has_features = true;
            match T::slot(&mut context, name) {
                Some(slot) => slot.set(message, name, value),
                None => known::<T>(name),
            }
        }),
        FEATURE_LISTS => message.entries(content, |name, value| {
            has_features = true;
            match T::list(&mut lists, name) {
                Some(slot) => match slot.found.replace((name, value)) {
                    None => Ok(()),
                    // It must be well-formed all the same.
                    Some((name, replaced)) => steps_of(message, name, &replaced, |_| Ok(())),
                },
                None => known::<T>(name),
            }
        }),
        _ => Ok(()),
    })?;
    if !has_features && is_other_message(record) {
        return Err(other_message(SEQUENCE_EXAMPLE, record));
    }
    T::from_slots(context, lists, &Record::new(message))
}

/// Passes over a feature or a feature list that no field has, or refuses it.
fn known<'r, T: FromSequenceExample<'r>>(name: &[u8]) -> Result<(), Error> {
    let name = utf8(name)?;
    if !T::DENY_UNKNOWN {
        return Ok(());
    }
    let mut names = Vec::new();
    T::names("", &mut names);
    Err(super::record::unknown(name, &names))
}

impl<'r> Record<'_, 'r> {
    /// Returns the steps of a field.
    ///
    /// # Errors
    /// Those of the type, and `MissingFeature`.
    pub fn steps<const LOSSY: bool, T: FromSteps<'r, LOSSY>>(
        &self,
        slot: Slot<'r>,
        name: &str,
    ) -> Result<T, Error> {
        match self.find_steps(slot)? {
            Some(steps) => Ok(T::from_steps(steps)),
            None => T::absent().ok_or_else(|| self.missing_list(name)),
        }
    }

    /// Returns the steps of a field, or another value where the feature list is absent.
    ///
    /// # Errors
    /// Those of the type.
    pub fn steps_or<const LOSSY: bool, T: FromSteps<'r, LOSSY>>(
        &self,
        slot: Slot<'r>,
        default: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        Ok(self.find_steps(slot)?.map_or_else(default, T::from_steps))
    }

    fn find_steps<const LOSSY: bool, T: FromFeature<'r, LOSSY>>(
        &self,
        slot: Slot<'r>,
    ) -> Result<Option<Vec<T>>, Error> {
        let Some((name, value)) = slot.found else { return Ok(None) };
        let mut steps = Vec::new();
        steps_of(self.message, name, &value, |feature| {
            let step = match feature.kind() {
                Some(_) => T::from_feature(&feature).map_err(|error| feature.named(error)),
                None => T::absent().ok_or_else(|| {
                    feature.named(Error::new(Kind::MissingFeature, "the step has no values of any kind"))
                }),
            };
            let number = steps.len();
            steps.push(step.map_err(|error| in_step(error, number))?);
            Ok(())
        })?;
        Ok(Some(steps))
    }
}
