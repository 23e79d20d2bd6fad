//! Masks of quoted bytes, sixty-four at a time.
//!
//! If each quote opens or closes, the bytes in quotes are the ones after an odd number of quotes, which takes a few shifts for all of a
//! block, and no branch for a quote. If a quote does neither, the block reports it, and its reader looks at one byte after the other.

use super::block::{BLOCK, bits};

/// Returns a bit for each bit up to which, itself included, an odd number of bits is set.
#[inline]
const fn odd(mut bits: u64) -> u64 {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^ bits << 32
}

/// State at the end of the bytes before a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    /// All bits, where they end in quotes.
    open: u64,
    /// The lowest bit, where the last one is a closing quote.
    closed: u64,
    /// The lowest bit, where a cell begins after them.
    begun: u64,
}

impl Before {
    /// Returns the state before a block that follows a closing quote, begins a cell, is in quotes, or is in a cell without quotes.
    pub(crate) const fn new(is_open: bool, is_closed: bool, is_begun: bool) -> Self {
        Self { open: if is_open { u64::MAX } else { 0 }, closed: is_closed as u64, begun: is_begun as u64 }
    }

    /// Returns whether the bytes end in quotes.
    pub(crate) const fn is_open(self) -> bool {
        self.open != 0
    }

    /// Returns whether the last byte is a closing quote.
    pub(crate) const fn is_closed(self) -> bool {
        self.closed != 0
    }
}

/// Masks of a block by its quotes: a bit for each byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quoted {
    /// Bytes in quotes, including opening quotes and excluding closing ones.
    pub(crate) inside: u64,
    /// Delimiters that end a cell.
    pub(crate) ends: u64,
    /// Second quotes of two that are one.
    pub(crate) pairs: u64,
    /// Quotes that are elsewhere than at the beginning of a cell; from the first on, the others are not known.
    pub(crate) stray: u64,
    /// Bytes that follow a closing quote, and are neither a quote nor a delimiter.
    pub(crate) after: u64,
}

impl Quoted {
    /// Looks at the block that follows, and notes what is known after it. Without a quote, no byte is in quotes.
    #[inline]
    pub(crate) fn of(block: &[u8; BLOCK], quote: Option<u8>, delimiter: u8, before: &mut Before) -> Self {
        let delimiters = bits(block, delimiter);
        let quotes = quote.map_or(0, |quote| bits(block, quote));
        if quotes | before.open == 0 {
            // Most blocks of most files.
            let after = before.closed & !delimiters;
            *before = Before { open: 0, closed: 0, begun: delimiters >> 63 };
            return Self { inside: 0, ends: delimiters, pairs: 0, stray: 0, after };
        }
        let inside = odd(quotes) ^ before.open;
        let (opening, closing) = (quotes & inside, quotes & !inside);
        let ends = delimiters & !inside;
        let closed = closing << 1 | before.closed;
        let begun = ends << 1 | before.begun;
        *before = Before {
            open: if inside >> 63 == 1 { u64::MAX } else { 0 },
            closed: closing >> 63,
            begun: ends >> 63,
        };
        Self {
            inside,
            ends,
            pairs: opening & closed,
            stray: opening & !(closed | begun),
            after: closed & !(ends | opening),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Before, Quoted};

    fn block(text: &str) -> [u8; 64] {
        let mut block = [0; 64];
        block[..text.len()].copy_from_slice(text.as_bytes());
        block
    }

    /// Returns a bit for each byte that has a mark below it.
    fn marks(text: &str) -> u64 {
        text.bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'^')
            .fold(0, |bits, (index, _)| bits | 1 << index)
    }

    #[test]
    fn quotes_open_and_close() {
        let mut before = Before::new(false, false, true);
        let found = Quoted::of(&block(r#"a,"b,""c""",,"""","d"#), Some(b'"'), b',', &mut before);
        assert_eq!(found.ends, marks(" ^         ^^    ^  "));
        assert_eq!(found.pairs, marks("      ^  ^     ^    "));
        assert_eq!((found.stray, found.after), (0, 0));
        assert!(before.is_open() && !before.is_closed());
        let found = Quoted::of(&block(r#"e"f,g"h"#), Some(b'"'), b',', &mut before);
        assert_eq!(found.after, marks("  ^    "));
        assert_eq!(found.stray, marks("     ^ "));
    }

    #[test]
    fn what_was_before_a_block_counts() {
        let first = |before: Before| {
            let found = Quoted::of(&block("\""), Some(b'"'), b',', &mut { before });
            (found.inside & 1, found.pairs & 1, found.stray & 1)
        };
        assert_eq!(first(Before::new(true, false, false)), (0, 0, 0));
        assert_eq!(first(Before::new(false, true, false)), (1, 1, 0));
        assert_eq!(first(Before::new(false, false, true)), (1, 0, 0));
        assert_eq!(first(Before::new(false, false, false)), (1, 0, 1));
    }
}
