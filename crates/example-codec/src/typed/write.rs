//! Writing structs as records.

use std::borrow::Cow;
use std::slice;

use proto_wire::len_field_size;

use super::Item;
use super::item::{run_len, write_run};
use crate::error::{Locate, too_long};
use crate::example::{entry_head, entry_len, field, head};
use crate::infer::FEATURES;
use crate::{Error, Feature, FeatureKind, Kind};

/// A struct that is written as a tf.Example: `#[derive(ToExample)]`.
///
/// ```
/// # #[cfg(feature = "derive")] {
/// use example_codec::{Example, ToExample};
///
/// #[derive(ToExample)]
/// struct Row<'a> {
///     label: u8,
///     words: Vec<&'a str>,
/// }
///
/// let record = Row { label: 5, words: vec!["red", "shoes"] }.to_example_bytes()?;
/// assert_eq!(Example::parse(&record)?, Example::new().int64("label", [5]).bytes("words", ["red", "shoes"]));
/// # }
/// # Ok::<(), example_codec::Error>(())
/// ```
pub trait ToExample {
    /// Hands each feature to the writer. It is called once for the lengths and once for the bytes.
    ///
    /// # Errors
    /// `InvalidValue` for an integer that does not fit an `i64`.
    fn write_features(&self, out: &mut FeatureWriter<'_>) -> Result<(), Error>;

    /// Returns the record.
    ///
    /// # Errors
    /// `InvalidValue` for an integer that does not fit an `i64`; `LimitExceeded` for more than 2^31 − 1 bytes.
    fn to_example_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        self.append_example(&mut out)?;
        Ok(out)
    }

    /// Appends the record to bytes, which an error leaves as they were.
    ///
    /// # Errors
    /// As [`to_example_bytes`](Self::to_example_bytes).
    fn append_example(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        let written = append(self, out);
        if written.is_err() {
            out.truncate(start);
        }
        written
    }
}

fn append<T: ToExample + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut lengths = FeatureWriter::of_lengths();
    value.write_features(&mut lengths)?;
    let features = lengths.length;
    if features == 0 {
        return Ok(());
    }
    let most = i32::MAX as usize;
    if len_field_size(features) > most {
        return Err(too_long(len_field_size(features), most as u64));
    }
    out.reserve(len_field_size(features));
    head(out, FEATURES, features);
    let start = out.len();
    value.write_features(&mut FeatureWriter::of_bytes(out))?;
    if out.len() - start == features { Ok(()) } else { Err(changed()) }
}

/// Returns the error of a conversion that gave other values when the bytes were written than when their lengths were
/// computed.
#[cold]
pub(super) fn changed() -> Error {
    Error::new(Kind::InvalidValue, "the features have other lengths when they are written than before")
        .help("`write_features` and the functions of `with` must give the same values each time")
}

impl<T: ToExample + ?Sized> ToExample for &T {
    fn write_features(&self, out: &mut FeatureWriter<'_>) -> Result<(), Error> {
        (**self).write_features(out)
    }
}

/// Takes the features of a record, for implementations of [`ToExample`].
#[derive(Debug)]
pub struct FeatureWriter<'a> {
    /// Prefix of names.
    prefix: String,
    /// The size of all entries.
    length: usize,
    /// Output of the entries; `None` if only their size is asked for.
    out: Option<&'a mut Vec<u8>>,
}

impl<'a> FeatureWriter<'a> {
    /// Returns a writer that counts the bytes.
    pub(super) fn of_lengths() -> Self {
        Self { prefix: String::new(), length: 0, out: None }
    }

    /// Returns a writer that appends them.
    pub(super) fn of_bytes(out: &'a mut Vec<u8>) -> Self {
        Self { prefix: String::new(), length: 0, out: Some(out) }
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Takes a feature. `LOSSY` is whether its values may be rounded.
    ///
    /// # Errors
    /// `InvalidValue` for a value that the feature cannot hold.
    #[inline]
    pub fn feature<const LOSSY: bool, T: ToFeature<LOSSY> + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), Error> {
        let Some(kind) = value.kind() else { return Ok(()) };
        let full = if self.prefix.is_empty() { Cow::Borrowed(name) } else { Cow::Owned(self.name(name)) };
        let list = match value.list_len() {
            Ok(list) => list,
            Err(error) => return Err(error.in_feature(&full)),
        };
        match &mut self.out {
            None => self.length = self.length.saturating_add(entry_len(&full, len_field_size(list))),
            Some(out) => {
                entry_head(out, &full, len_field_size(list));
                head(out, kind.field(), list);
                value.write_list(out);
            }
        }
        Ok(())
    }

    /// Takes the features of a struct within the struct, with a prefix before their names.
    ///
    /// # Errors
    /// Those of the struct.
    pub fn flatten<T: ToExample + ?Sized>(&mut self, prefix: &str, value: &T) -> Result<(), Error> {
        let length = self.prefix.len();
        self.prefix.push_str(prefix);
        let written = value.write_features(self);
        self.prefix.truncate(length);
        written
    }

    fn name(&self, name: &str) -> String {
        [&self.prefix, name].concat()
    }
}

