//! Nulls as bytes, and null lists replaced.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, OffsetSizeTrait, UInt8Array, make_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{DataType, FieldRef};
use tfxio_core::Count;

use super::capacity::{Kernel, has_room};
use super::lists::{Lists, with_room};
use crate::{Error, Kind};

/// Returns the lists, with each null one replaced by a list of the elements `fill`.
///
/// Empty lists stay empty, and null elements stay null. Shares everything if no list is null.
///
/// # Errors
///
/// - [`Kind::TypeMismatch`] if `array` is not a list array, or `fill` of another type than its
///   elements.
/// - [`Kind::ShapeMismatch`] if `array` is a `FixedSizeList` and `fill` of another length.
/// - [`Kind::Overflow`] if the elements are more than the offsets can count, or values of
///   dictionaries more than the keys can.
/// - [`ErrorKind::Other`](tfxio_base::ErrorKind::Other) if `fill` holds nulls and the elements may not be null.
///
/// # Example
///
/// ```
/// use arrow_array::{Int64Array, ListArray, cast::AsArray, types::Int64Type};
/// use tensor_repr::array::fill_null_lists;
///
/// let lists = |rows: [Option<Vec<Option<i64>>>; 3]| ListArray::from_iter_primitive::<Int64Type, _, _>(rows);
/// let filled = fill_null_lists(&lists([Some(vec![Some(7)]), None, Some(vec![])]), &Int64Array::from(vec![-1]))?;
/// let expected = lists([Some(vec![Some(7)]), Some(vec![Some(-1)]), Some(vec![])]);
/// assert_eq!(filled.as_list::<i32>(), &expected);
/// # Ok::<(), tensor_repr::Error>(())
/// ```
pub fn fill_null_lists(array: &dyn Array, fill: &dyn Array) -> Result<ArrayRef, Error> {
    let lists = Lists::expect(array)?;
    let expected = lists.values().data_type();
    if fill.data_type() != expected {
        let text = format!("elements of {expected} cannot be filled with {}", fill.data_type());
        return Err(Error::new(Kind::TypeMismatch, text));
    }
    if array.null_count() == 0 {
        return Ok(make_array(array.to_data()));
    }
    if !has_room(&[lists.values(), fill], Kernel::Append) {
        let text = "the values of both dictionaries are more than the keys can tell apart; use wider keys";
        return Err(Error::new(Kind::Overflow, text));
    }
    match array.data_type() {
        DataType::LargeList(field) => variable::<i64>(&lists, field, fill),
        DataType::FixedSizeList(field, size) => fixed(&lists, field, *size, fill),
        DataType::List(field) => variable::<i32>(&lists, field, fill),
        other => Err(Error::new(Kind::TypeMismatch, format!("lists expected, found {other}"))),
    }
}

fn variable<O: OffsetSizeTrait>(
    lists: &Lists<'_>,
    field: &FieldRef,
    fill: &dyn Array,
) -> Result<ArrayRef, Error> {
    let mut offsets = with_room(lists.len() + 1)?;
    offsets.push(O::zero());
    let mut end = 0_usize;
    for row in 0..lists.len() {
        let length = if lists.is_null(row) { fill.len() } else { lists.range(row).len() };
        end = end.checked_add(length).ok_or_else(too_many::<O>)?;
        offsets.push(O::from_usize(end).ok_or_else(too_many::<O>)?);
    }
    let values = values(lists, fill, end)?;
    let filled =
        GenericListArray::try_new(Arc::clone(field), OffsetBuffer::new(offsets.into()), values, None)?;
    Ok(Arc::new(filled))
}

fn too_many<O: OffsetSizeTrait>() -> Error {
    let wider = if O::IS_LARGE { "" } else { "; use LargeList" };
    Error::new(
        Kind::Overflow,
        format!("more elements than {} can count{wider}", O::PREFIX.to_owned() + "List"),
    )
}

fn fixed(lists: &Lists<'_>, field: &FieldRef, size: i32, fill: &dyn Array) -> Result<ArrayRef, Error> {
    if usize::try_from(size) != Ok(fill.len()) {
        let text = format!("lists of {} cannot be filled with {}", Count::of(size, "element"), fill.len());
        return Err(Error::new(Kind::ShapeMismatch, text));
    }
    let values = values(lists, fill, lists.whole().len())?;
    let filled = FixedSizeListArray::try_new_with_length(Arc::clone(field), size, values, None, lists.len())?;
    Ok(Arc::new(filled))
}

/// Returns the elements of all lists, with the elements of `fill` for each null one.
fn values(lists: &Lists<'_>, fill: &dyn Array, len: usize) -> Result<ArrayRef, Error> {
    let (values, fill) = (lists.values().to_data(), fill.to_data());
    let mut out = MutableArrayData::new(vec![&values, &fill], false, len);
    // Lists that lie side by side are copied at once.
    let mut run = 0..0;
    for row in 0..lists.len() {
        if lists.is_null(row) {
            out.try_extend(0, run.start, run.end)?;
            out.try_extend(1, 0, fill.len())?;
            run = 0..0;
            continue;
        }
        let range = lists.range(row);
        if run.is_empty() {
            run = range;
        } else if run.end == range.start {
            run.end = range.end;
        } else {
            out.try_extend(0, run.start, run.end)?;
            run = range;
        }
    }
    out.try_extend(0, run.start, run.end)?;
    Ok(make_array(out.freeze()))
}

/// Returns one byte for each element: 1 if it is null, 0 if it is not.
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
