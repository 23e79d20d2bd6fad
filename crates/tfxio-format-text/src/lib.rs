//! CSV files and JSON lines as formats of tfxio.
//!
//! [`CsvFormat`] and [`JsonLinesFormat`] are a [`FileFormat`](tfxio_core::FileFormat) each. The folder `lines` has what they share:
//! finding, cutting and reading of rows of text, plain or in gzip. [`json`] writes values of columns as JSON.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `tensors` | no | the option `schema`: types of columns by a schema of TensorFlow Metadata |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod csv;
pub mod json;
mod jsonl;
mod lines;

pub use self::csv::CsvFormat;
pub use self::jsonl::JsonLinesFormat;
pub use tfxio_core;

/// Runs the examples of this crate's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
