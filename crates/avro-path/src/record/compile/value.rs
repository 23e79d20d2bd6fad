//! What appends a value that is there, by its type.

use std::sync::Arc;

use super::{Compiler, Source, no_such_value};
use crate::Result;
use crate::record::op::{Decimal, Items, Op, Step, SymbolStore, Symbols};
use crate::record::shape::{Kind, Shape};
use crate::resolution;
use crate::schema::{Type, TypeId};

impl Compiler<'_> {
    /// What appends a value that is there and of no union.
    pub(super) fn value(&mut self, source: Source, id: TypeId, shape: &Shape) -> Result<Op> {
        let schema = self.schema;
        let resolved = match source {
            Source::Alike => None,
            Source::Resolved(_, op) => self.resolved(op),
        };
        if let (Kind::Fixed { values, .. }, Some(op)) = (&shape.kind, resolved)
            && let Some(promoted) = promoted(op, *values)
        {
            return Ok(promoted);
        }
        Ok(match (schema.get(id), &shape.kind) {
            (Type::Enum(symbols), kind) => self.symbols(symbols.symbols(), kind, resolved),
            (Type::Null, _) => Op::Nothing,
            (Type::Boolean, Kind::Boolean(bits)) => Op::Boolean(*bits),
            (Type::Int, Kind::Fixed { values, .. }) => Op::Int(*values),
            (Type::Long, Kind::Fixed { values, .. }) => Op::Long(*values),
            (Type::Float, Kind::Fixed { values, .. }) => Op::Float(*values),
            (Type::Double, Kind::Fixed { values, .. }) => Op::Double(*values),
            (Type::Bytes, Kind::Binary(binary)) => Op::Bytes(*binary),
            (Type::String, Kind::Strings(strings)) => Op::String(*strings),
            (Type::String, Kind::Fixed { values, .. }) => Op::Uuid(*values),
            (Type::Bytes, Kind::Fixed { values, width }) => bytes(shape, *values, *width, None),
            (Type::Fixed(fixed), Kind::Fixed { values, width }) => {
                bytes(shape, *values, *width, Some(fixed.size()))
            }
            (Type::Array(items), Kind::List { ends, item }) => {
                let (source, least) = match resolved {
                    Some(resolution::Op::Array(written, op)) => {
                        (Source::Resolved(*written, *op), self.least_written(*written))
                    }
                    _ => (Source::Alike, schema.least_bytes(*items)),
                };
                let steps = item_steps(None, self.read(source, *items, item)?);
                Op::Items(Box::new(Items { ends: *ends, least, steps }))
            }
            (Type::Map(values), Kind::List { ends, item }) => {
                let (source, least) = match resolved {
                    Some(resolution::Op::Map(written, op)) => {
                        (Source::Resolved(*written, *op), self.least_written(*written))
                    }
                    _ => (Source::Alike, schema.least_bytes(*values)),
                };
                let Kind::Struct(entry) = &item.kind else { return Ok(no_such_value()) };
                let [key, value] = entry.as_slice() else { return Ok(no_such_value()) };
                let (_, key) = key.shape.innermost();
                let Kind::Strings(key) = key.kind else { return Ok(no_such_value()) };
                let steps = item_steps(Some(Op::String(key)), self.read(source, *values, &value.shape)?);
                Op::Items(Box::new(Items { ends: *ends, least: least.saturating_add(1), steps }))
            }
            (Type::Record(record), Kind::Struct(children)) => match (source, resolved) {
                (Source::Resolved(writer, _), Some(op)) => {
                    self.resolved_record(writer, op, record, children)?
                }
                (_, None) => self.record(record, children)?,
                (Source::Alike, Some(_)) => no_such_value(),
            },
            _ => no_such_value(),
        })
    }

    /// One of these symbols, or one of the writer's that resolves to one of these.
    fn symbols(&mut self, symbols: &[Arc<str>], kind: &Kind, resolved: Option<&resolution::Op>) -> Op {
        let store = match kind {
            Kind::Symbols { values, .. } if resolved.is_none() => {
                return Op::Symbol { values: *values, count: symbols.len() };
            }
            Kind::Symbols { values, .. } => SymbolStore::Numbers(*values),
            Kind::Strings(strings) => {
                let longest = symbols.iter().map(|symbol| symbol.len()).max();
                self.unwritten = self.unwritten.saturating_add(longest.unwrap_or_default());
                SymbolStore::Text { symbols: symbols.into(), strings: *strings }
            }
            _ => return no_such_value(),
        };
        // A reader's schema has fewer symbols than 2^31.
        let numbers = match resolved {
            Some(resolution::Op::Symbols(numbers)) => {
                numbers.iter().map(|number| number.clone().map(|number| number as i32)).collect()
            }
            _ => (0..symbols.len()).map(|number| Ok(number as i32)).collect(),
        };
        Op::Symbols(Box::new(Symbols { numbers, store }))
    }
}

/// A number that was written as a narrower one.
fn promoted(op: &resolution::Op, values: usize) -> Option<Op> {
    Some(match op {
        resolution::Op::IntToFloat => Op::IntToFloat(values),
        resolution::Op::IntToDouble => Op::IntToDouble(values),
        resolution::Op::LongToFloat => Op::LongToFloat(values),
        resolution::Op::LongToDouble => Op::LongToDouble(values),
        resolution::Op::FloatToDouble => Op::FloatToDouble(values),
        _ => return None,
    })
}

/// Bytes that go into entries of `width`: those of a fixed have a `size`.
fn bytes(shape: &Shape, values: usize, width: usize, size: Option<usize>) -> Op {
    match (decimal(shape, values, size), size) {
        (Some(decimal), _) => Op::Decimal(Box::new(decimal)),
        (None, Some(12)) if width == 16 => Op::Duration(values),
        (None, Some(size)) => Op::Fixed { values, size },
        (None, None) => no_such_value(),
    }
}

/// What reads an item, of a map with its key.
fn item_steps(key: Option<Op>, item: Op) -> Box<[Step]> {
    let key = key.map(|op| Step { op, name: None });
    match (key, item) {
        (key, Op::Nothing) => key.into_iter().collect(),
        (None, Op::Record(steps)) => steps,
        (Some(key), Op::Record(steps)) => std::iter::once(key).chain(steps).collect(),
        (key, op) => key.into_iter().chain([Step { op, name: None }]).collect(),
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
