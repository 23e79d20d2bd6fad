//! The types of columns, by what their cells hold.

use super::cells::Cells;
use super::settings::Settings;
use super::types::Kind;
use crate::lines::{Integer, float, integer};

/// What the cells of a column hold, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen(u8);

impl Seen {
    const BOOL: u8 = 1;
    const INT: u8 = 2;
    const FLOAT: u8 = 4;
    const TEXT: u8 = 8;
    /// Quotes with nothing between them: an empty text where nothing else says what the column holds.
    const EMPTY: u8 = 16;
    /// An integer that is not exactly a 64-bit float.
    const LONG: u8 = 32;
    /// A number with zeros before its digits, which are lost.
    const ZEROS: u8 = 64;

    /// Looks at a cell that is not missing, of the plain layout.
    pub(super) fn push_text(&mut self, text: &[u8]) {
        if text.is_empty() {
            self.0 |= Self::EMPTY;
        }
        self.push(text, true);
    }

    /// Returns the bits, of which those of several threads are together what they have seen.
    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    pub(super) const fn of_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Looks at a cell. Where the values of the column are those of the cells, `is_plain`, there are bools, and no digit is
    /// lost; else cells are what they are in tfx-bsl.
    fn push(&mut self, cell: &[u8], is_plain: bool) {
        if self.0 & Self::TEXT != 0 || cell.is_empty() {
            return;
        }
        self.0 |= match integer(cell) {
            Integer::Value(value) if is_plain && !is_exact(value) => Self::INT | Self::LONG,
            Integer::Value(_) => Self::INT,
            // As in tfx-bsl, not a float: it would lose digits.
            Integer::TooLarge => Self::TEXT,
            Integer::No if is_plain && is_bool(cell) => Self::BOOL,
            Integer::No => match float(cell) {
                Some(value) if is_plain && is_beyond(cell, value) => Self::TEXT,
                Some(_) => Self::FLOAT,
                None => Self::TEXT,
            },
        };
        if has_zeros(cell) {
            self.0 |= Self::ZEROS;
        }
    }

    pub(super) fn kind(self) -> Kind {
        match self.0 & !(Self::EMPTY | Self::ZEROS) {
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

/// Returns whether a cell begins with a zero that says nothing of a number, such as that of a postal code.
fn has_zeros(cell: &[u8]) -> bool {
    let digits = cell.strip_prefix(b"-").or_else(|| cell.strip_prefix(b"+")).unwrap_or(cell);
    matches!(digits, [b'0', next, ..] if next.is_ascii_digit())
}

fn is_bool(cell: &[u8]) -> bool {
    matches!(cell, b"true" | b"True" | b"TRUE" | b"false" | b"False" | b"FALSE")
}

/// What the cells of all columns hold.
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

    /// Returns the indices of columns of numbers, of which some have zeros before their digits.
    pub(super) fn with_zeros(&self) -> Vec<usize> {
        let columns = self.columns.iter().enumerate();
        let has_lost =
            |seen: &Seen| seen.0 & Seen::ZEROS != 0 && matches!(seen.kind(), Kind::Int | Kind::Float);
        columns.filter(|(_, (seen, _))| has_lost(seen)).map(|(index, _)| index).collect()
    }

    /// Returns the kind of each column.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        self.columns.iter().map(|(seen, _)| seen.kind()).collect()
    }
}
