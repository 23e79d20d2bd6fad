//! Run over a datum's bytes, once, that appends its values.
//!
//! The offset in the bytes is handed from function to function instead of being kept in [`DatumRun`]: so it stays in a
//! register, and finding the next value does not wait for memory. Builds without optimisation inline nothing: their
//! frames would be too large for deep schemas.

use super::op::{Branch, Chosen, Decimal, Entry, FieldDefault, Fill, Keep, Nullable, Op, RecordStep};
use super::read::{promoted, symbol};
use super::same::string;
use super::slot::Operand;
use super::stores::Stores;
use super::{DecodePlan, value};
use crate::buffers::Offset;
use crate::datum::{At, DatumReader};
use crate::resolution::Promotion;
use crate::{Error, Result};

/// State of the run over one datum.
pub(super) struct DatumRun<'r, 'd, O> {
    pub(super) bytes: At<'d>,
    pub(super) stores: &'r mut Stores<O>,
    /// Number of list items that may still be appended.
    pub(super) items_left: u64,
    /// Number of list items without bytes that may still be appended to the batch.
    pub(super) empty_left: u64,
}

impl<'d, O: Offset> DatumRun<'_, 'd, O> {
    /// Appends a row, and returns where the datum ends.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn datum(&mut self, plan: &'d DecodePlan) -> Result<usize> {
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

    /// Runs an operation on the bytes from an offset on, and returns the offset of their end.
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
            Op::Strings(items, texts) => self.string_items(items, *texts, at),
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
    fn record(&mut self, steps: &'d [RecordStep], at: usize) -> Result<usize> {
        self.steps(steps, at)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn steps(&mut self, steps: &'d [RecordStep], mut at: usize) -> Result<usize> {
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

/// Adds the name of the field to an error in it.
#[cold]
#[inline(never)]
fn in_step(step: &RecordStep, error: Error) -> Error {
    match &step.name {
        Some(name) => error.within(name),
        None => error,
    }
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
