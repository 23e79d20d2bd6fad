//! Summaries of features, as numbers.

use tfxio_core::ColumnPath;

use crate::StatisticsList;
use crate::feature::{ranked, shared, type_name};
use crate::path_text::steps;
use crate::proto::tfmd;
use crate::row_counts;
use tfmd::custom_statistic::Val;
use tfmd::feature_name_statistics::Stats;
use tfmd::histogram::HistogramType;

/// Summary of a feature's statistics.
///
/// ```
/// use tfxio_stats::StatisticsList;
///
/// let list = StatisticsList::from_bytes(b"\x0a\x13\x10\x03\x1a\x0f\x0a\x01a\x1a\x0a\x0a\x08\x08\x03\x18\x01\x20\x01\x40\x03")?;
/// let features = list.summaries(0);
/// assert_eq!(features[0].path.to_string(), "a");
/// assert_eq!((features[0].present, features[0].missing, features[0].values), (3, 0, 3));
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FeatureSummary {
    /// The feature.
    pub path: ColumnPath,
    /// The type by its name in the message: `INT`, `FLOAT`, `STRING`, `BYTES`, `STRUCT`.
    pub type_name: &'static str,
    /// Number of rows that have the feature: of a field of structs, in any of the structs of the row. Of fields in statistics of other
    /// programs, the number of structs.
    pub present: u64,
    /// Number of rows that do not, those without the struct of a field included; of other programs as [`present`](Self::present).
    pub missing: u64,
    /// Number of values of all rows.
    pub values: u64,
    /// Least number of values in a row that has the feature; of a field, in a struct that has it.
    pub min_values: u64,
    /// Largest number of values in a row.
    pub max_values: u64,
    /// Mean number of values in a row that has the feature.
    pub mean_values: f64,
    /// Summary of numbers.
    pub numbers: Option<NumberSummary>,
    /// Summary of strings, bytes, and numbers that are categories.
    pub texts: Option<TextSummary>,
    /// Summary of the images among strings and bytes, if most are images.
    pub images: Option<ImageSummary>,
    /// Name of the values' type, if only their number is counted: a type that statistics do not have.
    pub only_counted: Option<String>,
    /// Whether the numbers, texts and counts of rows are weighted.
    pub is_weighted: bool,
}

/// Summary of numbers. With weights, the mean, the standard deviation, the median and the histogram are weighted.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NumberSummary {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub std_dev: f64,
    /// Number of zeros.
    pub zeros: u64,
    /// Number of NaN.
    pub nan: u64,
    /// Smallest.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Largest.
    pub max: f64,
    /// Buckets of equal width: low end, high end, number of values.
    pub histogram: Vec<(f64, f64, f64)>,
    /// Borders of buckets of equal counts.
    pub quantiles: Vec<f64>,
}

/// Summary of texts. With weights, the most frequent values are weighted.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TextSummary {
    /// Number of distinct values.
    pub distinct: u64,
    /// Standard error of the number of distinct values; 0 where it is exact.
    pub distinct_error: f64,
    /// The most by which a count of a frequent value may be too large; 0 where counts are exact.
    pub count_error: f64,
    /// Mean length: of strings in characters, of bytes in bytes.
    pub mean_length: f64,
    /// Number of strings that are not UTF-8.
    pub invalid_utf8: u64,
    /// The most frequent values and their counts, the most frequent first.
    pub top_values: Vec<(String, f64)>,
}

/// Summary of images.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ImageSummary {
    /// The formats by name (`png`, `jpeg`, …; `UNKNOWN` is of values that are not images) and their counts, the most frequent first.
    pub formats: Vec<(String, f64)>,
    /// The smallest, the mean and the largest width in pixels; `None` if every header lacks it, or they were not counted.
    pub width: Option<[f64; 3]>,
    /// The smallest, the mean and the largest height in pixels, as the width.
    pub height: Option<[f64; 3]>,
    /// The most frequent sizes (`28x28`) and their counts, the most frequent first.
    pub sizes: Vec<(String, f64)>,
}

impl StatisticsList {
    /// Returns the summaries of the features of the data set or slice of this number; empty if the number is out of range.
    #[must_use]
    pub fn summaries(&self, dataset: usize) -> Vec<FeatureSummary> {
        self.0
            .datasets
            .get(dataset)
            .map_or_else(Vec::new, |dataset| dataset.features.iter().map(summary).collect())
    }
}

