//! Missing values, and their defaults.

use serde_json::{Value, json};

use crate::features::case::{check, list, of_l, row, tensor};

fn scalar(default: Value) -> Value {
    json!({"kind": "FixedLen", "shape": [], "dtype": "int32", "default": default})
}

fn opt(ty: Value) -> Value {
    json!(["null", ty])
}

/// Asserts that the tensor is `expected` with a default, and that an error without one names the key and the record.
#[track_caller]
fn missing(ty: Value, key: &str, record: Value, expected: &str) {
    let schema = row(&[("x", ty)]);
    let records = [json!({"x": record})];
    check(&schema, &records, key, scalar(json!(-1)), expected);
    let spec = json!({"kind": "FixedLen", "shape": [], "dtype": "int32"});
    let error = tensor(&schema, &records, key, &spec).unwrap_err();
    assert!(error.starts_with(&format!("tensor {key:?}, column {key:?}, row 0: ")), "{error}");
}

#[test]
fn a_null_is_missing() {
    missing(opt(json!("int")), "x", Value::Null, "dense [1] [-1]");
}

#[test]
fn a_map_key_that_is_not_there_is_missing() {
    missing(json!({"type": "map", "values": "int"}), "x['a']", json!({"b": 1}), "dense [1] [-1]");
}

#[test]
fn an_index_out_of_range_is_missing() {
    let array = || json!({"type": "array", "items": "int"});
    missing(array(), "x[1]", json!([7]), "dense [1] [-1]");
    missing(array(), "x[-2]", json!([7]), "dense [1] [-1]");
}

#[test]
fn no_match_of_a_filter_is_missing() {
    let item = json!({"type": "record", "name": "e", "fields": [{"name": "v", "type": "int"}]});
    missing(json!({"type": "array", "items": item}), "x[v=2].v", json!([{"v": 1}]), "dense [1] [-1]");
}

#[test]
fn another_branch_is_missing() {
    missing(json!(["null", "string", "int"]), "x:int", json!("text"), "dense [1] [-1]");
}

#[test]
fn what_is_within_something_missing_is_missing() {
    let record = json!({"type": "record", "name": "e", "fields": [{"name": "v", "type": "int"}]});
    missing(opt(record), "x.v", Value::Null, "dense [1] [-1]");
    missing(opt(json!({"type": "map", "values": "int"})), "x['a']", Value::Null, "dense [1] [-1]");
    missing(opt(json!({"type": "array", "items": "int"})), "x[*]", Value::Null, "dense [1] [-1]");
}

#[test]
fn each_cell_is_filled_from_its_own_place() {
    let schema = list(1, json!("int"));
    let spec = json!({"kind": "FixedLen", "shape": [3], "dtype": "int32", "default": [7, 8, 9]});
    let records = of_l(&[json!([1]), json!([]), json!([1, 2, 3])]);
    check(&schema, &records, "l[*]", spec.clone(), "dense [3,3] [[1,8,9],[7,8,9],[1,2,3]]");
    // A null element by the value at its place.
    let schema = list(1, opt(json!("int")));
    check(&schema, &of_l(&[json!([1, null])]), "l[*]", spec, "dense [1,3] [[1,8,9]]");
    let schema = list(2, json!("int"));
    let spec =
        json!({"kind": "FixedLen", "shape": [2, 2], "dtype": "int32", "default": [[10, 20], [30, 40]]});
    let records = of_l(&[json!([[1]]), json!([[], [2]]), json!([])]);
    let expected = "dense [3,2,2] [[[1,20],[30,40]],[[10,20],[2,40]],[[10,20],[30,40]]]";
    check(&schema, &records, "l[*][*]", spec, expected);
}

#[test]
fn a_scalar_default_fills_any_shape() {
    let spec = json!({"kind": "FixedLen", "shape": [2], "dtype": "string", "default": "-"});
    check(
        &list(1, json!("string")),
        &of_l(&[json!(["a"]), json!([])]),
        "l[*]",
        spec,
        "dense [2,2] [[\"a\",\"-\"],[\"-\",\"-\"]]",
    );
}

#[test]
fn inner_arrays_that_are_null_are_filled() {
    let schema =
        row(&[("l", json!({"type": "array", "items": ["null", {"type": "array", "items": "int"}]}))]);
    let spec = json!({"kind": "FixedLen", "shape": [2, 1], "dtype": "int32", "default": -1});
    check(&schema, &of_l(&[json!([null, [3]])]), "l[*][*]", spec, "dense [1,2,1] [[[-1],[3]]]");
}

#[test]
fn a_value_of_type_null_takes_any_dtype_from_its_default() {
    let schema = row(&[("n", json!("null"))]);
    let records = [json!({}), json!({})];
    for (dtype, default, expected) in [
        ("int32", json!(3), "dense [2] [3,3]"),
        ("float32", json!(0.5), "dense [2] [0.5,0.5]"),
        ("bool", json!(true), "dense [2] [true,true]"),
        ("string", json!("d"), "dense [2] [\"d\",\"d\"]"),
    ] {
        let spec = json!({"kind": "FixedLen", "shape": [], "dtype": dtype, "default": default});
        check(&schema, &records, "n", spec, expected);
    }
    let spec = json!({"kind": "FixedLen", "shape": [2], "dtype": "int64", "default": [4, 5]});
    check(&schema, &records, "n", spec, "dense [2,2] [[4,5],[4,5]]");
    let spec = json!({"kind": "FixedLen", "shape": [], "dtype": "int32"});
    let error = tensor(&schema, &records, "n", &spec).unwrap_err();
    assert!(error.contains("\"n\", row 0: "), "{error}");
    // An array of nulls, element by element.
    let spec = json!({"kind": "FixedLen", "shape": [2], "dtype": "int32", "default": [4, 5]});
    check(&list(1, json!("null")), &of_l(&[json!([null])]), "l[*]", spec, "dense [1,2] [[4,5]]");
}

#[test]
fn a_wrong_default_is_found_without_data() {
    let schema = list(2, json!("int"));
    let error = |shape: Value, default: Value| {
        let spec = json!({"kind": "FixedLen", "shape": shape, "dtype": "int32", "default": default});
        tensor(&schema, &[], "l[*][*]", &spec).unwrap_err()
    };
    let flat = error(json!([2, 2]), json!([1, 2, 3, 4]));
    assert!(flat.contains("the default has the shape [4], the feature [2, 2]"), "{flat}");
    for (shape, default) in [(json!([1, 2]), json!([[1, 2], [3, 4]])), (json!([null, 2]), json!([[1, 2]]))] {
        let error = error(shape, default);
        assert!(error.contains("the default has the shape"), "{error}");
    }
    for default in [json!("a"), json!(0.5), json!(true), json!(3_000_000_000_u64)] {
        let error = error(json!([2, 2]), default);
        assert!(error.contains(" is not of dtype int32"), "{error}");
    }
    let uneven = error(json!([2, 2]), json!([[1, 2], [3]]));
    assert!(uneven.contains("\"default[1]\" is [3]; it must be a list of length 2"), "{uneven}");
}
