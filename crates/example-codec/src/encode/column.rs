//! The columns of a batch as cells.

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::types::{BinaryViewType, ByteArrayType, Float32Type, Int64Type, StringViewType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use super::back::Back;
use super::block::Buffers;
use super::cell::{Cells, Column, Frame, Full, Head};
use super::plan::ColumnPlan;
use super::row_set::RowSet;
use super::short::ShortHead;
use super::strings::{Bytes, InOneBuffer, InViews};
use super::values::{ByLength, ByOffsets, Floats, Ints, RowItems, Values, room};
use crate::error::Locate;
use crate::{Error, Kind};

/// A list column.
pub(super) struct Lists<'a, R, V> {
    rows: R,
    values: V,
    nulls: Option<&'a NullBuffer>,
}

impl<R: RowItems, V: Values> Lists<'_, R, V> {
    /// Puts one list and its frame in front of `out`.
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

    /// Puts the lists of at most one value, a short one, in front of the rows' buffers. Returns the other rows.
    fn write_short<const N: usize>(
        &self,
        first: usize,
        rows: RowSet,
        (head, null): &(ShortHead<N>, ShortHead<N>),
        out: &mut Buffers,
    ) -> RowSet {
        let valid = self.nulls.map_or(rows, |nulls| rows.valid(nulls, first));
        let mut rest = null.write_empty(rows.without(valid), out);
        if let Some(item) = self.rows.single(first, rows, valid) {
            return rest.with(self.values.write_single(item, valid, head, out));
        }
        for row in valid {
            let (start, end) = self.rows.items(first + row);
            let written = end.wrapping_sub(start) == 1
                && self.values.write_single(start, RowSet::one(row), head, out).is_empty();
            if !written {
                rest.insert(row);
            }
        }
        rest
    }
}

impl<R: RowItems, V: Values> Cells for Lists<'_, R, V> {
    fn write(&self, row: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
        self.write_list(row, head, out)
    }

    fn write_rows(&self, first: usize, count: usize, head: &Head, out: &mut Buffers) -> Result<(), Full> {
        let rows = RowSet::first(count);
        let rest = if let Some(short) = head.short::<16>() {
            self.write_short(first, rows, &short, out)
        } else if let Some(short) = head.short::<32>() {
            self.write_short(first, rows, &short, out)
        } else if let Some(short) = head.short::<64>() {
            self.write_short(first, rows, &short, out)
        } else {
            rows
        };
        for row in rest {
            self.write_list(first + row, head, &mut out[row])?;
        }
        Ok(())
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

/// Continuation that wraps lists of values in a column once their types are known.
pub(super) trait Wrap<'a> {
    /// Returns a column that writes these lists.
    fn lists<R: RowItems + 'a, V: Values + 'a>(self, lists: Lists<'a, R, V>) -> Column<'a>;

    /// Returns a column of lists that are all null.
    fn nulls(self) -> Column<'a>;

    /// Refuses lists with a null in them, of `items` of which some are null.
    fn refuse_null_items<R: RowItems>(
        &self,
        rows: &R,
        nulls: Option<&NullBuffer>,
        items: &NullBuffer,
    ) -> Result<(), Error>;
}

/// The lists of a planned column: one a row.
struct OneEach<'a> {
    plan: &'a ColumnPlan,
    rows: usize,
}

impl<'a> Wrap<'a> for OneEach<'a> {
    fn lists<R: RowItems + 'a, V: Values + 'a>(self, lists: Lists<'a, R, V>) -> Column<'a> {
        Column::new(&self.plan.head, lists)
    }

    fn nulls(self) -> Column<'a> {
        Column::new(&self.plan.head, Nulls)
    }

    #[cold]
    fn refuse_null_items<R: RowItems>(
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

/// Returns the first item of a list that is null; nulls in items that no list refers to do not count.
pub(super) fn null_item<R: RowItems>(
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

/// Returns the cells of a planned column.
pub(super) fn cells<'a>(plan: &'a ColumnPlan, batch: &'a RecordBatch) -> Result<Column<'a>, Error> {
    let array = plan.column(batch)?;
    lists(array, OneEach { plan, rows: array.len() })
}

/// Returns a column that writes the lists of an array.
pub(super) fn lists<'a>(array: &'a ArrayRef, wrap: impl Wrap<'a>) -> Result<Column<'a>, Error> {
    let nulls = array.nulls();
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            with_rows(wrap, ByOffsets(list.value_offsets()), nulls, list.values())
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            with_rows(wrap, ByOffsets(list.value_offsets()), nulls, list.values())
        }
        DataType::FixedSizeList(_, _) => {
            let list = array.as_fixed_size_list();
            let length = usize::try_from(list.value_length()).unwrap_or(0);
            with_rows(wrap, ByLength(length), nulls, list.values())
        }
        _ => Ok(wrap.nulls()),
    }
}

fn with_rows<'a, R: RowItems + 'a>(
    wrap: impl Wrap<'a>,
    rows: R,
    nulls: Option<&'a NullBuffer>,
    items: &'a ArrayRef,
) -> Result<Column<'a>, Error> {
    if let Some(item_nulls) = items.nulls().filter(|nulls| nulls.null_count() > 0) {
        wrap.refuse_null_items(&rows, nulls, item_nulls)?;
    }
    Ok(match items.data_type() {
        DataType::Int64 => {
            let values = Ints(items.as_primitive::<Int64Type>().values());
            wrap.lists(Lists { rows, values, nulls })
        }
        DataType::Float32 => {
            let values = Floats(items.as_primitive::<Float32Type>().values());
            wrap.lists(Lists { rows, values, nulls })
        }
        DataType::Binary => wrap.lists(Lists { rows, values: strings::<BinaryType>(items), nulls }),
        DataType::LargeBinary => wrap.lists(Lists { rows, values: strings::<LargeBinaryType>(items), nulls }),
        DataType::Utf8 => wrap.lists(Lists { rows, values: strings::<Utf8Type>(items), nulls }),
        DataType::LargeUtf8 => wrap.lists(Lists { rows, values: strings::<LargeUtf8Type>(items), nulls }),
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

fn strings<T: ByteArrayType>(items: &ArrayRef) -> Bytes<InOneBuffer<'_, T::Offset>> {
    let array = items.as_bytes::<T>();
    Bytes(InOneBuffer { offsets: array.value_offsets(), data: array.value_data() })
}
