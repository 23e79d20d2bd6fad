//! Description of files by their headers: the schema, and the columns that its fields become.

use std::sync::Arc;

use arrow_schema::DataType;
use avro_path::AvroSchema;
use avro_path::container::ReaderBuilder;
use avro_path::key::list;
use avro_path::program::KeyOptions;
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::schema::{Type, TypeId};
use tfxio_core::{
    ColumnPath, ColumnReport, Count, Dataset as _, Describe, Files, FormatOptions, Partition, Result,
    ScanRequest, SchemaReport,
};

use super::dataset::AvroDataset;
use super::format::AvroFormat;
use super::settings;

/// Fields that are chosen by their names where others are recursive: each name is compared with each field.
const CHOSEN: usize = 1000;

impl Describe for AvroFormat {
    /// Reads headers only. Fields whose records contain themselves have no Arrow type.
    fn describe(&self, files: &Files, options: &FormatOptions) -> Result<SchemaReport> {
        let schemas = files.names().iter().map(|file| header(files, file, options));
        let schemas = schemas.collect::<Result<Vec<_>>>()?;
        let given = settings::schema(&**files.store(), options, "reader_schema")?;
        let Some(schema) = given.as_ref().or(schemas.first()) else { return Ok(SchemaReport::default()) };
        let mut report = fields(schema);
        report.title = Some(schema.describe(schema.root()));
        report.text = Some(schema.text().to_owned());
        let canonical = schema.canonical_form();
        let others =
            files.names().iter().zip(&schemas).filter(|(_, other)| other.canonical_form() != canonical);
        let first = files.names().first().filter(|_| given.is_none()).map_or("the one given", |file| file);
        report.notes.extend(others.map(|(file, _)| format!("{file} has another schema than {first}")));
        if given.is_none() && !report.notes.is_empty() && options.list("keys").is_none() {
            merge(&mut report, files, options);
        }
        Ok(report)
    }

    fn keys(
        &self,
        files: &Files,
        options: &FormatOptions,
        depth: Option<usize>,
    ) -> Result<Option<SchemaReport>> {
        let Some(file) = files.names().first() else { return Ok(None) };
        let schema = match settings::schema(&**files.store(), options, "reader_schema")? {
            Some(schema) => schema,
            None => header(files, file, options)?,
        };
        let found = list(&schema, depth, KeyOptions::stored());
        let columns = found.keys.iter().map(|listed| {
            let column = ColumnReport::new(listed.key.as_str(), listed.data_type.clone());
            let column = if listed.data_type.is_none() { column.reason("goes on") } else { column };
            column.fact("avro", listed.avro.as_str())
        });
        let mut report = SchemaReport::new(columns.collect());
        if found.is_cut {
            let count = found.keys.len();
            report.notes.push(format!(
                "there are more than these {}; list those of few names",
                Count::of(count, "key")
            ));
        }
        Ok(Some(report))
    }
}

/// Gives the columns their types in the data set of all files, and appends the columns that the first file does not have.
fn merge(report: &mut SchemaReport, files: &Files, options: &FormatOptions) {
    // What cannot be opened is said by whoever reads it.
    let plain = options.clone().option("layout", "plain");
    let Ok(dataset) = AvroDataset::open(files.clone(), &plain) else { return };
    if !dataset.is_mixed() {
        return;
    }
    for field in dataset.schema().fields() {
        let data_type = Some(field.data_type().clone());
        match report.columns.iter_mut().find(|column| column.path.to_string() == *field.name()) {
            Some(column) => column.data_type = data_type,
            None => {
                let path = ColumnPath::new([field.name().as_str()]);
                report.columns.push(ColumnReport::new(path, data_type).fact("avro", "of other files"));
            }
        }
    }
    let hindered = dataset.scan_schema(&ScanRequest::new()).err();
    report.notes.extend(hindered.map(|error| error.to_string()));
}

fn header(files: &Files, file: &Arc<str>, options: &FormatOptions) -> Result<AvroSchema> {
    let input = files.open_with(&Partition::whole(Arc::clone(file)), &options.request.cancel)?;
    let builder = ReaderBuilder::default().limits(options.request.limits).name(Arc::clone(file));
    Ok(builder.source(input).build()?.header().schema().clone())
}

