//! Ends of rows.

use memchr::{memchr, memchr2};

use super::block::{BLOCK, bits};
use super::quotes::{Before, Quoted};

/// The bytes that quote cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quotes {
    pub(crate) quote: u8,
    /// Delimiter of cells: a quote opens a cell only after it, or at the beginning of a row.
    pub(crate) delimiter: u8,
    /// Escape in quotes, which makes a quote or itself after it text.
    pub(crate) escape: Option<u8>,
}

impl Quotes {
    /// Returns the length of the row with which bytes begin, without its line break; nothing where they end inside of quotes.
    pub(crate) fn row_end(self, bytes: &[u8]) -> Option<usize> {
        let mut ends = RowEnds::new(Some(self));
        match ends.find(bytes) {
            Some(length) => {
                let row = bytes.get(..length.saturating_sub(1)).unwrap_or_default();
                Some(row.strip_suffix(b"\r").unwrap_or(row).len())
            }
            None => (!ends.is_open()).then_some(bytes.len()),
        }
    }
}

/// Finds the ends of rows in bytes that come in parts.
#[derive(Clone, Debug)]
pub(super) struct RowEnds {
    quotes: Option<Quotes>,
    /// Bytes of the row that were looked at.
    at: usize,
    /// Whether they end inside of quotes.
    is_open: bool,
    /// Index just past the last closing quote: one that follows it at once is a quote within the cell.
    closed: usize,
}

impl RowEnds {
    pub(super) fn new(quotes: Option<Quotes>) -> Self {
        Self { quotes, at: 0, is_open: false, closed: usize::MAX }
    }

    /// Returns the length of the row with which `bytes` begin, its line feed included, or `None` if it does not end there;
    /// then it is called again with the same bytes and more.
    pub(super) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let Some(Quotes { quote, delimiter, escape }) = self.quotes else {
            let found = memchr(b'\n', bytes.get(self.at..).unwrap_or_default());
            let end = found.map(|index| self.at + index + 1);
            self.at = if end.is_some() { 0 } else { bytes.len() };
            return end;
        };
        loop {
            // A quote is seldom the last one of its row.
            if escape.is_none()
                && (self.is_open || self.closed == self.at)
                && let Some(end) = self.find_in_blocks(bytes, quote, delimiter)
            {
                self.restart();
                return Some(end);
            }
            let rest = bytes.get(self.at..).unwrap_or_default();
            let found = match escape {
                _ if !self.is_open => memchr2(b'\n', quote, rest),
                Some(escape) => memchr2(escape, quote, rest),
                None => memchr(quote, rest),
            };
            let Some(index) = found else {
                self.at = bytes.len();
                return None;
            };
            let found = self.at + index;
            if self.is_open && rest.get(index) != Some(&quote) {
                // It may be the last byte that is there.
                let Some(next) = bytes.get(found + 1) else {
                    self.at = found;
                    return None;
                };
                self.at = found + 1 + usize::from(*next == quote || Some(*next) == escape);
                continue;
            }
            self.at = found + 1;
            if self.is_open {
                self.is_open = false;
                self.closed = self.at;
            } else if rest.get(index) == Some(&quote) {
                // Elsewhere a quote is an error of that row only, and does not swallow the next ones.
                let before = found.checked_sub(1).and_then(|before| bytes.get(before));
                self.is_open = found == self.closed || before.is_none_or(|before| *before == delimiter);
            } else {
                let end = self.at;
                self.restart();
                return Some(end);
            }
        }
    }

    /// Looks at whole blocks up to one that ends the row, or that has a quote which neither opens nor closes.
    #[inline]
    fn find_in_blocks(&mut self, bytes: &[u8], quote: u8, delimiter: u8) -> Option<usize> {
        let last = self.at.checked_sub(1).and_then(|last| bytes.get(last));
        let is_begun = !self.is_open && last.is_none_or(|last| *last == delimiter);
        let mut before = Before::new(self.is_open, self.closed == self.at, is_begun);
        let mut end = None;
        for block in bytes.get(self.at..).unwrap_or_default().as_chunks::<BLOCK>().0 {
            let mut after = before;
            let found = Quoted::of(block, Some(quote), delimiter, &mut after);
            let feeds = bits(block, b'\n') & !found.inside;
            // Before the first line feed, if there is one.
            let in_row = !feeds & feeds.wrapping_sub(1);
            if found.stray & in_row != 0 {
                break;
            }
            if feeds != 0 {
                end = Some(self.at + feeds.trailing_zeros() as usize + 1);
                break;
            }
            (before, self.at) = (after, self.at + BLOCK);
        }
        self.is_open = before.is_open();
        self.closed = if before.is_closed() { self.at } else { usize::MAX };
        end
    }

    /// Returns whether the row that was looked at ends inside of quotes.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns whether bytes, which end inside of quotes, begin with a row where a backslash escapes quotes.
    #[cold]
    pub(super) fn is_row_with_escape(&self, bytes: &[u8]) -> bool {
        let escape = Some(b'\\');
        let Some(quotes) = self.quotes.filter(|quotes| quotes.escape.is_none()) else { return false };
        let mut ends = Self::new(Some(Quotes { escape, ..quotes }));
        let end = ends.find(bytes).unwrap_or(bytes.len());
        !ends.is_open() && memchr::memmem::find(bytes.get(..end).unwrap_or_default(), b"\\\"").is_some()
    }

    /// Begins a new row.
    pub(super) fn restart(&mut self) {
        *self = Self::new(self.quotes);
    }
}

