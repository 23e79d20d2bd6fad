//! The configuration of a loader.

mod read;
mod select;
mod setters;
mod slice;
mod tensors;
mod tokens;
mod validate;
mod warnings;
pub(crate) mod write;

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use tfxio_core::{Predicate, SkipBudget};

pub use self::tensors::{
    Constant, DTypeOf, Normalization, Operation, Padding, PrimaryFeature, ProcessingStep, SecondaryFeature,
    ShapeOf, Slice, SliceAxis, TensorPadding,
};
pub use self::tokens::{DefaultValue, Keep, MaxTokens, Pack, TensorDefault, TooLong, Truncation};
pub use self::validate::{OnLeave, SchemaSource, Validate};
pub use crate::json::Located;

/// Configuration of a loader, as `tfxio load` reads it from a file.
///
/// A plain value: reading it from JSON ([`from_file`](Self::from_file)) returns its positions beside it, as
/// [`Located`]. serde writes it with the keys of that JSON, and reads its own output. The default reads records of a
/// data set that the program gives, once, in order, 32 a batch, on one thread of each kind.
///
/// ```
/// use batch_loader::config::LoaderConfig;
///
/// let config = LoaderConfig::independent(32).shuffle_globally(7);
/// let json = serde_json::to_string(&config).unwrap();
/// assert_eq!(serde_json::from_str::<LoaderConfig>(&json).unwrap(), config);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LoaderConfig {
    /// Kind of the loader, with the settings that only this kind has.
    #[serde(flatten)]
    pub loader: LoaderType,
    /// The files; `None` for a data set that the program gives ([`BatchLoader::over`](crate::BatchLoader::over)).
    pub dataset: Option<DatasetSource>,
    /// Examples (records or windows) a batch.
    pub target_batch_size: usize,
    /// Whether a last batch of fewer examples is dropped. Without `epochs` it has no effect.
    pub drop_remainder: bool,
    /// Number of times the data set is read; `None` for without end.
    pub epochs: Option<u64>,
    /// Threads that read files. Default 1.
    pub num_parallel_reads: usize,
    /// Threads that parse records and put batches together. Default 1.
    pub num_parallel_parses: usize,
    /// Batches made ahead of the consumer; at least one for each thread but one.
    #[serde(flatten, serialize_with = "write::prefetch")]
    pub num_prefetch: usize,
    /// Order of the examples.
    #[serde(flatten, serialize_with = "write::shuffle")]
    pub shuffle: Shuffle,
    /// Whether files are mixed in the order in which they come from the disk, which differs from run to run.
    /// Default false.
    pub sloppy_interleave: bool,
    /// Condition on the records that are read; `None` for all. Its names are features, whose values are compared as
    /// they are stored.
    #[serde(serialize_with = "write::filter", skip_serializing_if = "Option::is_none")]
    pub filter: Option<Predicate>,
    /// Schema that records are compared with; `None` for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validate: Option<Validate>,
    /// The features that are read. Over a data set that the program gives none means all inputs and targets.
    pub primary_features: Vec<PrimaryFeature>,
    /// Tensors that are made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secondary_features: Vec<SecondaryFeature>,
    /// Steps that each record's tensors take, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processing_steps: Vec<ProcessingStep>,
    /// Steps that each window's tensors take, in this order. Only for windows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub window_steps: Vec<ProcessingStep>,
    /// Values of tensors in records that lack their features. A record that lacks any other feature is an error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defaults: Vec<TensorDefault>,
    /// Maximum steps of tensors, applied after the steps above and before batches are made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub truncate: Vec<Truncation>,
    /// Tensors that are brought to zero mean and unit variance in each batch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub normalization: Vec<Normalization>,
    /// Padding of tensors whose shapes differ within a batch.
    pub padding: Padding,
    /// Treatment of damaged records.
    #[serde(flatten, serialize_with = "write::on_error")]
    pub on_error: OnError,
    /// Batches of examples of similar length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket_by_length: Option<BucketByLength>,
    /// Batches of as many examples as have this number of tokens, padding counted, in place of `target_batch_size`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<MaxTokens>,
    /// Rows of one length with the sequences of several examples; a batch has `target_batch_size` rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<Pack>,
    /// Seed of the order of examples. Drawn at random when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Part of the data set that this host loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Whether all hosts get equally many examples of each epoch, and how. `None` for as many as there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub even: Option<Even>,
    /// Treatment of the indexes of files that have none, where their records have to be counted. Default: they are not
    /// kept.
    pub index: KeepIndex,
    /// The folder of [`KeepIndex::Cache`]; `None` for `tfxio/indexes` among the user's caches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_dir: Option<PathBuf>,
    /// Whether the JSON asks for whole batches to be parsed at once, which changes nothing and is refused beside some keys.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) multi_load: bool,
}

