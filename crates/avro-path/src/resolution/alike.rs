//! Which types of two schemas lay out their values alike.

use std::collections::HashSet;

use crate::schema::{Logical, Name, Record, Schema, Type, TypeId};

/// Pairs of types that are looked at in all: two large schemas have very many.
const MOST: usize = 1 << 22;

/// Compares types of two schemas and remembers which are alike.
pub(super) struct Alike<'a> {
    writer: &'a Schema,
    reader: &'a Schema,
    known: HashSet<(TypeId, TypeId)>,
    left: usize,
}

impl<'a> Alike<'a> {
    pub(super) fn new(writer: &'a Schema, reader: &'a Schema) -> Self {
        Self { writer, reader, known: HashSet::new(), left: MOST }
    }

    /// Whether every value has the same bytes with both types, and is read as what it was written as. Where that is
    /// too much to find out, no.
    pub(super) fn are_alike(&mut self, writer: TypeId, reader: TypeId) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![(writer, reader)];
        while let Some(pair) = open.pop() {
            if self.known.contains(&pair) || !seen.insert(pair) {
                continue;
            }
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            if !self.level(pair, &mut open) {
                return false;
            }
        }
        self.known.extend(seen);
        true
    }

    /// Whether two types are alike if those are that they consist of.
    fn level(&self, (writer, reader): (TypeId, TypeId), open: &mut Vec<(TypeId, TypeId)>) -> bool {
        if !same_decimal(self.writer.logical(writer), self.reader.logical(reader)) {
            return false;
        }
        match (self.writer.get(writer), self.reader.get(reader)) {
            (Type::Array(writer), Type::Array(reader)) | (Type::Map(writer), Type::Map(reader)) => {
                open.push((*writer, *reader));
                true
            }
            (Type::Record(writer), Type::Record(reader)) => {
                open.extend(pairs(writer, reader));
                same_name(writer.name(), reader.name(), reader.aliases())
                    && writer.fields().len() == reader.fields().len()
                    && writer
                        .fields()
                        .iter()
                        .zip(reader.fields())
                        .all(|(writer, reader)| writer.name() == reader.name())
            }
            (Type::Enum(writer), Type::Enum(reader)) => {
                same_name(writer.name(), reader.name(), reader.aliases())
                    && reader.symbols().starts_with(writer.symbols())
            }
            (Type::Fixed(writer), Type::Fixed(reader)) => {
                same_name(writer.name(), reader.name(), reader.aliases()) && writer.size() == reader.size()
            }
            (Type::Union(writer), Type::Union(reader)) => {
                open.extend(writer.iter().copied().zip(reader.iter().copied()));
                // A branch must find itself, not one before it that would do.
                writer.len() == reader.len()
                    && writer.iter().zip(reader).all(|(&writer, &reader)| {
                        self.writer.branch_name(writer) == self.reader.branch_name(reader)
                    })
            }
            (writer, reader) => is_same_primitive(writer, reader) || is_wider_alike(writer, reader),
        }
    }
}

fn pairs(writer: &Record, reader: &Record) -> impl Iterator<Item = (TypeId, TypeId)> {
    writer.fields().iter().zip(reader.fields()).map(|(writer, reader)| (writer.type_id(), reader.type_id()))
}

/// Whether names match: without their namespaces, or by an alias of the reader's.
pub(super) fn same_name(writer: &Name, reader: &Name, aliases: &[Name]) -> bool {
    writer.short() == reader.short()
        || aliases.iter().any(|alias| alias == writer || alias.full() == writer.short())
}

/// Whether both are decimals of the same digits, or not both decimals.
pub(super) fn same_decimal(writer: Option<Logical>, reader: Option<Logical>) -> bool {
    match (writer, reader) {
        (Some(writer @ Logical::Decimal { .. }), Some(reader @ Logical::Decimal { .. })) => writer == reader,
        _ => true,
    }
}

pub(super) fn is_same_primitive(writer: &Type, reader: &Type) -> bool {
    matches!(
        (writer, reader),
        (Type::Null, Type::Null)
            | (Type::Boolean, Type::Boolean)
            | (Type::Int, Type::Int)
            | (Type::Long, Type::Long)
            | (Type::Float, Type::Float)
            | (Type::Double, Type::Double)
            | (Type::Bytes, Type::Bytes)
            | (Type::String, Type::String)
    )
}

/// Promotions that leave the bytes as they are.
fn is_wider_alike(writer: &Type, reader: &Type) -> bool {
    // Bytes are a string only if they are UTF-8, which has to be looked at.
    matches!((writer, reader), (Type::Int, Type::Long) | (Type::String, Type::Bytes))
}
