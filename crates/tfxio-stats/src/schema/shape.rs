//! Presence of features in examples, and their numbers of values.

use tensor_repr::FeatureType;

use crate::proto::tfmd::feature::{PresenceConstraints, ShapeType};
use crate::proto::tfmd::{Feature, FeaturePresence, FixedShape, ValueCount, ValueCountList, fixed_shape};
use crate::view::FeatureView;

/// Sets the presence, and a shape or the number of values, of a feature with these statistics.
pub(super) fn set_presence_and_shape(feature: &mut Feature, statistics: &FeatureView<'_>, shapes: bool) {
    let present = statistics.num_present();
    let always = present > 0.0 && statistics.num_missing() == 0.0;
    feature.presence_constraints = Some(PresenceConstraints::Presence(FeaturePresence {
        min_fraction: always.then_some(1.0),
        // With weights a part of an example may have it.
        min_count: Some(i64::from(present >= 1.0)),
    }));
    if present <= 0.0 {
        return;
    }
    let shape = shapes.then(|| fixed_shape(statistics)).flatten();
    feature.shape_type = match shape {
        Some(sizes) => {
            let dim = sizes.into_iter().map(|size| fixed_shape::Dim { size: Some(size), name: None });
            Some(ShapeType::Shape(FixedShape { dim: dim.collect() }))
        }
        None => value_counts(statistics),
    };
}

/// Returns the numbers of values that all lists have, level by level, if no list is missing.
pub(super) fn fixed_shape(statistics: &FeatureView<'_>) -> Option<Vec<i64>> {
    if statistics.feature_type() == FeatureType::Struct {
        return None;
    }
    let missing = statistics.missing_by_level();
    let counts = statistics.counts_by_level();
    if missing.len() != counts.len() || missing.iter().any(|&missing| missing != 0.0) {
        return None;
    }
    counts.into_iter().map(fixed).collect()
}

/// Returns the number of values of all lists, if it is one and not 0.
pub(crate) fn fixed((least, most): (u64, u64)) -> Option<i64> {
    (least == most && least > 0).then(|| i64::try_from(least).ok()).flatten()
}

fn value_counts(statistics: &FeatureView<'_>) -> Option<ShapeType> {
    let counts = statistics.counts_by_level();
    if let [(least, most)] = counts.as_slice() {
        return (*least > 0).then(|| ShapeType::ValueCount(value_count((*least, *most))));
    }
    let value_count = counts.into_iter().map(value_count).collect();
    Some(ShapeType::ValueCounts(ValueCountList { value_count }))
}

fn value_count(bounds: (u64, u64)) -> ValueCount {
    match fixed(bounds) {
        Some(count) => ValueCount { min: Some(count), max: Some(count) },
        None => ValueCount { min: (bounds.0 > 0).then_some(1), max: None },
    }
}
