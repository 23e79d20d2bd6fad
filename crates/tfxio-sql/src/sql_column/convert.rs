//! Columns of a data set on their way to SQL.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, FixedSizeListArray, GenericBinaryArray, GenericListArray,
    GenericStringArray, Int64Array, OffsetSizeTrait,
};
use arrow_schema::{DataType, FieldRef};
use datafusion::arrow::compute;
use tfxio_core::{Count, Error, ErrorKind, Position, Result};

use super::SqlColumn;

impl SqlColumn {
    /// Returns a column of the data set as it is in SQL. An error names the row.
    pub(crate) fn apply(&self, column: &ArrayRef) -> Result<ArrayRef> {
        let changed = match (self.single, self.text) {
            (false, false) => return Ok(Arc::clone(column)),
            (true, false) => self.single_values(column)?,
            (true, true) => self.texts(&self.single_values(column)?, Some)?,
            (false, true) => self.lists_of_texts(column)?,
        };
        if changed.data_type() != self.field.data_type() {
            let what = format!("the column is {} here", column.data_type());
            return Err(Error::new(ErrorKind::Malformed, what).at(Position::new().column(self.name())));
        }
        Ok(changed)
    }

    fn name(&self) -> &str {
        self.source.name()
    }

    /// Returns the one value of each list.
    fn single_values(&self, column: &ArrayRef) -> Result<ArrayRef> {
        if let Some((row, len)) = first_not_single(column) {
            let what = format!("there are {} here, and one in each row before", Count::of(len, "value"));
            let error = Error::new(ErrorKind::SchemaMismatch, what)
                .at(Position::new().column(self.name()).row(row as u64))
                .help("make columns of lists: the option scalars is false then, on the command line --lists");
            return Err(error);
        }
        match column.data_type() {
            DataType::List(_) => one_of_each(column.as_list::<i32>()),
            DataType::LargeList(_) => one_of_each(column.as_list::<i64>()),
            DataType::FixedSizeList(..) => {
                let lists = column.as_fixed_size_list();
                match lists.nulls() {
                    Some(nulls) if nulls.null_count() > 0 => {
                        let absent = BooleanArray::new(!nulls.inner(), None);
                        Ok(compute::nullif(lists.values(), &absent)?)
                    }
                    _ => Ok(Arc::clone(lists.values())),
                }
            }
            _ => Ok(Arc::clone(column)),
        }
    }

    fn lists_of_texts(&self, column: &ArrayRef) -> Result<ArrayRef> {
        let (DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)) =
            self.field.data_type()
        else {
            return Ok(Arc::clone(column));
        };
        match column.data_type() {
            DataType::List(_) => self.texts_in(column.as_list::<i32>(), item),
            DataType::LargeList(_) => self.texts_in(column.as_list::<i64>(), item),
            DataType::FixedSizeList(_, len) => {
                let lists = column.as_fixed_size_list();
                let row = |at: usize| at.checked_div(usize::try_from(*len).ok()?);
                let values = self.texts(lists.values(), row)?;
                let (item, nulls) = (Arc::clone(item), lists.nulls().cloned());
                Ok(Arc::new(FixedSizeListArray::try_new_with_length(item, *len, values, nulls, lists.len())?))
            }
            _ => Ok(Arc::clone(column)),
        }
    }

    fn texts_in<O: OffsetSizeTrait>(&self, lists: &GenericListArray<O>, item: &FieldRef) -> Result<ArrayRef> {
        // Of a slice only the values that belong to it are text.
        let first = lists.offsets().first().map_or(0, |first| first.as_usize());
        let row = |at: usize| {
            let at = at.checked_add(first)?;
            lists.offsets().partition_point(|offset| offset.as_usize() <= at).checked_sub(1)
        };
        let texts = self.texts(&values(lists), row)?;
        let offsets = if first == 0 {
            lists.offsets().clone()
        } else {
            datafusion::arrow::buffer::OffsetBuffer::from_lengths(lists.offsets().lengths())
        };
        Ok(Arc::new(GenericListArray::try_new(Arc::clone(item), offsets, texts, lists.nulls().cloned())?))
    }

    /// Returns bytes as text; `row` returns the row of a value.
    fn texts(&self, bytes: &ArrayRef, row: impl Fn(usize) -> Option<usize>) -> Result<ArrayRef> {
        let texts = match bytes.data_type() {
            DataType::Binary => text::<i32>(bytes),
            DataType::LargeBinary => text::<i64>(bytes),
            _ => return Ok(Arc::clone(bytes)),
        };
        if let Some(texts) = texts {
            return Ok(texts);
        }
        let bad = first_not_text(bytes);
        let mut position = Position::new().column(self.name());
        if let Some(row) = bad.and_then(row) {
            position = position.row(row as u64);
        }
        let error = Error::new(
            ErrorKind::SchemaMismatch,
            "the bytes are not UTF-8, and those of each row before are",
        );
        Err(error
            .at(position)
            .help("make a column of bytes: the option text is false then, on the command line --bytes"))
    }
}

