//! The types of columns, by what their cells hold.

use super::cells::Cells;
use super::settings::Settings;
use super::types::Kind;
use crate::lines::{Integer, float, integer, strict_float, strict_integer};

/// Kinds of values in the cells of a column, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen(u8);

impl Seen {
    const BOOL: u8 = 1;
    const INT: u8 = 2;
    const FLOAT: u8 = 4;
    const TEXT: u8 = 8;
    /// Quotes with nothing between them: an empty text if no other cell has a kind.
    const EMPTY: u8 = 16;
    /// An integer that is not exactly a 64-bit float.
    const LONG: u8 = 32;
    /// A number with zeros before its digits, which are lost.
    const ZEROS: u8 = 64;
    /// A number that would be written otherwise.
    const OTHERWISE: u8 = 128;

    /// Looks at a cell that is not missing, of the plain layout.
    pub(super) fn push_text(&mut self, text: &[u8]) {
        if text.is_empty() {
            self.0 |= Self::EMPTY;
        }
        self.push(text, true);
    }

    /// Returns the bits; the bits of several threads are combined by or.
    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    pub(super) const fn of_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Looks at a cell. If cells are read literally, `is_plain`, there are bools, and no digit is lost; else cells are read as in tfx-bsl.
    fn push(&mut self, cell: &[u8], is_plain: bool) {
        if self.0 & Self::TEXT != 0 || cell.is_empty() {
            return;
        }
        self.0 |= match if is_plain { strict_integer(cell) } else { integer(cell) } {
            Integer::Value(value) if is_plain => Self::plain_integer(cell, value),
            Integer::Value(_) => Self::INT | Self::lost(cell),
            // As in tfx-bsl, not a float: it would lose digits.
            Integer::TooLarge => Self::TEXT,
            Integer::No if is_plain && is_bool(cell) => Self::BOOL,
            Integer::No => match if is_plain { strict_float(cell) } else { float(cell) } {
                Some(value) if is_plain && is_beyond(cell, value) => Self::TEXT,
                // One of a column is enough to know of.
                Some(value) if is_plain && self.0 & Self::OTHERWISE == 0 && !is_kept(cell, value) => {
                    Self::FLOAT | Self::OTHERWISE
                }
                Some(_) if is_plain => Self::FLOAT,
                Some(_) => Self::FLOAT | Self::lost(cell),
                None => Self::TEXT,
            },
        };
    }

    /// Returns the bits of what is lost of a number of the layout of tfx-bsl.
    fn lost(cell: &[u8]) -> u8 {
        match cell {
            cell if has_zeros(cell) => Self::ZEROS,
            cell if cell.contains(&b'_') => Self::OTHERWISE,
            _ => 0,
        }
    }

