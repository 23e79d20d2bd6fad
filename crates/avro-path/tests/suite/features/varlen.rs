//! `VarLen` and `Ragged`.

use serde_json::{Value, json};

use crate::features::case::{check, list, of_l, refused, row, tensor};

fn varlen() -> Value {
    json!({"kind": "VarLen", "dtype": "int32"})
}

fn ragged() -> Value {
    json!({"kind": "Ragged", "dtype": "int32"})
}

#[test]
fn var_len_has_a_dimension_for_each_wildcard() {
    check(
        &list(1, json!("int")),
        &of_l(&[json!([1, 2]), json!([])]),
        "l[*]",
        varlen(),
        "sparse [2,2] {[0,0]:1, [0,1]:2}",
    );
    let records = of_l(&[json!([]), json!([[], [1]]), json!([[2, 3]])]);
    let expected = "sparse [3,2,2] {[1,1,0]:1, [2,0,0]:2, [2,0,1]:3}";
    check(&list(2, json!("int")), &records, "l[*][*]", varlen(), expected);
    let deep = (0..4).fold(json!([1]), |items, _| json!([items]));
    let expected = "sparse [1,1,1,1,1,1] {[0,0,0,0,0,0]:1}";
    check(&list(5, json!("int")), &of_l(&[deep]), "l[*][*][*][*][*]", varlen(), expected);
}

#[test]
fn a_stated_rank_must_be_the_keys() {
    let with = |rank: usize| json!({"kind": "VarLen", "dtype": "int32", "rank": rank});
    check(&list(2, json!("int")), &[], "l[*][*]", with(2), "sparse [0,0,0] {}");
    let error = tensor(&list(2, json!("int")), &[], "l[*][*]", &with(1)).unwrap_err();
    assert!(error.contains("2 levels of lists, the representation says 1"), "{error}");
}

#[test]
fn var_len_and_ragged_need_an_array() {
    let schema = row(&[("x", json!("int")), ("n", json!("null"))]);
    for (key, spec, kind) in [("x", varlen(), "VarLen"), ("n", varlen(), "VarLen"), ("x", ragged(), "Ragged")]
    {
        let text = format!(
            "tensor {key:?}, column {key:?}: the key names one value a record, a {kind} feature needs lists; take a key with [*] or a filter"
        );
        refused(&schema, &[], key, spec, &text);
    }
}

#[test]
fn a_null_array_is_an_empty_row_and_a_null_element_an_error() {
    let schema = row(&[("l", json!(["null", {"type": "array", "items": ["null", "int"]}]))]);
    let records = of_l(&[json!([1]), Value::Null, json!([])]);
    check(&schema, &records, "l[*]", varlen(), "sparse [3,1] {[0,0]:1}");
    check(&schema, &records, "l[*]", ragged(), "ragged [[1],[],[]]");
    for spec in [varlen(), ragged()] {
        let error = tensor(&schema, &of_l(&[json!([1]), json!([2, null])]), "l[*]", &spec).unwrap_err();
        assert!(error.contains("\"l[*]\", row 1: "), "{error}");
    }
}

#[test]
fn positions_count_the_matches_of_a_filter() {
    let schema = row(&[(
        "l",
        json!({"type": "array", "items": {"type": "record", "name": "e", "fields": [
            {"name": "k", "type": "string"}, {"name": "v", "type": "int"}]}}),
    )]);
    let records = of_l(&[
        json!([{"k": "a", "v": 1}, {"k": "b", "v": 2}, {"k": "a", "v": 3}]),
        json!([{"k": "b", "v": 4}]),
    ]);
    check(&schema, &records, "l[k='a'].v", varlen(), "sparse [2,2] {[0,0]:1, [0,1]:3}");
    check(&schema, &records, "l[k='c'].v", varlen(), "sparse [2,0] {}");
}

#[test]
fn a_ragged_tensor_keeps_the_arrays() {
    let records = of_l(&[json!([[1], [2, 3]]), json!([]), json!([[]])]);
    check(&list(2, json!("int")), &records, "l[*][*]", ragged(), "ragged [[[1],[2,3]],[],[[]]]");
}

#[test]
fn a_ragged_tensor_is_divided_by_other_keys() {
    let array = |ty: &str| json!({"type": "array", "items": ty});
    let schema = row(&[("v", array("int")), ("n", array("long"))]);
    let spec = json!({"kind": "Ragged", "value_key": "v[*]", "dtype": "int32", "partitions": [{"row_lengths": "n[*]"}]});
    let records = [json!({"v": [1, 2, 3], "n": [2, 1]}), json!({"v": [4], "n": [0, 1]})];
    check(&schema, &records, "r", spec.clone(), "ragged [[[1,2],[3]],[[],[4]]]");
    let error = tensor(&schema, &[json!({"v": [1, 2, 3], "n": [2]})], "r", &spec).unwrap_err();
    assert!(error.contains("\"n[*]\", row 0: ") && error.contains("add up to 2, there are 3"), "{error}");
}
