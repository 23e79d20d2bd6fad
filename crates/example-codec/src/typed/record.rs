//! Reading structs from records.

use tfxio_base::suggest;

use super::FromFeature;
use super::slots::Slot;
use crate::decode::feature::FEATURE_DEPTH;
use crate::error::{Locate, check_size};
use crate::example::{EXAMPLE, Message, missing, utf8};
use crate::foreign::{is_other_message, other_message};
use crate::infer::{FEATURE_LISTS, FEATURES};
use crate::{Error, FeatureView, Kind, Limits, Origin};

/// A struct that is read from a tf.Example: `#[derive(FromExample)]`. `'r` is the lifetime of the record, from which a
/// struct may borrow.
///
/// Records that protobuf allows are read as the [decoder](crate::ExampleDecoder) reads them. Features without a field are
/// passed over by their length, unless the struct is `#[example(deny_unknown_features)]`.
///
/// ```
/// # #[cfg(feature = "derive")] {
/// use example_codec::{Example, FromExample, Origin};
///
/// #[derive(FromExample)]
/// struct Row<'a> {
///     label: u8,
///     words: Vec<&'a str>,
///     score: Option<f32>,
/// }
///
/// let record = Example::new().int64("label", [5]).bytes("words", ["red", "shoes"]).to_vec();
/// let row = Row::from_example(&record)?;
/// assert_eq!((row.label, row.words, row.score), (5, vec!["red", "shoes"], None));
///
/// let record = Example::new().int64("label", [300]).to_vec();
/// let error = Row::from_example_at(&record, Origin::new("train.tfrecord", 32, 1)).err().unwrap();
/// assert_eq!(
///     error.to_string(),
///     "train.tfrecord, byte 32, record 1, column \"label\": the value 300 does not fit `u8`"
/// );
/// # }
/// # Ok::<(), example_codec::Error>(())
/// ```
pub trait FromExample<'r>: Sized {
    /// One slot for each field.
    #[doc(hidden)]
    type Slots: Default;

    /// Whether a feature that has no field is an error.
    #[doc(hidden)]
    const DENY_UNKNOWN: bool = false;

    /// Returns the slot of the feature of a name.
    #[doc(hidden)]
    fn slot<'s>(slots: &'s mut Self::Slots, name: &[u8]) -> Option<&'s mut Slot<'r>>;

    /// Appends the names of all features.
    #[doc(hidden)]
    fn names(prefix: &str, names: &mut Vec<String>);

    /// Returns the struct of what was found.
    #[doc(hidden)]
    fn from_slots(slots: Self::Slots, record: &Record<'_, 'r>) -> Result<Self, Error>;

    /// Reads a record.
    ///
    /// # Errors
    /// `MissingFeature`, `KindMismatch`, `WrongLength` and `InvalidValue` for a feature that is not what its field needs,
    /// with the name of the feature; `UnknownFeature` where the struct denies them; `Malformed` and `NameNotUtf8` for bytes
    /// that are not a tf.Example; `OtherMessage` for bytes of another message, as far as bytes can tell.
    fn from_example(record: &'r [u8]) -> Result<Self, Error> {
        read(record)
    }

    /// Reads a record, and puts its origin into errors.
    ///
    /// # Errors
    /// As [`from_example`](Self::from_example).
    fn from_example_at(record: &'r [u8], origin: Origin<'_>) -> Result<Self, Error> {
        Self::from_example(record).map_err(|error| error.in_record(origin))
    }
}

fn read<'r, T: FromExample<'r>>(record: &'r [u8]) -> Result<T, Error> {
    check_size(record, &Limits::default())?;
    let message = Message::new(record, EXAMPLE);
    let mut slots = T::Slots::default();
    let mut has_features = false;
    message.fields(message.whole(), 0, |number, content| {
        if number != FEATURES {
            return Ok(());
        }
        message.entries(content, |name, value| {
            has_features = true;
            match T::slot(&mut slots, name) {
                Some(slot) => slot.set(message, name, value),
                None => utf8(name).and_then(|name| {
                    if !T::DENY_UNKNOWN {
                        return Ok(());
                    }
                    let mut names = Vec::new();
                    T::names("", &mut names);
                    Err(unknown(name, &names))
                }),
            }
        })
    })?;
    if !has_features && is_other_message(record) {
        return Err(other_message(EXAMPLE, record));
    }
    T::from_slots(slots, &Record::new(message))
}

