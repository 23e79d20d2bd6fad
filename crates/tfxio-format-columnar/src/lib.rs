//! Parquet and Arrow IPC files as formats of tfxio.
//!
//! [`ParquetFormat`] and [`IpcFormat`] are a [`FileFormat`](tfxio_core::FileFormat) each, on the readers and writers of `parquet` and
//! `arrow-ipc`. The folder `columnar` has what they share: planning, scanning and writing of files whose footer indexes groups of rows.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `parquet` | yes | `ParquetFormat` |
//! | `ipc` | yes | `IpcFormat` |

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "ipc", feature = "parquet"))]
mod columnar;
#[cfg(feature = "ipc")]
mod ipc;
#[cfg(feature = "parquet")]
mod parquet;

#[cfg(feature = "ipc")]
pub use self::ipc::IpcFormat;
#[cfg(feature = "parquet")]
pub use self::parquet::ParquetFormat;
pub use tfxio_core;

/// Runs the examples of this crate's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
