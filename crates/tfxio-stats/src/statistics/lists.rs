//! Lists of all types, taken apart level by level.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, UInt64Array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use arrow_select::take::take;
use tfxio_base::Result;

/// The lists of an array, and the values in them. Lists that are null have no values.
pub(super) struct Lists {
    ends: Ends,
    nulls: Option<NullBuffer>,
    pub(super) values: ArrayRef,
}

enum Ends {
    Narrow(ScalarBuffer<i32>),
    Wide(ScalarBuffer<i64>),
    /// The length of each list, and their number.
    Fixed(usize, usize),
}

impl Lists {
    /// Takes a level of lists apart; nothing, if the array has none.
    pub(super) fn of(array: &ArrayRef) -> Result<Option<Self>> {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        let (ends, values) = match array.data_type() {
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                (Ends::Narrow(lists.offsets().inner().clone()), Arc::clone(lists.values()))
            }
            DataType::LargeList(_) => {
                let lists = array.as_list::<i64>();
                (Ends::Wide(lists.offsets().inner().clone()), Arc::clone(lists.values()))
            }
            DataType::Map(..) => {
                let maps = array.as_map();
                (Ends::Narrow(maps.offsets().inner().clone()), Arc::new(maps.entries().clone()) as ArrayRef)
            }
            DataType::FixedSizeList(_, length) => {
                let length = usize::try_from(*length).unwrap_or(0);
                (Ends::Fixed(length, array.len()), Arc::clone(array.as_fixed_size_list().values()))
            }
            _ => return Ok(None),
        };
        let mut lists = Self { ends, nulls, values };
        if lists.has_values_of_nulls() {
            lists.drop_values_of_nulls()?;
        } else {
            let (first, last) = (lists.start(0), lists.start(lists.len()));
            if (first, last) != (0, lists.values.len()) {
                lists.values = lists.values.slice(first, last - first);
            }
        }
        Ok(Some(lists))
    }

    pub(super) fn len(&self) -> usize {
        match &self.ends {
            Ends::Narrow(offsets) => offsets.len().saturating_sub(1),
            Ends::Wide(offsets) => offsets.len().saturating_sub(1),
            Ends::Fixed(_, count) => *count,
        }
    }

    pub(super) fn non_missing(&self) -> usize {
        self.len().saturating_sub(self.nulls.as_ref().map_or(0, NullBuffer::null_count))
    }

    fn is_valid(&self, row: usize) -> bool {
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
    }

    /// Returns where a list starts in the array that was taken apart.
    #[inline]
    fn start(&self, row: usize) -> usize {
        match &self.ends {
            Ends::Narrow(offsets) => offsets.get(row).map_or(0, |offset| *offset as usize),
            Ends::Wide(offsets) => offsets.get(row).map_or(0, |offset| *offset as usize),
            Ends::Fixed(length, _) => length.saturating_mul(row),
        }
    }

    /// Returns where a list starts in [`values`](Self::values).
    #[inline]
    pub(super) fn first(&self, row: usize) -> usize {
        self.start(row).saturating_sub(self.start(0))
    }

    #[inline]
    fn length(&self, row: usize) -> usize {
        self.start(row + 1).saturating_sub(self.start(row))
    }

    fn has_values_of_nulls(&self) -> bool {
        let Some(nulls) = &self.nulls else { return false };
        let mut at = 0;
        for (start, end) in nulls.valid_slices() {
            if self.start(at) != self.start(start) {
                return true;
            }
            at = end;
        }
        self.start(at) != self.start(self.len())
    }

    fn drop_values_of_nulls(&mut self) -> Result<()> {
        let (mut offsets, mut kept) = (vec![0i64], Vec::new());
        for row in 0..self.len() {
            if self.is_valid(row) {
                kept.extend((self.start(row)..self.start(row + 1)).map(|value| value as u64));
            }
            offsets.push(kept.len() as i64);
        }
        self.values = take(&self.values, &UInt64Array::from(kept), None)?;
        self.ends = Ends::Wide(offsets.into());
        Ok(())
    }

    /// Returns the length of all lists that are not null, if they have the same.
    pub(super) fn only_length(&self) -> Option<u64> {
        let lists = self.non_missing();
        let length = match &self.ends {
            Ends::Fixed(length, _) => return Some(*length as u64),
            _ if lists == 0 => return None,
            _ => self.values.len() / lists,
        };
        // Bits of lengths, which are faster to gather than the largest one. None is longer than the number of all their bits, and all
        // are together as long as if none were shorter.
        let bits = match &self.ends {
            Ends::Narrow(offsets) => offsets.windows(2).fold(0, |bits, pair| match pair {
                [start, end] => bits | end.wrapping_sub(*start),
                _ => bits,
            }) as usize,
            Ends::Wide(offsets) => offsets.windows(2).fold(0, |bits, pair| match pair {
                [start, end] => bits | end.wrapping_sub(*start),
                _ => bits,
            }) as usize,
            Ends::Fixed(length, _) => *length,
        };
        (bits == length && length.checked_mul(lists) == Some(self.values.len())).then_some(length as u64)
    }

    /// Calls a function with the row and the length of each list that is not null.
    pub(super) fn for_each(&self, mut each: impl FnMut(usize, u64)) {
        for row in (0..self.len()).filter(|row| self.is_valid(*row)) {
            each(row, self.length(row) as u64);
        }
    }

    /// Returns the row of each value: that of its list, which is given or its own number.
    pub(super) fn rows(&self, rows: Option<&[usize]>) -> Vec<usize> {
        let mut spread = Vec::with_capacity(self.values.len());
        for list in 0..self.len() {
            let row = rows.map_or(list, |rows| rows.get(list).copied().unwrap_or_default());
            spread.extend(std::iter::repeat_n(row, self.length(list)));
        }
        spread
    }

    /// Returns the weight of each value: that of its list.
    pub(super) fn spread(&self, weights: &[f64]) -> Vec<f64> {
        let mut spread = Vec::with_capacity(self.values.len());
        for (row, weight) in weights.iter().enumerate().take(self.len()) {
            spread.extend(std::iter::repeat_n(*weight, self.length(row)));
        }
        spread
    }
}
