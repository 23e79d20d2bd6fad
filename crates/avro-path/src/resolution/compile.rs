//! Compilation of two schemas to a resolution.

use std::collections::HashMap;
use std::mem::discriminant;
use std::sync::Arc;

use super::alike::{Alike, same_name};
use super::{FieldSource, Fields, Op, OpId, Promotion};
use crate::datum::write_default;
use crate::schema::{AvroSchema, Enum, Record, RecordField, Type, TypeId};
use crate::{Error, ErrorKind, Kind, Result};

/// Pairs of types that a resolution may have.
const MOST: usize = 1 << 20;
/// Types in each other, through names too, each of which takes a part of the stack.
const NESTING: usize = 500;

pub(super) fn compile(writer: &AvroSchema, reader: &AvroSchema) -> Result<(Vec<Op>, OpId)> {
    let alike = Alike::new(writer, reader);
    let mut compiler =
        Compiler { writer, reader, alike, ops: Vec::new(), known: HashMap::new(), nesting: NESTING };
    let root = compiler.pair(writer.root(), reader.root())?;
    Ok((compiler.ops, root))
}

/// Message of an incompatibility, and the path of its field.
type Failure = (String, Option<Arc<str>>);

struct Compiler<'a> {
    writer: &'a AvroSchema,
    reader: &'a AvroSchema,
    alike: Alike<'a>,
    ops: Vec<Op>,
    /// Results for pairs of types: the compiled operation, or the reason why they do not fit.
    known: HashMap<(TypeId, TypeId), Result<OpId, Failure>>,
    nesting: usize,
}

