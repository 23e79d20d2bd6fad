//! Conversion of the bytes of a datum by a resolution.

use super::{FieldSource, Fields, Op, OpId, Promotion, Resolution};
use crate::datum::{DatumReader, write};
use crate::schema::TypeId;
use crate::{Error, ErrorKind, Kind, Result};

/// Records, arrays and maps in each other, each of which takes a part of the stack.
const NESTING: u32 = 1000;

pub(super) fn run(resolution: &Resolution, datum: &mut DatumReader<'_>, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    let most = start.saturating_add(resolution.most);
    let empty_items = resolution.empty_items;
    let mut run = ResolveRun { resolution, datum, out, most, empty_items, starts: Vec::new() };
    let result = run.value(resolution.root, NESTING);
    if result.is_err() {
        out.truncate(start);
    }
    result
}

struct ResolveRun<'a, 'b> {
    resolution: &'a Resolution,
    datum: &'a mut DatumReader<'b>,
    out: &'a mut Vec<u8>,
    most: usize,
    /// Number of array items that may still appear which had no bytes when they were written: a few bytes can claim any
    /// number.
    empty_items: u64,
    /// Starts of the fields of current records whose fields come in another order.
    starts: Vec<DatumReader<'b>>,
}

impl ResolveRun<'_, '_> {
    fn value(&mut self, id: OpId, nesting: u32) -> Result<()> {
        let Some(op) = self.resolution.op(id) else { return Ok(()) };
        match op {
            Op::Copy(id) => self.copy(*id)?,
            Op::Promoted(promotion) => self.promoted(*promotion)?,
            Op::BytesToString => {
                let text = self.datum.string()?;
                write::string(self.out, text);
            }
            Op::Symbols(numbers) => {
                let symbol = self.datum.index(numbers.len())?;
                match numbers.get(symbol) {
                    Some(Ok(number)) => write::long(self.out, *number as i64),
                    Some(Err(what)) => return Err(self.fail(what)),
                    None => {}
                }
            }
            Op::Branches(ops) => {
                let branch = self.datum.index(ops.len())?;
                if let Some(&op) = ops.get(branch) {
                    self.value(op, nesting)?;
                }
            }
            Op::IntoBranch(number, op) => {
                write::long(self.out, *number as i64);
                self.value(*op, nesting)?;
            }
            Op::Array(items, op) => self.items(*items, *op, false, self.deeper(nesting)?)?,
            Op::Map(values, op) => self.items(*values, *op, true, self.deeper(nesting)?)?,
            Op::Record(fields) if fields.in_order => self.in_order(fields, self.deeper(nesting)?)?,
            Op::Record(fields) => self.reordered(fields, self.deeper(nesting)?)?,
            Op::Fail(what) => return Err(self.fail(what)),
        }
        if self.out.len() > self.most {
            return Err(self.limit("the datum is longer than Limits::record_bytes for the reader"));
        }
        Ok(())
    }

    fn promoted(&mut self, promotion: Promotion) -> Result<()> {
        match promotion {
            Promotion::IntToFloat => write::float(self.out, self.datum.int()? as f32),
            Promotion::IntToDouble => write::double(self.out, f64::from(self.datum.int()?)),
            Promotion::LongToFloat => write::float(self.out, self.datum.long()? as f32),
            Promotion::LongToDouble => write::double(self.out, self.datum.long()? as f64),
            Promotion::FloatToDouble => write::double(self.out, f64::from(self.datum.float()?)),
        }
        Ok(())
    }

    fn copy(&mut self, id: TypeId) -> Result<()> {
        let start = self.datum.position();
        self.resolution.skip.skip(id, self.datum)?;
        self.out.extend_from_slice(self.datum.since(start));
        Ok(())
    }

    fn items(&mut self, id: TypeId, op: OpId, keys: bool, nesting: u32) -> Result<()> {
        let least = self.resolution.writer.least_bytes(id).saturating_add(usize::from(keys));
        let mut number = 0_u64;
        while let Some(block) = self.datum.item_block(least)? {
            let start = self.datum.position();
            if least == 0 {
                self.empty_items = self.empty_items.checked_sub(block.count).ok_or_else(|| {
                    self.limit("the datum claims more array items without bytes than Limits::empty_items")
                })?;
            }
            // Counts from a positive number or from the amount of a negative one: both fit.
            write::long(self.out, block.count.cast_signed());
            for _ in 0..block.count {
                let key = if keys { self.datum.bytes()? } else { &[] };
                if keys {
                    write::bytes(self.out, key);
                }
                self.value(op, nesting).map_err(|error| match keys {
                    true => error.within(&format!("[{:?}]", String::from_utf8_lossy(key))),
                    false => error.within(&format!("[{number}]")),
                })?;
                number += 1;
            }
            block.check_size(self.datum, start)?;
        }
        write::long(self.out, 0);
        Ok(())
    }

    fn in_order(&mut self, fields: &Fields, nesting: u32) -> Result<()> {
        let mut next = 0;
        for source in &fields.sources {
            match source {
                FieldSource::Field(at, op, name) => {
                    self.skip(fields.written.get(next..*at))?;
                    next = at + 1;
                    self.value(*op, nesting).map_err(|error| error.within(name))?;
                }
                FieldSource::Default(bytes) => self.out.extend_from_slice(bytes),
            }
        }
        self.skip(fields.written.get(next..))
    }

    fn skip(&mut self, fields: Option<&[TypeId]>) -> Result<()> {
        let mut fields = fields.unwrap_or_default().iter();
        fields.try_for_each(|&field| self.resolution.skip.skip(field, self.datum))
    }

    fn reordered(&mut self, fields: &Fields, nesting: u32) -> Result<()> {
        let base = self.starts.len();
        for &field in &fields.written {
            self.starts.push(self.datum.clone());
            self.resolution.skip.skip(field, self.datum)?;
        }
        let end = self.datum.clone();
        for source in &fields.sources {
            match source {
                FieldSource::Field(at, op, name) => {
                    if let Some(start) = self.starts.get(base + at) {
                        self.datum.clone_from(start);
                    }
                    self.value(*op, nesting).map_err(|error| error.within(name))?;
                }
                FieldSource::Default(bytes) => self.out.extend_from_slice(bytes),
            }
        }
        *self.datum = end;
        self.starts.truncate(base);
        Ok(())
    }

    fn deeper(&self, nesting: u32) -> Result<u32> {
        nesting.checked_sub(1).ok_or_else(|| self.limit("the datum is nested in itself more than 1000 times"))
    }

    #[cold]
    fn fail(&self, what: &str) -> Error {
        Error::new(Kind::Resolution, what).at_record_byte(self.datum.position())
    }

    #[cold]
    fn limit(&self, what: &str) -> Error {
        Error::new(ErrorKind::LimitExceeded, what).at_record_byte(self.datum.position())
    }
}
