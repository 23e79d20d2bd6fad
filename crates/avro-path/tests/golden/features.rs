//! The features of a case as feature specs.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tensor_repr::{Error, FeatureSpec};

/// Returns the features of a case by their names, which are their keys.
pub(super) fn specs(features: &Value) -> Result<BTreeMap<String, FeatureSpec>, Error> {
    let features = features.as_object().expect("features");
    features.iter().map(|(name, feature)| Ok((name.clone(), spec(feature)?))).collect()
}

/// Returns the spec of a feature of a case.
fn spec(feature: &Value) -> Result<FeatureSpec, Error> {
    let (kind, members): (_, &[_]) = match feature["type"].as_str().expect("a type") {
        "FixedLen" => ("FixedLen", &["shape"]),
        "VarLen" | "VarLenWithRank" => ("VarLen", &["rank"]),
        "FixedLenSequence" => ("FixedLenSequence", &["shape", "allow_missing"]),
        "Sparse" => ("Sparse", &["index_key", "value_key", "size", "already_sorted"]),
        "Ragged" => ("Ragged", &["value_key"]),
        other => panic!("a feature of type {other}"),
    };
    let mut spec = json!({"kind": kind, "dtype": feature["dtype"]});
    for member in members.iter().copied().filter(|&member| !feature[member].is_null()) {
        spec[member] = feature[member].clone();
    }
    if !feature["default_value"].is_null() {
        spec["default"] = feature["default_value"].clone();
    }
    FeatureSpec::from_json(&spec.to_string())
}
