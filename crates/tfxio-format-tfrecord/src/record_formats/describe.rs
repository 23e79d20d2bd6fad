//! Description of features by records.

use std::collections::HashMap;

use arrow_schema::{DataType, Fields, Schema};
use example_codec::{
    ExampleSchemaInference, FeatureKind, FeatureStatistics, SequenceExampleSchemaInference,
    SequenceFeatureStatistics,
};
use tfxio_core::{ColumnPath, ColumnReport, FactValue, SchemaReport};

type Kinds = [u64; FeatureKind::ALL.len()];

/// Describes the features of tf.Examples, whose columns a schema has.
pub(crate) fn of_examples(seen: &ExampleSchemaInference, schema: &Schema) -> SchemaReport {
    let types = Types::new(schema.fields());
    let columns = seen.features().map(|feature| context(&feature, seen.records(), &types));
    let mut report = SchemaReport::new(columns.collect());
    report.records = Some(seen.records());
    report.errors = seen.kind_mismatches();
    report
}

/// Describes the features of tf.SequenceExamples; features of steps are in this column.
pub(crate) fn of_sequences(
    seen: &SequenceExampleSchemaInference,
    schema: &Schema,
    column: &str,
) -> SchemaReport {
    let records = seen.records();
    let types = Types::new(schema.fields());
    let context = seen.context_features().map(|feature| context(&feature, records, &types));
    let sequence = seen.sequence_features().map(|feature| steps(&feature, records, &types, column));
    let mut report = SchemaReport::new(context.chain(sequence).collect());
    report.records = Some(records);
    report.errors = seen.mixed_context_kinds();
    report.errors.extend(seen.mixed_sequence_kinds());
    report
}

fn context(feature: &FeatureStatistics<'_>, records: u64, types: &Types<'_>) -> ColumnReport {
    let column = kind(feature.name.into(), feature.kind, &feature.kinds, types);
    column
        .fact("values", range(feature.values, feature.min_values, feature.max_values))
        .fact("present", FactValue::Share { count: feature.present, of: records })
}

/// Values are counted by step.
fn steps(
    feature: &SequenceFeatureStatistics<'_>,
    records: u64,
    types: &Types<'_>,
    column: &str,
) -> ColumnReport {
    let path = ColumnPath::from(column).child(feature.name);
    kind(path, feature.kind, &feature.kinds, types)
        .fact("steps", range(feature.steps, feature.min_steps, feature.max_steps))
        .fact("values", range(feature.values, feature.min_values, feature.max_values))
        .fact("present", FactValue::Share { count: feature.present, of: records })
}

fn range(sum: u64, min: u64, max: u64) -> FactValue {
    FactValue::Range { sum, min, max }
}

/// Starts with the kind. A feature of several kinds makes no column; its records are counted by kind.
fn kind(path: ColumnPath, kind: Option<FeatureKind>, kinds: &Kinds, types: &Types<'_>) -> ColumnReport {
    let found = FeatureKind::ALL.iter().zip(kinds).filter(|(_, records)| **records > 0);
    let found = found.map(|(kind, records)| (kind.name().to_owned(), *records)).collect::<Vec<_>>();
    if found.len() < 2 {
        let data_type = types.of(&path);
        return ColumnReport::new(path, data_type).fact("kind", kind.map(FeatureKind::name));
    }
    ColumnReport::new(path, None).fact("kind", "mixed").fact("kinds", FactValue::Counts(found))
}

/// The types of columns and of the fields of structs, by name.
struct Types<'a> {
    columns: HashMap<&'a str, &'a DataType>,
    fields: HashMap<&'a str, HashMap<&'a str, &'a DataType>>,
}

impl<'a> Types<'a> {
    fn new(columns: &'a Fields) -> Self {
        let structs = columns.iter().filter_map(|column| match column.data_type() {
            DataType::Struct(fields) => Some((column.name().as_str(), by_name(fields))),
            _ => None,
        });
        Self { fields: structs.collect(), columns: by_name(columns) }
    }

    fn of(&self, path: &ColumnPath) -> Option<DataType> {
        let found = match path.steps() {
            [column] => self.columns.get(&**column),
            [column, field] => self.fields.get(&**column)?.get(&**field),
            _ => None,
        };
        found.copied().cloned()
    }
}

fn by_name(fields: &Fields) -> HashMap<&str, &DataType> {
    // Of fields with one name the first is the one that is read.
    fields.iter().rev().map(|field| (field.name().as_str(), field.data_type())).collect()
}
