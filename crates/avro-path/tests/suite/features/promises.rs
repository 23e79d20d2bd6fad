//! Promises of the design document about keys and features, line by line.

use std::collections::BTreeMap;

use avro_path::AvroSchema;
use serde_json::{Value, json};
use tensor_repr::FeatureSpec;

use crate::features::bind::Features;
use crate::features::case::{check, list, of_l, row, tensor};
use crate::features::{person, render};

fn fixed(shape: Value, dtype: &str) -> Value {
    json!({"kind": "FixedLen", "shape": shape, "dtype": dtype})
}

fn or(default: Value) -> Value {
    json!({"kind": "FixedLen", "shape": [], "dtype": "int32", "default": default})
}

fn array(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn map(values: Value) -> Value {
    json!({"type": "map", "values": values})
}

#[test]
fn lines_22_24_and_27_nested_arrays_of_several_rows_are_dense_and_sparse() {
    let schema = row(&[(
        "r",
        json!({"type": "record", "name": "in", "fields": [{"name": "l", "type": array(array(json!("int")))}]}),
    )]);
    let records = [json!({"r": {"l": [[1, 2]]}}), json!({"r": {"l": [[3, 4]]}})];
    check(&schema, &records, "r.l[*][*]", fixed(json!([1, 2]), "int32"), "dense [2,1,2] [[[1,2]],[[3,4]]]");
    let expected = "sparse [2,1,2] {[0,0,0]:1, [0,0,1]:2, [1,0,0]:3, [1,0,1]:4}";
    check(&schema, &records, "r.l[*][*]", json!({"kind": "VarLen", "dtype": "int32"}), expected);
}

#[test]
fn line_25_fields_are_indices_and_values() {
    let engine = json!({"type": "record", "name": "e", "fields": [{"name": "i", "type": "long"}, {"name": "v", "type": "int"}]});
    let schema = row(&[("x", json!("int")), ("one", engine), ("many", array(json!("e")))]);
    let records = [json!({"x": 1, "one": {"i": 2, "v": 3}, "many": [{"i": 0, "v": 4}]})];
    let sparse = |index: Value, size: Value| json!({"kind": "Sparse", "index_key": index, "value_key": "v", "dtype": "int32", "size": size});
    check(&schema, &records, "one", sparse(json!("i"), json!(5)), "sparse [1,5] {[0,2]:3}");
    check(&schema, &records, "many", sparse(json!("i"), json!(5)), "sparse [1,5] {[0,0]:4}");
    check(
        &schema,
        &records,
        "many",
        sparse(json!(["@x", "@one.i", "i"]), json!([5, 5, 5])),
        "sparse [1,5,5,5] {[0,1,2,0]:4}",
    );
}

#[test]
fn line_26_a_flat_array_is_reshaped() {
    let records = of_l(&[json!([1, 2, 3, 4])]);
    check(
        &list(1, json!("int")),
        &records,
        "l[*]",
        fixed(json!([2, 2]), "int32"),
        "dense [1,2,2] [[[1,2],[3,4]]]",
    );
}

#[test]
fn line_28_what_is_missing_is_filled_or_an_error() {
    let schema = row(&[
        ("m", map(json!("int"))),
        ("l", array(json!("int"))),
        ("n", json!(["null", array(json!("int"))])),
    ]);
    let records = [json!({})];
    for key in ["m['a']", "l[0]", "l[*]", "n[*]", "n[0]"] {
        check(&schema, &records, key, or(json!(-1)), "dense [1] [-1]");
        assert!(
            tensor(&schema, &records, key, &fixed(json!([]), "int32")).is_err(),
            "{key} without a default"
        );
        assert!(tensor(&schema, &[], key, &or(json!("a"))).is_err(), "{key} with a wrong default");
    }
}

#[test]
fn line_29_tensors_of_many_dimensions() {
    let deep = (0..5).fold(json!(7), |items, _| json!([items]));
    let schema = list(5, json!("int"));
    let key = "l[*][*][*][*][*]";
    check(
        &schema,
        &of_l(std::slice::from_ref(&deep)),
        key,
        fixed(json!([1, 1, 1, 1, 1]), "int32"),
        "dense [1,1,1,1,1,1] [[[[[[7]]]]]]",
    );
    check(
        &schema,
        &of_l(&[deep]),
        key,
        json!({"kind": "VarLen", "dtype": "int32"}),
        "sparse [1,1,1,1,1,1] {[0,0,0,0,0,0]:7}",
    );
}

#[test]
fn lines_30_39_and_40_each_type_has_its_dtype() {
    for (ty, value, dtype, expected) in [
        (json!("boolean"), json!(true), "bool", "dense [1] [true]"),
        (json!("int"), json!(1), "int32", "dense [1] [1]"),
        (json!("long"), json!(1), "int64", "dense [1] [1]"),
        (json!("float"), json!(0.5), "float32", "dense [1] [0.5]"),
        (json!("double"), json!(0.5), "float64", "dense [1] [0.5]"),
        (json!("string"), json!("a"), "string", "dense [1] [\"a\"]"),
        (json!("bytes"), json!("a"), "string", "dense [1] [\"a\"]"),
        (json!({"type": "fixed", "name": "f", "size": 2}), json!("ab"), "string", "dense [1] [\"ab\"]"),
        (
            json!({"type": "enum", "name": "e", "symbols": ["A", "B"]}),
            json!("B"),
            "string",
            "dense [1] [\"B\"]",
        ),
    ] {
        check(&row(&[("x", ty)]), &[json!({"x": value})], "x", fixed(json!([]), dtype), expected);
    }
}

#[test]
fn line_31_null_takes_the_default() {
    for ty in [json!("null"), json!(["null", "int"])] {
        let schema = row(&[("x", ty)]);
        check(&schema, &[json!({})], "x", or(json!(7)), "dense [1] [7]");
        assert!(tensor(&schema, &[json!({})], "x", &fixed(json!([]), "int32")).is_err());
    }
}

#[test]
fn lines_33_to_35_elements_of_arrays_and_maps_and_fields_of_records() {
    let inner = json!({"type": "record", "name": "in", "fields": [{"name": "v", "type": "int"}]});
    let schema = row(&[("l", array(inner)), ("m", map(json!("in"))), ("r", json!("in"))]);
    let records = [json!({"l": [{"v": 1}, {"v": 2}], "m": {"a": {"v": 3}}, "r": {"v": 4}})];
    for (key, value) in [("l[1].v", 2), ("l[-2].v", 1), ("m['a'].v", 3), ("r.v", 4)] {
        check(&schema, &records, key, fixed(json!([]), "int32"), &format!("dense [1] [{value}]"));
    }
}

#[test]
fn line_36_namespaces_tell_types_of_one_name_apart() {
    let of = |space: &str| json!({"type": "record", "name": "r", "namespace": space, "fields": [{"name": "v", "type": "int"}]});
    let schema = row(&[("x", json!([of("one"), of("two")]))]);
    // The first branch that fits is written.
    let records = [json!({"x": {"v": 5}})];
    check(&schema, &records, "x:'one.r'.v", or(json!(-1)), "dense [1] [5]");
    check(&schema, &records, "x:'two.r'.v", or(json!(-1)), "dense [1] [-1]");
    let error = tensor(&schema, &records, "x:r.v", &or(json!(-1))).unwrap_err();
    assert!(error.contains("write one of the full names 'one.r' and 'two.r'"), "{error}");
}

#[test]
fn line_37_unions_are_strictly_typed() {
    let schema = row(&[("x", json!(["null", "int", "string"]))]);
    let records = [json!({"x": 1}), json!({"x": "a"}), json!({})];
    check(&schema, &records, "x:int", or(json!(-1)), "dense [3] [1,-1,-1]");
    // The dtype resolves the union: a null is missing, a value of another branch is an error.
    let ints = [json!({"x": 1}), json!({})];
    check(&schema, &ints, "x", or(json!(-1)), "dense [2] [1,-1]");
    assert!(tensor(&schema, &ints, "x", &fixed(json!([]), "int32")).is_err(), "null without a default");
    let texts = json!({"kind": "FixedLen", "key": "x", "shape": [], "dtype": "string", "default": "-"});
    check(&schema, &[json!({"x": "a"}), json!({})], "text", texts, "dense [2] [\"a\",\"-\"]");
    let error = tensor(&schema, &records, "x", &or(json!(-1))).unwrap_err();
    assert!(
        error.starts_with("record 1, ") && error.contains("the value is of the branch string"),
        "{error}"
    );
    assert!(tensor(&schema, &records, "x", &or(json!(-1))).is_err(), "without a branch");
    assert!(tensor(&schema, &records, "x:string", &or(json!(-1))).is_err(), "of another type");
}

#[test]
fn line_38_filters() {
    let item = json!({"type": "record", "name": "e", "fields": [
        {"name": "k", "type": "string"}, {"name": "l", "type": array(json!("int"))}, {"name": "v", "type": "int"}]});
    let schema = row(&[("me", json!("string")), ("l", array(item))]);
    let records = [json!({"me": "b", "l": [{"k": "a", "v": 1}, {"k": "b", "v": 2}, {"k": "b", "v": 3}]})];
    let varlen = || json!({"kind": "VarLen", "dtype": "int32"});
    check(&schema, &records, "l[k='a'].v", varlen(), "sparse [1,1] {[0,0]:1}");
    check(&schema, &records, "l[k=@me].v", varlen(), "sparse [1,2] {[0,0]:2, [0,1]:3}");
    check(&schema, &records, "l[k=@me & v!=2].v", varlen(), "sparse [1,1] {[0,0]:3}");
}

#[test]
fn line_43_one_program_and_one_adapter_for_many_threads() {
    let schema = list(1, json!("int"));
    let spec = FeatureSpec::from_json(r#"{"kind": "VarLen", "dtype": "int32"}"#).unwrap();
    let specs = BTreeMap::from([("l[*]".to_owned(), spec)]);
    let features = Features::new(&schema, &specs, Default::default()).unwrap();
    let text = |number: i32| {
        let data = [person::encode(&schema, &json!({"l": [number]}))];
        render::tensor(&features.tensors(&data).unwrap()[0].1)
    };
    std::thread::scope(|scope| {
        let threads = (0..4)
            .map(|thread| scope.spawn(move || (0..50).map(|at| text(thread * 50 + at)).collect::<Vec<_>>()));
        let found = threads.collect::<Vec<_>>().into_iter().flat_map(|thread| thread.join().unwrap());
        let expected = (0..200).map(|number| format!("sparse [1,1] {{[0,0]:{number}}}"));
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    });
}

#[test]
fn line_62_nothing_is_promoted() {
    for (ty, dtype) in [("int", "int64"), ("int", "float32"), ("long", "float64"), ("float", "float64")] {
        let error = tensor(&row(&[("x", json!(ty))]), &[], "x", &fixed(json!([]), dtype)).unwrap_err();
        assert!(error.contains(&format!("the representation says {dtype}")), "{error}");
    }
}

#[test]
fn line_63_recursive_types_are_followed_as_far_as_the_key_goes() {
    let schema = AvroSchema::parse(
        r#"{"type": "record", "name": "node", "fields": [{"name": "v", "type": "int"}, {"name": "next", "type": ["null", "node"]}]}"#,
    );
    let records = [json!({"v": 1, "next": {"v": 2}})];
    let schema = schema.unwrap();
    check(&schema, &records, "next.v", or(json!(-1)), "dense [1] [2]");
    check(&schema, &records, "next.next.v", or(json!(-1)), "dense [1] [-1]");
}

#[test]
fn lines_197_and_199_var_len_needs_no_rank() {
    let varlen = || json!({"kind": "VarLen", "dtype": "int32"});
    check(&list(1, json!("int")), &of_l(&[json!([1])]), "l[*]", varlen(), "sparse [1,1] {[0,0]:1}");
    check(&list(2, json!("int")), &of_l(&[json!([[1]])]), "l[*][*]", varlen(), "sparse [1,1,1] {[0,0,0]:1}");
}

#[test]
fn line_200_fixed_len_sequence_is_padded() {
    let spec = json!({"kind": "FixedLenSequence", "shape": [1, 2], "dtype": "int32", "default": -1, "allow_missing": true});
    let records = of_l(&[json!([[1]]), json!([])]);
    check(&list(2, json!("int")), &records, "l[*][*]", spec, "dense [2,1,2] [[[1,-1]],[[-1,-1]]]");
}
