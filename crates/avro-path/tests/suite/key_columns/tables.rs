//! The rows of the tables of the design document, each a test, on the records of `docs/key-expressions.md`.

use avro_path::{AvroSchema, Key};
use serde_json::{Value, json};

use crate::key_columns::{person, render};

#[track_caller]
fn check(key: &str, ada: Value, max: Value) {
    let got = render::column(&person::schema(), &person::data(), key);
    assert_eq!(got, [ada, max], "{key}");
}

#[track_caller]
fn check_type(ty: &str, value: Value) {
    let text = format!(r#"{{"type": "record", "name": "r", "fields": [{{"name": "x", "type": {ty}}}]}}"#);
    let schema = AvroSchema::parse(&text).unwrap();
    let datum = person::encode(&schema, &json!({"x": value}));
    assert_eq!(render::column(&schema, &[datum], "x"), [value]);
}

// Table 1: types. The render of a column names its Arrow type by failing for any other.

#[test]
fn t1_null() {
    check_type(r#""null""#, Value::Null);
}

#[test]
fn t1_boolean() {
    check_type(r#""boolean""#, json!(true));
}

#[test]
fn t1_int() {
    check_type(r#""int""#, json!(i32::MIN));
}

#[test]
fn t1_long() {
    check_type(r#""long""#, json!(i64::MAX));
}

#[test]
fn t1_float() {
    check_type(r#""float""#, json!(0.25));
}

#[test]
fn t1_double() {
    check_type(r#""double""#, json!(0.1));
}

#[test]
fn t1_fixed() {
    check_type(r#"{"type": "fixed", "name": "f", "size": 3}"#, json!("abc"));
}

#[test]
fn t1_bytes() {
    check_type(r#""bytes""#, json!("abc"));
}

#[test]
fn t1_string() {
    check_type(r#""string""#, json!("abc"));
}

#[test]
fn t1_enum() {
    check_type(r#"{"type": "enum", "name": "e", "symbols": ["A", "B"]}"#, json!("B"));
}

// Table 2: key expressions.

#[test]
fn t2_name_first() {
    check("name.first", json!("Ada"), json!("Max"));
}

#[test]
fn t2_friends_2_name_first() {
    check("friends[2].name.first", json!("Eve"), Value::Null);
}

#[test]
fn t2_index_one_beyond_the_last() {
    check("friends[3].name.first", Value::Null, Value::Null);
}

#[test]
fn t2_friends_all_name_first() {
    check("friends[*].name.first", json!(["Ada", "Bo", "Eve"]), json!([]));
}

#[test]
fn t2_friends_all_address_all_street() {
    check("friends[*].address[*].street", json!([["1 A", "2 A"], [], ["3 E"]]), json!([]));
}

#[test]
fn t2_friends_all_jobs_all_coworkers_all_name_first() {
    let names = json!([[["Cy", "Di"], []], [], [["Flo"]]]);
    check("friends[*].jobs[*].coworkers[*].name.first", names, json!([]));
}

#[test]
fn t2_cars_nickname_color() {
    check("cars['nickname'].color", json!("blue"), Value::Null);
}

#[test]
fn t2_friends_with_a_constant() {
    check("friends[gender='unknown'].name.first", json!(["Ada", "Eve"]), json!([]));
}

#[test]
fn t2_friends_with_two_fields() {
    check("friends[name.first=name.last].name.initial", json!(["C"]), json!([]));
}

#[test]
fn t2_friends_with_the_root() {
    check("friends[name.first=@name.first].name.initial", json!(["B"]), json!([]));
}

#[test]
fn t2_two_filters_in_one_key() {
    check("friends[gender='unknown'].address[zip=3].street", json!([[], ["3 E"]]), json!([]));
}

#[test]
fn t2_map_wildcard_negative_index_and_root() {
    check("cars[*].color", json!(["blue", "green"]), json!([]));
    check("friends[-3].name.last", json!("Byron"), Value::Null);
    check("friends[-4].name.last", Value::Null, Value::Null);
    check("@friends[0].name.last", json!("Byron"), Value::Null);
}

#[test]
fn t2_union_branch() {
    check("contact:string", json!("ada@example.org"), Value::Null);
    check("contact:phone.number", Value::Null, json!("555"));
}

#[test]
fn t2_a_key_that_is_the_beginning_of_another() {
    let keys = ["friends[*].name.first", "friends[*].name.last", "friends[0].name.first", "name.first"];
    let got = render::columns(&person::schema(), &person::data(), &keys);
    let ada = got.iter().map(|column| column[0].clone()).collect::<Vec<_>>();
    assert_eq!(
        ada,
        [json!(["Ada", "Bo", "Eve"]), json!(["Byron", "Bo", "Hall"]), json!("Ada"), json!("Ada")]
    );
}

// Table 3: the columns behind the features; what tensors they make is the business of `tensor-repr`.

#[test]
fn t3_engine_by_id_and_power() {
    let below =
        |key: &str| Key::parse("car.engine").unwrap().join(&Key::parse(key).unwrap()).unwrap().to_string();
    check(&below("id"), json!(3), Value::Null);
    check(&below("power"), json!(1.5), Value::Null);
    check(&below("cylinders"), json!(4), Value::Null);
    check(&below("sparkplugs"), json!(8), Value::Null);
    check(&below("@car.serial"), json!(7), Value::Null);
}

#[test]
fn t3_all_cars_from_the_root() {
    check("@cars[*].engine.cylinders", json!([6, 8]), json!([]));
    check("@cars[*].engine.id", json!([5, 6]), json!([]));
    check("@cars[*].engine.power", json!([2.5, 0.5]), json!([]));
}

#[test]
fn t3_engines_of_the_cars_of_friends() {
    check("friends[*].cars[*].engine.power", json!([[], [], []]), json!([]));
}
