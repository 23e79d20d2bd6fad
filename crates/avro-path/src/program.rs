//! Key expressions run over Avro data: one program for all, one walk over each datum's bytes, one Arrow column a key.
//!
//! A [`KeyProgram`] is compiled once from a schema and keys, and shared; an [`AvroDecoder`] takes data and hands out
//! batches. Fields that no key needs are skipped and not decoded.
//!
//! | part of a key | in the column |
//! | --- | --- |
//! | `[*]`, a filter | one more `[Large]List`; null where the array or map itself is missing |
//! | a boolean, int, long, float or double at its end | `Boolean`, `Int32`, `Int64`, `Float32`, `Float64` |
//! | a string or an enum at its end, a key of a map | `[Large]Utf8`: the text, the symbol |
//! | bytes or a fixed at its end | `[Large]Binary` |
//! | a logical type at its end | [as in whole records](crate::record#two-layouts) |
//! | a null at its end | `Null` |
//!
//! [`KeyOptions::stored`] has `[Large]Binary` for text, and the types below logical ones.
//!
//! A value is null where the datum has a null, another branch of a union, no such map key or no such index.
//!
//! ```
//! use arrow_array::cast::AsArray;
//! use avro_path::datum::write;
//! use avro_path::{AvroSchema, Key, KeyProgram};
//! use tfxio_core::{Origin, RecordDecoder};
//!
//! let schema = AvroSchema::parse(
//!     r#"{"type": "record", "name": "person", "fields": [
//!         {"name": "name", "type": "string"},
//!         {"name": "friends", "type": {"type": "array", "items": "person"}}
//!     ]}"#,
//! )?;
//! let program = KeyProgram::new(&schema, &[Key::parse("friends[name!=@name].name")?])?;
//!
//! // Ada has the friends Ada and Bo, who have none.
//! let mut datum = Vec::new();
//! write::string(&mut datum, "Ada");
//! write::long(&mut datum, 2);
//! for friend in ["Ada", "Bo"] {
//!     write::string(&mut datum, friend);
//!     write::long(&mut datum, 0);
//! }
//! write::long(&mut datum, 0);
//!
//! let mut decoder = program.decoder();
//! decoder.push(&datum, Origin::record(0))?;
//! let batch = decoder.flush()?;
//! let names = batch.column(0).as_list::<i64>().value(0);
//! assert_eq!(names.as_string::<i64>().value(0), "Bo");
//! assert_eq!(names.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checks;
mod column;
mod compile;
mod draft;
mod want;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;

use crate::key::Key;
use crate::plan::{AvroDecoder, DecodePlan};
use crate::resolution::Resolution;
use crate::schema::AvroSchema;
use crate::{Error, ErrorKind, Result};

pub(crate) use column::ColumnValues;

/// Options for the layout of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyOptions {
    /// `LargeList`, `LargeUtf8` and `LargeBinary` with 64-bit offsets, or `List`, `Utf8` and `Binary` with 32-bit ones. Default true.
    pub large_offsets: bool,
    /// Whether strings, symbols of enums and keys of maps become `Utf8`, or `Binary` as bytes do. Columns of unions that
    /// also have bytes are `Binary` in any case. Default true.
    pub utf8: bool,
    /// Whether logical types become the matching Arrow types, or the types below them. Default true.
    pub logical_types: bool,
}

impl Default for KeyOptions {
    fn default() -> Self {
        Self { large_offsets: true, utf8: true, logical_types: true }
    }
}

impl KeyOptions {
    /// Returns options for columns of the stored types: `Binary` for text, and numbers and bytes for logical types. So
    /// are the columns that a TensorFlow feature reads.
    #[must_use]
    pub fn stored() -> Self {
        Self { utf8: false, logical_types: false, ..Self::default() }
    }

    /// Chooses 64-bit offsets, or 32-bit ones.
    #[must_use]
    pub fn large_offsets(mut self, large_offsets: bool) -> Self {
        self.large_offsets = large_offsets;
        self
    }

