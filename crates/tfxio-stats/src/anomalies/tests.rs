//! Anomalies found in made statistics.
#![allow(clippy::unwrap_used, reason = "tests")]

mod comparisons;
mod domains;
mod features;
mod refused;
mod schemas;

use tensor_repr::TfmdSchema;

use super::{Anomalies, ValidateOptions, validate};
use crate::StatisticsList;
use crate::proto::tfmd::FeatureNameStatistics;
use crate::test_data::{counts, integers, list};

/// Returns the anomalies of ten examples of a feature, by the names of kinds and texts.
fn found(schema: &str, feature: FeatureNameStatistics) -> Vec<(&'static str, String)> {
    pairs(&anomalies(schema, &list(10, vec![feature]), &ValidateOptions::default()))
}

fn anomalies(schema: &str, statistics: &StatisticsList, options: &ValidateOptions<'_>) -> Anomalies {
    validate(statistics, &TfmdSchema::from_text(schema).unwrap(), options).unwrap()
}

fn pairs(anomalies: &Anomalies) -> Vec<(&'static str, String)> {
    anomalies.iter().map(|anomaly| (anomaly.kind(), anomaly.text().to_owned())).collect()
}

/// Checks that exactly this is found; an empty kind for nothing.
fn check(schema: &str, feature: FeatureNameStatistics, kind: &str, text: &str) {
    let found = found(schema, feature);
    let found: Vec<(&str, &str)> = found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
    let expected: &[(&str, &str)] = if kind.is_empty() { &[] } else { &[(kind, text)] };
    assert_eq!(found, expected, "{schema}");
}

/// Returns an integer in each of ten examples.
fn integer(path: &str) -> FeatureNameStatistics {
    integers(path, counts(10, 0, 1, 1), 3.0, 7.0)
}
