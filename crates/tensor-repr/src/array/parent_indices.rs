//! Conversions between lists and the rows of their elements.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, LargeListArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use tfxio_core::Count;

use super::lists::{Lists, int64, with_room};
use crate::{Error, Kind};

/// Returns, for each element of the lists, the row of its list.
///
/// The rows are counted from the start of `array`, and are 32 bits wide for a `List`, 64 bits for a `LargeList` or a
/// `FixedSizeList`. The elements are the result of [`flatten_nested`](super::flatten_nested) for one level: none of a null
/// list.
///
/// # Errors
///
/// - [`Kind::TypeMismatch`] if `array` is not a list array.
/// - [`Kind::Overflow`] if a row of a `List` does not fit 32 bits, or memory does not suffice.
///
/// # Example
///
/// ```
/// use arrow_array::{Int32Array, ListArray, cast::AsArray, types::{Int32Type, Int64Type}};
/// use tensor_repr::array::parent_indices;
///
/// let rows = [Some(vec![Some(7), Some(8)]), None, Some(vec![Some(9)])];
/// let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(rows);
/// let parents = parent_indices(&lists)?;
/// assert_eq!(parents.as_primitive::<Int32Type>(), &Int32Array::from(vec![0, 0, 2]));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn parent_indices(array: &dyn Array) -> Result<ArrayRef, Error> {
    let lists = Lists::expect(array)?;
    if matches!(array.data_type(), DataType::List(_)) {
        if i32::try_from(lists.len()).is_err() {
            let text = format!("{} lists are more than 32 bits can count; use LargeList", lists.len());
            return Err(Error::new(Kind::Overflow, text));
        }
        // Checked just now: no row is cut.
        Ok(Arc::new(Int32Array::from(parents(&lists, |row| row as i32)?)))
    } else {
        Ok(Arc::new(Int64Array::from(parents(&lists, int64)?)))
    }
}

/// Does the same, always with 64 bits.
pub(super) fn parents_i64(lists: &Lists<'_>) -> Result<Vec<i64>, Error> {
    parents(lists, int64)
}

fn parents<T: Copy>(lists: &Lists<'_>, index: impl Fn(usize) -> T) -> Result<Vec<T>, Error> {
    let mut parents = with_room(lists.count())?;
    for (row, range) in lists.ranges().enumerate() {
        parents.resize(parents.len() + range.len(), index(row));
    }
    Ok(parents)
}

/// Result of [`lists_from_parent_indices`] for a parent without elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmptyParents {
    /// A null list: the feature is absent.
    #[default]
    Null,
    /// An empty list: the feature is there, without values.
    Empty,
}

/// Returns `num_parents` lists of the elements `values`, each in the list that `parent_indices` names.
///
/// The inverse of [`parent_indices`].
///
/// # Errors
///
/// - [`Kind::InvalidArgument`] if there are not as many parent indices as values, or one is null,
///   negative, not less than `num_parents`, or less than the one before it.
/// - [`Kind::Overflow`] if memory does not suffice for `num_parents` lists.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, LargeListArray, StringArray, types::Int64Type};
/// use tensor_repr::array::{EmptyParents, lists_from_parent_indices};
///
/// let values: ArrayRef = Arc::new(Int64Array::from(vec![7, 8, 9]));
/// let lists = lists_from_parent_indices(3, &vec![0, 0, 2].into(), &values, EmptyParents::Null)?;
/// let rows = [Some(vec![Some(7), Some(8)]), None, Some(vec![Some(9)])];
/// assert_eq!(lists, LargeListArray::from_iter_primitive::<Int64Type, _, _>(rows));
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn lists_from_parent_indices(
    num_parents: usize,
    parent_indices: &Int64Array,
    values: &ArrayRef,
    empty: EmptyParents,
) -> Result<LargeListArray, Error> {
    let invalid = |text: String| Err(Error::new(Kind::InvalidArgument, text));
    if parent_indices.len() != values.len() {
        return invalid(format!(
            "{} for {}",
            Count::of(parent_indices.len(), "parent index"),
            Count::of(values.len(), "value")
        ));
    }
    if parent_indices.null_count() > 0 {
        return invalid("a parent index is null".to_owned());
    }
    let mut offsets: Vec<i64> = with_room(num_parents.saturating_add(1))?;
    offsets.resize(num_parents + 1, 0);
    let mut last = 0;
    for (at, &parent) in parent_indices.values().iter().enumerate() {
        let Some(row) = usize::try_from(parent).ok().filter(|&row| row < num_parents) else {
            let parents = Count::of(num_parents, "parent");
            let are = parents.verb("is", "are");
            return invalid(format!("parent index {parent} at {at}: there {are} {parents}"));
        };
        if row < last {
            return invalid(format!(
                "parent index {parent} at {at} comes after {last}: they must be in order"
            ));
        }
        last = row;
        offsets[row + 1] = int64(at + 1);
    }
    // A list without elements ends where the one before it ends.
    let mut end = 0;
    for offset in &mut offsets {
        end = end.max(*offset);
        *offset = end;
    }
    let nulls = match empty {
        EmptyParents::Null => Some(NullBuffer::from_iter(offsets.windows(2).map(|pair| pair[0] < pair[1]))),
        EmptyParents::Empty => None,
    };
    let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    Ok(LargeListArray::try_new(field, OffsetBuffer::new(offsets.into()), Arc::clone(values), nulls)?)
}
