//! Innermost elements of nested lists.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::DataType;

use super::lists::{Lists, int64};
use super::parent_indices::parents_i64;
use crate::Error;

/// Returns whether arrays of that type are list arrays.
///
/// ```
/// use arrow_schema::DataType;
/// use tensor_repr::array::is_list_type;
///
/// assert!(is_list_type(&DataType::new_large_list(DataType::Int64, true)));
/// assert!(!is_list_type(&DataType::Binary));
/// ```
#[must_use]
pub fn is_list_type(data_type: &DataType) -> bool {
    matches!(data_type, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..))
}

/// Returns the type under all lists; the type itself if it is not a list.
///
/// ```
/// use arrow_schema::DataType;
/// use tensor_repr::array::innermost_type;
///
/// let lists = DataType::new_list(DataType::new_large_list(DataType::Int64, true), true);
/// assert_eq!(innermost_type(&lists), &DataType::Int64);
/// ```
#[must_use]
pub fn innermost_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            innermost_type(item.data_type())
        }
        other => other,
    }
}

/// Returns the innermost elements of nested lists, one after the other; the array itself if it is not a list.
///
/// Null lists give nothing, at every level. Shares the values where nothing has to be left out.
///
/// # Errors
///
/// [`ErrorKind::Other`](tfxio_base::ErrorKind::Other) if Arrow cannot copy the elements.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, ListArray, cast::AsArray, types::Int64Type};
/// use tensor_repr::array::flatten_nested;
///
/// let rows = [Some(vec![Some(7), Some(8)]), None, Some(vec![Some(9)])];
/// let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows));
/// let values = flatten_nested(&lists)?;
/// assert_eq!(values.as_primitive::<Int64Type>(), &Int64Array::from(vec![7, 8, 9]));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn flatten_nested(array: &ArrayRef) -> Result<ArrayRef, Error> {
    let mut current = Arc::clone(array);
    while let Some(lists) = Lists::of(&current) {
        current = lists.elements()?;
    }
    Ok(current)
}

/// Returns the innermost elements of nested lists, and for each of them the row of `array` that it comes from.
///
/// # Errors
///
/// - [`ErrorKind::Other`](tfxio_base::ErrorKind::Other) if Arrow cannot copy the elements.
/// - [`Kind::Overflow`](crate::Kind::Overflow) if memory does not suffice for the rows.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, ListArray, types::Int64Type};
/// use tensor_repr::array::flatten_nested_with_parents;
///
/// let rows = [Some(vec![Some(7), Some(8)]), None, Some(vec![Some(9)])];
/// let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows));
/// let (values, parents) = flatten_nested_with_parents(&lists)?;
/// assert_eq!(parents, Int64Array::from(vec![0, 0, 2]));
/// assert_eq!(values.len(), 3);
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn flatten_nested_with_parents(array: &ArrayRef) -> Result<(ArrayRef, Int64Array), Error> {
    let mut current = Arc::clone(array);
    let mut rows: Option<Vec<i64>> = None;
    while let Some(lists) = Lists::of(&current) {
        let mut parents = parents_i64(&lists)?;
        if let Some(rows) = &rows {
            for parent in &mut parents {
                // A parent is a row of an array of `rows.len()` elements.
                *parent = usize::try_from(*parent).ok().and_then(|at| rows.get(at)).copied().unwrap_or(0);
            }
        }
        rows = Some(parents);
        let elements = lists.elements()?;
        current = elements;
    }
    let rows = rows.unwrap_or_else(|| (0..current.len()).map(int64).collect());
    Ok((current, rows.into()))
}