fn summary(feature: &tfmd::FeatureNameStatistics) -> FeatureSummary {
    let empty = tfmd::CommonStatistics::default();
    let stats = shared(feature).unwrap_or(&empty);
    let (mut numbers, mut texts) = (None, None);
    match &feature.stats {
        Some(Stats::NumStats(stats)) => numbers = Some(of_numbers(stats)),
        Some(Stats::StringStats(stats)) => {
            let top = ranked(stats).into_iter().map(|(value, count)| (value.to_owned(), count));
            let weighted = stats.weighted_string_stats.as_ref();
            let weighted = weighted.map(|weighted| {
                let top = weighted.top_values.iter().map(|top| (top.value.clone(), top.frequency));
                top.collect::<Vec<_>>()
            });
            texts = Some(TextSummary {
                distinct: stats.unique,
                distinct_error: distinct_error(&feature.custom_stats, stats.unique),
                count_error: count_error(&feature.custom_stats),
                mean_length: stats.avg_length.into(),
                invalid_utf8: stats.invalid_utf8_count,
                top_values: weighted.unwrap_or_else(|| top.collect()),
            });
        }
        Some(Stats::BytesStats(stats)) => {
            texts = Some(TextSummary {
                distinct: stats.unique,
                distinct_error: distinct_error(&feature.custom_stats, stats.unique),
                mean_length: stats.avg_num_bytes.into(),
                ..TextSummary::default()
            });
        }
        _ => {}
    }
    let (present, missing) = row_counts::of(feature);
    FeatureSummary {
        path: ColumnPath::new(steps(feature)),
        type_name: type_name(feature),
        present,
        missing,
        values: stats.tot_num_values,
        min_values: stats.min_num_values,
        max_values: stats.max_num_values,
        mean_values: stats.avg_num_values.into(),
        numbers,
        texts,
        images: of_images(&feature.custom_stats),
        only_counted: only_counted(&feature.custom_stats),
        is_weighted: stats.weighted_common_stats.is_some(),
    }
}

/// Names of the custom statistics with the errors of estimates.
const COUNT_ERROR: &str = "max_count_error";
const DISTINCT_ERROR: &str = "num_distinct_standard_error";

/// Returns a number of custom statistics; 0 if it is absent.
fn custom_number(custom: &[tfmd::CustomStatistic], name: &str) -> f64 {
    match custom.iter().find(|custom| custom.name == name).and_then(|custom| custom.val.as_ref()) {
        Some(Val::Num(number)) => *number,
        _ => 0.0,
    }
}

/// Returns the standard error of a number of distinct values.
pub(crate) fn distinct_error(custom: &[tfmd::CustomStatistic], distinct: u64) -> f64 {
    custom_number(custom, DISTINCT_ERROR) * distinct as f64
}

/// Returns how much a count of a frequent value may be too large.
pub(crate) fn count_error(custom: &[tfmd::CustomStatistic]) -> f64 {
    custom_number(custom, COUNT_ERROR)
}

fn only_counted(custom: &[tfmd::CustomStatistic]) -> Option<String> {
    match custom.iter().find(|custom| custom.name == "only_counted")?.val.as_ref()? {
        Val::Str(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the image summary of custom statistics; `None` if they do not count formats.
pub(crate) fn of_images(custom: &[tfmd::CustomStatistic]) -> Option<ImageSummary> {
    let value = |name: &str| custom.iter().find(|custom| custom.name == name)?.val.as_ref();
    let ranks = |name: &str| match value(name) {
        Some(Val::RankHistogram(ranks)) => {
            let counts = ranks.buckets.iter().map(|bucket| (bucket.label.clone(), bucket.sample_count));
            Some(counts.collect::<Vec<_>>())
        }
        _ => None,
    };
    let extent = |name: &str| {
        let number = |which: &str| match value(&format!("image_{which}_{name}")) {
            Some(Val::Num(number)) => Some(*number),
            _ => None,
        };
        Some([number("min")?, number("mean")?, number("max")?])
    };
    let mut formats = ranks("image_format_histogram")?;
    formats.sort_by(|(_, count), (_, other)| other.total_cmp(count));
    Some(ImageSummary {
        formats,
        width: extent("width"),
        height: extent("height"),
        sizes: ranks("image_sizes").unwrap_or_default(),
    })
}

fn of_numbers(stats: &tfmd::NumericStatistics) -> NumberSummary {
    let mut out = NumberSummary {
        mean: stats.mean,
        std_dev: stats.std_dev,
        zeros: stats.num_zeros,
        nan: stats.histograms.iter().map(|histogram| histogram.num_nan).max().unwrap_or_default(),
        min: stats.min,
        median: stats.median,
        max: stats.max,
        ..NumberSummary::default()
    };
    let mut histograms = &stats.histograms;
    if let Some(weighted) = &stats.weighted_numeric_stats {
        (out.mean, out.std_dev, out.median) = (weighted.mean, weighted.std_dev, weighted.median);
        if !weighted.histograms.is_empty() {
            histograms = &weighted.histograms;
        }
    }
    for histogram in histograms {
        let buckets = &histogram.buckets;
        match HistogramType::try_from(histogram.r#type) {
            Ok(HistogramType::Quantiles) => {
                let lows = buckets.iter().map(|bucket| bucket.low_value);
                out.quantiles = lows.chain(buckets.last().map(|bucket| bucket.high_value)).collect();
            }
            _ => {
                let bucket = |bucket: &tfmd::histogram::Bucket| {
                    (bucket.low_value, bucket.high_value, bucket.sample_count)
                };
                out.histogram = buckets.iter().map(bucket).collect();
            }
        }
    }
    out
}
