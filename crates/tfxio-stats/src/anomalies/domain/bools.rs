//! Values of boolean domains.

use crate::anomalies::Fault;
use crate::number_text::{number, quoted};
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::feature_name_statistics::Type as ValueType;
use crate::proto::tfmd::histogram::HistogramType;
use crate::proto::tfmd::{BoolDomain, NumericStatistics};
use crate::view::FeatureView;

pub(super) fn check(domain: &BoolDomain, statistics: &FeatureView<'_>) -> Option<Fault> {
    let fault = |kind: Type, found: &str, wanted: &str| {
        let text = format!("The data has {found}; the domain is {wanted}.");
        Some(Fault::new(kind, "Non-boolean values", text))
    };
    match statistics.value_type() {
        ValueType::Int => {
            let numbers = statistics.numbers()?;
            if numbers.min < 0.0 {
                return fault(Type::BoolTypeSmallInt, &number(numbers.min), "0 and 1");
            }
            let big = numbers.max > 1.0;
            big.then(|| fault(Type::BoolTypeBigInt, &number(numbers.max), "0 and 1"))?
        }
        ValueType::Float => {
            let found = float_beside(statistics.numbers()?)?;
            fault(Type::BoolTypeUnexpectedFloat, &found, "0 and 1")
        }
        ValueType::String => {
            let words = [domain.true_value.as_deref(), domain.false_value.as_deref()];
            let counts = statistics.string_counts();
            let found = counts.into_keys().find(|value| !words.contains(&Some(*value)))?;
            let words: Vec<String> = words.into_iter().flatten().map(quoted).collect();
            let wanted = if words.is_empty() { "without words".to_owned() } else { words.join(" and ") };
            fault(Type::BoolTypeUnexpectedString, &quoted(found), &wanted)
        }
        ValueType::Bytes | ValueType::Struct => None,
    }
}

/// Returns what there is besides 0 and 1, as far as the statistics show it.
fn float_beside(numbers: &NumericStatistics) -> Option<String> {
    if let Some(value) = [numbers.min, numbers.max].into_iter().find(|value| *value != 0.0 && *value != 1.0) {
        return Some(number(value));
    }
    for histogram in &numbers.histograms {
        if histogram.num_nan > 0 {
            return Some("NaN".to_owned());
        }
        let quantiles = histogram.r#type == HistogramType::Quantiles as i32;
        let beside = |low: f64, high: f64| high < 0.0 || low > 1.0 || (quantiles && low > 0.0 && high < 1.0);
        let mut filled = histogram.buckets.iter().filter(|bucket| bucket.sample_count > 0.0);
        if let Some(bucket) = filled.find(|bucket| beside(bucket.low_value, bucket.high_value)) {
            let (low, high) = (number(bucket.low_value), number(bucket.high_value));
            return Some(format!("values from {low} to {high}"));
        }
    }
    None
}
