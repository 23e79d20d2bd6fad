//! Read machine-learning training data into Apache Arrow.
//!
//! This crate joins the others: it reads data sets of one physical format (how records lie in files) and
//! one logical format (what a record holds) as Arrow record batches.
//!
//! | physical | logical | type | feature |
//! | --- | --- | --- | --- |
//! | TFRecord | tf.Example | [`ExampleTfxIo`] | `example` |
//! | TFRecord | tf.SequenceExample | [`SequenceExampleTfxIo`] | `example` |
//! | TFRecord | raw bytes | [`RawRecordTfxIo`] | `tfrecord` |
//! | Avro | Avro | `AvroTfxIo` | `avro` |
//!
//! All are [`TfxIo`]s: they say their schema, cut themselves into splits, and read a split as a
//! `RecordBatchReader` of arrow, which every other Arrow library in Rust takes.
//!
//! ```
//! # #[cfg(feature = "example")] {
//! use tfxio::{ExampleTfxIo, ReadOptions, TfxIo};
//! # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-?????-of-00003.tfrecord");
//!
//! // `digits` is a path or a pattern: "digits-?????-of-00003.tfrecord", "digits@3.tfrecord", "data/*.tfrecord".
//! let dataset = ExampleTfxIo::builder([digits]).build()?;
//! let options = ReadOptions::default().with_projection(["label", "image"]);
//! let mut rows = 0;
//! for split in dataset.splits(64 << 20)? {
//!     for batch in dataset.read(&split, &options)? {
//!         rows += batch?.num_rows();
//!     }
//! }
//! assert_eq!(rows, 1797);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `tfrecord` | by `example` | TFRecord files, plain, gzip and zlib; [`RawRecordTfxIo`]; the crate [`tfrecord_io`] |
//! | `example` | yes | [`ExampleTfxIo`], [`SequenceExampleTfxIo`]; [`convert`](mod@convert); the crate [`example_codec`] |
//! | `avro` | no | `AvroTfxIo`: Avro files with the codecs null, deflate and snappy; the crate `avro_path` |
//! | `avro-bzip2`, `avro-xz`, `avro-zstandard` | no | `avro`, and a further codec |
//! | `tensors` | no | `TensorTfxIo`: data sets as tensors, by the schemas of TensorFlow Metadata, representations or feature specs; the crate `tensor_repr` |
//! | `loader` | no | `loader`: shuffled, windowed, padded batches from a manifest and a configuration; the crate `batch_loader` |
//! | `parquet` | no | conversion from and to Parquet |
//! | `ipc` | no | conversion from and to Arrow IPC files |
//! | `object-store` | no | `store`: URLs that lead to object stores of your own; the asynchronous readers of [`tfrecord_io`] |
//! | `cloud` | no | `object-store`, and URLs of S3, Google Cloud Storage, Azure and HTTP |
//!
//! # Limits
//!
//! Outputs are local files. Other messages are not part of this version.

#[cfg(feature = "loader")]
pub mod loader;

#[cfg(feature = "loader")]
pub use batch_loader;
pub use tfxio_formats::*;

/// Runs the examples of the repository's README as tests.
#[cfg(all(doctest, feature = "example", feature = "loader"))]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;

/// Runs the examples of this crate's README as tests.
#[cfg(all(doctest, feature = "example"))]
#[doc = include_str!("../README.md")]
struct CrateReadme;
