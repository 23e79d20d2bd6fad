//! Dense tensors: `FixedLen` and `FixedLenSequence`.

use serde_json::{Value, json};

use crate::features::case::{check, list, of_l, refused, row, tensor};

fn fixed(shape: Value, default: Value) -> Value {
    match default {
        Value::Null => json!({"kind": "FixedLen", "shape": shape, "dtype": "int32"}),
        default => json!({"kind": "FixedLen", "shape": shape, "dtype": "int32", "default": default}),
    }
}

fn sequence(shape: Value) -> Value {
    json!({"kind": "FixedLenSequence", "shape": shape, "dtype": "int32", "default": -1})
}

#[test]
fn a_single_value_is_a_scalar() {
    let schema = row(&[("x", json!("int"))]);
    check(
        &schema,
        &[json!({"x": 3}), json!({"x": 4})],
        "x",
        fixed(json!([]), Value::Null),
        "dense [2] [3,4]",
    );
}

#[test]
fn a_key_may_stand_beside_the_name() {
    let schema = row(&[("x", json!("int"))]);
    let spec = json!({"kind": "FixedLen", "key": "@.x", "shape": [], "dtype": "int32"});
    check(&schema, &[json!({"x": 3})], "age", spec, "dense [1] [3]");
}

#[test]
fn arrays_of_the_shape_are_taken_as_they_are() {
    let records = of_l(&[json!([[1, 2]]), json!([[3, 4]])]);
    check(
        &list(2, json!("int")),
        &records,
        "l[*][*]",
        fixed(json!([1, 2]), Value::Null),
        "dense [2,1,2] [[[1,2]],[[3,4]]]",
    );
}

#[test]
fn unknown_dimensions_are_the_maximum_of_the_batch() {
    let schema = list(2, json!("int"));
    let records = of_l(&[json!([[1], [2, 3, 4]]), json!([]), json!([[5]])]);
    check(
        &schema,
        &records,
        "l[*][*]",
        fixed(json!([null, null]), json!(0)),
        "dense [3,2,3] [[[1,0,0],[2,3,4]],[[0,0,0],[0,0,0]],[[5,0,0],[0,0,0]]]",
    );
    check(
        &schema,
        &records,
        "l[*][*]",
        fixed(json!([null, 4]), json!(0)),
        "dense [3,2,4] [[[1,0,0,0],[2,3,4,0]],[[0,0,0,0],[0,0,0,0]],[[5,0,0,0],[0,0,0,0]]]",
    );
    // The maximum of each batch, not of all data.
    check(
        &schema,
        &records[2..],
        "l[*][*]",
        fixed(json!([null, null]), Value::Null),
        "dense [1,1,1] [[[5]]]",
    );
}

#[test]
fn a_flat_array_is_reshaped_row_by_row() {
    let schema = list(1, json!("int"));
    let full = of_l(&[json!([1, 2, 3, 4, 5, 6])]);
    check(&schema, &full, "l[*]", fixed(json!([2, 3]), Value::Null), "dense [1,2,3] [[[1,2,3],[4,5,6]]]");
    check(
        &schema,
        &full,
        "l[*]",
        fixed(json!([3, 1, 2]), Value::Null),
        "dense [1,3,1,2] [[[[1,2]],[[3,4]],[[5,6]]]]",
    );
    let short = of_l(&[json!([1, 2, 3, 4])]);
    let default = json!([[10, 20, 30], [40, 50, 60]]);
    check(&schema, &short, "l[*]", fixed(json!([2, 3]), default), "dense [1,2,3] [[[1,2,3],[4,50,60]]]");
    for wrong in [fixed(json!([2, 3]), Value::Null), fixed(json!([2, 1]), Value::Null)] {
        let error = tensor(&schema, &short, "l[*]", &wrong).unwrap_err();
        assert!(error.contains("\"l[*]\", row 0: 4 values, the shape of a row holds"), "{error}");
    }
}

