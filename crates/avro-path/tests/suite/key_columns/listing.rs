//! All keys of a schema: each is one, and its column has the listed type.

use avro_path::key::list;
use avro_path::program::KeyOptions;
use avro_path::{AvroSchema, Key, KeyProgram};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::key_columns::data::schema;
use crate::key_columns::oracle::{choices, random_case};
use crate::key_columns::person;

/// Compiles each key by itself.
fn check(schema: &AvroSchema, depth: Option<usize>) -> usize {
    let found = list(schema, depth, KeyOptions::stored());
    assert!(!found.is_cut);
    let expected = list(schema, depth, KeyOptions::default());
    assert_eq!(expected.keys.len(), found.keys.len());
    let stored = found.keys.iter().map(|key| (key, KeyOptions::stored()));
    for (listed, options) in stored.chain(expected.keys.iter().map(|key| (key, KeyOptions::default()))) {
        let made = Key::parse(&listed.key)
            .and_then(|key| KeyProgram::builder(schema, [("x", &key)]).options(options).build());
        match (&listed.data_type, made) {
            (Some(ty), Ok(program)) => {
                assert_eq!(program.arrow_schema().field(0).data_type(), ty, "{}", listed.key);
            }
            (None, Err(_)) => {}
            (ty, made) => panic!("{} is {ty:?}: {made:?}", listed.key),
        }
    }
    found.keys.len()
}

#[test]
fn keys_of_a_person() {
    let schema = person::schema();
    let found = list(&schema, None, KeyOptions::stored());
    let keys = found.keys.iter().map(|key| key.key.as_str()).collect::<Vec<_>>();
    assert_eq!(
        keys,
        [
            "name.first",
            "name.initial",
            "name.last",
            "gender",
            "age",
            "address[*].street",
            "address[*].zip",
            "friends[*]",
            "jobs[*].coworkers[*]",
            "car.color",
            "car.serial",
            "car.engine.id",
            "car.engine.power",
            "car.engine.cylinders",
            "car.engine.sparkplugs",
            "cars[*]~",
            "cars[*].color",
            "cars[*].serial",
            "cars[*].engine.id",
            "cars[*].engine.power",
            "cars[*].engine.cylinders",
            "cars[*].engine.sparkplugs",
            "contact:string",
            "contact:'com.test.phone'.number",
        ]
    );
    assert_eq!(check(&schema, None), keys.len());
    assert_eq!(check(&schema, Some(1)), 11);
    assert!(check(&schema, Some(3)) > 60);
}

#[test]
fn names_and_roots_of_any_kind() {
    let text = json!({"type": "record", "name": "r", "fields": [
        {"name": "a b", "type": ["int", {"type": "fixed", "name": "x-y", "size": 2}]},
        {"name": "null", "type": ["null"]},
        {"name": "l", "type": {"type": "array", "items": {"type": "map", "values": ["string", "bytes"]}}}]});
    let schema = AvroSchema::parse(&text.to_string()).unwrap();
    let keys =
        list(&schema, None, KeyOptions::stored()).keys.into_iter().map(|key| key.key).collect::<Vec<_>>();
    assert_eq!(keys, ["'a b':int", "'a b':'x-y'", "null", "l[*][*]~", "l[*][*]"]);
    check(&schema, None);
    for (text, keys) in [
        (r#""int""#, vec!["@"]),
        (r#"{"type": "array", "items": "int"}"#, vec!["[*]"]),
        (r#"["null", {"type": "map", "values": "int"}]"#, vec!["[*]~", "[*]"]),
        (r#"["int", "string"]"#, vec!["@"]),
    ] {
        let schema = AvroSchema::parse(text).unwrap();
        let found =
            list(&schema, None, KeyOptions::stored()).keys.into_iter().map(|key| key.key).collect::<Vec<_>>();
        assert_eq!(found, keys);
        check(&schema, None);
    }
}

#[test]
fn a_listing_has_an_end() {
    // Each record names the one below twice.
    let mut item = json!({"type": "record", "name": "r0", "fields": []});
    for level in 1..40 {
        item = json!({"type": "record", "name": format!("r{level}"), "fields": [
            {"name": "a", "type": item}, {"name": "b", "type": format!("r{}", level - 1)}]});
    }
    let found = list(&AvroSchema::parse(&item.to_string()).unwrap(), None, KeyOptions::stored());
    assert!(found.is_cut && found.keys.is_empty());
    let person = person::schema();
    let found = list(&person, Some(1_000_000), KeyOptions::stored());
    assert!(found.is_cut && found.keys.len() <= 10_000);
    let chain = r#"{"type": "record", "name": "r", "fields": [
        {"name": "l", "type": {"type": "array", "items": {"type": "array", "items": "r"}}}, {"name": "v", "type": "int"}]}"#;
    let found = list(&AvroSchema::parse(chain).unwrap(), Some(usize::MAX), KeyOptions::stored());
    assert!(found.is_cut && found.keys.iter().all(|key| Key::parse(&key.key).is_ok()));
    let fields = (0..20_000).map(|at| json!({"name": format!("f{at}"), "type": "int"})).collect::<Vec<_>>();
    let wide = json!({"type": "record", "name": "r", "fields": fields}).to_string();
    let found = list(&AvroSchema::parse(&wide).unwrap(), None, KeyOptions::stored());
    assert!(found.is_cut && found.keys.len() == 10_000);
}

#[test]
fn keys_of_random_schemas() {
    let mut runner = TestRunner::deterministic();
    let mut keys = 0;
    for _ in 0..200 {
        let case = random_case(&choices().new_tree(&mut runner).unwrap().current());
        let schema = AvroSchema::parse(&schema(&case.root).to_string()).unwrap();
        keys += check(&schema, None);
    }
    assert!(keys > 1000, "{keys}");
}
