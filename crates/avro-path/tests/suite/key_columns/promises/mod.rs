//! Promises of the tables of the design document about key expressions, row by row, and the facts beside them. Rows
//! that one example covers are in `tables.rs`; here are the rows that need data of their own, which earlier
//! implementations got wrong: empty first records, roots, filters of every form. Promises about tensors are tested with
//! the features.

mod keys;
mod types;

use avro_path::{AvroSchema, Key, KeyProgram};
use serde_json::{Value, json};

use crate::key_columns::{person, render};

/// Returns the schema of a record with these fields.
fn record(fields: Value) -> AvroSchema {
    AvroSchema::parse(&json!({"type": "record", "name": "row", "fields": fields}).to_string()).unwrap()
}

/// Asserts the values of a key for each record.
#[track_caller]
fn check(schema: &AvroSchema, records: &[Value], key: &str, expected: &[Value]) {
    let data = records.iter().map(|record| person::encode(schema, record)).collect::<Vec<_>>();
    assert_eq!(render::column(schema, &data, key), expected, "{key}");
}

/// Returns the error of a key and its advice, without its position.
fn refused(schema: &AvroSchema, key: &str) -> String {
    let error = Key::parse(key).and_then(|key| KeyProgram::new(schema, &[key])).unwrap_err();
    assert!(error.position().key_column.is_some(), "{error}");
    format!("{}; {}", error.what(), error.hint().unwrap_or_default())
}