/// Returns bytes as text, without a copy; `None` where they are not UTF-8.
fn text<O: OffsetSizeTrait>(bytes: &ArrayRef) -> Option<ArrayRef> {
    let bytes = bytes.as_binary::<O>();
    let (offsets, values, nulls) = bytes.clone().into_parts();
    let texts = GenericStringArray::<O>::try_new(offsets, values, nulls).ok()?;
    Some(Arc::new(texts))
}

/// Returns the index of the first value that is not UTF-8.
pub(super) fn first_not_text(values: &ArrayRef) -> Option<usize> {
    fn first<O: OffsetSizeTrait>(values: &GenericBinaryArray<O>) -> Option<usize> {
        // All at once where that is enough: ASCII is UTF-8 wherever it is cut.
        let ends = values.offsets().first().zip(values.offsets().last());
        let all = ends.and_then(|(start, end)| values.value_data().get(start.as_usize()..end.as_usize()));
        if all.is_some_and(<[u8]>::is_ascii) {
            return None;
        }
        values.iter().position(|value| value.is_some_and(|value| std::str::from_utf8(value).is_err()))
    }
    match values.data_type() {
        DataType::Binary => first(values.as_binary::<i32>()),
        DataType::LargeBinary => first(values.as_binary::<i64>()),
        _ => Some(0),
    }
}

/// Returns the first list that is there and has not exactly one value, and how many it has.
pub(super) fn first_not_single(column: &ArrayRef) -> Option<(usize, u64)> {
    fn first<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Option<(usize, u64)> {
        let mut lengths = lists.offsets().lengths().enumerate();
        let (row, len) = lengths.find(|(row, len)| *len != 1 && lists.is_valid(*row))?;
        Some((row, len as u64))
    }
    match column.data_type() {
        DataType::List(_) => first(column.as_list::<i32>()),
        DataType::LargeList(_) => first(column.as_list::<i64>()),
        DataType::FixedSizeList(_, 1) => None,
        DataType::FixedSizeList(_, len) => (0..column.len())
            .find(|row| column.is_valid(*row))
            .map(|row| (row, u64::try_from(*len).unwrap_or(0))),
        _ => None,
    }
}

/// Returns the values of lists, without those before and after a slice.
pub(super) fn values<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> ArrayRef {
    let (first, last) = match (lists.offsets().first(), lists.offsets().last()) {
        (Some(first), Some(last)) => (first.as_usize(), last.as_usize()),
        _ => (0, 0),
    };
    lists.values().slice(first, last.saturating_sub(first))
}

/// Returns the value of each list that has one.
fn one_of_each<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Result<ArrayRef> {
    let values = values(lists);
    if values.len() == lists.len() && lists.null_count() == 0 {
        return Ok(values);
    }
    let first = lists.offsets().first().map_or(0, |first| first.as_usize());
    let at = lists.offsets().iter().enumerate().take(lists.len()).map(|(row, offset)| {
        let at = offset.as_usize().checked_sub(first)?;
        lists.is_valid(row).then(|| i64::try_from(at).ok()).flatten()
    });
    Ok(compute::take(&values, &at.collect::<Int64Array>(), None)?)
}
