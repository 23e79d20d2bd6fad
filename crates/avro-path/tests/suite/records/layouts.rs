//! Every type in both layouts: its Arrow type, and null, empty and present values in it.

use arrow_schema::DataType;
use avro_path::AvroSchema;
use avro_path::datum::write;
use avro_path::record::{RecordOptions, RecordPlan};
use serde_json::{Value, json};

use crate::records::render;

/// Returns the schema of a record with the one field `f`.
fn schema(ty: &str) -> String {
    format!(r#"{{"type": "record", "name": "root", "fields": [{{"name": "f", "type": {ty}}}]}}"#)
}

fn data_type(ty: &str, options: &RecordOptions) -> (String, bool) {
    let plan = RecordPlan::builder(&AvroSchema::parse(&schema(ty)).unwrap())
        .options(options.clone())
        .build()
        .unwrap();
    let schema = plan.arrow_schema();
    let field = schema.field(0);
    (field.data_type().to_string(), field.is_nullable())
}

/// Returns the column of a field in the structured layout and in the plain one.
fn columns(ty: &str, data: &[&[u8]]) -> [Value; 2] {
    [RecordOptions::default().layout(avro_path::record::Layout::Structured), render::plain()].map(|options| {
        let rows = render::rows(&render::batch(&schema(ty), &options, data).unwrap());
        Value::Array(rows.into_iter().map(|mut row| row["f"].take()).collect())
    })
}

/// Returns the bytes of a datum.
fn datum(append: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    append(&mut out);
    out
}

/// Returns the rows of the table of types: an Avro type, and the columns that it becomes.
fn table() -> Vec<[&'static str; 3]> {
    let page = include_str!("../../../../../docs/avro.md");
    let (_, table) = page.split_once("| Avro type of a field").expect("the table");
    let (table, _) = table.split_once("\n\n").expect("an end of the table");
    let cells = |row: &'static str| {
        let cells = row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`'));
        cells.collect::<Vec<_>>().try_into().expect("three cells")
    };
    table.lines().skip(2).map(cells).collect()
}

#[test]
fn types_of_columns_are_those_of_the_page() {
    let table = table();
    assert_eq!(table.len(), 17);
    for [ty, structured, plain] in table {
        let small =
            RecordOptions::default().layout(avro_path::record::Layout::Structured).large_offsets(false);
        assert_eq!(data_type(ty, &small), (structured.to_owned(), true), "{ty}");
        let is_nullable = ty.contains("null") && !ty.starts_with('{');
        assert_eq!(data_type(ty, &render::plain()), (plain.to_owned(), is_nullable), "{ty}");
    }
    for (ty, plain) in [(r#"["int"]"#, "Int32"), (r#"["null"]"#, "Null")] {
        assert_eq!(data_type(ty, &render::plain()).0, plain);
    }
}

#[test]
fn offsets_of_64_bits() {
    let ty = r#"{"type": "map", "values": "bytes"}"#;
    let (large, _) = data_type(ty, &RecordOptions::default().layout(avro_path::record::Layout::Structured));
    assert_eq!(large, r#"LargeList(Struct("key": LargeList(LargeUtf8), "value": LargeList(LargeBinary)))"#);
    let (large, _) = data_type(ty, &render::plain().large_offsets(true));
    assert_eq!(
        large,
        r#"Map("entries": non-null Struct("key": non-null LargeUtf8, "value": non-null LargeBinary), unsorted)"#
    );
}

#[test]
fn values_of_each_type() {
    let cases: [(&str, Vec<u8>, Value); 9] = [
        ("\"boolean\"", vec![1], json!(true)),
        ("\"int\"", vec![1], json!(-1)),
        ("\"long\"", datum(|out| write::long(out, i64::MIN)), json!(i64::MIN)),
        ("\"float\"", datum(|out| write::float(out, 0.5)), json!(0.5)),
        ("\"double\"", datum(|out| write::double(out, -0.1)), json!(-0.1)),
        ("\"string\"", datum(|out| write::string(out, "grün")), json!("grün")),
        ("\"bytes\"", vec![4, 0xff, 0], json!("\u{ff}\0")),
        (r#"{"type": "fixed", "name": "x", "size": 2}"#, vec![b'a', 0x80], json!("a\u{80}")),
        (r#"{"type": "enum", "name": "e", "symbols": ["s", "t"]}"#, vec![2], json!("t")),
    ];
    for (ty, bytes, expected) in cases {
        let [structured, plain] = columns(ty, &[&bytes, &bytes]);
        assert_eq!(structured, json!([[expected], [expected]]), "{ty}");
        assert_eq!(plain, json!([expected, expected]), "{ty}");
        // As one branch beside null, on either side.
        for (union, null, other) in
            [(format!(r#"["null", {ty}]"#), 0, 2), (format!(r#"[{ty}, "null"]"#), 2, 0)]
        {
            let value = [&[other], &bytes[..]].concat();
            let [structured, plain] = columns(&union, &[&[null], &value, &[null]]);
            assert_eq!(structured, json!([null_value(), [expected], null_value()]), "{union}");
            assert_eq!(plain, json!([null_value(), expected, null_value()]), "{union}");
        }
    }
}

fn null_value() -> Value {
    Value::Null
}

#[test]
fn null_and_empty_lists_are_told_apart() {
    let ty = r#"["null", {"type": "array", "items": ["null", "string"]}]"#;
    // Null, empty, and one with a null and an empty string.
    let data: [&[u8]; 3] = [&[0], &[2, 0], &[2, 4, 0, 2, 0, 0]];
    let expected = json!([null, [], [null, ""]]);
    assert_eq!(columns(ty, &data), [expected.clone(), expected]);
}

#[test]
fn maps() {
    let ty = r#"["null", {"type": "map", "values": ["null", "int"]}]"#;
    let full = datum(|out| {
        write::long(out, 1);
        write::long(out, 2);
        write::string(out, "a");
        out.extend([2, 6]);
        write::string(out, "");
        out.extend([0, 0]);
    });
    let [structured, plain] = columns(ty, &[&[0], &[2, 0], &full]);
    assert_eq!(plain, json!([null, [], [{"key": "a", "value": 3}, {"key": "", "value": null}]]));
    assert_eq!(structured, json!([null, [], [{"key": ["a"], "value": [3]}, {"key": [""], "value": null}]]));
}

#[test]
fn records_in_records_and_lists() {
    let ty = r#"["null", {"type": "record", "name": "p", "fields": [
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "at", "type": ["null", {"type": "record", "name": "q", "fields": [
            {"name": "x", "type": "int"}, {"name": "s", "type": "string"}, {"name": "ok", "type": "boolean"}]}]}]}]"#;
    let full = datum(|out| {
        write::long(out, 1);
        out.extend([2, 2, b't', 0]);
        out.extend([2, 8, 2, b's', 1]);
    });
    let [structured, plain] = columns(ty, &[&[0], &full, &[2, 0, 0]]);
    assert_eq!(
        plain,
        json!([null, {"tags": ["t"], "at": {"x": 4, "s": "s", "ok": true}}, {"tags": [], "at": null}])
    );
    let at = json!([{"x": [4], "s": ["s"], "ok": [true]}]);
    assert_eq!(structured, json!([null, [{"tags": ["t"], "at": at}], [{"tags": [], "at": null}]]));

    // As the items of an array, which may be null.
    let items = format!(r#"{{"type": "array", "items": {ty}}}"#);
    let list = [&[6], &[0][..], &full, &[2, 0, 0], &[0]].concat();
    let [structured, plain] = columns(&items, &[&list]);
    assert_eq!(
        plain,
        json!([[null, {"tags": ["t"], "at": {"x": 4, "s": "s", "ok": true}}, {"tags": [], "at": null}]])
    );
    assert_eq!(structured, json!([[null, {"tags": ["t"], "at": at}, {"tags": [], "at": null}]]));
}

#[test]
fn unions_have_a_field_for_each_branch() {
    let ty = r#"["int", "null", {"type": "record", "name": "a.r", "fields": [{"name": "x", "type": "int"}]},
        {"type": "record", "name": "b.r", "fields": []}, {"type": "array", "items": "long"}]"#;
    let (plain, _) = data_type(ty, &render::plain());
    assert_eq!(
        plain,
        r#"Struct("int": Int32, "a.r": Struct("x": non-null Int32), "b.r": Struct(), "array": List(non-null Int64))"#
    );
    let data: [&[u8]; 5] = [&[0, 2], &[2], &[4, 6], &[6], &[8, 0]];
    let [structured, plain] = columns(ty, &data);
    let branch = |name: &str, value: Value| {
        let mut row = json!({"int": null, "a.r": null, "b.r": null, "array": null});
        row[name] = value;
        row
    };
    assert_eq!(
        plain,
        json!([
            branch("int", json!(1)),
            null,
            branch("a.r", json!({"x": 3})),
            branch("b.r", json!({})),
            branch("array", json!([]))
        ])
    );
    assert_eq!(
        structured,
        json!([
            [branch("int", json!([1]))],
            null,
            [branch("a.r", json!([{"x": [3]}]))],
            [branch("b.r", json!([{}]))],
            [branch("array", json!([]))]
        ])
    );
}

#[test]
fn a_root_that_is_no_record_is_the_column_value() {
    let batch = render::batch(
        "\"int\"",
        &RecordOptions::default().layout(avro_path::record::Layout::Structured),
        &[&[2], &[4]],
    )
    .unwrap();
    assert_eq!(render::rows(&batch), [json!({"value": [1]}), json!({"value": [2]})]);
    let union = r#"["null", {"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}]}]"#;
    let batch = render::batch(union, &render::plain(), &[&[0], &[2, 4]]).unwrap();
    assert_eq!(render::rows(&batch), [json!({"value": null}), json!({"value": {"a": 2}})]);
    let batch = render::batch("\"null\"", &render::plain(), &[&[], &[]]).unwrap();
    assert_eq!(batch.column(0).data_type(), &DataType::Null);
}

#[test]
fn a_record_without_fields_has_rows_and_no_columns() {
    let schema = r#"{"type": "record", "name": "r", "fields": []}"#;
    let batch = render::batch(
        schema,
        &RecordOptions::default().layout(avro_path::record::Layout::Structured),
        &[&[], &[], &[]],
    )
    .unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (3, 0));
}

#[test]
fn fixed_of_no_bytes() {
    let ty = r#"{"type": "fixed", "name": "x", "size": 0}"#;
    assert_eq!(columns(ty, &[&[], &[]]), [json!([[""], [""]]), json!(["", ""])]);
}