#[test]
fn an_array_of_arrays_is_not_reshaped() {
    let error = tensor(&list(2, json!("int")), &[], "l[*][*]", &fixed(json!([4]), Value::Null)).unwrap_err();
    assert!(error.contains("the column has 2 levels of lists, the shape [4] has 1 dimension"), "{error}");
}

#[test]
fn a_scalar_accepts_exactly_one_element_of_arrays_and_filters() {
    let schema = row(&[(
        "l",
        json!({"type": "array", "items": {"type": "record", "name": "e", "fields": [
            {"name": "k", "type": "string"}, {"name": "v", "type": "int"}]}}),
    )]);
    let records = of_l(&[json!([{"k": "a", "v": 1}, {"k": "b", "v": 2}]), json!([{"k": "b", "v": 3}])]);
    let scalar = || fixed(json!([]), Value::Null);
    check(&schema, &records, "l[k='b'].v", scalar(), "dense [2] [2,3]");
    check(&schema, &records[1..], "l[*].v", scalar(), "dense [1] [3]");
    check(&schema, &records, "l[k='a'].v", fixed(json!([]), json!(-1)), "dense [2] [1,-1]");
    let error = tensor(&schema, &records, "l[*].v", &fixed(json!([]), json!(-1))).unwrap_err();
    assert!(error.contains("\"l[*].v\", row 0: 2 values, the shape of a row holds 1"), "{error}");
    let error = tensor(&schema, &records, "l[k='a'].v", &scalar()).unwrap_err();
    assert!(error.contains("\"l[k='a'].v\", row 1: 0 values, the shape of a row holds 1"), "{error}");
    // One element at any depth.
    let nested = of_l(&[json!([[], [7]]), json!([[8]])]);
    check(&list(2, json!("int")), &nested, "l[*][*]", scalar(), "dense [2] [7,8]");
}

#[test]
fn a_single_value_has_no_dimensions() {
    refused(
        &row(&[("x", json!("int"))]),
        &[],
        "x",
        fixed(json!([1]), Value::Null),
        "tensor \"x\", column \"x\": the key names one value a record, the shape is [1]; take the shape [], or a key with [*]",
    );
}

#[test]
fn too_many_elements_are_an_error_in_every_dimension() {
    let schema = list(2, json!("int"));
    let spec = || fixed(json!([2, 2]), json!([[10, 20], [30, 40]]));
    let error = tensor(&schema, &of_l(&[json!([]), json!([[1], [2], [3]])]), "l[*][*]", &spec()).unwrap_err();
    assert!(error.contains("\"l[*][*]\", row 1: ") && error.contains("3 items in dimension 0"), "{error}");
    let error = tensor(&schema, &of_l(&[json!([[1, 2, 3]])]), "l[*][*]", &spec()).unwrap_err();
    assert!(error.contains("\"l[*][*]\", row 0: ") && error.contains("3 items in dimension 1"), "{error}");
}

#[test]
fn batches_of_empty_arrays_keep_their_rank() {
    let schema = list(3, json!("int"));
    let records = of_l(&[json!([]), json!([])]);
    let key = "l[*][*][*]";
    check(&schema, &records, key, fixed(json!([null, null, null]), json!(0)), "dense [2,0,0,0] [[],[]]");
    check(&schema, &records, key, fixed(json!([0, 5, 6]), Value::Null), "dense [2,0,5,6] [[],[]]");
    check(&schema, &records, key, json!({"kind": "VarLen", "dtype": "int32"}), "sparse [2,0,0,0] {}");
    check(&schema, &records, key, json!({"kind": "Ragged", "dtype": "int32"}), "ragged [[],[]]");
    check(&schema, &[], key, fixed(json!([1, 1, 2]), Value::Null), "dense [0,1,1,2] []");
    check(&schema, &[], key, json!({"kind": "VarLen", "dtype": "int32"}), "sparse [0,0,0,0] {}");
}

