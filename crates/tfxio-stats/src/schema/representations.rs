//! Tensors that follow from statistics.

use std::collections::BTreeMap;

use tensor_repr::{
    DefaultValue, DenseRepresentation, FeatureType, RaggedRepresentation, Representation, ScalarValue,
    TfmdSchema, VarLenSparseRepresentation,
};
use tfxio_base::Result;

use super::shape::{fixed, fixed_shape};
use super::{InferOptions, infer_schema};
use crate::StatisticsList;
use crate::view::{DatasetView, FeatureView};

/// Infers a schema and proposes how its features become tensors, in the default group of representations.
///
/// | tensor | where |
/// | --- | --- |
/// | dense, of the shape | no list is missing, and all on one level have the same number of values |
/// | dense, with a default of -1, -1.0 or the empty string | all examples that have the feature have the same number of values, in one list |
/// | sparse by position | examples have different numbers of values, in one list |
/// | ragged | there are lists in lists, or the feature is in a struct |
///
/// The group is one that [`TfmdSchema::validate_group`] accepts: it uses each feature, and nothing but features.
///
/// # Errors
/// As [`infer_schema`].
///
/// ```
/// use tensor_repr::Representation;
/// use tfxio_stats::{InferOptions, StatisticsList, propose_representations};
///
/// let list = StatisticsList::from_bytes(b"\x0a\x13\x10\x03\x1a\x0f\x0a\x01a\x1a\x0a\x0a\x08\x08\x03\x18\x01\x20\x01\x40\x03")?;
/// let schema = propose_representations(&list, &InferOptions::default())?;
/// assert!(matches!(schema.required_group("")?["a"], Representation::Dense(_)));
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
pub fn propose_representations(statistics: &StatisticsList, options: &InferOptions) -> Result<TfmdSchema> {
    let schema = infer_schema(statistics, options)?;
    let view = DatasetView::of(statistics, options.slice.as_deref())?;
    let leaves = view.features().filter(|feature| feature.feature_type() != FeatureType::Struct);
    // Derived features are not in the data.
    let stored = leaves.filter(|feature| feature.has_counts() && feature.derived_source().is_none());
    let group: BTreeMap<_, _> =
        stored.map(|feature| (feature.path().to_string(), representation(feature))).collect();
    let schema = schema.replacing_group("", &group)?;
    schema.validate_group("")?;
    Ok(schema)
}

fn representation(feature: &FeatureView<'_>) -> Representation {
    let column = feature.path().clone();
    let counts = feature.counts_by_level();
    if column.len() > 1 || (counts.len() > 1 && fixed_shape(feature).is_none()) {
        return RaggedRepresentation::default().column(column).into();
    }
    let size = |count: i64| usize::try_from(count).ok();
    if let Some(sizes) = fixed_shape(feature).filter(|_| feature.num_present() > 0.0) {
        let shape = sizes.into_iter().map(size).collect();
        return DenseRepresentation::default().column(column).shape(shape).into();
    }
    let only = counts.first().copied().and_then(fixed).and_then(size);
    let Some(count) = only.filter(|_| feature.num_present() > 0.0) else {
        return VarLenSparseRepresentation::default().column(column).into();
    };
    let default = match feature.feature_type() {
        FeatureType::Int => ScalarValue::Int(-1),
        FeatureType::Float => ScalarValue::Float(-1.0),
        _ => ScalarValue::Bytes(Vec::new()),
    };
    let dense = DenseRepresentation::default().column(column).shape(vec![Some(count)]);
    dense.default_value(DefaultValue::Scalar(default)).into()
}
