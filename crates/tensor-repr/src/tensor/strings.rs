//! Strings: bytes of any length with offsets.

use std::fmt;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, FixedSizeBinaryArray, LargeBinaryArray};
use arrow_buffer::{Buffer, OffsetBuffer};

/// The elements of a string tensor: bytes of any length, with offsets of 32 or 64 bits.
///
/// The bytes are shared with the Arrow column. Operations on strings here cost by their number, not by their length.
#[derive(Clone)]
pub struct Strings(Offsets);

#[derive(Clone)]
enum Offsets {
    Small(BinaryArray),
    Large(LargeBinaryArray),
}

impl Strings {
    /// Returns the values of an array, without its nulls (a null slot is an element like any other).
    pub(crate) fn small(array: BinaryArray) -> Self {
        if array.nulls().is_none() {
            return Self(Offsets::Small(array));
        }
        let (offsets, data, _) = array.into_parts();
        // What was an array with nulls is one without.
        Self(Offsets::Small(
            BinaryArray::try_new(offsets, data, None).unwrap_or_else(|_| BinaryArray::new_null(0)),
        ))
    }

    /// Does the same with 64-bit offsets.
    pub(crate) fn large(array: LargeBinaryArray) -> Self {
        if array.nulls().is_none() {
            return Self(Offsets::Large(array));
        }
        let (offsets, data, _) = array.into_parts();
        let array = LargeBinaryArray::try_new(offsets, data, None);
        Self(Offsets::Large(array.unwrap_or_else(|_| LargeBinaryArray::new_null(0))))
    }

    /// Returns the values of an array of strings of one size, null or not; `None` if there are too many to count.
    pub(crate) fn of_fixed_size(array: &FixedSizeBinaryArray) -> Option<Self> {
        let size = i64::from(array.value_length());
        let ends = (0..=array.len()).map(|at| i64::try_from(at).ok()?.checked_mul(size));
        let offsets = OffsetBuffer::new(ends.collect::<Option<Vec<_>>>()?.into());
        LargeBinaryArray::try_new(offsets, array.values().clone(), None).ok().map(Self::large)
    }

    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Offsets::Small(array) => array.len(),
            Offsets::Large(array) => array.len(),
        }
    }

    /// Returns whether there are zero strings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of one string, if it exists.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        if index >= self.len() {
            return None;
        }
        Some(match &self.0 {
            Offsets::Small(array) => array.value(index),
            Offsets::Large(array) => array.value(index),
        })
    }

    /// Returns all strings, in order.
    #[must_use]
    pub fn iter(&self) -> StringsIter<'_> {
        StringsIter { strings: self, next: 0 }
    }

    /// Returns the buffer of the bytes. It may hold more than these strings.
    #[must_use]
    pub fn data(&self) -> &Buffer {
        match &self.0 {
            Offsets::Small(array) => array.values(),
            Offsets::Large(array) => array.values(),
        }
    }

    /// Returns the 32-bit offsets into [`data`](Self::data), one more than there are strings; `None` if they have 64 bits.
    #[must_use]
    pub fn small_offsets(&self) -> Option<&[i32]> {
        match &self.0 {
            Offsets::Small(array) => Some(array.value_offsets()),
            Offsets::Large(_) => None,
        }
    }

    /// Returns the 64-bit offsets into [`data`](Self::data), one more than there are strings; `None` if they have 32 bits.
    #[must_use]
    pub fn large_offsets(&self) -> Option<&[i64]> {
        match &self.0 {
            Offsets::Small(_) => None,
            Offsets::Large(array) => Some(array.value_offsets()),
        }
    }

    /// Returns the strings as an Arrow `Binary` or `LargeBinary` array, without a copy.
    #[must_use]
    pub fn to_array(&self) -> ArrayRef {
        match &self.0 {
            Offsets::Small(array) => Arc::new(array.clone()),
            Offsets::Large(array) => Arc::new(array.clone()),
        }
    }

    /// Returns `count` strings from `start` on; `None` if there are fewer.
    #[must_use]
    pub fn slice(&self, start: usize, count: usize) -> Option<Self> {
        if start.checked_add(count)? > self.len() {
            return None;
        }
        Some(Self(match &self.0 {
            Offsets::Small(array) => Offsets::Small(array.slice(start, count)),
            Offsets::Large(array) => Offsets::Large(array.slice(start, count)),
        }))
    }
}

impl<'a> IntoIterator for &'a Strings {
    type Item = &'a [u8];
    type IntoIter = StringsIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<B: AsRef<[u8]>> FromIterator<B> for Strings {
    fn from_iter<I: IntoIterator<Item = B>>(strings: I) -> Self {
        Self(Offsets::Large(LargeBinaryArray::from_iter_values(strings)))
    }
}

/// Equal strings in equal order, whatever the width of the offsets.
impl PartialEq for Strings {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Strings {}

impl fmt::Debug for Strings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|bytes| bytes.escape_ascii().to_string())).finish()
    }
}

/// Iterator over [`Strings`].
#[derive(Clone, Debug)]
pub struct StringsIter<'a> {
    strings: &'a Strings,
    next: usize,
}

impl<'a> Iterator for StringsIter<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.strings.get(self.next)?;
        self.next += 1;
        Some(bytes)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.strings.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for StringsIter<'_> {}
