//! Lists as coordinates.

use arrow_array::{Array, ArrayRef, make_array};

use super::lists::{Lists, int64, with_room};
use crate::{Error, Kind};

/// The coordinates of values in a dense shape: what a sparse tensor has beside its values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coo {
    /// The coordinates, row-major: as many for each value as the shape has dimensions.
    pub indices: Vec<i64>,
    /// The number of rows, then the longest list of each level.
    pub dense_shape: Vec<i64>,
}

/// Returns the coordinates of all innermost elements of nested lists.
///
/// An array of `k` levels of lists has `k + 1` coordinates an element: the row, and the index in the list at each level.
/// The elements are the result of [`flatten_nested`](super::flatten_nested), null ones included.
///
/// # Errors
///
/// [`Kind::Overflow`] if memory does not suffice.
///
/// # Example
///
/// ```
/// use arrow_array::{ArrayRef, ListArray, types::Int64Type};
/// use tensor_repr::array::coo_from_lists;
///
/// let rows = [Some(vec![Some(7), Some(8)]), None, Some(vec![Some(9)])];
/// let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(rows);
/// let coo = coo_from_lists(&lists)?;
/// assert_eq!(coo.indices, [0, 0, 0, 1, 2, 0]);
/// assert_eq!(coo.dense_shape, [3, 2]);
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn coo_from_lists(array: &dyn Array) -> Result<Coo, Error> {
    let mut current: ArrayRef = make_array(array.to_data());
    let mut dense_shape = vec![int64(current.len())];
    let mut indices: Vec<i64> = with_room(current.len())?;
    indices.extend((0..current.len()).map(int64));
    while let Some(lists) = Lists::of(&current) {
        let rank = dense_shape.len();
        let Some(room) = lists.count().checked_mul(rank + 1) else {
            return Err(Error::new(Kind::Overflow, "more coordinates than memory can hold"));
        };
        let mut deeper = with_room(room)?;
        for (range, outer) in lists.ranges().zip(indices.chunks_exact(rank)) {
            for within in 0..range.len() {
                deeper.extend_from_slice(outer);
                deeper.push(int64(within));
            }
        }
        dense_shape.push(lists.ranges().map(|range| int64(range.len())).max().unwrap_or(0));
        indices = deeper;
        let elements = lists.elements()?;
        current = elements;
    }
    Ok(Coo { indices, dense_shape })
}
