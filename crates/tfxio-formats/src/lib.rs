//! The opener of data sets, and the registry of formats.
//!
//! Programs use this crate through `tfxio`, which re-exports it.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `tfrecord` | by `example` | TFRecord files, plain, gzip and zlib, with raw records; the crate `tfrecord_io` |
//! | `example` | yes | records of tf.Example and tf.SequenceExample; the crate `example_codec` |
//! | `avro` | no | `AvroFormat`: Avro files with the codecs null, deflate and snappy; the crate `avro_path` |
//! | `avro-bzip2`, `avro-xz`, `avro-zstandard` | no | `avro`, and a further codec |
//! | `tensors` | no | columns as tensors, by the schemas of TensorFlow Metadata, representations or feature specs; the crate `tensor_repr` |
//! | `ndarray`, `dlpack` | no | `tensors`, as views of ndarray or for other libraries through DLPack |
//! | `parquet` | no | `ParquetFormat`: Parquet files |
//! | `proto` | no | `ProtoFormat`: records that are messages of any protobuf type; the crate `message_codec` |
//! | `ipc` | no | `IpcFormat`: Arrow IPC files |
//! | `csv` | no | `CsvFormat`: CSV files |
//! | `jsonl` | no | `JsonLinesFormat`: JSON lines; `json` |
//! | `async` | no | `DatasetExt::read_stream`, `OpenOptions::open_async`: a stream of batches, on the runtime of the caller |
//! | `tokio` | no | `async`, and a `tokio::runtime::Handle` is a `Spawn` |
//! | `object-store` | no | `store`: URLs that lead to object stores of your own; the asynchronous readers of `tfrecord_io` |
//! | `cloud` | no | `object-store`, and URLs of S3, Google Cloud Storage, Azure and HTTP |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod inspect;
mod open;
pub mod opening {
    //! Files whose format is known, before they are opened: for tools that open inputs and outputs themselves.

    pub use crate::open::find::{explained, refuse_others};
    pub use crate::open::opening::{Checked, Opening, options, specs};
}
mod repair;
#[cfg(feature = "tensors")]
pub mod schema;
#[cfg(feature = "tensors")]
mod tensors;
mod values;
mod verify;

pub use self::open::{Found, MISSING_SHARDS, OpenOptions, Patterns, SpecExt, formats, open};
#[cfg(feature = "tensors")]
pub use self::tensors::{TensorBatches, Tensors, TensorsExt};
pub use self::values::names::name as column_name;
pub use self::values::{FoundValues, ValueColumns, ValueOptions, ValuesExt};
#[cfg(feature = "tensors")]
pub use tensor_repr;
pub use tfxio_base::{OutputFile, remove_unfinished};
pub use tfxio_core;
pub use tfxio_core::media;
pub use tfxio_core::{
    DType, Error, ErrorKind, Limits, OnError, Origin, Position, RecordDecoder, Skip, SkipBudget, SkipReport,
};
#[cfg(all(feature = "avro", feature = "tensors"))]
pub use tfxio_format_avro::{AvroFeatures, AvroFeaturesBuilder};
#[cfg(feature = "avro")]
pub use tfxio_format_avro::{AvroFormat, AvroRecords, avro_path};
#[cfg(feature = "ipc")]
pub use tfxio_format_columnar::IpcFormat;
#[cfg(feature = "parquet")]
pub use tfxio_format_columnar::ParquetFormat;
#[cfg(feature = "csv")]
pub use tfxio_format_text::CsvFormat;
#[cfg(feature = "jsonl")]
pub use tfxio_format_text::JsonLinesFormat;
#[cfg(any(feature = "csv", feature = "jsonl"))]
pub use tfxio_format_text::json;
#[cfg(feature = "example")]
pub use tfxio_format_tfrecord::{ExampleFormat, Examples, SequenceExampleFormat, example_codec, examples};
#[cfg(feature = "proto")]
pub use tfxio_format_tfrecord::{ProtoFormat, message_codec};
#[cfg(feature = "tfrecord")]
pub use tfxio_format_tfrecord::{
    RawFormat, RawRecordDecoder, TfRecordFormat, raw_records_to_record_batch, tfrecord_io,
};
#[cfg(all(feature = "example", feature = "tensors"))]
pub use tfxio_format_tfrecord::{example_schema, sequence_example_schema};
#[cfg(feature = "async")]
pub use tfxio_scan::{BatchStream, Spawned};
pub use tfxio_scan::{Batches, DatasetExt, NamePattern};
#[cfg(feature = "object-store")]
pub use tfxio_store::objects as store;
pub use tfxio_store::{FileStore, SpoolLimits, is_url};

/// Runs the examples of this crate's README as tests.
#[cfg(all(doctest, feature = "example"))]
#[doc = include_str!("../README.md")]
struct CrateReadme;
