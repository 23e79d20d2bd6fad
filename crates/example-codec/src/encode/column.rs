//! The columns of a batch as cells: which values a row has, and how each kind of value is written.

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, Float32Type, Int64Type, StringViewType,
};
use arrow_array::{Array, ArrayRef, GenericByteViewArray, OffsetSizeTrait, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use proto_wire::varint_size;

use super::back::Back;
use super::cell::{Cells, Column, Full, Head};
use super::plan::Plan;
use crate::{Error, ErrorKind};

/// The items of each row.
trait Rows {
    /// First item and the one after the last.
    fn items(&self, row: usize) -> (usize, usize);
}

struct ByOffsets<'a, O>(&'a [O]);

impl<O: OffsetSizeTrait> Rows for ByOffsets<'_, O> {
    #[inline(always)]
    fn items(&self, row: usize) -> (usize, usize) {
        match self.0.get(row..).and_then(|rest| rest.first_chunk::<2>()) {
            Some([start, end]) => (start.as_usize(), end.as_usize()),
            None => (0, 0),
        }
    }
}

struct ByLength(usize);

impl Rows for ByLength {
    #[inline(always)]
    fn items(&self, row: usize) -> (usize, usize) {
        (row * self.0, (row + 1) * self.0)
    }
}

/// Values that can be written one list at a time.
trait Values {
    /// Puts the feature that holds the items `start..end` in front, which are at least one.
    fn write(&self, start: usize, end: usize, head: &Head, out: &mut Back) -> Result<(), Full>;
}

struct Ints<'a>(&'a [i64]);

/// Of more integers than this the exact size is reserved, not the largest.
const MANY: usize = 256;

impl Values for Ints<'_> {
    #[inline(always)]
    fn write(&self, start: usize, end: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
        let values = self.0.get(start..end).unwrap_or_default();
        if values.len() <= MANY {
            room(values.len(), 10, head, out)?;
        } else {
            let bytes = values.iter().map(|value| varint_size(*value as u64)).sum::<usize>();
            room(1, bytes.saturating_add(16), head, out)?;
        }
        let bytes = match values {
            [value] => out.varint(*value as u64),
            values => {
                let before = out.len();
                for value in values.iter().rev() {
                    out.varint(*value as u64);
                }
                out.len() - before
            }
        };
        head.run(bytes, out);
        Ok(())
    }
}

struct Floats<'a>(&'a [f32]);

impl Values for Floats<'_> {
    #[inline(always)]
    fn write(&self, start: usize, end: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
        let values = self.0.get(start..end).unwrap_or_default();
        room(values.len(), 4, head, out)?;
        match values {
            [value] => out.put(&value.to_le_bytes()),
            values if cfg!(target_endian = "little") => out.put(bytemuck::cast_slice(values)),
            values => values.iter().rev().for_each(|value| out.put(&value.to_le_bytes())),
        }
        head.run(values.len() * 4, out);
        Ok(())
    }
}

/// Byte strings by number.
trait Strings {
    fn string(&self, index: usize) -> &[u8];

    /// Puts a string in front. Needs its length and 16 bytes more.
    #[inline(always)]
    fn put(&self, index: usize, out: &mut Back) -> usize {
        let string = self.string(index);
        out.put(string);
        string.len()
    }

    /// The bytes of some strings together.
    fn bytes(&self, start: usize, end: usize) -> usize;
}

struct InOneBuffer<'a, O> {
    offsets: &'a [O],
    data: &'a [u8],
}

impl<O: OffsetSizeTrait> InOneBuffer<'_, O> {
    #[inline(always)]
    fn range(&self, index: usize) -> (usize, usize) {
        ByOffsets(self.offsets).items(index)
    }
}

impl<O: OffsetSizeTrait> Strings for InOneBuffer<'_, O> {
    #[inline(always)]
    fn string(&self, index: usize) -> &[u8] {
        let (start, end) = self.range(index);
        self.data.get(start..end).unwrap_or_default()
    }

    #[inline(always)]
    fn put(&self, index: usize, out: &mut Back) -> usize {
        let (start, end) = self.range(index);
        let length = end.wrapping_sub(start);
        if length <= 16
            && let Some(block) = self.data.get(..end).and_then(|data| data.last_chunk::<16>())
        {
            out.put_block(block, length);
            return length;
        }
        let string = self.data.get(start..end).unwrap_or_default();
        out.put(string);
        string.len()
    }

    #[inline(always)]
    fn bytes(&self, start: usize, end: usize) -> usize {
        let at = |index: usize| self.offsets.get(index).map_or(0, |offset| offset.as_usize());
        at(end).saturating_sub(at(start))
    }
}

struct InViews<'a, T: ByteViewType>(&'a GenericByteViewArray<T>);

impl<T: ByteViewType> Strings for InViews<'_, T> {
    fn string(&self, index: usize) -> &[u8] {
        if index < self.0.len() { self.0.value(index).as_ref() } else { &[] }
    }

    fn bytes(&self, start: usize, end: usize) -> usize {
        (start..end).fold(0, |sum: usize, index| sum.saturating_add(self.string(index).len()))
    }
}

struct Bytes<S>(S);

impl<S: Strings> Values for Bytes<S> {
    #[inline(always)]
    fn write(&self, start: usize, end: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
        let bytes = self.0.bytes(start, end);
        room(end.saturating_sub(start), 11, head, out)?;
        if !out.reserve(bytes.saturating_add((end - start) * 11 + head.room())) {
            return Err(Full);
        }
        if end - start == 1 {
            let bytes = self.0.put(start, out);
            head.run(bytes, out);
            return Ok(());
        }
        let before = out.len();
        for index in (start..end).rev() {
            let bytes = self.0.put(index, out);
            out.varint(bytes as u64);
            out.byte(0x0a);
        }
        head.list(out.len() - before, out);
        Ok(())
    }
}

/// Room for so many values of so many bytes, and what stands around them.
#[inline(always)]
fn room(values: usize, size: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
    match values.checked_mul(size).and_then(|bytes| bytes.checked_add(head.room())) {
        Some(bytes) if out.reserve(bytes) => Ok(()),
        _ => Err(Full),
    }
}

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
    Ok(match items.data_type() {
        DataType::Int64 => {
            let values = Ints(items.as_primitive::<Int64Type>().values());
            Column::new(head, Lists { rows, values, nulls })
        }
        DataType::Float32 => {
            let values = Floats(items.as_primitive::<Float32Type>().values());
            Column::new(head, Lists { rows, values, nulls })
        }
        DataType::Binary => Column::new(head, Lists { rows, values: strings::<BinaryType>(items), nulls }),
        DataType::LargeBinary => {
            Column::new(head, Lists { rows, values: strings::<LargeBinaryType>(items), nulls })
        }
        DataType::Utf8 => Column::new(head, Lists { rows, values: strings::<Utf8Type>(items), nulls }),
        DataType::LargeUtf8 => {
            Column::new(head, Lists { rows, values: strings::<LargeUtf8Type>(items), nulls })
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

fn strings<T: ByteArrayType>(items: &ArrayRef) -> Bytes<InOneBuffer<'_, T::Offset>> {
    let array = items.as_bytes::<T>();
    Bytes(InOneBuffer { offsets: array.value_offsets(), data: array.value_data() })
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
