//! Batches as JSON lines.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{DataType, Field, SchemaRef};
use tfxio_core::{Batch, Error, ErrorKind, FormatOptions, Position, Result, Sink, Written};

use crate::json::{Object, string, value};
use crate::lines::{self, TextFile};
use crate::output::{self, Output, Tally, same_columns};

/// Writes a file, or the shards of a pattern.
pub(super) struct JsonSink {
    schema: SchemaRef,
    output: Output<TextFile>,
    name: String,
    tally: Tally,
    /// Keys, quoted and escaped.
    keys: Vec<String>,
    line: String,
}

impl JsonSink {
    pub(super) fn create(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
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
        let files = lines::create(output, options, Vec::new())?;
        let key = |field: &Arc<Field>| {
            let mut key = String::new();
            string(&mut key, field.name());
            key
        };
        let keys = schema.fields().iter().map(key).collect();
        let (schema, name) = (Arc::clone(schema), output.to_owned());
        Ok(Self { schema, output: files, name, tally: Tally::new(output), keys, line: String::new() })
    }

    fn write_rows(&mut self, batch: &Batch) -> Result<()> {
        let columns = batch.columns().columns();
        for row in 0..batch.num_rows() {
            self.line.clear();
            let mut object = Object::new(&mut self.line);
            for (column, key) in columns.iter().zip(&self.keys) {
                value::json(object.quoted_key(key), column, row);
            }
            object.finish();
            self.line.push('\n');
            let line = &self.line;
            self.output.write(|file| file.write(line.as_bytes()))?;
        }
        Ok(())
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

impl Sink for JsonSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let same = same_columns(&self.schema, &batch.columns().schema());
        let written =
            same.map_err(|error| error.in_file(self.name.as_str())).and_then(|()| self.write_rows(batch));
        self.tally.add(batch, written.map_err(|error| batch.locate(error)))
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let rows = self.tally.rows()?;
        let files = self.output.finish()?;
        Ok(Written::new(rows, output::written(&files)))
    }
}
