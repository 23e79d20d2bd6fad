//! Elements as lists of one.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, LargeListArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use arrow_select::filter::filter;

use super::lists::{int64, with_room};
use crate::Error;

/// Returns each element as a list of its own; a null one as a null list.
///
/// Shares the elements if none is null.
///
/// # Errors
///
/// - [`Kind::Overflow`](crate::Kind::Overflow) if memory does not suffice for the offsets.
/// - [`ErrorKind::Other`](tfxio_base::ErrorKind::Other) if Arrow cannot copy the elements.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, LargeListArray, types::Int64Type};
/// use tensor_repr::array::singleton_lists;
///
/// let values: ArrayRef = Arc::new(Int64Array::from(vec![Some(7), None, Some(9)]));
/// let rows = [Some(vec![Some(7)]), None, Some(vec![Some(9)])];
/// assert_eq!(singleton_lists(&values)?, LargeListArray::from_iter_primitive::<Int64Type, _, _>(rows));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn singleton_lists(array: &ArrayRef) -> Result<LargeListArray, Error> {
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    let mut offsets = with_room(array.len() + 1)?;
    offsets.push(0);
    let values = match &nulls {
        None => {
            offsets.extend((1..=array.len()).map(int64));
            Arc::clone(array)
        }
        Some(nulls) => {
            offsets.extend(nulls.iter().scan(0, |end, valid| {
                *end += i64::from(valid);
                Some(*end)
            }));
            filter(array, &BooleanArray::new(nulls.inner().clone(), None))?
        }
    };
    let field = Arc::new(Field::new_list_field(array.data_type().clone(), true));
    Ok(LargeListArray::try_new(field, OffsetBuffer::new(offsets.into()), values, nulls)?)
}
