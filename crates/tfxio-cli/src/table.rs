//! Tables for people.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use tfxio::tfxio_core::Count;

use crate::{color, escape, output, width};

/// Characters that a path keeps where the terminal is narrow.
const PATH: usize = 16;
/// Characters that other text keeps.
const TEXT: usize = 24;

/// Output that takes lines in colour, in which everything else is escaped already.
pub(crate) trait Styled: Write {
    /// Writes a line and its end.
    fn styled(&mut self, line: &str) -> io::Result<()>;
}

/// Rows of text under a head. Columns are as wide as their longest cell; numbers are right-aligned. Control characters
/// are escaped.
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    numbers: Vec<bool>,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        let head = head.into_iter().map(|cell| escaped(cell.into())).collect::<Vec<_>>();
        Self { numbers: vec![true; head.len()], head, rows: Vec::new() }
    }

    /// Appends a row with a cell a column.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        let row = row.into_iter().map(escaped).collect::<Vec<_>>();
        for (cell, number) in row.iter().zip(&mut self.numbers) {
            *number &= is_number(cell);
        }
        self.rows.push(row);
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = self.head.iter().map(|cell| width::of(cell)).collect::<Vec<_>>();
        for row in &self.rows {
            for (cell, width) in row.iter().zip(&mut widths) {
                *width = (*width).max(width::of(cell));
            }
        }
        widths
    }

    /// Characters of the longest line.
    pub(crate) fn width(&self) -> usize {
        self.widths().iter().sum::<usize>() + 2 * self.head.len().saturating_sub(1)
    }

    /// Writes one line a row.
    pub(crate) fn write(&self, out: &mut impl Styled) -> io::Result<()> {
        let widths = self.widths();
        let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>();
        let is_state = |at: usize| self.head.get(at).is_some_and(|head| head == "state");
        self.line(&self.head, &widths, out, |_, cell| color::head(cell))?;
        self.line(&rule, &widths, out, |_, cell| color::faint(cell))?;
        for row in &self.rows {
            self.line(row, &widths, out, |at, cell| match cell {
                "null" => color::faint(cell),
                _ if is_state(at) && !cell.is_empty() => color::state(cell),
                _ => cell.to_owned(),
            })?;
        }
        Ok(())
    }

    fn line(
        &self,
        row: &[String],
        widths: &[usize],
        out: &mut impl Styled,
        style: impl Fn(usize, &str) -> String,
    ) -> io::Result<()> {
        let mut line = String::new();
        for (at, ((cell, width), number)) in row.iter().zip(widths).zip(&self.numbers).enumerate() {
            if at > 0 {
                line.push_str("  ");
            }
            let room = " ".repeat(width.saturating_sub(width::of(cell)));
            if *number {
                line.push_str(&room);
                line.push_str(&style(at, cell));
            } else {
                line.push_str(&style(at, cell));
                line.push_str(&room);
            }
        }
        out.styled(line.trim_end())
    }

    /// As [`write`](Self::write); to a terminal in lines that it has room for. Long paths and texts are cut then; where that
    /// is not enough, as [`write_long`](Self::write_long).
    pub(crate) fn write_fitting(&self, out: &mut impl Styled, title: &str) -> io::Result<()> {
        match output::terminal_width() {
            Some(width) => self.write_within(width, out, title),
            None => self.write(out),
        }
    }

    fn write_within(&self, width: usize, out: &mut impl Styled, title: &str) -> io::Result<()> {
        match self.within(width) {
            Some(table) => table.write(out),
            None => {
                let titles = (0..self.rows.len()).map(|number| format!("{title} {number}"));
                self.write_long(out, titles)
            }
        }
    }

    /// The table with its longest texts cut so that a line has at most `width` characters; `None` if it would still have
    /// more.
    fn within(&self, width: usize) -> Option<Self> {
        let is_path = |at: usize| self.head.get(at).is_some_and(|head| head == "file" || head == "index");
        let mut widths = self.widths();
        let gaps = 2 * self.head.len().saturating_sub(1);
        while widths.iter().sum::<usize>() + gaps > width {
            // Paths first: their ends say enough.
            let least = |at: usize, head: &String| {
                let least = if is_path(at) { PATH } else { TEXT };
                least.max(width::of(head))
            };
            let columns = self.head.iter().enumerate().zip(&mut widths).zip(&self.numbers);
            let shrinking =
                columns.filter(|(((at, head), width), number)| !**number && **width > least(*at, head));
            let (_, widest) = shrinking
                .map(|(((at, _), width), _)| ((is_path(at), *width), width))
                .max_by_key(|(key, _)| *key)?;
            *widest -= 1;
        }
        let cut = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate();
            cells
                .map(
                    |(at, (cell, width))| {
                        if is_path(at) { cut_left(cell, *width) } else { cut_right(cell, *width) }
                    },
                )
                .collect()
        };
        let rows = self.rows.iter().map(cut).collect();
        Some(Self { head: self.head.clone(), rows, numbers: self.numbers.clone() })
    }

    /// Writes one line a cell, under the title of each row: for more columns than a line has room for.
    pub(crate) fn write_long<T: AsRef<str>>(
        &self,
        out: &mut impl Styled,
        titles: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        let width = self.head.iter().map(|cell| width::of(cell)).max().unwrap_or(0);
        for (title, row) in titles.into_iter().zip(&self.rows) {
            out.styled(&color::head(&format!("── {}", escape::line(title.as_ref()))))?;
            for (name, cell) in self.head.iter().zip(row) {
                let room = " ".repeat(width.saturating_sub(width::of(name)));
                let cell = if cell == "null" { color::faint(cell) } else { cell.clone() };
                out.styled(&format!("{name}{room}  {cell}"))?;
            }
        }
        Ok(())
    }
}

