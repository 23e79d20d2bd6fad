//! Avro for training data: object containers, schemas, and key expressions that name Arrow columns in nested records.
//!
//! ```
//! use avro_path::{Reader, AvroSchema};
//! use avro_path::container::ContainerWriter;
//! use avro_path::datum::write;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("people.avro");
//! let schema = AvroSchema::parse(
//!     r#"{"type": "record", "name": "person", "fields": [
//!         {"name": "name", "type": "string"}, {"name": "age", "type": "int"}]}"#,
//! )?;
//! let mut writer = ContainerWriter::builder(&path, &schema).create()?;
//! for (name, age) in [("Ada", 36), ("Kai", 7)] {
//!     writer.write_with(|out| {
//!         write::string(out, name);
//!         write::long(out, age);
//!         Ok(())
//!     })?;
//! }
//! writer.finish()?; // The file appears now, and whole.
//!
//! // A column for each key expression; `records` has whole records.
//! let mut rows = 0;
//! for batch in Reader::open(&path)?.keys(["name", "age"])? {
//!     rows += batch?.num_rows();
//! }
//! assert_eq!(rows, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | for | see |
//! | --- | --- |
//! | files as batches of Arrow: keys, or whole records | [`Reader`] |
//! | key expressions, and the columns that they name | [`key`], [`program`] |
//! | files: reading, writing, splits, threads, salvage | [`container`] |
//! | the schema of a file | [`schema`] |
//! | records of files as types of serde | [`Reader::values`], [`ContainerWriter::write_value`](container::ContainerWriter::write_value) |
//! | the bytes of single values; single-object encoding; a datum as JSON, and as a type of serde | [`datum`] |
//! | Arrow batches as Avro | [`encode`] |
//! | data of one schema read with another | [`resolution`] |
//! | whole records as Arrow columns | [`record`] |
//! | what went wrong, and where | [`Error`], [`Kind`] |
//!
//! # Trust
//!
//! Nothing in a file is believed. No memory is taken because a file claims a length or a count; [`Limits`] bound the
//! memory that it can make a reader hold. Every error reports the fault, the file, the byte, block and record, and the
//! path within a record ([`Error`]). Names that break Avro's rules, and metadata that are not text, are read.
//!
//! # Features
//!
//! | feature | default | brings |
//! | --- | --- | --- |
//! | `deflate` | yes | blocks compressed with deflate, through `flate2` with the pure Rust `zlib-rs` |
//! | `snappy` | yes | snappy and its CRC-32, in pure Rust |
//! | `bzip2` | no | bzip2, in pure Rust |
//! | `xz` | no | xz, in pure Rust |
//! | `zstandard` | no | zstandard, through its reference implementation (C) |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod buffers;
pub mod container;
pub mod datum;
pub mod encode;
mod error;
pub mod key;
mod plan;
pub mod program;
mod reader;
pub mod record;
pub mod resolution;
pub mod schema;
mod values;

pub use error::Kind;
pub use key::Key;
pub use plan::AvroDecoder;
pub use program::KeyProgram;
pub use reader::{AvroBatches, BlockCursor, Reader};
pub use record::RecordPlan;
pub use resolution::Resolution;
pub use schema::AvroSchema;
/// Types of [`tfxio_core`] that are part of the signatures of this crate.
pub use tfxio_core::{Error, ErrorKind, Limits, Origin, Position, RecordDecoder, Result};
pub use values::AvroValues;
/// The crates of Arrow that the signatures of this crate have types of.
pub use {arrow_array, arrow_schema};

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles the examples of the guides.
#[cfg(doctest)]
#[doc = include_str!("../docs/avro.md")]
#[doc = include_str!("../docs/key-expressions.md")]
struct Guides;
