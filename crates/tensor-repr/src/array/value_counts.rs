//! Distinct values and how often they occur.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, StructArray, UInt64Array};
use arrow_schema::{DataType, Field, Fields};
use arrow_select::take::take;

use super::bytes::ByteRows;
use crate::Error;

/// Returns the distinct values of an array, in the order in which they first occur, and the number of times that each does.
///
/// The result has two fields: `values`, of the array's type, and `counts`, int64. A null is a value like
/// any other. Floats are equal when their bits are. For the values of lists, first
/// [flatten](super::flatten_nested) them.
///
/// # Errors
///
/// [`Kind::TypeMismatch`](crate::Kind::TypeMismatch) if the array is nested.
///
/// # Example
///
/// ```
/// use arrow_array::{Int64Array, StringArray, cast::AsArray, types::Int64Type};
/// use tensor_repr::array::value_counts;
///
/// let counted = value_counts(&StringArray::from(vec!["b", "a", "b"]))?;
/// assert_eq!(counted.column(0).as_string::<i32>(), &StringArray::from(vec!["b", "a"]));
/// assert_eq!(counted.column(1).as_primitive::<Int64Type>(), &Int64Array::from(vec![2, 1]));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn value_counts(array: &dyn Array) -> Result<StructArray, Error> {
    let rows = ByteRows::of(array)?;
    let mut seen: HashMap<Option<&[u8]>, usize> = HashMap::new();
    let (mut first, mut counts) = (Vec::new(), Vec::new());
    for at in 0..rows.len() {
        match seen.entry(rows.get(at)) {
            Entry::Occupied(entry) => counts[*entry.get()] += 1,
            Entry::Vacant(entry) => {
                entry.insert(counts.len());
                first.push(at as u64);
                counts.push(1_i64);
            }
        }
    }
    let values = take(array, &UInt64Array::from(first), None)?;
    let fields = Fields::from(vec![
        Field::new("values", array.data_type().clone(), true),
        Field::new("counts", DataType::Int64, false),
    ]);
    let counts: ArrayRef = Arc::new(Int64Array::from(counts));
    Ok(StructArray::try_new(fields, vec![values, counts], None)?)
}
