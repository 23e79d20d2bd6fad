//! The cells of a row, as [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180) quotes them.

use memchr::{memchr, memchr2};

use crate::lines::Quotes;
use crate::lines::block::{BLOCK, bits};
use crate::lines::quotes::{Before, Quoted};

/// Syntax of cells.
#[derive(Clone, Debug)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    /// `None` where quotes are text.
    pub(super) quote: Option<u8>,
    /// Escape in quotes, which makes a quote or itself after it text.
    pub(super) escape: Option<u8>,
}

/// Advice if a quote in a cell seems to be written with a backslash.
const ESCAPED: &str =
    "set the option escape to backslash where a quote in a cell is written \\\"; otherwise write it twice";

impl Dialect {
    pub(super) fn new(delimiter: u8, quote: Option<u8>) -> Self {
        Self { delimiter, quote, escape: None }
    }

    pub(super) fn escape(self, escape: Option<u8>) -> Self {
        Self { escape, ..self }
    }

    /// Returns what to do about bytes that cannot be read as a row, where they begin with one whose quotes a backslash escapes.
    #[cold]
    pub(super) fn escape_help(&self, row: &[u8]) -> Option<&'static str> {
        let escape = Some(b'\\');
        let quote = self.quote.filter(|_| self.escape.is_none())?;
        memchr::memmem::find(row, b"\\\"")?;
        let end = Quotes { quote, delimiter: self.delimiter, escape }.row_end(row)?;
        let row = row.get(..end)?;
        memchr::memmem::find(row, b"\\\"")?;
        Cells::default().split(row, &self.clone().escape(escape)).is_ok().then_some(ESCAPED)
    }

    /// Returns the length of a cell without quotes at the beginning of `text`: up to a delimiter or a byte that such a cell must not have.
    fn length(&self, text: &[u8]) -> usize {
        let is_other = |byte: &u8| *byte == self.delimiter || Some(*byte) == self.quote || *byte == b'\r';
        text.iter().position(is_other).unwrap_or(text.len())
    }
}

/// A cell of the row that was split last.
#[derive(Clone, Copy, Debug)]
struct Cell {
    start: usize,
    end: usize,
    is_quoted: bool,
    /// Whether its bytes are in the unescaped bytes, and not in the row.
    is_unescaped: bool,
}

/// A cell whose end was not found yet.
#[derive(Clone, Copy)]
struct Begun {
    start: usize,
    /// Start of the bytes that were not unescaped yet, after a first quote.
    copied: usize,
    /// Start of its bytes that were unescaped.
    unescaped: usize,
}

impl Begun {
    fn new(start: usize, unescaped: usize) -> Self {
        Self { start, copied: start + 1, unescaped }
    }
}

/// The cells of a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    cells: Vec<Cell>,
    unescaped: Vec<u8>,
}

/// Error in a row, with its byte and cell there.
#[derive(Debug)]
pub(super) struct BadCell {
    pub(super) at: usize,
    pub(super) cell: usize,
    pub(super) what: &'static str,
    pub(super) help: &'static str,
}

