//! Data of the script's drawings, and of the list for an opened feature.

use serde_json::{Map, Value, json};

use super::feature::{Feature, Section};
use super::rows::estimate;
use super::text::{counted, cut, integer, number, percent, rounded, visible};
use crate::feature::{ranked, shared};
use crate::proto::tfmd;
use crate::row_counts;
use crate::summary::distinct_error;
use tfmd::custom_statistic::Val;
use tfmd::feature_name_statistics::Stats;
use tfmd::histogram::HistogramType;

/// Frequent values that the page has, at most.
const MOST_VALUES: usize = 20;
/// Characters of a value.
const VALUE: usize = 80;
/// Features of one side, above which there are fewer and shorter values, so that the page stays small.
const MANY: usize = 300;
/// Frequent values where there are many features.
const FEW_VALUES: usize = 10;
/// Characters of a value where there are many features.
const SHORT_VALUE: usize = 32;
/// Buckets of a histogram that are drawn, at most; neighbours are joined above that.
const MOST_BUCKETS: usize = 64;

/// Limits on the values that are kept.
#[derive(Clone, Copy)]
struct Kept {
    values: usize,
    characters: usize,
}

/// Returns an array of two for each feature: the data of each side, or null.
pub(super) fn of(section: &Section<'_>) -> Vec<Value> {
    let count = section.features.iter().map(|feature| feature.sides.iter().flatten().count()).sum::<usize>();
    let kept = if count > MANY {
        Kept { values: FEW_VALUES, characters: SHORT_VALUE }
    } else {
        Kept { values: MOST_VALUES, characters: VALUE }
    };
    let is_pair = section.datasets.iter().all(Option::is_some);
    section.features.iter().map(|feature| sides(feature, is_pair, kept)).collect()
}

fn sides(feature: &Feature<'_>, is_pair: bool, kept: Kept) -> Value {
    let side = |side: Option<&tfmd::FeatureNameStatistics>| side.map_or(Value::Null, |side| one(side, kept));
    match feature.sides {
        [ours, None] if !is_pair => json!([side(ours)]),
        [ours, theirs] => json!([side(ours), side(theirs)]),
    }
}

fn one(feature: &tfmd::FeatureNameStatistics, kept: Kept) -> Value {
    let mut out = Map::new();
    let mut numbers = Numbers(Vec::new());
    if let Some(stats) = shared(feature) {
        numbers.shared(stats, row_counts::of(feature));
        let lengths =
            stats.num_values_histogram.as_ref().filter(|_| stats.min_num_values != stats.max_num_values);
        if let Some(lengths) = lengths {
            out.insert("l".to_owned(), edges(lengths));
        }
    }
    match &feature.stats {
        Some(Stats::NumStats(stats)) => {
            numbers.numeric(stats);
            for histogram in stats.histograms.iter().filter(|histogram| !histogram.buckets.is_empty()) {
                match HistogramType::try_from(histogram.r#type) {
                    Ok(HistogramType::Quantiles) => out.entry("q").or_insert_with(|| edges(histogram)),
                    _ => out.entry("h").or_insert_with(|| json!([edges(histogram), counts(histogram)])),
                };
            }
        }
        Some(Stats::StringStats(stats)) => {
            numbers.strings(stats, &feature.custom_stats);
            let ranked = ranked(stats);
            if !ranked.is_empty() {
                let more = stats.unique.saturating_sub(ranked.len().min(kept.values) as u64);
                let values = ranked.into_iter().take(kept.values);
                let values = values.map(|(value, count)| {
                    let value = visible(value);
                    json!([cut(&value, kept.characters), rounded(count)])
                });
                out.insert("v".to_owned(), values.collect());
                if more > 0 {
                    out.insert("u".to_owned(), more.into());
                }
            }
        }
        Some(Stats::BytesStats(stats)) => numbers.bytes(stats, &feature.custom_stats),
        _ => {}
    }
    let mut lists = Vec::new();
    for custom in feature.custom_stats.iter().filter(|custom| !row_counts::is_one(&custom.name)) {
        let name = visible(&custom.name);
        match &custom.val {
            Some(Val::Num(value)) => numbers.push(&name, number(*value)),
            Some(Val::Str(text)) => numbers.push(&name, cut(&visible(text), VALUE).into_owned()),
            Some(Val::Histogram(histogram)) => {
                let buckets = histogram.buckets.iter().take(MOST_BUCKETS);
                let rows = buckets.map(|bucket| {
                    let range = format!("{} to {}", number(bucket.low_value), number(bucket.high_value));
                    json!([range, rounded(bucket.sample_count)])
                });
                lists.push(json!([name, rows.collect::<Vec<_>>()]));
            }
            Some(Val::RankHistogram(histogram)) => {
                let rows = histogram.buckets.iter().take(kept.values).map(|bucket| {
                    json!([cut(&visible(&bucket.label), kept.characters), rounded(bucket.sample_count)])
                });
                lists.push(json!([name, rows.collect::<Vec<_>>()]));
            }
            Some(Val::Any(any)) => numbers.push(&name, format!("a message {}", visible(&any.type_url))),
            None => {}
        }
    }
    if !lists.is_empty() {
        out.insert("c".to_owned(), lists.into());
    }
    out.insert("m".to_owned(), numbers.0.into());
    Value::Object(out)
}

