//! Data of a writer's schema, read with a reader's: fields in another order, more or fewer of them, wider numbers,
//! other unions, other names.
//!
//! A [`Resolution`] is compiled from the two schemas, by the rules of the Avro specification ("Schema Resolution"). It
//! turns the bytes of a datum as it was written into the bytes that a writer with the reader's schema would have
//! written, so that everything that reads data needs to know one schema only. Values that both schemas lay out alike
//! are copied without being decoded; bytes that become a string are checked to be UTF-8.
//!
//! ```
//! use avro_path::datum::DatumReader;
//! use avro_path::{Resolution, AvroSchema};
//!
//! let writer = AvroSchema::parse(
//!     r#"{"type": "record", "name": "p", "fields": [
//!         {"name": "id", "type": "int"}, {"name": "old", "type": "string"}]}"#,
//! )?;
//! let reader = AvroSchema::parse(
//!     r#"{"type": "record", "name": "p", "fields": [
//!         {"name": "rank", "type": "int", "default": 7},
//!         {"name": "number", "type": ["null", "double"], "aliases": ["id"]}]}"#,
//! )?;
//! let resolution = Resolution::new(&writer, &reader)?;
//! let mut out = Vec::new();
//! resolution.apply(&mut DatumReader::new(&[4, 2, b'x']), &mut out)?;
//! assert_eq!(out, [14, 2, 0, 0, 0, 0, 0, 0, 0, 0x40]); // 7, then branch 1: 2.0
//! # Ok::<(), avro_path::Error>(())
//! ```

mod alike;
mod compile;
mod run;

use std::sync::Arc;

use tfxio_core::Limits;

use crate::Result;
use crate::datum::{DatumReader, SkipPlan};
use crate::schema::{AvroSchema, TypeId};

/// Compiled conversion of data of a writer's schema to data of a reader's. Shared by its clones.
#[derive(Clone, Debug)]
pub struct Resolution {
    pub(crate) writer: AvroSchema,
    /// Plan to skip values of the writer's schema.
    pub(crate) skip: Arc<SkipPlan>,
    ops: Vec<Op>,
    pub(crate) root: OpId,
    most: usize,
    empty_items: u64,
}

/// A number in [`Resolution::ops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpId(usize);

/// Operation on a value of the writer's schema.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Copies the bytes.
    Copy(TypeId),
    /// Converts to a wider number.
    Promoted(Promotion),
    /// Copies the bytes if they are UTF-8.
    BytesToString,
    /// Maps each symbol of the writer's enum to its number in the reader's.
    Symbols(Box<[Result<usize, Box<str>>]>),
    /// Resolves the items, of this type of the writer's.
    Array(TypeId, OpId),
    Map(TypeId, OpId),
    /// Resolves each branch of the writer's union.
    Branches(Box<[OpId]>),
    /// Writes a branch of the reader's union.
    IntoBranch(usize, OpId),
    Record(Box<Fields>),
    /// Fails, for a value that the reader's schema cannot hold.
    Fail(Box<str>),
}

/// Promotion of a number to a wider type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Promotion {
    IntToFloat,
    IntToDouble,
    LongToFloat,
    LongToDouble,
    FloatToDouble,
}

impl Promotion {
    pub(crate) fn is_to_float(self) -> bool {
        matches!(self, Self::IntToFloat | Self::LongToFloat)
    }
}

/// A record of other fields, or of fields in another order.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// The types of the writer's fields.
    written: Box<[TypeId]>,
    /// Source of each of the reader's fields.
    pub(crate) sources: Box<[FieldSource]>,
    /// Whether the fields that come from the writer are in its order.
    in_order: bool,
}

/// Source of a field of the reader's schema.
#[derive(Clone, Debug)]
pub(crate) enum FieldSource {
    /// Field of the writer's schema, by its number, and its name.
    Field(usize, OpId, Box<str>),
    Default(Box<[u8]>),
}

/// Compiles a [`Resolution`]: see [`Resolution::builder`].
#[derive(Clone, Debug)]
pub struct ResolutionBuilder<'s> {
    writer: &'s AvroSchema,
    reader: &'s AvroSchema,
    limits: Limits,
}

impl ResolutionBuilder<'_> {
    /// Sets the limits, of which [`record_bytes`](Limits::record_bytes) and [`empty_items`](Limits::empty_items) count
    /// here. The former bounds a datum as the reader sees it, since defaults can make it longer.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Compiles the resolution.
    ///
    /// # Errors
    /// Of kind [`Resolution`](crate::Kind::Resolution) when data of the writer's schema can never be read with the
    /// reader's; the position's path names the field. What fails only for some data (a branch of a union, a symbol) is
    /// not an error yet.
    pub fn build(self) -> Result<Resolution> {
        let (ops, root) = compile::compile(self.writer, self.reader)?;
        Ok(Resolution {
            writer: self.writer.clone(),
            skip: Arc::new(SkipPlan::new(self.writer)),
            ops,
            root,
            most: usize::try_from(self.limits.record_bytes).unwrap_or(usize::MAX),
            empty_items: self.limits.empty_items,
        })
    }
}

impl Resolution {
    /// Compiles the resolution, with the default limits.
    ///
    /// # Errors
    /// As [`ResolutionBuilder::build`].
    pub fn new(writer: &AvroSchema, reader: &AvroSchema) -> Result<Self> {
        Self::builder(writer, reader).build()
    }

    /// Returns a builder of the resolution from a writer's to a reader's schema.
    #[must_use]
    pub fn builder<'s>(writer: &'s AvroSchema, reader: &'s AvroSchema) -> ResolutionBuilder<'s> {
        ResolutionBuilder { writer, reader, limits: Limits::default() }
    }

    /// Returns whether the bytes of every datum are the same with both schemas, so that there is nothing to do.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        matches!(self.op(self.root), Some(Op::Copy(_)))
    }

    /// Reads a datum of the writer's schema and appends it as one of the reader's.
    ///
    /// # Errors
    /// When the bytes are not a datum of the writer's schema, as far as its end has to be found; when it holds a branch
    /// or a symbol that the reader's schema does not have; when bytes that become a string are not UTF-8, of kind
    /// [`NotUtf8`](crate::Kind::NotUtf8); when a limit is reached. What was appended is removed.
    pub fn apply(&self, datum: &mut DatumReader<'_>, out: &mut Vec<u8>) -> Result<()> {
        run::run(self, datum, out)
    }

    /// Returns whether a record has fields that the reader's lacks.
    pub(crate) fn drops_fields(&self) -> bool {
        self.ops.iter().any(|op| {
            let Op::Record(fields) = op else { return false };
            let is_kept = |at: usize| {
                fields
                    .sources
                    .iter()
                    .any(|source| matches!(source, FieldSource::Field(from, ..) if *from == at))
            };
            !(0..fields.written.len()).all(is_kept)
        })
    }

    pub(crate) fn op(&self, id: OpId) -> Option<&Op> {
        self.ops.get(id.0)
    }
}
