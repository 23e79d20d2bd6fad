//! Arrays that code of others has made, validated before anything looks at their values.
//!
//! The crates of Arrow offer ways to make arrays without a look at what is in them: readers of files take these where they
//! trust what they read, and the C data interface takes every array as its giver describes it. Text that is not UTF-8, an
//! offset beyond its values or a key beyond its dictionary is undefined behaviour later, where the array is used.
//! [`Foreign`] checks such arrays once, where they come in. The rules are the ones of the [format].
//!
//! [format]: https://arrow.apache.org/docs/format/Columnar.html

mod guard;
mod text;

use std::collections::HashMap;

use arrow_array::{Array, RecordBatch};
use arrow_buffer::ArrowNativeType;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};
use tfxio_base::{Count, Error, ErrorKind, Position, Result};

pub use self::guard::guarded;

/// Levels of lists, structs, maps, unions and dictionaries within each other, at most.
const MOST_LEVELS: usize = 128;

/// Knowledge about the text of arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Text {
    /// Nothing: every value is read.
    #[default]
    Unread,
    /// Consecutive values were read as one text. Only the borders between values are checked.
    ReadTogether,
}

/// Validates arrays that code of others has made.
///
/// ```
/// use arrow_array::{Int64Array, RecordBatch, StringArray};
/// use arrow_buffer::{Buffer, OffsetBuffer};
/// use tfxio_core::foreign::{Foreign, Text};
///
/// let mut foreign = Foreign::new();
/// foreign.array(&Int64Array::from(vec![1, 2]), Text::Unread)?;
///
/// // SAFETY: never read as text.
/// let bytes = unsafe {
///     StringArray::new_unchecked(OffsetBuffer::from_lengths([1]), Buffer::from(b"\xff"), None)
/// };
/// let error = foreign.array(&bytes, Text::Unread).unwrap_err();
/// assert!(error.to_string().contains("value 0 is not UTF-8"));
/// # Ok::<(), tfxio_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Foreign {
    /// Values of the dictionaries of the batch or array before, by the address of their bytes: batches share them.
    before: HashMap<usize, ArrayData>,
    /// The same of this one.
    now: HashMap<usize, ArrayData>,
}

impl Foreign {
    /// Returns a validator that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Validates the columns of a batch.
    ///
    /// # Errors
    /// `Malformed`, with the column.
    pub fn batch(&mut self, batch: &RecordBatch, text: Text) -> Result<()> {
        self.before = std::mem::take(&mut self.now);
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let in_column = |error: Error| error.at(Position::new().column(field.name().as_str()));
            self.column(column, text).map_err(in_column)?;
        }
        Ok(())
    }

    /// Validates an array and its children: buffers, offsets, keys, runs, counts of nulls and text.
    ///
    /// # Errors
    /// `Malformed`, with what is wrong and where.
    pub fn array(&mut self, array: &dyn Array, text: Text) -> Result<()> {
        self.before = std::mem::take(&mut self.now);
        self.column(array, text)
    }

    fn column(&mut self, array: &dyn Array, text: Text) -> Result<()> {
        self.data(&array.to_data(), text, 0).map_err(|what| Error::new(ErrorKind::Malformed, what))
    }

    fn data(&mut self, data: &ArrayData, text: Text, level: usize) -> Result<(), String> {
        if level > MOST_LEVELS {
            return Err(format!("the column is nested more than {} deep", Count::of(MOST_LEVELS, "level")));
        }
        check_claims(data)?;
        if data.is_empty() && has_offsets(data.data_type()) {
            // Its one offset may be that of a longer array, whose values were not given with it.
            return Ok(());
        }
        data.validate().and_then(|()| data.validate_nulls()).map_err(told)?;
        match data.data_type() {
            DataType::Utf8 => text::check_offsets::<i32>(data, text)?,
            DataType::LargeUtf8 => text::check_offsets::<i64>(data, text)?,
            DataType::Utf8View => text::check_views(data, text)?,
            DataType::RunEndEncoded(ends, _) => check_runs(data, ends.data_type())?,
            DataType::Dictionary(..) => {
                data.validate_values().map_err(told)?;
                return self.dictionary(data, level);
            }
            _ => data.validate_values().map_err(told)?,
        }
        data.child_data().iter().try_for_each(|child| self.data(child, text, level + 1))
    }

    /// Validates the values of a dictionary, unless they were found right before.
    fn dictionary(&mut self, data: &ArrayData, level: usize) -> Result<(), String> {
        for values in data.child_data() {
            let address = values.buffers().first().map_or(0, |bytes| bytes.as_ptr() as usize);
            let is_known =
                |known: &HashMap<_, ArrayData>| known.get(&address).is_some_and(|of| of.ptr_eq(values));
            if !is_known(&self.before) && !is_known(&self.now) {
                self.data(values, Text::Unread, level + 1)?;
            }
            self.now.insert(address, values.clone());
        }
        Ok(())
    }
}

/// Returns whether values of a type are delimited by offsets.
fn has_offsets(kind: &DataType) -> bool {
    use DataType::{Binary, LargeBinary, LargeList, LargeUtf8, List, Map, Utf8};
    matches!(kind, Utf8 | LargeUtf8 | Binary | LargeBinary | List(_) | LargeList(_) | Map(..))
}

/// Returns the text of an error of Arrow.
fn told(error: ArrowError) -> String {
    match error {
        ArrowError::InvalidArgumentError(text) => text,
        other => other.to_string(),
    }
}

/// Refuses what the validation of Arrow would panic over.
fn check_claims(data: &ArrayData) -> Result<(), String> {
    let beyond = || format!("an array of {} at offset {} has no end", data.len(), data.offset());
    data.len().checked_add(data.offset()).ok_or_else(beyond)?;
    match data.data_type() {
        DataType::FixedSizeList(_, size) => {
            let items = usize::try_from(*size).ok().and_then(|size| size.checked_mul(data.len()));
            items.map(|_| ()).ok_or_else(|| format!("{} lists of {size} items are too many", data.len()))
        }
        DataType::Union(fields, _) => match fields.iter().find(|(id, _)| *id < 0) {
            Some((id, _)) => Err(format!("a field of a union has the number {id}")),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Checks that runs follow each other and reach the end.
fn check_runs(data: &ArrayData, ends: &DataType) -> Result<(), String> {
    match ends {
        DataType::Int16 => runs::<i16>(data),
        DataType::Int32 => runs::<i32>(data),
        DataType::Int64 => runs::<i64>(data),
        other => Err(format!("ends of runs of the type {other}")),
    }
}

fn runs<T: ArrowNativeType>(data: &ArrayData) -> Result<(), String> {
    let Some(ends) = data.child_data().first() else { return Err("runs without ends".to_owned()) };
    // Its buffer is as long as it says only where that was checked.
    ends.validate().map_err(told)?;
    let (all, mut last) = (ends.buffer::<T>(0), 0);
    for (run, end) in all.iter().take(ends.len()).enumerate() {
        match end.to_usize().filter(|end| *end > last) {
            Some(end) => last = end,
            None => return Err(format!("run {run} ends at {end:?}, and the one before it at {last}")),
        }
    }
    let wanted = data.offset().saturating_add(data.len());
    if last < wanted {
        return Err(format!("the runs end at {last}, and the array at {wanted}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
