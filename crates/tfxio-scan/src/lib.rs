//! The read loop over any data set: partitions, scan, filter, projection, limit.
//!
//! [`DatasetExt`] has the methods of every `Arc<dyn Dataset>`: reading all rows, the last ones or a sample, counting, and views of a data
//! set, such as some of its rows or several data sets as one. Programs use them through `tfxio`, which re-exports them.
//!
//! A format brings its own [`Scan`](tfxio_core::Scan). The modules are what scans have in common:
//!
//! | module | contents |
//! | --- | --- |
//! | [`filter`] | evaluation of a predicate on batches, and on what is known of pages |
//! | [`merge`] | columns of files that are read together and differ in their columns |
//! | [`executor`] | decoding of records into batches, on one thread or several |
//! | [`cast`] | casts of columns |
//! | [`sampling`] | number of records that a schema is inferred from |
//! | [`damage`] | errors that mean damaged data |
//! | [`ranks`] | rows that are drawn at random, by their ranks |
//! | [`deferred_drop`], [`row_bytes`] | memory of batches |
//! | [`decimals`] | text of decimals |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod cast;
pub mod damage;
mod dataset_ext;
pub mod decimals;
pub mod deferred_drop;
pub mod executor;
pub mod filter;
pub mod merge;
mod name_pattern;
pub mod ranks;
mod read;
pub mod row_bytes;
pub mod sampling;
mod views;

pub use self::dataset_ext::DatasetExt;
pub use self::name_pattern::NamePattern;
#[cfg(feature = "async")]
pub use self::read::{BatchStream, Spawned};
pub use self::read::{Batches, BatchesBuilder, ScanWatch};
pub use tfxio_core;

/// Runs the examples of this crate's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
