//! Slots for the features of a record, field by field.

use crate::Error;
use crate::FeatureView;
use crate::decode::feature::FEATURE_DEPTH;
use crate::example::{Message, Parts};

/// The feature of a field in the record that is read.
#[derive(Debug, Default)]
pub struct Slot<'r> {
    /// Name in the record, and range of the value.
    pub(super) found: Option<(&'r [u8], Parts)>,
}

impl<'r> Slot<'r> {
    /// Takes an entry of the record, which replaces one of the same name.
    #[inline]
    pub(super) fn set(&mut self, message: Message<'r>, name: &'r [u8], value: Parts) -> Result<(), Error> {
        match self.found.replace((name, value)) {
            None => Ok(()),
            // It must be well-formed all the same.
            Some((name, replaced)) => FeatureView::parse(message, name, &replaced, FEATURE_DEPTH).map(drop),
        }
    }
}

/// The slots of a struct's own fields, and of the structs in it.
#[derive(Debug)]
pub struct Slots<'r, const N: usize, F> {
    /// One for each field that is not a struct in the struct.
    pub own: [Slot<'r>; N],
    /// The slots of the structs in it.
    pub flattened: F,
    /// The field that is expected next.
    next: usize,
}

impl<const N: usize, F: Default> Default for Slots<'_, N, F> {
    fn default() -> Self {
        Self { own: std::array::from_fn(|_| Slot::default()), flattened: F::default(), next: 0 }
    }
}

/// The names of a struct's own fields, with a table of `M` entries to find them by a hash.
#[derive(Debug)]
pub struct Names<const N: usize, const M: usize> {
    /// Names, in the order of the fields.
    pub names: [&'static str; N],
    /// The numbers of the fields, made by [`table`].
    pub table: [u16; M],
}

impl<const N: usize, const M: usize> Names<N, M> {
    #[inline]
    fn find(&self, name: &[u8]) -> Option<usize> {
        let first = hash(name);
        for at in first..first.saturating_add(M) {
            let number = usize::from(*self.table.get(at & (M - 1))?);
            // An empty entry has the number of no field.
            if self.names.get(number)?.as_bytes() == name {
                return Some(number);
            }
        }
        None
    }
}

impl<'r, const N: usize, F> Slots<'r, N, F> {
    /// Returns the number of the field of a name. That it is the one after the field of the name before is tried first.
    #[inline]
    pub fn position<const M: usize>(&mut self, known: &Names<N, M>, name: &[u8]) -> Option<usize> {
        let at = match known.names.get(self.next) {
            Some(next) if next.as_bytes() == name => self.next,
            _ => known.find(name)?,
        };
        self.next = at + 1;
        Some(at)
    }

    /// Returns the slot of a field, and leaves an empty one.
    #[inline]
    pub fn take(&mut self, at: usize) -> Slot<'r> {
        self.own.get_mut(at).map(std::mem::take).unwrap_or_default()
    }
}

/// Returns a hash table of the numbers of names: each in the slot of its hash, or the next free one. `M` is a power of two,
/// and more than the number of names.
#[must_use]
pub const fn table<const N: usize, const M: usize>(names: &[&str; N]) -> [u16; M] {
    assert!(M.is_power_of_two() && M > N && N < u16::MAX as usize, "the table is large enough");
    let mut table = [u16::MAX; M];
    let mut number = 0;
    while number < N {
        let mut at = hash(names[number].as_bytes()) & (M - 1);
        while table[at] != u16::MAX {
            at = (at + 1) & (M - 1);
        }
        table[at] = number as u16;
        number += 1;
    }
    table
}

/// Returns a hash of a name: of its length, and of its first, middle and last bytes.
#[inline]
const fn hash(name: &[u8]) -> usize {
    let (front, back) = name.split_at(name.len() / 2);
    let words = match (name.first_chunk(), name.last_chunk(), back.first_chunk()) {
        (Some(first), Some(last), Some(middle)) => {
            let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
            first ^ last.rotate_left(21) ^ u64::from_le_bytes(*middle).rotate_left(42)
        }
        (Some(first), Some(last), None) => {
            u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(21)
        }
        _ => match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => {
                u32::from_le_bytes(*first) as u64 | (u32::from_le_bytes(*last) as u64) << 32
            }
            _ => match (front.first(), back.first(), name.last()) {
                (Some(first), Some(middle), Some(last)) => {
                    *first as u64 | (*middle as u64) << 8 | (*last as u64) << 16
                }
                (_, Some(only), _) => *only as u64,
                _ => 0,
            },
        },
    };
    // The upper bits depend on all of them.
    ((words ^ name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

#[cfg(test)]
mod tests {
    use super::{Names, table};

    #[test]
    fn every_name_is_found_and_no_other() {
        const NAMES: [&str; 12] = [
            "",
            "a",
            "b",
            "ab",
            "abc",
            "abd",
            "label",
            "image/encoded",
            "image/height",
            "ä",
            "feature_int_007_x",
            "zz",
        ];
        const KNOWN: Names<12, 32> = Names { names: NAMES, table: table(&NAMES) };
        const TIGHT: Names<12, 16> = Names { names: NAMES, table: table(&NAMES) };
        for (number, name) in NAMES.iter().enumerate() {
            assert_eq!(KNOWN.find(name.as_bytes()), Some(number), "{name}");
            assert_eq!(TIGHT.find(name.as_bytes()), Some(number), "{name}");
        }
        for name in ["c", "ba", "image/width", "feature_int_008_x", "labels", "\u{e5}"] {
            assert_eq!((KNOWN.find(name.as_bytes()), TIGHT.find(name.as_bytes())), (None, None), "{name}");
        }
        const NONE: Names<0, 1> = Names { names: [], table: table(&[]) };
        assert_eq!(NONE.find(b"a"), None);
    }
}
