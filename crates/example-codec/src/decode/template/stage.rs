//! Staged values: the values of a few rows, near each other, until they are appended to their columns.
//!
//! A batch has a buffer or three for each column, more than the processor has near at hand; writing a value to each in
//! turn, it would wait for nearly every one of them.

use super::step::Form;
use crate::FeatureKind;
use crate::decode::column::{Column, Ones, Row};
use crate::decode::store::Offset;
use crate::decode::values::prefix_varint;

/// The longest byte string that is staged.
pub(super) const SHORT: usize = 16;
/// About the bytes that are staged at most.
const STAGED: usize = 1 << 18;

/// Values of all columns. There is room for [`rows`](Self::rows) of each.
#[derive(Default)]
pub(super) struct Stage {
    /// Integers, the bits of floats, and the end offsets of byte strings.
    values: Vec<u64>,
    data: Vec<u8>,
    /// Number of rows that are staged, a power of two up to 64.
    pub(super) rows: usize,
}

/// The values of one column.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StagedColumn {
    /// The bits of the rows that have a value, of the current 64.
    pub(super) present: u64,
    /// Index of the first value.
    start: u32,
    /// End offset of the bytes.
    end: u32,
}

impl Stage {
    /// Makes room for the values of that number of columns.
    pub(super) fn new(columns: usize) -> Self {
        let rows = STAGED / (SHORT * columns.max(1));
        let rows = rows.clamp(8, 64);
        let rows = 1 << rows.ilog2();
        Self { values: vec![0; columns * rows], data: vec![0; columns * rows * SHORT], rows }
    }

    /// Returns the number of columns for which there is room.
    pub(super) fn columns(&self) -> usize {
        self.values.len().checked_div(self.rows).unwrap_or(0)
    }

    /// Returns the column of a number, empty.
    pub(super) fn column(&self, number: usize) -> StagedColumn {
        let start = number * self.rows;
        StagedColumn { present: 0, start: start as u32, end: (start * SHORT) as u32 }
    }

    /// Returns the memory of all columns.
    #[inline(always)]
    pub(super) fn room(&mut self) -> Room<'_> {
        Room { values: &mut self.values, data: &mut self.data }
    }

    /// Takes back the value of the last row, if it has one.
    pub(super) fn take_back(&self, staged: &mut StagedColumn, form: Form, row: Row) {
        if !staged.has(row) {
            return;
        }
        staged.present &= !row.bit();
        if form != Form::Bytes {
            return;
        }
        let last = staged.values(&self.values).last();
        staged.end = last.map_or(staged.data() as u32, |end| *end as u32);
    }
}

impl Stage {
    /// Returns the staged values and bytes.
    pub(super) fn staged(&self) -> (&[u64], &[u8]) {
        (&self.values, &self.data)
    }
}

impl StagedColumn {
    /// Returns whether a value of the row is staged.
    #[inline(always)]
    pub(super) fn has(&self, row: Row) -> bool {
        self.present & row.bit() != 0
    }

    /// Appends all values to their column.
    #[inline]
    pub(super) fn drain<O: Offset>(
        &mut self,
        (values, data): (&[u64], &[u8]),
        kind: FeatureKind,
        column: &mut Column<O>,
        row: Row,
    ) {
        if self.present == 0 {
            return;
        }
        let start = self.data();
        let data = data.get(start..self.end as usize).unwrap_or_default();
        column
            .append_ones(row, Ones { kind, present: self.present, values: self.values(values), data, start });
        self.present = 0;
        self.end = start as u32;
    }

    /// Returns the start offset of the bytes.
    fn data(&self) -> usize {
        self.start as usize * SHORT
    }

    fn values<'a>(&self, all: &'a [u64]) -> &'a [u64] {
        let start = self.start as usize;
        all.get(start..start + self.present.count_ones() as usize).unwrap_or_default()
    }
}

/// The memory of all columns.
pub(super) struct Room<'a> {
    pub(super) values: &'a mut [u64],
    pub(super) data: &'a mut [u8],
}

/// Masks of one form that select the staged word of a single value.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Staging {
    /// The number of a varint.
    int: u64,
    /// The bits of a float.
    bits: u64,
    /// The end offset of a byte string.
    end: u64,
}

impl Staging {
    /// By the number of the form.
    pub(super) const ALL: [Self; 8] = {
        let mut forms = [Self { int: 0, bits: 0, end: 0 }; 8];
        forms[Form::Int as usize].int = u64::MAX;
        forms[Form::Float as usize].bits = u64::MAX;
        forms[Form::Bytes as usize].end = u64::MAX;
        forms
    };
}

impl Room<'_> {
    /// Stages the first `length` bytes of `value` in the form of `staging`, by the same instructions for all forms. Returns
    /// whether they are one value, and the row had none.
    #[inline(always)]
    pub(super) fn push_any(
        &mut self,
        staged: &mut StagedColumn,
        row: Row,
        staging: &Staging,
        value: &[u8; SHORT],
        length: u8,
        gather: impl Fn(u64) -> u64,
    ) -> bool {
        let word = u64::from_le_bytes(*value.first_chunk().unwrap_or(&[0; 8]));
        let (int, bits) = prefix_varint(word, gather);
        let wrong = (bits ^ (8 * u64::from(length))) & staging.int;
        if wrong | (staged.present & row.bit()) != 0 {
            return false;
        }
        let end = staged.end as usize;
        let at = staged.start as usize + staged.present.count_ones() as usize;
        let Some(data) = self.data.get_mut(end..end + SHORT).and_then(|room| room.first_chunk_mut()) else {
            return false;
        };
        let Some(slot) = self.values.get_mut(at) else { return false };
        *data = *value;
        let end = end as u64 + (u64::from(length) & staging.end);
        *slot = (int & staging.int) | (word & staging.bits) | (end & staging.end);
        staged.end = end as u32;
        staged.present |= row.bit();
        true
    }

    /// Stages the value of a row; returns whether there was room.
    #[inline(always)]
    pub(super) fn push(&mut self, staged: &mut StagedColumn, row: Row, value: u64) -> bool {
        let at = staged.start as usize + staged.present.count_ones() as usize;
        let Some(slot) = self.values.get_mut(at) else { return false };
        *slot = value;
        staged.present |= row.bit();
        true
    }

    /// Does the same for the first `length` bytes of `value`.
    #[inline(always)]
    pub(super) fn push_bytes(
        &mut self,
        staged: &mut StagedColumn,
        row: Row,
        value: &[u8; SHORT],
        length: usize,
    ) -> bool {
        let at = staged.end as usize;
        let room = self.data.get_mut(at..at + SHORT).and_then(|room| room.first_chunk_mut());
        let Some(room) = room.filter(|_| length <= SHORT) else { return false };
        *room = *value;
        staged.end += length as u32;
        self.push(staged, row, u64::from(staged.end))
    }
}
