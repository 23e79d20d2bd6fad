//! Walks a datum's bytes, once, and appends its values.
//!
//! The place in the bytes is handed from function to function instead of being kept in [`Run`]: so it stays in a
//! register, and finding the next value does not wait for memory. Builds without optimisation inline nothing: their
//! frames would be too large for deep schemas.

use super::op::{Chosen, Decimal, FieldDefault, Fill, Items, Nullable, Op, Step, SymbolStore, Symbols};
use super::stores::Stores;
use super::value;
use crate::buffers::{Offset, Texts};
use crate::datum::{At, DatumReader};
use crate::walk::{Sink, check_size, claim, claim_empty, string, strings};
use crate::{Error, ErrorKind, Result};

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
    /// Does what an operation says with all bytes, and gives the place behind them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn datum(&mut self, op: &'d Op) -> Result<usize> {
        match op {
            Op::Record(steps) => self.record(steps, 0),
            op => self.present(op, 0),
        }
    }

    /// Does what an operation says with the bytes from a place on, and gives the place behind them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn op(&mut self, op: &'d Op, at: usize) -> Result<usize> {
        match op {
            Op::Long(values) => {
                let (found, at) = self.bytes.long(at)?;
                self.stores.values[*values].push(found);
                Ok(at)
            }
            Op::String(strings) => string(self.stores, *strings, self.bytes, at),
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
            Op::Bytes(binary) => {
                let (found, at) = self.bytes.bytes(at)?;
                self.stores.binaries[*binary].push(found);
                Ok(at)
            }
            Op::Fixed { values, size } => {
                let (found, at) = self.bytes.fixed(at, *size)?;
                self.stores.values[*values].extend(found);
                Ok(at)
            }
            Op::Symbol { values, count } => {
                let (found, at) = self.bytes.index(at, *count)?;
                // A schema has fewer symbols than 2^31.
                self.stores.values[*values].push(found as i32);
                Ok(at)
            }
            Op::Symbols(symbols) => self.symbol(symbols, at),
            Op::Present(validity, op) => {
                self.stores.bits[*validity].push(true);
                self.op(op, at)
            }
            Op::Absent(fills) => {
                self.fill(fills);
                Ok(at)
            }
            Op::Branches(branches) => {
                let (number, at) = self.bytes.index(at, branches.len())?;
                match branches.get(number) {
                    Some(branch) => self.op(&branch.op, at).map_err(|error| error.within(&branch.name)),
                    None => Ok(at),
                }
            }
            Op::Chosen(chosen) => self.chosen(chosen, at),
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
            Op::Fail(what) => Err(Error::new(ErrorKind::Resolution, &**what).at_inner_byte(at)),
            other => self.promoted(other, at),
        }
    }

    /// Numbers that were written as narrower ones.
    fn promoted(&mut self, op: &'d Op, at: usize) -> Result<usize> {
        match op {
            Op::IntToFloat(values) => {
                let (found, at) = self.bytes.int(at)?;
                self.stores.values[*values].push(found as f32);
                Ok(at)
            }
            Op::IntToDouble(values) => {
                let (found, at) = self.bytes.int(at)?;
                self.stores.values[*values].push(f64::from(found));
                Ok(at)
            }
            Op::LongToFloat(values) => {
                let (found, at) = self.bytes.long(at)?;
                self.stores.values[*values].push(found as f32);
                Ok(at)
            }
            Op::LongToDouble(values) => {
                let (found, at) = self.bytes.long(at)?;
                self.stores.values[*values].push(found as f64);
                Ok(at)
            }
            Op::FloatToDouble(values) => {
                let (found, at) = self.bytes.float(at)?;
                self.stores.values[*values].push(f64::from(found));
                Ok(at)
            }
            other => self.op(other, at),
        }
    }

    #[inline(never)]
    fn record(&mut self, steps: &'d [Step], at: usize) -> Result<usize> {
        self.steps(steps, at)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn steps(&mut self, steps: &'d [Step], mut at: usize) -> Result<usize> {
        for step in steps {
            if let Op::String(strings) = step.op
                && let Some(text) = self.bytes.short_text(at)
            {
                self.stores.strings[strings].push_short(text);
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
        self.stores.bits[nullable.validity].push(true);
        self.present(&nullable.op, at)
    }

    /// As [`op`](Self::op), called.
    #[inline(never)]
    fn present(&mut self, op: &'d Op, at: usize) -> Result<usize> {
        self.op(op, at)
    }

    fn chosen(&mut self, chosen: &'d Chosen, at: usize) -> Result<usize> {
        for &bits in &chosen.present {
            self.stores.bits[bits].push(true);
        }
        self.fill(&chosen.absent);
        self.present(&chosen.op, at)
    }

    fn fill(&mut self, fills: &[Fill]) {
        for fill in fills {
            match *fill {
                Fill::Bit(bits) => self.stores.bits[bits].push(false),
                Fill::Zeros(values, 4) => self.stores.values[values].push(0_u32),
                Fill::Zeros(values, 8) => self.stores.values[values].push(0_u64),
                Fill::Zeros(values, width) => self.stores.values[values].extend_zeros(width),
                Fill::End(ends) => self.stores.ends[ends].push(0),
                Fill::Binary(binary) => self.stores.binaries[binary].push(&[]),
                Fill::String(strings) => self.stores.strings[strings].push(""),
            }
        }
    }

    #[inline(never)]
    fn items(&mut self, items: &'d Items, mut at: usize) -> Result<usize> {
        let mut total = 0_usize;
        loop {
            let (count, size, start) = self.bytes.item_block(at, items.least)?;
            at = start;
            if count == 0 {
                break;
            }
            claim(&mut self.items_left, count)?;
            if items.least == 0 {
                claim_empty(&mut self.empty_left, count)?;
            }
            at = self.block(items, count, total, at)?;
            check_size(self.bytes, size, start, at)?;
            total = total.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
        }
        self.stores.ends[items.ends].push(total);
        Ok(at)
    }

    /// The items of a block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn block(&mut self, items: &'d Items, count: u64, before: usize, mut at: usize) -> Result<usize> {
        let in_item = |number: u64, error: Error| {
            error.within(&format!("[{}]", (before as u64).saturating_add(number)))
        };
        match *items.steps {
            [] => return Ok(at),
            [Step { op: Op::String(column), name: None }] => {
                let texts = self.stores.texts(column);
                return strings(texts, count, self.bytes, at)
                    .map_err(|(number, error)| in_item(number, error));
            }
            _ => {}
        }
        for number in 0..count {
            at = match self.steps(&items.steps, at) {
                Ok(at) => at,
                Err(error) => return Err(in_item(number, error)),
            };
        }
        Ok(at)
    }

    fn symbol(&mut self, symbols: &Symbols, at: usize) -> Result<usize> {
        let (found, end) = self.bytes.index(at, symbols.numbers.len())?;
        let number = match symbols.numbers.get(found) {
            Some(Ok(number)) => *number,
            Some(Err(what)) => return Err(Error::new(ErrorKind::Resolution, &**what).at_inner_byte(end)),
            None => return Ok(end),
        };
        match &symbols.store {
            SymbolStore::Numbers(values) => self.stores.values[*values].push(number),
            SymbolStore::Text { symbols, strings } => {
                let symbol = usize::try_from(number).ok().and_then(|number| symbols.get(number));
                let symbol = symbol.map_or("", |symbol| symbol);
                self.stores.strings[*strings].push(symbol);
            }
        }
        Ok(end)
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

/// The error with the name of the field in which it is.
#[cold]
fn in_step(step: &Step, error: Error) -> Error {
    match &step.name {
        Some(name) => error.within(name),
        None => error,
    }
}
