//! Feature specs become representations, and are JSON.

use tensor_repr::{
    ColumnPath, DefaultValue, DenseRepresentation, FeatureSpec, Fill, FixedLen, FixedLenSequence, Kind,
    RaggedFeature, RaggedPartition, RaggedRepresentation, Representation, RowSplitsDType, ScalarValue,
    SparseFeature, SparseRepresentation, SpecDefault, VarLen, VarLenSparseRepresentation,
};
use tfxio_core::DType;

fn dense(shape: &[Option<usize>], default: Option<DefaultValue>) -> DenseRepresentation {
    DenseRepresentation::default()
        .column("x")
        .shape(shape.to_vec())
        .default_value(default)
        .fill(Fill::Shortfall)
        .dtype(Some(DType::Int64))
}

/// Checks that the JSON is that spec, and the spec is that representation.
#[track_caller]
fn check(json: &str, spec: FeatureSpec, representation: Representation) {
    assert_eq!(FeatureSpec::from_json(json).unwrap(), spec);
    assert_eq!(FeatureSpec::from_json(&spec.to_json()).unwrap(), spec, "{}", spec.to_json());
    assert_eq!(spec.representation("x").unwrap(), representation);
}

#[test]
fn fixed_len_fills_a_shortfall() {
    check(
        r#"{"kind": "FixedLen", "shape": [], "dtype": "int64"}"#,
        FeatureSpec::FixedLen(FixedLen::new(vec![], DType::Int64)),
        Representation::Dense(dense(&[], None)),
    );
    let ints = |values: &[i64]| values.iter().map(|&value| ScalarValue::Int(value)).collect::<Vec<_>>();
    check(
        r#"{"kind": "FixedLen", "key": "y", "shape": [1, 2], "dtype": "int64", "default": [[5, 6]]}"#,
        FeatureSpec::FixedLen(
            FixedLen::new(vec![Some(1), Some(2)], DType::Int64)
                .key(Some("y".into()))
                .default(Some(SpecDefault::Full { shape: vec![1, 2], values: ints(&[5, 6]) })),
        ),
        Representation::Dense(
            dense(&[Some(1), Some(2)], Some(DefaultValue::Full(ints(&[5, 6])))).column("y"),
        ),
    );
    check(
        r#"{"kind": "FixedLen", "shape": [null, 2], "dtype": "int64", "default": 7}"#,
        FeatureSpec::FixedLen(
            FixedLen::new(vec![None, Some(2)], DType::Int64)
                .default(Some(SpecDefault::Scalar(ScalarValue::Int(7)))),
        ),
        Representation::Dense(dense(&[None, Some(2)], Some(DefaultValue::from(7)))),
    );
}

#[test]
fn a_sequence_is_padded_unless_nothing_may_be_missing() {
    check(
        r#"{"kind": "FixedLenSequence", "shape": [2], "dtype": "int64"}"#,
        FeatureSpec::FixedLenSequence(FixedLenSequence::new(vec![2], DType::Int64)),
        Representation::Dense(dense(&[None, Some(2)], None).padding(Some(ScalarValue::Int(0)))),
    );
    check(
        r#"{"kind": "FixedLenSequence", "shape": [2], "dtype": "int64", "default": 9}"#,
        FeatureSpec::FixedLenSequence(
            FixedLenSequence::new(vec![2], DType::Int64).default(Some(ScalarValue::Int(9))),
        ),
        Representation::Dense(dense(&[None, Some(2)], Some(DefaultValue::from(9)))),
    );
    check(
        r#"{"kind": "FixedLenSequence", "shape": [], "dtype": "int64", "default": 9, "allow_missing": false}"#,
        FeatureSpec::FixedLenSequence(
            FixedLenSequence::new(vec![], DType::Int64)
                .default(Some(ScalarValue::Int(9)))
                .allow_missing(false),
        ),
        Representation::Dense(dense(&[None], None)),
    );
}

