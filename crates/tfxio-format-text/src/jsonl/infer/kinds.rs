//! The kinds of values, and the types that hold them.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};
use tfxio_core::Result;

use super::looked::Looked;
use super::word;
use crate::jsonl::digits;
use crate::jsonl::parse::{First, Json};

pub(super) const BOOL: u8 = 1;
pub(super) const INT: u8 = 2;
pub(super) const FLOAT: u8 = 4;
/// A string that may be written for a float.
pub(super) const WORD: u8 = 8;
pub(super) const TEXT: u8 = 16;
pub(super) const BYTES: u8 = 32;
pub(super) const LIST: u8 = 64;
pub(super) const OBJECT: u8 = 128;

/// Returns the name of a value of a kind within `depth` lists.
pub(super) fn named(kind: u8, depth: usize) -> String {
    let name = names(kind);
    match depth {
        0 => name.to_owned(),
        1 => format!("{name} in a list"),
        depth => format!("{name} in lists of depth {depth}"),
    }
}

/// Returns the name of the kinds of values.
pub(super) fn names(seen: u8) -> &'static str {
    match seen {
        BOOL => "true or false",
        INT | FLOAT => "a number",
        WORD | TEXT => "a string",
        BYTES => "bytes",
        LIST => "a list",
        _ => "an object",
    }
}

/// Reads the next value where it is neither a list nor an object, and returns its kind; that of null has no bit.
#[inline]
pub(super) fn scalar_kind(json: &mut Json<'_>, first: First, looked: &mut Looked<'_>) -> Result<Option<u8>> {
    Ok(Some(match first {
        First::Null => {
            json.null()?;
            0
        }
        First::Bool => {
            json.bool()?;
            BOOL
        }
        First::Number => match json.number()? {
            (_, true) => INT,
            (text, false) => {
                looked.is_rounded |= !looked.wraps && !digits::is_kept(text);
                FLOAT
            }
        },
        First::String => match word(json.string(&mut looked.unescaped)?) {
            Some(_) => WORD,
            None => TEXT,
        },
        First::List => return Ok(None),
        First::Object => return Ok(json.base64()?.map(|_| BYTES)),
    }))
}

/// Returns whether values of these kinds can be in one column.
pub(super) fn fits(kinds: u8, wraps: bool) -> bool {
    const NUMBERS: u8 = INT | FLOAT | WORD;
    const TEXTS: u8 = TEXT | WORD | BYTES;
    let scalars = kinds & !LIST;
    // A value and a list of such values are both features of that kind.
    let is_list = kinds & LIST != 0 && !(wraps && scalars & OBJECT == 0);
    if is_list {
        return scalars == 0;
    }
    scalars == 0 || scalars == BOOL || scalars == OBJECT || scalars & !NUMBERS == 0 || scalars & !TEXTS == 0
}

pub(super) fn item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(data_type, true))
}

/// Returns the type of values that are neither lists nor objects.
pub(super) fn scalar(kinds: u8, is_plain: bool) -> DataType {
    match kinds {
        BOOL => DataType::Boolean,
        INT => DataType::Int64,
        // Nothing beside them says that they are numbers.
        WORD => scalar(TEXT, is_plain),
        _ if kinds & (TEXT | BYTES) == 0 && is_plain => DataType::Float64,
        _ if kinds & (TEXT | BYTES) == 0 => DataType::Float32,
        _ if kinds & BYTES == 0 && is_plain => DataType::LargeUtf8,
        _ => DataType::LargeBinary,
    }
}
