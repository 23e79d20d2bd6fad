//! The statistics of one feature.

use std::collections::BTreeMap;

use tensor_repr::FeatureType;
use tfxio_base::{Error, Result};
use tfxio_core::ColumnPath;

use crate::Kind;
use crate::proto::tfmd::feature_name_statistics::{Stats, Type};
use crate::proto::tfmd::histogram::HistogramType;
use crate::proto::tfmd::{
    CommonStatistics, CustomStatistic, DerivedFeatureSource, FeatureNameStatistics, Histogram,
    NumericStatistics, StringStatistics,
};

/// The statistics of one feature. Counts are weights where the data set has them.
#[derive(Debug)]
pub(crate) struct FeatureView<'a> {
    path: ColumnPath,
    data: &'a FeatureNameStatistics,
    value_type: Type,
    common: Option<&'a CommonStatistics>,
    pub(super) by_weight: bool,
    pub(super) examples: f64,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
}

impl<'a> FeatureView<'a> {
    /// # Errors
    /// If the type and the kind of statistics do not go together.
    pub(super) fn new(path: ColumnPath, data: &'a FeatureNameStatistics) -> Result<Self> {
        let malformed = |what: String| Error::new(Kind::MalformedStatistics, what).at_path(path.to_string());
        let value_type = Type::try_from(data.r#type)
            .map_err(|_| malformed(format!("values of type {}, which is unknown", data.r#type)))?;
        let (common, fits) = match &data.stats {
            None => (None, true),
            Some(Stats::NumStats(stats)) => {
                (stats.common_stats.as_ref(), matches!(value_type, Type::Int | Type::Float))
            }
            // Integers and floats that stand for categories are counted as text.
            Some(Stats::StringStats(stats)) => (stats.common_stats.as_ref(), value_type != Type::Struct),
            Some(Stats::BytesStats(stats)) => {
                (stats.common_stats.as_ref(), matches!(value_type, Type::Bytes | Type::String))
            }
            Some(Stats::StructStats(stats)) => (stats.common_stats.as_ref(), value_type == Type::Struct),
        };
        if !fits {
            let found = match &data.stats {
                Some(Stats::NumStats(_)) => "numbers",
                Some(Stats::StringStats(_)) => "text",
                Some(Stats::BytesStats(_)) => "bytes",
                _ => "structs",
            };
            let what = format!("statistics of {found} for values of type {}", value_type.as_str_name());
            return Err(malformed(what));
        }
        let (by_weight, examples, parent, children) = (false, 0.0, None, Vec::new());
        Ok(Self { path, data, value_type, common, by_weight, examples, parent, children })
    }

    pub(crate) fn path(&self) -> &ColumnPath {
        &self.path
    }

    /// Returns the type of the values as the statistics have it.
    pub(crate) fn value_type(&self) -> Type {
        self.value_type
    }

    /// Returns the type of the values as a schema has it.
    pub(crate) fn feature_type(&self) -> FeatureType {
        match self.value_type {
            Type::Int => FeatureType::Int,
            Type::Float => FeatureType::Float,
            Type::String | Type::Bytes => FeatureType::Bytes,
            Type::Struct => FeatureType::Struct,
        }
    }

    /// Returns whether values were counted. They are not for features that are made of others.
    pub(crate) fn has_counts(&self) -> bool {
        self.common.is_some()
    }

    /// Returns whether values were counted by weight, on each level of lists.
    pub(super) fn has_weights(&self) -> bool {
        self.common.is_some_and(|common| {
            common.weighted_common_stats.is_some()
                && common.presence_and_valency_stats.len() == common.weighted_presence_and_valency_stats.len()
        })
    }

    /// Returns the number of examples that have the feature.
    pub(crate) fn num_present(&self) -> f64 {
        let Some(common) = self.common else { return 0.0 };
        if self.by_weight {
            return common.weighted_common_stats.map_or(0.0, |weighted| weighted.num_non_missing);
        }
        common.num_non_missing as f64
    }

    /// Returns the number of examples that lack it.
    pub(crate) fn num_missing(&self) -> f64 {
        let Some(common) = self.common else { return 0.0 };
        if self.by_weight {
            return common.weighted_common_stats.map_or(0.0, |weighted| weighted.num_missing);
        }
        common.num_missing as f64
    }

    /// Returns the share of examples that have it; nothing without examples.
    pub(crate) fn fraction_present(&self) -> Option<f64> {
        match self.examples {
            examples if examples <= 0.0 => None,
            _ if self.num_missing() == 0.0 => Some(1.0),
            examples => Some(self.num_present() / examples),
        }
    }

    /// Returns how many lists are missing, on each level of lists.
    pub(crate) fn missing_by_level(&self) -> Vec<f64> {
        let Some(common) = self.common else { return vec![0.0] };
        let levels: Vec<f64> = if self.by_weight {
            common.weighted_presence_and_valency_stats.iter().map(|level| level.num_missing).collect()
        } else {
            common.presence_and_valency_stats.iter().map(|level| level.num_missing as f64).collect()
        };
        if levels.is_empty() { vec![self.num_missing()] } else { levels }
    }

    /// Returns the least and the largest number of values of a list, on each level of lists.
    pub(crate) fn counts_by_level(&self) -> Vec<(u64, u64)> {
        let Some(common) = self.common else { return vec![(0, 0)] };
        let levels = &common.presence_and_valency_stats;
        if levels.is_empty() {
            return vec![(common.min_num_values, common.max_num_values)];
        }
        levels.iter().map(|level| (level.min_num_values, level.max_num_values)).collect()
    }

    /// Returns the number of values.
    pub(crate) fn num_values(&self) -> f64 {
        let Some(common) = self.common else { return 0.0 };
        if self.by_weight {
            return common.weighted_common_stats.map_or(0.0, |weighted| weighted.tot_num_values);
        }
        if common.tot_num_values == 0 {
            // Older statistics do not have it.
            return common.num_non_missing as f64 * f64::from(common.avg_num_values);
        }
        common.tot_num_values as f64
    }

    pub(crate) fn numbers(&self) -> Option<&'a NumericStatistics> {
        match &self.data.stats {
            Some(Stats::NumStats(stats)) => Some(stats),
            _ => None,
        }
    }

    pub(crate) fn strings(&self) -> Option<&'a StringStatistics> {
        match &self.data.stats {
            Some(Stats::StringStats(stats)) => Some(stats),
            _ => None,
        }
    }

    /// Returns the largest number of bytes of a value, if values were counted as bytes.
    pub(crate) fn max_bytes(&self) -> Option<i64> {
        match &self.data.stats {
            Some(Stats::BytesStats(stats)) => Some(stats.max_num_bytes_int),
            _ => None,
        }
    }

    /// Returns whether there are strings that are not UTF-8.
    pub(crate) fn has_invalid_utf8(&self) -> bool {
        self.strings().is_some_and(|strings| strings.invalid_utf8_count > 0)
    }

    /// Returns the number of different values, where they were counted.
    pub(crate) fn num_unique(&self) -> Option<u64> {
        self.strings().map(|strings| strings.unique)
    }

    /// Returns the count of each string in the histogram of ranks.
    pub(crate) fn string_counts(&self) -> BTreeMap<&'a str, f64> {
        let Some(strings) = self.strings() else { return BTreeMap::new() };
        let histogram = if self.by_weight {
            strings.weighted_string_stats.as_ref().and_then(|weighted| weighted.rank_histogram.as_ref())
        } else {
            strings.rank_histogram.as_ref()
        };
        let buckets = histogram.into_iter().flat_map(|histogram| &histogram.buckets);
        let mut counts = BTreeMap::new();
        for bucket in buckets {
            counts.entry(bucket.label.as_str()).or_insert(bucket.sample_count);
        }
        counts
    }

    /// Returns the histogram of numbers of that type.
    pub(crate) fn histogram(&self, wanted: HistogramType) -> Option<&'a Histogram> {
        let numbers = self.numbers()?;
        let histograms = match &numbers.weighted_numeric_stats {
            Some(weighted) if self.by_weight => &weighted.histograms,
            _ if self.by_weight => return None,
            _ => &numbers.histograms,
        };
        histograms.iter().find(|histogram| histogram.r#type == wanted as i32)
    }

    pub(crate) fn custom(&self) -> &'a [CustomStatistic] {
        &self.data.custom_stats
    }

    /// Returns the origin of a feature that was derived from others.
    pub(crate) fn derived_source(&self) -> Option<&'a DerivedFeatureSource> {
        self.data.validation_derived_source.as_ref()
    }
}
