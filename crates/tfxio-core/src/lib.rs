//! The traits and shared types through which the layers of tfxio compose.
//!
//! This crate is small and stable on purpose: every format crate depends on it, and it depends on
//! nothing but `tfxio-base` and Arrow's arrays and schemas. It holds
//!
//! - [`RecordDecoder`]: the one shape under every reader, a push decoder that does no I/O;
//! - [`Dataset`], [`Scan`], [`ScanRequest`], [`Partition`], [`Batch`]: the seam between formats and everything above them;
//! - [`FileFormat`], [`RecordFormat`], [`Formats`]: formats, and the registry of them;
//! - [`Origin`], [`Limits`] and [`DType`]: the few types they share;
//! - [`option_file`], [`shared_options`]: files that options name, and options of several formats;
//! - [`media`]: what payloads are by their first bytes, images with their sizes;
//! - [`OnError`]: whether damaged records end a reader or are skipped, with a budget and a report;
//! - [`Error`] and [`Position`]: what all of them answer when something is wrong.
//!
//! A decoder of your own needs only [`RecordDecoder`]:
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
//! use arrow_schema::{DataType, Field, Schema, SchemaRef};
//! use tfxio_core::{Error, Origin, RecordDecoder};
//!
//! /// Turns each record into its length.
//! #[derive(Default)]
//! struct Lengths(Vec<u64>);
//!
//! impl RecordDecoder for Lengths {
//!     fn schema(&self) -> Option<SchemaRef> {
//!         Some(Arc::new(Schema::new(vec![Field::new("length", DataType::UInt64, false)])))
//!     }
//!     fn push(&mut self, record: &[u8], _origin: Origin<'_>) -> Result<(), Error> {
//!         self.0.push(record.len() as u64);
//!         Ok(())
//!     }
//!     fn rows(&self) -> usize {
//!         self.0.len()
//!     }
//!     fn flush(&mut self) -> Result<RecordBatch, Error> {
//!         let column: ArrayRef = Arc::new(UInt64Array::from(std::mem::take(&mut self.0)));
//!         RecordBatch::try_from_iter([("length", column)]).map_err(Error::from)
//!     }
//! }
//!
//! let mut decoder = Lengths::default();
//! decoder.push(b"four", Origin::record(0))?;
//! assert_eq!(decoder.flush()?.num_rows(), 1);
//! # Ok::<(), tfxio_core::Error>(())
//! ```

mod batch;
mod batch_reader;
mod changed;
mod changed_dataset;
mod column_path;
mod dataset;
mod decimal;
mod decoder;
mod describe;
mod dtype;
mod entries;
mod feed;
mod files;
pub mod foreign;
mod format;
mod formats;
mod loss;
pub mod media;
pub mod option_file;
mod options;
mod origin;
mod origins;
mod partition;
mod predicate;
mod projection;
mod report;
mod request;
pub mod shared_options;
mod sink;
mod spec;
mod statistics;
mod store;
mod take;

pub use batch::Batch;
pub use batch_reader::BatchReader;
pub use changed::{ChangedScan, MapError, call_given};
pub use changed_dataset::ChangedDataset;
pub use column_path::ColumnPath;
pub use dataset::{Dataset, Scan, ScanCounts, Seek};
pub use decimal::Decimal;
pub use decoder::RecordDecoder;
pub use describe::{ColumnReport, Describe, SchemaReport};
pub use dtype::DType;
pub use entries::{Entries, entries_by_seeking};
pub use feed::{Fed, Feed};
pub use files::Files;
pub use format::{
    CopyRecords, FileFormat, Inspect, RecordEncoder, RecordFormat, RecordPlan, RecordPlanner, Repair,
    WriteIndex, not_offered,
};
pub use formats::Formats;
pub use loss::Loss;
pub use options::{FormatOptions, OptionSpec, OptionType, OptionValue};
pub use origin::Origin;
pub use origins::{Origins, RowOrigin};
pub use partition::{Partition, RecordRun};
pub use predicate::{Comparison, Literal, Predicate};
pub use projection::{Projection, UnknownColumn};
pub use report::{Fact, FactValue, FileReport, FileState, Total};
pub use request::{Column, Layout, ScanRequest};
pub use sink::{Sink, Written};
pub use spec::DatasetSpec;
pub use statistics::{ColumnStatistics, Estimate, PartitionStatistics};
pub use store::{Input, LocalStore, Store};
pub use take::{count_by_scanning, take_by_seeking, take_in_file_by_seeking};
pub use tfxio_base::{
    Cancel, CancelGuard, Count, Damage, Detail, Error, ErrorKind, InflateClock, Limits, LostRange, Nested,
    OnError, Ordered, OutputFile, OverBudget, Position, Remedy, Result, ShardSets, Skip, SkipBudget,
    SkipReport, Spawn, Threading, Threads, Work, inflating, random, suggest,
};
/// The crates of Arrow that the signatures of this crate have types of.
pub use {arrow_array, arrow_schema};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