/// Numbers of a feature with their names, as the page lists them.
struct Numbers(Vec<Value>);

impl Numbers {
    fn push(&mut self, name: &str, text: String) {
        self.0.push(json!([name, text]));
    }

    fn shared(&mut self, stats: &tfmd::CommonStatistics, (present, missing): (u64, u64)) {
        self.push("Rows with it", integer(present));
        let share = percent(missing as f64, present.saturating_add(missing) as f64);
        self.push("Rows without it", format!("{} ({share})", integer(missing)));
        self.push("Values", integer(stats.tot_num_values));
        let text = if stats.min_num_values == stats.max_num_values {
            integer(stats.min_num_values)
        } else {
            let (min, max) = (integer(stats.min_num_values), integer(stats.max_num_values));
            format!("{min} to {max}, mean {}", number(f64::from(stats.avg_num_values)))
        };
        self.push("Values in a row", text);
        if let Some(weighted) = &stats.weighted_common_stats {
            self.push("Rows with it, weighted", number(weighted.num_non_missing));
            self.push("Rows without it, weighted", number(weighted.num_missing));
        }
        for (level, stats) in stats.presence_and_valency_stats.iter().enumerate().skip(1) {
            let lists = counted(stats.num_non_missing, "list");
            let text = format!(
                "{lists} of {} to {} values",
                integer(stats.min_num_values),
                integer(stats.max_num_values)
            );
            self.push(&format!("Nested lists, level {}", level + 1), text);
        }
    }

    fn numeric(&mut self, stats: &tfmd::NumericStatistics) {
        if stats.common_stats.as_ref().is_some_and(|stats| stats.tot_num_values > 0) {
            for (name, value) in [
                ("Mean", stats.mean),
                ("Standard deviation", stats.std_dev),
                ("Minimum", stats.min),
                ("Median", stats.median),
                ("Maximum", stats.max),
            ] {
                self.push(name, number(value));
            }
            self.push("Zeros", integer(stats.num_zeros));
        }
        let nan = stats.histograms.iter().map(|histogram| histogram.num_nan).max().unwrap_or_default();
        if nan > 0 {
            self.push("NaN", integer(nan));
        }
        let undefined =
            stats.histograms.iter().map(|histogram| histogram.num_undefined).max().unwrap_or_default();
        if undefined > 0 {
            self.push("Undefined", integer(undefined));
        }
        if let Some(weighted) = &stats.weighted_numeric_stats {
            self.push("Mean, weighted", number(weighted.mean));
            self.push("Standard deviation, weighted", number(weighted.std_dev));
            self.push("Median, weighted", number(weighted.median));
        }
    }

    fn strings(&mut self, stats: &tfmd::StringStatistics, custom: &[tfmd::CustomStatistic]) {
        self.push("Distinct values", estimate(integer(stats.unique), distinct_error(custom, stats.unique)));
        if stats.common_stats.as_ref().is_some_and(|stats| stats.tot_num_values > 0) {
            self.push("Mean length", number(f64::from(stats.avg_length)));
        }
        if stats.invalid_utf8_count > 0 {
            self.push("Not UTF-8", integer(stats.invalid_utf8_count));
        }
        if !stats.vocabulary_file.is_empty() {
            self.push("Vocabulary", visible(&stats.vocabulary_file).into_owned());
        }
        let weighted = stats.weighted_string_stats.iter().flat_map(|stats| &stats.top_values);
        if let Some(top) = weighted.into_iter().next() {
            let text = format!("{} ({})", cut(&visible(&top.value), VALUE), number(top.frequency));
            self.push("Most frequent, weighted", text);
        }
    }

    fn bytes(&mut self, stats: &tfmd::BytesStatistics, custom: &[tfmd::CustomStatistic]) {
        self.push("Distinct values", estimate(integer(stats.unique), distinct_error(custom, stats.unique)));
        self.push("Mean length in bytes", number(f64::from(stats.avg_num_bytes)));
        self.push("Shortest, in bytes", number(f64::from(stats.min_num_bytes)));
        let longest = f64::from(stats.max_num_bytes).max(stats.max_num_bytes_int as f64);
        self.push("Longest, in bytes", number(longest));
    }
}

/// Returns the number of neighbouring buckets that are joined.
fn joined(histogram: &tfmd::Histogram) -> usize {
    histogram.buckets.len().div_ceil(MOST_BUCKETS).max(1)
}

/// Returns the borders of the buckets: the low end of each, and the high end of the last.
fn edges(histogram: &tfmd::Histogram) -> Value {
    let lows = histogram.buckets.iter().step_by(joined(histogram)).map(|bucket| bucket.low_value);
    lows.chain(histogram.buckets.last().map(|bucket| bucket.high_value)).map(rounded).collect()
}

fn counts(histogram: &tfmd::Histogram) -> Value {
    let chunks = histogram.buckets.chunks(joined(histogram));
    chunks.map(|chunk| rounded(chunk.iter().map(|bucket| bucket.sample_count).sum())).collect()
}
