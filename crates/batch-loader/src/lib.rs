//! Shuffled, windowed, padded batches of training data.
//!
//! A [manifest](manifest::Manifest) describes a data set of TFRecord files, a
//! [configuration](config::LoaderConfig) describes how it is loaded, and out come [batches](Batch) of dense tensors:
//!
//! ```
//! use batch_loader::BatchLoader;
//! use batch_loader::config::LoaderConfig;
//!
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
//! let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
//! let mut loader = BatchLoader::builder(config)
//!     .formats(&tfxio_formats::formats())
//!     .inputs(["image"])
//!     .targets(["label"])
//!     .base_dir(folder)
//!     .seed(1)
//!     .build()?;
//! while let Some(batch) = loader.next_batch()? {
//!     let image = batch.get("image")?;
//!     assert_eq!(image.shape()[0], batch.len());
//! }
//! # Ok::<(), batch_loader::Error>(())
//! ```
//!
//! - **Three kinds of examples**: records of their own, windows of random length of a continuous sequence, windows of
//!   whole records.
//! - **The same seed gives the same batches**, whatever the number of threads.
//! - **[States](LoaderState)** are saved between two batches; a loader restored from one goes on with exactly the
//!   batches that would have followed.
//! - **Several hosts** load disjoint [shards](config::Shard).
//! - **Records are compared with a [schema](config::Validate)**, if one is given: loading stops, or anomalies are counted.
//! - Any [`Dataset`](tfxio_core::Dataset) can be [loaded](LoaderExt::loader), without a manifest.
//!
//! This crate contains no file formats: the files of a manifest are read with the [formats](LoaderBuilder::formats)
//! that a program gives, from the [store](LoaderBuilder::store) that it gives.

mod anomaly;
mod batch;
mod by_name;
mod column;
pub mod config;
mod elastic;
mod engine;
mod error;
mod feed;
mod files;
mod item;
mod json;
mod load_plan;
mod loader;
pub mod manifest;
mod packing;
mod parse;
mod permutation;
mod pipeline;
mod planner;
mod process;
mod progress;
mod selection;
mod shape;
mod source;
mod state;
mod stats;
mod validate;

pub use anomaly::Anomaly;
pub use batch::{Batch, RowOrigin};
pub use elastic::{ElasticLoader, ElasticState};
pub use error::Kind;
pub use load_plan::{ExampleOrder, LoadPlan};
pub use loader::{
    BatchLoader, Exhausted, Length, LoaderBuilder, LoaderExt, MapError, StatsHandle, StopHandle,
};
pub use state::LoaderState;
pub use stats::Stats;
pub use tfxio_core::{Error, ErrorKind, Position, Result};
/// The crates that the signatures of this crate have types of.
pub use {tensor_repr, tfxio_core};

/// The program of the reference is compiled with the doc tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/loader.md")]
struct Reference;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
