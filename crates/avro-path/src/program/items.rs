//! Arrays and maps of which some items are wanted, or the same items for several groups of columns.

use super::check;
use super::filter::Slot;
use super::run::Run;
use super::tree::{Filter, Group, Items, Node, Select};
use crate::Result;
use crate::buffers::Offset;
use crate::datum::SkipFields;
use crate::walk::{check_size, claim, claim_empty};

impl<O: Offset> Run<'_, '_, O> {
    /// An array or a map.
    #[inline(never)]
    pub(super) fn items(&mut self, items: &Items, mut at: usize) -> Result<usize> {
        let total = if items.from_end { self.count(items, at)? } else { 0 };
        for group in &items.groups {
            if let Select::Key { found, .. } = group.select {
                self.found[found] = false;
            }
        }
        let mut number = 0_u64;
        loop {
            let (count, size, start) = self.bytes.item_block(at, items.least)?;
            at = start;
            if count == 0 {
                break;
            }
            if items.all {
                claim(&mut self.items_left, count)?;
                if items.least == 0 {
                    claim_empty(&mut self.empty_left, count)?;
                }
            }
            let end = number.saturating_add(count);
            if let [Group { select: Select::Filter(filter), node, entry_keys, .. }] = &*items.groups
                && !items.is_map
                && entry_keys.is_empty()
            {
                at = self.sifted(filter, node, &items.item, (number, end), at)?;
                number = end;
            }
            while number < end {
                if !items.all {
                    // Straight to the next item of a wanted number.
                    let wanted = next_index(items, number, total).min(end);
                    at = self.pass_over(items, wanted - number, at)?;
                    number = wanted;
                    if number == end {
                        break;
                    }
                }
                let item = self.item(items, number, total, at);
                at = item.map_err(|error| error.within(&format!("[{number}]")))?;
                number += 1;
            }
            check_size(self.bytes, size, start, at)?;
        }
        for group in &items.groups {
            let is_missing = match group.select {
                Select::All | Select::Filter(_) => {
                    for &column in &group.columns {
                        self.columns[column].close_list(items.level);
                    }
                    false
                }
                Select::Index(index) => resolved(index, total).is_none_or(|index| index >= number),
                Select::Key { found, .. } => !self.found[found],
            };
            if is_missing {
                self.missing(&group.columns, items.level);
            }
        }
        Ok(at)
    }

    /// The items of a block of an array that pass one filter.
    #[inline(never)]
    fn sifted(
        &mut self,
        filter: &Filter,
        node: &Node,
        item: &SkipFields,
        (first, end): (u64, u64),
        mut at: usize,
    ) -> Result<usize> {
        for number in first..end {
            let after = match self.passes(filter, 0, at) {
                Ok((true, _)) => self.node(node, at),
                Ok((false, Some(after))) => Ok(after),
                Ok((false, None)) => item.skip(self.bytes, at),
                Err(error) => Err(error),
            };
            at = match after {
                Ok(after) => after,
                Err(error) => return Err(error.within(&format!("[{number}]"))),
            };
        }
        Ok(at)
    }

    /// One item, for each group that wants it.
    fn item(&mut self, items: &Items, number: u64, total: u64, at: usize) -> Result<usize> {
        let (key, start) = match (items.is_map, items.reads_keys) {
            (false, _) => (&[][..], at),
            (true, false) => self.bytes.bytes(at)?,
            (true, true) => self.bytes.text(at).map(|(key, start)| (key.as_bytes(), start))?,
        };
        let mut end = None;
        for group in &items.groups {
            let is_wanted = match &group.select {
                Select::All => true,
                Select::Index(index) => resolved(*index, total) == Some(number),
                Select::Key { key: wanted, found } => {
                    // The first of several entries of a key counts.
                    let is_first = **wanted == *key && !self.found[*found];
                    self.found[*found] |= is_first;
                    is_first
                }
                Select::Filter(filter) => {
                    let (passes, behind) = self.passes(filter, key.len(), start)?;
                    end = end.or(behind);
                    passes
                }
            };
            if is_wanted {
                for &column in &group.entry_keys {
                    self.columns[column].push_bytes(key);
                }
                end = Some(self.node(&group.node, start)?);
            }
        }
        match end {
            Some(end) => Ok(end),
            None => items.item.skip(self.bytes, start),
        }
    }

    /// Whether an item passes tests, before anything else is read of it, and where it ends if that is known then. The key of
    /// the entry, if it has one, has so many bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn passes(&mut self, filter: &Filter, key: usize, at: usize) -> Result<(bool, Option<usize>)> {
        for &slot in &filter.entry_keys {
            self.slots[slot] = Slot::Bytes(at - key, at);
        }
        let end = match &filter.probe {
            None => None,
            Some(probe) => {
                for &slot in &filter.slots {
                    self.slots[slot] = Slot::Null;
                }
                // What is tested is kept nowhere.
                let items_left = self.items_left;
                let end = self.node(probe, at)?;
                self.items_left = items_left;
                Some(end)
            }
        };
        if !filter.tests.iter().all(|test| test.passes(self.slots, self.bytes)) {
            return Ok((false, end));
        }
        check::passes(&filter.checks, self.slots, self.bytes, at)
    }

    /// Passes over so many items, at once where their width is known.
    fn pass_over(&self, items: &Items, count: u64, mut at: usize) -> Result<usize> {
        if let (Some(width), false) = (items.width, items.is_map) {
            let bytes = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(width);
            return self.bytes.fixed(at, bytes).map(|(_, at)| at);
        }
        for _ in 0..count {
            if items.is_map {
                at = self.bytes.skip_sized(at, 0)?;
            }
            at = items.item.skip(self.bytes, at)?;
        }
        Ok(at)
    }

    /// The number of all items of an array or a map that begins there.
    fn count(&self, items: &Items, mut at: usize) -> Result<u64> {
        let mut total = 0_u64;
        loop {
            let (count, size, start) = self.bytes.item_block(at, items.least)?;
            if count == 0 {
                return Ok(total);
            }
            total = total.saturating_add(count);
            at = match size {
                Some(size) => self.bytes.fixed(start, size)?.1,
                None => self.pass_over(items, count, start)?,
            };
        }
    }
}

/// The number of an item from the beginning; `None` where it would be before the first.
fn resolved(index: i64, total: u64) -> Option<u64> {
    u64::try_from(index).ok().or_else(|| total.checked_sub(index.unsigned_abs()))
}

/// The first number at or after this one of which an index wants the item.
fn next_index(items: &Items, number: u64, total: u64) -> u64 {
    let indices = items.groups.iter().filter_map(|group| match group.select {
        Select::Index(index) => resolved(index, total),
        _ => None,
    });
    indices.filter(|&index| index >= number).min().unwrap_or(u64::MAX)
}
