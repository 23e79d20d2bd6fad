//! Errors in the words of tfx-bsl, which programs written for it look for.

use super::{Conflict, Kind, SketchOption};
use crate::ValueType;

impl Kind {
    /// Returns the code and the message that tfx-bsl 1.21 has for the same mistake, for programs that look for them.
    ///
    /// `None` if tfx-bsl has none: it does not refuse that, or its message depends on the types of the Arrow C++ library
    /// ([`UnsupportedType`](Self::UnsupportedType): `UNIMPLEMENTED: bool`).
    ///
    /// ```
    /// use tfxio_stats::{Kind, Kmv};
    ///
    /// let error = Kmv::new(128)?.merge(&Kmv::new(64)?).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "a sketch of 64 buckets cannot be merged into one of 128; make both with the same number"
    /// );
    /// assert_eq!(
    ///     error.detail::<Kind>().and_then(Kind::tfx_bsl_status).as_deref(),
    ///     Some("INVALID_ARGUMENT: Both sketches must have the same number of buckets: 128 v.s. 64")
    /// );
    /// # Ok::<(), tfxio_stats::Error>(())
    /// ```
    #[must_use]
    pub fn tfx_bsl_status(&self) -> Option<String> {
        let (code, message) = match self {
            Self::MalformedKmv => (INVALID, "Failed to parse Kmv sketch".to_owned()),
            Self::MalformedMisraGries => (INVALID, "Failed to parse MisraGries sketch".to_owned()),
            Self::MalformedQuantiles => (INVALID, "Failed to parse serialized Quantiles sketch.".to_owned()),
            Self::MalformedStatistics => {
                return Some("failed to deserialize DatasetFeatureStatistics".to_owned());
            }
            // It names the type that the sketch has twice.
            Self::OtherValues { stored, .. } => {
                let stored = name(*stored);
                let message = format!(
                    "Arrow error Type error : sketch stored type error: stored {stored} given {stored}"
                );
                ("INTERNAL", message)
            }
            Self::MergedValues { ours, theirs } => {
                let (ours, theirs) = (name(*ours), name(*theirs));
                (INVALID, format!("Both sketches must have the same type ({ours} vs {theirs})"))
            }
            Self::MergedBuckets { ours, theirs } => {
                (INVALID, format!("Both sketches must have the same number of buckets: {ours} v.s. {theirs}"))
            }
            Self::MergedStreams { .. } => {
                (PRECONDITION, "Attempting to merge sketches with different number of streams.".to_owned())
            }
            Self::MergedOption(option) => {
                (INVALID, format!("Both sketches must have the same {}.", option_name(*option)))
            }
            Self::WeightCount { items, weights } => {
                let message = "Length of item array must be equal to length of weight array";
                (INVALID, format!("{message}: {items} v.s. {weights}"))
            }
            Self::RowWeightCount => {
                (INVALID, "Values size must be equal to weights size times number of streams.".to_owned())
            }
            Self::WeightType(_) => (INVALID, "Weight array must be float type.".to_owned()),
            Self::ValueCount => {
                (INVALID, "Values size must be divisible by the number of streams.".to_owned())
            }
            Self::InvalidEps => (INVALID, "eps must be positive.".to_owned()),
            Self::InvalidMaxElements => (INVALID, "max_num_elements must be >= 1.".to_owned()),
            Self::InvalidStreams => (INVALID, "num_streams must be >= 1.".to_owned()),
            Self::InvalidQuantiles => (INVALID, "Number of requested quantiles must be >= 2.".to_owned()),
            Self::Conflict(conflict) => (INVALID, conflict_message(*conflict).to_owned()),
            Self::UnsupportedType(_)
            | Self::InvalidWeight
            | Self::InvalidBuckets
            | Self::InvalidOption(_)
            | Self::ColumnType
            | Self::MalformedState
            | Self::TooManySlices
            | Self::RowCount { .. }
            | Self::NoDataset
            | Self::UnknownSlice
            | Self::UnknownEnvironment
            | Self::UnknownAnomaly
            | Self::InvalidSchema => {
                return None;
            }
        };
        Some(format!("{code}: {message}"))
    }
}

const INVALID: &str = "INVALID_ARGUMENT";
const PRECONDITION: &str = "FAILED_PRECONDITION";

fn name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Bytes => "RAW_STRING",
        ValueType::Float => "FLOAT",
        ValueType::Integer => "INT",
    }
}

fn option_name(option: SketchOption) -> &'static str {
    match option {
        SketchOption::InvalidUtf8Placeholder => "invalid_utf8_placeholder",
        SketchOption::LargeStringThreshold => "large_string_threshold",
        SketchOption::LargeStringPlaceholder => "large_string_placeholder",
    }
}

fn conflict_message(conflict: Conflict) -> &'static str {
    match conflict {
        Conflict::NumExamples => "DatasetFeatureStatistics have different num_examples",
        Conflict::WeightedNumExamples => {
            "DatasetFeatureStatistics shards have different weighted_num_examples"
        }
        Conflict::FeatureType => "FeatureNameStatistics shards with different types",
        Conflict::FeatureStatistics => "FeatureNameStatistics shards with different stats",
        // It prints both features after this.
        Conflict::DerivedSource => "Conflicting derived sources",
        Conflict::CrossCount => "CrossFeatureStatistics shards with different count",
        Conflict::CrossStatistics => "CrossFeatureStatistics shards with different cross_stats",
    }
}
