//! Names that Avro does not allow.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, StructArray};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use avro_path::encode::{EncodeOptions, EncodePlan};
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroSchema, ErrorKind};
use serde_json::{Value, json};

use crate::encode::test_data::{batch, container, decoded, derived, rows};

fn numbers() -> ArrayRef {
    Arc::new(Int32Array::from(vec![1]))
}

#[test]
fn names_are_made_valid_and_kept_in_a_property() {
    let batch = batch([
        ("home address", numbers()),
        ("home_address", numbers()),
        ("größe", numbers()),
        ("1st", numbers()),
        ("", numbers()),
        ("a\"b\\", numbers()),
    ]);
    let field = |name: &str, arrow: &str| json!({"name": name, "arrow.name": arrow, "type": "int"});
    assert_eq!(
        derived(&batch)["fields"],
        json!([
            field("home_address_2", "home address"),
            {"name": "home_address", "type": "int"},
            field("gr__e", "größe"),
            field("_1st", "1st"),
            field("_", ""),
            field("a_b_", "a\"b\\"),
        ])
    );
    let expected = json!({"home_address_2": 1, "home_address": 1, "gr__e": 1, "_1st": 1, "_": 1, "a_b_": 1});
    assert_eq!(rows(&batch), [expected]);
}

#[test]
fn columns_come_back_with_their_names() {
    let inner = |name: &str| -> ArrayRef {
        Arc::new(StructArray::from(vec![(Arc::new(Field::new(name, DataType::Int32, false)), numbers())]))
    };
    let batch = batch([
        ("user id", numbers()),
        ("user_id", numbers()),
        ("##SEQUENCE##.a/b", numbers()),
        ("", numbers()),
        ("ünïcödé", inner("in side")),
    ]);
    let plan = EncodePlan::builder(&batch.schema()).build().unwrap();
    let file = container(&plan, &batch).unwrap();
    let found = decoded(&file);
    let names = |schema: &ArrowSchema| {
        schema.flattened_fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&found.schema()), names(&batch.schema()));
    // The schema that was written writes the same columns again.
    let again = EncodePlan::builder(&batch.schema())
        .options(EncodeOptions::default().schema(plan.avro_schema().clone()))
        .build();
    assert_eq!(decoded(&container(&again.unwrap(), &batch).unwrap()), found);
    // Whoever asks for them has the names that are in the file.
    let options = RecordOptions::default().layout(Layout::Plain).arrow_names(false);
    let plain =
        RecordPlan::builder(plan.avro_schema()).options(options.clone()).build().unwrap().arrow_schema();
    let plain = plain.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    assert_eq!(plain, ["user_id_2", "user_id", "__SEQUENCE___a_b", "_", "_n_c_d_"]);
    // Others read the file by these names.
    let mut reader = apache_avro::Reader::new(&file[..]).unwrap();
    let apache_avro::types::Value::Record(first) = reader.next().unwrap().unwrap() else {
        panic!("a record")
    };
    assert_eq!(first.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), plain);
}

#[test]
fn a_property_that_names_two_columns_the_same_names_none() {
    let field = |name: &str, arrow: Value| json!({"name": name, "arrow.name": arrow, "type": "int"});
    for (fields, expected) in [
        ([field("a", json!("x")), field("b", json!("x"))], ["a", "b"]),
        ([field("a", json!("b")), json!({"name": "b", "type": "int"})], ["a", "b"]),
        ([field("a", json!("b")), field("b", json!("a"))], ["b", "a"]),
        ([field("a", json!(7)), field("b", json!("y"))], ["a", "y"]),
    ] {
        let schema = json!({"type": "record", "name": "r", "fields": fields}).to_string();
        let plan = RecordPlan::builder(&AvroSchema::parse(&schema).unwrap())
            .options(RecordOptions::default().layout(Layout::Structured))
            .build()
            .unwrap();
        let names = plan.arrow_schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        assert_eq!(names, expected);
    }
}

#[test]
fn columns_of_one_name_become_two_fields() {
    let batch = batch([("x", numbers()), ("x", Arc::new(Int32Array::from(vec![2])))]);
    assert_eq!(rows(&batch), [json!({"x": 1, "x_2": 2})]);
}

#[test]
fn records_have_different_names_wherever_they_are() {
    let inner = |name: &str, below: ArrayRef| -> ArrayRef {
        let field = Arc::new(Field::new(name, below.data_type().clone(), false));
        Arc::new(StructArray::from(vec![(field, below)]))
    };
    // `row_a_b` from the column `a` and its field `b`, and from the column `a_b`.
    let batch = batch([("a", inner("b", inner("c", numbers()))), ("a_b", inner("c", numbers()))]);
    let schema = derived(&batch);
    assert_eq!(schema["fields"][0]["type"]["fields"][0]["type"]["name"], "row_a_b");
    assert_eq!(schema["fields"][1]["type"]["name"], "row_a_b_2");
    assert_eq!(rows(&batch), [json!({"a": {"b": {"c": 1}}, "a_b": {"c": 1}})]);
}

#[test]
fn the_record_has_the_name_of_the_options() {
    let schema = ArrowSchema::new(vec![Field::new("x", DataType::Int32, false)]);
    let options = EncodeOptions::default().name("person").namespace("com.test");
    let plan = EncodePlan::builder(&schema).options(options.clone()).build().unwrap();
    assert_eq!(plan.avro_schema().describe(plan.avro_schema().root()), "record com.test.person");
    let json: Value = serde_json::from_str(plan.avro_schema().text()).unwrap();
    assert_eq!((&json["name"], &json["namespace"]), (&json!("person"), &json!("com.test")));

    for (options, text) in [
        (EncodeOptions::default().name("a b"), "the name \"a b\""),
        (EncodeOptions::default().name("int"), "the name \"int\""),
        (EncodeOptions::default().name(""), "the name \"\""),
        (EncodeOptions::default().namespace("a..b"), "the namespace \"a..b\""),
    ] {
        let error = EncodePlan::builder(&schema).options(options.clone()).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let rest = "is not valid in Avro; use letters of ASCII, digits and _, no digit first";
        assert_eq!(error.to_string(), format!("{text} {rest}"));
    }
}
