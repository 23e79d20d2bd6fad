//! Specs whose columns are found by key expressions: which keys they name, and what becomes of the columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use tensor_repr::{Adapter, FeatureSpec, Kind, Representation};

fn spec(json: &str) -> FeatureSpec {
    FeatureSpec::from_json(json).unwrap()
}

/// Returns a column of lists in lists.
fn column(name: &str, value: DataType, lists: usize) -> Field {
    let list = |item, _| DataType::LargeList(Arc::new(Field::new_list_field(item, true)));
    Field::new(name, (0..lists).fold(value, list), true)
}

/// Returns the spec of the tensor that the columns become.
#[track_caller]
fn made(json: &str, columns: &[Field]) -> String {
    let columns = columns.iter().collect::<Vec<_>>();
    let representation = spec(json).representation_of("t", &columns).unwrap();
    let schema = Arc::new(Schema::new(columns.into_iter().cloned().collect::<Vec<_>>()));
    let adapter = Adapter::builder(schema, [("t", representation)]).build().unwrap();
    adapter.specs()[0].1.to_string()
}

#[track_caller]
fn refused(json: &str, columns: &[Field], kind: Kind, text: &str) {
    let columns = columns.iter().collect::<Vec<_>>();
    let error = spec(json).representation_of("t", &columns).unwrap_err();
    assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string().as_str()), (kind, text));
}

#[test]
fn the_key_is_the_name_unless_there_is_one() {
    for kind in
        [r#""FixedLen", "shape": []"#, r#""VarLen""#, r#""FixedLenSequence", "shape": []"#, r#""Ragged""#]
    {
        let own = spec(&format!(r#"{{"kind": {kind}, "dtype": "int64"}}"#)).keys("a[*].b");
        assert_eq!((own.base, own.keys), (None, vec!["a[*].b".to_owned()]), "{kind}");
        let other = spec(&format!(r#"{{"kind": {kind}, "dtype": "int64", "key": "c"}}"#)).keys("a[*].b");
        assert_eq!((other.base, other.keys), (None, vec!["c".to_owned()]), "{kind}");
    }
}

#[test]
fn keys_of_a_sparse_feature_have_a_base() {
    let of = |key: &str| {
        let json = format!(
            r#"{{"kind": "Sparse", {key} "index_key": ["i", "@j"], "value_key": "v", "dtype": "int64", "size": [2, 3]}}"#
        );
        assert_eq!(FeatureSpec::from_json(&spec(&json).to_json()).unwrap(), spec(&json));
        let keys = spec(&json).keys("name");
        assert_eq!(keys.keys, ["i", "@j", "v"]);
        keys.base.unwrap()
    };
    assert_eq!(of(""), "name");
    assert_eq!(of(r#""key": "cars[*].engine","#), "cars[*].engine");
}

#[test]
fn row_lengths_of_a_ragged_feature_are_keys_too() {
    let json = r#"{"kind": "Ragged", "value_key": "v[*]", "dtype": "int64",
        "partitions": [{"row_lengths": "n[*]"}, {"uniform_row_length": 2}]}"#;
    assert_eq!(spec(json).keys("t").keys, ["v[*]", "n[*]"]);
    let columns = [column("values", DataType::Int64, 1), column("lengths", DataType::Int64, 1)];
    assert_eq!(made(json, &columns), "ragged int64 [?, ?, ?, 2] (int32 splits)");
}

#[test]
fn columns_are_known_by_their_fields_whatever_their_names_hold() {
    let json = r#"{"kind": "VarLen", "key": "a.b", "dtype": "int64"}"#;
    assert_eq!(made(json, &[column("x.y[*].z", DataType::Int64, 1)]), "sparse int64 [?, ?]");
    let json =
        r#"{"kind": "Sparse", "index_key": ["i", "j"], "value_key": "v", "dtype": "string", "size": [2, 3]}"#;
    let columns = [
        column("a.i", DataType::Int64, 1),
        column("@j", DataType::Int32, 0),
        column("a.v", DataType::Binary, 1),
    ];
    assert_eq!(made(json, &columns), "sparse string [?, 2, 3]");
}

#[test]
fn a_sequence_of_arrays_with_as_many_dimensions_as_its_shape_has_that_shape() {
    let json = r#"{"kind": "FixedLenSequence", "shape": [1, 2], "dtype": "int64"}"#;
    for (lists, expected) in
        [(1, "dense int64 [?, ?, 1, 2]"), (2, "dense int64 [?, 1, 2]"), (3, "dense int64 [?, ?, 1, 2]")]
    {
        assert_eq!(made(json, &[column("l", DataType::Int64, lists)]), expected);
    }
    let strict = r#"{"kind": "FixedLenSequence", "shape": [1, 2], "dtype": "int64", "allow_missing": false, "default": 3}"#;
    let Representation::Dense(dense) =
        spec(strict).representation_of("t", &[&column("l", DataType::Int64, 2)]).unwrap()
    else {
        unreachable!()
    };
    assert_eq!((dense.default, dense.padding), (None, None));
}

#[test]
fn single_values_are_for_features_without_lists() {
    let single = || [column("x", DataType::Int64, 0)];
    assert_eq!(made(r#"{"kind": "FixedLen", "shape": [], "dtype": "int64"}"#, &single()), "dense int64 [?]");
    for (json, kind) in [
        (r#"{"kind": "VarLen", "dtype": "int64"}"#, "VarLen"),
        (r#"{"kind": "Ragged", "dtype": "int64"}"#, "Ragged"),
        (r#"{"kind": "FixedLenSequence", "shape": [], "dtype": "int64"}"#, "FixedLenSequence"),
    ] {
        let text = format!(
            "tensor \"t\", column \"x\": the key names one value a record, a {kind} feature needs lists; take a key with [*] or a filter"
        );
        refused(json, &single(), Kind::TypeMismatch, &text);
    }
    refused(
        r#"{"kind": "FixedLen", "shape": [null, 2], "dtype": "int64"}"#,
        &single(),
        Kind::TypeMismatch,
        "tensor \"t\", column \"x\": the key names one value a record, the shape is [?, 2]; take the shape [], or a key with [*]",
    );
}

#[test]
fn a_column_of_nulls_has_any_shape() {
    let json = r#"{"kind": "FixedLen", "shape": [2], "dtype": "float64", "default": [0.5, 1.5]}"#;
    assert_eq!(made(json, &[column("n", DataType::Null, 0)]), "dense float64 [?, 2]");
}

#[test]
fn there_is_a_column_for_each_key() {
    let json = r#"{"kind": "Sparse", "index_key": "i", "value_key": "v", "dtype": "int64", "size": 2}"#;
    let text = "tensor \"t\": there is 1 column for 2 keys";
    refused(json, &[column("i", DataType::Int64, 1)], Kind::InvalidArgument, text);
    let text = "tensor \"t\": there are 0 columns for 2 keys";
    refused(json, &[], Kind::InvalidArgument, text);
}
