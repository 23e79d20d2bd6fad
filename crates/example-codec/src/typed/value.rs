//! Values that a Rust type does not have.

use std::str::Utf8Error;

use tfxio_core::Count;

use crate::{Error, FeatureView, Kind};

/// An integer type that some of the values of an `i64` fit.
pub(super) trait Integer: Sized {
    fn of(value: i64) -> Option<Self>;
}

impl Integer for bool {
    fn of(value: i64) -> Option<Self> {
        match value {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Integer for $type {
            #[inline]
            fn of(value: i64) -> Option<Self> {
                Self::try_from(value).ok()
            }
        }
    )*};
}

integers!(i8, i16, i32, isize, u8, u16, u32, u64, usize);

/// Returns an integer as the type that is called `name`.
#[inline]
pub(super) fn integer<T: Integer>(feature: &FeatureView<'_>, value: i64, name: &str) -> Result<T, Error> {
    T::of(value).ok_or_else(|| does_not_fit(feature, value, name))
}

#[cold]
fn does_not_fit(feature: &FeatureView<'_>, value: i64, name: &str) -> Error {
    feature.named(Error::new(Kind::InvalidValue, format!("the value {value} does not fit `{name}`")))
}

#[cold]
pub(super) fn wrong_count(feature: &FeatureView<'_>, expected: usize) -> Error {
    let found = feature.len() as u64;
    let kind = Kind::WrongLength { expected: u32::try_from(expected).unwrap_or(u32::MAX), found };
    feature.named(Error::new(kind, format!("the number of values is {found}, where {expected} is expected")))
}

#[cold]
pub(super) fn wrong_bytes(feature: &FeatureView<'_>, found: usize, expected: usize) -> Error {
    let (found, are) = (Count::of(found, "byte"), Count::of(expected, "byte").verb("is", "are"));
    let text = format!("the byte string has {found}, where {expected} {are} expected");
    feature.named(Error::new(Kind::InvalidValue, text))
}

#[cold]
pub(super) fn not_text(feature: &FeatureView<'_>, value: &[u8], error: &Utf8Error) -> Error {
    let (bytes, at) = (value.len(), error.valid_up_to());
    let text = format!("the value of {} is not UTF-8 from its byte {at} on", Count::of(bytes, "byte"));
    feature.named(Error::new(Kind::InvalidValue, text).help("read it as bytes, into a `Vec<u8>`"))
}
