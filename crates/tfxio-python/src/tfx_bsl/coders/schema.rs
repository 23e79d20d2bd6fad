//! Schemas of TensorFlow Metadata as schemas of records.

use std::collections::HashSet;

use pyo3::prelude::*;
use tfxio::example_codec::{
    ExampleSchema, FeatureField, FeatureKind, FeaturePartition, SequenceExampleSchema,
};
use tfxio::tensor_repr::{self, FeatureType, Representation, SchemaFeature, TfmdSchema};

use super::super::encoder_status::Ragged;
use super::super::status::runtime;

/// Returns the schema, which tfx-bsl calls by a name where it cannot be parsed.
fn parsed(bytes: &[u8], name: &str) -> PyResult<TfmdSchema> {
    TfmdSchema::from_binary(bytes)
        .map_err(|error| runtime(format!("INVALID_ARGUMENT: Unable to parse {name}: {error}")))
}

/// Returns the features. Of two of one name the first counts.
fn features<'a>(features: impl Iterator<Item = SchemaFeature<'a>>) -> PyResult<ExampleSchema> {
    let (mut specs, mut names) = (Vec::new(), HashSet::new());
    for feature in features {
        let kind = match feature.feature_type() {
            Some(FeatureType::Int) => FeatureKind::Int64,
            Some(FeatureType::Float) => FeatureKind::Float,
            Some(FeatureType::Bytes) => FeatureKind::Bytes,
            other => {
                // The number of the message's enum, as tfx-bsl prints it.
                let found =
                    if other == Some(FeatureType::Struct) { "4 (STRUCT)" } else { "0 (TYPE_UNKNOWN)" };
                return Err(runtime(format!(
                    "INVALID_ARGUMENT: Bad field type for feature: {} with type: {found}",
                    feature.name()
                )));
            }
        };
        if names.insert(feature.name()) {
            specs.push(FeatureField::new(feature.name(), kind));
        }
    }
    ExampleSchema::new(specs).map_err(runtime)
}

/// Returns the features of tf.Examples.
pub(super) fn examples(bytes: &[u8]) -> PyResult<ExampleSchema> {
    features(parsed(bytes, "schema")?.features())
}

/// Returns the features of tf.SequenceExamples: the sequence features are the fields of the struct named `column`.
pub(super) fn sequence_examples(bytes: &[u8], column: &str) -> PyResult<SequenceExampleSchema> {
    let schema = parsed(bytes, "schema")?;
    let (structs, context): (Vec<_>, Vec<_>) =
        schema.features().partition(|feature| feature.name() == column);
    if structs.first().is_some_and(|feature| feature.feature_type() != Some(FeatureType::Struct)) {
        return Err(runtime(format!(
            "INVALID_ARGUMENT: Found a feature in the schema with the sequence_feature_column_name (i.e., {column}) that \
             is not a struct. The sequence_feature_column_name should be used only for the top-level struct feature."
        )));
    }
    let sequence = structs.first().into_iter().flat_map(SchemaFeature::children);
    Ok(SequenceExampleSchema::new(features(context.into_iter())?, features(sequence)?))
}

/// Returns the ragged columns of all groups. The values of each are a column.
pub(super) fn ragged(bytes: &[u8]) -> PyResult<Ragged> {
    let mut all = Ragged::new();
    let schema = parsed(bytes, "TFMD schema")?;
    let groups = schema.groups().map(|name| schema.group(name).map_err(runtime));
    let groups = groups.collect::<PyResult<Vec<_>>>()?;
    for (column, representation) in groups.into_iter().flatten().flatten() {
        let Representation::Ragged(ragged) = representation else { continue };
        let [values] = ragged.column.steps() else {
            return Err(runtime(
                "INVALID_ARGUMENT: RaggedTensors with nested or empty value column paths are not supported.",
            ));
        };
        let mut partitions = Vec::new();
        for partition in &ragged.partitions {
            partitions.push(match partition {
                tensor_repr::RaggedPartition::RowLengths(name) => {
                    FeaturePartition::RowLengths(name.to_string())
                }
                tensor_repr::RaggedPartition::UniformRowLength(length) => {
                    FeaturePartition::UniformRowLength(u32::try_from(*length).map_err(runtime)?)
                }
                _ => return Err(runtime("INVALID_ARGUMENT: a partition of another kind")),
            });
        }
        all.insert(column, (values.to_string(), partitions));
    }
    Ok(all)
}
