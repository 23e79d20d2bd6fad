//! A TensorFlow Metadata schema as this crate's schemas.

use example_codec::{
    ExampleSchema, FeatureField, FeatureKind, FeaturePartition, RaggedColumn, SequenceExampleSchema,
};
use golden_cases::proto::metadata::v0::feature::DomainInfo;
use golden_cases::proto::metadata::v0::tensor_representation::Kind;
use golden_cases::proto::metadata::v0::tensor_representation::ragged_tensor::partition::Kind as PartitionKind;
use golden_cases::proto::metadata::v0::{Feature, FeatureType, Schema};
use prost::Message as _;

fn parse(bytes: &[u8]) -> Result<Schema, String> {
    Schema::decode(bytes).map_err(|error| format!("the schema cannot be read: {error}"))
}

/// Returns the features with their types.
pub(super) fn convert(bytes: &[u8]) -> Result<ExampleSchema, String> {
    features(&parse(bytes)?.feature)
}

/// Does the same for SequenceExamples: the sequence features are the features of the struct with that name.
pub(super) fn convert_sequence(bytes: &[u8], column: &str) -> Result<SequenceExampleSchema, String> {
    let (structs, context): (Vec<_>, Vec<_>) =
        parse(bytes)?.feature.into_iter().partition(|feature| feature.name() == column);
    let sequence = match structs.first() {
        None => Vec::new(),
        Some(feature) if feature.r#type() == FeatureType::Struct => match &feature.domain_info {
            Some(DomainInfo::StructDomain(domain)) => domain.feature.clone(),
            _ => Vec::new(),
        },
        Some(_) => return Err(format!("feature {column:?} is no struct")),
    };
    Ok(SequenceExampleSchema::new(features(&context)?, features(&sequence)?))
}

/// Returns the ragged features of the schema's tensor representations, each named like its column.
pub(super) fn ragged_features(bytes: &[u8]) -> Result<Vec<RaggedColumn>, String> {
    let schema = parse(bytes)?;
    let Some(group) = schema.tensor_representation_group.get("") else { return Ok(Vec::new()) };
    let mut features = Vec::new();
    for (column, representation) in &group.tensor_representation {
        let Some(Kind::RaggedTensor(ragged)) = &representation.kind else { continue };
        let path = ragged.feature_path.as_ref().map_or(&[][..], |path| &path.step);
        let [values] = path else { return Err(format!("{column:?} has a path of {} steps", path.len())) };
        let partitions = ragged.partition.iter().map(|partition| match &partition.kind {
            Some(PartitionKind::RowLength(name)) => Ok(FeaturePartition::RowLengths(name.clone())),
            Some(PartitionKind::UniformRowLength(length)) => Ok(FeaturePartition::UniformRowLength(
                u32::try_from(*length).map_err(|error| error.to_string())?,
            )),
            None => Err("a partition without a kind".to_owned()),
        });
        features.push(RaggedColumn::new(column, values, partitions.collect::<Result<Vec<_>, String>>()?));
    }
    Ok(features)
}

/// Converts features. Of two features with one name the first counts, as recorded.
fn features(features: &[Feature]) -> Result<ExampleSchema, String> {
    let mut specs: Vec<FeatureField> = Vec::new();
    for feature in features {
        let kind = match feature.r#type() {
            FeatureType::Int => FeatureKind::Int64,
            FeatureType::Float => FeatureKind::Float,
            FeatureType::Bytes => FeatureKind::Bytes,
            other => return Err(format!("feature {:?} is of type {other:?}", feature.name())),
        };
        if !specs.iter().any(|known| *known.name == *feature.name()) {
            specs.push(FeatureField::new(feature.name(), kind));
        }
    }
    ExampleSchema::new(specs).map_err(|error| error.to_string())
}
