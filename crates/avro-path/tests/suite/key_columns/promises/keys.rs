//! Table 2: key expressions, and the facts about filters below it.

use avro_path::{AvroSchema, Key, KeyProgram};
use serde_json::{Value, json};

use super::{check, record, refused};
use crate::key_columns::{person, render};

fn guests() -> AvroSchema {
    record(json!([
        {"name": "host", "type": "string"},
        {"name": "guests", "type": {"type": "array", "items": {"type": "record", "name": "guest", "fields": [
            {"name": "name", "type": "string"},
            {"name": "opt", "type": ["null", "string"]},
            {"name": "kind", "type": {"type": "enum", "name": "kind", "symbols": ["A", "B"]}},
            {"name": "raw", "type": "bytes"},
            {"name": "code", "type": {"type": "fixed", "name": "code", "size": 1}},
            {"name": "tags", "type": {"type": "array", "items": "string"}}]}}}
    ]))
}

fn guest(name: &str, kind: &str) -> Value {
    json!({"name": name, "kind": kind, "raw": name, "code": kind, "tags": [name, kind]})
}

fn rows() -> [Value; 3] {
    [
        json!({"host": "x", "guests": []}),
        json!({"host": "A", "guests": [guest("A", "A"), guest("B", "A"), guest("a-b c", "B")]}),
        json!({"host": "B", "guests": [guest("größe", "B"), guest("B", "B")]}),
    ]
}

#[test]
fn an_unknown_name_is_an_error_before_any_data() {
    assert_eq!(
        refused(&guests(), "guests[*].nam"),
        "no field \"nam\" in record guest; did you mean \"name\"?"
    );
}

#[test]
fn indices_at_the_end_and_behind_it_are_missing() {
    let names = |name: &str| json!(name);
    for (index, expected) in [
        (1, [Value::Null, names("B"), names("B")]),
        (2, [Value::Null, names("a-b c"), Value::Null]),
        (3, [Value::Null, Value::Null, Value::Null]),
        (-2, [Value::Null, names("B"), names("größe")]),
        (-3, [Value::Null, names("A"), Value::Null]),
        (-4, [Value::Null, Value::Null, Value::Null]),
    ] {
        let utf8 = |value: &Value| match value.as_str() {
            Some(text) => Value::String(text.bytes().map(char::from).collect()),
            None => Value::Null,
        };
        check(&guests(), &rows(), &format!("guests[{index}].name"), &expected.each_ref().map(utf8));
    }
}

#[test]
fn three_levels_of_which_the_first_record_has_none() {
    let items =
        json!({"type": "array", "items": {"type": "array", "items": {"type": "array", "items": "int"}}});
    let schema = record(json!([{"name": "x", "type": items}]));
    let rows = [json!({"x": []}), json!({"x": [[]]}), json!({"x": [[[1, 2], []], []]})];
    check(&schema, &rows, "x[*][*][*]", &[json!([]), json!([[]]), json!([[[1, 2], []], []])]);
    // Nothing but empty arrays: the column keeps its levels.
    let program = KeyProgram::new(&schema, &[Key::parse("x[*][*][*]").unwrap()]).unwrap();
    let mut ty = program.arrow_schema().field(0).data_type().clone();
    let mut levels = 0;
    while let arrow_schema::DataType::LargeList(item) = &ty {
        levels += 1;
        ty = item.data_type().clone();
    }
    assert_eq!(levels, 3);
}

