//! Statistics as the messages of TensorFlow Metadata.

mod images;
mod numbers;
mod strings;

use std::sync::Arc;

use tfxio_core::ColumnPath;

use super::StatisticsOptions;
use super::column_tree::{ColumnNode, Leaf};
use super::histogram::Boundaries;
use super::lengths::Lengths;
use super::level::Level;
use crate::proto::tfmd;
use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::feature_name_statistics::{FieldId, Stats, Type};
use crate::proto::tfmd::{
    CommonStatistics, CustomStatistic, FeatureNameStatistics, Histogram, PresenceAndValencyStatistics,
    StructStatistics, WeightedCommonStatistics,
};
use crate::row_counts;

/// Totals that a column is compared with: of the examples, or of the structs that a field is in.
#[derive(Clone, Copy)]
pub(super) struct Parent {
    pub(super) count: u64,
    pub(super) weight: f64,
    /// Number of examples, of fields too.
    pub(super) rows: u64,
}

/// Appends the statistics of a column, and of the fields in it.
pub(super) fn append(
    node: &ColumnNode,
    path: &ColumnPath,
    parent: Parent,
    options: &StatisticsOptions,
    out: &mut Vec<FeatureNameStatistics>,
) {
    let common = common(node, parent, options);
    let mut custom = level_histograms(node, options);
    if node.null_values > 0 {
        custom.push(number("num_null_values", node.null_values as f64));
    }
    if path.len() > 1 {
        let rows = (node.rows, parent.rows.saturating_sub(node.rows));
        row_counts::append(&mut custom, rows, (common.num_non_missing, common.num_missing));
    }
    let (kind, stats) = match &node.leaf {
        Leaf::Unknown if options.bytes.contains(path) => (
            Type::Bytes,
            Stats::BytesStats(tfmd::BytesStatistics { common_stats: Some(common), ..Default::default() }),
        ),
        Leaf::Unknown => (Type::String, Stats::StringStats(strings::none(common))),
        Leaf::Numbers(numbers) => {
            let kind = if numbers.kind.is_float() { Type::Float } else { Type::Int };
            (kind, Stats::NumStats(numbers::statistics(numbers, common, options, &mut custom)))
        }
        Leaf::Categories(_, categories) => {
            (Type::Int, Stats::StringStats(strings::statistics(categories, common, options, &mut custom)))
        }
        Leaf::ByteStrings(values) if values.is_binary() || options.bytes.contains(path) => {
            (Type::Bytes, Stats::BytesStats(strings::bytes_statistics(values, common, options, &mut custom)))
        }
        Leaf::ByteStrings(values) => {
            (Type::String, Stats::StringStats(strings::statistics(values, common, options, &mut custom)))
        }
        Leaf::Struct => (Type::Struct, Stats::StructStats(StructStatistics { common_stats: Some(common) })),
        Leaf::Other(name) => {
            custom.push(text("only_counted", &format!("values of the type {name}")));
            (Type::String, Stats::StringStats(strings::none(common)))
        }
    };
    let step = path.steps().iter().map(|step| step.to_string()).collect();
    out.push(FeatureNameStatistics {
        r#type: kind.into(),
        field_id: Some(FieldId::Path(tfmd::Path { step })),
        stats: Some(stats),
        custom_stats: custom,
        ..FeatureNameStatistics::default()
    });
    let below = Parent {
        count: node.levels.last().map_or(0, |level| level.values.saturating_sub(node.null_values)),
        weight: node.levels.last().map_or(0.0, |level| level.weighted_values),
        rows: parent.rows,
    };
    for (name, field) in &node.fields {
        append(field, &path.child(Arc::clone(name)), below, options, out);
    }
}