    /// Chooses `Utf8` for text, or `Binary`.
    #[must_use]
    pub fn utf8(mut self, utf8: bool) -> Self {
        self.utf8 = utf8;
        self
    }

    /// Chooses whether logical types become the matching Arrow types.
    #[must_use]
    pub fn logical_types(mut self, logical_types: bool) -> Self {
        self.logical_types = logical_types;
        self
    }
}

/// Compiles key expressions: see [`KeyProgram::builder`].
#[derive(Clone, Debug)]
pub struct KeyProgramBuilder<'k> {
    schema: &'k AvroSchema,
    writer: Option<&'k AvroSchema>,
    columns: Vec<(&'k str, &'k Key)>,
    options: KeyOptions,
}

impl<'k> KeyProgramBuilder<'k> {
    /// Sets the layout of the columns.
    #[must_use]
    pub fn options(mut self, options: KeyOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the schema that the data were written with, where it is another than that of the keys: fields in another
    /// order, more or fewer of them, wider numbers, other unions, other names. Nothing is rewritten: the writer's bytes
    /// are read as the schema of the keys wants them.
    #[must_use]
    pub fn writer(mut self, writer: &'k AvroSchema) -> Self {
        self.writer = Some(writer);
        self
    }

    /// Compiles the keys.
    ///
    /// # Errors
    /// Of kind [`KeyType`](crate::Kind::KeyType) when a key does not fit the schema, with the
    /// [column](crate::Position::column) of what does not fit; of kind [`InvalidArgument`](ErrorKind::InvalidArgument) when
    /// two columns have the same name; of kind [`Resolution`](crate::Kind::Resolution) when data of the writer's schema can
    /// never be read with that of the keys.
    pub fn build(self) -> Result<KeyProgram> {
        let mut known = HashSet::new();
        if let Some((name, _)) = self.columns.iter().find(|(name, _)| !known.insert(*name)) {
            let error = Error::new(ErrorKind::InvalidArgument, format!("two columns are called {name:?}"));
            return Err(error.help("give each key another name"));
        }
        let resolution = self.writer.map(|writer| Resolution::new(writer, self.schema)).transpose()?;
        let plan =
            compile::compile(self.schema, resolution.as_ref(), self.columns.into_iter(), self.options)?;
        Ok(KeyProgram(Arc::new(plan)))
    }
}

/// Key expressions compiled for a schema, or for data of one schema that are read with another: an [`AvroDecoder`] walks
/// each datum with the prefix tree of all of them.
///
/// Immutable; clones share it.
#[derive(Clone)]
pub struct KeyProgram(Arc<DecodePlan>);

impl KeyProgram {
    /// Compiles keys for data of a schema. The columns have the keys' texts as names, in the order of the keys.
    ///
    /// # Errors
    /// As [`KeyProgramBuilder::build`].
    pub fn new(schema: &AvroSchema, keys: &[Key]) -> Result<Self> {
        Self::builder(schema, keys.iter().map(|key| (key.text(), key))).build()
    }

    /// Returns a builder of a program with these columns: the name and the key of each.
    pub fn builder<'k>(
        schema: &'k AvroSchema,
        columns: impl IntoIterator<Item = (&'k str, &'k Key)>,
    ) -> KeyProgramBuilder<'k> {
        let columns = columns.into_iter().collect();
        KeyProgramBuilder { schema, writer: None, columns, options: KeyOptions::default() }
    }

    /// Returns the schema of the batches: one nullable column a key.
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        self.0.schema()
    }

    /// Returns a decoder that runs this program.
    #[must_use]
    pub fn decoder(&self) -> AvroDecoder {
        AvroDecoder::new(&self.0)
    }
}

impl fmt::Debug for KeyProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyProgram").field("schema", &self.0.schema()).finish_non_exhaustive()
    }
}
