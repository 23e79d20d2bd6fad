//! The columns of a batch as cells.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::types::{BinaryViewType, ByteArrayType, Float32Type, Int64Type, StringViewType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use super::back::Back;
use super::cell::{Cells, Column, Frame, Full, Head};
use super::plan::Plan;
use super::values::{ByLength, ByOffsets, Bytes, Floats, InOneBuffer, InViews, Ints, Rows, Values, room};
use super::warm::warm;
use crate::error::Locate;
use crate::{Error, Kind};

/// A list column.
pub(super) struct Lists<'a, R, V> {
    rows: R,
    values: V,
    nulls: Option<&'a NullBuffer>,
}

impl<R: Rows, V: Values> Lists<'_, R, V> {
    /// Puts one list, and what stands around it, in front of `out`.
    #[inline(always)]
    pub(super) fn write_list(&self, row: usize, frame: &impl Frame, out: &mut Back) -> Result<(), Full> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            room(0, 0, frame, out)?;
            frame.null(out);
            return Ok(());
        }
        let (start, end) = self.rows.items(row);
        if start >= end {
            room(0, 0, frame, out)?;
            frame.list(0, out);
            return Ok(());
        }
        self.values.write(start, end, frame, out)
    }
}

impl<R: Rows, V: Values> Cells for Lists<'_, R, V> {
    fn write(&self, row: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
        self.write_list(row, head, out)
    }
}

/// A column of type `Null`.
struct Nulls;

impl Cells for Nulls {
    fn write(&self, _: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
        room(0, 0, head, out)?;
        head.null(out);
        Ok(())
    }
}

/// What becomes of lists of values once their types are known.
pub(super) trait Wrap<'a> {
    /// A column that writes these lists.
    fn lists<R: Rows + 'a, V: Values + 'a>(self, lists: Lists<'a, R, V>) -> Column<'a>;

    /// A column of lists that are all null.
    fn nulls(self) -> Column<'a>;

    /// Refuses lists with a null in them, of `items` of which some are null.
    fn refuse_null_items<R: Rows>(
        &self,
        rows: &R,
        nulls: Option<&NullBuffer>,
        items: &NullBuffer,
    ) -> Result<(), Error>;
}

/// The lists of a planned column: one a row.
struct OneEach<'a> {
    plan: &'a Plan,
    rows: usize,
}

impl<'a> Wrap<'a> for OneEach<'a> {
    fn lists<R: Rows + 'a, V: Values + 'a>(self, lists: Lists<'a, R, V>) -> Column<'a> {
        Column::new(&self.plan.head, lists)
    }

    fn nulls(self) -> Column<'a> {
        Column::new(&self.plan.head, Nulls)
    }

    #[cold]
    fn refuse_null_items<R: Rows>(
        &self,
        rows: &R,
        nulls: Option<&NullBuffer>,
        items: &NullBuffer,
    ) -> Result<(), Error> {
        for row in 0..self.rows {
            if let Some(at) = null_item(row, rows, nulls, items) {
                let message = format!("value {at} is null, which a list of tf.Example cannot hold");
                let error = Error::new(Kind::NullValue, message).help("fill it or drop it");
                return Err(error.in_row(row).in_feature(&self.plan.name));
            }
        }
        Ok(())
    }
}

/// The first item of a list that is null; nulls in items that no list refers to do not count.
pub(super) fn null_item<R: Rows>(
    list: usize,
    rows: &R,
    nulls: Option<&NullBuffer>,
    items: &NullBuffer,
) -> Option<usize> {
    if nulls.is_some_and(|nulls| nulls.is_null(list)) {
        return None;
    }
    let (start, end) = rows.items(list);
    (start..end.min(items.len())).position(|item| items.is_null(item))
}

/// The cells of a planned column.
pub(super) fn cells<'a>(plan: &'a Plan, batch: &'a RecordBatch) -> Result<Column<'a>, Error> {
    let array = plan.column(batch)?;
    lists(array, OneEach { plan, rows: array.len() })
}

/// A column that writes the lists of an array.
pub(super) fn lists<'a>(array: &'a ArrayRef, wrap: impl Wrap<'a>) -> Result<Column<'a>, Error> {
    let nulls = array.nulls();
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            with_rows(wrap, ByOffsets(list.value_offsets()), nulls, list.values(), array.len())
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            with_rows(wrap, ByOffsets(list.value_offsets()), nulls, list.values(), array.len())
        }
        DataType::FixedSizeList(_, _) => {
            let list = array.as_fixed_size_list();
            let length = usize::try_from(list.value_length()).unwrap_or(0);
            with_rows(wrap, ByLength(length), nulls, list.values(), array.len())
        }
        _ => Ok(wrap.nulls()),
    }
}

fn with_rows<'a, R: Rows + 'a>(
    wrap: impl Wrap<'a>,
    rows: R,
    nulls: Option<&'a NullBuffer>,
    items: &'a ArrayRef,
    count: usize,
) -> Result<Column<'a>, Error> {
    if let Some(item_nulls) = items.nulls().filter(|nulls| nulls.null_count() > 0) {
        wrap.refuse_null_items(&rows, nulls, item_nulls)?;
    }
    rows.warm();
    let range = rows.items(0).0..rows.items(count.saturating_sub(1)).1;
    Ok(match items.data_type() {
        DataType::Int64 => {
            let values = Ints(items.as_primitive::<Int64Type>().values());
            warm(values.0.get(range).unwrap_or_default());
            wrap.lists(Lists { rows, values, nulls })
        }
        DataType::Float32 => {
            let values = Floats(items.as_primitive::<Float32Type>().values());
            warm(values.0.get(range).unwrap_or_default());
            wrap.lists(Lists { rows, values, nulls })
        }
        DataType::Binary => wrap.lists(Lists { rows, values: strings::<BinaryType>(items, range), nulls }),
        DataType::LargeBinary => {
            wrap.lists(Lists { rows, values: strings::<LargeBinaryType>(items, range), nulls })
        }
        DataType::Utf8 => wrap.lists(Lists { rows, values: strings::<Utf8Type>(items, range), nulls }),
        DataType::LargeUtf8 => {
            wrap.lists(Lists { rows, values: strings::<LargeUtf8Type>(items, range), nulls })
        }
        DataType::BinaryView => {
            let values = Bytes(InViews(items.as_byte_view::<BinaryViewType>()));
            wrap.lists(Lists { rows, values, nulls })
        }
        DataType::Utf8View => {
            let values = Bytes(InViews(items.as_byte_view::<StringViewType>()));
            wrap.lists(Lists { rows, values, nulls })
        }
        // The plan has let no other type through.
        _ => wrap.nulls(),
    })
}

fn strings<T: ByteArrayType>(items: &ArrayRef, range: Range<usize>) -> Bytes<InOneBuffer<'_, T::Offset>> {
    let array = items.as_bytes::<T>();
    let strings = InOneBuffer { offsets: array.value_offsets(), data: array.value_data() };
    warm(strings.offsets.get(range.start..=range.end).unwrap_or_default());
    let bytes = strings.range(range.start).0..strings.range(range.end.saturating_sub(1)).1;
    warm(strings.data.get(bytes).unwrap_or_default());
    Bytes(strings)
}
