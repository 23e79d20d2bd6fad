//! Where rows end.

use memchr::{memchr, memchr2};

/// The bytes that quote cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quotes {
    pub(crate) quote: u8,
    /// What stands between cells: a quote opens a cell only after it, or at the beginning of a row.
    pub(crate) delimiter: u8,
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
        let Some(Quotes { quote, delimiter }) = self.quotes else {
            let found = memchr(b'\n', bytes.get(self.at..).unwrap_or_default());
            let end = found.map(|index| self.at + index + 1);
            self.at = if end.is_some() { 0 } else { bytes.len() };
            return end;
        };
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let found = if self.is_open { memchr(quote, rest) } else { memchr2(b'\n', quote, rest) };
            let Some(index) = found else {
                self.at = bytes.len();
                return None;
            };
            let found = self.at + index;
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

    /// Returns whether the row that was looked at ends inside of quotes.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
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
        let quotes = Some(Quotes { quote: b'"', delimiter: b',' });
        for step in 1..12 {
            let text = "a,\"b\nc\"\n\"\"\"\n\",d\n\"\",\"\"\nx\"\ny\n\n\"q\"\"\nr\"\n";
            let expected =
                ["a,\"b\nc\"\n", "\"\"\"\n\",d\n", "\"\",\"\"\n", "x\"\n", "y\n", "\n", "\"q\"\"\nr\"\n"];
            assert_eq!(rows(text, quotes, step), expected, "{step}");
            assert_eq!(rows("a\"\n\nb", None, step), ["a\"\n", "\n"], "{step}");
        }
    }
}
