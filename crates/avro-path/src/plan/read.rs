//! Decoding of single values that are compared.

use std::sync::Arc;

use super::slot::Operand;
use crate::datum::At;
use crate::resolution::Promotion;
use crate::{Error, Kind, Result};

/// Encoding of a value that filters compare.
#[derive(Clone, Debug)]
pub(crate) enum Read {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Promoted(Promotion),
    Bytes,
    String,
    Fixed(usize),
    Symbols(Symbols<Arc<str>>),
}

/// Value of each of the writer's symbols for the reader, or the reason why it has none.
pub(crate) type Symbols<T> = Box<[Result<T, Box<str>>]>;

impl Read {
    /// Returns the value that begins at an offset, and its end.
    #[inline]
    pub(super) fn find<'d>(&'d self, bytes: At<'d>, at: usize) -> Result<(Operand<'d>, usize)> {
        Ok(match self {
            Self::Bytes => {
                let (found, end) = bytes.bytes(at)?;
                (Operand::Bytes(found), end)
            }
            Self::Int => {
                let (found, end) = bytes.int(at)?;
                (Operand::Integer(i64::from(found)), end)
            }
            Self::Long => {
                let (found, end) = bytes.long(at)?;
                (Operand::Integer(found), end)
            }
            Self::Boolean => {
                let (found, end) = bytes.boolean(at)?;
                (Operand::Boolean(found), end)
            }
            Self::Float => {
                let (found, end) = bytes.float(at)?;
                (Operand::Float(f64::from(found)), end)
            }
            Self::Double => {
                let (found, end) = bytes.double(at)?;
                (Operand::Float(found), end)
            }
            Self::Promoted(promotion) => {
                let (found, end) = promoted(*promotion, bytes, at)?;
                (Operand::Float(found), end)
            }
            Self::String => {
                let (found, end) = bytes.text(at)?;
                (Operand::Bytes(found.as_bytes()), end)
            }
            Self::Fixed(size) => {
                let (found, end) = bytes.fixed(at, *size)?;
                (Operand::Bytes(found), end)
            }
            Self::Symbols(symbols) => {
                let (symbol, end) = symbol(symbols, bytes, at)?;
                (Operand::Bytes(symbol.as_bytes()), end)
            }
            Self::Null => (Operand::Null, at),
        })
    }
}

/// Reads a number that was written as a narrower one. As a double it is that of the reader's type, which may be a float.
#[inline]
pub(super) fn promoted(promotion: Promotion, bytes: At<'_>, at: usize) -> Result<(f64, usize)> {
    Ok(match promotion {
        Promotion::IntToFloat => {
            let (found, end) = bytes.int(at)?;
            (f64::from(found as f32), end)
        }
        Promotion::IntToDouble => {
            let (found, end) = bytes.int(at)?;
            (f64::from(found), end)
        }
        Promotion::LongToFloat => {
            let (found, end) = bytes.long(at)?;
            (f64::from(found as f32), end)
        }
        Promotion::LongToDouble => {
            let (found, end) = bytes.long(at)?;
            (found as f64, end)
        }
        Promotion::FloatToDouble => {
            let (found, end) = bytes.float(at)?;
            (f64::from(found), end)
        }
    })
}

/// Returns what a symbol is to the reader, and where it ends.
pub(super) fn symbol<'s, T>(symbols: &'s Symbols<T>, bytes: At<'_>, at: usize) -> Result<(&'s T, usize)> {
    let (number, end) = bytes.index(at, symbols.len())?;
    match symbols.get(number) {
        Some(Ok(symbol)) => Ok((symbol, end)),
        Some(Err(what)) => Err(Error::new(Kind::Resolution, &**what).at_record_byte(end)),
        None => Err(Error::new(Kind::Malformed, "there is no such symbol").at_record_byte(at)),
    }
}
