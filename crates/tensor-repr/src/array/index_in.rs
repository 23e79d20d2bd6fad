//! The indices of values in a set.

use std::collections::HashMap;

use arrow_array::{Array, Int32Array};
use arrow_schema::DataType;

use super::bytes::ByteRows;
use crate::{Error, Kind};

/// Returns, for each of `values`, its index among the distinct elements of `value_set`, in the order in which they first
/// occur there; null if it is not one of them.
///
/// In a set without repetitions that is the index in `value_set`. A null is an element like any other. Both arrays have one
/// type, but strings of any Arrow type may be looked up in strings of any other. Floats are equal when their bits are.
///
/// # Errors
///
/// - [`Kind::TypeMismatch`] if the types differ, or are nested.
/// - [`Kind::Overflow`] if there are more than [`i32::MAX`] distinct elements.
///
/// # Example
///
/// ```
/// use arrow_array::{Int32Array, StringArray};
/// use tensor_repr::array::index_in;
///
/// let indices = index_in(&StringArray::from(vec!["a", "b", "c"]), &StringArray::from(vec!["c", "a"]))?;
/// assert_eq!(indices, Int32Array::from(vec![Some(1), None, Some(0)]));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn index_in(values: &dyn Array, value_set: &dyn Array) -> Result<Int32Array, Error> {
    let (one, other) = (values.data_type(), value_set.data_type());
    if one != other && !(is_string(one) && is_string(other)) {
        let text = format!("values of {one} cannot be looked up in {other}");
        return Err(Error::new(Kind::TypeMismatch, text));
    }
    let (values, value_set) = (ByteRows::of(values)?, ByteRows::of(value_set)?);
    let mut positions: HashMap<Option<&[u8]>, i32> = HashMap::new();
    for at in 0..value_set.len() {
        let next = i32::try_from(positions.len())
            .map_err(|_| Error::new(Kind::Overflow, "more distinct values than 32 bits can count"))?;
        positions.entry(value_set.get(at)).or_insert(next);
    }
    Ok((0..values.len()).map(|at| positions.get(&values.get(at)).copied()).collect())
}

fn is_string(data_type: &DataType) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    matches!(data_type, Binary | BinaryView | LargeBinary | LargeUtf8 | Utf8 | Utf8View)
}