impl Cells {
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns a cell of the row that was split last, without its quotes, and whether it had some.
    #[inline]
    pub(super) fn get<'a>(&'a self, row: &'a [u8], index: usize) -> (&'a [u8], bool) {
        let Some(cell) = self.cells.get(index) else { return (&[], false) };
        let bytes = if cell.is_unescaped { &self.unescaped } else { row };
        (bytes.get(cell.start..cell.end).unwrap_or_default(), cell.is_quoted)
    }

    /// Splits a row, without its line break, into cells.
    pub(super) fn split(&mut self, row: &[u8], dialect: &Dialect) -> Result<(), BadCell> {
        if dialect.escape.is_some() {
            return self.split_cells(row, dialect);
        }
        if self.is_split(row, dialect) {
            return Ok(());
        }
        self.split_slowly(row, dialect)
    }

    /// Splits a row if nothing is wrong with it, a block at a time.
    fn is_split(&mut self, row: &[u8], dialect: &Dialect) -> bool {
        self.cells.clear();
        self.unescaped.clear();
        let mut before = Before::new(false, false, true);
        let mut cell = Begun::new(0, 0);
        for (index, bytes) in row.chunks(BLOCK).enumerate() {
            let (block, of_row) = padded(bytes);
            let mut found = Quoted::of(&block, dialect.quote, dialect.delimiter, &mut before);
            found.ends &= of_row;
            let returns = bits(&block, b'\r') & !found.inside;
            if (found.stray | found.after & of_row | returns) != 0 {
                return false;
            }
            self.push_ends(row, index * BLOCK, &found, dialect.quote, &mut cell);
        }
        if before.is_open() {
            return false;
        }
        self.push_begun(row, row.len(), dialect.quote, &cell);
        true
    }

    /// Splits a row with which something is wrong.
    #[cold]
    fn split_slowly(&mut self, row: &[u8], dialect: &Dialect) -> Result<(), BadCell> {
        self.split_cells(row, dialect)
    }

    /// Splits a row a cell after the other, as far as nothing is wrong with it.
    fn split_cells(&mut self, row: &[u8], dialect: &Dialect) -> Result<(), BadCell> {
        self.cells.clear();
        self.unescaped.clear();
        let mut at = 0;
        loop {
            let rest = row.get(at..).unwrap_or_default();
            let next = match dialect.quote {
                Some(quote) if rest.first() == Some(&quote) => self.quoted(row, at, quote, dialect)?,
                _ => {
                    let end = at + dialect.length(rest);
                    if let Some(byte) = row.get(end).filter(|byte| **byte != dialect.delimiter) {
                        return Err(self.special(*byte, end));
                    }
                    self.cells.push(Cell { start: at, end, is_quoted: false, is_unescaped: false });
                    end
                }
            };
            if next >= row.len() {
                return Ok(());
            }
            at = next + 1;
        }
    }

    /// Appends the cells that end in a block, which begins at an index of the row, and notes the one that begins last.
    #[inline]
    fn push_ends(&mut self, row: &[u8], at: usize, found: &Quoted, quote: Option<u8>, cell: &mut Begun) {
        let mut marks = found.ends | found.pairs;
        while marks != 0 {
            let mark = marks & marks.wrapping_neg();
            let index = at + marks.trailing_zeros() as usize;
            if found.pairs & mark != 0 {
                // Two quotes are one.
                self.unescaped.extend_from_slice(row.get(cell.copied..index).unwrap_or_default());
                cell.copied = index + 1;
            } else {
                self.push_begun(row, index, quote, cell);
                *cell = Begun::new(index + 1, self.unescaped.len());
            }
            marks ^= mark;
        }
    }

    /// Appends a cell, given where it ends.
    #[inline]
    fn push_begun(&mut self, row: &[u8], end: usize, quote: Option<u8>, cell: &Begun) {
        let Begun { start, copied, unescaped } = *cell;
        self.cells.push(if quote.is_none() || row.get(start) != quote.as_ref() {
            Cell { start, end, is_quoted: false, is_unescaped: false }
        } else if copied == start + 1 {
            Cell { start: start + 1, end: end - 1, is_quoted: true, is_unescaped: false }
        } else {
            self.unescaped.extend_from_slice(row.get(copied..end - 1).unwrap_or_default());
            Cell { start: unescaped, end: self.unescaped.len(), is_quoted: true, is_unescaped: true }
        });
    }

    /// Appends a cell in quotes, the first of which is at an index. Returns the index just past the last one.
    fn quoted(&mut self, row: &[u8], at: usize, quote: u8, dialect: &Dialect) -> Result<usize, BadCell> {
        let unescaped = self.unescaped.len();
        let (mut start, mut from) = (at + 1, at + 1);
        let mut is_unescaped = false;
        let end = loop {
            let rest = row.get(from..).unwrap_or_default();
            let found = match dialect.escape {
                Some(escape) => memchr2(quote, escape, rest),
                None => memchr(quote, rest),
            };
            let Some(found) = found.map(|index| from + index) else {
                let help = "close the quote; where it holds a line break, set the option quoted_newlines";
                return Err(self.bad(at, "the cell begins with a quote that is not closed in its row", help));
            };
            let next = row.get(found + 1).copied();
            if row.get(found) != Some(&quote) {
                // Before anything else it is text.
                let is_escape = next == Some(quote) || next == dialect.escape;
                if is_escape {
                    self.unescaped.extend_from_slice(row.get(start..found).unwrap_or_default());
                    (start, is_unescaped) = (found + 1, true);
                }
                from = found + 1 + usize::from(is_escape);
                continue;
            }
            if next != Some(quote) {
                break found;
            }
            // Two quotes are one.
            self.unescaped.extend_from_slice(row.get(start..=found).unwrap_or_default());
            (start, from, is_unescaped) = (found + 2, found + 2, true);
        };
        let cell = if is_unescaped {
            self.unescaped.extend_from_slice(row.get(start..end).unwrap_or_default());
            Cell { start: unescaped, end: self.unescaped.len(), is_quoted: true, is_unescaped }
        } else {
            Cell { start, end, is_quoted: true, is_unescaped }
        };
        let next = end + 1;
        if row.get(next).is_some_and(|byte| *byte != dialect.delimiter) {
            let help = "write a quote in a cell twice, or set the option quoting to none if quotes are text";
            return Err(self.bad(next, "text follows the closing quote of a cell", help));
        }
        self.cells.push(cell);
        Ok(next)
    }

    #[cold]
    fn special(&self, byte: u8, at: usize) -> BadCell {
        if byte == b'\r' {
            let what = "a carriage return without a line feed stands in a cell without quotes";
            return self.bad(at, what, "end lines with \\n or \\r\\n, or quote the cell");
        }
        let what = "a quote stands in a cell that does not begin with one";
        self.bad(
            at,
            what,
            "quote the cell and write the quote twice, or set the option quoting to none if quotes are text",
        )
    }

    #[cold]
    fn bad(&self, at: usize, what: &'static str, help: &'static str) -> BadCell {
        BadCell { at, cell: self.cells.len(), what, help }
    }
}

