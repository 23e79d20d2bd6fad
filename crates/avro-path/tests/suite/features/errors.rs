//! Errors of keys, specs and data: each names what is meant.

use avro_path::AvroSchema;
use avro_path::key::KeyColumns;
use avro_path::program::KeyOptions;
use serde_json::json;

use crate::features::case::{list, of_l, refused, row, tensor};
use crate::features::person;

#[test]
fn an_error_in_data_names_key_record_and_counts() {
    let schema = list(1, json!("int"));
    let records = of_l(&[json!([1, 2, 3]), json!([1, 2, 3, 4])]);
    let spec = json!({"kind": "FixedLen", "key": "l[*]", "shape": [3], "dtype": "int32"});
    let error = tensor(&schema, &records, "three", &spec).unwrap_err();
    assert!(
        error.starts_with("tensor \"three\", column \"l[*]\", row 1: 4 values, the shape of a row holds 3"),
        "{error}"
    );
}

#[test]
fn a_key_that_does_not_fit_has_the_column_of_the_character() {
    refused(
        &person::schema(),
        &[],
        "friends[*].adress[*].street",
        json!({"kind": "VarLen", "dtype": "string"}),
        "key \"friends[*].adress[*].street\", column 12: no field \"adress\" in record com.test.person; did you mean \"address\"?",
    );
    // A relative key is shown as the whole one that it stands for.
    refused(
        &person::schema(),
        &[],
        "cars[*].engine",
        json!({"kind": "Sparse", "index_key": "idd", "value_key": "power", "dtype": "float32", "size": 10}),
        "key \"cars[*].engine.idd\", column 16: no field \"idd\" in record com.test.engine; did you mean \"id\"?",
    );
}

#[test]
fn a_record_or_an_array_is_no_value() {
    let spec = || json!({"kind": "VarLen", "dtype": "string"});
    let error = tensor(&person::schema(), &[], "friends[*].name", &spec()).unwrap_err();
    assert!(error.contains("the path ends at record com.test.fullname"), "{error}");
    let error = tensor(&list(1, json!("int")), &[], "l", &spec()).unwrap_err();
    assert!(
        error.contains(
            "the path ends at array of int; go on to one of its elements with [0] or to all with [*]"
        ),
        "{error}"
    );
}

#[test]
fn a_union_needs_a_branch_where_the_dtype_is_that_of_none() {
    let spec = json!({"kind": "FixedLen", "shape": [], "dtype": "int64", "default": 0});
    let error = tensor(&row(&[("x", json!(["int", "string"]))]), &[], "x", &spec).unwrap_err();
    assert_eq!(
        error,
        "key \"x\", column 1: no branch of a union of int and string has the dtype int64; \
         name a branch before going on: :int, :string"
    );
}

#[test]
fn a_request_without_keys_is_refused() {
    let schema = AvroSchema::parse("\"int\"").unwrap();
    let error = KeyColumns::new(&schema).program(KeyOptions::stored()).unwrap_err();
    assert_eq!(error.to_string(), "no key is asked for; name at least one");
}

#[test]
fn the_base_must_fit_where_it_is_needed() {
    let mut columns = KeyColumns::new(&person::schema());
    let error = columns.add(Some("carz"), &["id"]).unwrap_err();
    assert!(error.to_string().starts_with("key \"carz\", column 1: no field \"carz\""), "{error}");
    let error = columns.add(Some("cars["), &["id"]).unwrap_err();
    assert!(error.to_string().starts_with("key \"cars[\", column 6: "), "{error}");
    assert!(columns.keys().is_empty());
    assert_eq!(columns.add(Some("cars["), &["@name.first"]).unwrap(), [0]);
}
