//! Messages of tfx-bsl for batches that cannot be encoded.

use std::collections::{BTreeMap, HashSet};

use arrow_schema::{DataType, Schema};
use tfxio::example_codec::FeaturePartition;

/// The feature of values, and the partitions, of each ragged column.
pub(super) type Ragged = BTreeMap<String, (String, Vec<FeaturePartition>)>;

/// Returns the message of tfx-bsl for a batch that was refused; `None` where tfx-bsl has no words of its own.
pub(super) fn message(schema: &Schema, ragged: &Ragged) -> Option<String> {
    let mut names = HashSet::new();
    if let Some(twice) = schema.fields().iter().find(|field| !names.insert(field.name().as_str())) {
        return Some(format!("RecordBatch contains duplicate column names: {}", twice.name()));
    }
    schema.fields().iter().find_map(|field| {
        let partitions = ragged.get(field.name());
        let conflict = partitions.and_then(|partitions| conflict(field.name(), partitions, &mut names));
        conflict.or_else(|| {
            column(field.data_type(), partitions.map_or(0, |(_, partitions)| lengths(partitions)))
                .map(|why| format!("Error encoding feature \"{}\": {why}", field.name()))
        })
    })
}

/// Returns how many levels of lists partitions have.
fn lengths(partitions: &[FeaturePartition]) -> usize {
    partitions.iter().filter(|partition| matches!(partition, FeaturePartition::RowLengths(_))).count()
}

fn column(data_type: &DataType, partitions: usize) -> Option<String> {
    let Some(mut item) = item(data_type) else {
        return Some(format!("Expected ListArray or LargeListArray, got {data_type}"));
    };
    let mut depth = 0;
    while let Some(inner) = self::item(item) {
        item = inner;
        depth += 1;
    }
    if depth > partitions {
        let name = if matches!(data_type, DataType::List(_)) { "list" } else { "large_list" };
        return Some(format!(
            "Nested depth of {name} is larger than the number of provided partitions (or no partitions were provided). \
             Expected {partitions} partitions. If the column represents RaggedTensor, then create the encoder with TFMD \
             schema containing RaggedTensor TensorRepresentations with partitions."
        ));
    }
    if depth < partitions {
        return Some(format!("Expected {partitions} partitions, but got flat values array."));
    }
    let is_bytes =
        matches!(item, DataType::Binary | DataType::LargeBinary | DataType::Utf8 | DataType::LargeUtf8);
    let is_value = is_bytes || matches!(item, DataType::Int64 | DataType::Float32);
    (!is_value).then(|| format!("Bad field type: {item}"))
}

fn item(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) => Some(item.data_type()),
        _ => None,
    }
}

/// Returns the conflict of a ragged column whose features are already columns, or features of another ragged column.
fn conflict<'a>(
    column: &str,
    (values, partitions): &'a (String, Vec<FeaturePartition>),
    names: &mut HashSet<&'a str>,
) -> Option<String> {
    let lengths = partitions.iter().filter_map(|partition| match partition {
        FeaturePartition::RowLengths(name) => Some(name),
        _ => None,
    });
    let mut sources = std::iter::once(values).chain(lengths);
    let taken = sources.find(|name| *name != column && !names.insert(name.as_str()))?;
    Some(format!(
        "Error encoding feature \"{column}\": source column {taken} conflicts with another source column in the same batch."
    ))
}
