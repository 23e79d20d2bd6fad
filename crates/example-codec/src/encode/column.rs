//! The columns of a batch as cells.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::types::{BinaryViewType, ByteArrayType, Float32Type, Int64Type, StringViewType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use super::back::Back;
use super::cell::{Cells, Column, Full, Head};
use super::plan::Plan;
use super::values::{ByLength, ByOffsets, Bytes, Floats, InOneBuffer, InViews, Ints, Rows, Values, room};
use super::warm::warm;
use crate::{Error, ErrorKind};

/// A list column.
struct Lists<'a, R, V> {
    rows: R,
    values: V,
    nulls: Option<&'a NullBuffer>,
}

impl<R: Rows, V: Values> Cells for Lists<'_, R, V> {
    fn write(&self, row: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            room(0, 0, head, out)?;
            head.null(out);
            return Ok(());
        }
        let (start, end) = self.rows.items(row);
        if start >= end {
            room(0, 0, head, out)?;
            head.list(0, out);
            return Ok(());
        }
        self.values.write(start, end, head, out)
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

/// The cells of a planned column.
pub(super) fn cells<'a>(plan: &'a Plan, batch: &'a RecordBatch) -> Result<Column<'a>, Error> {
    let array = batch.columns().get(plan.index).filter(|array| *array.data_type() == plan.data_type);
    let Some(array) = array else {
        let found = batch.columns().get(plan.index).map(|array| array.data_type());
        let error = Error::new(
            ErrorKind::UnsupportedColumn,
            format!(
                "the column is of type {}, the encoder was built for {}; build one for each schema",
                found.map_or_else(|| "nothing".to_owned(), ToString::to_string),
                plan.data_type
            ),
        );
        return Err(error.in_feature(&plan.name));
    };
    let same_name = batch.schema_ref().fields().get(plan.index).is_some_and(|f| *f.name() == plan.name);
    if !same_name {
        let found = batch.schema_ref().fields().get(plan.index).map_or("", |field| field.name());
        let error = Error::new(
            ErrorKind::UnsupportedColumn,
            format!("column {} of the batch is {found:?}; build an encoder for each schema", plan.index),
        );
        return Err(error.in_feature(&plan.name));
    }
    let nulls = array.nulls();
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            with_rows(plan, ByOffsets(list.value_offsets()), nulls, list.values(), array.len())
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            with_rows(plan, ByOffsets(list.value_offsets()), nulls, list.values(), array.len())
        }
        DataType::FixedSizeList(_, _) => {
            let list = array.as_fixed_size_list();
            let length = usize::try_from(list.value_length()).unwrap_or(0);
            with_rows(plan, ByLength(length), nulls, list.values(), array.len())
        }
        _ => Ok(Column::new(&plan.head, Nulls)),
    }
}

fn with_rows<'a, R: Rows + 'a>(
    plan: &'a Plan,
    rows: R,
    nulls: Option<&'a NullBuffer>,
    items: &'a ArrayRef,
    count: usize,
) -> Result<Column<'a>, Error> {
    if let Some(item_nulls) = items.nulls().filter(|nulls| nulls.null_count() > 0) {
        refuse_null_items(plan, &rows, nulls, item_nulls, count)?;
    }
    let head = &plan.head;
    rows.warm();
    let range = rows.items(0).0..rows.items(count.saturating_sub(1)).1;
    Ok(match items.data_type() {
        DataType::Int64 => {
            let values = Ints(items.as_primitive::<Int64Type>().values());
            warm(values.0.get(range).unwrap_or_default());
            Column::new(head, Lists { rows, values, nulls })
        }
        DataType::Float32 => {
            let values = Floats(items.as_primitive::<Float32Type>().values());
            warm(values.0.get(range).unwrap_or_default());
            Column::new(head, Lists { rows, values, nulls })
        }
        DataType::Binary => {
            Column::new(head, Lists { rows, values: strings::<BinaryType>(items, range), nulls })
        }
        DataType::LargeBinary => {
            Column::new(head, Lists { rows, values: strings::<LargeBinaryType>(items, range), nulls })
        }
        DataType::Utf8 => Column::new(head, Lists { rows, values: strings::<Utf8Type>(items, range), nulls }),
        DataType::LargeUtf8 => {
            Column::new(head, Lists { rows, values: strings::<LargeUtf8Type>(items, range), nulls })
        }
        DataType::BinaryView => {
            let values = Bytes(InViews(items.as_byte_view::<BinaryViewType>()));
            Column::new(head, Lists { rows, values, nulls })
        }
        DataType::Utf8View => {
            let values = Bytes(InViews(items.as_byte_view::<StringViewType>()));
            Column::new(head, Lists { rows, values, nulls })
        }
        // The plan has let no other type through.
        _ => Column::new(head, Nulls),
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

/// A list with a null in it is an error; nulls in items that no row refers to do not count.
#[cold]
fn refuse_null_items<R: Rows>(
    plan: &Plan,
    rows: &R,
    nulls: Option<&NullBuffer>,
    items: &NullBuffer,
    count: usize,
) -> Result<(), Error> {
    for row in (0..count).filter(|row| nulls.is_none_or(|nulls| nulls.is_valid(*row))) {
        let (start, end) = rows.items(row);
        if let Some(at) = (start..end.min(items.len())).position(|item| items.is_null(item)) {
            let error = Error::new(
                ErrorKind::NullValue,
                format!("value {at} is null, which a list of tf.Example cannot hold; fill it or drop it"),
            );
            return Err(error.in_row(row).in_feature(&plan.name));
        }
    }
    Ok(())
}