fn common(node: &ColumnNode, parent: Parent, options: &StatisticsOptions) -> CommonStatistics {
    let mut common = CommonStatistics { num_missing: parent.count, ..CommonStatistics::default() };
    let is_weighted = options.weight.is_some();
    let (Some(first), Some(last)) = (node.levels.first(), node.levels.last()) else {
        common.weighted_common_stats = is_weighted
            .then(|| WeightedCommonStatistics { num_missing: parent.weight, ..Default::default() });
        return common;
    };
    common.num_non_missing = first.non_missing;
    common.num_missing = parent.count.saturating_sub(first.non_missing);
    if first.non_missing > 0 {
        common.tot_num_values = last.values;
        common.min_num_values = first.lengths.min.min(first.lengths.max);
        common.max_num_values = first.lengths.max;
        common.avg_num_values = (last.values as f64 / first.non_missing as f64) as f32;
        common.num_values_histogram =
            Some(boundaries(&first.lengths, options.values_buckets).quantile_histogram());
    }
    let is_nested = node.levels.len() > 1;
    if is_nested {
        let mut above = parent.count;
        for level in &node.levels {
            common.presence_and_valency_stats.push(presence(level, above));
            above = level.values;
        }
    }
    if is_weighted {
        let mut above = parent.weight;
        let mut levels = Vec::new();
        for level in &node.levels {
            levels.push(weighted_presence(level, above));
            above = level.weighted_values;
        }
        let mut whole = weighted_presence(first, parent.weight);
        whole.tot_num_values = last.weighted_values;
        whole.avg_num_values = share(last.weighted_values, first.weighted_non_missing);
        common.weighted_common_stats = Some(whole);
        if is_nested {
            common.weighted_presence_and_valency_stats = levels;
        }
    }
    common
}

fn presence(level: &Level, above: u64) -> PresenceAndValencyStatistics {
    let lengths = level.own_lengths.as_deref().unwrap_or(&level.lengths);
    let is_present = level.non_missing > 0;
    let if_present = |number: u64| if is_present { number } else { 0 };
    PresenceAndValencyStatistics {
        num_non_missing: level.non_missing,
        num_missing: above.saturating_sub(level.non_missing),
        min_num_values: if_present(lengths.min.min(lengths.max)),
        max_num_values: if_present(lengths.max),
        tot_num_values: if_present(level.values),
    }
}

fn weighted_presence(level: &Level, above: f64) -> WeightedCommonStatistics {
    WeightedCommonStatistics {
        num_non_missing: level.weighted_non_missing,
        num_missing: above - level.weighted_non_missing,
        avg_num_values: share(level.weighted_values, level.weighted_non_missing),
        tot_num_values: level.weighted_values,
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn boundaries(lengths: &Lengths, buckets: usize) -> Boundaries {
    let mut counts: Vec<_> =
        lengths.counts().into_iter().map(|(length, count)| (length as f64, count as f64)).collect();
    Boundaries::of_counts(&mut counts, buckets)
}

/// Returns the histograms of the lengths of inner lists.
fn level_histograms(node: &ColumnNode, options: &StatisticsOptions) -> Vec<CustomStatistic> {
    let mut custom = Vec::new();
    for (number, level) in (1..).zip(&node.levels).skip(1) {
        let boundaries = boundaries(&level.lengths, options.values_buckets);
        if boundaries.is_empty() {
            continue;
        }
        let ends = (level.lengths.min as f64, level.lengths.max as f64);
        custom.push(histogram(
            &format!("level_{number}_value_list_length_quantiles"),
            boundaries.quantile_histogram(),
        ));
        let standard = boundaries.width_histogram(ends, options.values_buckets, 0.0);
        custom.push(histogram(&format!("level_{number}_value_list_length_standard"), standard));
    }
    custom
}

fn custom(name: &str, val: Val) -> CustomStatistic {
    CustomStatistic { name: name.to_owned(), val: Some(val) }
}

fn number(name: &str, value: f64) -> CustomStatistic {
    custom(name, Val::Num(value))
}

fn text(name: &str, value: &str) -> CustomStatistic {
    custom(name, Val::Str(value.to_owned()))
}

fn histogram(name: &str, histogram: Histogram) -> CustomStatistic {
    custom(name, Val::Histogram(histogram))
}
