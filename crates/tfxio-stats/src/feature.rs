//! Parts of the statistics of a feature, of any type.

use crate::proto::tfmd;
use tfmd::feature_name_statistics::{Stats, Type};

/// Returns the name of a feature's type.
pub(crate) fn type_name(feature: &tfmd::FeatureNameStatistics) -> &'static str {
    Type::try_from(feature.r#type).map_or("unknown", |kind| kind.as_str_name())
}

/// Returns what features of all types have.
pub(crate) fn shared(feature: &tfmd::FeatureNameStatistics) -> Option<&tfmd::CommonStatistics> {
    match feature.stats.as_ref()? {
        Stats::NumStats(stats) => stats.common_stats.as_ref(),
        Stats::StringStats(stats) => stats.common_stats.as_ref(),
        Stats::BytesStats(stats) => stats.common_stats.as_ref(),
        Stats::StructStats(stats) => stats.common_stats.as_ref(),
    }
}

/// Returns the most frequent values and their counts, the most frequent first.
pub(crate) fn ranked(stats: &tfmd::StringStatistics) -> Vec<(&str, f64)> {
    let buckets = stats.rank_histogram.iter().flat_map(|histogram| &histogram.buckets);
    let ranks = buckets.map(|bucket| (bucket.label.as_str(), bucket.sample_count)).collect::<Vec<_>>();
    // One of them can be longer than the other, by the options of TFDV.
    if ranks.len() >= stats.top_values.len() {
        return ranks;
    }
    stats.top_values.iter().map(|top| (top.value.as_str(), top.frequency)).collect()
}
