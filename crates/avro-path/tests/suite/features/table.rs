//! The features of the design document's Table 3, row by row, over its person (`docs/key-expressions.md` has the schema).

use serde_json::{Value, json};

use crate::features::case::{check, tensor};
use crate::features::person;

fn friend(first: &str) -> Value {
    json!({"name": {"first": first}})
}

fn vehicle(serial: i64, id: i64, cylinders: i64, power: f64) -> Value {
    json!({"serial": serial, "engine": {"id": id, "power": power, "cylinders": cylinders, "sparkplugs": 2 * cylinders}})
}

/// Returns the records: Ada has two friends, with addresses, jobs and cars, and Max none.
fn people() -> Vec<Value> {
    let mut bo = friend("Bo");
    bo["address"] = json!([{"street": "1 A"}, {"street": "2 A"}]);
    bo["jobs"] = json!([{"coworkers": [friend("Cy"), friend("Di")]}, {"coworkers": [friend("Flo")]}]);
    bo["cars"] = json!({"first": vehicle(1, 7, 4, 1.5), "second": vehicle(2, 2, 6, 2.5)});
    let mut eve = friend("Eve");
    eve["cars"] = json!({"red": vehicle(3, 5, 8, 3.5)});
    let cars = json!({"nickname": vehicle(8, 5, 6, 2.5), "other": vehicle(9, 6, 8, 0.5)});
    let ada =
        json!({"name": {"first": "Ada"}, "friends": [bo, eve], "car": vehicle(7, 3, 4, 1.5), "cars": cars});
    vec![ada, json!({"name": {"first": "Max"}, "car": vehicle(11, 1, 2, 4.5)})]
}

#[track_caller]
fn row(key: &str, spec: Value, expected: &str) {
    check(&person::schema(), &people(), key, spec, expected);
}

fn sparse(index: Value, size: Value) -> Value {
    json!({"kind": "Sparse", "index_key": index, "value_key": "power", "dtype": "float32", "size": size})
}

const STREETS: &str = "friends[*].address[*].street";

#[test]
fn fixed_len_of_name_first() {
    row(
        "name.first",
        json!({"kind": "FixedLen", "shape": [], "dtype": "string"}),
        r#"dense [2] ["Ada","Max"]"#,
    );
}

