//! Operations on the items of arrays and the entries of maps.

use std::ops::Range;

use super::batch_budget::{claim, claim_empty};
use super::op::{Items, Op, RecordStep};
use super::run::DatumRun;
use super::same::strings;
use super::stores::Stores;
use crate::buffers::Offset;
use crate::datum::{At, DatumReader, ItemBlock};
use crate::{Error, Result};

impl<'d, O: Offset> DatumRun<'_, 'd, O> {
    #[inline(never)]
    pub(super) fn items(&mut self, items: &'d Items, at: usize) -> Result<usize> {
        match *items.steps {
            [RecordStep { op: Op::Long(values), name: None }] => {
                self.number_items(items, at, |stores, count, bytes, at| {
                    stores.values[values].push_longs(count, bytes, at)
                })
            }
            [RecordStep { op: Op::Int(values), name: None }] => {
                self.number_items(items, at, |stores, count, bytes, at| {
                    stores.values[values].push_ints(count, bytes, at)
                })
            }
            [RecordStep { op: Op::Float(values), name: None }] => {
                self.number_items(items, at, |stores, count, bytes, at| {
                    stores.values[values].push_fixed::<4>(count, bytes, at)
                })
            }
            [RecordStep { op: Op::Double(values), name: None }] => {
                self.number_items(items, at, |stores, count, bytes, at| {
                    stores.values[values].push_fixed::<8>(count, bytes, at)
                })
            }
            _ => self.step_items(items, at),
        }
    }

    #[inline(never)]
    fn step_items(&mut self, items: &'d Items, at: usize) -> Result<usize> {
        let block = self.bytes.item_block(at, items.least)?;
        self.claim(block.0, items.least)?;
        self.more_items(items, block, 0, block.2)
    }

    /// Appends an array of numbers, which have at least one byte each. `append` takes their number, the bytes and the
    /// offset of the first. It returns how many it has appended and the offset of the next one.
    #[inline(never)]
    fn number_items(
        &mut self,
        items: &'d Items,
        at: usize,
        append: impl FnOnce(&mut Stores<O>, u64, At<'d>, usize) -> (u64, usize),
    ) -> Result<usize> {
        let block = self.bytes.item_block(at, items.least)?;
        let (count, size, start) = block;
        claim(&mut self.items_left, count)?;
        let (appended, end) = append(self.stores, count, self.bytes, start);
        let is_last = count == 0 || self.bytes.0.get(end) == Some(&0);
        if size.is_none() && appended == count && is_last {
            self.end_list(items, usize::try_from(count).unwrap_or(usize::MAX));
            return Ok(end + usize::from(count > 0));
        }
        self.more_number_items(items, block, appended, end)
    }

    #[inline(never)]
    fn more_number_items(
        &mut self,
        items: &'d Items,
        block: (u64, Option<usize>, usize),
        appended: u64,
        at: usize,
    ) -> Result<usize> {
        self.more_items(items, block, appended, at)
    }

    /// Appends the rest of a block whose first `appended` items are done, and the blocks after it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn more_items(
        &mut self,
        items: &'d Items,
        (mut count, mut size, mut start): (u64, Option<usize>, usize),
        mut appended: u64,
        mut at: usize,
    ) -> Result<usize> {
        let mut total = 0_usize;
        while count > 0 {
            at = self.block(items, appended..count, total, at)?;
            check_size(self.bytes, size, start, at)?;
            total = total.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
            (count, size, start) = self.bytes.item_block(at, items.least)?;
            self.claim(count, items.least)?;
            (appended, at) = (0, start);
        }
        self.end_list(items, total);
        Ok(at)
    }

    /// Appends an array of strings, which have at least one byte each.
    #[inline(never)]
    pub(super) fn string_items(&mut self, items: &'d Items, texts: usize, at: usize) -> Result<usize> {
        let block = self.bytes.item_block(at, items.least)?;
        let (count, size, start) = block;
        claim(&mut self.items_left, count)?;
        let (appended, end) = self.stores.binaries[texts].push_shorts(count, self.bytes, start);
        let is_last = count == 0 || self.bytes.0.get(end) == Some(&0);
        if size.is_none() && appended == count && is_last {
            self.end_list(items, usize::try_from(count).unwrap_or(usize::MAX));
            return Ok(end + usize::from(count > 0));
        }
        self.more_string_items(items, texts, block, appended, end)
    }

    /// Appends the rest of a block whose first `appended` strings are done, and the blocks after it.
    #[inline(never)]
    fn more_string_items(
        &mut self,
        items: &'d Items,
        texts: usize,
        (mut count, mut size, mut start): (u64, Option<usize>, usize),
        mut appended: u64,
        mut at: usize,
    ) -> Result<usize> {
        let mut total = 0_usize;
        while count > 0 {
            let texts = &mut self.stores.binaries[texts];
            at = match strings(texts, appended..count, self.bytes, at) {
                Ok(at) => at,
                Err((number, error)) => return Err(in_item(total, number, error)),
            };
            check_size(self.bytes, size, start, at)?;
            total = total.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
            (count, size, start) = self.bytes.item_block(at, items.least)?;
            claim(&mut self.items_left, count)?;
            (appended, at) = (0, start);
        }
        self.end_list(items, total);
        Ok(at)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_list(&mut self, items: &Items, length: usize) {
        self.stores.ends[items.ends].push(length);
        for &ends in &items.more_ends {
            self.stores.ends[ends].push(length);
        }
    }

    /// Counts items of at least `least` bytes against the limits.
    #[inline]
    pub(super) fn claim(&mut self, count: u64, least: usize) -> Result<()> {
        claim(&mut self.items_left, count)?;
        if least == 0 { claim_empty(&mut self.empty_left, count) } else { Ok(()) }
    }

    /// Runs the steps for the items of these numbers of a block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn block(
        &mut self,
        items: &'d Items,
        numbers: Range<u64>,
        before: usize,
        mut at: usize,
    ) -> Result<usize> {
        if items.steps.is_empty() {
            return Ok(at);
        }
        for number in numbers {
            at = match self.steps(&items.steps, at) {
                Ok(at) => at,
                Err(error) => return Err(in_item(before, number, error)),
            };
        }
        Ok(at)
    }
}

/// Checks that the items of a block have the number of bytes that the block claims.
#[inline]
pub(super) fn check_size(bytes: At<'_>, claimed: Option<usize>, start: usize, end: usize) -> Result<()> {
    match claimed {
        Some(claimed) if claimed != end - start => {
            let block = ItemBlock { count: 1, bytes: Some(claimed) };
            block.check_size(&DatumReader::at(bytes.0, end), start)
        }
        _ => Ok(()),
    }
}

/// Adds the number of the item to an error in it; `before` are the items of earlier blocks.
#[cold]
#[inline(never)]
fn in_item(before: usize, number: u64, error: Error) -> Error {
    error.within(&format!("[{}]", (before as u64).saturating_add(number)))
}