#[cfg(test)]
mod tests {
    use super::{Quotes, RowEnds};

    fn rows(text: &str, quotes: Option<Quotes>, step: usize) -> Vec<&str> {
        let (mut ends, mut start, mut have, mut rows) = (RowEnds::new(quotes), 0, 0, Vec::new());
        while have < text.len() {
            have = (have + step).min(text.len());
            while let Some(length) = ends.find(&text.as_bytes()[start..have]) {
                rows.push(&text[start..start + length]);
                start += length;
            }
        }
        rows
    }

    #[test]
    fn line_feeds_in_quotes_do_not_end_a_row() {
        let quotes = Some(Quotes { quote: b'"', delimiter: b',', escape: None });
        for step in 1..12 {
            let text = "a,\"b\nc\"\n\"\"\"\n\",d\n\"\",\"\"\nx\"\ny\n\n\"q\"\"\nr\"\n";
            let expected =
                ["a,\"b\nc\"\n", "\"\"\"\n\",d\n", "\"\",\"\"\n", "x\"\n", "y\n", "\n", "\"q\"\"\nr\"\n"];
            assert_eq!(rows(text, quotes, step), expected, "{step}");
            assert_eq!(rows("a\"\n\nb", None, step), ["a\"\n", "\n"], "{step}");
        }
    }

    #[test]
    fn escaped_quotes_do_not_close() {
        let quotes = Some(Quotes { quote: b'"', delimiter: b',', escape: Some(b'\\') });
        let text =
            "a\\,\"b\\\"\nc\"\n\"\\\\\",d\n\"\\\",\n\",\"\"\"\nx\\\"\n\"\ny\\\n\n\"q\\n\\\\\\\"\nr\"\n";
        let expected = [
            "a\\,\"b\\\"\nc\"\n",
            "\"\\\\\",d\n",
            "\"\\\",\n\",\"\"\"\nx\\\"\n\"\n",
            "y\\\n",
            "\n",
            "\"q\\n\\\\\\\"\nr\"\n",
        ];
        for step in 1..30 {
            assert_eq!(rows(text, quotes, step), expected, "{step}");
        }
        // What opens nowhere is text.
        assert_eq!(rows("a\\\"\nb\n", quotes, 3), ["a\\\"\n", "b\n"]);
    }

    #[test]
    fn rows_end_where_they_do_byte_after_byte() {
        let quotes = Some(Quotes { quote: b'"', delimiter: b',', escape: None });
        let mut state = 11u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for round in 0..3_000 {
            let alphabet = [b'"', b'"', b',', b'\n', b'a', b'b', b'c', b'd'];
            let text = (0..next(400)).map(|_| alphabet[next(if round % 2 == 0 { 8 } else { 5 })]);
            let text = String::from_utf8(text.collect()).unwrap();
            let whole = rows(&text, quotes, text.len().max(1));
            assert_eq!(whole, rows_slowly(&text), "{text:?}");
            assert_eq!(whole, rows(&text, quotes, 1 + next(100)), "{text:?}");
        }
    }

    fn rows_slowly(text: &str) -> Vec<&str> {
        let (mut rows, mut start, mut is_open, mut closed) = (Vec::new(), 0, false, false);
        for (index, byte) in text.bytes().enumerate() {
            let was_closed = std::mem::take(&mut closed);
            match byte {
                b'"' if is_open => (is_open, closed) = (false, true),
                b'"' => is_open = was_closed || index == start || text.as_bytes()[index - 1] == b',',
                b'\n' if !is_open => {
                    rows.push(&text[start..=index]);
                    start = index + 1;
                }
                _ => {}
            }
        }
        rows
    }
}
