//! Statistics for tests.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::StatisticsList;
use crate::proto::tfmd::feature_name_statistics::{FieldId, Stats, Type};
use crate::proto::tfmd::histogram::{Bucket, HistogramType};
use crate::proto::tfmd::{
    BytesStatistics, CommonStatistics, CustomStatistic, DatasetFeatureStatistics,
    DatasetFeatureStatisticsList, FeatureNameStatistics, Histogram, NumericStatistics, Path,
    PresenceAndValencyStatistics, RankHistogram, StringStatistics, StructStatistics, custom_statistic,
    rank_histogram,
};

/// Returns the statistics of one data set.
pub(crate) fn list(num_examples: u64, features: Vec<FeatureNameStatistics>) -> StatisticsList {
    StatisticsList(DatasetFeatureStatisticsList { datasets: vec![dataset("", num_examples, features)] })
}

pub(crate) fn dataset(
    name: &str,
    num_examples: u64,
    features: Vec<FeatureNameStatistics>,
) -> DatasetFeatureStatistics {
    DatasetFeatureStatistics { name: name.into(), num_examples, features, ..Default::default() }
}

/// Returns the counts of a feature: examples that have it and that lack it, and the least and the largest number of values.
pub(crate) fn counts(present: u64, missing: u64, least: u64, most: u64) -> CommonStatistics {
    CommonStatistics {
        num_non_missing: present,
        num_missing: missing,
        min_num_values: least,
        max_num_values: most,
        tot_num_values: present * most,
        ..Default::default()
    }
}

/// Does the same on each level of lists: lists, missing ones, the least and the largest number of values.
pub(crate) fn nested(levels: &[(u64, u64, u64, u64)]) -> CommonStatistics {
    let (present, missing, least, most) = levels[0];
    let mut common = counts(present, missing, least, most);
    common.presence_and_valency_stats = levels
        .iter()
        .map(|&(num_non_missing, num_missing, min_num_values, max_num_values)| PresenceAndValencyStatistics {
            num_non_missing,
            num_missing,
            min_num_values,
            max_num_values,
            tot_num_values: num_non_missing * max_num_values,
        })
        .collect();
    common
}

fn feature(path: &str, value_type: Type, stats: Option<Stats>) -> FeatureNameStatistics {
    FeatureNameStatistics {
        r#type: value_type.into(),
        field_id: Some(FieldId::Path(Path { step: path.split('/').map(Into::into).collect() })),
        stats,
        ..Default::default()
    }
}

fn numbers(
    path: &str,
    value_type: Type,
    common: CommonStatistics,
    min: f64,
    max: f64,
) -> FeatureNameStatistics {
    let stats = NumericStatistics { common_stats: Some(common), min, max, ..Default::default() };
    feature(path, value_type, Some(Stats::NumStats(stats)))
}

pub(crate) fn integers(path: &str, common: CommonStatistics, min: f64, max: f64) -> FeatureNameStatistics {
    numbers(path, Type::Int, common, min, max)
}

pub(crate) fn floats(path: &str, common: CommonStatistics, min: f64, max: f64) -> FeatureNameStatistics {
    numbers(path, Type::Float, common, min, max)
}

/// Floats with a histogram of equal width: lower bound, upper bound, count.
pub(crate) fn histogram(path: &str, buckets: &[(f64, f64, f64)], num_nan: u64) -> FeatureNameStatistics {
    let (min, max) = (buckets[0].0, buckets[buckets.len() - 1].1);
    let mut feature = floats(path, counts(10, 0, 1, 1), min, max);
    let buckets = buckets.iter().map(|&(low_value, high_value, sample_count)| Bucket {
        low_value,
        high_value,
        sample_count,
    });
    let histogram = Histogram {
        num_nan,
        buckets: buckets.collect(),
        r#type: HistogramType::Standard.into(),
        ..Default::default()
    };
    let Some(Stats::NumStats(stats)) = &mut feature.stats else { unreachable!() };
    stats.histograms.push(histogram);
    feature
}

/// Returns statistics of text, of which each value comes one time after another.
pub(crate) fn strings(path: &str, common: CommonStatistics, values: &[(&str, f64)]) -> FeatureNameStatistics {
    let stats = StringStatistics {
        common_stats: Some(common),
        unique: values.len() as u64,
        rank_histogram: Some(ranks(values)),
        ..Default::default()
    };
    feature(path, Type::String, Some(Stats::StringStats(stats)))
}

pub(crate) fn ranks(values: &[(&str, f64)]) -> RankHistogram {
    let buckets = values.iter().enumerate().map(|(rank, (label, count))| rank_histogram::Bucket {
        low_rank: rank as u64,
        high_rank: rank as u64,
        label: (*label).into(),
        sample_count: *count,
    });
    RankHistogram { buckets: buckets.collect(), ..Default::default() }
}

pub(crate) fn bytes(path: &str, common: CommonStatistics, largest: i64) -> FeatureNameStatistics {
    let stats =
        BytesStatistics { common_stats: Some(common), max_num_bytes_int: largest, ..Default::default() };
    feature(path, Type::Bytes, Some(Stats::BytesStats(stats)))
}

pub(crate) fn structs(path: &str, common: CommonStatistics) -> FeatureNameStatistics {
    feature(path, Type::Struct, Some(Stats::StructStats(StructStatistics { common_stats: Some(common) })))
}

/// Returns a feature that has custom statistics and nothing else.
pub(crate) fn custom(path: &str, statistics: Vec<(&str, custom_statistic::Val)>) -> FeatureNameStatistics {
    with_custom(feature(path, Type::Int, None), statistics)
}

pub(crate) fn with_custom(
    mut feature: FeatureNameStatistics,
    statistics: Vec<(&str, custom_statistic::Val)>,
) -> FeatureNameStatistics {
    feature.custom_stats = statistics
        .into_iter()
        .map(|(name, val)| CustomStatistic { name: name.into(), val: Some(val) })
        .collect();
    feature
}
