//! Reading the values of features as Rust types.

use std::borrow::Cow;

use proto_wire::Reader;

use super::value::{integer, not_text, wrong_count};
use crate::{Error, Feature, FeatureKind, FeatureView};

/// A type that is read from the values of one feature.
///
/// `LOSSY` is whether the type may have more bits than the values; `'r` is the lifetime of the record.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the value of a tf.Example's feature",
    note = "values are integers, `bool`, `f32`, strings, byte strings, and `Vec`, arrays and `Option` of them",
    note = "`f64` has more bits than what is read, which `#[example(lossy)]` on the field allows",
    note = "`#[example(flatten)]` is for structs, `#[example(with = \"module\")]` converts other types"
)]
pub trait FromFeature<'r, const LOSSY: bool = false>: Sized {
    /// Whether the type can be absent.
    #[doc(hidden)]
    const IS_OPTIONAL: bool = false;

    /// Returns the value of a feature that has one of the three lists.
    ///
    /// # Errors
    /// `KindMismatch` for values of another kind; `WrongLength` for another number of values; `InvalidValue` for a value that
    /// the type does not have.
    fn from_feature(feature: &FeatureView<'r>) -> Result<Self, Error>;

    /// Returns the value of an absent feature, if the type has one.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }
}

/// A type whose values are the items of a feature, to read. `u8` is not one: bytes in a row are one byte string.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an item of a tf.Example's feature",
    note = "items are integers but `u8`, `bool`, `f32`, strings and byte strings",
    note = "`f64` has more bits than what is read, which `#[example(lossy)]` on the field allows",
    note = "`#[example(with = \"module\")]` converts other types"
)]
pub trait FromItem<'r, const LOSSY: bool = false>: Sized {
    /// Returns the only value.
    ///
    /// # Errors
    /// As [`FromFeature::from_feature`].
    fn one(feature: &FeatureView<'r>) -> Result<Self, Error> {
        let mut values = Self::all(feature)?;
        match (values.len(), values.pop()) {
            (1, Some(value)) => Ok(value),
            _ => Err(wrong_count(feature, 1)),
        }
    }

    /// Returns all values.
    ///
    /// # Errors
    /// As [`FromFeature::from_feature`].
    fn all(feature: &FeatureView<'r>) -> Result<Vec<Self>, Error>;

    /// Returns the values of a feature that has `N`.
    ///
    /// # Errors
    /// As [`FromFeature::from_feature`].
    fn array<const N: usize>(feature: &FeatureView<'r>) -> Result<[Self; N], Error> {
        Self::all(feature)?.try_into().map_err(|_| wrong_count(feature, N))
    }
}

/// Returns the only integer.
#[inline]
fn one_integer(feature: &FeatureView<'_>) -> Result<i64, Error> {
    feature.expect(FeatureKind::Int64)?;
    if let Some(run) = feature.run() {
        let mut reader = Reader::new(run);
        return match (reader.varint(), reader.is_empty()) {
            (Ok(value), true) => Ok(value as i64),
            _ => Err(wrong_count(feature, 1)),
        };
    }
    match *feature.to_int64()?.as_slice() {
        [value] => Ok(value),
        _ => Err(wrong_count(feature, 1)),
    }
}

impl<const M: bool> FromItem<'_, M> for i64 {
    #[inline]
    fn one(feature: &FeatureView<'_>) -> Result<Self, Error> {
        one_integer(feature)
    }

    #[inline]
    fn all(feature: &FeatureView<'_>) -> Result<Vec<Self>, Error> {
        feature.to_int64()
    }
}

/// Implements the items that are other integers.
macro_rules! integers {
    ($($type:ident),*) => {$(
        impl<const M: bool> FromItem<'_, M> for $type {
            #[inline]
            fn one(feature: &FeatureView<'_>) -> Result<Self, Error> {
                integer(feature, one_integer(feature)?, stringify!($type))
            }

            #[inline]
            fn all(feature: &FeatureView<'_>) -> Result<Vec<Self>, Error> {
                let values = feature.to_int64()?.into_iter();
                values.map(|value| integer(feature, value, stringify!($type))).collect()
            }
        }
    )*};
}

integers!(bool, i8, i16, i32, isize, u16, u32, u64, usize);

impl<const M: bool> FromFeature<'_, M> for u8 {
    #[inline]
    fn from_feature(feature: &FeatureView<'_>) -> Result<Self, Error> {
        integer(feature, one_integer(feature)?, "u8")
    }
}

impl<const M: bool> FromItem<'_, M> for f32 {
    #[inline]
    fn one(feature: &FeatureView<'_>) -> Result<Self, Error> {
        Ok(<Self as FromItem<'_, M>>::array::<1>(feature)?[0])
    }

    #[inline]
    fn all(feature: &FeatureView<'_>) -> Result<Vec<Self>, Error> {
        feature.to_float()
    }

    #[inline]
    fn array<const N: usize>(feature: &FeatureView<'_>) -> Result<[Self; N], Error> {
        feature.expect(FeatureKind::Float)?;
        let Some(run) = feature.run() else {
            return feature.to_float()?.try_into().map_err(|_| wrong_count(feature, N));
        };
        let values: Option<&[[u8; 4]; N]> = run.as_chunks().0.try_into().ok();
        let values = values.filter(|_| run.len().is_multiple_of(4));
        values.map(|values| values.map(f32::from_le_bytes)).ok_or_else(|| wrong_count(feature, N))
    }
}

