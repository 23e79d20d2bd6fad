//! Columns while they grow. Rows without a value are filled in when the next one comes, or at the end.

use super::buf::Buf;
use crate::plan::{Shape, SlotSpec, Store};

/// The values of a field at one path.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// Offsets of lists: 0, and the end of each row.
    pub(crate) ends: Buf<i64>,
    /// Validity of the rows of columns without lists; for a message, its length is the number of rows.
    pub(crate) valid: Buf<u8>,
    pub(crate) bools: Buf<u8>,
    pub(crate) bits32: Buf<u32>,
    pub(crate) bits64: Buf<u64>,
    /// Offsets of bytes: 0, and the end of each value.
    pub(crate) byte_ends: Buf<i64>,
    pub(crate) bytes: Buf<u8>,
}

impl Slot {
    pub(crate) fn new(spec: &SlotSpec) -> Self {
        let mut slot = Self::default();
        slot.begin(spec);
        slot
    }

    /// Appends the offsets before the first row.
    pub(crate) fn begin(&mut self, spec: &SlotSpec) {
        if spec.shape.is_list() {
            self.ends.push(0);
        }
        if spec.store == Store::Bytes {
            self.byte_ends.push(0);
        }
    }

    /// Returns the number of rows that are filled in.
    #[inline(always)]
    pub(crate) fn rows(&self, spec: &SlotSpec) -> usize {
        if spec.shape.is_list() { self.ends.len().saturating_sub(1) } else { self.valid.len() }
    }

    /// Returns the number of rows of the message in the slot.
    #[inline(always)]
    pub(crate) fn items(&self, spec: &SlotSpec) -> usize {
        if spec.shape.is_list() { self.last_end() } else { self.valid.len() }
    }

    #[inline(always)]
    fn last_end(&self) -> usize {
        self.ends.last().map_or(0, |end| usize::try_from(end).unwrap_or(0))
    }

    /// Returns where a list begins.
    pub(crate) fn start(&self, row: usize) -> usize {
        self.ends.values().get(row).map_or(0, |start| usize::try_from(*start).unwrap_or(0))
    }

    /// Fills in rows without a value up to `rows`.
    #[inline(always)]
    pub(crate) fn pad(&mut self, spec: &SlotSpec, rows: usize) {
        let have = self.rows(spec);
        if have < rows {
            self.pad_more(spec, rows - have);
        }
    }

    #[inline(never)]
    fn pad_more(&mut self, spec: &SlotSpec, missing: usize) {
        let has_rows = matches!(spec.store, Store::Rows(_));
        if spec.shape.is_list() {
            let last = self.ends.last().unwrap_or(0);
            if spec.shape != Shape::ListOfOne || !spec.has_default || has_rows {
                return self.ends.push_n(last, missing);
            }
            (1..=missing as i64).for_each(|more| self.ends.push(last + more));
        } else {
            self.valid.push_n(u8::from(spec.has_default), missing);
        }
        match spec.store {
            Store::Bool => self.bools.push_n(spec.default_bits as u8, missing),
            Store::Bits32 => self.bits32.push_n(spec.default_bits as u32, missing),
            Store::Bits64 => self.bits64.push_n(spec.default_bits, missing),
            Store::Bytes if spec.default_bytes.is_empty() => {
                self.byte_ends.push_n(self.bytes.len() as i64, missing);
            }
            Store::Bytes => {
                for _ in 0..missing {
                    self.bytes.extend(&spec.default_bytes);
                    self.byte_ends.push(self.bytes.len() as i64);
                }
            }
            Store::Rows(_) => {}
        }
    }

    /// Begins the value of a row that has at most one; returns whether there is one already, which is to be replaced.
    #[inline(always)]
    pub(crate) fn begin_one(&mut self, spec: &SlotSpec, row: usize) -> bool {
        self.pad(spec, row);
        if self.rows(spec) > row {
            return true;
        }
        match spec.shape {
            Shape::One => self.valid.push(1),
            _ => self.ends.push(self.last_end() as i64 + 1),
        }
        false
    }

    /// Counts `count` more values of the list of a row.
    #[inline(always)]
    pub(crate) fn add_items(&mut self, spec: &SlotSpec, row: usize, count: usize) {
        self.pad(spec, row);
        let end = (self.last_end() + count) as i64;
        if self.rows(spec) > row { self.ends.set_last(end) } else { self.ends.push(end) }
    }

    /// Stores a number, as the last value or instead of it.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the bits of a narrow type")]
    pub(crate) fn store_bits(&mut self, store: Store, bits: u64, is_again: bool) {
        match (store, is_again) {
            (Store::Bits32, false) => self.bits32.push(bits as u32),
            (Store::Bits64, false) => self.bits64.push(bits),
            (Store::Bool, false) => self.bools.push(bits as u8),
            (Store::Bits32, true) => self.bits32.set_last(bits as u32),
            (Store::Bits64, true) => self.bits64.set_last(bits),
            (Store::Bool, true) => self.bools.set_last(bits as u8),
            (Store::Bytes | Store::Rows(_), _) => {}
        }
    }

    /// Stores bytes, as the last value or instead of it.
    #[inline(always)]
    pub(crate) fn store_bytes(&mut self, bytes: &[u8], is_again: bool) {
        if is_again {
            let count = self.byte_ends.len().saturating_sub(1);
            self.truncate_bytes(count.saturating_sub(1));
        }
        self.bytes.extend(bytes);
        self.byte_ends.push(self.bytes.len() as i64);
    }

    /// Stores bytes as a new value, or with `is_again` at the end of the last one.
    pub(crate) fn append_bytes(&mut self, bytes: &[u8], is_again: bool) {
        self.bytes.extend(bytes);
        let end = self.bytes.len() as i64;
        if is_again { self.byte_ends.set_last(end) } else { self.byte_ends.push(end) }
    }

    fn truncate_bytes(&mut self, count: usize) {
        let end = self.byte_ends.values().get(count).map_or(0, |end| usize::try_from(*end).unwrap_or(0));
        self.byte_ends.truncate(count + 1);
        self.bytes.truncate(end);
    }

    /// Forgets all rows after the first `rows`; returns the number of values, or of rows of the message, that are left.
    pub(crate) fn truncate(&mut self, spec: &SlotSpec, rows: usize) -> usize {
        let values = if spec.shape.is_list() {
            self.ends.truncate(rows + 1);
            self.last_end()
        } else {
            self.valid.truncate(rows);
            self.valid.len()
        };
        match spec.store {
            Store::Bool => self.bools.truncate(values),
            Store::Bits32 => self.bits32.truncate(values),
            Store::Bits64 => self.bits64.truncate(values),
            Store::Bytes => self.truncate_bytes(values),
            Store::Rows(_) => {}
        }
        values
    }
}
