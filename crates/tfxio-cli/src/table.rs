//! Tables for people.

use std::io::{self, Write};

/// Rows of text under a head. Columns are as wide as their longest cell; numbers stand at the right.
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    numbers: Vec<bool>,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        let head = head.into_iter().map(Into::into).collect::<Vec<_>>();
        Self { numbers: vec![true; head.len()], head, rows: Vec::new() }
    }

    /// Appends a row with a cell a column.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        for (cell, number) in row.iter().zip(&mut self.numbers) {
            *number &= is_number(cell);
        }
        self.rows.push(row);
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = self.head.iter().map(|cell| cell.chars().count()).collect::<Vec<_>>();
        for row in &self.rows {
            for (cell, width) in row.iter().zip(&mut widths) {
                *width = (*width).max(cell.chars().count());
            }
        }
        widths
    }

    /// Characters of the longest line.
    pub(crate) fn width(&self) -> usize {
        self.widths().iter().sum::<usize>() + 2 * self.head.len().saturating_sub(1)
    }

    /// Writes one line a row.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let widths = self.widths();
        let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>();
        for row in [&self.head, &rule].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for ((cell, width), number) in row.iter().zip(&widths).zip(&self.numbers) {
                if !line.is_empty() {
                    line.push_str("  ");
                }
                let room = " ".repeat(width.saturating_sub(cell.chars().count()));
                if *number {
                    line.push_str(&room);
                    line.push_str(cell);
                } else {
                    line.push_str(cell);
                    line.push_str(&room);
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Writes one line a cell, under a title a row with its number from `first` on: for more columns than a line has room for.
    pub(crate) fn write_long(&self, out: &mut impl Write, title: &str, first: u64) -> io::Result<()> {
        let width = self.head.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        for (number, row) in (first..).zip(&self.rows) {
            writeln!(out, "── {title} {number}")?;
            for (name, cell) in self.head.iter().zip(row) {
                let room = " ".repeat(width.saturating_sub(name.chars().count()));
                writeln!(out, "{name}{room}  {cell}")?;
            }
        }
        Ok(())
    }
}

fn is_number(cell: &str) -> bool {
    cell == "null" || cell.parse::<f64>().is_ok() || cell.chars().all(|c| c.is_ascii_digit() || c == ',')
}

/// An integer with commas between thousands.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas() {
        assert_eq!([0, 999, 1000, 1234567].map(count), ["0", "999", "1,000", "1,234,567"]);
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
}
