//! Walks a datum's bytes, once, and appends its values.
//!
//! The offset in the bytes is handed from function to function instead of being kept in [`Run`]: so it stays in a
//! register, and finding the next value does not wait for memory. Builds without optimisation inline nothing: their
//! frames would be too large for deep schemas.

use super::held::{claim, claim_empty};
use super::op::{Branch, Chosen, Decimal, Entry, FieldDefault, Fill, Items, Keep, Nullable, Op, Step};
use super::read::{promoted, symbol};
use super::same::{string, strings};
use super::slot::Operand;
use super::stores::Stores;
use super::{Plan, value};
use crate::buffers::Offset;
use crate::datum::{At, DatumReader, ItemBlock};
use crate::resolution::Promotion;
use crate::{Error, Result};

/// What one datum is run with.
pub(super) struct Run<'r, 'd, O> {
    pub(super) bytes: At<'d>,
    pub(super) stores: &'r mut Stores<O>,
    /// List items that may still be appended.
    pub(super) items_left: u64,
    /// List items without bytes that may still be appended to the batch.
    pub(super) empty_left: u64,
}

impl<'d, O: Offset> Run<'_, 'd, O> {
    /// Appends a row, and returns where the datum ends.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn datum(&mut self, plan: &'d Plan) -> Result<usize> {
        if let Some(first) = &plan.first {
            // What filters read from an item is emptied before each.
            self.stores.slots.iter_mut().for_each(|slot| slot.set(&Operand::Null));
            self.present(first, 0)?;
        }
        match &plan.op {
            Op::Record(steps) => self.record(steps, 0),
            op => self.present(op, 0),
        }
    }

    /// Does what an operation says with the bytes from an offset on, and returns where they end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn op(&mut self, op: &'d Op, at: usize) -> Result<usize> {
        match op {
            Op::Long(values) => {
                let (found, at) = self.bytes.long(at)?;
                self.stores.values[*values].push(found);
                Ok(at)
            }
            Op::String(texts) => string(&mut self.stores.binaries[*texts], self.bytes, at),
            Op::Double(values) => {
                let (found, at) = self.bytes.double(at)?;
                self.stores.values[*values].push(found);
                Ok(at)
            }
            Op::Float(values) => {
                let (found, at) = self.bytes.float(at)?;
                self.stores.values[*values].push(found);
                Ok(at)
            }
            Op::Int(values) => {
                if let Some(found) = self.bytes.short_int(at) {
                    self.stores.values[*values].push(found);
                    return Ok(at + 1);
                }
                let (found, at) = self.bytes.int(at)?;
                self.stores.values[*values].push(found);
                Ok(at)
            }
            Op::Boolean(bits) => {
                let (found, at) = self.bytes.boolean(at)?;
                self.stores.bits[*bits].push(found);
                Ok(at)
            }
            Op::Nullable(nullable) => self.nullable(nullable, at),
            Op::Items(items) => self.items(items, at),
            Op::Record(steps) => self.record(steps, at),
            Op::Skip(skip) => skip.skip(self.bytes, at),
            Op::Same(same) => same.append(self.stores, self.bytes, at),
            other => self.rare(other, at),
        }
    }

    #[inline(never)]
    fn rare(&mut self, op: &'d Op, at: usize) -> Result<usize> {
        match op {
            Op::Nothing => Ok(at),
            Op::SkipSized => self.bytes.skip_sized(at, 0),
            Op::Bytes(binary) => {
                let (found, at) = self.bytes.bytes(at)?;
                self.stores.binaries[*binary].push_bytes(found);
                Ok(at)
            }
            Op::Fixed { values, size } => {
                let (found, at) = self.bytes.fixed(at, *size)?;
                self.stores.values[*values].extend(found);
                Ok(at)
            }
            Op::FixedBytes { binary, size } => {
                let (found, at) = self.bytes.fixed(at, *size)?;
                self.stores.binaries[*binary].push_bytes(found);
                Ok(at)
            }
            Op::Symbol { values, count } => {
                let (found, at) = self.bytes.index(at, *count)?;
                // A schema has fewer symbols than 2^31.
                self.stores.values[*values].push(found as i32);
                Ok(at)
            }
            Op::Renumbered(stored) => {
                let (found, at) = symbol(&stored.symbols, self.bytes, at)?;
                self.stores.values[stored.store].push(*found);
                Ok(at)
            }
            Op::SymbolText(stored) => {
                let (found, at) = symbol(&stored.symbols, self.bytes, at)?;
                self.stores.binaries[stored.store].push_text(found);
                Ok(at)
            }
            Op::Present(validity, op) => {
                self.stores.bits[*validity].push(true);
                self.op(op, at)
            }
            Op::Absent(fills) => {
                self.fill(fills);
                Ok(at)
            }
            Op::Branches(branches) => self.branches(branches, at),
            Op::Chosen(chosen) => self.chosen(chosen, at),
            Op::Picks(picks) => self.picks(picks, at),
            Op::Decimal(decimal) => self.decimal(decimal, at),
            Op::Uuid(values) => {
                let (text, end) = self.bytes.bytes(at)?;
                let bytes = value::uuid(text).map_err(|what| self.malformed(at, what))?;
                self.stores.values[*values].extend(&bytes);
                Ok(end)
            }
            Op::Duration(values) => {
                let (bytes, end) = self.bytes.fixed(at, 12)?;
                let duration = value::duration(bytes).map_err(|what| self.malformed(at, what))?;
                self.stores.values[*values].push(duration);
                Ok(end)
            }
            Op::Again(ops) => {
                let mut end = at;
                for op in ops {
                    end = self.op(op, at)?;
                }
                Ok(end)
            }
            Op::Default(default) => self.default(default, at),
            Op::Keep(keep) => self.keep(keep, at),
            Op::Promoted(promotion, values) => self.promoted(*promotion, *values, at),
            Op::Refuse(kind, what) => Err(Error::new(*kind, &**what).at_record_byte(at)),
            other => self.op(other, at),
        }
    }

    fn promoted(&mut self, promotion: Promotion, values: usize, at: usize) -> Result<usize> {
        let (found, end) = promoted(promotion, self.bytes, at)?;
        if promotion.is_to_float() {
            self.stores.values[values].push(found as f32);
        } else {
            self.stores.values[values].push(found);
        }
        Ok(end)
    }

    #[inline(never)]
    fn record(&mut self, steps: &'d [Step], at: usize) -> Result<usize> {
        self.steps(steps, at)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn steps(&mut self, steps: &'d [Step], mut at: usize) -> Result<usize> {
        for step in steps {
            if let Op::String(texts) = step.op
                && let Some(text) = self.bytes.short_text(at)
            {
                self.stores.binaries[texts].push_short(text);
                at += 1 + text.length();
                continue;
            }
            at = match self.op(&step.op, at) {
                Ok(at) => at,
                Err(error) => return Err(in_step(step, error)),
            };
        }
        Ok(at)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nullable(&mut self, nullable: &'d Nullable, at: usize) -> Result<usize> {
        let (number, at) = self.bytes.index(at, 2)?;
        if (number == 0) == nullable.null_first {
            self.fill(&nullable.absent);
            return Ok(at);
        }
        if let Some(validity) = nullable.validity {
            self.stores.bits[validity].push(true);
        }
        match self.present(&nullable.op, at) {
            Ok(at) => Ok(at),
            Err(error) => Err(in_branch(nullable.name.as_deref(), error)),
        }
    }

    /// Does the same as [`op`](Self::op), called.
    #[inline(never)]
    pub(super) fn present(&mut self, op: &'d Op, at: usize) -> Result<usize> {
        self.op(op, at)
    }

    fn branches(&mut self, branches: &'d [Branch], at: usize) -> Result<usize> {
        let (number, at) = self.bytes.index(at, branches.len())?;
        match branches.get(number) {
            Some(branch) => self.op(&branch.op, at).map_err(|error| in_branch(Some(&branch.name), error)),
            None => Ok(at),
        }
    }

    fn chosen(&mut self, chosen: &'d Chosen, at: usize) -> Result<usize> {
        for &bits in &chosen.present {
            self.stores.bits[bits].push(true);
        }
        for &slot in &chosen.slots {
            self.stores.slots[slot].set(&Operand::Boolean(true));
        }
        self.fill(&chosen.absent);
        self.present(&chosen.op, at)
    }

    pub(super) fn fill(&mut self, fills: &[Fill]) {
        for fill in fills {
            if let Some(nulls) = fill.nulls {
                let entry = self.stores.entries(fill.entry);
                self.stores.nulls[nulls].push(entry);
            }
            match fill.entry {
                Entry::Bit(bits) => self.stores.bits[bits].push(false),
                Entry::Zeros(values, 4) => self.stores.values[values].push(0_u32),
                Entry::Zeros(values, 8) => self.stores.values[values].push(0_u64),
                Entry::Zeros(values, width) => self.stores.values[values].extend_zeros(width),
                Entry::End(ends) => self.stores.ends[ends].push(0),
                Entry::Binary(binary) => self.stores.binaries[binary].push_text(""),
            }
        }
    }

    #[inline(never)]
    fn items(&mut self, items: &'d Items, at: usize) -> Result<usize> {
        match *items.steps {
            [Step { op: Op::String(texts), name: None }] => self.string_items(items, texts, at),
            _ => self.step_items(items, at),
        }
    }

    #[inline(never)]
    fn step_items(&mut self, items: &'d Items, mut at: usize) -> Result<usize> {
        let mut total = 0_usize;
        loop {
            let (count, size, start) = self.bytes.item_block(at, items.least)?;
            at = start;
            if count == 0 {
                break;
            }
            self.claim(count, items.least)?;
            at = self.block(items, count, total, at)?;
            check_size(self.bytes, size, start, at)?;
            total = total.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
        }
        self.end_list(items, total);
        Ok(at)
    }

    /// Appends an array of strings, which have at least one byte each.
    #[inline(never)]
    fn string_items(&mut self, items: &'d Items, texts: usize, at: usize) -> Result<usize> {
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

    /// Appends the strings of a block after those that were appended, and the blocks after it.
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

    /// Runs the steps for each item of a block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn block(&mut self, items: &'d Items, count: u64, before: usize, mut at: usize) -> Result<usize> {
        if items.steps.is_empty() {
            return Ok(at);
        }
        for number in 0..count {
            at = match self.steps(&items.steps, at) {
                Ok(at) => at,
                Err(error) => return Err(in_item(before, number, error)),
            };
        }
        Ok(at)
    }

    fn decimal(&mut self, decimal: &Decimal, at: usize) -> Result<usize> {
        let (bytes, end) = match decimal.size {
            Some(size) => self.bytes.fixed(at, size)?,
            None => self.bytes.bytes(at)?,
        };
        let values = &mut self.stores.values[decimal.values];
        match value::decimal(decimal, bytes, values) {
            Ok(()) => Ok(end),
            Err(what) => Err(self.malformed(at, what)),
        }
    }

    fn keep(&mut self, keep: &'d Keep, at: usize) -> Result<usize> {
        let (found, end) = keep.read.find(self.bytes, at)?;
        for &slot in &keep.slots {
            self.stores.slots[slot].set(&found);
        }
        Ok(end)
    }

    /// Reads a value from the bytes of a default.
    fn default(&mut self, default: &'d FieldDefault, at: usize) -> Result<usize> {
        let data = std::mem::replace(&mut self.bytes, At(&default.bytes));
        let result = self.present(&default.op, 0);
        self.bytes = data;
        result.map(|_| at)
    }

    #[cold]
    fn malformed(&self, at: usize, what: String) -> Error {
        DatumReader::at(self.bytes.0, at).malformed(what)
    }
}

/// Whether the items of a block have as many bytes as their writer says.
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

/// Adds the name of the field to an error in it.
#[cold]
#[inline(never)]
fn in_step(step: &Step, error: Error) -> Error {
    match &step.name {
        Some(name) => error.within(name),
        None => error,
    }
}

/// Adds the number of the item to an error in it; `before` are the items of earlier blocks.
#[cold]
#[inline(never)]
fn in_item(before: usize, number: u64, error: Error) -> Error {
    error.within(&format!("[{}]", (before as u64).saturating_add(number)))
}

/// Adds the name of the branch to an error in it.
#[cold]
#[inline(never)]
fn in_branch(name: Option<&str>, error: Error) -> Error {
    match name {
        Some(name) => error.within(name),
        None => error,
    }
}
