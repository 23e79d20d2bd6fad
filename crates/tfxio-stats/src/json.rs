//! Statistics as JSON, for programs that know no protobuf.

use serde::{Serialize, Serializer};

use crate::StatisticsList;
use crate::path_text::{path_steps, steps};
use crate::proto::tfmd;
use crate::proto::tfmd::cross_feature_statistics::CrossStats;
use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::feature_name_statistics::{Stats, Type};
use crate::proto::tfmd::histogram::HistogramType;
use crate::row_counts;
use crate::summary::{count_error, distinct_error};

impl StatisticsList {
    /// Returns the statistics as JSON: an array of data sets, each with its features. Numbers that JSON lacks are the
    /// strings `"NaN"`, `"Infinity"` and `"-Infinity"`; absent statistics of a feature are left out. Pairs of numeric
    /// features are included; pairs of categories and messages of other types are in the [bytes](Self::to_bytes) alone.
    ///
    /// ```
    /// use tfxio_stats::StatisticsList;
    ///
    /// let list = StatisticsList::from_bytes(b"\x0a\x05\x0a\x01a\x10\x05")?;
    /// assert_eq!(list.to_json(), r#"[{"name":"a","num_examples":5,"features":[]}]"#);
    /// # Ok::<(), tfxio_stats::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let datasets = self.0.datasets.iter().map(Dataset::of).collect::<Vec<_>>();
        // Keys are strings and nothing of it fails by itself.
        serde_json::to_string(&datasets).unwrap_or_default()
    }
}

/// A float, also one that JSON has no number for.
struct Float(f64);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            number if number.is_finite() => serializer.serialize_f64(number),
            number if number.is_nan() => serializer.serialize_str("NaN"),
            number if number > 0.0 => serializer.serialize_str("Infinity"),
            _ => serializer.serialize_str("-Infinity"),
        }
    }
}

#[derive(Serialize)]
struct Dataset<'a> {
    name: &'a str,
    num_examples: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    weighted_num_examples: Option<Float>,
    features: Vec<Feature<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<Pair<'a>>,
}

impl<'a> Dataset<'a> {
    fn of(dataset: &'a tfmd::DatasetFeatureStatistics) -> Self {
        Self {
            name: &dataset.name,
            num_examples: dataset.num_examples,
            weighted_num_examples: weight(dataset.weighted_num_examples, dataset.num_examples),
            features: dataset.features.iter().map(Feature::of).collect(),
            pairs: dataset.cross_features.iter().filter_map(Pair::of).collect(),
        }
    }
}

/// Returns a weight, unless it is 0 or just the number of examples.
#[expect(clippy::cast_precision_loss, reason = "weights are floats in the messages")]
fn weight(weight: f64, count: u64) -> Option<Float> {
    (weight != 0.0 && weight != count as f64).then_some(Float(weight))
}

#[derive(Serialize)]
struct Feature<'a> {
    /// Steps of the path.
    path: Vec<&'a str>,
    #[serde(rename = "type")]
    kind: &'static str,
    /// Rows, of fields too.
    present: u64,
    missing: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Values>,
    #[serde(flatten)]
    stats: Option<Kind<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    custom: Vec<(&'a str, Custom<'a>)>,
}

/// Numbers of values.
#[derive(Serialize)]
struct Values {
    total: u64,
    min: u64,
    mean: Float,
    max: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<Histogram>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind<'a> {
    Numeric(Numeric),
    Text(Text<'a>),
    Bytes(Bytes),
}

#[derive(Serialize)]
struct Numeric {
    mean: Float,
    std_dev: Float,
    zeros: u64,
    nan: u64,
    min: Float,
    median: Float,
    max: Float,
    histograms: Vec<Histogram>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weighted: Option<WeightedNumeric>,
}

#[derive(Serialize)]
struct WeightedNumeric {
    mean: Float,
    std_dev: Float,
    median: Float,
    histograms: Vec<Histogram>,
}

#[derive(Serialize)]
struct Text<'a> {
    unique: u64,
    /// Errors of estimates: the standard error of the number of distinct values, and the most by which counts may be too
    /// large.
    #[serde(skip_serializing_if = "Option::is_none")]
    unique_error: Option<Float>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count_error: Option<Float>,
    mean_length: Float,
    invalid_utf8: u64,
    top_values: Vec<(&'a str, Float)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ranks: Vec<(&'a str, u64, u64, Float)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weighted: Option<WeightedText<'a>>,
}

#[derive(Serialize)]
struct WeightedText<'a> {
    top_values: Vec<(&'a str, Float)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ranks: Vec<(&'a str, u64, u64, Float)>,
}

#[derive(Serialize)]
struct Bytes {
    unique: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique_error: Option<Float>,
    min_length: Float,
    mean_length: Float,
    max_length: Float,
}

