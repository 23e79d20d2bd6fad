//! What records say of their features.

use arrow_schema::{DataType, Schema};
use example_codec::{
    FeatureKind, FeatureStatistics, SchemaInference, SequenceFeatureStatistics, SequenceSchemaInference,
};
use tfxio_core::{ColumnPath, ColumnReport, FactValue, SchemaReport};

type Kinds = [u64; FeatureKind::ALL.len()];

/// Describes the features of tf.Examples, whose columns a schema has.
pub(crate) fn of_examples(seen: &SchemaInference, schema: &Schema) -> SchemaReport {
    let columns = seen.features().map(|feature| context(&feature, seen.records(), schema));
    let mut report = SchemaReport::new(columns.collect());
    report.records = Some(seen.records());
    report.errors = seen.kind_mismatches();
    report
}

/// Describes the features of tf.SequenceExamples; those of steps are in this column.
pub(crate) fn of_sequences(seen: &SequenceSchemaInference, schema: &Schema, column: &str) -> SchemaReport {
    let records = seen.records();
    let context = seen.context_features().map(|feature| context(&feature, records, schema));
    let sequence = seen.sequence_features().map(|feature| steps(&feature, records, schema, column));
    let mut report = SchemaReport::new(context.chain(sequence).collect());
    report.records = Some(records);
    report.errors = seen.mixed_context_kinds();
    report.errors.extend(seen.mixed_sequence_kinds());
    report
}

fn context(feature: &FeatureStatistics<'_>, records: u64, schema: &Schema) -> ColumnReport {
    let column = kind(feature.name.into(), feature.kind, &feature.kinds, schema);
    column
        .fact("values", range(feature.values, feature.min_values, feature.max_values))
        .fact("present", FactValue::Share { count: feature.present, of: records })
}

/// Values are counted by step.
fn steps(
    feature: &SequenceFeatureStatistics<'_>,
    records: u64,
    schema: &Schema,
    column: &str,
) -> ColumnReport {
    let path = ColumnPath::from(column).child(feature.name);
    kind(path, feature.kind, &feature.kinds, schema)
        .fact("steps", range(feature.steps, feature.min_steps, feature.max_steps))
        .fact("values", range(feature.values, feature.min_values, feature.max_values))
        .fact("present", FactValue::Share { count: feature.present, of: records })
}

fn range(sum: u64, min: u64, max: u64) -> FactValue {
    FactValue::Range { sum, min, max }
}

/// Starts with the kind. A feature of several kinds makes no column; its records are counted by kind.
fn kind(path: ColumnPath, kind: Option<FeatureKind>, kinds: &Kinds, schema: &Schema) -> ColumnReport {
    let found = FeatureKind::ALL.iter().zip(kinds).filter(|(_, records)| **records > 0);
    let found = found.map(|(kind, records)| (kind.name().to_owned(), *records)).collect::<Vec<_>>();
    if found.len() < 2 {
        let data_type = data_type(schema, &path);
        return ColumnReport::new(path, data_type).fact("kind", kind.map(FeatureKind::name));
    }
    ColumnReport::new(path, None).fact("kind", "mixed").fact("kinds", FactValue::Counts(found))
}

fn data_type(schema: &Schema, path: &ColumnPath) -> Option<DataType> {
    let (first, rest) = path.steps().split_first()?;
    let column = schema.field_with_name(first).ok()?.data_type();
    match (rest, column) {
        ([], _) => Some(column.clone()),
        ([field], DataType::Struct(fields)) => {
            fields.iter().find(|known| *known.name() == **field).map(|field| field.data_type().clone())
        }
        _ => None,
    }
}