#[test]
fn a_sequence_of_a_flat_array_has_items_of_the_shape() {
    let schema = list(1, json!("int"));
    let records = of_l(&[json!([1, 2, 3, 4]), json!([5, 6])]);
    check(&schema, &records, "l[*]", sequence(json!([2])), "dense [2,2,2] [[[1,2],[3,4]],[[5,6],[-1,-1]]]");
    check(&schema, &records, "l[*]", sequence(json!([])), "dense [2,4] [[1,2,3,4],[5,6,-1,-1]]");
}

#[test]
fn a_sequence_of_arrays_is_their_outermost_list() {
    let schema = list(2, json!("int"));
    let records = of_l(&[json!([[1, 2], [3]]), json!([])]);
    // One more list than sizes: the sequence is as long as the longest of the batch.
    check(
        &schema,
        &records,
        "l[*][*]",
        sequence(json!([2])),
        "dense [2,2,2] [[[1,2],[3,-1]],[[-1,-1],[-1,-1]]]",
    );
    // As many lists as sizes: it is the first of them.
    let spec = sequence(json!([3, 2]));
    check(
        &schema,
        &records,
        "l[*][*]",
        spec,
        "dense [2,3,2] [[[1,2],[3,-1],[-1,-1]],[[-1,-1],[-1,-1],[-1,-1]]]",
    );
}

