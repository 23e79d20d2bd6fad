//! Features that are made of others: sparse and weighted ones.

use super::Fault;
use super::environment::is_unused_stage;
use crate::number_text::number;
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::{CustomStatistic, SparseFeature, WeightedFeature};
use crate::view::FeatureView;

/// Returns whether a sparse feature is not in use.
#[allow(deprecated, reason = "schemas that say it this way are what it is for")]
pub(super) fn is_unused(feature: &SparseFeature) -> bool {
    feature.deprecated() || is_unused_stage(feature.lifecycle_stage())
}

pub(super) fn collision(kind: Type) -> Fault {
    let text = "The schema has another feature of the same name.";
    Fault::new(kind, "Name taken twice", text)
}

/// Looks at whether the values and indices of a sparse feature go together.
pub(super) fn sparse(_: &SparseFeature, statistics: &FeatureView<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for statistic in statistics.custom() {
        match statistic.name.as_str() {
            "missing_value" => {
                if let Some(missing) = num(statistic) {
                    let text = format!("{missing} examples lack the values.");
                    faults.push(Fault::new(Type::SparseFeatureMissingValue, "Values missing", text));
                }
            }
            "missing_index" => faults.extend(by_index(statistic).map(|(index, missing)| {
                let text = format!("{missing} examples lack the index \"{index}\".");
                Fault::new(Type::SparseFeatureMissingIndex, "Index missing", text)
            })),
            name @ ("max_length_diff" | "min_length_diff") => {
                let which = if name.starts_with("max") { "largest" } else { "least" };
                faults.extend(by_index(statistic).map(|(index, difference)| {
                    let text = format!(
                        "There are more or fewer values than indices \"{index}\": the {which} difference is {difference}."
                    );
                    Fault::new(Type::SparseFeatureLengthMismatch, "Other numbers of values and indices", text)
                }));
            }
            _ => {}
        }
    }
    faults
}

/// Looks at whether the values and weights of a weighted feature go together.
pub(super) fn weighted(_: &WeightedFeature, statistics: &FeatureView<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut differences = (None, None);
    for statistic in statistics.custom() {
        let Some(found) = num(statistic) else { continue };
        match statistic.name.as_str() {
            "missing_value" => {
                let text = format!("{found} examples lack the values.");
                faults.push(Fault::new(Type::WeightedFeatureMissingValue, "Values missing", text));
            }
            "missing_weight" => {
                let text = format!("{found} examples lack the weights.");
                faults.push(Fault::new(Type::WeightedFeatureMissingWeight, "Weights missing", text));
            }
            "min_weight_length_diff" => differences.0 = Some(found),
            "max_weight_length_diff" => differences.1 = Some(found),
            _ => {}
        }
    }
    if let (least, most) = differences
        && (least.is_some() || most.is_some())
    {
        let shown = |difference: Option<String>| difference.unwrap_or_else(|| "0".to_owned());
        let text = format!(
            "There are more or fewer values than weights: the difference is from {} to {}.",
            shown(least),
            shown(most)
        );
        faults.push(Fault::new(
            Type::WeightedFeatureLengthMismatch,
            "Other numbers of values and weights",
            text,
        ));
    }
    faults
}

/// Returns the number of a statistic, unless it is 0.
fn num(statistic: &CustomStatistic) -> Option<String> {
    match statistic.val {
        Some(Val::Num(found)) if found != 0.0 => Some(number(found)),
        _ => None,
    }
}

/// Returns the numbers of a statistic by index, zeros left out.
fn by_index(statistic: &CustomStatistic) -> impl Iterator<Item = (&str, String)> {
    let buckets = match &statistic.val {
        Some(Val::RankHistogram(histogram)) => histogram.buckets.as_slice(),
        _ => &[],
    };
    let differing = buckets.iter().filter(|bucket| bucket.sample_count != 0.0);
    differing.map(|bucket| (bucket.label.as_str(), number(bucket.sample_count)))
}
