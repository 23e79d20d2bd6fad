//! Reads machine-learning training data into Apache Arrow, tensors and shuffled batches: the front door of tfxio.
//!
//! [`open`] takes a path or a pattern of files of any format and returns a data set, [`Arc<dyn Dataset>`](Dataset).
//! Everything else works on data sets, whatever their format:
//!
//! | call | what it does | feature |
//! | --- | --- | --- |
//! | [`read`](DatasetExt::read), [`count`](DatasetExt::count) | reads batches of a [`ScanRequest`]: columns, filter, limit, threads | |
//! | [`partitions`](Dataset::partitions), [`scan`](Dataset::scan) | plans and reads parts, here or in another process by its [`spec`](Dataset::spec) | |
//! | `tensors` | makes tensors of columns, without a copy where the layout allows it | `tensors` |
//! | [`convert`](mod@convert) | converts between files of any two formats | |
//! | `loader` | makes shuffled, windowed, padded batches, with a state to resume from | `loader` |
//!
//! ```
//! # #[cfg(feature = "example")] {
//! use tfxio::prelude::*;
//! # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
//!
//! // `digits` is a path or a pattern: "digits-?????-of-00003.tfrecord", "digits@3.tfrecord", "data/*.tfrecord".
//! let dataset = tfxio::open(digits)?;
//! let mut rows = 0;
//! for batch in dataset.read(ScanRequest::new().columns(["label", "image"]).threads(2))? {
//!     rows += batch?.num_rows();
//! }
//! assert_eq!(rows, 1797);
//! # }
//! # Ok::<(), tfxio::Error>(())
//! ```
//!
//! Formats are a registry, [`formats`]; a program adds its own. The folder `examples` of this crate has a program for each of
//! these uses.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `tfrecord` | by `example` | TFRecord files, plain, gzip and zlib, with raw records; the crate [`tfrecord_io`] |
//! | `example` | yes | records of tf.Example and tf.SequenceExample; the crate [`example_codec`] |
//! | `derive` | no | `#[derive(ToExample, FromExample)]`: structs as records of tf.Example, read by [`examples`] |
//! | `avro` | no | Avro files with the codecs null, deflate and snappy; the crate `avro_path` |
//! | `proto` | no | records that are messages of any protobuf type, by a descriptor; the crate `message_codec` |
//! | `avro-bzip2`, `avro-xz`, `avro-zstandard` | no | `avro`, and a further codec |
//! | `tensors` | no | columns as tensors, by representations or the schemas of TensorFlow Metadata; the crate `tensor_repr` |
//! | `ndarray`, `dlpack` | no | `tensors`, as views of ndarray or for other libraries through DLPack |
//! | `loader` | no | shuffled, windowed, padded batches of any data set; the crate `batch_loader` |
//! | `stats` | no | statistics of data sets, schemas and anomalies of them, drift, pages of HTML; the module `stats`, which is the crate `tfxio_stats` |
//! | `sql` | no | SQL over data sets, as tables of DataFusion; the module `sql`, which is the crate `tfxio_sql`. Needs Rust 1.94 |
//! | `parquet` | no | Parquet files |
//! | `ipc` | no | Arrow IPC files |
//! | `csv` | no | CSV files |
//! | `jsonl` | no | JSON lines; the module [`json`] |
//! | `async` | no | `DatasetExt::read_stream`, `OpenOptions::open_async`: a stream of batches, on the runtime of the caller |
//! | `tokio` | no | `async`, and a `tokio::runtime::Handle` is a `Spawn` |
//! | `object-store` | no | `store`: URLs that lead to object stores of your own; the asynchronous readers of [`tfrecord_io`] |
//! | `cloud` | no | `object-store`, and URLs of S3, Google Cloud Storage, Azure and HTTP |
//!
//! # Limits
//!
//! Outputs are local files; with the feature `cloud`, also objects of S3, Google Cloud Storage and Azure. Web servers are only read.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod prelude;

/// The crates of Arrow, in the version that signatures have types of.
pub use tfxio_core::{arrow_array, arrow_schema};