/// Returns the fields of the root, and the columns that they become. Where none can be made for another reason than that a record contains
/// itself, a note has the reason.
fn fields(schema: &AvroSchema) -> SchemaReport {
    let finite = finite(schema);
    let is_recursive = |id: TypeId| !finite.get(id.index()).copied().unwrap_or_default();
    let mut notes = Vec::new();
    let mut plan = |options: RecordOptions| match RecordPlan::builder(schema).options(options.clone()).build()
    {
        Ok(plan) => plan.arrow_schema().fields().iter().map(|field| field.data_type().clone()).collect(),
        Err(error) => {
            notes.push(format!("there are no Arrow types: {error}"));
            Vec::new()
        }
    };
    let layout = RecordOptions::default().layout(Layout::Plain);
    let root = schema.root();
    let columns = match schema.get(root) {
        Type::Record(record) => {
            let plain = record.fields().iter().filter(|field| !is_recursive(field.type_id()));
            let mut plain = plain.map(|field| field.name()).collect::<Vec<_>>();
            let is_cut = plain.len() < record.fields().len() && plain.len() > CHOSEN;
            let types: Vec<DataType> = if plain.len() == record.fields().len() {
                plan(layout)
            } else {
                plain.truncate(CHOSEN);
                plan(layout.columns(plain))
            };
            if is_cut {
                let note = format!(
                    "beside recursive fields, the Arrow types are those of the first {CHOSEN} others"
                );
                notes.push(note);
            }
            let mut types = types.into_iter();
            let fields = record.fields().iter().map(|field| {
                let is_recursive = is_recursive(field.type_id());
                let data_type = if is_recursive { None } else { types.next() };
                column(schema, field.name(), field.type_id(), data_type, is_recursive)
            });
            fields.collect()
        }
        _ => {
            let is_recursive = is_recursive(root);
            let data_type = if is_recursive { None } else { plan(layout).pop() };
            vec![column(schema, "value", root, data_type, is_recursive)]
        }
    };
    let recursive = columns.iter().filter(|column| column.reason.is_some()).count();
    let mut report = SchemaReport::new(columns);
    report.notes = notes;
    if recursive > 0 {
        let fields = Count::of(recursive, "field");
        let hold = fields.verb("holds", "hold");
        let help = "a column needs the option max_depth, or key expressions";
        report.help = Some(format!("{fields} {hold} records that contain themselves: {help}"));
    }
    report
}

fn column(
    schema: &AvroSchema,
    name: &str,
    id: TypeId,
    data_type: Option<DataType>,
    is_recursive: bool,
) -> ColumnReport {
    let column = ColumnReport::new(name, data_type).fact("avro", schema.describe(id));
    if is_recursive { column.reason("recursive") } else { column }
}

/// For each type whether no record within its values contains itself.
fn finite(schema: &AvroSchema) -> Vec<bool> {
    let mut above = vec![Vec::new(); schema.len()];
    // How many of the types below are not known to be finite.
    let mut left = vec![0_usize; schema.len()];
    let mut known = Vec::new();
    for (id, ty) in schema.types() {
        let below = match ty {
            Type::Record(record) => record.fields().iter().map(|field| field.type_id()).collect(),
            Type::Array(inner) | Type::Map(inner) => vec![*inner],
            Type::Union(branches) => branches.to_vec(),
            _ => Vec::new(),
        };
        for inner in &below {
            if let Some(above) = above.get_mut(inner.index()) {
                above.push(id.index());
            }
        }
        if let Some(left) = left.get_mut(id.index()) {
            *left = below.len();
        }
        if below.is_empty() {
            known.push(id.index());
        }
    }
    let mut finite = vec![false; schema.len()];
    while let Some(at) = known.pop() {
        if let Some(finite) = finite.get_mut(at) {
            *finite = true;
        }
        for &above in above.get(at).into_iter().flatten() {
            if let Some(left) = left.get_mut(above) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    known.push(above);
                }
            }
        }
    }
    finite
}
