//! Operations on arrays and maps of which some items are wanted, or the same items for several groups of columns.

use super::check;
use super::items::check_size;
use super::op::{Filter, Group, Op, Picks, Select};
use super::run::DatumRun;
use super::slot::Operand;
use crate::Result;
use crate::buffers::Offset;
use crate::datum::SkipFields;

impl<'d, O: Offset> DatumRun<'_, 'd, O> {
    /// Runs the operations of an array or a map of which some items are wanted.
    #[inline(never)]
    pub(super) fn picks(&mut self, picks: &'d Picks, mut at: usize) -> Result<usize> {
        let total = if picks.from_end { self.count(picks, at)? } else { 0 };
        for group in &picks.groups {
            self.stores.counters[group.counter] = 0;
        }
        let mut number = 0_u64;
        loop {
            let (count, size, start) = self.bytes.item_block(at, picks.least)?;
            at = start;
            if count == 0 {
                break;
            }
            if picks.all {
                self.claim(count, picks.least)?;
            }
            let end = number.saturating_add(count);
            if let [group @ Group { select: Select::Filter(filter), entry_keys, .. }] = &*picks.groups
                && !picks.is_map
                && entry_keys.is_empty()
            {
                let passed;
                (passed, at) = self.sifted(filter, &group.op, &picks.item, (number, end), at)?;
                self.stores.counters[group.counter] += passed;
                number = end;
            }
            while number < end {
                if !picks.all {
                    // Straight to the next item of a wanted number.
                    let wanted = next_index(picks, number, total).min(end);
                    at = self.pass_over(picks, wanted - number, at)?;
                    number = wanted;
                    if number == end {
                        break;
                    }
                }
                let item = self.item(picks, number, total, at);
                at = item.map_err(|error| error.within(&format!("[{number}]")))?;
                number += 1;
            }
            check_size(self.bytes, size, start, at)?;
        }
        for group in &picks.groups {
            let count = self.stores.counters[group.counter];
            for &ends in &group.ends {
                self.stores.ends[ends].push(usize::try_from(count).unwrap_or(usize::MAX));
            }
            if count == 0 {
                self.fill(&group.absent);
            }
        }
        Ok(at)
    }

    /// Appends the items of a block of an array that pass one filter. Returns their number, and the end of the block.
    #[inline(never)]
    fn sifted(
        &mut self,
        filter: &'d Filter,
        op: &'d Op,
        item: &SkipFields,
        (first, end): (u64, u64),
        mut at: usize,
    ) -> Result<(u64, usize)> {
        let mut passed = 0;
        for number in first..end {
            let after = match self.passes(filter, &[], at) {
                Ok((true, _)) => {
                    passed += 1;
                    self.present(op, at)
                }
                Ok((false, Some(after))) => Ok(after),
                Ok((false, None)) => item.skip(self.bytes, at),
                Err(error) => Err(error),
            };
            at = match after {
                Ok(after) => after,
                Err(error) => return Err(error.within(&format!("[{number}]"))),
            };
        }
        Ok((passed, at))
    }

    /// Runs the operation of each group that wants an item.
    fn item(&mut self, picks: &'d Picks, number: u64, total: u64, at: usize) -> Result<usize> {
        let (key, start) = match (picks.is_map, picks.reads_keys) {
            (false, _) => (&[][..], at),
            (true, false) => self.bytes.bytes(at)?,
            (true, true) => self.bytes.text(at).map(|(key, start)| (key.as_bytes(), start))?,
        };
        let mut end = None;
        for group in &picks.groups {
            let is_wanted = match &group.select {
                Select::All => true,
                Select::Index(index) => resolved(*index, total) == Some(number),
                // The first of several entries of a key counts.
                Select::Key(wanted) => **wanted == *key && self.stores.counters[group.counter] == 0,
                Select::Filter(filter) => {
                    let (passes, behind) = self.passes(filter, key, start)?;
                    end = end.or(behind);
                    passes
                }
            };
            if is_wanted {
                self.stores.counters[group.counter] += 1;
                for &binary in &group.entry_keys {
                    self.stores.binaries[binary].push_bytes(key);
                }
                end = Some(self.present(&group.op, start)?);
            }
        }
        match end {
            Some(end) => Ok(end),
            None => picks.item.skip(self.bytes, start),
        }
    }

    /// Returns whether an item passes tests, before anything else is read of it, and its end if that is known then.
    /// `key` is that of the entry, if it has one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn passes(&mut self, filter: &'d Filter, key: &[u8], at: usize) -> Result<(bool, Option<usize>)> {
        for &slot in &filter.entry_keys {
            self.stores.slots[slot].set(&Operand::Bytes(key));
        }
        let end = match &filter.probe {
            None => None,
            Some(probe) => {
                for &slot in &filter.slots {
                    self.stores.slots[slot].set(&Operand::Null);
                }
                // What is tested is kept nowhere.
                let items_left = self.items_left;
                let end = self.present(probe, at)?;
                self.items_left = items_left;
                Some(end)
            }
        };
        if !filter.tests.iter().all(|test| test.passes(&self.stores.slots)) {
            return Ok((false, end));
        }
        check::passes(&filter.checks, &self.stores.slots, self.bytes, at)
    }

    /// Passes over `count` items, at once where their width is known.
    fn pass_over(&self, picks: &Picks, count: u64, mut at: usize) -> Result<usize> {
        if let (Some(width), false) = (picks.width, picks.is_map) {
            let bytes = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(width);
            return self.bytes.fixed(at, bytes).map(|(_, at)| at);
        }
        for _ in 0..count {
            if picks.is_map {
                at = self.bytes.skip_sized(at, 0)?;
            }
            at = picks.item.skip(self.bytes, at)?;
        }
        Ok(at)
    }

    /// Returns the number of all items of an array or a map that begins at an offset.
    fn count(&self, picks: &Picks, mut at: usize) -> Result<u64> {
        let mut total = 0_u64;
        loop {
            let (count, size, start) = self.bytes.item_block(at, picks.least)?;
            if count == 0 {
                return Ok(total);
            }
            total = total.saturating_add(count);
            at = match size {
                Some(size) => self.bytes.fixed(start, size)?.1,
                None => self.pass_over(picks, count, start)?,
            };
        }
    }
}

/// Returns the index of an item from the beginning; `None` if it would be before the first.
fn resolved(index: i64, total: u64) -> Option<u64> {
    u64::try_from(index).ok().or_else(|| total.checked_sub(index.unsigned_abs()))
}

/// Returns the first index at or after this one whose item is wanted.
fn next_index(picks: &Picks, number: u64, total: u64) -> u64 {
    let indices = picks.groups.iter().filter_map(|group| match group.select {
        Select::Index(index) => resolved(index, total),
        _ => None,
    });
    indices.filter(|&index| index >= number).min().unwrap_or(u64::MAX)
}
