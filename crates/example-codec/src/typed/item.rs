//! Writing the items of lists.

use std::borrow::Cow;

use proto_wire::{len_field_size, varint_size};

use crate::example::{field, head, varint};
use crate::{Error, FeatureKind, Kind};

/// A type whose values are the items of a feature, to write.
///
/// `u8` is not one: bytes in a row are one byte string.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an item of a tf.Example's feature",
    note = "items are integers but `u8`, `bool`, `f32`, strings and byte strings",
    note = "`f64` is rounded to 32 bits, which `#[example(lossy)]` on the field allows",
    note = "`#[example(with = \"module\")]` converts other types"
)]
pub trait Item<const LOSSY: bool = false>: Sized {
    /// The kind of the feature.
    const KIND: FeatureKind;

    /// Returns the size of the list message of these items.
    ///
    /// # Errors
    /// `InvalidValue` for an item that the feature cannot hold.
    fn list_len(items: &[Self]) -> Result<usize, Error>;

    /// Appends the list message of these items, for which [`list_len`](Self::list_len) has returned a size.
    fn write_list(items: &[Self], out: &mut Vec<u8>);
}

/// Returns the size of a list with a packed run.
#[inline]
const fn packed(run: usize) -> usize {
    if run == 0 { 0 } else { len_field_size(run) }
}

/// Implements the items that are integers, by their conversion to `Result<i64, _>`.
macro_rules! integers {
    ($($type:ty: $convert:expr;)*) => {$(
        impl<const M: bool> Item<M> for $type {
            const KIND: FeatureKind = FeatureKind::Int64;

            #[inline]
            fn list_len(items: &[Self]) -> Result<usize, Error> {
                Ok(packed(run_len(items, $convert)?))
            }

            #[inline]
            fn write_list(items: &[Self], out: &mut Vec<u8>) {
                write_run(items, $convert, out);
            }
        }
    )*};
}

integers! {
    bool: |value| Some(i64::from(value));
    i8: |value| Some(i64::from(value));
    i16: |value| Some(i64::from(value));
    i32: |value| Some(i64::from(value));
    i64: Some;
    isize: |value| i64::try_from(value).ok();
    u16: |value| Some(i64::from(value));
    u32: |value| Some(i64::from(value));
    u64: |value| i64::try_from(value).ok();
    usize: |value| i64::try_from(value).ok();
}

#[inline]
pub(super) fn run_len<T: Copy>(items: &[T], convert: impl Fn(T) -> Option<i64>) -> Result<usize, Error> {
    let mut bytes = 0;
    for item in items {
        match convert(*item) {
            Some(value) => bytes += varint_size(value as u64),
            None => return Err(beyond_int64()),
        }
    }
    Ok(bytes)
}

#[inline]
pub(super) fn write_run<T: Copy>(items: &[T], convert: impl Fn(T) -> Option<i64>, out: &mut Vec<u8>) {
    let values = || items.iter().filter_map(|item| convert(*item)).map(|value| value as u64);
    if !items.is_empty() {
        head(out, 1, values().map(varint_size).sum());
        values().for_each(|value| varint(out, value));
    }
}

#[cold]
fn beyond_int64() -> Error {
    Error::new(Kind::InvalidValue, "the integer does not fit the 64 bits, with a sign, of a tf.Example")
}

impl<const M: bool> Item<M> for f32 {
    const KIND: FeatureKind = FeatureKind::Float;

    #[inline]
    fn list_len(items: &[Self]) -> Result<usize, Error> {
        Ok(packed(4 * items.len()))
    }

    #[inline]
    fn write_list(items: &[Self], out: &mut Vec<u8>) {
        if items.is_empty() {
            return;
        }
        head(out, 1, 4 * items.len());
        if cfg!(target_endian = "little") {
            out.extend_from_slice(bytemuck::cast_slice(items));
        } else {
            out.extend(items.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
}

impl Item<true> for f64 {
    const KIND: FeatureKind = FeatureKind::Float;

    fn list_len(items: &[Self]) -> Result<usize, Error> {
        Ok(packed(4 * items.len()))
    }

    fn write_list(items: &[Self], out: &mut Vec<u8>) {
        if !items.is_empty() {
            head(out, 1, 4 * items.len());
            out.extend(items.iter().flat_map(|value| (*value as f32).to_le_bytes()));
        }
    }
}

/// Implements the items that are byte strings.
macro_rules! byte_strings {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)* const M: bool> Item<M> for $type {
            const KIND: FeatureKind = FeatureKind::Bytes;

            #[inline]
            fn list_len(items: &[Self]) -> Result<usize, Error> {
                Ok(items.iter().map(|item| len_field_size(item.len())).sum())
            }

            #[inline]
            fn write_list(items: &[Self], out: &mut Vec<u8>) {
                items.iter().for_each(|item| field(out, 1, item.as_ref()));
            }
        }
    )*};
}

byte_strings! {
    [] String;
    [] Vec<u8>;
    ['a,] &'a [u8];
    ['a,] Cow<'a, [u8]>;
    [const N: usize,] [u8; N];
}

/// Implements the items that are texts but not owned, whose bytes are asked for by name.
macro_rules! texts {
    ($($type:ty),*) => {$(
        impl<const M: bool> Item<M> for $type {
            const KIND: FeatureKind = FeatureKind::Bytes;

            #[inline]
            fn list_len(items: &[Self]) -> Result<usize, Error> {
                Ok(items.iter().map(|item| len_field_size(item.len())).sum())
            }

            #[inline]
            fn write_list(items: &[Self], out: &mut Vec<u8>) {
                items.iter().for_each(|item| field(out, 1, item.as_bytes()));
            }
        }
    )*};
}

texts!(&str, Cow<'_, str>);
