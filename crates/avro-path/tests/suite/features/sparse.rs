//! `Sparse`: values at indices that other keys give.

use avro_path::AvroSchema;
use serde_json::{Value, json};

use crate::features::case::{check, of_l, refused, row, tensor};

fn sparse(index: Value, value: &str, size: Value) -> Value {
    json!({"kind": "Sparse", "index_key": index, "value_key": value, "dtype": "float32", "size": size})
}

fn entry() -> Value {
    json!({"type": "record", "name": "e", "fields": [
        {"name": "i", "type": "long"}, {"name": "j", "type": "int"}, {"name": "v", "type": "float"}]})
}

/// Records of an array `l` of entries.
fn entries() -> AvroSchema {
    row(&[("l", json!({"type": "array", "items": entry()}))])
}

#[test]
fn keys_begin_at_the_record() {
    let schema = row(&[("e", entry())]);
    let records = [json!({"e": {"i": 3, "j": 1, "v": 0.5}}), json!({"e": {"i": 0, "v": 1.5}})];
    check(&schema, &records, "e", sparse(json!("i"), "v", json!(10)), "sparse [2,10] {[0,3]:0.5, [1,0]:1.5}");
    // The order of the index keys is that of the dimensions; int and long are indices alike.
    let expected = "sparse [2,5,10] {[0,1,3]:0.5, [1,0,0]:1.5}";
    check(&schema, &records, "e", sparse(json!(["j", "i"]), "v", json!([5, 10])), expected);
}

#[test]
fn keys_begin_at_each_record_of_an_array() {
    let records = of_l(&[json!([{"i": 9, "v": 1.0}, {"i": 3, "v": 2.0}]), json!([])]);
    check(
        &entries(),
        &records,
        "l",
        sparse(json!("i"), "v", json!(10)),
        "sparse [2,10] {[0,3]:2.0, [0,9]:1.0}",
    );
    check(
        &entries(),
        &records,
        "l",
        sparse(json!(["[*].i"]), "[*].v", json!(10)),
        "sparse [2,10] {[0,3]:2.0, [0,9]:1.0}",
    );
    check(
        &entries(),
        &records[..1],
        "l",
        sparse(json!("[0].i"), "[0].v", json!(10)),
        "sparse [1,10] {[0,9]:1.0}",
    );
}

#[test]
fn keys_begin_at_each_value_of_a_map() {
    let schema = row(&[("m", json!({"type": "map", "values": entry()}))]);
    let records = [json!({"m": {"a": {"i": 2, "v": 1.0}, "b": {"i": 1, "v": 2.0}}})];
    check(&schema, &records, "m", sparse(json!("i"), "v", json!(4)), "sparse [1,4] {[0,1]:2.0, [0,2]:1.0}");
}

#[test]
fn a_key_of_its_own_stands_in_place_of_the_name() {
    let mut spec = sparse(json!("i"), "v", json!(10));
    spec["key"] = json!("l[0]");
    let records = of_l(&[json!([{"i": 3, "v": 1.0}])]);
    check(&entries(), &records, "some name", spec, "sparse [1,10] {[0,3]:1.0}");
}

#[test]
fn a_record_that_is_null_has_no_entry() {
    let schema = row(&[("e", json!(["null", entry()]))]);
    let records = [json!({}), json!({"e": {"i": 3, "v": 0.5}})];
    check(&schema, &records, "e", sparse(json!("i"), "v", json!(10)), "sparse [2,10] {[1,3]:0.5}");
}

#[test]
fn records_and_arrays_are_mixed() {
    let schema = row(&[("serial", json!("long")), ("l", json!({"type": "array", "items": entry()}))]);
    let spec = || sparse(json!(["@serial", "i"]), "v", json!([12, 10]));
    let records =
        [json!({"serial": 3, "l": [{"i": 7, "v": 1.5}]}), json!({"serial": 11, "l": [{"i": 2, "v": 2.5}]})];
    check(&schema, &records, "l", spec(), "sparse [2,12,10] {[0,3,7]:1.5, [1,11,2]:2.5}");
    // One serial for two values.
    let records = [json!({"serial": 3, "l": [{"i": 7, "v": 1.5}, {"i": 8, "v": 1.5}]})];
    let error = tensor(&schema, &records, "l", &spec()).unwrap_err();
    assert!(error.contains("\"serial\"") || error.contains("\"@serial\""), "{error}");
    assert!(error.contains("row 0: 1 index for the 2 values"), "{error}");
}