/// A type that is written as the values of one feature.
///
/// `LOSSY` is whether values may be rounded to 32 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the value of a tf.Example's feature",
    note = "values are integers, `bool`, `f32`, strings, byte strings, and `Vec`, arrays and `Option` of them",
    note = "`f64` is rounded to 32 bits, which `#[example(lossy)]` on the field allows",
    note = "`#[example(flatten)]` is for structs, `#[example(with = \"module\")]` converts other types"
)]
pub trait ToFeature<const LOSSY: bool = false> {
    /// Whether the type can be absent.
    #[doc(hidden)]
    const IS_OPTIONAL: bool = false;

    /// Returns the kind, or `None` for an absent feature.
    fn kind(&self) -> Option<FeatureKind>;

    /// Returns the size of the list message.
    ///
    /// # Errors
    /// `InvalidValue` for a value that the feature cannot hold.
    fn list_len(&self) -> Result<usize, Error>;

    /// Appends the list message, for which [`list_len`](Self::list_len) has returned a size.
    fn write_list(&self, out: &mut Vec<u8>);
}

/// Implements the features of one item.
macro_rules! single {
    ($([$($generics:tt)*] $mode:tt, $type:ty;)*) => {$(
        impl<$($generics)*> ToFeature<{ $mode }> for $type {
            #[inline]
            fn kind(&self) -> Option<FeatureKind> {
                Some(<Self as Item<{ $mode }>>::KIND)
            }

            #[inline]
            fn list_len(&self) -> Result<usize, Error> {
                <Self as Item<{ $mode }>>::list_len(slice::from_ref(self))
            }

            #[inline]
            fn write_list(&self, out: &mut Vec<u8>) {
                <Self as Item<{ $mode }>>::write_list(slice::from_ref(self), out);
            }
        }
    )*};
}

single! {
    [const M: bool] M, bool;
    [const M: bool] M, i8;
    [const M: bool] M, i16;
    [const M: bool] M, i32;
    [const M: bool] M, i64;
    [const M: bool] M, isize;
    [const M: bool] M, u16;
    [const M: bool] M, u32;
    [const M: bool] M, u64;
    [const M: bool] M, usize;
    [const M: bool] M, f32;
    [] true, f64;
    [const M: bool] M, String;
    [const M: bool] M, Vec<u8>;
    ['a, const M: bool] M, &'a str;
    ['a, const M: bool] M, &'a [u8];
    ['a, const M: bool] M, Cow<'a, str>;
    ['a, const M: bool] M, Cow<'a, [u8]>;
    [const N: usize, const M: bool] M, [u8; N];
}

impl<const M: bool> ToFeature<M> for u8 {
    #[inline]
    fn kind(&self) -> Option<FeatureKind> {
        Some(FeatureKind::Int64)
    }

    #[inline]
    fn list_len(&self) -> Result<usize, Error> {
        Ok(len_field_size(run_len(&[*self], |value| Some(i64::from(value)))?))
    }

    #[inline]
    fn write_list(&self, out: &mut Vec<u8>) {
        write_run(&[*self], |value| Some(i64::from(value)), out);
    }
}

/// Implements the features of several items.
macro_rules! lists {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<const M: bool, T: Item<M>, $($generics)*> ToFeature<M> for $type {
            #[inline]
            fn kind(&self) -> Option<FeatureKind> {
                Some(T::KIND)
            }

            #[inline]
            fn list_len(&self) -> Result<usize, Error> {
                T::list_len(self)
            }

            #[inline]
            fn write_list(&self, out: &mut Vec<u8>) {
                T::write_list(self, out);
            }
        }
    )*};
}

lists! {
    [] Vec<T>;
    [] &[T];
    [const N: usize] [T; N];
}

impl<const M: bool, T: ToFeature<M>> ToFeature<M> for Option<T> {
    const IS_OPTIONAL: bool = true;

    #[inline]
    fn kind(&self) -> Option<FeatureKind> {
        const {
            assert!(
                !T::IS_OPTIONAL,
                "an `Option` of a type that can be absent itself would not be read as it was"
            )
        };
        self.as_ref().and_then(T::kind)
    }

    #[inline]
    fn list_len(&self) -> Result<usize, Error> {
        self.as_ref().map_or(Ok(0), T::list_len)
    }

    #[inline]
    fn write_list(&self, out: &mut Vec<u8>) {
        if let Some(value) = self {
            value.write_list(out);
        }
    }
}

impl<const M: bool> ToFeature<M> for Feature {
    const IS_OPTIONAL: bool = true;

    fn kind(&self) -> Option<FeatureKind> {
        self.kind()
    }

    fn list_len(&self) -> Result<usize, Error> {
        match self {
            Self::Bytes(values) => Item::<M>::list_len(values),
            Self::Float(values) => Item::<M>::list_len(values),
            Self::Int64(values) => Item::<M>::list_len(values),
            Self::Unset => Ok(0),
        }
    }

    fn write_list(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(values) => values.iter().for_each(|value| field(out, 1, value)),
            Self::Float(values) => Item::<M>::write_list(values, out),
            Self::Int64(values) => Item::<M>::write_list(values, out),
            Self::Unset => {}
        }
    }
}
