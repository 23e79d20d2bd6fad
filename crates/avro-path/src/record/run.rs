//! Walks a datum's bytes, once, and appends its values.

use super::op::{Chosen, FieldDefault, Fill, Items, Nullable, Op, Skip, Step, SymbolStore, Symbols};
use super::stores::Stores;
use super::value;
use crate::datum::DatumReader;
use crate::program::Offset;
use crate::{Error, ErrorKind, Result};

/// What one datum is run with.
pub(super) struct Run<'r, 'd, O> {
    pub(super) reader: DatumReader<'d>,
    pub(super) stores: &'r mut Stores<O>,
    /// List items that may still be appended.
    pub(super) items_left: u64,
}

impl<'d, O: Offset> Run<'_, 'd, O> {
    /// Reads what is frequent; the rest is called.
    #[inline(always)]
    pub(super) fn op(&mut self, op: &'d Op) -> Result<()> {
        match op {
            Op::Nothing => {}
            Op::Boolean(bits) => {
                let found = self.reader.boolean()?;
                self.stores.bits[*bits].push(found);
            }
            Op::Int(values) => {
                let found = self.reader.int()?;
                self.stores.values[*values].push(found);
            }
            Op::Long(values) => {
                let found = self.reader.long()?;
                self.stores.values[*values].push(found);
            }
            Op::Float(values) => {
                let found = self.reader.float()?;
                self.stores.values[*values].push(found);
            }
            Op::Double(values) => {
                let found = self.reader.double()?;
                self.stores.values[*values].push(found);
            }
            Op::Bytes { ends, data } => {
                let found = self.reader.bytes()?;
                self.stores.values[*data].extend(found);
                self.stores.ends[*ends].push(found.len())?;
            }
            Op::String { ends, data } => {
                let found = self.reader.string()?;
                self.stores.values[*data].extend(found.as_bytes());
                self.stores.ends[*ends].push(found.len())?;
            }
            other => return self.other(other),
        }
        Ok(())
    }

    #[inline(never)]
    fn other(&mut self, op: &'d Op) -> Result<()> {
        match op {
            Op::Record(steps) => return self.record(steps),
            Op::Items(items) => return self.items(items),
            Op::Nullable(nullable) => return self.nullable(nullable),
            Op::Skip(skip) => return self.skip(skip),
            Op::Present(validity, op) => {
                self.stores.bits[*validity].push(true);
                return self.op(op);
            }
            Op::Absent(fills) => self.fill(fills),
            Op::Branches(branches) => {
                let number = self.reader.index(branches.len())?;
                if let Some(branch) = branches.get(number) {
                    return self.op(&branch.op).map_err(|error| error.within(&branch.name));
                }
            }
            Op::Chosen(chosen) => return self.chosen(chosen),
            Op::Fixed { values, size } => {
                let found = self.reader.fixed(*size)?;
                self.stores.values[*values].extend(found);
            }
            Op::Symbol { values, count } => {
                let found = self.reader.index(*count)?;
                // A schema has fewer symbols than 2^31.
                self.stores.values[*values].push(found as i32);
            }
            Op::Symbols(symbols) => return self.symbol(symbols),
            Op::IntToFloat(values) => {
                let found = self.reader.int()?;
                self.stores.values[*values].push(found as f32);
            }
            Op::IntToDouble(values) => {
                let found = self.reader.int()?;
                self.stores.values[*values].push(f64::from(found));
            }
            Op::LongToFloat(values) => {
                let found = self.reader.long()?;
                self.stores.values[*values].push(found as f32);
            }
            Op::LongToDouble(values) => {
                let found = self.reader.long()?;
                self.stores.values[*values].push(found as f64);
            }
            Op::FloatToDouble(values) => {
                let found = self.reader.float()?;
                self.stores.values[*values].push(f64::from(found));
            }
            Op::Decimal(decimal) => {
                let start = self.reader.clone();
                let bytes = match decimal.size {
                    Some(size) => self.reader.fixed(size)?,
                    None => self.reader.bytes()?,
                };
                let values = &mut self.stores.values[decimal.values];
                value::decimal(decimal, bytes, values).map_err(|what| start.malformed(what))?;
            }
            Op::Uuid(values) => {
                let start = self.reader.clone();
                let text = self.reader.bytes()?;
                let bytes = value::uuid(text).map_err(|what| start.malformed(what))?;
                self.stores.values[*values].extend(&bytes);
            }
            Op::Duration(values) => {
                let start = self.reader.clone();
                let bytes = self.reader.fixed(12)?;
                let duration = value::duration(bytes).map_err(|what| start.malformed(what))?;
                self.stores.values[*values].push(duration);
            }
            Op::Again(ops) => {
                let start = self.reader.clone();
                for op in ops {
                    self.reader = start.clone();
                    self.op(op)?;
                }
            }
            Op::Default(default) => return self.default(default),
            Op::Fail(what) => {
                let error = Error::new(ErrorKind::Resolution, &**what);
                return Err(error.at_inner_byte(self.reader.position()));
            }
            leaf => return self.op(leaf),
        }
        Ok(())
    }

    fn record(&mut self, steps: &'d [Step]) -> Result<()> {
        for step in steps {
            if let Err(error) = self.op(&step.op) {
                return Err(if step.name.is_empty() && matches!(step.op, Op::Skip(_)) {
                    error
                } else {
                    error.within(&step.name)
                });
            }
        }
        Ok(())
    }

    fn nullable(&mut self, nullable: &'d Nullable) -> Result<()> {
        let is_first = self.reader.index(2)? == 0;
        if is_first == nullable.null_first {
            self.fill(&nullable.absent);
            return Ok(());
        }
        self.stores.bits[nullable.validity].push(true);
        self.op(&nullable.op)
    }

    fn chosen(&mut self, chosen: &'d Chosen) -> Result<()> {
        for &bits in &chosen.present {
            self.stores.bits[bits].push(true);
        }
        self.fill(&chosen.absent);
        self.op(&chosen.op)
    }

    fn fill(&mut self, fills: &[Fill]) {
        for fill in fills {
            match *fill {
                Fill::Bit(bits) => self.stores.bits[bits].push(false),
                Fill::Zeros(values, 4) => self.stores.values[values].push(0_u32),
                Fill::Zeros(values, 8) => self.stores.values[values].push(0_u64),
                Fill::Zeros(values, width) => self.stores.values[values].extend_zeros(width),
                Fill::End(ends) => self.stores.ends[ends].push_empty(),
            }
        }
    }

    fn items(&mut self, items: &'d Items) -> Result<()> {
        let mut total = 0_usize;
        while let Some(block) = self.reader.item_block(items.least)? {
            self.items_left = self.items_left.checked_sub(block.count).ok_or_else(too_many_items)?;
            let start = self.reader.position();
            for number in 0..block.count {
                if let Err(error) = self.item(items) {
                    let number = (total as u64).saturating_add(number);
                    return Err(error.within(&format!("[{number}]")));
                }
            }
            let read = self.reader.position() - start;
            if let Some(bytes) = block.bytes.filter(|&bytes| bytes != read) {
                return Err(self.reader.malformed(format!(
                    "a block of an array or map claims to have {bytes} bytes, its items have {read}"
                )));
            }
            total = total.saturating_add(usize::try_from(block.count).unwrap_or(usize::MAX));
        }
        self.stores.ends[items.ends].push(total)
    }

    #[inline(always)]
    fn item(&mut self, items: &'d Items) -> Result<()> {
        if let Some((ends, data)) = items.key {
            let key = self.reader.string()?;
            self.stores.values[data].extend(key.as_bytes());
            self.stores.ends[ends].push(key.len())?;
        }
        self.op(&items.op)
    }

    fn symbol(&mut self, symbols: &Symbols) -> Result<()> {
        let found = self.reader.index(symbols.numbers.len())?;
        let number = match symbols.numbers.get(found) {
            Some(Ok(number)) => *number,
            Some(Err(what)) => {
                let error = Error::new(ErrorKind::Resolution, &**what);
                return Err(error.at_inner_byte(self.reader.position()));
            }
            None => return Ok(()),
        };
        match &symbols.store {
            SymbolStore::Numbers(values) => self.stores.values[*values].push(number),
            SymbolStore::Text { symbols, ends, data } => {
                let symbol = usize::try_from(number).ok().and_then(|number| symbols.get(number));
                let symbol = symbol.map_or("", |symbol| symbol);
                self.stores.values[*data].extend(symbol.as_bytes());
                self.stores.ends[*ends].push(symbol.len())?;
            }
        }
        Ok(())
    }

    /// Reads a value from the bytes of a default.
    fn default(&mut self, default: &'d FieldDefault) -> Result<()> {
        let data = std::mem::replace(&mut self.reader, DatumReader::new(&default.bytes));
        let result = self.op(&default.op);
        self.reader = data;
        result
    }

    fn skip(&mut self, skip: &Skip) -> Result<()> {
        let start = self.reader.clone();
        skip.run.skip(&mut self.reader).map_err(|error| which(skip, start, error))
    }
}

/// The error with the name of the field in which it is.
#[cold]
fn which(skip: &Skip, mut reader: DatumReader<'_>, error: Error) -> Error {
    for (name, run) in &skip.fields {
        if let Err(error) = run.skip(&mut reader) {
            return error.within(name);
        }
    }
    error
}

#[cold]
fn too_many_items() -> Error {
    Error::new(ErrorKind::LimitExceeded, "the datum has more list items than the limit allows")
        .with_hint("raise Limits::list_items if this is meant")
}