#[test]
fn records_and_arrays_are_mixed_where_positions_are_dimensions() {
    let array = |items: Value| json!({"type": "array", "items": items});
    let schema = row(&[("serial", json!("long")), ("l", array(entry())), ("deep", array(array(json!("e"))))]);
    let with = |index: Value, value: &str, size: Value| sparse(index, value, size);
    let records = [
        json!({"serial": 3, "l": [{"i": 7, "v": 1.5}], "deep": [[], [{"i": 6, "v": 3.5}]]}),
        json!({"serial": 11, "l": [{"i": 2, "v": 2.5}], "deep": [[{"i": 1, "v": 4.5}]]}),
    ];
    let spec = with(json!(["@serial", "i"]), "v", json!([null, 12, 10]));
    check(&schema, &records, "l", spec.clone(), "sparse [2,1,12,10] {[0,0,3,7]:1.5, [1,0,11,2]:2.5}");
    let two = with(json!(["@serial", "i"]), "v", json!([null, null, 12, 10]));
    check(&schema, &records, "deep", two, "sparse [2,2,1,12,10] {[0,1,0,3,6]:3.5, [1,0,0,11,1]:4.5}");
    // The flat array has as many entries as the deep one.
    let flat = with(json!(["@l[*].i", "i"]), "v", json!([null, null, 12, 10]));
    check(&schema, &records, "deep", flat, "sparse [2,2,1,12,10] {[0,1,0,7,6]:3.5, [1,0,0,2,1]:4.5}");
    // The value may stand at the root.
    let value = with(json!(["@serial", "i"]), "@l[0].v", json!([null, null, 12, 10]));
    check(&schema, &records, "deep", value, "sparse [2,2,1,12,10] {[0,1,0,3,6]:1.5, [1,0,0,11,1]:2.5}");
    let records = [json!({"serial": 3, "l": [{"i": 7, "v": 1.5}, {"i": 8, "v": 1.5}]})];
    refused(
        &schema,
        &records,
        "l",
        spec,
        "tensor \"l\", column \"@serial\", row 0: 1 index for the 2 values of column \"l[*].v\"",
    );
    let none = with(json!("@serial"), "@l[0].v", json!([null, 10]));
    let error = tensor(&schema, &[], "l", &none).unwrap_err();
    assert!(error.contains("2 sizes are given, at most 1 can be"), "{error}");
}

#[test]
fn the_own_key_of_a_feature_is_not_looked_at_where_all_begin_at_the_root() {
    let spec = || sparse(json!("@l[*].i"), "@l[*].v", json!(10));
    let records = of_l(&[json!([{"i": 4, "v": 1.0}])]);
    for name in ["no such field", "l[", "", "l[*].nothing"] {
        check(&entries(), &records, name, spec(), "sparse [1,10] {[0,4]:1.0}");
    }
    let error =
        tensor(&entries(), &records, "no such field", &sparse(json!("i"), "@l[*].v", json!(10))).unwrap_err();
    assert!(error.starts_with("key \"no such field\", column 4: "), "{error}");
}

#[test]
fn positions_are_dropped_or_leading_dimensions() {
    let group = json!({"type": "record", "name": "g", "fields": [
        {"name": "k", "type": "string"}, {"name": "e", "type": entry()}]});
    let schema = row(&[("l", json!({"type": "array", "items": {"type": "array", "items": group}}))]);
    let of = |i: i64, v: f64| json!({"k": "a", "e": {"i": i, "v": v}});
    let records = of_l(&[json!([[of(4, 0.5)], [of(2, 1.5), of(1, 2.5)]]), json!([])]);
    let with = |size: Value| sparse(json!("i"), "v", size);
    check(&schema, &records, "l[*][*].e", with(json!([6])), "sparse [2,6] {[0,1]:2.5, [0,2]:1.5, [0,4]:0.5}");
    let expected = "sparse [2,3,2,6] {[0,0,0,4]:0.5, [0,1,0,2]:1.5, [0,1,1,1]:2.5}";
    check(&schema, &records, "l[*][*].e", with(json!([3, 2, 6])), expected);
    let expected = "sparse [2,2,2,6] {[0,0,0,4]:0.5, [0,1,0,2]:1.5, [0,1,1,1]:2.5}";
    check(&schema, &records, "l[*][*].e", with(json!([null, null, 6])), expected);
    // A filter is a wildcard.
    check(&schema, &records, "l[*][k='a'].e", with(json!([null, null, 6])), expected);
    let error = tensor(&schema, &records, "l[*][*].e", &with(json!([3, 1, 6]))).unwrap_err();
    assert!(
        error.contains("row 0: ") && error.contains("2 items, the size of the dimension is 1"),
        "{error}"
    );
}

#[test]
fn entries_are_sorted_unless_they_are_said_to_be_and_duplicates_stay() {
    let records = of_l(&[json!([{"i": 2, "v": 1.0}, {"i": 0, "v": 2.0}, {"i": 2, "v": 3.0}])]);
    let mut spec = sparse(json!("i"), "v", json!(4));
    check(&entries(), &records, "l", spec.clone(), "sparse [1,4] {[0,0]:2.0, [0,2]:1.0, [0,2]:3.0}");
    spec["already_sorted"] = json!(true);
    check(&entries(), &records, "l", spec, "sparse [1,4] {[0,2]:1.0, [0,0]:2.0, [0,2]:3.0}");
}

