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
use crate::statistics::histogram::rank_histogram;
use crate::statistics::texts::{LARGE, NOT_UTF8, Texts};
use crate::statistics::words::{Settled, Word};
use crate::{Kmv, MisraGries};

/// Returns the statistics of a column without values.
pub(super) fn none(common: CommonStatistics) -> StringStatistics {
    StringStatistics { common_stats: Some(common), ..StringStatistics::default() }
}

pub(super) fn statistics(
    texts: &Texts,
    common: CommonStatistics,
    options: &StatisticsOptions,
    custom: &mut Vec<CustomStatistic>,
) -> StringStatistics {
    let words = texts.words.settled();
    let top = top_values(&words, options.rank_buckets.max(options.top_values));
    append_custom(texts, &words, options, custom);
    StringStatistics {
        common_stats: Some(common),
        unique: distinct(texts, &words),
        avg_length: average_length(texts),
        invalid_utf8_count: texts.not_utf8,
        top_values: listed(&top, options.top_values),
        rank_histogram: Some(ranks(&top, options.rank_buckets)),
        weighted_string_stats: texts.weighted.as_deref().map(|sketch| weighted(sketch, options)),
        ..StringStatistics::default()
    }
}

pub(super) fn bytes_statistics(
    texts: &Texts,
    common: CommonStatistics,
    options: &StatisticsOptions,
    custom: &mut Vec<CustomStatistic>,
) -> BytesStatistics {
    let words = texts.words.settled();
    append_custom(texts, &words, options, custom);
    custom.push(number("invalid_utf8_count", texts.not_utf8 as f64));
    let mut statistics = BytesStatistics {
        common_stats: Some(common),
        unique: distinct(texts, &words),
        ..BytesStatistics::default()
    };
    if texts.count > 0 {
        statistics.avg_num_bytes = average_length(texts);
        statistics.min_num_bytes = texts.lengths.min as f32;
        statistics.max_num_bytes = texts.lengths.max as f32;
        statistics.max_num_bytes_int = i64::try_from(texts.lengths.max).unwrap_or(i64::MAX);
    }
    statistics
}

fn average_length(texts: &Texts) -> f32 {
    if texts.count > 0 { (texts.bytes as f64 / texts.count as f64) as f32 } else { 0.0 }
}

fn append_custom(
    texts: &Texts,
    words: &Settled,
    options: &StatisticsOptions,
    custom: &mut Vec<CustomStatistic>,
) {
    if texts.count > 0 {
        custom.push(number("min_length", texts.lengths.min as f64));
        custom.push(number("max_length", texts.lengths.max as f64));
        let lengths = boundaries(&texts.lengths, options.quantile_buckets);
        custom.push(histogram("length_quantiles", lengths.quantile_histogram()));
    }
    if let Some(of) = &texts.images {
        images::append(of, texts.count, options, custom);
    }
    if let Some(error) = words.count_error() {
        custom.push(number("max_count_error", error as f64));
        custom.push(number("num_distinct_standard_error", Kmv::of_hashes().standard_error()));
    }
}

/// Returns the number of distinct values, which are not more than the values.
fn distinct(texts: &Texts, words: &Settled) -> u64 {
    words.distinct().min(texts.count)
}

/// Returns the most frequent values, and of equal counts the largest first, as texts. A value that may be as rare as others is not one of
/// them: one whose count is not larger than the error of counts.
fn top_values(words: &Settled, number: usize) -> Vec<(String, f64)> {
    let error = words.count_error().unwrap_or(0);
    let mut all: Vec<(Word<'_>, u64)> = words.iter().filter(|(_, count)| *count >= error).collect();
    let order = |(word, count): &(Word<'_>, u64), (other, other_count): &(Word<'_>, u64)| {
        other_count.cmp(count).then_with(|| other.cmp(word))
    };
    if all.len() > number && number > 0 {
        all.select_nth_unstable_by(number - 1, order);
        all.truncate(number);
    }
    all.sort_unstable_by(order);
    let text = |word: Word<'_>| match word {
        Word::Text(bytes) => std::str::from_utf8(bytes).unwrap_or(NOT_UTF8).to_owned(),
        Word::Long(..) => LARGE.to_owned(),
    };
    let counted = all.into_iter().take(number);
    counted.map(|(word, count)| (text(word), count.saturating_add(error) as f64)).collect()
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
