//! Stores of files: local paths, pipes, standard input and output, object stores, and outputs that appear whole.
//!
//! [`FileStore`] is the [`Store`](tfxio_core::Store) that the opener of tfxio uses; programs reach it through `tfxio`. The modules are what
//! formats need of it:
//!
//! | module | contents |
//! | --- | --- |
//! | `objects` | object stores by their URLs, with the feature `object-store` |
//! | [`output`] | files that are written: one, or a set of shards |
//! | [`row_sink`] | sinks of rows as records, dealt to shards by several threads |
//! | [`payload_totals`] | totals and checksums of reports |
//! | [`counted_store`] | a store that counts the bytes that are read |
//! | [`url`] | names that are URLs |
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `object-store` | no | `objects`: URLs that lead to object stores of your own |
//! | `cloud` | no | `object-store`, and URLs of S3, Google Cloud Storage, Azure and HTTP |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod counted_store;
mod file_store;
#[cfg(feature = "object-store")]
pub mod objects;
pub mod output;
pub mod payload_totals;
pub mod row_sink;
pub mod url;

pub use self::file_store::{DASH, FileStore, Named, Shards, SpoolLimits, named_twice};
pub use self::url::is_url;
pub use tfrecord_io::shards;
pub use tfxio_core;

/// Runs the examples of this crate's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
