//! Data sets as DataFusion tables: SQL over TFRecord, Avro and every other format, in one process.
//!
//! [`TfxioTable`] makes a table of any [`Dataset`](tfxio_core::Dataset); [`SessionContextExt`] registers it in a session of
//! [`datafusion`], and lets statements name files.
//!
//! ```
//! use datafusion::prelude::SessionContext;
//! use tfxio_sql::SessionContextExt as _;
//! # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//!
//! let context = SessionContext::new();
//! context.register_tfxio("train", tfxio_formats::open(digits)?)?;
//! let labels = context.sql("select label, count(*) from train group by label").await?;
//! assert_eq!(labels.count().await?, 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A feature with exactly one value in every row is a column of values, and one whose bytes are UTF-8 is text: see [`TableOptions`].
//! An error in the data keeps its file, byte and record: see [`dataset_error`].
//!
//! With the feature `codec`, tables and plans are sent to other processes, so that an engine of several machines runs them: see
//! `TfxioCodec`.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod blocking;
#[cfg(feature = "codec")]
mod codec;
mod context;
mod deep;
mod error;
mod exec;
mod files;
mod filter;
mod functions;
mod options;
mod output;
mod plan;
mod session;
mod sql_column;
mod statement;
mod statistics;
mod table;

pub use datafusion;
#[cfg(feature = "codec")]
pub use datafusion_proto;

#[cfg(feature = "codec")]
pub use self::codec::TfxioCodec;
pub use self::context::SessionContextExt;
pub use self::error::dataset_error;
pub use self::exec::TfxioExec;
pub use self::files::FileTables;
pub use self::functions::functions;
pub use self::options::TableOptions;
pub use self::session::{Answer, Session};
pub use self::statement::mark;
pub use self::table::TfxioTable;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