#[cold]
pub(super) fn unknown(name: &str, names: &[String]) -> Error {
    let names = names.iter().map(String::as_str);
    Error::new(Kind::UnknownFeature, "the struct has no field for the feature")
        .help(suggest::hint(name, names, "features of the struct"))
        .in_feature(name)
}

/// The record that is read, for the code of `#[derive(FromExample)]`.
#[derive(Debug)]
pub struct Record<'p, 'r> {
    pub(super) message: Message<'r>,
    /// Prefix of the names of a struct in a struct, after the prefixes of the outer ones.
    prefix: &'p str,
    outer: Option<&'p Record<'p, 'r>>,
}

impl<'r> Record<'_, 'r> {
    pub(super) fn new(message: Message<'r>) -> Self {
        Record { message, prefix: "", outer: None }
    }

    /// Returns the record for a struct in the struct.
    pub fn within<'q>(&'q self, prefix: &'q str) -> Record<'q, 'r> {
        Record { message: self.message, prefix, outer: Some(self) }
    }

    /// Returns the value of a field.
    ///
    /// # Errors
    /// Those of the type, and `MissingFeature`.
    #[inline]
    pub fn read<const LOSSY: bool, T: FromFeature<'r, LOSSY>>(
        &self,
        slot: Slot<'r>,
        name: &str,
    ) -> Result<T, Error> {
        match self.find(slot)? {
            Some(feature) => T::from_feature(&feature).map_err(|error| feature.named(error)),
            None => T::absent().ok_or_else(|| self.missing(name)),
        }
    }

    /// Returns the value of a field, or another value where the feature is absent.
    ///
    /// # Errors
    /// Those of the type.
    #[inline]
    pub fn read_or<const LOSSY: bool, T: FromFeature<'r, LOSSY>>(
        &self,
        slot: Slot<'r>,
        default: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        match self.find(slot)? {
            Some(feature) => T::from_feature(&feature).map_err(|error| feature.named(error)),
            None => Ok(default()),
        }
    }

    /// Returns the result of a function of `with`.
    ///
    /// # Errors
    /// `InvalidValue` with that of the function as its cause.
    pub fn converted<T, E>(&self, name: &str, result: Result<T, E>) -> Result<T, Error>
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        result.map_err(|error| {
            let error = error.into();
            Error::new(Kind::InvalidValue, format!("the value was refused: {error}"))
                .because(error)
                .in_feature(&self.full(name))
        })
    }

    /// Returns the feature of a slot, but none without a list.
    #[inline]
    fn find(&self, slot: Slot<'r>) -> Result<Option<FeatureView<'r>>, Error> {
        let Some((name, value)) = slot.found else { return Ok(None) };
        let feature = FeatureView::parse(self.message, name, &value, FEATURE_DEPTH)?;
        Ok(feature.kind().is_some().then_some(feature))
    }

    #[cold]
    fn missing(&self, name: &str) -> Error {
        self.missing_of(FEATURES, name)
    }

    #[cold]
    pub(super) fn missing_list(&self, name: &str) -> Error {
        self.missing_of(FEATURE_LISTS, name)
    }

    /// Returns the error of an absent feature. A hint suggests names from the same map of the record.
    fn missing_of(&self, map: u32, name: &str) -> Error {
        let mut known = Vec::new();
        let _ = self.message.fields(self.message.whole(), 0, |number, content| match number {
            number if number == map => self.message.entries(content, |name, _| {
                known.push(String::from_utf8_lossy(name));
                Ok(())
            }),
            _ => Ok(()),
        });
        missing(&self.full(name), known.iter().map(|name| &**name))
    }

    fn full(&self, name: &str) -> String {
        let name = [self.prefix, name].concat();
        self.outer.map_or(name.clone(), |outer| outer.full(&name))
    }
}
