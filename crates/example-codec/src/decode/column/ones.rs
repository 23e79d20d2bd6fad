//! Rows that a template has staged: one value each.

use super::{Column, Row, RowDivision};
use crate::FeatureKind;
use crate::decode::feature::Span;
use crate::decode::store::{Offset, Store, append_bytes, append_floats, append_ints};

/// Values of some rows of 64, one a row.
#[derive(Clone, Copy)]
pub(in crate::decode) struct Ones<'a> {
    pub(in crate::decode) kind: FeatureKind,
    /// The bits of the rows.
    pub(in crate::decode) present: u64,
    /// The values in the order of the rows: integers, the bits of floats, or the ends of byte strings.
    pub(in crate::decode) values: &'a [u64],
    /// The bytes of byte strings, and the offset that the first of them has for `values`.
    pub(in crate::decode) data: &'a [u8],
    pub(in crate::decode) start: usize,
}

impl<O: Offset> Column<O> {
    /// Returns the kind of the values so far, of this batch or of one before.
    #[inline(always)]
    pub(in crate::decode) fn kind(&self) -> Option<FeatureKind> {
        self.store.kind()
    }

    /// Returns whether rows so far have other than one value each.
    #[inline(always)]
    pub(in crate::decode) fn has_lists(&self) -> bool {
        self.rows == RowDivision::Offsets
    }

    /// Returns whether all rows have the same number of values.
    pub(in crate::decode) fn is_fixed(&self) -> bool {
        matches!(self.rows, RowDivision::Fixed(_))
    }

    /// Returns whether the row is not null.
    pub(in crate::decode) fn has(&self, row: Row) -> bool {
        self.valid.get(row.word()).is_some_and(|word| word & row.bit != 0)
    }

    /// Appends rows of one value each, of the 64 that `row` is one of. They come after all rows that were appended, and
    /// fit the offsets.
    #[inline(never)]
    pub(in crate::decode) fn append_ones(&mut self, row: Row, ones: Ones<'_>) {
        let Ones { kind, present, values, data, start } = ones;
        if self.store.kind() != Some(kind) {
            self.store = Store::new(kind);
            self.store.begin();
        }
        let before = self.store.len();
        match &mut self.store {
            Store::None => {}
            Store::Ints(to) => to.extend_from_slice(bytemuck::cast_slice(values)),
            Store::Floats(to) => {
                for (to, bits) in to.spare(values.len()).iter_mut().zip(values) {
                    *to = f32::from_bits(*bits as u32);
                }
                to.advance(values.len());
            }
            Store::Bytes(ends, to) => {
                let shift = to.len().wrapping_sub(start);
                to.extend_from_slice(data);
                for (to, end) in ends.spare(values.len()).iter_mut().zip(values) {
                    *to = O::usize_as((*end as usize).wrapping_add(shift));
                }
                ends.advance(values.len());
            }
        }
        let start = row.index & !63;
        match self.rows {
            RowDivision::OneEach => {}
            RowDivision::Fresh => self.rows = RowDivision::OneEach,
            RowDivision::Offsets | RowDivision::Fixed(_) => {
                let mut left = present;
                for value in 1..=values.len() {
                    self.fill_offsets(start + left.trailing_zeros() as usize);
                    self.offsets.push(O::usize_as(before + value));
                    self.filled += 1;
                    left &= left.wrapping_sub(1);
                }
            }
        }
        if self.typed.is_none() {
            let first = start + present.trailing_zeros() as usize;
            self.typed = Some(first);
            self.seen.get_or_insert(first);
        }
        if self.valid.len() <= row.word() {
            self.valid.resize(row.word() + 1, 0);
        }
        if let Some(word) = self.valid.get_mut(row.word()) {
            *word |= present;
        }
    }

    /// Appends a row of one value; returns whether it is one.
    #[inline(never)]
    pub(in crate::decode) fn append_one(
        &mut self,
        row: Row,
        kind: FeatureKind,
        bytes: &[u8],
        value: Span,
    ) -> bool {
        let before = self.store.len();
        let appended = match &mut self.store {
            Store::Ints(values) if kind == FeatureKind::Int64 => append_ints(values, bytes, value).is_ok(),
            Store::Floats(values) if kind == FeatureKind::Float => {
                append_floats(values, bytes, value).is_ok()
            }
            Store::Bytes(ends, data) if kind == FeatureKind::Bytes => {
                append_bytes(ends, data, bytes, value).is_ok()
            }
            _ => false,
        };
        let values = self.store.len().saturating_sub(before);
        if appended && values == 1 && self.end_row(row, values).is_ok() {
            return true;
        }
        self.store.truncate(before);
        false
    }
}
