//! Append operations of scalar types.

use std::sync::Arc;

use super::{Compiler, ValueSource, no_such_value};
use crate::plan::op::{Decimal, Op, Stored};
use crate::plan::read::{Read, Symbols};
use crate::plan::shape::{Kind, Shape};
use crate::resolution;
use crate::schema::{Type, TypeId};

impl Compiler<'_> {
    /// Compiles what appends a value that is there to a column.
    pub(crate) fn leaf(&mut self, source: ValueSource, id: TypeId, shape: &Shape) -> Op {
        let schema = self.schema;
        match (schema.get(id), &shape.kind, self.resolved(source)) {
            (_, Kind::Fixed { values, .. }, Some(resolution::Op::Promoted(promotion))) => {
                Op::Promoted(*promotion, *values)
            }
            (Type::Enum(symbols), kind, resolved) => self.symbols(symbols.symbols(), kind, resolved),
            (Type::Null, ..) => Op::Nothing,
            (Type::Boolean, Kind::Boolean(bits), _) => Op::Boolean(*bits),
            (Type::Int, Kind::Fixed { values, .. }, _) => Op::Int(*values),
            (Type::Long, Kind::Fixed { values, .. }, _) => Op::Long(*values),
            (Type::Float, Kind::Fixed { values, .. }, _) => Op::Float(*values),
            (Type::Double, Kind::Fixed { values, .. }, _) => Op::Double(*values),
            (Type::Bytes, Kind::Binary(binary), _) => Op::Bytes(*binary),
            (Type::String, Kind::Binary(texts) | Kind::Strings(texts), _) => Op::String(*texts),
            (Type::String, Kind::Fixed { values, .. }, _) => Op::Uuid(*values),
            (Type::Fixed(fixed), Kind::Binary(binary), _) => {
                Op::FixedBytes { binary: *binary, size: fixed.size() }
            }
            (Type::Bytes, Kind::Fixed { values, width, .. }, _) => bytes(shape, *values, *width, None),
            (Type::Fixed(fixed), Kind::Fixed { values, width, .. }, _) => {
                bytes(shape, *values, *width, Some(fixed.size()))
            }
            _ => no_such_value(),
        }
    }

    /// Compiles how a value is read that is compared; `None` where it consists of others.
    pub(crate) fn scalar(&self, source: ValueSource, id: TypeId) -> Option<Read> {
        let resolved = self.resolved(source);
        if let Some(resolution::Op::Promoted(promotion)) = resolved {
            return Some(Read::Promoted(*promotion));
        }
        Some(match self.schema.get(id) {
            Type::Null => Read::Null,
            Type::Boolean => Read::Boolean,
            Type::Int => Read::Int,
            Type::Long => Read::Long,
            Type::Float => Read::Float,
            Type::Double => Read::Double,
            Type::Bytes => Read::Bytes,
            Type::String => Read::String,
            Type::Fixed(fixed) => Read::Fixed(fixed.size()),
            Type::Enum(symbols) => Read::Symbols(renamed(symbols.symbols(), resolved)),
            _ => return None,
        })
    }

    /// Compiles the operation for one of these symbols, or one of the writer's that resolves to one of these.
    fn symbols(&mut self, symbols: &[Arc<str>], kind: &Kind, resolved: Option<&resolution::Op>) -> Op {
        match (kind, resolved) {
            (Kind::Symbols { values, .. }, Some(resolution::Op::Symbols(numbers))) => {
                // A reader's schema has fewer symbols than 2^31.
                let symbols = numbers.iter().map(|number| number.clone().map(|number| number as i32));
                Op::Renumbered(Box::new(Stored { symbols: symbols.collect(), store: *values }))
            }
            (Kind::Symbols { values, .. }, _) => Op::Symbol { values: *values, count: symbols.len() },
            (Kind::Strings(texts) | Kind::Binary(texts), resolved) => {
                let longest = symbols.iter().map(|symbol| symbol.len()).max();
                self.unwritten = self.unwritten.saturating_add(longest.unwrap_or_default());
                let symbols = renamed(symbols, resolved);
                Op::SymbolText(Box::new(Stored { symbols, store: *texts }))
            }
            _ => no_such_value(),
        }
    }
}

/// Returns the reader's symbol for each symbol of the writer's.
fn renamed(symbols: &[Arc<str>], resolved: Option<&resolution::Op>) -> Symbols<Arc<str>> {
    let Some(resolution::Op::Symbols(numbers)) = resolved else {
        return symbols.iter().map(|symbol| Ok(Arc::clone(symbol))).collect();
    };
    let known = |number: &usize| symbols.get(*number).cloned().unwrap_or_default();
    numbers.iter().map(|number| number.as_ref().map(known).map_err(Clone::clone)).collect()
}

/// Returns the operation that appends bytes to entries of `width`; `size` is the size of a fixed.
fn bytes(shape: &Shape, values: usize, width: usize, size: Option<usize>) -> Op {
    match (decimal(shape, values, size), size) {
        (Some(decimal), _) => Op::Decimal(Box::new(decimal)),
        (None, Some(12)) if width == 16 => Op::Duration(values),
        // There is nothing to append; how many there are is known to what they are in.
        (None, Some(0)) => Op::Nothing,
        (None, Some(size)) => Op::Fixed { values, size },
        (None, None) => no_such_value(),
    }
}

fn decimal(shape: &Shape, values: usize, size: Option<usize>) -> Option<Decimal> {
    use arrow_schema::DataType::{Decimal128, Decimal256};
    let (precision, scale, is_wide) = match shape.data_type {
        Decimal128(precision, scale) => (precision, scale, false),
        Decimal256(precision, scale) => (precision, scale, true),
        _ => return None,
    };
    Some(Decimal { values, precision, scale, is_wide, size })
}
