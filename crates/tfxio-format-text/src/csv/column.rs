//! A column, as its cells are gathered.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeListArray, ListArray};
use arrow_buffer::{BufferBuilder, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef};
use tfxio_core::Result;

use super::infer::{is_beyond, is_exact};
use super::types::not_read;
use crate::lines::{
    Integer, Unfit, Values, bytes, float, integer, narrow, strict_float, strict_integer, take,
};

/// Integers below it are exactly 64-bit floats: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns whether a large float has all digits of the integer that its cell is, and is not infinite for being too large.
#[cold]
fn is_kept(cell: &[u8], value: f64) -> bool {
    match integer(cell) {
        Integer::Value(value) => is_exact(value),
        Integer::TooLarge => false,
        Integer::No => !is_beyond(cell, value),
    }
}

/// Appends a cell that is not missing.
#[inline]
fn push(values: &mut Values, cell: &[u8], is_utf8: bool, is_plain: bool) -> Result<(), Unfit> {
    match values {
        Values::Int { .. } => match if is_plain { strict_integer(cell) } else { integer(cell) } {
            Integer::Value(value) => values.push_int(value),
            Integer::TooLarge => Err(Unfit::Range),
            Integer::No => Err(Unfit::Kind),
        },
        Values::Float32(_) => values.push_float(float(cell).ok_or(Unfit::Kind)?),
        Values::Float64(_) => {
            let value = if is_plain { strict_float(cell) } else { float(cell) };
            let value = value.ok_or(Unfit::Kind)?;
            if value.abs() >= EXACT && !is_kept(cell, value) {
                Err(Unfit::Range)
            } else {
                values.push_float(value)
            }
        }
        Values::Bool(_) => match cell {
            b"true" | b"True" | b"TRUE" => values.push_bool(true),
            b"false" | b"False" | b"FALSE" => values.push_bool(false),
            _ => Err(Unfit::Kind),
        },
        Values::Bytes { .. } => values.push_bytes(cell, is_utf8),
        Values::Typed(_) => values.push_typed(cell).unwrap_or(Err(Unfit::Kind)),
        Values::Null(_) => Err(Unfit::Kind),
    }
}

/// A column that is being gathered.
pub(super) struct Column {
    /// Index of its cell.
    pub(super) cell: usize,
    pub(super) field: FieldRef,
    values: Values,
    /// Offsets of the lists that hold the values, and the field of those.
    lists: Option<(BufferBuilder<i64>, FieldRef)>,
    /// Separator of the values of a cell.
    pub(super) separator: Option<u8>,
    /// Whether cells are what they are to other readers, and not to tfx-bsl.
    is_plain: bool,
    nulls: NullBufferBuilder,
}

impl Column {
    /// # Errors
    /// `Unsupported` for a type that cells are not read as.
    pub(super) fn new(cell: usize, field: &FieldRef, separator: Option<u8>, is_plain: bool) -> Result<Self> {
        let (value, item) = match field.data_type() {
            DataType::List(item) | DataType::LargeList(item) => (item.data_type(), Some(item)),
            value => (value, None),
        };
        let values = Values::new(value).ok_or_else(|| not_read(field))?;
        let lists = item.map(|item: &Arc<Field>| {
            let mut offsets = BufferBuilder::new(0);
            offsets.append(0);
            (offsets, Arc::clone(item))
        });
        let separator = separator.filter(|_| lists.is_some() || matches!(values, Values::Null(_)));
        let field = Arc::clone(field);
        Ok(Self { cell, field, values, lists, separator, is_plain, nulls: NullBufferBuilder::new(0) })
    }

    /// Appends a cell, which may be known to be UTF-8. An empty one is missing, but for a quoted one of a column of texts.
    #[inline]
    pub(super) fn push(&mut self, cell: &[u8], is_quoted: bool, is_utf8: bool) -> Result<(), Unfit> {
        let is_missing = match self.values {
            // Nothing but separators is a list of no known type.
            Values::Null(_) => cell.iter().all(|byte| Some(*byte) == self.separator),
            Values::Bytes { .. } => cell.is_empty() && !is_quoted,
            _ => cell.is_empty(),
        };
        match (&mut self.lists, is_missing) {
            (None, true) => self.values.push_missing(),
            (Some(_), true) => {}
            (None, false) => push(&mut self.values, cell, is_utf8, self.is_plain)?,
            (Some(_), false) => match self.separator {
                None => push(&mut self.values, cell, is_utf8, self.is_plain)?,
                Some(separator) => {
                    let mut start = 0;
                    bytes::each(cell, separator, |end| {
                        let value = cell.get(start..end).unwrap_or_default();
                        start = end + 1;
                        push(&mut self.values, value, is_utf8, self.is_plain)
                    })?;
                    push(&mut self.values, cell.get(start..).unwrap_or_default(), is_utf8, self.is_plain)?;
                }
            },
        }
        if let Some((offsets, _)) = &mut self.lists {
            offsets.append(self.values.len() as i64);
        }
        self.nulls.append(!is_missing);
        Ok(())
    }

    /// Drops what was appended after this many rows.
    #[cold]
    pub(super) fn truncate(&mut self, rows: usize) {
        self.nulls.truncate(rows);
        let values = match &mut self.lists {
            None => rows,
            Some((offsets, _)) => {
                let values = offsets.as_slice().get(rows).copied().unwrap_or_default();
                offsets.truncate(rows.saturating_add(1));
                usize::try_from(values).unwrap_or_default()
            }
        };
        self.values.truncate(values);
    }

    /// Hands out the rows, and leaves none.
    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        let next = NullBufferBuilder::new(self.nulls.len());
        let nulls = std::mem::replace(&mut self.nulls, next).build();
        let Some((offsets, item)) = &mut self.lists else {
            return self.values.finish(self.field.data_type(), nulls);
        };
        let values = self.values.finish(item.data_type(), None)?;
        let taken = take(offsets);
        offsets.append(0);
        let offsets = OffsetBuffer::new(ScalarBuffer::from(taken));
        Ok(match self.field.data_type() {
            DataType::List(_) => {
                Arc::new(ListArray::try_new(Arc::clone(item), narrow(&offsets)?, values, nulls)?)
            }
            _ => Arc::new(LargeListArray::try_new(Arc::clone(item), offsets, values, nulls)?),
        })
    }
}
