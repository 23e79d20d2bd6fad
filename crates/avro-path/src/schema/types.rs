//! Types of a schema, and their parts.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::{Name, TypeId};

/// Type of a schema.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Type {
    /// No bytes.
    Null,
    /// One byte, 0 or 1.
    Boolean,
    /// A zigzag varint of 32 bits.
    Int,
    /// A zigzag varint of 64 bits.
    Long,
    /// Four bytes, little-endian.
    Float,
    /// Eight bytes, little-endian.
    Double,
    /// A length and bytes.
    Bytes,
    /// A length and UTF-8.
    String,
    /// Blocks of items of the type.
    Array(TypeId),
    /// Blocks of a string and a value of the type.
    Map(TypeId),
    /// The number of a branch and a value of its type.
    Union(Box<[TypeId]>),
    /// The fields one after the other.
    Record(Record),
    /// The number of a symbol.
    Enum(Enum),
    /// A known number of bytes.
    Fixed(Fixed),
}

impl Type {
    /// Returns the names of a record, an enumeration or a fixed.
    pub(crate) fn definition(&self) -> Option<&Definition> {
        match self {
            Self::Record(record) => Some(&record.definition),
            Self::Enum(symbols) => Some(&symbols.definition),
            Self::Fixed(fixed) => Some(&fixed.definition),
            _ => None,
        }
    }
}

/// Names of a type that can be referred to by name.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: Name,
    /// Aliases: other names under which the type may have been written.
    pub(crate) aliases: Box<[Name]>,
}

/// A record: fields in the order in which they are written.
#[derive(Clone, Debug)]
pub struct Record {
    pub(super) definition: Definition,
    pub(super) fields: Vec<RecordField>,
    pub(super) by_name: HashMap<Arc<str>, usize>,
}

impl Record {
    /// Returns the record's name.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.definition.name
    }

    /// Returns the fields, in the order in which they are written.
    #[must_use]
    pub fn fields(&self) -> &[RecordField] {
        &self.fields
    }

    /// Returns the field of a name, and its index among the fields. Aliases do not count.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<(usize, &RecordField)> {
        let &at = self.by_name.get(name)?;
        Some((at, self.fields.get(at)?))
    }
}

/// A field of a record.
#[derive(Clone, Debug)]
pub struct RecordField {
    pub(super) name: Arc<str>,
    pub(super) aliases: Box<[Arc<str>]>,
    pub(super) type_id: TypeId,
    pub(super) default: Option<Value>,
    /// The property `arrow.name`.
    pub(super) arrow_name: Option<Arc<str>>,
}

impl RecordField {
    /// Returns the field's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of the column that the field was written from, where that is not a name in Avro: the property
    /// `arrow.name`, as [`encode`](crate::encode) writes it. Otherwise the name. No two fields of a record have the same.
    #[must_use]
    pub fn column_name(&self) -> &str {
        self.arrow_name.as_deref().unwrap_or(&self.name)
    }

    /// Returns other names under which the field may have been written.
    #[must_use]
    pub fn aliases(&self) -> &[Arc<str>] {
        &self.aliases
    }

    /// Returns the type of the field's values.
    #[must_use]
    pub fn type_id(&self) -> TypeId {
        self.type_id
    }

    /// Returns the default as JSON, for records that were written without the field. It is checked against the type
    /// when it is needed, because files with useless defaults exist.
    #[must_use]
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    pub(super) definition: Definition,
    pub(super) symbols: Vec<Arc<str>>,
    pub(super) default: Option<usize>,
}

impl Enum {
    /// Returns the enumeration's name.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.definition.name
    }

    /// Returns the symbols, in the order of their numbers.
    #[must_use]
    pub fn symbols(&self) -> &[Arc<str>] {
        &self.symbols
    }

    /// Returns the number of the default symbol, used for symbols of a writer that this enumeration does not have.
    #[must_use]
    pub fn default(&self) -> Option<usize> {
        self.default
    }
}

/// Bytes of a known number.
#[derive(Clone, Debug)]
pub struct Fixed {
    pub(super) definition: Definition,
    pub(super) size: usize,
}

impl Fixed {
    /// Returns the type's name.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.definition.name
    }

    /// Returns the number of bytes of each value.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }
}
