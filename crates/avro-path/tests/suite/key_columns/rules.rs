//! The rules of the language, one by one, on schemas made for them.

use arrow_schema::{DataType, Field};
use avro_path::datum::write;
use avro_path::program::KeyOptions;
use avro_path::{AvroSchema, Key, KeyProgram};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::key_columns::{person, render};

fn record(fields: &[(&str, Value)]) -> AvroSchema {
    let fields = fields.iter().map(|(name, ty)| json!({"name": name, "type": ty})).collect::<Vec<_>>();
    AvroSchema::parse(&json!({"type": "record", "name": "r", "fields": fields}).to_string()).unwrap()
}

#[track_caller]
fn check(schema: &AvroSchema, data: &[Value], key: &str, expected: &[Value]) {
    let data = data.iter().map(|datum| person::encode(schema, datum)).collect::<Vec<_>>();
    assert_eq!(render::column(schema, &data, key), expected, "{key}");
}

fn array(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

#[test]
fn a_null_array_is_null_and_an_empty_one_is_empty() {
    let schema = record(&[("x", json!(["null", array(json!(["null", array(json!(["null", "int"]))]))]))]);
    let data = [json!({"x": null}), json!({"x": []}), json!({"x": [null, [], [null, 5]]})];
    check(&schema, &data, "x[*][*]", &[json!(null), json!([]), json!([null, [], [null, 5]])]);
    check(&schema, &data, "x[2][*]", &[json!(null), json!(null), json!([null, 5])]);
    check(&schema, &data, "x[*][1]", &[json!(null), json!([]), json!([null, null, 5])]);
}

#[test]
fn the_branch_of_a_union_counts_and_another_is_missing() {
    let record_type = json!({"type": "record", "name": "in", "namespace": "a.b", "fields": [{"name": "v", "type": "long"}]});
    let schema = record(&[("x", array(json!(["null", "int", "string", record_type, array(json!("int"))])))]);
    let data = [json!({"x": [1, "s", {"v": 7}, [5, 6], null]})];
    check(&schema, &data, "x[*]:int", &[json!([1, null, null, null, null])]);
    check(&schema, &data, "x[*]:string", &[json!([null, "s", null, null, null])]);
    check(&schema, &data, "x[*]:in.v", &[json!([null, null, 7, null, null])]);
    check(&schema, &data, "x[*]:'a.b.in'.v", &[json!([null, null, 7, null, null])]);
    check(&schema, &data, "x[*]:array[-1]", &[json!([null, null, null, 6, null])]);
    check(&schema, &data, "x[*]:array[*]", &[json!([null, null, null, [5, 6], null])]);
    check(&schema, &data, "x[*]:null", &[json!([null, null, null, null, null])]);
    let data = data.map(|datum| person::encode(&schema, &datum));
    let keys = ["x[*]:int", "x[*]:string", "x[*]:array[0]"];
    let together = render::columns(&schema, &data, &keys);
    assert_eq!(together[2], [json!([null, null, null, 5, null])]);
}

#[test]
fn a_union_whose_branches_give_one_type_needs_no_branch() {
    let symbols = json!({"type": "enum", "name": "e", "symbols": ["A", "B"]});
    let schema = record(&[("x", json!(["null", symbols, "string", "bytes"]))]);
    let data = [json!({"x": "B"}), json!({"x": null}), json!({"x": "text"})];
    check(&schema, &data, "x", &[json!("B"), json!(null), json!("text")]);
    check(&schema, &data, "x:e", &[json!("B"), json!(null), json!(null)]);
}

#[test]
fn a_union_of_null_alone_is_null_at_every_nesting() {
    let nothing = json!(["null"]);
    let item = json!({"type": "record", "name": "item", "fields": [
        {"name": "k", "type": "int"}, {"name": "n", "type": nothing}]});
    let schema = record(&[
        ("x", nothing.clone()),
        ("a", array(nothing.clone())),
        ("aa", array(array(nothing.clone()))),
        ("m", json!({"type": "map", "values": nothing})),
        ("o", json!(["null", array(nothing.clone())])),
        ("r", array(item)),
    ]);
    let items = json!([{"k": 1}, {"k": 2}]);
    let data = [
        json!({"a": [null, null], "aa": [[null], []], "m": {"k": null}, "o": [null], "r": items}),
        json!({"a": [], "aa": [], "m": {}, "o": null, "r": []}),
    ];
    let missing = [Value::Null, Value::Null];
    for (key, expected) in [
        ("x", missing.clone()),
        ("x:null", missing.clone()),
        ("a[*]", [json!([null, null]), json!([])]),
        ("a[0]", missing.clone()),
        ("a[-1]", missing.clone()),
        ("aa[*][*]", [json!([[null], []]), json!([])]),
        ("aa[*][0]", [json!([null, null]), json!([])]),
        ("m[*]", [json!([null]), json!([])]),
        ("m['k']", missing.clone()),
        ("o[*]", [json!([null]), Value::Null]),
        ("r[*].n", [json!([null, null]), json!([])]),
        ("r[k=2].n", [json!([null]), json!([])]),
        ("r[n=null].k", [json!([1, 2]), json!([])]),
        ("r[@x=null].k", [json!([1, 2]), json!([])]),
    ] {
        check(&schema, &data, key, &expected);
    }
    let keys = ["x", "a[*]", "aa[*][*]", "m[*]", "o[*]", "r[*].n", "r[*].k"];
    let data = data.map(|datum| person::encode(&schema, &datum));
    let together = render::columns(&schema, &data, &keys);
    assert_eq!(together[5], [json!([null, null]), json!([])]);
    assert_eq!(together[6], [json!([1, 2]), json!([])]);
}

#[test]
fn a_branch_can_be_named_where_there_is_only_one() {
    let schema = record(&[("x", json!(["null", "int"])), ("y", json!("int"))]);
    let data = [json!({"x": null, "y": 1}), json!({"x": 2, "y": 3})];
    check(&schema, &data, "x:int", &[json!(null), json!(2)]);
    check(&schema, &data, "y:int", &[json!(1), json!(3)]);
}

#[test]
fn filters_compare_values_of_each_type() {
    let symbols = json!({"type": "enum", "name": "e", "symbols": ["A", "B"]});
    let fixed = json!({"type": "fixed", "name": "f", "size": 1});
    let fields = [
        ("n", json!("string")),
        ("b", json!("boolean")),
        ("i", json!("int")),
        ("l", json!("long")),
        ("f", json!("float")),
        ("d", json!("double")),
        ("e", symbols),
        ("x", fixed),
        ("y", json!("bytes")),
    ];
    let fields = fields.map(|(name, ty)| json!({"name": name, "type": ty}));
    let item = json!({"type": "record", "name": "item", "fields": fields});
    let schema = record(&[("a", array(item))]);
    let items = json!([
        {"n": "1", "b": true, "i": 1, "l": 1, "f": 0.1, "d": 0.1, "e": "A", "x": "A", "y": "A"},
        {"n": "2", "b": false, "i": -5, "l": 9_007_199_254_740_993_i64, "f": 2.0, "d": 2.0, "e": "B", "x": "A", "y": "2"}
    ]);
    for (test, names) in [
        ("b=true", json!(["1"])),
        ("b!=true", json!(["2"])),
        ("i=-5", json!(["2"])),
        ("i=l", json!(["1"])),
        ("l=9007199254740993", json!(["2"])),
        ("l=9007199254740992", json!([])),
        ("f=0.1", json!(["1"])),
        ("d=0.1", json!(["1"])),
        ("f=d", json!(["2"])),
        ("d=2e0", json!(["2"])),
        ("e='A'", json!(["1"])),
        ("e=x", json!(["1"])),
        ("e!=x", json!(["2"])),
        ("x='A'", json!(["1", "2"])),
        ("y=n", json!(["2"])),
        ("n=''", json!([])),
        ("n!=''&b=false", json!(["2"])),
    ] {
        check(&schema, &[json!({"a": items})], &format!("a[{test}].n"), &[names]);
    }
}

#[test]
fn only_the_constant_null_equals_what_is_missing() {
    let item = json!({"type": "record", "name": "item", "fields": [
        {"name": "n", "type": "int"},
        {"name": "p", "type": ["null", "string"]},
        {"name": "q", "type": ["null", "string"]},
        {"name": "m", "type": {"type": "map", "values": "string"}},
        {"name": "l", "type": array(json!("string"))},
    ]});
    let schema = record(&[("a", array(item))]);
    let items = json!([
        {"n": 0}, {"n": 1, "p": "x"}, {"n": 2, "p": "x", "q": "x", "m": {"k": "x"}, "l": ["x"]}, {"n": 3, "q": "y"}
    ]);
    for (test, numbers) in [
        ("p=null", json!([0, 3])),
        ("null!=p", json!([1, 2])),
        ("p=q", json!([2])),
        ("p!=q", json!([0, 1, 3])),
        ("p='x'", json!([1, 2])),
        ("p!='x'", json!([0, 3])),
        ("m['k']=null", json!([0, 1, 3])),
        ("m['k']='x'", json!([2])),
        ("l[0]=p", json!([2])),
        ("l[-1]=null", json!([0, 1, 3])),
        ("l[1]=null", json!([0, 1, 2, 3])),
    ] {
        check(&schema, &[json!({"a": items})], &format!("a[{test}].n"), &[numbers]);
    }
}

#[test]
fn what_is_compared_says_which_branch_of_a_union_is_meant() {
    let u = json!(["null", "int", "long", "string", "bytes", "boolean"]);
    let car = json!({"type": "record", "name": "car", "fields": [{"name": "wheels", "type": "int"}]});
    let item = json!({"type": "record", "name": "item", "fields": [
        {"name": "k", "type": "int"}, {"name": "u", "type": u}, {"name": "s", "type": "string"},
        {"name": "car", "type": ["null", car]},
        {"name": "f", "type": ["float", "double"]}]});
    let schema = record(&[("a", array(item)), ("top", json!(["long", "string"]))]);
    let item = |k: i32, u: Value, s: &str| json!({"k": k, "u": u, "s": s, "f": 0.5});
    let mut with_car = item(4, Value::Null, "d");
    with_car["car"] = json!({"wheels": 4});
    let items = [
        item(1, json!(7), "x"),
        item(2, json!(5_000_000_000_i64), "b"),
        item(3, json!("x"), "x"),
        with_car,
        item(5, json!(true), "e"),
    ];
    let data = [json!({"a": items, "top": "x"})];
    for (key, expected) in [
        ("a[u=7].k", json!([1])),
        ("a[u=5000000000].k", json!([2])),
        ("a[u='x'].k", json!([3])),
        ("a[u!='x'].k", json!([1, 2, 4, 5])),
        ("a[u=true].k", json!([5])),
        ("a[u:string='x'].k", json!([3])),
        ("a[u:int=7].k", json!([1])),
        ("a[u:int=k].k", json!([])),
        ("a[u=s].k", json!([3])),
        ("a[s=u].k", json!([3])),
        ("a[u=null].k", json!([4])),
        ("a[u!=null].k", json!([1, 2, 3, 5])),
        ("a[u:string=null].k", json!([1, 2, 4, 5])),
        ("a[car=null].k", json!([1, 2, 3, 5])),
        ("a[car!=null].k", json!([4])),
        ("a[car.wheels=4].k", json!([4])),
        ("a[f:float=0.5].k", json!([1, 2, 3, 4, 5])),
        ("a[f!=null].k", json!([1, 2, 3, 4, 5])),
        ("a[@top='x' & k=1].k", json!([1])),
        ("a[@top=5].k", json!([])),
        ("a[@top:string=s].k", json!([1, 3])),
        ("a[@top!=null & u=7].k", json!([1])),
    ] {
        check(&schema, &data, key, std::slice::from_ref(&expected));
    }
    for key in ["a[f=0.5].k", "a[u=f].k", "a[u=@top].k"] {
        let error = KeyProgram::new(&schema, &[Key::parse(key).unwrap()]).unwrap_err();
        assert!(error.to_string().contains("name a branch before going on"), "{error}");
    }
}

#[test]
fn what_is_tested_may_come_after_what_is_asked_for() {
    let item = json!({"type": "record", "name": "item", "fields": [
        {"name": "values", "type": array(json!("int"))}, {"name": "kind", "type": "string"}]});
    let schema = record(&[("a", array(item)), ("rest", json!("double")), ("wanted", json!("string"))]);
    let items = json!([
        {"values": [1, 2], "kind": "x"}, {"values": [3], "kind": "y"}, {"values": [], "kind": "x"}
    ]);
    let data = [json!({"a": items, "wanted": "x"}), json!({"a": items, "wanted": "y"}), json!({"a": items})];
    let expected = [json!([[1, 2], []]), json!([[3]]), json!([])];
    check(&schema, &data, "a[kind=@wanted].values[*]", &expected);
    check(&schema, &data, "a[@wanted='x'].values[*]", &[json!([[1, 2], [3], []]), json!([]), json!([])]);
}

#[test]
fn roots_that_are_no_records() {
    let check_root = |schema: &str, data: Value, key: &str, expected: Value| {
        let schema = AvroSchema::parse(schema).unwrap();
        check(&schema, &[data], key, &[expected]);
    };
    check_root(r#""long""#, json!(5), "@", json!(5));
    check_root(r#"["null", "string"]"#, json!("a"), "@", json!("a"));
    check_root(r#"{"type": "array", "items": "int"}"#, json!([4, 5]), "[*]", json!([4, 5]));
    check_root(r#"{"type": "array", "items": "int"}"#, json!([4, 5]), "@[-1]", json!(5));
    check_root(r#"{"type": "map", "values": "int"}"#, json!({"a": 4}), "['a']", json!(4));
    let records = r#"{"type": "array", "items": {"type": "record", "name": "r", "fields": [
        {"name": "x", "type": "int"}, {"name": "y", "type": "int"}]}}"#;
    check_root(records, json!([{"x": 1, "y": 2}, {"x": 3, "y": 3}]), "[x=y].x", json!([3]));
}

#[test]
fn recursive_types_are_followed_as_deep_as_the_key_goes() {
    let text = r#"{"type": "record", "name": "node", "fields": [
        {"name": "v", "type": "int"}, {"name": "next", "type": ["null", "node"]}]}"#;
    let schema = AvroSchema::parse(text).unwrap();
    let data = [json!({"v": 1, "next": {"v": 2, "next": {"v": 3}}}), json!({"v": 4})];
    check(&schema, &data, "next.next.v", &[json!(3), json!(null)]);
    check(&schema, &data, "next.next.next.v", &[json!(null), json!(null)]);
}

#[test]
fn names_with_any_characters_and_keywords() {
    let schema = record(&[("home address", json!("int")), ("true", json!("int")), ("größe", json!("int"))]);
    let data = [json!({"home address": 1, "true": 2, "größe": 3})];
    check(&schema, &data, "'home address'", &[json!(1)]);
    check(&schema, &data, "true", &[json!(2)]);
    check(&schema, &data, "größe", &[json!(3)]);
}

#[test]
fn maps_of_any_blocks_and_with_repeated_keys() {
    let schema = record(&[("m", json!({"type": "map", "values": "int"})), ("after", json!("int"))]);
    let mut datum = Vec::new();
    for (entries, sized) in [(&[("a", 1), ("b", 2)][..], true), (&[("a", 3)], false), (&[("a", 4)], true)] {
        let mut block = Vec::new();
        for (key, value) in entries {
            write::string(&mut block, key);
            write::long(&mut block, *value);
        }
        let count = entries.len() as i64;
        write::long(&mut datum, if sized { -count } else { count });
        if sized {
            write::long(&mut datum, block.len() as i64);
        }
        datum.extend(block);
    }
    write::long(&mut datum, 0);
    write::long(&mut datum, 9);
    let keys = ["m['a']", "m['b']", "m[*]", "m['c']", "after"];
    let got = render::columns(&schema, &[datum.clone(), datum], &keys);
    let first = got.iter().map(|column| column[0].clone()).collect::<Vec<_>>();
    assert_eq!(first, [json!(1), json!(2), json!([1, 2, 3, 4]), json!(null), json!(9)]);
    assert!(got.iter().all(|column| column[0] == column[1]));
}

#[test]
fn columns_are_called_as_asked_and_have_the_types_of_the_options() {
    let schema = record(&[("a", array(json!("string"))), ("b", json!("float"))]);
    let keys = [Key::parse("a[ * ]").unwrap(), Key::parse("b").unwrap()];
    let program = KeyProgram::new(&schema, &keys).unwrap();
    let item = |ty| Arc::new(Field::new_list_field(ty, true));
    let fields = program.arrow_schema().fields().clone();
    assert_eq!(*fields[0], Field::new("a[ * ]", DataType::LargeList(item(DataType::LargeUtf8)), true));
    assert_eq!(*fields[1], Field::new("b", DataType::Float32, true));
    let options = KeyOptions::stored().large_offsets(false);
    let program = KeyProgram::builder(&schema, [("words", &keys[0])]).options(options).build().unwrap();
    let expected = Field::new("words", DataType::List(item(DataType::Binary)), true);
    assert_eq!(*program.arrow_schema().fields()[0], expected);
    let error = KeyProgram::builder(&schema, [("x", &keys[0]), ("x", &keys[1])]).build().unwrap_err();
    assert_eq!(error.to_string(), "two columns are called \"x\"; give each key another name");
}

#[test]
fn without_keys_there_are_rows_without_columns() {
    let schema = record(&[("a", json!("string"))]);
    let mut decoder = KeyProgram::new(&schema, &[]).unwrap().decoder();
    let datum = person::encode(&schema, &json!({"a": "x"}));
    decoder.push(&datum, tfxio_core::Origin::record(0)).unwrap();
    let batch = decoder.flush().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (1, 0));
}
