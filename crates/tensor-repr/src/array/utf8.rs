//! Count of strings that are not UTF-8.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;

use crate::{Error, Kind};

/// Returns the number of strings that are not valid UTF-8. Null ones do not count.
///
/// # Errors
///
/// [`Kind::TypeMismatch`] if the array holds no strings.
///
/// # Example
///
/// ```
/// use arrow_array::BinaryArray;
/// use tensor_repr::array::count_invalid_utf8;
///
/// let strings = BinaryArray::from(vec![Some("ä".as_bytes()), Some(b"\xff"), None]);
/// assert_eq!(count_invalid_utf8(&strings)?, 1);
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn count_invalid_utf8(array: &dyn Array) -> Result<usize, Error> {
    match array.data_type() {
        // Arrow holds nothing else in them.
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(0),
        DataType::Binary => Ok(invalid(array.as_binary::<i32>().iter())),
        DataType::LargeBinary => Ok(invalid(array.as_binary::<i64>().iter())),
        DataType::BinaryView => Ok(invalid(array.as_binary_view().iter())),
        other => Err(Error::new(Kind::TypeMismatch, format!("binary or strings expected, found {other}"))),
    }
}

fn invalid<'a>(strings: impl Iterator<Item = Option<&'a [u8]>>) -> usize {
    strings.flatten().filter(|bytes| std::str::from_utf8(bytes).is_err()).count()
}
