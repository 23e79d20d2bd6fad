//! A TensorFlow Metadata schema as this crate's schema.

use example_codec::{ExampleSchema, FeatureKind, FeatureSpec};
use prost::Message as _;
use tensor_repr::proto::metadata::v0::{FeatureType, Schema};

/// The features with their types. Of two features with one name the first counts, as recorded.
pub(super) fn convert(bytes: &[u8]) -> Result<ExampleSchema, String> {
    let schema = Schema::decode(bytes).map_err(|error| format!("the schema cannot be read: {error}"))?;
    let mut features: Vec<FeatureSpec> = Vec::new();
    for feature in &schema.feature {
        let kind = match feature.r#type() {
            FeatureType::Int => FeatureKind::Int64,
            FeatureType::Float => FeatureKind::Float,
            FeatureType::Bytes => FeatureKind::Bytes,
            other => return Err(format!("feature {:?} is of type {other:?}", feature.name())),
        };
        if !features.iter().any(|known| *known.name == *feature.name()) {
            features.push(FeatureSpec::new(feature.name(), kind));
        }
    }
    ExampleSchema::new(features).map_err(|error| error.to_string())
}
