//! Statistics of numbers.

use super::number;
use crate::proto::tfmd::histogram::HistogramType;
use crate::proto::tfmd::{
    CommonStatistics, CustomStatistic, Histogram, NumericStatistics, WeightedNumericStatistics,
};
use crate::statistics::StatisticsOptions;
use crate::statistics::histogram::{Boundaries, FACTOR, rank_histogram};
use crate::statistics::numbers::{Numbers, Weighted};

pub(super) fn statistics(
    numbers: &Numbers,
    common: CommonStatistics,
    options: &StatisticsOptions,
    custom: &mut Vec<CustomStatistic>,
) -> NumericStatistics {
    let mut statistics = NumericStatistics { common_stats: Some(common), ..NumericStatistics::default() };
    let count = numbers.count();
    if count == 0 {
        if numbers.nan > 0 {
            let only_nan = |kind: HistogramType| Histogram {
                num_nan: numbers.nan,
                r#type: kind.into(),
                ..Histogram::default()
            };
            statistics.histograms =
                vec![only_nan(HistogramType::Standard), only_nan(HistogramType::Quantiles)];
        }
        return statistics;
    }
    let infinite = (numbers.positive_infinite as f64, numbers.negative_infinite as f64);
    (statistics.mean, statistics.std_dev) =
        mean_and_deviation(numbers.moments.mean, numbers.moments.variance(), infinite);
    statistics.num_zeros = numbers.zeros;
    statistics.min = if numbers.negative_infinite > 0 { f64::NEG_INFINITY } else { numbers.min };
    statistics.max = if numbers.positive_infinite > 0 { f64::INFINITY } else { numbers.max };
    // Of positive or of negative infinity alone.
    if numbers.moments.weight == 0.0 {
        statistics.min = if numbers.negative_infinite > 0 { f64::NEG_INFINITY } else { f64::INFINITY };
        statistics.max = if numbers.positive_infinite > 0 { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    let counts = numbers.sketch.counts();
    let mut weighted: Vec<_> =
        counts.iter().map(|(key, count)| (numbers.kind.number(*key), *count as f64)).collect();
    include_ends(&mut weighted, (statistics.min, statistics.max));
    let boundaries = Boundaries::of_counts(&mut weighted, FACTOR * options.quantile_buckets.max(1));
    statistics.median = boundaries.median();
    statistics.histograms = histograms(&boundaries, numbers, infinite.0, options);
    if let Some(weighted) = &numbers.weighted {
        statistics.weighted_numeric_stats = weighted_statistics(weighted, numbers, options);
    }
    append_custom(numbers, options, custom);
    statistics
}

/// Replaces the least and the largest value by the exact ones, which a sample may lack.
fn include_ends(counts: &mut [(f64, f64)], (min, max): (f64, f64)) {
    if let Some((value, _)) = counts.first_mut() {
        *value = min;
    }
    if let Some((value, _)) = counts.last_mut() {
        *value = max;
    }
}

fn mean_and_deviation(mean: f64, variance: f64, (positive, negative): (f64, f64)) -> (f64, f64) {
    match (positive > 0.0, negative > 0.0) {
        (false, false) => (mean, variance.sqrt()),
        // As TFDV: the mean of infinite values is infinite, and the deviation, which is not defined, 0.
        (true, false) => (f64::INFINITY, 0.0),
        (false, true) => (f64::NEG_INFINITY, 0.0),
        (true, true) => (f64::NAN, 0.0),
    }
}

fn histograms(
    boundaries: &Boundaries,
    numbers: &Numbers,
    positive_infinite: f64,
    options: &StatisticsOptions,
) -> Vec<Histogram> {
    let ends = (numbers.min, numbers.max);
    let mut histograms = vec![
        boundaries.width_histogram(ends, options.histogram_buckets, positive_infinite),
        boundaries.every(FACTOR).quantile_histogram(),
    ];
    histograms.iter_mut().for_each(|histogram| histogram.num_nan = numbers.nan);
    histograms
}

fn weighted_statistics(
    weighted: &Weighted,
    numbers: &Numbers,
    options: &StatisticsOptions,
) -> Option<WeightedNumericStatistics> {
    let infinite = (weighted.positive_infinite, weighted.negative_infinite);
    let (mean, std_dev) = mean_and_deviation(weighted.moments.mean, weighted.moments.variance(), infinite);
    let boundaries = Boundaries::of_sketch(&weighted.quantiles, FACTOR * options.quantile_buckets.max(1));
    let histograms = histograms(&boundaries, numbers, infinite.0, options);
    Some(WeightedNumericStatistics { mean, std_dev, median: boundaries.median(), histograms })
}

fn append_custom(numbers: &Numbers, options: &StatisticsOptions, custom: &mut Vec<CustomStatistic>) {
    custom.push(number("num_distinct", numbers.sketch.distinct() as f64));
    let infinite = numbers.positive_infinite.saturating_add(numbers.negative_infinite);
    if infinite > 0 {
        custom.push(number("num_positive_infinity", numbers.positive_infinite as f64));
        custom.push(number("num_negative_infinity", numbers.negative_infinite as f64));
        custom.push(number("finite_mean", numbers.moments.mean));
        custom.push(number("finite_std_dev", numbers.moments.variance().sqrt()));
    }
    match numbers.sketch.exact() {
        Some(mut counts) => {
            counts.sort_by(|(key, count), (other, other_count)| other_count.cmp(count).then(other.cmp(key)));
            let top: Vec<_> = counts
                .iter()
                .take(options.top_values)
                .map(|(key, count)| (numbers.kind.text(*key), *count as f64))
                .collect();
            let ranks = rank_histogram(top.iter().map(|(text, count)| (text.as_str(), *count)));
            custom.push(super::custom(
                "top_values",
                crate::proto::tfmd::custom_statistic::Val::RankHistogram(ranks),
            ));
        }
        None => {
            custom.push(number("max_rank_error", numbers.sketch.rank_error() as f64));
            custom.push(number("num_distinct_standard_error", crate::Kmv::of_hashes().standard_error()));
        }
    }
}
