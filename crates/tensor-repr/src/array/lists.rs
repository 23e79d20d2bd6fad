//! The three layouts of lists, seen as one.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::{ArrowNativeType, NullBuffer, OffsetBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_schema::DataType;
use tfxio_core::Count;

use crate::{Error, Kind};

/// A list array of any layout.
pub(crate) struct Lists<'a> {
    values: &'a ArrayRef,
    nulls: Option<&'a NullBuffer>,
    bounds: Bounds<'a>,
    len: usize,
}

/// Bounds of each list in the values.
#[derive(Clone, Copy)]
enum Bounds<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
    Fixed(usize),
}

impl<'a> Lists<'a> {
    /// Returns the lists of `array`, or `None` for other arrays.
    pub(crate) fn of(array: &'a dyn Array) -> Option<Self> {
        let (values, bounds) = match array.data_type() {
            DataType::List(_) => {
                let list = array.as_list_opt::<i32>()?;
                (list.values(), Bounds::Small(list.value_offsets()))
            }
            DataType::LargeList(_) => {
                let list = array.as_list_opt::<i64>()?;
                (list.values(), Bounds::Large(list.value_offsets()))
            }
            DataType::FixedSizeList(_, size) => {
                let list = array.as_fixed_size_list_opt()?;
                (list.values(), Bounds::Fixed(usize::try_from(*size).unwrap_or(0)))
            }
            _ => return None,
        };
        Some(Self { values, nulls: array.nulls(), bounds, len: array.len() })
    }

    /// Returns the lists of `array`, which must be a list array.
    pub(crate) fn expect(array: &'a dyn Array) -> Result<Self, Error> {
        Self::of(array).ok_or_else(|| {
            let text = format!("List, LargeList or FixedSizeList expected, found {}", array.data_type());
            Error::new(Kind::TypeMismatch, text)
        })
    }

    /// Returns the number of lists.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_null(&self, row: usize) -> bool {
        self.nulls.is_some_and(|nulls| nulls.is_null(row))
    }

    /// Returns the array that the ranges point into.
    pub(crate) fn values(&self) -> &'a ArrayRef {
        self.values
    }

    /// Returns the range of values of a row, whether it is null or not.
    fn span(&self, row: usize) -> Range<usize> {
        match self.bounds {
            Bounds::Small(offsets) => offsets[row].as_usize()..offsets[row + 1].as_usize(),
            Bounds::Large(offsets) => offsets[row].as_usize()..offsets[row + 1].as_usize(),
            Bounds::Fixed(size) => row * size..(row + 1) * size,
        }
    }

    /// Returns the range of values of a row; empty if the row is null.
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        let span = self.span(row);
        if self.is_null(row) { span.start..span.start } else { span }
    }

    /// Returns the ranges of all rows, empty for null ones.
    pub(crate) fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        (0..self.len).map(|row| self.range(row))
    }

    /// Returns the start of each list in the values, and the end of the last one.
    pub(crate) fn offsets(&self) -> Result<OffsetBuffer<i64>, Error> {
        let mut offsets = with_room(self.len + 1)?;
        match self.bounds {
            Bounds::Small(small) => offsets.extend(small.iter().map(|at| i64::from(*at))),
            Bounds::Large(large) => offsets.extend_from_slice(large),
            Bounds::Fixed(size) => offsets.extend((0..=self.len).map(|row| int64(row * size))),
        }
        Ok(OffsetBuffer::new(offsets.into()))
    }

    /// Returns the range of values from the first list to the last, those under null lists included.
    pub(crate) fn whole(&self) -> Range<usize> {
        match self.len.checked_sub(1) {
            None => 0..0,
            Some(last) => self.span(0).start..self.span(last).end,
        }
    }

    /// Returns the elements of all lists, one after the other, without those under null lists. Shares the values where none
    /// has to be left out.
    pub(crate) fn elements(&self) -> Result<ArrayRef, Error> {
        let whole = self.whole();
        if self.nulls.is_none_or(|nulls| nulls.null_count() == 0) {
            return Ok(self.values.slice(whole.start, whole.len()));
        }
        let runs = self.runs();
        match runs.as_slice() {
            [] => Ok(self.values.slice(0, 0)),
            [run] => Ok(self.values.slice(run.start, run.len())),
            runs => {
                let data = self.values.to_data();
                let mut out = MutableArrayData::new(vec![&data], false, runs.iter().map(Range::len).sum());
                for run in runs {
                    out.try_extend(0, run.start, run.end)?;
                }
                Ok(make_array(out.freeze()))
            }
        }
    }

    /// Returns the ranges of the lists that are not null, with those joined that follow each other.
    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for range in self.ranges().filter(|range| !range.is_empty()) {
            match runs.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => runs.push(range),
            }
        }
        runs
    }

    /// Returns the number of elements in all lists that are not null.
    pub(crate) fn count(&self) -> usize {
        match self.nulls {
            None => self.whole().len(),
            Some(_) => self.ranges().map(|range| range.len()).sum(),
        }
    }
}

/// Returns an empty vector with room for `len` items.
pub(crate) fn with_room<T>(len: usize) -> Result<Vec<T>, Error> {
    let mut items = Vec::new();
    match items.try_reserve_exact(len) {
        Ok(()) => Ok(items),
        Err(error) => {
            Err(Error::new(Kind::Overflow, format!("no room for {}", Count::of(len, "item"))).because(error))
        }
    }
}

/// Returns a count as an index of 64 bits, which every length of an array fits.
pub(crate) fn int64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
