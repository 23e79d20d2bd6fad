//! Validity as bytes.

use arrow_array::{Array, UInt8Array};

/// One byte for each element: 1 if it is null, 0 if it is not.
///
/// # Example
///
/// ```
/// use arrow_array::{Int64Array, UInt8Array};
/// use tensor_repr::array::null_bytes;
///
/// let values = Int64Array::from(vec![Some(7), None, Some(9)]);
/// assert_eq!(null_bytes(&values), UInt8Array::from(vec![0, 1, 0]));
/// ```
#[must_use]
pub fn null_bytes(array: &dyn Array) -> UInt8Array {
    match array.logical_nulls() {
        None => vec![0; array.len()].into(),
        Some(nulls) => nulls.iter().map(|valid| u8::from(!valid)).collect::<Vec<_>>().into(),
    }
}
