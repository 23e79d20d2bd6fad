//! Key expressions run over Avro data: one program for all, one walk over each datum's bytes, one Arrow column a key.
//!
//! A [`KeyProgram`] is compiled once from a schema and keys, and shared; a [`KeyDecoder`] takes data and hands out
//! batches. What no key needs is passed over and not decoded.
//!
//! | part of a key | in the column |
//! | --- | --- |
//! | `[*]`, a filter | one more `[Large]List`; null where the array or map itself is missing |
//! | a boolean, int, long, float or double at its end | `Boolean`, `Int32`, `Int64`, `Float32`, `Float64` |
//! | a string, bytes, a fixed or an enum at its end | `[Large]Binary`: UTF-8, the bytes, the symbol |
//! | a null at its end | `Null` |
//!
//! A value is null where the datum has a null, another branch of a union, no such map key or no such index.
//!
//! ```
//! use arrow_array::cast::AsArray;
//! use avro_path::datum::write;
//! use avro_path::{Key, KeyProgram, Schema};
//! use tfxio_core::{Origin, RecordDecoder};
//!
//! let schema = Schema::parse(
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
//! assert_eq!(names.as_binary::<i64>().value(0), b"Bo");
//! assert_eq!(names.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod checks;
mod column;
mod compile;
mod decoder;
mod draft;
mod filter;
mod items;
mod nulls;
mod run;
mod tree;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use arrow_schema::{Field, SchemaRef};

use crate::key::Key;
use crate::schema::Schema;
use crate::{Error, ErrorKind, Result};

pub(crate) use column::data_type as column_type;
pub use decoder::KeyDecoder;

/// How columns are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyOptions {
    /// `LargeList` and `LargeBinary` with 64-bit offsets, or `List` and `Binary` with 32-bit ones. Default true.
    pub large_offsets: bool,
}

impl Default for KeyOptions {
    fn default() -> Self {
        Self { large_offsets: true }
    }
}

impl KeyOptions {
    /// Chooses 64-bit offsets, or 32-bit ones.
    #[must_use]
    pub fn with_large_offsets(mut self, large_offsets: bool) -> Self {
        self.large_offsets = large_offsets;
        self
    }
}

/// Key expressions compiled for a schema: a prefix tree with which a [`KeyDecoder`] walks each datum.
///
/// Immutable; clones share it.
#[derive(Clone)]
pub struct KeyProgram(Arc<Program>);

struct Program {
    tree: tree::Tree,
    options: KeyOptions,
    schema: SchemaRef,
}

impl KeyProgram {
    /// Compiles keys for data of a schema. The columns are called by the keys' texts, in their order.
    ///
    /// # Errors
    /// Of kind [`KeyType`](ErrorKind::KeyType) when a key does not fit the schema, with the
    /// [column](crate::Position::column) of what does not fit; of kind [`InvalidOption`](ErrorKind::InvalidOption) when
    /// two columns would have the same name.
    pub fn new(schema: &Schema, keys: &[Key]) -> Result<Self> {
        Self::with_options(schema, keys.iter().map(|key| (key.text(), key)), KeyOptions::default())
    }

    /// Compiles keys for data of a schema, each with the name of its column.
    ///
    /// # Errors
    /// As [`KeyProgram::new`].
    pub fn with_options<'k>(
        schema: &Schema,
        keys: impl IntoIterator<Item = (&'k str, &'k Key)>,
        options: KeyOptions,
    ) -> Result<Self> {
        let (names, keys): (Vec<_>, Vec<_>) = keys.into_iter().unzip();
        let mut known = HashSet::new();
        if let Some(name) = names.iter().find(|name| !known.insert(**name)) {
            let error = Error::new(ErrorKind::InvalidOption, format!("two columns are called {name:?}"));
            return Err(error.with_hint("give each key another name"));
        }
        let tree = compile::compile(schema, keys.into_iter())?;
        let fields = names.iter().zip(&tree.columns).map(|(name, &(leaf, rank))| {
            Field::new(*name, column::data_type(leaf, rank, options.large_offsets), true)
        });
        let schema = Arc::new(arrow_schema::Schema::new(fields.collect::<Vec<_>>()));
        Ok(Self(Arc::new(Program { tree, options, schema })))
    }

    /// The schema of the batches: one nullable column a key.
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        Arc::clone(&self.0.schema)
    }

    /// A decoder that runs this program.
    #[must_use]
    pub fn decoder(&self) -> KeyDecoder {
        KeyDecoder::new(self)
    }
}

impl fmt::Debug for KeyProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyProgram").field("schema", &self.0.schema).finish_non_exhaustive()
    }
}