#[test]
fn var_len_sparse_and_ragged_are_as_tensorflow_names_them() {
    check(
        r#"{"kind": "VarLen", "dtype": "string", "rank": 2}"#,
        FeatureSpec::VarLen(VarLen::new(DType::String).rank(Some(2))),
        Representation::VarLenSparse(
            VarLenSparseRepresentation::default().column("x").rank(Some(2)).dtype(Some(DType::String)),
        ),
    );
    let sparse = |index: &[&str], size: &[Option<u64>]| {
        SparseFeature::new(index.iter().copied(), "v", DType::Float32, size.to_vec())
    };
    let representation = |index: &[&str], size: &[Option<u64>], kept_dims| {
        Representation::Sparse(
            SparseRepresentation::default()
                .dense_shape(size.to_vec())
                .index_columns(index.iter().copied().map(Into::into).collect())
                .value_column("v")
                .sort(true)
                .kept_dims(kept_dims)
                .dtype(Some(DType::Float32)),
        )
    };
    check(
        r#"{"kind": "Sparse", "index_key": "i", "value_key": "v", "dtype": "float32", "size": 10}"#,
        FeatureSpec::Sparse(sparse(&["i"], &[Some(10)])),
        representation(&["i"], &[Some(10)], 0),
    );
    check(
        r#"{"kind": "Sparse", "index_key": ["i", "j"], "value_key": "v", "dtype": "float32", "size": [null, 10, 20]}"#,
        FeatureSpec::Sparse(sparse(&["i", "j"], &[None, Some(10), Some(20)])),
        representation(&["i", "j"], &[None, Some(10), Some(20)], 1),
    );
    let partitions = vec![RaggedPartition::RowLengths("n".into()), RaggedPartition::UniformRowLength(2)];
    check(
        r#"{"kind": "Ragged", "value_key": ["s", "v"], "dtype": "uint8",
            "partitions": [{"row_lengths": "n"}, {"uniform_row_length": 2}]}"#,
        FeatureSpec::Ragged(
            RaggedFeature::new(DType::UInt8)
                .value_key(Some(ColumnPath::new(["s", "v"])))
                .partitions(partitions.clone()),
        ),
        Representation::Ragged(
            RaggedRepresentation::default()
                .column(ColumnPath::new(["s", "v"]))
                .partitions(partitions)
                .row_splits(RowSplitsDType::Int32)
                .dtype(Some(DType::UInt8)),
        ),
    );
}

#[test]
fn a_default_of_one_row_leaves_the_first_dimension_to_the_batch() {
    let of = |json: &str| FeatureSpec::from_json(json).unwrap().representation("x");
    let open = r#"{"kind": "FixedLen", "shape": [null, 3], "dtype": "int64", "default": [1, 2, 3]}"#;
    let known = r#"{"kind": "FixedLen", "shape": [3], "dtype": "int64", "default": [1, 2, 3]}"#;
    assert_eq!(of(open).unwrap(), of(known).unwrap());
    let matrix = r#"{"kind": "FixedLen", "shape": [null, 1, 2], "dtype": "int64", "default": [[1, 2]]}"#;
    let known = r#"{"kind": "FixedLen", "shape": [1, 2], "dtype": "int64", "default": [[1, 2]]}"#;
    assert_eq!(of(matrix).unwrap(), of(known).unwrap());
    for wrong in ["[1, 2]", "[[1, 2, 3]]", "[[1], [2], [3]]"] {
        let json =
            format!(r#"{{"kind": "FixedLen", "shape": [null, 3], "dtype": "int64", "default": {wrong}}}"#);
        let error = of(&json).unwrap_err();
        assert!(error.to_string().contains("the feature [?, 3]"), "{error}");
    }
}

#[test]
fn a_spec_that_contradicts_itself_is_refused() {
    let check = |json: &str, text: &str| {
        let error = FeatureSpec::from_json(json).unwrap().representation("x").unwrap_err();
        assert_eq!(
            (*error.detail::<Kind>().unwrap(), error.to_string().as_str()),
            (Kind::InvalidRepresentation, text)
        );
    };
    check(
        r#"{"kind": "FixedLen", "shape": [1, 2], "dtype": "int64", "default": [5, 6]}"#,
        "tensor \"x\": the default has the shape [2], the feature [1, 2]; give a scalar or a value for each cell",
    );
    check(
        r#"{"kind": "FixedLen", "shape": [null], "dtype": "int64", "default": [5]}"#,
        "tensor \"x\": the default has the shape [1], the feature [?]; give a scalar or a value for each cell",
    );
    check(
        r#"{"kind": "Sparse", "index_key": [], "value_key": "v", "dtype": "int64", "size": []}"#,
        "tensor \"x\": a sparse feature needs at least one index key",
    );
    check(
        r#"{"kind": "Sparse", "index_key": ["a", "b"], "value_key": "v", "dtype": "int64", "size": 3}"#,
        "tensor \"x\": 1 size for 2 index keys; give one for each",
    );
    let short = SpecDefault::Full { shape: vec![2], values: vec![ScalarValue::Int(1)] };
    let short = FixedLen::new(vec![Some(2)], DType::Int64).default(Some(short));
    let error = FeatureSpec::FixedLen(short).representation("x").unwrap_err();
    assert_eq!(error.to_string(), "tensor \"x\": the default of shape [2] has 1 value");
}