#[test]
fn fixed_len_of_a_friend_by_index() {
    let spec = json!({"kind": "FixedLen", "shape": [], "dtype": "string", "default": "nobody"});
    row("friends[1].name.first", spec.clone(), r#"dense [2] ["Eve","nobody"]"#);
    row("friends[2].name.first", spec, r#"dense [2] ["nobody","nobody"]"#);
    let spec = json!({"kind": "FixedLen", "shape": [], "dtype": "string"});
    let error = tensor(&person::schema(), &people(), "friends[1].name.first", &spec).unwrap_err();
    assert!(error.contains("\"friends[1].name.first\", row 1: "), "{error}");
}

#[test]
fn var_len_of_all_friends() {
    let expected = r#"sparse [2,2] {[0,0]:"Bo", [0,1]:"Eve"}"#;
    row("friends[*].name.first", json!({"kind": "VarLen", "dtype": "string"}), expected);
}

#[test]
fn fixed_len_with_a_default_of_its_shape() {
    let default =
        json!([["35 Park Street", "275 California Street"], ["950 Maude Ave", "1000 Moore Parkway"]]);
    let spec = json!({"kind": "FixedLen", "shape": [2, 2], "dtype": "string", "default": default});
    let expected = concat!(
        r#"dense [2,2,2] [[["1 A","2 A"],["950 Maude Ave","1000 Moore Parkway"]],"#,
        r#"[["35 Park Street","275 California Street"],["950 Maude Ave","1000 Moore Parkway"]]]"#,
    );
    row(STREETS, spec, expected);
    // The default of the document, two by two, does not fit its shape, one by two.
    let spec = json!({"kind": "FixedLen", "shape": [1, 2], "dtype": "string", "default": default});
    let error = tensor(&person::schema(), &[], STREETS, &spec).unwrap_err();
    assert!(error.contains("the default has the shape [2, 2], the feature [1, 2]"), "{error}");
}

#[test]
fn var_len_of_two_dimensions() {
    let expected = r#"sparse [2,2,2] {[0,0,0]:"1 A", [0,0,1]:"2 A"}"#;
    row(STREETS, json!({"kind": "VarLen", "dtype": "string"}), expected);
    row(STREETS, json!({"kind": "VarLen", "dtype": "string", "rank": 2}), expected);
}

#[test]
fn fixed_len_sequence_with_a_scalar_default() {
    let spec = json!({"kind": "FixedLenSequence", "shape": [2, 2], "dtype": "string", "default": "-"});
    row(STREETS, spec, r#"dense [2,2,2] [[["1 A","2 A"],["-","-"]],[["-","-"],["-","-"]]]"#);
    // One friend is what the document says, and Ada has two.
    let spec =
        json!({"kind": "FixedLenSequence", "shape": [1, 2], "dtype": "string", "default": "Park Street 35"});
    check(
        &person::schema(),
        &people()[1..],
        STREETS,
        spec.clone(),
        r#"dense [1,1,2] [[["Park Street 35","Park Street 35"]]]"#,
    );
    let error = tensor(&person::schema(), &people(), STREETS, &spec).unwrap_err();
    assert!(error.contains("row 0: ") && error.contains("2 items in dimension 0"), "{error}");
}

#[test]
fn fixed_len_of_three_dimensions() {
    let default = json!([[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]]);
    let spec = json!({"kind": "FixedLen", "shape": [2, 2, 2], "dtype": "string", "default": default});
    let expected = concat!(
        r#"dense [2,2,2,2] [[[["Cy","Di"],["Flo","d"]],[["e","f"],["g","h"]]],"#,
        r#"[[["a","b"],["c","d"]],[["e","f"],["g","h"]]]]"#,
    );
    row("friends[*].jobs[*].coworkers[*].name.first", spec, expected);
}

#[test]
fn sparse_1d_of_a_record() {
    row("car.engine", sparse(json!("id"), json!(10000)), "sparse [2,10000] {[0,3]:1.5, [1,1]:4.5}");
}

#[test]
fn sparse_3d_of_a_record() {
    let spec = sparse(json!(["cylinders", "sparkplugs", "id"]), json!([12, 24, 10000]));
    row("car.engine", spec, "sparse [2,12,24,10000] {[0,4,8,3]:1.5, [1,2,4,1]:4.5}");
}

#[test]
fn sparse_2d_with_an_index_from_the_root() {
    let spec = sparse(json!(["@car.serial", "id"]), json!([12, 10000]));
    row("car.engine", spec, "sparse [2,12,10000] {[0,7,3]:1.5, [1,11,1]:4.5}");
}

#[test]
fn sparse_2d_with_all_keys_from_the_root() {
    let spec = json!({
        "kind": "Sparse", "index_key": ["@cars[*].engine.cylinders", "@cars[*].engine.id"],
        "value_key": "@cars[*].engine.power", "dtype": "float32", "size": [12, 10000],
    });
    row("tensorName", spec, "sparse [2,12,10000] {[0,6,5]:2.5, [0,8,6]:0.5}");
}

#[test]
fn sparse_2d_below_wildcards() {
    let spec = sparse(json!(["cylinders", "id"]), json!([12, 10000]));
    row("friends[*].cars[*].engine", spec, "sparse [2,12,10000] {[0,4,7]:1.5, [0,6,2]:2.5, [0,8,5]:3.5}");
}

#[test]
fn sparse_4d_with_the_wildcards_as_dimensions() {
    let spec = sparse(json!(["cylinders", "id"]), json!([100, 50, 12, 10000]));
    let expected = "sparse [2,100,50,12,10000] {[0,0,0,4,7]:1.5, [0,0,1,6,2]:2.5, [0,1,0,8,5]:3.5}";
    row("friends[*].cars[*].engine", spec, expected);
}

#[test]
fn ragged_of_all_friends() {
    let spec = json!({"kind": "Ragged", "dtype": "string"});
    row(STREETS, spec, r#"ragged [[["1 A","2 A"],[]],[]]"#);
}

#[test]
fn a_wrong_rank_is_refused_without_data() {
    let spec = json!({"kind": "VarLen", "dtype": "string", "rank": 1});
    assert!(tensor(&person::schema(), &[], STREETS, &spec).is_err());
}
