//! Columns as they are written, one row at a time.

use std::collections::HashMap;

use arrow_array::BooleanArray;
use arrow_buffer::NullBuffer;

use super::bytes::Bytes;
use super::number::{Decimals, Floats, Integers, Intervals, Scale, short};
use crate::datum::write;
use crate::{Error, Kind, Result};

/// A column and the Avro type that it is written as.
#[derive(Debug)]
pub(super) struct Cell<'a> {
    /// Nulls of the column, if it has any.
    pub(super) nulls: Option<NullBuffer>,
    /// Number of the branch `null`, if the type is a union with one.
    pub(super) null: Option<i64>,
    /// Number of the values' branch, if the type is a union.
    pub(super) branch: Option<i64>,
    pub(super) values: Values<'a>,
}

/// The values of a column where they are not null.
#[derive(Debug)]
pub(super) enum Values<'a> {
    Nothing,
    Boolean(&'a BooleanArray),
    Long(Integers),
    Time(Integers, Scale),
    /// Times of day in 32 bits.
    ShortTime(Integers, Scale),
    Float(Floats),
    Double(Floats),
    /// With their length.
    Sized(Bytes<'a>),
    /// Without their length, which the type determines.
    Raw(Bytes<'a>),
    Decimal(Decimals),
    FixedDecimal(Decimals, usize),
    Interval(Intervals),
    /// The numbers of an enum's symbols.
    Symbol(Bytes<'a>, HashMap<&'a [u8], i64>),
    /// Values of a dictionary or runs, with the index of the value of each row.
    Through(Vec<usize>, Box<Values<'a>>),
    List(Ranges<'a>, Box<Cell<'a>>),
    Map(&'a [i32], Bytes<'a>, Box<Cell<'a>>),
    Record(Vec<Part<'a>>),
    /// A column for each branch of a union, of which one is not null; the number of the branch `null`.
    Branches(Vec<(i64, &'a str, Cell<'a>)>, Option<i64>),
    /// The text of a UUID.
    Uuid(Bytes<'a>),
}

/// Item ranges of a column of lists, by row.
#[derive(Debug)]
pub(super) enum Ranges<'a> {
    Offsets32(&'a [i32]),
    Offsets64(&'a [i64]),
    View32(&'a [i32], &'a [i32]),
    View64(&'a [i64], &'a [i64]),
    /// The same number in each row.
    Each(usize),
}

impl Ranges<'_> {
    /// Returns the first item of a row, and its number of items.
    #[inline]
    fn get(&self, row: usize) -> (usize, usize) {
        // Arrow has checked the offsets.
        match self {
            Self::Offsets32(ends) => (ends[row] as usize, (ends[row + 1] - ends[row]) as usize),
            Self::Offsets64(ends) => (ends[row] as usize, (ends[row + 1] - ends[row]) as usize),
            Self::View32(starts, sizes) => (starts[row] as usize, sizes[row] as usize),
            Self::View64(starts, sizes) => (starts[row] as usize, sizes[row] as usize),
            Self::Each(items) => (row * items, *items),
        }
    }
}

/// A field of a record.
#[derive(Debug)]
pub(super) enum Part<'a> {
    Column(&'a str, Cell<'a>),
    /// The bytes of its default.
    Default(Vec<u8>),
}

impl Cell<'_> {
    #[inline]
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    #[inline]
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.is_null(row) {
            return match self.null {
                Some(branch) => {
                    write::long(out, branch);
                    Ok(())
                }
                None => Err(refused()),
            };
        }
        if let Some(branch) = self.branch {
            write::long(out, branch);
        }
        self.values.write(row, out)
    }
}

impl Values<'_> {
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Nothing => {}
            Self::Boolean(array) => write::boolean(out, array.value(row)),
            Self::Long(integers) => write::long(out, integers.get(row)?),
            Self::Time(integers, scale) => write::long(out, scale.apply(integers.get(row)?)?),
            Self::ShortTime(integers, scale) => write::long(out, short(integers.get(row)?, *scale)?),
            Self::Float(floats) => floats.write_float(row, out),
            Self::Double(floats) => floats.write_double(row, out),
            Self::Sized(bytes) => write::bytes(out, bytes.get(row)),
            Self::Raw(bytes) => out.extend_from_slice(bytes.get(row)),
            Self::Decimal(decimals) => decimals.write_bytes(row, out)?,
            Self::FixedDecimal(decimals, size) => decimals.write_fixed(row, *size, out)?,
            Self::Interval(intervals) => intervals.write(row, out)?,
            Self::Symbol(bytes, numbers) => {
                let symbol = bytes.get(row);
                let number = numbers.get(symbol).ok_or_else(|| no_symbol(symbol))?;
                write::long(out, *number);
            }
            Self::Through(rows, values) => values.write(rows[row], out)?,
            Self::List(ranges, items) => {
                let (start, count) = ranges.get(row);
                if count > 0 {
                    write::long(out, count as i64);
                    for at in 0..count {
                        items.write(start + at, out).map_err(|error| error.within(&format!("[{at}]")))?;
                    }
                }
                write::long(out, 0);
            }
            Self::Map(ends, keys, values) => {
                let range = ends[row] as usize..ends[row + 1] as usize;
                if !range.is_empty() {
                    write::long(out, range.len() as i64);
                    for at in range {
                        let key = keys.get(at);
                        write::bytes(out, key);
                        values.write(at, out).map_err(|error| {
                            error.within(&format!("[{:?}]", String::from_utf8_lossy(key)))
                        })?;
                    }
                }
                write::long(out, 0);
            }
            Self::Record(parts) => {
                for part in parts {
                    match part {
                        Part::Column(name, cell) => {
                            cell.write(row, out).map_err(|error| error.within(name))?;
                        }
                        Part::Default(bytes) => out.extend_from_slice(bytes),
                    }
                }
            }
            Self::Branches(cells, null) => {
                let mut found = cells.iter().filter(|(.., cell)| !cell.is_null(row));
                match (found.next(), found.next(), null) {
                    (Some((number, name, cell)), None, _) => {
                        write::long(out, *number);
                        cell.values.write(row, out).map_err(|error| error.within(name))?;
                    }
                    (None, _, Some(null)) => write::long(out, *null),
                    (None, _, None) => return Err(refused()),
                    (Some((_, first, _)), Some((_, second, _)), _) => {
                        let what =
                            format!("the branches {first:?} and {second:?} of the union have a value both");
                        return Err(Error::new(Kind::ValueMismatch, what));
                    }
                }
            }
            Self::Uuid(bytes) => write_uuid(bytes.get(row), out),
        }
        Ok(())
    }
}

/// Appends the text of RFC 4122.
fn write_uuid(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    write::long(out, 36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
}

#[cold]
fn refused() -> Error {
    Error::new(Kind::ValueMismatch, "the value is null, and the Avro type is not a union with null")
        .help("fill the nulls, or make the type a union with null")
}

#[cold]
fn no_symbol(symbol: &[u8]) -> Error {
    let shown = String::from_utf8_lossy(symbol);
    let shown: String = shown.chars().take(60).collect();
    Error::new(Kind::ValueMismatch, format!("the text {shown:?} is not a symbol of the Avro enum"))
}
