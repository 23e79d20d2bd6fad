//! Batches as JSON lines.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, SchemaRef};
use tfxio_core::{Error, ErrorKind, FormatOptions, Position, Result, Sink};
use tfxio_store::output::same_columns;
use tfxio_store::row_sink::{EncodeRows, EncodedRows};

use crate::json::{Object, string, times_of_day, value};
use crate::lines;

/// Makes a line of each row.
#[derive(Clone)]
struct Lines {
    schema: SchemaRef,
    /// Name of the output.
    name: Arc<str>,
    /// Keys, quoted and escaped.
    keys: Arc<[String]>,
}

/// Returns a sink that writes a file, or the shards of a pattern.
pub(super) fn sink(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
    let mut names = HashSet::new();
    for field in schema.fields() {
        let refused = |what: &str, help: &str| {
            let error = Error::new(ErrorKind::Unsupported, what).help(help);
            Err(error.at(Position::new().column(field.name().as_str())))
        };
        if !names.insert(field.name()) {
            return refused("two columns have this name", "rename one before they are written");
        }
        if is_ambiguous(field) {
            let what = "a struct whose one field is called \"base64\" would be read as bytes";
            return refused(what, "rename the field, or convert without this column");
        }
    }
    let key = |field: &Arc<Field>| {
        let mut key = String::new();
        string(&mut key, field.name());
        key
    };
    let keys = schema.fields().iter().map(key).collect();
    let encoder = Lines { schema: Arc::clone(schema), name: output.into(), keys };
    lines::sink(output, options, Vec::new(), encoder)
}

impl EncodeRows for Lines {
    fn encode(&mut self, batch: &RecordBatch, rows: &mut EncodedRows) -> Result<()> {
        same_columns(&self.schema, &batch.schema()).map_err(|error| error.in_file(&*self.name))?;
        times_of_day::refuse_others(batch)?;
        let mut line = String::new();
        let maps = batch.columns().iter().zip(self.schema.fields());
        let maps = maps.filter(|(column, _)| holds_map(column.data_type())).collect::<Vec<_>>();
        for row in 0..batch.num_rows() {
            let twice = maps.iter().find_map(|(column, field)| Some((field, repeated_key(column, row)?)));
            if let Some((field, key)) = twice {
                let what = format!("the map has the key {key} twice, and an object has a key once");
                let error = Error::new(ErrorKind::Unsupported, what).help("convert without this column");
                return Err(error.at(Position::new().column(field.name().as_str()).row(row as u64)));
            }
            line.clear();
            let mut object = Object::new(&mut line);
            for ((column, field), key) in batch.columns().iter().zip(self.schema.fields()).zip(&*self.keys) {
                value::json_of(object.quoted_key(key), field, column, row);
            }
            object.finish();
            line.push('\n');
            rows.push(|out| {
                out.extend_from_slice(line.as_bytes());
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Returns what values of a field lose in JSON.
pub(super) fn loss(values: &Field) -> Option<&'static str> {
    match values.data_type() {
        DataType::Map(..) => Some(
            "a map is read back as a struct of the keys of all rows, of which a row has null for those it lacks",
        ),
        DataType::Union(..) => {
            Some("a union is read back as a struct of its types, with null for all but that of the value")
        }
        DataType::FixedSizeBinary(16) if value::is_uuid(values) => {
            Some("UUIDs become texts, and are read back as texts")
        }
        _ => None,
    }
}

/// Returns whether values of a type are maps or hold some.
fn holds_map(data_type: &DataType) -> bool {
    match data_type {
        DataType::Map(..) => true,
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::RunEndEncoded(_, item) => holds_map(item.data_type()),
        DataType::Dictionary(_, values) => holds_map(values),
        DataType::Struct(fields) => fields.iter().any(|field| holds_map(field.data_type())),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| holds_map(field.data_type())),
        _ => false,
    }
}

/// Returns a key, as JSON, that a map of a row has twice.
fn repeated_key(column: &dyn Array, row: usize) -> Option<String> {
    if row >= column.len() || column.is_null(row) || !holds_map(column.data_type()) {
        return None;
    }
    if let Some((values, row)) = value::inner(column, row) {
        return repeated_key(&values, row);
    }
    if let Some((values, mut items)) = value::list(column, row) {
        return items.find_map(|item| repeated_key(values, item));
    }
    match column.data_type() {
        DataType::Struct(_) => column.as_struct().columns().iter().find_map(|field| repeated_key(field, row)),
        DataType::Union(..) => {
            let union = column.as_union();
            repeated_key(union.child(union.type_id(row)), union.value_offset(row))
        }
        _ => {
            let entries = column.as_map_opt()?.value(row);
            let mut keys = HashSet::new();
            (0..entries.len()).find_map(|entry| {
                let mut key = String::new();
                value::json(&mut key, entries.column(0), entry);
                if keys.contains(&key) {
                    return Some(key);
                }
                keys.insert(key);
                repeated_key(entries.column(1), entry)
            })
        }
    }
}

/// Returns whether a struct within a column would be taken for bytes.
fn is_ambiguous(field: &Field) -> bool {
    match field.data_type() {
        DataType::Struct(fields) => {
            let is_bytes = fields.len() == 1 && fields.iter().all(|field| field.name() == "base64");
            is_bytes || fields.iter().any(|field| is_ambiguous(field))
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            is_ambiguous(item)
        }
        _ => false,
    }
}
