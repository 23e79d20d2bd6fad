//! Columns of records that are given as JSON.

#[path = "../key_columns/person.rs"]
pub mod person;
#[path = "../key_columns/render.rs"]
pub mod render;

use avro_path::{Key, KeyProgram, Schema};
use serde_json::{Value, json};

/// The schema of a record with these fields.
pub fn record(fields: Value) -> Schema {
    Schema::parse(&json!({"type": "record", "name": "row", "fields": fields}).to_string()).unwrap()
}

/// What a key gives for each record.
#[track_caller]
pub fn check(schema: &Schema, records: &[Value], key: &str, expected: &[Value]) {
    let data = records.iter().map(|record| person::encode(schema, record)).collect::<Vec<_>>();
    assert_eq!(render::column(schema, &data, key), expected, "{key}");
}

/// The error of a key and its advice, without its place.
pub fn refused(schema: &Schema, key: &str) -> String {
    let error = Key::parse(key).and_then(|key| KeyProgram::new(schema, &[key])).unwrap_err();
    assert!(error.position().column.is_some(), "{error}");
    format!("{}; {}", error.what(), error.hint().unwrap_or_default())
}
