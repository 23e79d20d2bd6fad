//! Values of many types as bytes, to compare and to hash.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, BinaryViewArray, BooleanArray, LargeBinaryArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::DataType;

use crate::{Error, Kind};

/// The elements of an array as bytes: strings as they are, elements of a fixed width in their memory representation.
pub(crate) struct ByteRows {
    layout: Layout,
    nulls: Option<NullBuffer>,
    len: usize,
}

enum Layout {
    Null,
    Bool(BooleanArray),
    Fixed(Buffer, usize),
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    View(BinaryViewArray),
}

impl ByteRows {
    /// # Errors
    ///
    /// [`Kind::TypeMismatch`] for lists, structs and other nested types.
    pub(crate) fn of(array: &dyn Array) -> Result<Self, Error> {
        let layout = Self::layout(array).ok_or_else(|| {
            let text = format!("primitive values, binary or strings expected, found {}", array.data_type());
            Error::new(Kind::TypeMismatch, text)
        })?;
        Ok(Self { layout, nulls: array.logical_nulls(), len: array.len() })
    }

    fn layout(array: &dyn Array) -> Option<Layout> {
        // The conversions from UTF-8 share all buffers.
        Some(match array.data_type() {
            DataType::Null => Layout::Null,
            DataType::Boolean => Layout::Bool(array.as_boolean_opt()?.clone()),
            DataType::Binary => Layout::Binary(array.as_binary_opt()?.clone()),
            DataType::Utf8 => Layout::Binary(array.as_string_opt::<i32>()?.clone().into()),
            DataType::LargeBinary => Layout::LargeBinary(array.as_binary_opt()?.clone()),
            DataType::LargeUtf8 => Layout::LargeBinary(array.as_string_opt::<i64>()?.clone().into()),
            DataType::BinaryView => Layout::View(array.as_binary_view_opt()?.clone()),
            DataType::Utf8View => Layout::View(array.as_string_view_opt()?.clone().to_binary_view()),
            other => {
                let width = match other {
                    DataType::FixedSizeBinary(width) => usize::try_from(*width).ok()?,
                    other => other.primitive_width()?,
                };
                let data = array.to_data();
                let start = data.offset().checked_mul(width)?;
                let buffer = data.buffers().first()?;
                Layout::Fixed(buffer.slice_with_length(start, data.len().checked_mul(width)?), width)
            }
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of an element, or `None` if it is null.
    pub(crate) fn get(&self, at: usize) -> Option<&[u8]> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at)) {
            return None;
        }
        Some(match &self.layout {
            Layout::Null => return None,
            Layout::Bool(array) => {
                if array.value(at) {
                    &[1]
                } else {
                    &[0]
                }
            }
            Layout::Fixed(buffer, width) => &buffer.as_slice()[at * width..(at + 1) * width],
            Layout::Binary(array) => array.value(at),
            Layout::LargeBinary(array) => array.value(at),
            Layout::View(array) => array.value(at),
        })
    }
}
