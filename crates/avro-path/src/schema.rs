//! Schemas of Avro data.
//!
//! A [`AvroSchema`] is a table of types that name each other by [`TypeId`], so that recursive schemas need no cycles of
//! pointers. It is read from JSON by [`AvroSchema::parse`], which keeps to Avro's rules except those on names: writers
//! put blanks, empty names and letters of any script into files, and such files are read.
//!
//! ```
//! use avro_path::schema::{AvroSchema, Type};
//!
//! let schema = AvroSchema::parse(
//!     r#"{"type": "record", "name": "person", "namespace": "com.test", "fields": [
//!         {"name": "name", "type": "string"},
//!         {"name": "friends", "type": {"type": "array", "items": "person"}, "default": []}
//!     ]}"#,
//! )?;
//! let Type::Record(person) = schema.get(schema.root()) else { panic!("a record") };
//! assert_eq!(person.name().full(), "com.test.person");
//! let (_, friends) = person.field("friends").expect("a field");
//! assert_eq!(schema.describe(friends.type_id()), "array of record com.test.person");
//! # Ok::<(), avro_path::Error>(())
//! ```

mod canonical;
mod describe;
mod logical;
mod name;
mod parse;
mod size;
mod types;

use std::fmt;
use std::sync::Arc;

use crate::Result;

pub use logical::Logical;
pub use name::Name;
pub use parse::SchemaLimits;
pub(crate) use types::Definition;
pub use types::{Enum, Fixed, Record, RecordField, Type};

/// A type of one [`AvroSchema`]. Means nothing to another schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

impl TypeId {
    /// Returns the number of the type in its schema: below [`AvroSchema::len`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A type and how its values are meant.
#[derive(Clone, Debug)]
struct SchemaNode {
    ty: Type,
    logical: Option<Logical>,
    /// The property `arrow.timezone` of a timestamp.
    zone: Option<Arc<str>>,
}

/// A schema: immutable, shared by its clones.
#[derive(Clone)]
pub struct AvroSchema(Arc<Table>);

struct Table {
    nodes: Vec<SchemaNode>,
    root: TypeId,
    text: Box<str>,
    /// The fewest bytes of a value of each type.
    least: Vec<usize>,
}

impl AvroSchema {
    /// Parses a schema from JSON.
    ///
    /// # Errors
    /// Of kind [`AvroSchema`](crate::Kind::Schema) when the text is not JSON or not a schema; the position has the path in
    /// the JSON. Of kind [`LimitExceeded`](crate::ErrorKind::LimitExceeded) when it is nested more deeply than the
    /// default of [`SchemaLimits`].
    pub fn parse(text: &str) -> Result<Self> {
        Self::parse_within(text, SchemaLimits::default())
    }

    /// Parses a schema from JSON, with other limits.
    ///
    /// # Errors
    /// As [`AvroSchema::parse`].
    pub fn parse_within(text: &str, limits: SchemaLimits) -> Result<Self> {
        parse::parse(text, limits)
    }

    /// Returns the type of a datum.
    #[must_use]
    pub fn root(&self) -> TypeId {
        self.0.root
    }

    /// Returns the type of an id.
    ///
    /// # Panics
    /// When the id is of another schema with more types.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.0.nodes[id.index()].ty
    }

    /// Returns the logical type, if the schema has an annotation that Avro defines for this type. Any other annotation
    /// is ignored, as Avro demands.
    ///
    /// # Panics
    /// When the id is of another schema with more types.
    #[must_use]
    pub fn logical(&self, id: TypeId) -> Option<Logical> {
        self.0.nodes[id.index()].logical
    }

    /// Returns the name of the time zone that a timestamp was written from: the property `arrow.timezone`, as
    /// [`encode`](crate::encode) writes it.
    ///
    /// # Panics
    /// When the id is of another schema with more types.
    #[must_use]
    pub fn time_zone(&self, id: TypeId) -> Option<&Arc<str>> {
        self.0.nodes[id.index()].zone.as_ref()
    }

    /// Returns whether a type is null.
    pub(crate) fn is_null(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Null)
    }

    /// Returns the branches of a union that are not null, with their numbers.
    pub(crate) fn values(&self, branches: &[TypeId]) -> impl Iterator<Item = (usize, TypeId)> {
        branches.iter().copied().enumerate().filter(|&(_, id)| !self.is_null(id))
    }

    /// Returns the branch beside null, with its number, if the type is a union with just one.
    pub(crate) fn only_value(&self, id: TypeId) -> Option<(usize, TypeId)> {
        let Type::Union(branches) = self.get(id) else { return None };
        let mut values = self.values(branches);
        let first = values.next()?;
        values.next().is_none().then_some(first)
    }

    /// Returns every type, in the order of their numbers. Primitive types come first, whether they are used or not.
    pub fn types(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        (0..).map(TypeId).zip(self.0.nodes.iter().map(|node| &node.ty))
    }

    /// Returns the number of types.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a schema has at least its root")]
    pub fn len(&self) -> usize {
        self.0.nodes.len()
    }

    /// Returns the JSON that the schema was read from, unchanged.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Returns the fewest bytes that a value of the type can have. For a record that contains itself without a way out,
    /// which no value can have, this is `usize::MAX`.
    ///
    /// # Panics
    /// When the id is of another schema with more types.
    #[must_use]
    pub fn least_bytes(&self, id: TypeId) -> usize {
        self.0.least[id.index()]
    }

    /// Returns the type in a few words for a message: `array of record com.test.person`, `union of null and string`.
    ///
    /// # Panics
    /// When the id is of another schema with more types.
    #[must_use]
    pub fn describe(&self, id: TypeId) -> String {
        describe::describe(self, id)
    }

    /// Returns the type as it is named in a union: `string`, `array`, or the full name of a record, enumeration or
    /// fixed.
    ///
    /// # Panics
    /// When the id is of another schema with more types.
    #[must_use]
    pub fn branch_name(&self, id: TypeId) -> &str {
        describe::branch_name(self.get(id))
    }

    /// Returns the parsing canonical form of the Avro specification: equal for schemas that read the same bytes alike.
    #[must_use]
    pub fn canonical_form(&self) -> String {
        canonical::canonical_form(self)
    }

    /// Returns the CRC-64-AVRO fingerprint of the canonical form, by which single-object encoding names a schema.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        canonical::fingerprint(self.canonical_form().as_bytes())
    }
}

impl fmt::Debug for AvroSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.text()).finish()
    }
}