// Data sets: to open, read and describe them.
pub use tfxio_core::{
    Batch, Cancel, CancelGuard, Column, ColumnPath, ColumnReport, ColumnStatistics, Comparison, DType,
    Dataset, DatasetSpec, Decimal, Describe, Estimate, Layout, Limits, Literal, MapError, OnError, Origin,
    Origins, OverBudget, Partition, PartitionStatistics, Predicate, Projection, RecordRun, RowOrigin, Scan,
    ScanCounts, ScanRequest, SchemaReport, Seek, Skip, SkipBudget, SkipReport, Spawn, Threads,
};
pub use tfxio_formats::{
    Batches, DatasetExt, FileStore, Found, FoundValues, NamePattern, OpenOptions, Patterns, SpecExt,
    SpoolLimits, ValueColumns, ValueOptions, ValuesExt, column_name, formats, is_url, open,
};
// Errors.
pub use tfxio_core::{Damage, Detail, Error, ErrorKind, Position, Remedy, Result};
// Formats and stores of one's own; more for these is in `tfxio_core`.
pub use tfxio_core::{
    CopyRecords, Entries, Fact, FactValue, FileFormat, FileReport, FileState, Files, FormatOptions, Formats,
    Input, Inspect, LocalStore, LostRange, OptionSpec, OptionType, OptionValue, OutputFile, RecordDecoder,
    RecordEncoder, RecordFormat, RecordPlan, RecordPlanner, Repair, Sink, Store, Total, WriteIndex, Written,
    not_offered,
};
// Formats and what their features add.
#[cfg(feature = "csv")]
pub use tfxio_formats::CsvFormat;
#[cfg(feature = "ipc")]
pub use tfxio_formats::IpcFormat;
#[cfg(feature = "jsonl")]
pub use tfxio_formats::JsonLinesFormat;
#[cfg(feature = "parquet")]
pub use tfxio_formats::ParquetFormat;
#[cfg(feature = "proto")]
pub use tfxio_formats::ProtoFormat;
#[cfg(any(feature = "csv", feature = "jsonl"))]
pub use tfxio_formats::json;
#[cfg(feature = "object-store")]
pub use tfxio_formats::store;
#[cfg(all(feature = "avro", feature = "tensors"))]
pub use tfxio_formats::{AvroFeatures, AvroFeaturesBuilder};
#[cfg(feature = "avro")]
pub use tfxio_formats::{AvroFormat, AvroRecords};
#[cfg(feature = "async")]
pub use tfxio_formats::{BatchStream, Spawned};
#[cfg(feature = "example")]
pub use tfxio_formats::{ExampleFormat, Examples, SequenceExampleFormat, examples};
#[cfg(feature = "tfrecord")]
pub use tfxio_formats::{RawFormat, RawRecordDecoder, TfRecordFormat, raw_records_to_record_batch};
#[cfg(feature = "tensors")]
pub use tfxio_formats::{TensorBatches, Tensors, TensorsExt, schema};
// Structs as records.
#[cfg(feature = "derive")]
pub use example_derive::{
    FromExampleOfTfxio as FromExample, FromSequenceExampleOfTfxio as FromSequenceExample,
    ToExampleOfTfxio as ToExample, ToSequenceExampleOfTfxio as ToSequenceExample,
};
#[cfg(feature = "example")]
pub use tfxio_formats::example_codec::typed::{
    FromExample, FromSequenceExample, ToExample, ToSequenceExample,
};
// Everything that works on data sets.
#[cfg(feature = "loader")]
pub use batch_loader::{BatchLoader, LoaderState, config::LoaderConfig};
#[cfg(feature = "tensors")]
pub use tensor_repr::Representation;
pub use tfxio_convert::{self as convert, extract};
#[cfg(feature = "sql")]
pub use tfxio_sql as sql;
#[cfg(feature = "stats")]
pub use tfxio_stats as stats;
// The layers, whole.
#[cfg(feature = "loader")]
pub use batch_loader;
#[cfg(feature = "tensors")]
pub use tensor_repr;
#[cfg(feature = "avro")]
pub use tfxio_formats::avro_path;
#[cfg(feature = "example")]
pub use tfxio_formats::example_codec;
#[cfg(feature = "proto")]
pub use tfxio_formats::message_codec;
#[cfg(feature = "tfrecord")]
pub use tfxio_formats::tfrecord_io;
pub use {tfxio_core, tfxio_formats};

/// Begins to build a loader of the data set that a configuration names, with the [formats] of this build. Files are
/// named by paths, and by URLs of the stores that the features `object-store` and `cloud` add.
///
/// ```
/// use tfxio::LoaderConfig;
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
///
/// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
/// let mut loader = tfxio::loader(config).inputs(["image"]).targets(["label"]).base_dir(folder).build()?;
/// let batch = loader.next_batch()?.unwrap();
/// assert_eq!(batch.get("image")?.shape(), [32, 8, 8]);
/// # Ok::<(), tfxio::Error>(())
/// ```
#[cfg(feature = "loader")]
pub fn loader(config: impl Into<batch_loader::config::Located<LoaderConfig>>) -> batch_loader::LoaderBuilder {
    BatchLoader::builder(config).formats(&formats()).store(std::sync::Arc::new(FileStore::default()))
}

/// Runs the examples of the repository's README as tests.
#[cfg(all(doctest, feature = "derive", feature = "loader"))]
#[doc = include_str!("../docs/README.md")]
struct RepositoryReadme;

/// Runs the examples of this crate's README as tests.
#[cfg(all(doctest, feature = "example"))]
#[doc = include_str!("../README.md")]
struct CrateReadme;
