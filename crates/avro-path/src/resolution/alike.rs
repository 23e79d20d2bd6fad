//! Comparison of types of two schemas: whether they lay out their values alike.

use std::collections::HashSet;
use std::mem::discriminant;

use crate::schema::{AvroSchema, Logical, Name, Type, TypeId};

/// Maximum number of pairs of types that are compared: two large schemas have very many.
const MOST: usize = 1 << 22;

/// Compares types of two schemas and remembers which are alike.
pub(super) struct Alike<'a> {
    writer: &'a AvroSchema,
    reader: &'a AvroSchema,
    known: HashSet<(TypeId, TypeId)>,
    left: usize,
}

impl<'a> Alike<'a> {
    pub(super) fn new(writer: &'a AvroSchema, reader: &'a AvroSchema) -> Self {
        Self { writer, reader, known: HashSet::new(), left: MOST }
    }

    /// Returns whether every value has the same bytes with both types, and is read as it was written. False if that is
    /// too expensive to determine.
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

    /// Returns whether two types are alike if their parts are.
    fn level(&self, (writer, reader): (TypeId, TypeId), open: &mut Vec<(TypeId, TypeId)>) -> bool {
        if !same_decimal(self.writer.logical(writer), self.reader.logical(reader)) {
            return false;
        }
        let (writer, reader) = (self.writer.get(writer), self.reader.get(reader));
        if !same_name(writer, reader) {
            return false;
        }
        match (writer, reader) {
            (Type::Array(writer), Type::Array(reader)) | (Type::Map(writer), Type::Map(reader)) => {
                open.push((*writer, *reader));
                true
            }
            (Type::Record(writer), Type::Record(reader)) => {
                let fields = || writer.fields().iter().zip(reader.fields());
                open.extend(fields().map(|(writer, reader)| (writer.type_id(), reader.type_id())));
                writer.fields().len() == reader.fields().len()
                    && fields().all(|(writer, reader)| writer.name() == reader.name())
            }
            (Type::Enum(writer), Type::Enum(reader)) => reader.symbols().starts_with(writer.symbols()),
            (Type::Fixed(writer), Type::Fixed(reader)) => writer.size() == reader.size(),
            (Type::Union(writer), Type::Union(reader)) => {
                open.extend(writer.iter().copied().zip(reader.iter().copied()));
                // A branch must find itself, not one before it that would do.
                writer.len() == reader.len()
                    && writer.iter().zip(reader).all(|(&writer, &reader)| {
                        self.writer.branch_name(writer) == self.reader.branch_name(reader)
                    })
            }
            // Bytes are a string only if they are UTF-8, which has to be looked at.
            (Type::Int, Type::Long) | (Type::String, Type::Bytes) => true,
            (writer, reader) => discriminant(writer) == discriminant(reader),
        }
    }
}

/// Returns whether the names of two types match: without their namespaces, or by an alias of the reader's. Types
/// without names do.
pub(super) fn same_name(writer: &Type, reader: &Type) -> bool {
    let (Some(writer), Some(reader)) = (writer.definition(), reader.definition()) else { return true };
    let is_of_writer = |alias: &Name| *alias == writer.name || alias.full() == writer.name.short();
    writer.name.short() == reader.name.short() || reader.aliases.iter().any(is_of_writer)
}

/// Returns whether both are decimals of the same digits, or not both decimals.
fn same_decimal(writer: Option<Logical>, reader: Option<Logical>) -> bool {
    match (writer, reader) {
        (Some(writer @ Logical::Decimal { .. }), Some(reader @ Logical::Decimal { .. })) => writer == reader,
        _ => true,
    }
}
