//! Tensors and their values as Arrow arrays of the types that a converter promises.

use std::sync::Arc;

use arrow_array::{ArrayRef, ArrowPrimitiveType as _, LargeBinaryArray, LargeListArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef};
use tfxio_core::DType;

use crate::array::{int64, with_room};
use crate::tensor::with_primitive;
use crate::{DenseTensor, Error, Kind, RaggedTensor, RowSplits, Values};

/// Returns the Arrow type of a dtype.
pub(super) fn arrow_type(dtype: DType) -> Result<DataType, Error> {
    Ok(with_primitive! { DType, dtype,
        T => T::DATA_TYPE,
        DType::Bool => DataType::Boolean,
        DType::String => DataType::LargeBinary,
        other => {
            let text = format!("Arrow has no {other}; cast the tensor to float32");
            return Err(Error::new(Kind::Unsupported, text));
        }
    })
}

/// Returns the values as an array of [`arrow_type`].
pub(super) fn array(values: &Values) -> Result<ArrayRef, Error> {
    let Some((strings, offsets)) = values.as_strings().and_then(|s| Some((s, s.small_offsets()?))) else {
        return values.to_array();
    };
    let mut wide = with_room(offsets.len())?;
    wide.extend(offsets.iter().map(|&offset| i64::from(offset)));
    let offsets = OffsetBuffer::new(wide.into());
    Ok(Arc::new(LargeBinaryArray::try_new(offsets, strings.data().clone(), None)?))
}

/// Returns the type of `levels` of lists around `item`.
pub(super) fn nested_lists(item: DataType, levels: usize) -> DataType {
    (0..levels).fold(item, |item, _| DataType::LargeList(list_item(item)))
}

pub(super) fn list_item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(data_type, true))
}

/// Lists of the elements of `values`, divided by `offsets`.
pub(super) fn lists(offsets: OffsetBuffer<i64>, values: ArrayRef) -> Result<ArrayRef, Error> {
    let item = list_item(values.data_type().clone());
    Ok(Arc::new(LargeListArray::try_new(item, offsets, values, None)?))
}

/// Returns the offsets of `rows` lists of `size` elements each.
pub(super) fn equal_lists(rows: usize, size: usize) -> Result<OffsetBuffer<i64>, Error> {
    if rows.checked_mul(size).is_none_or(|total| i64::try_from(total).is_err()) {
        return Err(Error::new(Kind::Overflow, "more cells than 64 bits can count"));
    }
    let mut offsets = with_room(rows.saturating_add(1))?;
    offsets.extend((0..=rows).map(|row| int64(row * size)));
    Ok(OffsetBuffer::new(offsets.into()))
}

/// Returns one list a row, of all its cells.
pub(super) fn flat(tensor: &DenseTensor) -> Result<ArrayRef, Error> {
    let inner = tensor.shape().iter().skip(1);
    let cells = inner.fold(1_usize, |cells, &size| cells.saturating_mul(size));
    lists(equal_lists(tensor.rows(), cells)?, array(tensor.values())?)
}

/// Lists inside of lists, one level for each dimension but the batch.
pub(super) fn nested(tensor: &DenseTensor) -> Result<ArrayRef, Error> {
    let mut lengths = Vec::with_capacity(tensor.shape().len());
    let mut rows = 1_usize;
    for pair in tensor.shape().windows(2) {
        rows = rows
            .checked_mul(pair[0])
            .ok_or_else(|| Error::new(Kind::Overflow, "more lists than 64 bits can count"))?;
        lengths.push((rows, pair[1]));
    }
    let innermost = array(tensor.values())?;
    lengths
        .into_iter()
        .rev()
        .try_fold(innermost, |values, (rows, size)| lists(equal_lists(rows, size)?, values))
}

/// Lists inside of lists, one level for each of the row splits; the inner dimensions are flat in the
/// innermost.
pub(super) fn ragged(tensor: &RaggedTensor) -> Result<ArrayRef, Error> {
    let width = tensor.inner_shape().iter().fold(1_usize, |width, &size| width.saturating_mul(size));
    nest(tensor.row_splits(), width, array(tensor.values())?)
}

/// Returns the lists that row splits divide an array into, which has `width` elements for each innermost item.
pub(super) fn nest(row_splits: &[RowSplits], width: usize, array: ArrayRef) -> Result<ArrayRef, Error> {
    let (mut column, mut width) = (array, width);
    for splits in row_splits.iter().rev() {
        column = lists(offsets(splits, width)?, column)?;
        width = 1;
    }
    Ok(column)
}

/// Returns row splits as offsets of items that are `width` values each. Shared if they are of 64 bits and the items single
/// values.
fn offsets(splits: &RowSplits, width: usize) -> Result<OffsetBuffer<i64>, Error> {
    if let (RowSplits::Int64(splits), 1) = (splits, width) {
        return Ok(OffsetBuffer::new(splits.clone()));
    }
    let too_many = || Error::new(Kind::Overflow, "more values than 64 bits can count");
    let width = i64::try_from(width).map_err(|_| too_many())?;
    let mut offsets = with_room(splits.len())?;
    for split in splits.iter() {
        offsets.push(split.checked_mul(width).ok_or_else(too_many)?);
    }
    Ok(OffsetBuffer::new(offsets.into()))
}
