//! Conversion of buffers to arrays, and rollback of buffers to the state before a row.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, GenericListArray, MapArray, NullArray, StructArray,
    make_array,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayDataBuilder;
use arrow_schema::{ArrowError, DataType, FieldRef};

use super::shape::{Kind, Shape, Validity};
use super::stores::Stores;
use crate::buffers::{Offset, Values};

/// Returns the first `len` entries of a column, whose buffers begin anew.
pub(super) fn finish<O: Offset>(
    shape: &Shape,
    len: usize,
    stores: &mut Stores<O>,
) -> Result<ArrayRef, ArrowError> {
    let (present, nulls) = match shape.validity {
        Validity::Always => (len, None),
        // Counted before the bits are handed out.
        Validity::Bits(bits) => (stores.bits[bits].count_ones(len), stores.bits[bits].finish_nulls()),
        Validity::Nulls(nulls) => (len, stores.nulls[nulls].finish(len)),
    };
    Ok(match &shape.kind {
        Kind::Null => Arc::new(NullArray::new(len)),
        Kind::Boolean(bits) => Arc::new(BooleanArray::new(stores.bits[*bits].finish(), nulls)),
        Kind::Fixed { values, .. } => {
            let buffer = stores.values[*values].finish();
            if let DataType::FixedSizeBinary(width) = shape.data_type {
                return Ok(Arc::new(FixedSizeBinaryArray::try_new_with_len(width, buffer, nulls, len)?));
            }
            let data = ArrayDataBuilder::new(shape.data_type.clone()).len(len).add_buffer(buffer);
            make_array(data.nulls(nulls).build()?)
        }
        Kind::Symbols { values, symbols } => {
            let data = ArrayDataBuilder::new(shape.data_type.clone())
                .len(len)
                .add_buffer(stores.values[*values].finish())
                .add_child_data(symbols.to_data());
            make_array(data.nulls(nulls).build()?)
        }
        Kind::Binary(binary) => stores.binaries[*binary].finish(nulls)?,
        Kind::Strings(strings) => stores.binaries[*strings].finish_strings(nulls)?,
        Kind::List { ends, item } => {
            let items = stores.ends[*ends].last();
            let ends = stores.ends[*ends].finish()?;
            let items = finish(item, items, stores)?;
            match &shape.data_type {
                DataType::Map(field, is_sorted) => {
                    let ends = small(ends)?;
                    let items = items.as_any().downcast_ref::<StructArray>().cloned();
                    let items = items.ok_or_else(|| {
                        ArrowError::InvalidArgumentError("the entries of a map are no structs".to_owned())
                    })?;
                    Arc::new(MapArray::try_new(Arc::clone(field), ends, items, nulls, *is_sorted)?)
                }
                data_type => list(data_type, ends, items, nulls)?,
            }
        }
        Kind::One { ends, item } => {
            let ends = match (&nulls, ends) {
                (Some(nulls), Some(ends)) => stores.ends[*ends].of_ones(nulls)?,
                _ => stores.ones(len),
            };
            let items = finish(item, present, stores)?;
            list(&shape.data_type, ends, items, nulls)?
        }
        Kind::Struct(children) => {
            let mut arrays = Vec::with_capacity(children.len());
            for child in children {
                arrays.push(finish(&child.shape, len, stores)?);
            }
            let DataType::Struct(fields) = &shape.data_type else {
                return Err(ArrowError::SchemaError("a struct has no fields".to_owned()));
            };
            Arc::new(StructArray::try_new_with_length(fields.clone(), arrays, nulls, len)?)
        }
    })
}

fn list<O: Offset>(
    data_type: &DataType,
    ends: OffsetBuffer<O>,
    items: ArrayRef,
    nulls: Option<arrow_buffer::NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let (DataType::List(item) | DataType::LargeList(item)) = data_type else {
        return Err(ArrowError::SchemaError("a list has no item".to_owned()));
    };
    let item: FieldRef = Arc::clone(item);
    Ok(Arc::new(GenericListArray::<O>::try_new(item, ends, items, nulls)?))
}

/// Returns the offsets of a map, which has no wide ones.
fn small<O: Offset>(ends: OffsetBuffer<O>) -> Result<OffsetBuffer<i32>, ArrowError> {
    let count = ends.len();
    if !O::IS_LARGE {
        return Ok(OffsetBuffer::new(ScalarBuffer::new(ends.into_inner().into_inner(), 0, count)));
    }
    let mut values = Values::default();
    for end in ends.iter().map(|end| end.as_usize()) {
        values.push(i32::try_from(end).map_err(|_| ArrowError::OffsetOverflowError(end))?);
    }
    Ok(OffsetBuffer::new(ScalarBuffer::new(values.finish(), 0, count)))
}

/// Takes back what a column has beyond its first `len` entries.
pub(super) fn truncate<O: Offset>(shape: &Shape, len: usize, stores: &mut Stores<O>) {
    let present = match shape.validity {
        Validity::Always => len,
        Validity::Bits(bits) => {
            stores.bits[bits].truncate(len);
            stores.bits[bits].count_ones(len)
        }
        Validity::Nulls(nulls) => {
            stores.nulls[nulls].truncate(len);
            len
        }
    };
    match &shape.kind {
        Kind::Null => {}
        Kind::Boolean(bits) => stores.bits[*bits].truncate(len),
        Kind::Fixed { values, width, .. } => stores.values[*values].truncate(len.saturating_mul(*width)),
        Kind::Symbols { values, .. } => stores.values[*values].truncate(len.saturating_mul(4)),
        Kind::Binary(binary) | Kind::Strings(binary) => stores.binaries[*binary].truncate(len),
        Kind::List { ends, item } => {
            stores.ends[*ends].truncate(len);
            let items = stores.ends[*ends].last();
            truncate(item, items, stores);
        }
        Kind::One { item, .. } => truncate(item, present, stores),
        Kind::Struct(children) => {
            children.iter().for_each(|child| truncate(&child.shape, len, stores));
        }
    }
}
