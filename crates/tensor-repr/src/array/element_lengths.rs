//! Lengths of lists in elements, and of strings in bytes.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::{Array, GenericByteArray, Int64Array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

use super::lists::{Lists, int64};
use crate::{Error, Kind};

/// Returns the number of elements of each list; 0 for a null one. One for each row, never null.
///
/// # Errors
///
/// [`Kind::TypeMismatch`] if `array` is not a list array.
///
/// # Example
///
/// ```
/// use arrow_array::{Int64Array, ListArray, types::Int64Type};
/// use tensor_repr::array::list_lengths;
///
/// let rows = [Some(vec![Some(7), Some(8)]), None, Some(vec![])];
/// let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(rows);
/// assert_eq!(list_lengths(&lists)?, Int64Array::from(vec![2, 0, 0]));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn list_lengths(array: &dyn Array) -> Result<Int64Array, Error> {
    Ok(lengths_of(&Lists::expect(array)?))
}

/// Returns the number of elements of each list, or of bytes of each string; 0 for a null one.
///
/// Strings are arrays of type `Binary` or `Utf8`, in their `Large` and `View` forms too.
///
/// # Errors
///
/// [`Kind::TypeMismatch`] if `array` holds neither lists nor strings.
///
/// # Example
///
/// ```
/// use arrow_array::{Int64Array, StringArray};
/// use tensor_repr::array::element_lengths;
///
/// let strings = StringArray::from(vec![Some("a"), None, Some("ccc")]);
/// assert_eq!(element_lengths(&strings)?, Int64Array::from(vec![1, 0, 3]));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn element_lengths(array: &dyn Array) -> Result<Int64Array, Error> {
    if let Some(lists) = Lists::of(array) {
        return Ok(lengths_of(&lists));
    }
    string_lengths(array).map(|lengths| lengths.into_iter().collect::<Vec<_>>().into()).ok_or_else(|| {
        let text = format!("lists, binary or strings expected, found {}", array.data_type());
        Error::new(Kind::TypeMismatch, text)
    })
}

fn lengths_of(lists: &Lists<'_>) -> Int64Array {
    lists.ranges().map(|range| int64(range.len())).collect::<Vec<_>>().into()
}

/// Returns the number of bytes of each string, 0 for null, or `None` if the array has another type.
pub(super) fn string_lengths(array: &dyn Array) -> Option<Vec<i64>> {
    use arrow_array::types::{BinaryType, LargeBinaryType, LargeUtf8Type, Utf8Type};
    Some(match array.data_type() {
        DataType::Binary => by_offsets::<BinaryType>(array.as_bytes_opt()?),
        DataType::LargeBinary => by_offsets::<LargeBinaryType>(array.as_bytes_opt()?),
        DataType::Utf8 => by_offsets::<Utf8Type>(array.as_bytes_opt()?),
        DataType::LargeUtf8 => by_offsets::<LargeUtf8Type>(array.as_bytes_opt()?),
        DataType::BinaryView => by_views(array, array.as_binary_view_opt()?.views()),
        DataType::Utf8View => by_views(array, array.as_string_view_opt()?.views()),
        _ => return None,
    })
}

fn by_offsets<T: ByteArrayType>(array: &GenericByteArray<T>) -> Vec<i64> {
    let lengths = array.offsets().windows(2).map(|pair| int64(pair[1].as_usize() - pair[0].as_usize()));
    without_nulls(array, lengths)
}

fn by_views(array: &dyn Array, views: &[u128]) -> Vec<i64> {
    // The length is the lower half of a view's lower half.
    without_nulls(array, views.iter().map(|view| (view & u128::from(u32::MAX)) as i64))
}

fn without_nulls(array: &dyn Array, lengths: impl Iterator<Item = i64>) -> Vec<i64> {
    match array.nulls() {
        None => lengths.collect(),
        Some(nulls) => lengths.zip(nulls).map(|(length, valid)| if valid { length } else { 0 }).collect(),
    }
}
