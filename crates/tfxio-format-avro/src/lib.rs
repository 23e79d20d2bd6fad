//! Avro object container files as a format of tfxio.
//!
//! [`AvroFormat`] is a `FileFormat`(tfxio_core::FileFormat), [`AvroRecords`] lends records as they are.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `bzip2`, `xz`, `zstandard` | no | a codec beside null, deflate and snappy |
//! | `tensors` | no | feature specs, and `AvroFeatures`: tensors of records |
//!
//! # Modules
//!
//! `format` is the format, `dataset` its data set; `settings` reads the options, `specs` the options of feature specs, and
//! `columns` resolves the requested columns. `scan` reads a part of a file, by `serial` or `threaded`, `chain` several parts, and
//! `take` chosen records of `open_file`s. `blocks` lends the blocks, `decoder` makes rows of them, with a `prefilter` if the scan
//! has a filter, `decoded` tells the records of these rows, and `gathered` makes batches of them. `serialized` lends records as they
//! are, `features` makes tensors of them. `known` keeps the offsets of blocks, in a `table` for each file, `resolved` reads data of
//! other schemas, `sink` writes, `copy` copies records as they are, and `salvage` inspects and repairs files.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocks;
mod chain;
mod columns;
mod copy;
mod cursor;
mod dataset;
mod decoded;
mod decoder;
mod describe;
#[cfg(feature = "tensors")]
mod features;
mod file_metadata;
mod format;
mod gathered;
mod mixed;
mod open_file;
mod output;
mod prefilter;
mod resolved;
mod salvage;
mod scan;
mod serial;
mod serialized;
mod settings;
mod sink;
#[cfg(feature = "tensors")]
mod specs;
mod table;
mod take;
mod threaded;

#[cfg(feature = "tensors")]
pub use self::features::{AvroFeatures, AvroFeaturesBuilder};
pub use self::format::AvroFormat;
pub use self::serialized::AvroRecords;
pub use avro_path;
pub use tfxio_core;

/// Runs the examples of this crate's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
