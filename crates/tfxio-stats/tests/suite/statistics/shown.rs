//! Statistics as lines of text, for comparisons.

use std::fmt::Write as _;

use prost::Message as _;
use tfxio_stats::StatisticsList;

/// The fields that tests look at, by the numbers of the published messages.
mod proto {
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct List {
        #[prost(message, repeated, tag = "1")]
        pub(super) datasets: Vec<Dataset>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Dataset {
        #[prost(string, tag = "1")]
        pub(super) name: String,
        #[prost(uint64, tag = "2")]
        pub(super) num_examples: u64,
        #[prost(message, repeated, tag = "3")]
        pub(super) features: Vec<Feature>,
        #[prost(double, tag = "4")]
        pub(super) weighted_num_examples: f64,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Feature {
        #[prost(int32, tag = "2")]
        pub(super) kind: i32,
        #[prost(message, optional, tag = "3")]
        pub(super) numbers: Option<Numbers>,
        #[prost(message, optional, tag = "4")]
        pub(super) strings: Option<Strings>,
        #[prost(message, optional, tag = "5")]
        pub(super) bytes: Option<Other>,
        #[prost(message, optional, tag = "7")]
        pub(super) structs: Option<Other>,
        #[prost(message, optional, tag = "8")]
        pub(super) path: Option<Path>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Path {
        #[prost(string, repeated, tag = "1")]
        pub(super) step: Vec<String>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Common {
        #[prost(uint64, tag = "1")]
        pub(super) num_non_missing: u64,
        #[prost(uint64, tag = "2")]
        pub(super) num_missing: u64,
        #[prost(uint64, tag = "3")]
        pub(super) min_num_values: u64,
        #[prost(uint64, tag = "4")]
        pub(super) max_num_values: u64,
        #[prost(float, tag = "5")]
        pub(super) avg_num_values: f32,
        #[prost(message, optional, tag = "6")]
        pub(super) histogram: Option<Histogram>,
        #[prost(message, optional, tag = "7")]
        pub(super) weighted: Option<WeightedCommon>,
        #[prost(uint64, tag = "8")]
        pub(super) tot_num_values: u64,
        #[prost(message, repeated, tag = "10")]
        pub(super) levels: Vec<Level>,
        #[prost(message, repeated, tag = "11")]
        pub(super) weighted_levels: Vec<WeightedCommon>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Level {
        #[prost(uint64, tag = "1")]
        pub(super) num_non_missing: u64,
        #[prost(uint64, tag = "2")]
        pub(super) num_missing: u64,
        #[prost(uint64, tag = "3")]
        pub(super) min_num_values: u64,
        #[prost(uint64, tag = "4")]
        pub(super) max_num_values: u64,
        #[prost(uint64, tag = "5")]
        pub(super) tot_num_values: u64,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct WeightedCommon {
        #[prost(double, tag = "1")]
        pub(super) num_non_missing: f64,
        #[prost(double, tag = "2")]
        pub(super) num_missing: f64,
        #[prost(double, tag = "3")]
        pub(super) avg_num_values: f64,
        #[prost(double, tag = "4")]
        pub(super) tot_num_values: f64,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Numbers {
        #[prost(message, optional, tag = "1")]
        pub(super) common: Option<Common>,
        #[prost(double, tag = "2")]
        pub(super) mean: f64,
        #[prost(double, tag = "3")]
        pub(super) std_dev: f64,
        #[prost(uint64, tag = "4")]
        pub(super) num_zeros: u64,
        #[prost(double, tag = "5")]
        pub(super) min: f64,
        #[prost(double, tag = "6")]
        pub(super) median: f64,
        #[prost(double, tag = "7")]
        pub(super) max: f64,
        #[prost(message, repeated, tag = "8")]
        pub(super) histograms: Vec<Histogram>,
        #[prost(message, optional, tag = "9")]
        pub(super) weighted: Option<Weighted>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Weighted {
        #[prost(double, tag = "1")]
        pub(super) mean: f64,
        #[prost(double, tag = "2")]
        pub(super) std_dev: f64,
        #[prost(double, tag = "3")]
        pub(super) median: f64,
        #[prost(message, repeated, tag = "4")]
        pub(super) histograms: Vec<Histogram>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Histogram {
        #[prost(uint64, tag = "1")]
        pub(super) num_nan: u64,
        #[prost(message, repeated, tag = "3")]
        pub(super) buckets: Vec<Bucket>,
        #[prost(int32, tag = "4")]
        pub(super) kind: i32,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Bucket {
        #[prost(double, tag = "1")]
        pub(super) low: f64,
        #[prost(double, tag = "2")]
        pub(super) high: f64,
        #[prost(double, tag = "4")]
        pub(super) count: f64,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Strings {
        #[prost(message, optional, tag = "1")]
        pub(super) common: Option<Common>,
        #[prost(uint64, tag = "2")]
        pub(super) unique: u64,
        #[prost(message, repeated, tag = "3")]
        pub(super) top: Vec<Value>,
        #[prost(float, tag = "4")]
        pub(super) avg_length: f32,
        #[prost(message, optional, tag = "6")]
        pub(super) weighted: Option<WeightedStrings>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct WeightedStrings {
        #[prost(message, repeated, tag = "1")]
        pub(super) top: Vec<Value>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Value {
        #[prost(string, tag = "2")]
        pub(super) value: String,
        #[prost(double, tag = "3")]
        pub(super) count: f64,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Other {
        #[prost(message, optional, tag = "1")]
        pub(super) common: Option<Common>,
    }
}

/// Returns statistics as lines of text. Numbers of floats have six digits.
pub(crate) fn shown(list: &StatisticsList) -> String {
    let list = proto::List::decode(&*list.to_bytes()).expect("a list");
    let mut out = String::new();
    for dataset in &list.datasets {
        line(&mut out, "dataset", &dataset.name);
        line(&mut out, "num_examples", &dataset.num_examples);
        line(&mut out, "weighted_num_examples", &rounded(dataset.weighted_num_examples));
        for feature in &dataset.features {
            line(
                &mut out,
                "path",
                &feature.path.as_ref().map_or_else(String::new, |path| path.step.join(".")),
            );
            let kind = ["INT", "FLOAT", "STRING", "BYTES", "STRUCT"][feature.kind as usize];
            line(&mut out, "type", &kind);
            if let Some(numbers) = &feature.numbers {
                self::numbers(&mut out, numbers);
            }
            if let Some(strings) = &feature.strings {
                self::strings(&mut out, strings);
            }
            for other in feature.bytes.iter().chain(&feature.structs) {
                common(&mut out, other.common.as_ref());
            }
        }
    }
    out
}

fn line(out: &mut String, name: &str, value: &dyn std::fmt::Display) {
    writeln!(out, "{name}: {value}").expect("memory");
}

fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a number")
}

fn common(out: &mut String, common: Option<&proto::Common>) {
    let common = common.cloned().unwrap_or_default();
    line(out, "num_non_missing", &common.num_non_missing);
    line(out, "num_missing", &common.num_missing);
    line(out, "min_num_values", &common.min_num_values);
    line(out, "max_num_values", &common.max_num_values);
    line(out, "avg_num_values", &common.avg_num_values);
    line(out, "tot_num_values", &common.tot_num_values);
    common.histogram.iter().for_each(|histogram| self::histogram(out, "num_values", histogram));
    for level in &common.levels {
        line(out, "level", &format!("{level:?}"));
    }
    for level in common.weighted.iter().chain(&common.weighted_levels) {
        let (missing, there) = (rounded(level.num_missing), rounded(level.num_non_missing));
        let (average, total) = (rounded(level.avg_num_values), rounded(level.tot_num_values));
        line(out, "weighted", &format!("missing {missing}, there {there}, average {average}, total {total}"));
    }
}

fn histogram(out: &mut String, of: &str, histogram: &proto::Histogram) {
    line(out, "num_nan", &histogram.num_nan);
    for bucket in &histogram.buckets {
        let text = format!("{} {} {}", rounded(bucket.low), rounded(bucket.high), rounded(bucket.count));
        line(out, &format!("{of} {}", ["standard", "quantiles"][histogram.kind as usize]), &text);
    }
}

fn numbers(out: &mut String, numbers: &proto::Numbers) {
    common(out, numbers.common.as_ref());
    line(out, "mean", &rounded(numbers.mean));
    line(out, "std_dev", &rounded(numbers.std_dev));
    line(out, "num_zeros", &numbers.num_zeros);
    line(out, "min", &numbers.min);
    line(out, "median", &numbers.median);
    line(out, "max", &numbers.max);
    numbers.histograms.iter().for_each(|histogram| self::histogram(out, "numbers", histogram));
    if let Some(weighted) = &numbers.weighted {
        line(out, "weighted_mean", &rounded(weighted.mean));
        line(out, "weighted_std_dev", &rounded(weighted.std_dev));
        line(out, "weighted_median", &rounded(weighted.median));
        weighted.histograms.iter().for_each(|histogram| self::histogram(out, "weighted numbers", histogram));
    }
}

fn strings(out: &mut String, strings: &proto::Strings) {
    common(out, strings.common.as_ref());
    line(out, "unique", &strings.unique);
    line(out, "avg_length", &strings.avg_length);
    for top in &strings.top {
        line(out, "value", &format!("{:?} {}", top.value, top.count));
    }
    for top in strings.weighted.iter().flat_map(|weighted| &weighted.top) {
        line(out, "weighted_top", &format!("{} {}", top.value, top.count));
    }
}