impl Compiler<'_> {
    fn pair(&mut self, writer: TypeId, reader: TypeId) -> Result<OpId> {
        if let Some(known) = self.known.get(&(writer, reader)) {
            return known.clone().map_err(|(what, path)| {
                let mut error = Error::new(Kind::Resolution, what);
                error.position_mut().path = path;
                error
            });
        }
        if self.nesting == 0 || self.ops.len() >= MOST {
            return Err(Error::new(
                ErrorKind::LimitExceeded,
                "the two schemas together are too large or too deeply nested to be resolved",
            ));
        }
        // Known before it is complete, because it may contain itself.
        let id = OpId(self.ops.len());
        self.known.insert((writer, reader), Ok(id));
        self.ops.push(Op::Copy(writer));
        self.nesting -= 1;
        let op = if self.alike.are_alike(writer, reader) {
            Ok(Op::Copy(writer))
        } else {
            self.differing(writer, reader)
        };
        self.nesting += 1;
        let (op, found) = match op {
            Ok(op) => (op, Ok(id)),
            Err(error) => {
                // Whoever has met it meanwhile, because it contains itself, fails as well.
                let failure = (error.what().to_owned(), error.position().path.clone());
                self.known.insert((writer, reader), Err(failure));
                (Op::Fail(error.to_string().into()), Err(error))
            }
        };
        if let Some(slot) = self.ops.get_mut(id.0) {
            *slot = op;
        }
        found
    }

    fn differing(&mut self, writer: TypeId, reader: TypeId) -> Result<Op> {
        let (from, to) = (self.writer, self.reader);
        let (written, wanted) = (from.get(writer), to.get(reader));
        match (written, wanted) {
            (Type::Union(branches), _) => {
                let mut ops = Vec::with_capacity(branches.len());
                let mut errors = Vec::new();
                for &branch in branches {
                    match self.pair(branch, reader) {
                        Ok(op) => ops.push(op),
                        Err(error) if error.is(ErrorKind::LimitExceeded) => return Err(error),
                        Err(error) => {
                            ops.push(self.push(Op::Fail(error.to_string().into())));
                            errors.push(error);
                        }
                    }
                }
                // If nothing that may be written can be read, there is no need to wait for data.
                match errors.pop() {
                    Some(error) if errors.len() + 1 == branches.len() => Err(error),
                    _ => Ok(Op::Branches(ops.into())),
                }
            }
            (_, Type::Union(branches)) => self.union_branch(writer, reader, branches),
            (Type::Array(items), Type::Array(wanted)) => Ok(Op::Array(*items, self.pair(*items, *wanted)?)),
            (Type::Map(values), Type::Map(wanted)) => Ok(Op::Map(*values, self.pair(*values, *wanted)?)),
            _ if !same_name(written, wanted) => Err(self.mismatch(writer, reader)),
            (Type::Record(record), Type::Record(wanted)) => self.record(record, wanted),
            (Type::Enum(symbols), Type::Enum(wanted)) => Ok(self.symbols(symbols, wanted)),
            (Type::Int, Type::Float) => Ok(Op::Promoted(Promotion::IntToFloat)),
            (Type::Int, Type::Double) => Ok(Op::Promoted(Promotion::IntToDouble)),
            (Type::Long, Type::Float) => Ok(Op::Promoted(Promotion::LongToFloat)),
            (Type::Long, Type::Double) => Ok(Op::Promoted(Promotion::LongToDouble)),
            (Type::Float, Type::Double) => Ok(Op::Promoted(Promotion::FloatToDouble)),
            (Type::Bytes, Type::String) => Ok(Op::BytesToString),
            _ => Err(self.mismatch(writer, reader)),
        }
    }

    fn mismatch(&self, writer: TypeId, reader: TypeId) -> Error {
        let (from, to) = (self.writer.describe(writer), self.reader.describe(reader));
        let what = if from == to {
            format!("{from} was written with another size or other digits than the reader's schema says")
        } else {
            format!("{from} was written, which cannot be read as {to}")
        };
        Error::new(Kind::Resolution, what)
    }

    /// Returns the first branch of the same kind and name, otherwise the first that can take the value.
    fn union_branch(&mut self, writer: TypeId, reader: TypeId, branches: &[TypeId]) -> Result<Op> {
        let (from, to) = (self.writer, self.reader);
        let exact = |branch: &&TypeId| {
            discriminant(from.get(writer)) == discriminant(to.get(**branch))
                && from.branch_name(writer) == to.branch_name(**branch)
        };
        let mut closest = None;
        for branch in branches.iter().find(exact).into_iter().chain(branches) {
            match self.pair(writer, *branch) {
                Ok(op) => {
                    let number = branches.iter().position(|found| found == branch).unwrap_or_default();
                    return Ok(Op::IntoBranch(number, op));
                }
                Err(error) if error.is(ErrorKind::LimitExceeded) => return Err(error),
                // What is wrong within a branch of the same name says more than that none fits.
                Err(error) if closest.is_none() && exact(&branch) => closest = Some(error),
                Err(_) => {}
            }
        }
        Err(closest.unwrap_or_else(|| self.mismatch(writer, reader)))
    }

    fn symbols(&mut self, symbols: &Enum, wanted: &Enum) -> Op {
        let numbers: HashMap<&str, usize> =
            wanted.symbols().iter().enumerate().map(|(at, symbol)| (&**symbol, at)).collect();
        let number = |symbol: &Arc<str>| {
            let number = numbers.get(&**symbol).copied().or(wanted.default());
            number.ok_or_else(|| {
                let wanted = wanted.name();
                format!("the enum {wanted} of the reader has no symbol {symbol:?} and no default").into()
            })
        };
        Op::Symbols(symbols.symbols().iter().map(number).collect())
    }

    fn record(&mut self, record: &Record, wanted: &Record) -> Result<Op> {
        let source =
            |field: &RecordField| self.source(record, field).map_err(|error| error.within(field.name()));
        let sources = wanted.fields().iter().map(source).collect::<Result<Box<[_]>>>()?;
        let numbers = sources.iter().filter_map(|source| match source {
            FieldSource::Field(number, ..) => Some(*number),
            FieldSource::Default(_) => None,
        });
        let in_order = numbers.is_sorted_by(|before, after| before < after);
        let written = record.fields().iter().map(RecordField::type_id).collect();
        Ok(Op::Record(Box::new(Fields { written, sources, in_order })))
    }

    fn source(&mut self, record: &Record, field: &RecordField) -> Result<FieldSource> {
        let found = record
            .field(field.name())
            .or_else(|| field.aliases().iter().find_map(|alias| record.field(alias)));
        if let Some((at, written)) = found {
            let op = self.pair(written.type_id(), field.type_id())?;
            return Ok(FieldSource::Field(at, op, field.name().into()));
        }
        let Some(default) = field.default() else {
            let what = format!(
                "the record {} was written without the field {:?}, which has no default",
                record.name(),
                field.name()
            );
            return Err(Error::new(Kind::Resolution, what)
                .help("give the field of the reader's schema a default, or an alias"));
        };
        let mut bytes = Vec::new();
        write_default(self.reader, field.type_id(), default, &mut bytes)?;
        Ok(FieldSource::Default(bytes.into()))
    }

    fn push(&mut self, op: Op) -> OpId {
        let id = OpId(self.ops.len());
        self.ops.push(op);
        id
    }
}
