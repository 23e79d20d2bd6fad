//! The representations of a schema with `generate_legacy_feature_spec`.

use std::collections::BTreeMap;

use super::features::{invalid, is_used};
use super::representations::{min_fraction, struct_feature, variable_length};
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::FeatureType;
use crate::proto::metadata::v0::feature::ShapeType;
use crate::{DefaultValue, DenseRepresentation, Error, Representation, ScalarValue};

pub(super) fn infer(schema: &tfmd::Schema) -> Result<BTreeMap<String, Representation>, Error> {
    let mut tensors = BTreeMap::new();
    // Of two of one name the last one counts.
    for feature in schema.feature.iter().filter(|feature| is_used(feature)) {
        let name = feature.name();
        if feature.r#type() == FeatureType::Struct {
            tensors.extend(struct_feature(feature)?);
            continue;
        }
        let (min, max) = match &feature.shape_type {
            Some(ShapeType::ValueCount(count)) => (count.min(), count.max()),
            _ => (0, 0),
        };
        for (bound, value) in [("min", min), ("max", max)] {
            if value < 0 {
                return Err(invalid(format!("feature \"{name}\" has value_count.{bound} {value}")));
            }
        }
        let shape = match usize::try_from(min) {
            Ok(1) if max == 1 => Vec::new(),
            Ok(size) if min == max && size > 1 => vec![Some(size)],
            _ => {
                let ragged = schema.represent_variable_length_as_ragged();
                tensors.insert(name.to_owned(), variable_length(name, ragged));
                continue;
            }
        };
        let dense = DenseRepresentation {
            column: name.into(),
            shape,
            default: default(feature)?,
            ..DenseRepresentation::default()
        };
        tensors.insert(name.to_owned(), Representation::Dense(dense));
    }
    Ok(tensors)
}

/// Returns the default of rows without a value, if there may be such rows.
fn default(feature: &tfmd::Feature) -> Result<Option<DefaultValue>, Error> {
    if min_fraction(feature) >= 1.0 {
        return Ok(None);
    }
    let scalar = match feature.r#type() {
        FeatureType::Bytes => ScalarValue::Bytes(Vec::new()),
        FeatureType::Int => ScalarValue::Int(-1),
        FeatureType::Float => ScalarValue::Float(-1.0),
        FeatureType::TypeUnknown | FeatureType::Struct => {
            let name = feature.name();
            return Err(invalid(format!("feature \"{name}\" has no type, and so no default value")));
        }
    };
    Ok(Some(DefaultValue::Scalar(scalar)))
}
