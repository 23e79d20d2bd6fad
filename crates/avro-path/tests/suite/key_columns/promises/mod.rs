//! What the tables of the design document promise of key expressions, row by row, and the facts beside them. The rows
//! that one example covers stand in `tables.rs`; here are those that take data of their own, which earlier
//! implementations got wrong: empty first records, roots, filters of every form. Promises about tensors are tested with
//! the features.

mod keys;
mod types;

use avro_path::{Key, KeyProgram, Schema};
use serde_json::{Value, json};

use crate::key_columns::{person, render};

/// The schema of a record with these fields.
fn record(fields: Value) -> Schema {
    Schema::parse(&json!({"type": "record", "name": "row", "fields": fields}).to_string()).unwrap()
}

/// What a key gives for each record.
#[track_caller]
fn check(schema: &Schema, records: &[Value], key: &str, expected: &[Value]) {
    let data = records.iter().map(|record| person::encode(schema, record)).collect::<Vec<_>>();
    assert_eq!(render::column(schema, &data, key), expected, "{key}");
}

/// The error of a key and its advice, without its place.
fn refused(schema: &Schema, key: &str) -> String {
    let error = Key::parse(key).and_then(|key| KeyProgram::new(schema, &[key])).unwrap_err();
    assert!(error.position().key_column.is_some(), "{error}");
    format!("{}; {}", error.what(), error.hint().unwrap_or_default())
}
