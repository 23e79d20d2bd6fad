//! An item that is counted.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The most bytes that fit beside the length.
const INLINE: usize = 22;

/// Bytes, short ones without a memory block of their own: most items are short, and come and go.
#[derive(Clone)]
pub(super) enum Item {
    Short { length: u8, bytes: [u8; INLINE] },
    Long(Box<[u8]>),
}

impl Item {
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => &bytes[..usize::from(*length).min(INLINE)],
            Self::Long(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for Item {
    #[inline]
    fn from(from: &[u8]) -> Self {
        match u8::try_from(from.len()) {
            Ok(length) if from.len() <= INLINE => {
                let mut bytes = [0; INLINE];
                bytes[..from.len()].copy_from_slice(from);
                Self::Short { length, bytes }
            }
            _ => Self::Long(from.into()),
        }
    }
}

impl Borrow<[u8]> for Item {
    #[inline]
    fn borrow(&self) -> &[u8] {
        self.bytes()
    }
}

impl Hash for Item {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Item {}

impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.bytes().escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::Item;

    #[test]
    fn any_length_is_kept() {
        for length in [0, 1, 21, 22, 23, 255, 256, 300] {
            let bytes = vec![7; length];
            assert_eq!(Item::from(&bytes[..]).bytes(), bytes);
        }
        assert_eq!(size_of::<Item>(), 24);
    }
}