impl Default for LoaderConfig {
    fn default() -> Self {
        Self {
            loader: LoaderType::Independent,
            dataset: None,
            target_batch_size: 32,
            drop_remainder: false,
            epochs: Some(1),
            num_parallel_reads: 1,
            num_parallel_parses: 1,
            num_prefetch: 2,
            shuffle: Shuffle::Off,
            sloppy_interleave: false,
            filter: None,
            validate: None,
            primary_features: Vec::new(),
            secondary_features: Vec::new(),
            processing_steps: Vec::new(),
            window_steps: Vec::new(),
            defaults: Vec::new(),
            truncate: Vec::new(),
            normalization: Vec::new(),
            padding: Padding::Off,
            on_error: OnError::Fail,
            bucket_by_length: None,
            max_tokens: None,
            pack: None,
            seed: None,
            shard: None,
            even: None,
            index: KeepIndex::None,
            index_dir: None,
            multi_load: false,
        }
    }
}

/// The three kinds of loaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoaderType {
    /// Each record is an example.
    Independent,
    /// The records of a file are parts of one sequence; an example is a window of it.
    ContinuousSequence {
        /// The shortest window, in steps.
        min_window: usize,
        /// The longest window, in steps.
        max_window: usize,
        /// From the beginning of a window to that of the next.
        #[serde(flatten, serialize_with = "write::stride")]
        stride: Stride,
    },
    /// Each record is a subsequence; an example is a window of whole ones.
    DiscreteSequence {
        /// The shortest window, in records.
        min_window: usize,
        /// The longest window, in records.
        max_window: usize,
    },
}

/// Distance between the starts of consecutive windows, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stride {
    /// The length of the window.
    Window,
    /// A distance drawn for each window, both ends included. Equal for a fixed one.
    Range {
        /// The shortest.
        min: usize,
        /// The longest.
        max: usize,
    },
}

/// Source of a data set: a manifest with its files, or a description of any format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", content = "args", rename_all = "lowercase")]
#[non_exhaustive]
pub enum DatasetSource {
    /// All `*.tfrecords` and `*.tfrecord` below a directory, with `__manifest__.json` at its top.
    Dir {
        /// The directory.
        data_dir: PathBuf,
    },
    /// The files that a text file lists, one a line.
    List {
        /// The manifest.
        manifest_file: PathBuf,
        /// The list.
        list_file: PathBuf,
    },
    /// A data set with a description ([`DatasetSpec`](tfxio_core::DatasetSpec)), of any format. Relative paths in it
    /// start at the same folder as in the configuration.
    Spec {
        /// The description, as JSON.
        spec_file: PathBuf,
    },
}

/// The order of examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shuffle {
    /// File after file, record after record.
    Off,
    /// Through a buffer.
    Buffer {
        /// Examples in the buffer (`num_shuffle_buffer_elements`).
        elements: usize,
        /// File names in their own buffer (`num_filenames_shuffle_buffer`).
        filenames: usize,
        /// Files that are open at once and take turns (`num_mix_files`).
        mix_files: usize,
    },
    /// One permutation of the whole data set each epoch, without a buffer.
    Global,
    /// A permutation, each epoch, of blocks of records that are cheap to read together; the records of the blocks in a
    /// window are mixed. Each block is read once an epoch.
    Blocks {
        /// Bytes of tensors that are held (`shuffle_bytes`).
        bytes: u64,
        /// Parts of the order among which hosts and batches take turns (`shuffle_streams`). Default: what fits the data set.
        streams: Option<u32>,
    },
    /// [`Global`](Self::Global) where reading one record by itself costs no more than reading it among others: records
    /// of 32 KiB or more in files that can be entered at any record; else [`Blocks`](Self::Blocks). The files decide
    /// between them.
    Auto {
        /// Bytes of tensors that blocks hold (`shuffle_bytes`).
        bytes: u64,
    },
}

/// Treatment of damaged records.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OnError {
    /// Loading ends with an error.
    Fail,
    /// They are skipped, within this budget, and reported: [`BatchLoader::skip_report`](crate::BatchLoader::skip_report).
    Skip(SkipBudget),
}

/// Batches of examples of similar length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BucketByLength {
    /// The tensor whose first dimension is the length.
    pub tensor: Arc<str>,
    /// Upper bounds of buckets, exclusive: the first bucket has lengths below the first boundary. Strictly ascending.
    pub boundaries: Vec<usize>,
    /// Examples a batch, for each bucket: one more than boundaries. With `max_tokens` the most of these; none for no limit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub batch_sizes: Vec<usize>,
}

impl BucketByLength {
    /// Returns buckets of a tensor below these boundaries, and the examples a batch of each.
    #[must_use]
    pub fn new(tensor: impl Into<Arc<str>>, boundaries: Vec<usize>, batch_sizes: Vec<usize>) -> Self {
        Self { tensor: tensor.into(), boundaries, batch_sizes }
    }
}

/// Method by which all hosts get equally many examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Even {
    /// Examples are left out until every host has the same number.
    Drop,
    /// Hosts that have fewer than others begin again with theirs.
    Repeat,
}

/// Treatment of an index that a file did not have. An index beside a file is always used, if it fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum KeepIndex {
    /// It is made again at the next start.
    #[default]
    None,
    /// It is written beside the file: `FILE.tfxi`.
    Beside,
    /// It is kept in a folder, under a name that follows from the file's path, size and time of modification.
    Cache,
}

/// One of several parts of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shard {
    /// Number of the part; the first is 0.
    pub index: u32,
    /// Number of parts.
    pub count: u32,
}