impl FromItem<'_, true> for f64 {
    fn all(feature: &FeatureView<'_>) -> Result<Vec<Self>, Error> {
        Ok(feature.to_float()?.into_iter().map(Self::from).collect())
    }
}

/// Returns the only byte string.
#[inline]
fn one_string<'r>(feature: &FeatureView<'r>) -> Result<&'r [u8], Error> {
    feature.expect(FeatureKind::Bytes)?;
    if feature.kind() == Some(FeatureKind::Bytes)
        && let Some(run) = feature.run()
    {
        return Ok(run);
    }
    match *feature.to_bytes()?.as_slice() {
        [value] => Ok(value),
        _ => Err(wrong_count(feature, 1)),
    }
}

#[inline]
fn text<'r>(feature: &FeatureView<'r>, value: &'r [u8]) -> Result<&'r str, Error> {
    std::str::from_utf8(value).map_err(|error| not_text(feature, value, &error))
}

#[inline]
fn bytes<'r>(_: &FeatureView<'r>, value: &'r [u8]) -> Result<&'r [u8], Error> {
    Ok(value)
}

/// Implements the items that are byte strings or texts.
macro_rules! strings {
    ($([$($generics:tt)*] $type:ty: $read:ident;)*) => {$(
        impl<'r $($generics)*, const M: bool> FromItem<'r, M> for $type {
            #[inline]
            fn one(feature: &FeatureView<'r>) -> Result<Self, Error> {
                $read(feature, one_string(feature)?).map(Self::from)
            }

            #[inline]
            fn all(feature: &FeatureView<'r>) -> Result<Vec<Self>, Error> {
                feature.to_bytes()?.into_iter().map(|value| $read(feature, value).map(Self::from)).collect()
            }
        }
    )*};
}

strings! {
    [] String: text;
    [] Vec<u8>: bytes;
    [: 'a, 'a] &'a str: text;
    [: 'a, 'a] &'a [u8]: bytes;
    [: 'a, 'a] Cow<'a, str>: text;
    [: 'a, 'a] Cow<'a, [u8]>: bytes;
}

impl<'r, const M: bool, const N: usize> FromItem<'r, M> for [u8; N] {
    fn all(feature: &FeatureView<'r>) -> Result<Vec<Self>, Error> {
        let values = feature.to_bytes()?.into_iter();
        values
            .map(|value| value.try_into().map_err(|_| super::value::wrong_bytes(feature, value.len(), N)))
            .collect()
    }
}

/// Implements the features of one item.
macro_rules! single {
    ($([$($generics:tt)*] $mode:tt, $type:ty;)*) => {$(
        impl<'r $($generics)*> FromFeature<'r, { $mode }> for $type {
            #[inline]
            fn from_feature(feature: &FeatureView<'r>) -> Result<Self, Error> {
                <Self as FromItem<'r, { $mode }>>::one(feature)
            }
        }
    )*};
}

single! {
    [, const M: bool] M, bool;
    [, const M: bool] M, i8;
    [, const M: bool] M, i16;
    [, const M: bool] M, i32;
    [, const M: bool] M, i64;
    [, const M: bool] M, isize;
    [, const M: bool] M, u16;
    [, const M: bool] M, u32;
    [, const M: bool] M, u64;
    [, const M: bool] M, usize;
    [, const M: bool] M, f32;
    [] true, f64;
    [, const M: bool] M, String;
    [, const M: bool] M, Vec<u8>;
    [: 'a, 'a, const M: bool] M, &'a str;
    [: 'a, 'a, const M: bool] M, &'a [u8];
    [: 'a, 'a, const M: bool] M, Cow<'a, str>;
    [: 'a, 'a, const M: bool] M, Cow<'a, [u8]>;
    [, const M: bool, const N: usize] M, [u8; N];
}

impl<'r, const M: bool, T: FromItem<'r, M>> FromFeature<'r, M> for Vec<T> {
    #[inline]
    fn from_feature(feature: &FeatureView<'r>) -> Result<Self, Error> {
        T::all(feature)
    }
}

impl<'r, const M: bool, T: FromItem<'r, M>, const N: usize> FromFeature<'r, M> for [T; N] {
    #[inline]
    fn from_feature(feature: &FeatureView<'r>) -> Result<Self, Error> {
        T::array(feature)
    }
}

impl<'r, const M: bool, T: FromFeature<'r, M>> FromFeature<'r, M> for Option<T> {
    const IS_OPTIONAL: bool = true;

    #[inline]
    fn from_feature(feature: &FeatureView<'r>) -> Result<Self, Error> {
        T::from_feature(feature).map(Some)
    }

    #[inline]
    fn absent() -> Option<Self> {
        const {
            assert!(
                !T::IS_OPTIONAL,
                "an `Option` of a type that can be absent itself would not be told from it"
            )
        };
        Some(None)
    }
}

impl<const M: bool> FromFeature<'_, M> for Feature {
    const IS_OPTIONAL: bool = true;

    fn from_feature(feature: &FeatureView<'_>) -> Result<Self, Error> {
        Ok(feature.to_feature())
    }

    fn absent() -> Option<Self> {
        Some(Self::Unset)
    }
}
