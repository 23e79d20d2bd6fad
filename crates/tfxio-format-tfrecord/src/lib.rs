//! TFRecord files as a format of tfxio, and the formats of their records.
//!
//! [`TfRecordFormat`] is a [`FileFormat`](tfxio_core::FileFormat). Each format of records is a [`RecordFormat`](tfxio_core::RecordFormat):
//! `ExampleFormat`, `SequenceExampleFormat`, `ProtoFormat` and [`RawFormat`].
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `example` | yes | records of tf.Example and tf.SequenceExample; `examples` |
//! | `proto` | no | `ProtoFormat`: records that are messages of any protobuf type |
//! | `tensors` | no | `example`, with columns by a schema of TensorFlow Metadata or by feature specs |
//!
//! # Modules
//!
//! `format` is the format and `data_set` its data set, with a `plan` of its records. A `scan` reads the `records` of
//! partitions, each by a `partition_reader`, and decodes them in `job`s, with a `prefilter` if the scan has a filter; `cut` and
//! `indexes` find where partitions begin. `sink` writes; `inspect`, `index_files` and `rewrite` are the further operations of the
//! format. `record_formats` has the formats of records.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod chunk;
mod cut;
mod data;
mod data_set;
mod decoding;
mod describe;
#[cfg(feature = "example")]
mod examples;
mod format;
mod index_files;
mod index_storage;
mod indexes;
mod inference;
mod inflated;
mod inspect;
mod job;
mod local_index;
mod partition_offsets;
mod partition_reader;
mod plan;
mod prefilter;
mod raw;
mod record_formats;
mod records;
mod registry;
mod rewrite;
mod salvage;
mod scan;
mod settings;
mod sink;

#[cfg(feature = "example")]
pub use self::examples::{Examples, examples};
pub use self::format::TfRecordFormat;
pub use self::raw::{RawRecordDecoder, raw_records_to_record_batch};
#[cfg(feature = "proto")]
pub use self::record_formats::ProtoFormat;
pub use self::record_formats::RawFormat;
#[cfg(feature = "example")]
pub use self::record_formats::{ExampleFormat, SequenceExampleFormat};
#[cfg(all(feature = "example", feature = "tensors"))]
pub use self::record_formats::{example_schema, sequence_example_schema};
pub use self::registry::register;
#[cfg(feature = "example")]
pub use example_codec;
#[cfg(feature = "proto")]
pub use message_codec;
pub use tfrecord_io;
pub use tfxio_core;

/// Runs the examples of this crate's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