#[test]
fn a_sequence_without_a_default_is_padded_with_zeros_and_empty_strings() {
    let of = |item: &str, records: &[Value], expected: &str| {
        let schema = row(&[("l", json!(["null", {"type": "array", "items": ["null", item]}]))]);
        check(&schema, &of_l(records), "l[*]", sequence_of(json!([]), item, None), expected);
    };
    of("int", &[json!([1, 2, 3]), json!([4]), Value::Null], "dense [3,3] [[1,2,3],[4,0,0],[0,0,0]]");
    of("double", &[json!([0.5, 1.5]), json!([2.5])], "dense [2,2] [[0.5,1.5],[2.5,0.0]]");
    of("boolean", &[json!([true, true]), json!([true])], "dense [2,2] [[true,true],[true,false]]");
    of("string", &[json!(["a", "b"]), json!([])], r#"dense [2,2] [["a","b"],["",""]]"#);
}

/// Returns a `FixedLenSequence` of values of an Avro type.
fn sequence_of(shape: Value, ty: &str, default: Option<Value>) -> Value {
    let dtype = match ty {
        "int" => "int32",
        "double" => "float64",
        "boolean" => "bool",
        _ => "string",
    };
    let mut spec = json!({"kind": "FixedLenSequence", "shape": shape, "dtype": dtype});
    if let Some(default) = default {
        spec["default"] = default;
    }
    spec
}

#[test]
fn a_null_element_of_a_sequence_needs_a_default() {
    for (ty, record, default, expected) in [
        ("int", json!([1, null, 3]), json!(-1), "dense [2,3] [[-1,-1,-1],[1,-1,3]]"),
        ("double", json!([null, 1.5]), json!(0.5), "dense [2,2] [[0.5,0.5],[0.5,1.5]]"),
        ("boolean", json!([null]), json!(true), "dense [2,1] [[true],[true]]"),
        ("string", json!(["a", null]), json!("-"), r#"dense [2,2] [["-","-"],["a","-"]]"#),
    ] {
        let schema = row(&[("l", json!(["null", {"type": "array", "items": ["null", ty]}]))]);
        let null = record.as_array().and_then(|items| items.iter().position(Value::is_null)).unwrap();
        let records = of_l(&[Value::Null, record]);
        let expected_error = format!(
            "tensor \"l[*]\", column \"l[*]\", row 1: element {null} is null; a default would fill it"
        );
        refused(&schema, &records, "l[*]", sequence_of(json!([]), ty, None), &expected_error);
        check(&schema, &records, "l[*]", sequence_of(json!([]), ty, Some(default)), expected);
    }
}

#[test]
fn a_null_element_of_a_sequence_of_arrays_needs_a_default_and_a_null_array_none() {
    let schema = list(1, json!(["null", {"type": "array", "items": ["null", "int"]}]));
    let nulls = of_l(&[json!([]), json!([[1], [2, null]])]);
    let absent = of_l(&[json!([null, [1, 2]]), json!([[3]])]);
    let error = "tensor \"l[*][*]\", column \"l[*][*]\", row 1: element 1 is null; a default would fill it";
    // One more list than sizes, and as many.
    for (shape, with_default, padded) in [
        (
            json!([2]),
            "dense [2,2,2] [[[-1,-1],[-1,-1]],[[1,-1],[2,-1]]]",
            "dense [2,2,2] [[[0,0],[1,2]],[[3,0],[0,0]]]",
        ),
        (
            json!([2, 2]),
            "dense [2,2,2] [[[-1,-1],[-1,-1]],[[1,-1],[2,-1]]]",
            "dense [2,2,2] [[[0,0],[1,2]],[[3,0],[0,0]]]",
        ),
    ] {
        refused(&schema, &nulls, "l[*][*]", sequence_of(shape.clone(), "int", None), error);
        check(&schema, &nulls, "l[*][*]", sequence(shape.clone()), with_default);
        check(&schema, &absent, "l[*][*]", sequence_of(shape, "int", None), padded);
    }
}

#[test]
fn what_is_missing_within_the_elements_of_a_sequence_needs_a_default() {
    let item = json!({"type": "record", "name": "e", "fields": [{"name": "m", "type": {"type": "map", "values": "int"}}]});
    let schema = row(&[("l", json!({"type": "array", "items": item}))]);
    let records = of_l(&[json!([{"m": {"a": 1}}, {"m": {}}])]);
    let error =
        "tensor \"l[*].m['a']\", column \"l[*].m['a']\", row 0: element 1 is null; a default would fill it";
    refused(&schema, &records, "l[*].m['a']", sequence_of(json!([]), "int", None), error);
    check(&schema, &records, "l[*].m['a']", sequence(json!([])), "dense [1,2] [[1,-1]]");
}

#[test]
fn a_sequence_without_allow_missing_takes_full_rows_only() {
    let spec = json!({"kind": "FixedLenSequence", "shape": [], "dtype": "int32", "allow_missing": false});
    let schema = list(1, json!("int"));
    check(&schema, &of_l(&[json!([1, 2]), json!([3, 4])]), "l[*]", spec.clone(), "dense [2,2] [[1,2],[3,4]]");
    let error = tensor(&schema, &of_l(&[json!([1, 2]), json!([3])]), "l[*]", &spec).unwrap_err();
    assert!(error.contains("\"l[*]\", row 1: 1 value"), "{error}");
    let nested =
        json!({"kind": "FixedLenSequence", "shape": [1, 2], "dtype": "int32", "allow_missing": false});
    let error = tensor(&list(2, json!("int")), &of_l(&[json!([[1]])]), "l[*][*]", &nested).unwrap_err();
    assert!(error.contains("\"l[*][*]\", row 0: ") && error.contains("1 item in dimension 1"), "{error}");
}

#[test]
fn types_are_strict() {
    let schema =
        row(&[("i", json!("int")), ("f", json!("float")), ("s", json!("bytes")), ("b", json!("boolean"))]);
    for (key, dtype) in
        [("i", "int64"), ("i", "float32"), ("f", "float64"), ("s", "bool"), ("b", "int32"), ("i", "int8")]
    {
        let spec = json!({"kind": "FixedLen", "shape": [], "dtype": dtype});
        let error = tensor(&schema, &[], key, &spec).unwrap_err();
        assert!(error.contains(&format!("the representation says {dtype}")), "{error}");
    }
}
