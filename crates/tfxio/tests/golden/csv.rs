//! Kinds `csv_decode` and `csv_arrow_schema`: rows of cells as columns.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use golden_cases::{Case, Failure, arrow, base64, check, equal};
use serde_json::Value;
use tfxio::OptionValue;
use tfxio::prelude::*;
use tfxio::tensor_repr::TfmdSchema;

/// A file of these rows.
struct File {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl File {
    fn new(rows: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let text = rows.iter().map(|row| format!("{row}\n")).collect::<String>();
        std::fs::write(&path, text).unwrap();
        Self { path, _folder: folder }
    }
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().expect("texts").iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

fn open(inputs: &Value, file: &File) -> Result<Arc<dyn Dataset>, tfxio::Error> {
    let mut options = OpenOptions::new()
        .format("csv")
        .set("column_names", OptionValue::List(texts(&inputs["column_names"])))?
        .set("header", false)?;
    for key in ["delimiter", "secondary_delimiter"] {
        if let Some(text) = inputs[key].as_str() {
            options = options.set(key, text)?;
        }
    }
    if let Some(skips) = inputs["skip_blank_lines"].as_bool() {
        options = options.set("blank_lines", if skips { "skip" } else { "null" })?;
    }
    if !inputs["multivalent_columns"].is_null() {
        options =
            options.set("multivalent_columns", OptionValue::List(texts(&inputs["multivalent_columns"])))?;
    }
    if let Some(raw) = inputs["raw_record_column_name"].as_str() {
        options = options.set("raw_record_column", raw)?;
    }
    if !inputs["schema"].is_null() {
        let schema = TfmdSchema::from_binary(base64(&inputs["schema"]["b64"]))?;
        options = options.set("schema", schema.to_text())?;
    }
    options.open(&file.path)
}

fn read(dataset: &Arc<dyn Dataset>) -> Result<Option<(SchemaRef, RecordBatch)>, tfxio::Error> {
    let batches = dataset.read(ScanRequest::new())?.collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::clone(dataset.schema());
    match batches.is_empty() {
        true => Ok(None),
        false => Ok(Some((Arc::clone(&schema), concat_batches(&schema, &batches)?))),
    }
}

pub(super) fn decode(case: &Case, expected: &Value) -> Result<(), String> {
    let rows = texts(&case.inputs["lines"]);
    let file = File::new(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    let read = open(&case.inputs, &file).and_then(|dataset| read(&dataset));
    check(read.map_err(Failure::early), expected, |ours, ok| match (ours, &ok["record_batch"]) {
        (None, Value::Null) => Ok(()),
        (Some((_, ours)), batch) if !batch.is_null() => {
            let expected = arrow::batch(batch);
            arrow::same_batch(ours, &expected)?;
            equal(ours.schema().fields(), expected.schema().fields())
        }
        (ours, batch) => Err(format!("{ours:?} instead of {batch}")),
    })
}

pub(super) fn schema(case: &Case, expected: &Value) -> Result<(), String> {
    let file = File::new(&[]);
    let opened = open(&case.inputs, &file).map(|dataset| Arc::clone(dataset.schema()));
    check(opened.map_err(Failure::early), expected, |ours, ok| {
        equal(ours.fields(), arrow::schema(ok).fields())
    })
}
