//! Columns of lists of lists that a schema of TensorFlow Metadata represents as ragged tensors with partitions: features of values and
//! of lengths, as the reader makes the tensors of.

use std::collections::HashSet;

use arrow_schema::{DataType, Schema};
use example_codec::{FeaturePartition, RaggedColumn};
use tensor_repr::{RaggedRepresentation, Representation, schema_file};
use tfxio_core::{Error, ErrorKind, FormatOptions, Position, Result};

/// Returns how columns of lists of lists are written, by the representations of the schema's default group. A column has the name
/// of its tensor, or of the feature of its values.
pub(super) fn features(schema: &Schema, options: &FormatOptions) -> Result<Vec<RaggedColumn>> {
    let nested = schema.fields().iter().filter(|field| is_nested(field.data_type()));
    let nested = nested.map(|field| field.name().as_str()).collect::<HashSet<_>>();
    if nested.is_empty() {
        return Ok(Vec::new());
    }
    let Some(schema) = schema_file::of_options(options)? else { return Ok(Vec::new()) };
    let group = schema.group("")?.unwrap_or_default();
    let mut features = Vec::new();
    for (tensor, representation) in &group {
        let Representation::Ragged(ragged) = representation else { continue };
        let [values] = ragged.column.steps() else { continue };
        if let Some(column) = [tensor.as_str(), values].into_iter().find(|name| nested.contains(name)) {
            features.push(RaggedColumn::new(column, values.to_string(), partitions(ragged, column)?));
        }
    }
    Ok(features)
}

fn partitions(ragged: &RaggedRepresentation, column: &str) -> Result<Vec<FeaturePartition>> {
    let unknown = || {
        let what = "the schema has a partition that features cannot hold";
        Error::new(ErrorKind::Unsupported, what).at(Position::new().column(column))
    };
    let partition = |partition: &tensor_repr::RaggedPartition| match partition {
        tensor_repr::RaggedPartition::RowLengths(name) => Ok(FeaturePartition::RowLengths(name.to_string())),
        tensor_repr::RaggedPartition::UniformRowLength(length) => {
            u32::try_from(*length).map(FeaturePartition::UniformRowLength).map_err(|_| unknown())
        }
        _ => Err(unknown()),
    };
    ragged.partitions.iter().map(partition).collect()
}

/// Returns whether a type is of lists of lists.
fn is_nested(data_type: &DataType) -> bool {
    list(data_type).is_some_and(|item| list(item).is_some())
}

fn list(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            Some(item.data_type())
        }
        _ => None,
    }
}
