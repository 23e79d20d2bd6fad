//! Kinds of errors.

mod status;

use arrow_schema::DataType;
use tfxio_base::{Detail, Error, ErrorKind, Result};

use crate::ValueType;

/// Kind of an error of this crate; read with [`Error::detail`].
///
/// [`tfx_bsl_status`](Self::tfx_bsl_status) returns the error in the words of tfx-bsl.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// Bytes that are not the state of a [`Kmv`](crate::Kmv), or contradict themselves.
    MalformedKmv,
    /// Bytes that are not the state of a [`MisraGries`](crate::MisraGries), or contradict themselves.
    MalformedMisraGries,
    /// Bytes that are not the state of [`Quantiles`](crate::Quantiles), or contradict themselves.
    MalformedQuantiles,
    /// Bytes that are not a `DatasetFeatureStatistics`.
    MalformedStatistics,
    /// Bytes that are not the state of [`Statistics`](crate::Statistics), or contradict themselves.
    MalformedState,
    /// An array of a type that the sketch does not take.
    UnsupportedType(DataType),
    /// An array of other values than the sketch has.
    OtherValues {
        /// The type of the sketch's values.
        stored: ValueType,
        /// The type of the array's values.
        given: ValueType,
    },
    /// Sketches of different values were to be merged.
    MergedValues {
        /// The type of the sketch that is merged into.
        ours: ValueType,
        /// The type of the other one.
        theirs: ValueType,
    },
    /// Sketches of different numbers of buckets were to be merged.
    MergedBuckets {
        /// The buckets of the sketch that is merged into.
        ours: usize,
        /// The buckets of the other one.
        theirs: usize,
    },
    /// Sketches of different numbers of streams were to be merged.
    MergedStreams {
        /// The streams of the sketch that is merged into.
        ours: usize,
        /// The streams of the other one.
        theirs: usize,
    },
    /// Sketches that differ in an option were to be merged.
    MergedOption(SketchOption),
    /// Another number of weights than of items.
    WeightCount {
        /// Number of items.
        items: usize,
        /// Number of weights.
        weights: usize,
    },
    /// Another number of weights than of rows of values.
    RowWeightCount,
    /// Weights of another type than `Float32`.
    WeightType(DataType),
    /// A weight that is null, NaN or infinite where it may not be.
    InvalidWeight,
    /// A number of values that the number of streams does not divide.
    ValueCount,
    /// A number of buckets that a sketch cannot have.
    InvalidBuckets,
    /// An error bound that is not positive.
    InvalidEps,
    /// A number of expected values that is not positive, or too large.
    InvalidMaxElements,
    /// A number of streams that is not positive.
    InvalidStreams,
    /// A number of quantiles below 2, or too large.
    InvalidQuantiles,
    /// An option that makes no sense.
    InvalidOption(SketchOption),
    /// Two shards that contradict each other about the same data set, slice or feature.
    Conflict(Conflict),
    /// Values of another type, or in another number of lists, than in the statistics of the column.
    ColumnType,
    /// More slices than are allowed.
    TooManySlices,
    /// Another number of rows than in the index, the footer or the framing of the files.
    RowCount {
        /// Number of rows that the files declare.
        said: u64,
        /// Number of rows that were read.
        read: u64,
    },
    /// Statistics of no data set.
    NoDataset,
    /// A slice that the statistics do not have, or none where one must be named.
    UnknownSlice,
    /// An environment that the schema does not have.
    UnknownEnvironment,
    /// A kind of anomaly that there is not.
    UnknownAnomaly,
    /// A schema that contradicts itself.
    InvalidSchema,
}

/// An option of a [`MisraGries`](crate::MisraGries), in which sketches that are merged must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SketchOption {
    /// Placeholder for strings that are not UTF-8.
    InvalidUtf8Placeholder,
    /// The length above which strings are large.
    LargeStringThreshold,
    /// Placeholder for large strings.
    LargeStringPlaceholder,
}

/// Property on which two shards of statistics differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Conflict {
    /// The number of examples of a slice.
    NumExamples,
    /// The weighted number of examples of a slice.
    WeightedNumExamples,
    /// The type of a feature.
    FeatureType,
    /// The kind of the statistics of a feature.
    FeatureStatistics,
    /// The derivation of a feature.
    DerivedSource,
    /// The number of examples with both features of a pair.
    CrossCount,
    /// The kind of the statistics of a pair of features.
    CrossStatistics,
}

impl Detail for Kind {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::MalformedKmv
            | Self::MalformedMisraGries
            | Self::MalformedQuantiles
            | Self::MalformedStatistics => ErrorKind::Malformed,
            Self::UnsupportedType(_) => ErrorKind::Unsupported,
            Self::RowCount { .. } | Self::MalformedState => ErrorKind::Malformed,
            Self::TooManySlices => ErrorKind::LimitExceeded,
            Self::OtherValues { .. } | Self::ColumnType | Self::Conflict(_) => ErrorKind::SchemaMismatch,
            _ => ErrorKind::InvalidArgument,
        }
    }
}

/// The most buckets that a sketch can have: its serialized form has 32 bits for their number.
const MAX_BUCKETS: usize = i32::MAX as usize;

/// Checks the number of buckets of a sketch.
pub(crate) fn check_buckets(buckets: usize) -> Result<()> {
    if (1..=MAX_BUCKETS).contains(&buckets) {
        return Ok(());
    }
    let what = format!("a sketch of {buckets} buckets");
    Err(Error::new(Kind::InvalidBuckets, what).help(format!("give it from 1 to {MAX_BUCKETS}")))
}

/// Checks that sketches that are merged have the same number of buckets.
pub(crate) fn check_merged_buckets(ours: usize, theirs: usize) -> Result<()> {
    if ours == theirs {
        return Ok(());
    }
    let what = format!("a sketch of {theirs} buckets cannot be merged into one of {ours}");
    Err(Error::new(Kind::MergedBuckets { ours, theirs }, what).help("make both with the same number"))
}