/// Buckets: least value, greatest value, count.
#[derive(Serialize)]
struct Histogram {
    kind: &'static str,
    nan: u64,
    buckets: Vec<(Float, Float, Float)>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Custom<'a> {
    Number(Float),
    Text(&'a str),
    Histogram(Histogram),
    Ranks(Vec<(&'a str, u64, u64, Float)>),
    Message(&'a str),
}

#[derive(Serialize)]
struct Pair<'a> {
    x: Vec<&'a str>,
    y: Vec<&'a str>,
    count: u64,
    correlation: Float,
    covariance: Float,
}

impl<'a> Feature<'a> {
    fn of(feature: &'a tfmd::FeatureNameStatistics) -> Self {
        let (common, stats) = match &feature.stats {
            Some(Stats::NumStats(of)) => (of.common_stats.as_ref(), Some(Kind::Numeric(Numeric::of(of)))),
            Some(Stats::StringStats(of)) => {
                (of.common_stats.as_ref(), Some(Kind::Text(Text::of(of, &feature.custom_stats))))
            }
            Some(Stats::BytesStats(of)) => {
                (of.common_stats.as_ref(), Some(Kind::Bytes(Bytes::of(of, &feature.custom_stats))))
            }
            Some(Stats::StructStats(of)) => (of.common_stats.as_ref(), None),
            None => (None, None),
        };
        let (present, missing) = row_counts::of(feature);
        Self {
            path: steps(feature),
            kind: Type::try_from(feature.r#type).map_or("UNKNOWN", |kind| kind.as_str_name()),
            present,
            missing,
            values: common.map(|common| Values {
                total: common.tot_num_values,
                min: common.min_num_values,
                mean: Float(common.avg_num_values.into()),
                max: common.max_num_values,
                histogram: common.num_values_histogram.as_ref().map(Histogram::of),
            }),
            stats,
            custom: feature.custom_stats.iter().filter_map(custom).collect(),
        }
    }
}

fn custom(of: &tfmd::CustomStatistic) -> Option<(&str, Custom<'_>)> {
    let value = match of.val.as_ref()? {
        Val::Num(number) => Custom::Number(Float(*number)),
        Val::Str(text) => Custom::Text(text),
        Val::Histogram(histogram) => Custom::Histogram(Histogram::of(histogram)),
        Val::RankHistogram(ranks) => Custom::Ranks(self::ranks(ranks)),
        Val::Any(any) => Custom::Message(&any.type_url),
    };
    Some((&of.name, value))
}

fn ranks(of: &tfmd::RankHistogram) -> Vec<(&str, u64, u64, Float)> {
    let buckets = of.buckets.iter();
    buckets.map(|of| (of.label.as_str(), of.low_rank, of.high_rank, Float(of.sample_count))).collect()
}

impl Numeric {
    fn of(of: &tfmd::NumericStatistics) -> Self {
        Self {
            mean: Float(of.mean),
            std_dev: Float(of.std_dev),
            zeros: of.num_zeros,
            nan: of.histograms.first().map_or(0, |histogram| histogram.num_nan),
            min: Float(of.min),
            median: Float(of.median),
            max: Float(of.max),
            histograms: of.histograms.iter().map(Histogram::of).collect(),
            weighted: of.weighted_numeric_stats.as_ref().map(|of| WeightedNumeric {
                mean: Float(of.mean),
                std_dev: Float(of.std_dev),
                median: Float(of.median),
                histograms: of.histograms.iter().map(Histogram::of).collect(),
            }),
        }
    }
}

/// Returns an error of an estimate; nothing of what is exact.
fn error(error: f64) -> Option<Float> {
    (error > 0.0).then_some(Float(error))
}

impl<'a> Text<'a> {
    fn of(of: &'a tfmd::StringStatistics, custom: &[tfmd::CustomStatistic]) -> Self {
        Self {
            unique: of.unique,
            unique_error: error(distinct_error(custom, of.unique)),
            count_error: error(count_error(custom)),
            mean_length: Float(of.avg_length.into()),
            invalid_utf8: of.invalid_utf8_count,
            top_values: of.top_values.iter().map(|top| (top.value.as_str(), Float(top.frequency))).collect(),
            ranks: of.rank_histogram.as_ref().map(ranks).unwrap_or_default(),
            weighted: of.weighted_string_stats.as_ref().map(|of| WeightedText {
                top_values: of
                    .top_values
                    .iter()
                    .map(|top| (top.value.as_str(), Float(top.frequency)))
                    .collect(),
                ranks: of.rank_histogram.as_ref().map(ranks).unwrap_or_default(),
            }),
        }
    }
}

impl Bytes {
    fn of(of: &tfmd::BytesStatistics, custom: &[tfmd::CustomStatistic]) -> Self {
        Self {
            unique: of.unique,
            unique_error: error(distinct_error(custom, of.unique)),
            min_length: Float(of.min_num_bytes.into()),
            mean_length: Float(of.avg_num_bytes.into()),
            max_length: Float(of.max_num_bytes.into()),
        }
    }
}

impl Histogram {
    fn of(of: &tfmd::Histogram) -> Self {
        let bucket = |of: &tfmd::histogram::Bucket| {
            (Float(of.low_value), Float(of.high_value), Float(of.sample_count))
        };
        Self {
            kind: match HistogramType::try_from(of.r#type) {
                Ok(HistogramType::Quantiles) => "quantiles",
                _ => "standard",
            },
            nan: of.num_nan,
            buckets: of.buckets.iter().map(bucket).collect(),
        }
    }
}

impl<'a> Pair<'a> {
    fn of(of: &'a tfmd::CrossFeatureStatistics) -> Option<Self> {
        let Some(CrossStats::NumCrossStats(stats)) = &of.cross_stats else { return None };
        Some(Self {
            x: of.path_x.as_ref().map(path_steps).unwrap_or_default(),
            y: of.path_y.as_ref().map(path_steps).unwrap_or_default(),
            count: of.count,
            correlation: Float(stats.correlation.into()),
            covariance: Float(stats.covariance.into()),
        })
    }
}