/// Returns a block of a row, zeros after its bytes, and the bits of those.
#[inline]
fn padded(bytes: &[u8]) -> ([u8; BLOCK], u64) {
    if let Ok(block) = bytes.try_into() {
        return (block, u64::MAX);
    }
    let mut block = [0; BLOCK];
    if let Some(begin) = block.get_mut(..bytes.len()) {
        begin.copy_from_slice(bytes);
    }
    (block, (1 << bytes.len()) - 1)
}

#[cfg(test)]
mod tests {
    use super::{Cells, Dialect};

    fn split(row: &str) -> Result<Vec<String>, String> {
        split_as(row, &Dialect::new(b',', Some(b'"')))
    }

    fn split_as(row: &str, dialect: &Dialect) -> Result<Vec<String>, String> {
        let mut cells = Cells::default();
        cells
            .split(row.as_bytes(), dialect)
            .map_err(|bad| format!("{} {} {}", bad.at, bad.cell, bad.what))?;
        let text = |index| {
            let (bytes, is_quoted) = cells.get(row.as_bytes(), index);
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            if is_quoted { format!("<{text}>") } else { text }
        };
        Ok((0..cells.len()).map(text).collect())
    }

    #[test]
    fn rows_are_split_as_rfc_4180_says() {
        let cases: [(&str, &[&str]); 9] = [
            ("", &[""]),
            ("a", &["a"]),
            ("a,,b,", &["a", "", "b", ""]),
            ("\"\"", &["<>"]),
            ("\"\",x", &["<>", "x"]),
            ("\"a,b\",\"c\nd\"", &["<a,b>", "<c\nd>"]),
            ("\"say \"\"hi\"\"\",\"\"\"\"", &["<say \"hi\">", "<\">"]),
            ("\"a\"\"b\",c,\"d\"\"\"", &["<a\"b>", "c", "<d\">"]),
            (" \u{e9}, b ", &[" \u{e9}", " b "]),
        ];
        for (row, expected) in cases {
            assert_eq!(split(row).unwrap(), expected, "{row}");
        }
    }

