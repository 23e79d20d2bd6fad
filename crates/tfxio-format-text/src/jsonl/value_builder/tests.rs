//! Members that most objects lack.

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, StructArray};
use arrow_schema::{DataType, Field, Fields};
use tfxio_core::{Limits, Result};

use super::{Members, Scratch};
use crate::jsonl::parse::Json;

fn push(members: &mut Members, line: &str) -> Result<()> {
    let mut scratch = Scratch { items: 1_000, ..Scratch::default() };
    let mut json = Json::new(line.as_bytes(), &Limits::default())?;
    json.first()?;
    members.push(&mut json, &mut scratch)?;
    json.finish()
}

fn members(fields: &Fields) -> Members {
    let all = (0..fields.len()).collect::<Vec<_>>();
    Members::new(fields, &all, false, true).unwrap()
}

#[test]
fn a_row_costs_the_members_that_it_has() {
    let fields =
        (0..1_000).map(|at| Field::new(format!("key_{at}"), DataType::Int64, true)).collect::<Fields>();
    let mut members = members(&fields);
    for at in 0..1_000 {
        push(&mut members, &format!("{{\"key_{at}\": {at}}}")).unwrap();
    }
    // The first one lacks no row before it, and the others are each filled once.
    assert_eq!(members.fills, 999);
    let columns = members.finish().unwrap();
    for (at, column) in columns.iter().enumerate() {
        let column = column.as_primitive::<Int64Type>();
        assert_eq!((column.len(), column.null_count(), column.value(at)), (1_000, 999, at as i64));
    }
    // Rows that all have the same are filled at the first of them at most.
    for _ in 0..100 {
        push(&mut members, r#"{"key_1": 1, "key_2": 2}"#).unwrap();
    }
    assert_eq!(members.fills, 999);
}

/// Returns lines as a struct, after which each of some others was refused.
fn read(fields: &Fields, lines: &[&str], damaged: &[&str]) -> StructArray {
    let mut members = members(fields);
    for (rows, line) in lines.iter().enumerate() {
        for damaged in damaged {
            push(&mut members, damaged).unwrap_err();
            members.truncate(rows);
        }
        push(&mut members, line).unwrap();
    }
    let columns = members.finish().unwrap();
    StructArray::try_new(fields.clone(), columns, None).unwrap()
}

#[test]
fn what_is_missing_is_null_whatever_stands_around_it() {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let list = |data_type| DataType::LargeList(Field::new_list_field(data_type, true).into());
    let object = DataType::Struct(vec![field("x", DataType::Int64), field("y", DataType::Utf8)].into());
    let fields: Fields = vec![
        field("a", DataType::Int64),
        field("b", DataType::Boolean),
        field("t", DataType::LargeUtf8),
        field("u", DataType::UInt64),
        field("n", DataType::Null),
        field("l", list(DataType::Float64)),
        field("o", object.clone()),
        field("os", list(object)),
    ]
    .into();
    let lines = [
        "{}",
        r#"{"b": true, "o": {"y": "p"}}"#,
        r#"{"a": 1, "l": [1.5, null], "os": [{}, {"x": 1}, null, {"y": "q"}]}"#,
        r#"{"o": {"x": 2}, "n": null, "u": 7}"#,
        r#"{"o": null, "t": "text", "os": []}"#,
        r#"{"a": 3, "o": {}, "os": [{"y": "r", "x": 4}, {"x": 5}]}"#,
        r#"{"l": [], "b": false, "os": [{"x": 6}]}"#,
        "{}",
    ];
    // As they are where each member stands in each object.
    let full = lines.map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let entry = |object: &mut serde_json::Value, keys: &[&str]| {
            for key in keys {
                let Some(object) = object.as_object_mut() else { return };
                object.entry(*key).or_insert(serde_json::Value::Null);
            }
        };
        entry(&mut line, &["a", "b", "t", "u", "n", "l", "o", "os"]);
        entry(&mut line["o"], &["x", "y"]);
        for object in line["os"].as_array_mut().into_iter().flatten() {
            entry(object, &["x", "y"]);
        }
        line.to_string()
    });
    let expected = read(&fields, &full.each_ref().map(String::as_str), &[]);
    assert_eq!(read(&fields, &lines, &[]), expected);
    // Damaged lines leave nothing, wherever they break.
    let damaged = [
        r#"{"a": 9, "b": "#,
        r#"{"os": [{"x": 1}, {"x": 2, "y": "z"}, {"y": 3"#,
        r#"{"o": {"x": 1, "x": 2}}"#,
        r#"{"l": [1, 2, "x"], "a": 1}"#,
        r#"{"t": "text", "u": -1}"#,
        r#"{"o": {"y": "z"}, "os": [{"x": "no"}]}"#,
    ];
    assert_eq!(read(&fields, &lines, &damaged), expected);
    for one in damaged {
        assert_eq!(read(&fields, &lines, &[one]), expected, "{one}");
    }
}