#[test]
fn each_record_has_as_many_indices_as_values() {
    let array = |ty: &str| json!({"type": "array", "items": ty});
    let schema = row(&[("i", array("long")), ("v", array("float"))]);
    let spec = sparse(json!("@i[*]"), "@v[*]", json!(5));
    // The totals agree, the records do not.
    let records = [json!({"i": [0, 1], "v": [0.5]}), json!({"i": [2], "v": [1.5, 2.5]})];
    refused(
        &schema,
        &records,
        "s",
        spec.clone(),
        "tensor \"s\", column \"@i[*]\", row 0: 2 indices for the 1 value of column \"@v[*]\"",
    );
    let records = [json!({"i": [0], "v": [0.5]}), json!({"i": [2], "v": []})];
    let error = tensor(&schema, &records, "s", &spec).unwrap_err();
    assert!(error.contains("row 1: 1 index for the 0 values"), "{error}");
}

#[test]
fn indices_lie_within_the_size() {
    for (index, text) in
        [(4, "the index 4 lies outside of the size 4"), (-1, "the index -1 lies outside of the size 4")]
    {
        let records = of_l(&[json!([]), json!([{"i": index, "v": 1.0}])]);
        let error = tensor(&entries(), &records, "l", &sparse(json!("i"), "v", json!(4))).unwrap_err();
        assert!(error.contains("\"l[*].i\", row 1: ") && error.contains(text), "{error}");
    }
}

#[test]
fn indices_are_integers_and_values_of_the_dtype() {
    let error = tensor(&entries(), &[], "l", &sparse(json!("v"), "v", json!(4))).unwrap_err();
    assert!(error.contains("indices must be integers"), "{error}");
    let mut spec = sparse(json!("i"), "v", json!(4));
    spec["dtype"] = json!("float64");
    let error = tensor(&entries(), &[], "l", &spec).unwrap_err();
    assert!(error.contains("the representation says float64"), "{error}");
}

#[test]
fn sizes_are_one_an_index_key_or_more() {
    let error = tensor(&entries(), &[], "l", &sparse(json!(["i", "j"]), "v", json!([4]))).unwrap_err();
    assert!(error.contains("1 size for 2 index keys"), "{error}");
    let error = tensor(&entries(), &[], "l", &sparse(json!(["i", "j"]), "v", json!(4))).unwrap_err();
    assert!(error.contains("1 size for 2 index keys"), "{error}");
    let error = tensor(&entries(), &[], "l", &sparse(json!("i"), "v", json!([1, 1, 4]))).unwrap_err();
    assert!(error.contains("3 sizes are given, at most 2 can be"), "{error}");
}

#[test]
fn a_key_may_be_a_feature_of_its_own_and_an_index_of_others() {
    use std::collections::BTreeMap;
    use tensor_repr::FeatureSpec;
    let schema = entries();
    let spec = |json: Value| FeatureSpec::from_json(&json.to_string()).unwrap();
    let specs = BTreeMap::from([
        ("l".to_owned(), spec(sparse(json!("i"), "v", json!(10)))),
        ("l[*].i".to_owned(), spec(json!({"kind": "VarLen", "dtype": "int64"}))),
        (
            "second".to_owned(),
            spec({
                let mut spec = sparse(json!("i"), "v", json!(20));
                spec["key"] = json!("l");
                spec
            }),
        ),
    ]);
    let features = crate::features::bind::Features::new(&schema, &specs, Default::default()).unwrap();
    assert_eq!(features.program.arrow_schema().fields().len(), 2, "each column once");
    let data = [crate::features::person::encode(&schema, &json!({"l": [{"i": 4, "v": 1.0}]}))];
    let tensors = features.tensors(&data).unwrap();
    let texts = tensors.iter().map(|(_, tensor)| crate::features::render::tensor(tensor)).collect::<Vec<_>>();
    assert_eq!(texts, ["sparse [1,10] {[0,4]:1.0}", "sparse [1,1] {[0,0]:4}", "sparse [1,20] {[0,4]:1.0}"]);
}

#[test]
fn a_null_leaf_is_an_error() {
    let item = json!({"type": "record", "name": "e", "fields": [
        {"name": "i", "type": "long"}, {"name": "v", "type": ["null", "float"]}]});
    let schema = row(&[("l", json!({"type": "array", "items": item}))]);
    let records = of_l(&[json!([{"i": 1, "v": 0.5}, {"i": 2}])]);
    let error = tensor(&schema, &records, "l", &sparse(json!("i"), "v", json!(4))).unwrap_err();
    assert!(error.contains("\"l[*].v\", row 0: "), "{error}");
}
