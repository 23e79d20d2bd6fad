//! Arrays of several dimensions, which are lists of one size of lists of one size, as lists of their values.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, FixedSizeListArray};
use arrow_schema::DataType;

use super::column_change::Failed;
use super::leaf::Unfit;

/// Returns the type of such lists, and what is lost; `None` for what has not several dimensions.
pub(super) fn flat(data_type: &DataType) -> Option<(DataType, String)> {
    let DataType::FixedSizeList(outer, first) = data_type else { return None };
    let (mut item, mut size, mut shape) = (outer, *first, first.to_string());
    while let DataType::FixedSizeList(inner, more) = item.data_type() {
        size = size.checked_mul(*more)?;
        let _ = write!(shape, " × {more}");
        item = inner;
    }
    if Arc::ptr_eq(item, outer) {
        return None;
    }
    let what = format!("arrays of {shape} values become lists of {size}, without their shape");
    Some((DataType::FixedSizeList(Arc::clone(item), size), what))
}

/// Returns the lists.
///
/// # Errors
/// The row of an array that has none within where others have one.
pub(super) fn flatten(array: &ArrayRef) -> Result<ArrayRef, Failed> {
    let mut array = Arc::clone(array);
    while let Some(outer) = array.as_fixed_size_list_opt()
        && let (DataType::FixedSizeList(item, more), Some(inner)) =
            (outer.value_type(), outer.values().as_fixed_size_list_opt())
    {
        let size = outer.value_length();
        let row = |index: usize| index / usize::try_from(size).unwrap_or(1).max(1);
        if inner.null_count() > 0
            && let Some(index) =
                (0..inner.len()).find(|index| inner.is_null(*index) && outer.is_valid(row(*index)))
        {
            let what = "an array lacks one of the arrays that it is made of".to_owned();
            return Err(Failed::Unfit(Unfit { index: row(index), what }));
        }
        let (values, nulls) = (Arc::clone(inner.values()), outer.nulls().cloned());
        let size = size.saturating_mul(more);
        array = Arc::new(FixedSizeListArray::try_new_with_length(item, size, values, nulls, outer.len())?);
    }
    Ok(array)
}
