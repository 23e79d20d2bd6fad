//! Statistics of strings.

use arrow_array::Array as _;
use arrow_array::cast::AsArray as _;
use arrow_array::types::Float64Type;

use super::{boundaries, histogram, images, number};
use crate::proto::tfmd::string_statistics::FreqAndValue;
use crate::proto::tfmd::{
    BytesStatistics, CommonStatistics, CustomStatistic, StringStatistics, WeightedStringStatistics,
};
use crate::statistics::StatisticsOptions;
use crate::statistics::byte_strings::{ByteStrings, LARGE, NOT_UTF8};
use crate::statistics::histogram::rank_histogram;
use crate::statistics::string_counts::{CountedString, SettledCounts};
use crate::{Kmv, MisraGries};

/// Returns the statistics of a column without values.
pub(super) fn none(common: CommonStatistics) -> StringStatistics {
    StringStatistics { common_stats: Some(common), ..StringStatistics::default() }
}

pub(super) fn statistics(
    strings: &ByteStrings,
    common: CommonStatistics,
    options: &StatisticsOptions,
    custom: &mut Vec<CustomStatistic>,
) -> StringStatistics {
    let counts = strings.counts.settled();
    let top = top_values(&counts, options.rank_buckets.max(options.top_values));
    append_custom(strings, &counts, options, custom);
    StringStatistics {
        common_stats: Some(common),
        unique: distinct(strings, &counts),
        avg_length: average_length(strings),
        invalid_utf8_count: strings.not_utf8,
        top_values: listed(&top, options.top_values),
        rank_histogram: Some(ranks(&top, options.rank_buckets)),
        weighted_string_stats: strings.weighted.as_deref().map(|sketch| weighted(sketch, options)),
        ..StringStatistics::default()
    }
}

pub(super) fn bytes_statistics(
    strings: &ByteStrings,
    common: CommonStatistics,
    options: &StatisticsOptions,
    custom: &mut Vec<CustomStatistic>,
) -> BytesStatistics {
    let counts = strings.counts.settled();
    append_custom(strings, &counts, options, custom);
    custom.push(number("invalid_utf8_count", strings.not_utf8 as f64));
    let mut statistics = BytesStatistics {
        common_stats: Some(common),
        unique: distinct(strings, &counts),
        ..BytesStatistics::default()
    };
    if strings.count > 0 {
        statistics.avg_num_bytes = average_length(strings);
        statistics.min_num_bytes = strings.lengths.min as f32;
        statistics.max_num_bytes = strings.lengths.max as f32;
        statistics.max_num_bytes_int = i64::try_from(strings.lengths.max).unwrap_or(i64::MAX);
    }
    statistics
}

fn average_length(strings: &ByteStrings) -> f32 {
    if strings.count > 0 { (strings.bytes as f64 / strings.count as f64) as f32 } else { 0.0 }
}

fn append_custom(
    strings: &ByteStrings,
    counts: &SettledCounts,
    options: &StatisticsOptions,
    custom: &mut Vec<CustomStatistic>,
) {
    if strings.count > 0 {
        custom.push(number("min_length", strings.lengths.min as f64));
        custom.push(number("max_length", strings.lengths.max as f64));
        let lengths = boundaries(&strings.lengths, options.quantile_buckets);
        custom.push(histogram("length_quantiles", lengths.quantile_histogram()));
    }
    if let Some(of) = &strings.images {
        images::append(of, strings.count, options, custom);
    }
    if let Some(error) = counts.count_error() {
        custom.push(number("max_count_error", error as f64));
        custom.push(number("num_distinct_standard_error", Kmv::of_hashes().standard_error()));
    }
}

/// Returns the number of distinct values, which are not more than the values.
fn distinct(strings: &ByteStrings, counts: &SettledCounts) -> u64 {
    counts.distinct().min(strings.count)
}

/// Returns the most frequent values, and of equal counts the largest first, as texts. A value that may be as rare as others is not one of
/// them: one whose count is not larger than the error of counts.
fn top_values(counts: &SettledCounts, number: usize) -> Vec<(String, f64)> {
    let error = counts.count_error().unwrap_or(0);
    let mut all: Vec<(CountedString<'_>, u64)> = counts.iter().filter(|(_, count)| *count >= error).collect();
    let order = |(string, count): &(CountedString<'_>, u64),
                 (other, other_count): &(CountedString<'_>, u64)| {
        other_count.cmp(count).then_with(|| other.cmp(string))
    };
    if all.len() > number && number > 0 {
        all.select_nth_unstable_by(number - 1, order);
        all.truncate(number);
    }
    all.sort_unstable_by(order);
    let text = |string: CountedString<'_>| match string {
        CountedString::Text(bytes) => std::str::from_utf8(bytes).unwrap_or(NOT_UTF8).to_owned(),
        CountedString::Long(..) => LARGE.to_owned(),
    };
    let counted = all.into_iter().take(number);
    counted.map(|(string, count)| (text(string), count.saturating_add(error) as f64)).collect()
}

fn listed(top: &[(String, f64)], number: usize) -> Vec<FreqAndValue> {
    let value =
        |(value, frequency): &(String, f64)| FreqAndValue { value: value.clone(), frequency: *frequency };
    top.iter().take(number).map(value).collect()
}

fn ranks(top: &[(String, f64)], number: usize) -> crate::proto::tfmd::RankHistogram {
    rank_histogram(top.iter().take(number).map(|(value, count)| (value.as_str(), *count)))
}

fn weighted(sketch: &MisraGries, options: &StatisticsOptions) -> WeightedStringStatistics {
    let estimate = sketch.estimate();
    let (values, counts) = (estimate.column(0).as_binary::<i64>(), estimate.column(1));
    let counts = counts.as_primitive::<Float64Type>();
    let text = |row: usize| std::str::from_utf8(values.value(row)).unwrap_or(NOT_UTF8).to_owned();
    let mut top: Vec<_> = (0..values.len()).map(|row| (text(row), counts.value(row))).collect();
    top.sort_by(|(value, count), (other, other_count)| {
        other_count.total_cmp(count).then_with(|| other.cmp(value))
    });
    WeightedStringStatistics {
        top_values: listed(&top, options.top_values),
        rank_histogram: Some(ranks(&top, options.rank_buckets)),
    }
}