    #[test]
    fn an_escape_stands_before_a_quote_or_itself() {
        let dialect = Dialect::new(b',', Some(b'"')).escape(Some(b'\\'));
        let cases: [(&str, &[&str]); 11] = [
            ("", &[""]),
            ("a,,\"\"", &["a", "", "<>"]),
            (r#""foo (\"foo\")",x"#, &[r#"<foo ("foo")>"#, "x"]),
            (r#""\"","\"\"""#, &["<\">", "<\"\">"]),
            // A backslash at the end of a cell is written twice.
            (r#""C:\\","b""#, &[r"<C:\>", "<b>"]),
            (r#""\\\"",c"#, &[r#"<\">"#, "c"]),
            // Before anything else, and without quotes, it is text.
            (r#""a\n\tb",\N,C:\"#, &[r"<a\n\tb>", r"\N", r"C:\"]),
            (r#""a""b","\"","""""#, &["<a\"b>", "<\">", "<\">"]),
            ("\"a\\\",\nb\",c", &["<a\",\nb>", "c"]),
            (r#""\"\"\"",d"#, &["<\"\"\">", "d"]),
            ("\"\\x\u{e9}\\\\\"", &["<\\x\u{e9}\\>"]),
        ];
        for (row, expected) in cases {
            assert_eq!(split_as(row, &dialect).unwrap(), expected, "{row}");
        }
        let wrong = [
            (r#""a\""#, "0 0 the cell begins with a quote that is not closed in its row"),
            (r#"a\"b"#, "2 0 a quote stands in a cell that does not begin with one"),
            (r#""a\"b"c"#, "6 0 text follows the closing quote of a cell"),
        ];
        for (row, expected) in wrong {
            assert_eq!(split_as(row, &dialect).unwrap_err(), expected, "{row}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_row() {
        let cases = [
            ("a,b\"c", "3 1 a quote stands in a cell that does not begin with one"),
            ("a, \"c\"", "3 1 a quote stands in a cell that does not begin with one"),
            ("\"a\"b", "3 0 text follows the closing quote of a cell"),
            ("a,\"b", "2 1 the cell begins with a quote that is not closed in its row"),
            ("a\rb", "1 0 a carriage return without a line feed stands in a cell without quotes"),
        ];
        for (row, expected) in cases {
            assert_eq!(split(row).unwrap_err(), expected, "{row}");
        }
    }

    /// Splits a row a byte after the other.
    fn split_slowly(row: &str) -> Option<Vec<String>> {
        let (mut cells, mut bytes) = (Vec::new(), row.chars().peekable());
        loop {
            let mut text = String::new();
            let is_quoted = bytes.next_if_eq(&'"').is_some();
            if is_quoted {
                loop {
                    match bytes.next()? {
                        '"' if bytes.next_if_eq(&'"').is_some() => text.push('"'),
                        '"' => break,
                        byte => text.push(byte),
                    }
                }
            }
            let end = loop {
                match bytes.next() {
                    end @ (None | Some(',')) => break end,
                    Some(byte) if is_quoted || matches!(byte, '"' | '\r') => return None,
                    Some(byte) => text.push(byte),
                }
            };
            cells.push(if is_quoted { format!("<{text}>") } else { text });
            if end.is_none() {
                return Some(cells);
            }
        }
    }

    #[test]
    fn quotes_count_wherever_they_stand() {
        let mut state = 5u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let (mut right, mut wrong) = (0, 0);
        for round in 0..20_000 {
            let mut row = String::new();
            for _ in 0..next(12) {
                match next(4) {
                    0 => row.push_str(["", "a", "some words", "\u{e9}"][next(4)]),
                    _ => {
                        let parts = ["\"\"", ",", "\n", "\r", "x", "words of a text", "\"\"\"\""];
                        let text = (0..next(9)).map(|_| parts[next(parts.len())]).collect::<String>();
                        row.push_str(&format!("\"{text}\""));
                    }
                }
                row.push(',');
            }
            if round % 3 == 0 {
                // Damaged at one byte.
                let at = next(row.len().max(1));
                if row.is_char_boundary(at) {
                    row.insert(at, ['"', '\r', 'x'][next(3)]);
                }
            }
            let (found, expected) = (split(&row), split_slowly(&row));
            *(if expected.is_some() { &mut right } else { &mut wrong }) += 1;
            assert_eq!(found.ok(), expected, "{row:?}");
        }
        assert!(right > 1000 && wrong > 1000, "{right} {wrong}");
    }
}
