//! Byte strings of columns, whichever way they are stored.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryViewArray, FixedSizeBinaryArray, StringViewArray};
use arrow_schema::DataType;

#[derive(Debug)]
pub(super) enum Bytes<'a> {
    Offsets32(&'a [i32], &'a [u8]),
    Offsets64(&'a [i64], &'a [u8]),
    StringView(&'a StringViewArray),
    BinaryView(&'a BinaryViewArray),
    Fixed(&'a FixedSizeBinaryArray),
}

impl<'a> Bytes<'a> {
    /// Returns the values of strings and binary.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Binary => {
                let array = array.as_binary_opt::<i32>()?;
                Self::Offsets32(array.value_offsets(), array.value_data())
            }
            DataType::LargeBinary => {
                let array = array.as_binary_opt::<i64>()?;
                Self::Offsets64(array.value_offsets(), array.value_data())
            }
            DataType::BinaryView => Self::BinaryView(array.as_binary_view_opt()?),
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary_opt()?),
            _ => return Self::strings(array),
        })
    }

    /// Returns the values of strings only.
    pub(super) fn strings(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => {
                let array = array.as_string_opt::<i32>()?;
                Self::Offsets32(array.value_offsets(), array.value_data())
            }
            DataType::LargeUtf8 => {
                let array = array.as_string_opt::<i64>()?;
                Self::Offsets64(array.value_offsets(), array.value_data())
            }
            DataType::Utf8View => Self::StringView(array.as_string_view_opt()?),
            _ => return None,
        })
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> &'a [u8] {
        match self {
            // Arrow has checked the offsets.
            Self::Offsets32(offsets, data) => &data[offsets[row] as usize..offsets[row + 1] as usize],
            Self::Offsets64(offsets, data) => &data[offsets[row] as usize..offsets[row + 1] as usize],
            Self::StringView(array) => array.value(row).as_bytes(),
            Self::BinaryView(array) => array.value(row),
            Self::Fixed(array) => array.value(row),
        }
    }
}