#[test]
fn map_keys_of_any_characters() {
    let schema = record(json!([{"name": "m", "type": {"type": "map", "values": "int"}}]));
    let keys = ["", "a b", "a=b", "a:b", "a[b", "a.b", "a]b", "*", "0", "@r", "-", "&"];
    let entries = keys.iter().enumerate().map(|(at, key)| ((*key).to_owned(), json!(at)));
    let row = json!({"m": Value::Object(entries.collect())});
    for (at, key) in keys.iter().enumerate() {
        check(&schema, std::slice::from_ref(&row), &format!("m['{key}']"), &[json!(at)]);
        check(&schema, std::slice::from_ref(&row), &format!("m[\"{key}\"]"), &[json!(at)]);
    }
    let quotes = json!({"m": {"a'b": 1, "a\"b": 2, "a\\b": 3}});
    for (key, value) in [(r#"m['a\'b']"#, 1), (r#"m["a'b"]"#, 1), (r#"m['a"b']"#, 2), (r#"m['a\\b']"#, 3)] {
        check(&schema, std::slice::from_ref(&quotes), key, &[json!(value)]);
    }
    assert!(Key::parse("m[k]").is_err());
}

#[test]
fn constants_stand_on_either_side_and_hold_any_characters() {
    for key in ["guests[name='a-b c'].kind", "guests['a-b c'=name].kind", "guests[ name = \"a-b c\" ].kind"] {
        check(&guests(), &rows(), key, &[json!([]), json!(["B"]), json!([])]);
    }
    check(&guests(), &rows(), "guests[name='größe'].kind", &[json!([]), json!([]), json!(["B"])]);
    check(&guests(), &rows(), "guests[name=''].kind", &[json!([]), json!([]), json!([])]);
}

#[test]
fn fields_of_each_kind_of_text_compare_with_each_other() {
    // Texts, bytes, the symbol of an enum and the bytes of a fixed.
    for test in ["name=kind", "kind=name", "raw=kind", "name=code", "raw=code"] {
        let expected = [json!([]), json!(["A"]), json!(["B"])];
        check(&guests(), &rows(), &format!("guests[{test}].raw"), &expected);
    }
    check(&guests(), &rows(), "guests[name!=kind].kind", &[json!([]), json!(["A", "B"]), json!(["B"])]);
}

#[test]
fn the_root_of_the_same_record_is_compared() {
    for key in ["guests[name=@host].kind", "guests[@host=name].kind", "guests[@.host = name].kind"] {
        check(&guests(), &rows(), key, &[json!([]), json!(["A"]), json!(["B"])]);
    }
    check(&guests(), &rows(), "guests[@host='A'].raw", &[json!([]), json!(["A", "B", "a-b c"]), json!([])]);
}

#[test]
fn several_filters_and_wildcards_in_one_key() {
    let array = |items: Value| json!({"type": "array", "items": items});
    let inner = json!({"type": "record", "name": "in", "fields": [
        {"name": "k", "type": "string"}, {"name": "v", "type": array(json!("int"))}]});
    let outer = json!({"type": "record", "name": "out", "fields": [
        {"name": "k", "type": "string"}, {"name": "ins", "type": array(inner)}]});
    let schema = record(json!([{"name": "outs", "type": array(outer)}]));
    let inner = |k: &str, v: &[i32]| json!({"k": k, "v": v});
    let rows = [
        json!({"outs": []}),
        json!({"outs": [
            {"k": "a", "ins": [inner("x", &[1, 2]), inner("y", &[3])]},
            {"k": "b", "ins": [inner("x", &[4])]},
            {"k": "a", "ins": [inner("z", &[5])]}]}),
    ];
    check(&schema, &rows, "outs[k='a'].ins[k='x'].v[*]", &[json!([]), json!([[[1, 2]], []])]);
    check(&schema, &rows, "outs[*].ins[k!='x'].v[0]", &[json!([]), json!([[3], [], [5]])]);
    check(&schema, &rows, "outs[k='a'].ins[*].k", &[json!([]), json!([["x", "y"], ["z"]])]);
    check(&schema, &rows, "outs[k='b'].ins[0].v[-1]", &[json!([]), json!([4])]);
}

#[test]
fn roots_may_be_arrays_maps_and_primitives() {
    let root = |schema: &str, datum: Value, key: &str| {
        let schema = AvroSchema::parse(schema).unwrap();
        render::column(&schema, &[person::encode(&schema, &datum)], key).remove(0)
    };
    let longs = r#"{"type": "array", "items": "long"}"#;
    assert_eq!(root(longs, json!([5, 6]), "[*]"), json!([5, 6]));
    assert_eq!(root(longs, json!([5, 6]), "[-1]"), json!(6));
    assert_eq!(root(longs, json!([5, 6]), "@[0]"), json!(5));
    let map = r#"{"type": "map", "values": "long"}"#;
    assert_eq!(root(map, json!({"a": 5}), "['a']"), json!(5));
    assert_eq!(root(map, json!({"a": 5}), "[*]"), json!([5]));
    assert_eq!(root("\"double\"", json!(0.5), "@"), json!(0.5));
}

#[test]
fn a_branch_is_named_and_not_guessed_from_what_is_asked_for() {
    let schema = record(json!([{"name": "x", "type": ["null", "int", "string"]}]));
    let rows = [json!({"x": 1}), json!({"x": "s"}), json!({})];
    check(&schema, &rows, "x:int", &[json!(1), Value::Null, Value::Null]);
    check(&schema, &rows, "x:string", &[Value::Null, json!("s"), Value::Null]);
    let text = "the values are of different types: a union of null, int and string; \
                name a branch before going on: :int, :string";
    assert_eq!(refused(&schema, "x"), text);
}

#[test]
fn namespaces_name_types_and_fields_have_none() {
    let branch = |space: &str| json!({"type": "record", "name": "t", "namespace": space, "fields": [{"name": "v", "type": "int"}]});
    let schema = record(json!([{"name": "x", "type": [branch("a.b"), branch("c")]}]));
    check(&schema, &[json!({"x": {"v": 1}})], "x:'a.b.t'.v", &[json!(1)]);
    check(&schema, &[json!({"x": {"v": 1}})], "x:'c.t'.v", &[Value::Null]);
    let error = refused(&schema, "x:t.v");
    assert!(error.contains("a.b.t") && error.contains("c.t"), "{error}");
}

#[test]
fn a_filter_adds_one_dimension_which_may_be_empty() {
    check(&guests(), &rows(), "guests[name='nobody'].kind", &[json!([]), json!([]), json!([])]);
    check(
        &guests(),
        &rows(),
        "guests[kind='B'].tags[*]",
        &[json!([]), json!([["a-b c", "B"]]), json!([["gr\u{c3}\u{b6}\u{c3}\u{9f}e", "B"], ["B", "B"]])],
    );
}

#[test]
fn a_null_in_a_filter_equals_only_null() {
    check(&guests(), &rows(), "guests[opt='x'].kind", &[json!([]), json!([]), json!([])]);
    check(
        &guests(),
        &rows(),
        "guests[opt=null].kind",
        &[json!([]), json!(["A", "A", "B"]), json!(["B", "B"])],
    );
    check(
        &guests(),
        &rows(),
        "guests[opt!='x'].kind",
        &[json!([]), json!(["A", "A", "B"]), json!(["B", "B"])],
    );
}

#[test]
fn a_right_side_without_quotes_is_a_field() {
    check(
        &guests(),
        &rows(),
        "guests[name=raw].kind",
        &[json!([]), json!(["A", "A", "B"]), json!(["B", "B"])],
    );
    assert!(
        refused(&guests(), "guests[name=unknown].kind").starts_with("no field \"unknown\" in record guest")
    );
}

#[test]
fn a_test_has_two_sides() {
    for key in ["guests[name=raw=kind].raw", "guests[name=].raw", "guests[='A'].raw", "guests[name].raw"] {
        let error = Key::parse(key).unwrap_err();
        assert!(error.position().key_column.is_some_and(|column| column > 7), "{error}");
    }
}

#[test]
fn a_key_may_be_the_beginning_of_another_and_stand_twice() {
    let data = rows().map(|row| person::encode(&guests(), &row));
    let keys = ["guests[*].tags[*]", "guests[*].tags[0]", "guests[*].name", "guests[0].name"];
    let together = render::columns(&guests(), &data, &keys);
    for (key, column) in keys.iter().zip(together) {
        assert_eq!(column, render::column(&guests(), &data, key), "{key}");
    }
    let key = Key::parse("guests[*].name").unwrap();
    let named = [("a", &key), ("b", &key)];
    let program = KeyProgram::builder(&guests(), named).build().unwrap();
    assert_eq!(program.arrow_schema().fields().len(), 2);
}