    /// Returns the bits of an integer of the plain layout.
    #[inline]
    fn plain_integer(cell: &[u8], value: i64) -> u8 {
        let mut bits = if is_exact(value) { Self::INT } else { Self::INT | Self::LONG };
        let (is_negative, digits) = match cell.split_first() {
            Some((b'-', digits)) => (true, digits),
            _ => (false, cell),
        };
        let is_kept = match digits {
            [b'0'] => !is_negative,
            [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        if !is_kept {
            bits |= if has_zeros(cell) { Self::ZEROS } else { Self::OTHERWISE };
        }
        bits
    }

    pub(super) fn kind(self) -> Kind {
        match self.0 & !(Self::EMPTY | Self::ZEROS | Self::OTHERWISE) {
            0 if self.0 == 0 => Kind::Unknown,
            Self::BOOL => Kind::Bool,
            Self::INT => Kind::Int,
            seen if seen == Self::INT | Self::LONG => Kind::Int,
            seen if seen != 0 && seen & !(Self::INT | Self::FLOAT) == 0 => Kind::Float,
            _ => Kind::Text,
        }
    }
}

/// Returns whether an integer is exactly a 64-bit float.
pub(super) fn is_exact(value: i64) -> bool {
    i128::from(value) == value as f64 as i128
}

/// Returns whether a cell has digits, and the float that they are read as is infinite.
pub(super) fn is_beyond(cell: &[u8], float: f64) -> bool {
    float.is_infinite() && cell.iter().any(u8::is_ascii_digit)
}

/// Returns whether a cell begins with a zero that is not significant in a number, as in a postal code.
fn has_zeros(cell: &[u8]) -> bool {
    let digits = cell.strip_prefix(b"-").or_else(|| cell.strip_prefix(b"+")).unwrap_or(cell);
    matches!(digits, [b'0', next, ..] if next.is_ascii_digit())
}

/// Returns whether a float is written as it is in a cell: with the fewest digits that parse back to it.
fn is_kept(cell: &[u8], value: f64) -> bool {
    if let Some(is_kept) = is_short(cell) {
        return is_kept;
    }
    let text = std::str::from_utf8(cell).unwrap_or_default();
    // The case of what is not a number says nothing.
    if value.is_finite() {
        text == format!("{value:?}")
    } else {
        text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    }
}

/// Returns whether a float that is written with digits around a point is written so again; nothing where that is not seen at once.
fn is_short(cell: &[u8]) -> Option<bool> {
    let digits = cell.strip_prefix(b"-").unwrap_or(cell);
    let point = digits.iter().position(|byte| *byte == b'.')?;
    let (whole, fraction) = (digits.get(..point)?, digits.get(point + 1..)?);
    // No two decimals of 15 digits are one float. Small and large ones are written with an exponent.
    let is_plain = digits.len() <= 16 && whole.iter().chain(fraction).all(u8::is_ascii_digit);
    match (whole, fraction) {
        (_, []) | ([], _) if is_plain => Some(false),
        ([b'0', _, ..], _) if is_plain => Some(false),
        (_, [.., b'0']) if is_plain && fraction.len() > 1 => Some(false),
        ([b'1'..=b'9', ..], _) if is_plain => Some(true),
        ([b'0'], [b'1'..=b'9', ..]) if is_plain => Some(true),
        _ => None,
    }
}

fn is_bool(cell: &[u8]) -> bool {
    matches!(cell, b"true" | b"True" | b"TRUE" | b"false" | b"False" | b"FALSE")
}

/// Kinds of values in the cells of all columns.
#[derive(Clone, Debug)]
pub(super) struct Inference {
    columns: Vec<(Seen, Option<u8>)>,
    is_plain: bool,
    pub(super) records: u64,
}

impl Inference {
    pub(super) fn new(names: &[String], settings: &Settings) -> Self {
        let separator =
            |name: &String| settings.multivalent.contains(name).then_some(settings.secondary_delimiter);
        let seen = |name| if settings.texts.contains(name) { Seen(Seen::TEXT) } else { Seen::default() };
        let columns = names.iter().map(|name| (seen(name), separator(name))).collect();
        Self { columns, is_plain: settings.is_plain, records: 0 }
    }

    /// Looks at a row.
    pub(super) fn push(&mut self, row: &[u8], cells: &Cells) {
        self.records += 1;
        for (index, (seen, separator)) in self.columns.iter_mut().enumerate() {
            let (cell, is_quoted) = cells.get(row, index);
            match separator {
                Some(separator) => {
                    cell.split(|byte| byte == separator).for_each(|value| seen.push(value, self.is_plain));
                }
                None => seen.push(cell, self.is_plain),
            }
            if is_quoted && cell.is_empty() {
                seen.0 |= Seen::EMPTY;
            }
        }
    }

    /// Returns the indices of columns of numbers, of which some are not written back as they were, and the loss.
    pub(super) fn written_otherwise(&self) -> Vec<(usize, &'static str)> {
        let lost = |(index, (seen, _)): (usize, &(Seen, _))| {
            let what = match seen.0 & (Seen::ZEROS | Seen::OTHERWISE) {
                0 => return None,
                Seen::ZEROS => {
                    "zeros before the digits of numbers are not kept, unless the option text_columns names the column"
                }
                _ => {
                    "numbers that would be written otherwise, such as +5, 1.10, 12e4 or those with spaces, are not kept as they stand, \
                     unless the option text_columns names the column"
                }
            };
            matches!(seen.kind(), Kind::Int | Kind::Float).then_some((index, what))
        };
        self.columns.iter().enumerate().filter_map(lost).collect()
    }

    /// Returns the kind of each column.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        self.columns.iter().map(|(seen, _)| seen.kind()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;

    /// Returns whether a cell is a number, and whether it would be written in the same way.
    fn seen(cell: &str) -> (bool, bool) {
        let mut seen = Seen::default();
        seen.push(cell.as_bytes(), true);
        let is_number = seen.0 & (Seen::INT | Seen::FLOAT) != 0;
        (is_number, is_number && seen.0 & (Seen::ZEROS | Seen::OTHERWISE) == 0)
    }

    #[test]
    fn numbers_that_would_be_written_otherwise_are_seen() {
        for cell in ["0", "7", "-7", "120", "9223372036854775807", "-9223372036854775808"] {
            assert_eq!(seen(cell), (true, true), "{cell}");
        }
        for cell in [
            "0.5",
            "-0.25",
            "1.5",
            "12.125",
            "10.0",
            "0.0",
            "-0.0",
            "1e-5",
            "1e16",
            "0.1234567890123456",
            "nan",
            "NaN",
            "-inf",
        ] {
            assert_eq!(seen(cell), (true, true), "{cell}");
        }
        for cell in ["-0", "+5", " 5", "5 ", "007", "+49151234567", "-007", "\t5"] {
            assert_eq!(seen(cell), (true, false), "{cell}");
        }
        for cell in [
            "1.10",
            "2.50",
            ".5",
            "5.",
            "12e4",
            "1E5",
            "1e5",
            "+1.5",
            " 1.5",
            "00.5",
            "0.10",
            "1.00",
            "0.00001",
            "10000000000000000.0",
            "0.10000000000000000001",
        ] {
            assert_eq!(seen(cell), (true, false), "{cell}");
        }
        for cell in ["1_2", "100_1", "1_0.5", "1 2", "1.5_0", "0x10", "1,5", "12a", "5%"] {
            assert_eq!(seen(cell), (false, false), "{cell}");
        }
    }

    #[test]
    fn what_is_said_to_be_kept_is_written_so() {
        let mut stream = tfxio_base::random::Stream::new(7);
        for _ in 0..20_000 {
            let mut number = |most: u64| stream.below(most);
            let text = match number(3) {
                0 => format!("{}.{}", number(2000), number(100_000)),
                1 => format!("{}.{:0width$}", number(3), number(1000), width = number(7) as usize),
                _ => format!("{:?}", f64::from_bits(number(u64::MAX))),
            };
            let written = text.parse::<f64>().map(|value| format!("{value:?}"));
            let is_kept =
                written.is_ok_and(|written| written == text || text.contains("inf") || text.contains("NaN"));
            assert_eq!(seen(&text).1, is_kept, "{text}");
        }
    }
}
