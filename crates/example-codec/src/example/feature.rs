//! The values of one feature.

use std::fmt;

use proto_wire::{len_field_size, varint_size};
use tfxio_core::Count;

use super::wire::{field, head, varint};
use crate::FeatureKind;

/// The values of one feature: of an [`Example`](crate::Example), or of a step of a
/// [`SequenceExample`](crate::SequenceExample).
///
/// ```
/// use example_codec::Feature;
///
/// let feature = Feature::int64([7_u8, 8]);
/// assert_eq!(feature.as_int64(), Some(&[7, 8][..]));
/// assert_eq!(feature.as_float(), None);
/// ```
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub enum Feature {
    /// `bytes_list`: byte strings, which need not be text.
    Bytes(Vec<Vec<u8>>),
    /// `float_list`: 32-bit floats.
    Float(Vec<f32>),
    /// `int64_list`: 64-bit integers.
    Int64(Vec<i64>),
    /// None of the three lists is set, which counts as an absent feature.
    #[default]
    Unset,
}

impl Feature {
    /// Returns a feature of integers.
    pub fn int64<I>(values: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<i64>,
    {
        Self::Int64(values.into_iter().map(Into::into).collect())
    }

    /// Returns a feature of floats.
    pub fn float(values: impl IntoIterator<Item = f32>) -> Self {
        Self::Float(values.into_iter().collect())
    }

    /// Returns a feature of byte strings, or of texts, which are their UTF-8.
    pub fn bytes<I>(values: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        Self::Bytes(values.into_iter().map(|value| value.as_ref().to_vec()).collect())
    }

    /// Returns which list is set.
    #[must_use]
    pub const fn kind(&self) -> Option<FeatureKind> {
        match self {
            Self::Bytes(_) => Some(FeatureKind::Bytes),
            Self::Float(_) => Some(FeatureKind::Float),
            Self::Int64(_) => Some(FeatureKind::Int64),
            Self::Unset => None,
        }
    }

    /// Returns the number of values.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Bytes(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Int64(values) => values.len(),
            Self::Unset => 0,
        }
    }

    /// Returns whether the feature has zero values.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the integers, if it has integers. An empty list has none, whatever its kind.
    #[must_use]
    pub fn as_int64(&self) -> Option<&[i64]> {
        if let Self::Int64(values) = self { Some(values) } else { self.no_values() }
    }

    /// Returns the floats, if it has floats. An empty list has none, whatever its kind.
    #[must_use]
    pub fn as_float(&self) -> Option<&[f32]> {
        if let Self::Float(values) = self { Some(values) } else { self.no_values() }
    }

    /// Returns the byte strings, if it has byte strings. An empty list has none, whatever its kind.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[Vec<u8>]> {
        if let Self::Bytes(values) = self { Some(values) } else { self.no_values() }
    }

    /// Returns the values of an empty list.
    fn no_values<T>(&self) -> Option<&[T]> {
        (self.kind().is_some() && self.is_empty()).then_some([].as_slice())
    }

    /// Returns the size of the list message.
    fn list_len(&self) -> usize {
        let packed = |bytes: usize| if bytes == 0 { 0 } else { len_field_size(bytes) };
        match self {
            Self::Bytes(values) => values.iter().map(|value| len_field_size(value.len())).sum(),
            Self::Float(values) => packed(4 * values.len()),
            Self::Int64(values) => packed(run_len(values)),
            Self::Unset => 0,
        }
    }

    /// Returns the size of the `Feature` message.
    pub(super) fn encoded_len(&self) -> usize {
        if self.kind().is_some() { len_field_size(self.list_len()) } else { 0 }
    }

    /// Appends the `Feature` message.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let Some(kind) = self.kind() else { return };
        head(out, kind.field(), self.list_len());
        match self {
            Self::Bytes(values) => values.iter().for_each(|value| field(out, 1, value)),
            Self::Float(values) if !values.is_empty() => {
                head(out, 1, 4 * values.len());
                out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
            Self::Int64(values) if !values.is_empty() => {
                head(out, 1, run_len(values));
                values.iter().for_each(|value| varint(out, *value as u64));
            }
            _ => {}
        }
    }
}

/// Returns the size of packed integers.
fn run_len(values: &[i64]) -> usize {
    values.iter().map(|value| varint_size(*value as u64)).sum()
}

/// Shows the kind and the first values; byte strings as text with escapes.
impl fmt::Debug for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(values) => show(f, "Bytes", values, |value| Text(value)),
            Self::Float(values) => show(f, "Float", values, |value| *value),
            Self::Int64(values) => show(f, "Int64", values, |value| *value),
            Self::Unset => f.write_str("Unset"),
        }
    }
}

/// Values that `Debug` shows of one feature.
const SHOWN_VALUES: usize = 16;
/// Bytes that `Debug` shows of one byte string.
const SHOWN_BYTES: usize = 64;

fn show<'a, T, S: fmt::Debug>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    values: &'a [T],
    shown: impl Fn(&'a T) -> S,
) -> fmt::Result {
    write!(f, "{name}(")?;
    f.debug_list().entries(values.iter().take(SHOWN_VALUES).map(shown)).finish()?;
    match values.len().saturating_sub(SHOWN_VALUES) {
        0 => f.write_str(")"),
        more => write!(f, " and {more} more)"),
    }
}

struct Text<'a>(&'a [u8]);

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.get(..SHOWN_BYTES).unwrap_or(self.0);
        match std::str::from_utf8(self.0) {
            Ok(text) if shown.len() == self.0.len() => write!(f, "{text:?}"),
            _ => {
                write!(f, "b\"{}\"", shown.escape_ascii())?;
                match self.0.len() - shown.len() {
                    0 => Ok(()),
                    more => write!(f, " and {}", Count::of(more, "byte")),
                }
            }
        }
    }
}