fn escaped(cell: String) -> String {
    match escape::line(&cell) {
        std::borrow::Cow::Borrowed(_) => cell,
        std::borrow::Cow::Owned(escaped) => escaped,
    }
}

/// The end of a text in at most `most` columns.
fn cut_left(text: &str, most: usize) -> String {
    if width::of(text) <= most {
        return text.to_owned();
    }
    format!("…{}", width::end(text, most.saturating_sub(1)))
}

/// The start of a text in at most `most` columns.
pub(crate) fn cut_right(text: &str, most: usize) -> String {
    if width::of(text) <= most {
        return text.to_owned();
    }
    format!("{}…", width::start(text, most.saturating_sub(1)))
}

fn is_number(cell: &str) -> bool {
    cell == "null" || cell.parse::<f64>().is_ok() || cell.chars().all(|c| c.is_ascii_digit() || c == ',')
}

/// A number of things: `1 record`, `1,234 records`.
pub(crate) fn counted(value: u64, thing: &str) -> String {
    Count::of(Grouped(value), thing).to_string()
}

/// An integer with commas between thousands.
pub(crate) fn count(value: u64) -> String {
    Grouped(value).to_string()
}

/// An integer that is written with commas between thousands.
#[derive(PartialEq)]
struct Grouped(u64);

impl From<u8> for Grouped {
    fn from(value: u8) -> Self {
        Self(value.into())
    }
}

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                f.write_char(',')?;
            }
            f.write_char(digit)?;
        }
        Ok(())
    }
}

#[cfg(test)]
impl Styled for Vec<u8> {
    fn styled(&mut self, line: &str) -> io::Result<()> {
        writeln!(self, "{line}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_keep_columns_straight() {
        let mut table = Table::new(["日本語", "n"]);
        for cell in ["a", "🦀🦀🦀🦀", "e\u{301}", "👩\u{200d}💻"] {
            table.push(vec![cell.into(), "1".into()]);
        }
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().all(|line| width::of(line) == 11), "{text}");
        assert_eq!(cut_right("日本語", 4), "日…");
        assert_eq!(cut_left("日本語", 4), "…語");
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!([0, 999, 1000, 1234567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 1000].map(|n| counted(n, "record")), ["0 records", "1 record", "1,000 records"]);
        assert_eq!([1, 2].map(|n| counted(n, "batch")), ["1 batch", "2 batches"]);
    }

    #[test]
    fn numbers_stand_at_the_right() {
        let mut table = Table::new(["name", "n"]);
        table.push(vec!["a".into(), "5".into()]);
        table.push(vec!["longer".into(), "1,234".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "name        n\n──────  ─────\na           5\nlonger  1,234\n"
        );
        assert_eq!(table.width(), 13);
    }

    #[test]
    fn tables_fit_narrow_terminals() {
        let shown = |table: &Table, width: usize| {
            let mut out = Vec::new();
            table.write_within(width, &mut out, "file").unwrap();
            String::from_utf8(out).unwrap()
        };
        let mut table = Table::new(["file", "schema", "records"]);
        table.push(vec![
            "folder/of/many/files/train.avro".into(),
            "record of people, some".into(),
            "1,234".into(),
        ]);
        assert!(
            shown(&table, 100).contains("folder/of/many/files/train.avro  record of people, some    1,234")
        );
        for width in [50, 60, 62] {
            let text = shown(&table, width);
            assert_eq!(text.lines().next().unwrap().chars().count(), width, "{text}");
            assert!(text.contains("files/train.avro  record of people, some    1,234\n"), "{text}");
        }
        // Numbers and short texts are not cut.
        assert_eq!(
            shown(&table, 40),
            "── file 0\nfile     folder/of/many/files/train.avro\nschema   record of people, some\nrecords  1,234\n"
        );
        let mut table = Table::new(["field", "Arrow"]);
        table.push(vec!["a".into(), "list<".repeat(20)]);
        assert_eq!(
            shown(&table, 40).lines().last().unwrap(),
            format!("a      {}…", &"list<".repeat(20)[..32])
        );
    }

    #[test]
    fn cells_stay_in_their_lines() {
        let mut table = Table::new(["a\x1b[2J"]);
        table.push(vec!["x\ny".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\\u001b[2J\n──────────\nx\\ny\n");
    }
}
