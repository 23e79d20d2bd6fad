//! Memory size of arrays.

use arrow_array::cast::{AsArray, as_map_array};
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{Array, GenericByteArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

use super::element_lengths::string_lengths;
use super::lists::Lists;
use crate::{Error, Kind};

/// Returns the number of bytes that the elements of an array take in its buffers.
///
/// Counts validity, offsets and values, all as far as a slice needs them, whatever the buffers hold
/// beside; values under null lists too. That is what a copy of the slice would take, not what
/// dropping it would free.
///
/// # Errors
///
/// [`Kind::Unsupported`] for unions, run-end encoded arrays and list views.
///
/// # Example
///
/// ```
/// use arrow_array::{Array, ListArray, types::Int64Type};
/// use tensor_repr::array::byte_size;
///
/// let rows = [Some(vec![Some(1)]), Some(vec![Some(2), Some(3)])];
/// let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(rows);
/// // Three offsets of 4 bytes and three values of 8.
/// assert_eq!(byte_size(&lists)?, 3 * 4 + 3 * 8);
/// assert_eq!(byte_size(&lists.slice(1, 1))?, 2 * 4 + 2 * 8);
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn byte_size(array: &dyn Array) -> Result<usize, Error> {
    let own = array.nulls().map_or(0, |nulls| nulls.len().div_ceil(8));
    let len = array.len();
    if let Some(lists) = Lists::of(array) {
        let offset_width = match array.data_type() {
            DataType::List(_) => 4,
            DataType::LargeList(_) => 8,
            _ => 0,
        };
        let offsets = len.saturating_add(1).saturating_mul(offset_width);
        let whole = lists.whole();
        let values = byte_size(&lists.values().slice(whole.start, whole.len()))?;
        return Ok(own.saturating_add(offsets).saturating_add(values));
    }
    let rest = match array.data_type() {
        DataType::Null => 0,
        DataType::Boolean => len.div_ceil(8),
        DataType::Binary => offsets_and_bytes::<BinaryType>(array.as_bytes()),
        DataType::LargeBinary => offsets_and_bytes::<LargeBinaryType>(array.as_bytes()),
        DataType::Utf8 => offsets_and_bytes::<Utf8Type>(array.as_bytes()),
        DataType::LargeUtf8 => offsets_and_bytes::<LargeUtf8Type>(array.as_bytes()),
        DataType::BinaryView | DataType::Utf8View => {
            let outside = string_lengths(array).into_iter().flatten().filter(|&length| length > INLINE);
            outside.fold(len.saturating_mul(16), |sum, length| {
                sum.saturating_add(length.unsigned_abs() as usize)
            })
        }
        DataType::FixedSizeBinary(width) => len.saturating_mul(usize::try_from(*width).unwrap_or(0)),
        DataType::Struct(_) => array
            .as_struct()
            .columns()
            .iter()
            .try_fold(0_usize, |sum, column| byte_size(column).map(|size| sum.saturating_add(size)))?,
        DataType::Map(..) => {
            let map = as_map_array(array);
            let offsets = map.value_offsets();
            let offset_of = |offset: Option<&i32>| offset.map_or(0, |offset| offset.as_usize());
            let (start, end) = (offset_of(offsets.first()), offset_of(offsets.last()));
            let entries = byte_size(&map.entries().slice(start, end.saturating_sub(start)))?;
            size_of_val(offsets).saturating_add(entries)
        }
        DataType::Dictionary(key, _) => {
            let dictionary = array.as_any_dictionary();
            let keys = len.saturating_mul(key.primitive_width().unwrap_or(0));
            keys.saturating_add(byte_size(dictionary.values())?)
        }
        other => match other.primitive_width() {
            Some(width) => len.saturating_mul(width),
            None => {
                let text = format!("the size of arrays of {other} is not known");
                return Err(Error::new(Kind::Unsupported, text));
            }
        },
    };
    Ok(own.saturating_add(rest))
}

/// The longest string that a view holds itself.
const INLINE: i64 = 12;

/// Returns the number of bytes in all strings of an array together. Null ones have none.
///
/// # Errors
///
/// [`Kind::TypeMismatch`] if the array holds no strings.
///
/// # Example
///
/// ```
/// use arrow_array::StringArray;
/// use tensor_repr::array::total_string_bytes;
///
/// assert_eq!(total_string_bytes(&StringArray::from(vec![Some("abc"), None, Some("d")]))?, 4);
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn total_string_bytes(array: &dyn Array) -> Result<usize, Error> {
    match string_lengths(array) {
        Some(lengths) => {
            Ok(lengths.iter().fold(0, |sum, length| sum.saturating_add(length.unsigned_abs() as usize)))
        }
        None => {
            let text = format!("binary or strings expected, found {}", array.data_type());
            Err(Error::new(Kind::TypeMismatch, text))
        }
    }
}

/// Returns the bytes of the offsets and between the first and the last of them.
fn offsets_and_bytes<T: ByteArrayType>(array: &GenericByteArray<T>) -> usize {
    let offsets = array.value_offsets();
    let offset_of = |offset: Option<&T::Offset>| offset.map_or(0, |offset| offset.as_usize());
    let bytes = offset_of(offsets.last()).saturating_sub(offset_of(offsets.first()));
    size_of_val(offsets).saturating_add(bytes)
}
