//! Representations as protos and as JSON.

use golden_cases::proto::metadata::v0 as tfmd;
use golden_cases::proto::metadata::v0::tensor_representation as message;
use golden_cases::proto::metadata::v0::tensor_representation::{Kind as Wire, default_value};
use prost::Message as _;
use tensor_repr::{
    ColumnPath, DefaultValue, DenseRepresentation, Fill, Kind, RaggedPartition, RaggedRepresentation,
    Representation, RowSplitsDType, ScalarValue, SparseRepresentation, StructuredRepresentation,
    VarLenRaggedRepresentation, VarLenSparseRepresentation, json,
};
use tfxio_core::DType;

fn proto(kind: Wire) -> tfmd::TensorRepresentation {
    tfmd::TensorRepresentation { kind: Some(kind) }
}

fn shape(dims: &[(i64, Option<&str>)]) -> Option<tfmd::FixedShape> {
    let dim = |&(size, name): &(i64, Option<&str>)| tfmd::fixed_shape::Dim {
        size: Some(size),
        name: name.map(str::to_owned),
    };
    Some(tfmd::FixedShape { dim: dims.iter().map(dim).collect() })
}

fn path(steps: &[&str]) -> Option<tfmd::Path> {
    Some(tfmd::Path { step: steps.iter().map(|&step| step.to_owned()).collect() })
}

fn dense(default: Option<default_value::Kind>) -> tfmd::TensorRepresentation {
    proto(Wire::DenseTensor(message::DenseTensor {
        column_name: Some("a.b".to_owned()),
        shape: shape(&[(2, Some("rows")), (0, None)]),
        default_value: default.map(|kind| message::DefaultValue { kind: Some(kind) }),
    }))
}

/// Returns every kind of message, with all its fields.
fn messages() -> Vec<tfmd::TensorRepresentation> {
    use message::ragged_tensor::partition;
    let partition = |kind| message::ragged_tensor::Partition { kind: Some(kind) };
    vec![
        dense(None),
        dense(Some(default_value::Kind::IntValue(i64::MIN))),
        dense(Some(default_value::Kind::UintValue(3))),
        dense(Some(default_value::Kind::UintValue(u64::MAX))),
        dense(Some(default_value::Kind::FloatValue(-0.0))),
        dense(Some(default_value::Kind::FloatValue(f64::INFINITY))),
        dense(Some(default_value::Kind::BytesValue(vec![0xff, 0]))),
        dense(Some(default_value::Kind::BytesValue(b"text".to_vec()))),
        proto(Wire::VarlenSparseTensor(message::VarLenSparseTensor { column_name: Some(String::new()) })),
        proto(Wire::SparseTensor(message::SparseTensor {
            dense_shape: shape(&[(-1, None), (10, Some("x"))]),
            index_column_names: vec!["i".to_owned(), "j".to_owned()],
            value_column_name: Some("v".to_owned()),
            already_sorted: Some(true),
        })),
        proto(Wire::RaggedTensor(message::RaggedTensor {
            feature_path: path(&["s", "values"]),
            partition: vec![
                partition(partition::Kind::RowLength("n".to_owned())),
                partition(partition::Kind::UniformRowLength(2)),
            ],
            row_partition_dtype: Some(message::RowPartitionDType::Int32.into()),
        })),
        proto(Wire::RaggedTensor(message::RaggedTensor { feature_path: path(&["s"]), ..Default::default() })),
        proto(Wire::VarlenRaggedTensor(message::VarLenRaggedTensor { column: path(&["s", "t"]) })),
        proto(Wire::StructuredTensor(message::StructuredTensor {
            column: vec![path(&["s", "t"]).unwrap(), path(&["u"]).unwrap()],
        })),
    ]
}

#[test]
fn a_proto_comes_back_as_it_was_by_way_of_json_too() {
    for message in messages() {
        let ours = Representation::from_proto(&message.encode_to_vec()).unwrap();
        let again = Representation::from_json(&ours.to_json()).unwrap();
        assert_eq!(again, ours, "{}", ours.to_json());
        let proto = tfmd::TensorRepresentation::decode(again.to_proto().unwrap().as_slice());
        assert_eq!(proto.unwrap(), message, "{}", ours.to_json());
    }
}

#[test]
fn a_reader_of_the_published_proto_sees_an_unknown_field() {
    /// The published message, as far as it matters.
    #[derive(Clone, PartialEq, prost::Message)]
    struct Published {
        #[prost(message, optional, tag = "1")]
        dense_tensor: Option<message::DenseTensor>,
        #[prost(message, optional, tag = "2")]
        varlen_sparse_tensor: Option<message::VarLenSparseTensor>,
        #[prost(message, optional, tag = "3")]
        sparse_tensor: Option<message::SparseTensor>,
        #[prost(message, optional, tag = "4")]
        ragged_tensor: Option<message::RaggedTensor>,
    }
    let ours = [
        Representation::VarLenRagged(VarLenRaggedRepresentation::default().column("a").dtype(None)),
        Representation::Structured(StructuredRepresentation::default().columns(vec!["a".into()])),
    ];
    for (representation, tag) in ours.iter().zip([50_001u32, 50_000]) {
        let bytes = representation.to_proto().unwrap();
        assert_eq!(Published::decode(bytes.as_slice()).unwrap(), Published::default());
        let mut key = Vec::new();
        prost::encoding::encode_key(tag, prost::encoding::WireType::LengthDelimited, &mut key);
        assert!(bytes.starts_with(&key));
    }
}

#[test]
fn the_same_meaning_gives_the_same_representation() {
    let read =
        |message: &tfmd::TensorRepresentation| Representation::from_proto(&message.encode_to_vec()).unwrap();
    let no_shape = proto(Wire::DenseTensor(message::DenseTensor {
        column_name: Some("a".to_owned()),
        ..Default::default()
    }));
    let scalar = DenseRepresentation::default().column("a");
    assert_eq!(read(&no_shape), Representation::Dense(scalar));
    for dtype in [message::RowPartitionDType::Int64, message::RowPartitionDType::Unspecified] {
        let ragged = proto(Wire::RaggedTensor(message::RaggedTensor {
            feature_path: path(&["a"]),
            row_partition_dtype: Some(dtype.into()),
            ..Default::default()
        }));
        let plain = RaggedRepresentation::default().column("a");
        assert_eq!(read(&ragged), Representation::Ragged(plain));
    }
}

#[test]
fn what_the_proto_cannot_say_is_refused() {
    let column = || ColumnPath::from("a");
    let dense = |change: fn(&mut DenseRepresentation)| {
        let mut dense = DenseRepresentation::default().column(column());
        change(&mut dense);
        Representation::Dense(dense)
    };
    let sparse = |change: fn(&mut SparseRepresentation)| {
        let mut sparse = SparseRepresentation::default().value_column(column());
        change(&mut sparse);
        Representation::Sparse(sparse)
    };
    let cases = [
        (dense(|it| it.shape = vec![None]), "a dimension of unknown size in a dense tensor"),
        (dense(|it| it.dtype = Some(DType::Int8)), "a dtype"),
        (dense(|it| it.default = Some(DefaultValue::Full(vec![]))), "a default with a value for each cell"),
        (dense(|it| it.default = Some(DefaultValue::Scalar(ScalarValue::Bool(true)))), "a bool as default"),
        (
            dense(|it| {
                it.default = Some(DefaultValue::Scalar(ScalarValue::Int(1)));
                it.fill = Fill::Shortfall;
            }),
            "a default that fills rows up",
        ),
        (dense(|it| it.padding = Some(ScalarValue::Int(0))), "what short rows are padded with"),
        (
            dense(|it| it.column = ColumnPath::new(["a", "b"])),
            "a path into a struct where the proto has a column name",
        ),
        (sparse(|it| it.sort = true), "that indices are to be sorted"),
        (sparse(|it| it.kept_dims = 1), "list levels that stay as dimensions"),
        (sparse(|it| it.dense_shape = vec![Some(u64::MAX)]), "a size beyond 63 bits"),
        (sparse(|it| it.dtype = Some(DType::Int8)), "a dtype"),
        (
            Representation::VarLenSparse(
                VarLenSparseRepresentation::default().column(column()).rank(Some(1)).dtype(None),
            ),
            "a rank",
        ),
        (
            Representation::VarLenRagged(
                VarLenRaggedRepresentation::default().column(column()).dtype(Some(DType::Int8)),
            ),
            "a dtype",
        ),
        (
            Representation::Ragged(
                RaggedRepresentation::default()
                    .column(column())
                    .partitions(vec![RaggedPartition::UniformRowLength(u64::MAX)]),
            ),
            "a row length beyond 63 bits",
        ),
    ];
    for (representation, what) in cases {
        let error = representation.to_proto().unwrap_err();
        assert_eq!(*error.detail::<Kind>().unwrap(), Kind::NotExpressible);
        let wanted = format!("a TensorRepresentation message cannot say {what}; the JSON form can");
        assert!(error.to_string().ends_with(&wanted), "{error}");
        assert_eq!(Representation::from_json(&representation.to_json()).unwrap(), representation);
    }
}

#[test]
fn a_proto_that_makes_no_sense_is_refused() {
    use message::ragged_tensor::{Partition, partition};
    let dense = |size| {
        let shape = shape(&[(size, None)]);
        proto(Wire::DenseTensor(message::DenseTensor { shape, ..Default::default() }))
    };
    let sparse = |size| {
        let dense_shape = shape(&[(size, None)]);
        proto(Wire::SparseTensor(message::SparseTensor { dense_shape, ..Default::default() }))
    };
    let ragged = |kind| {
        let partition = vec![Partition { kind }];
        proto(Wire::RaggedTensor(message::RaggedTensor { partition, ..Default::default() }))
    };
    let no_default = proto(Wire::DenseTensor(message::DenseTensor {
        default_value: Some(message::DefaultValue { kind: None }),
        ..Default::default()
    }));
    let cases = [
        (
            tfmd::TensorRepresentation::default(),
            "the representation has no kind: set dense_tensor or one of its like",
        ),
        (dense(-1), "a dense tensor has a dimension of size -1"),
        (sparse(-2), "a sparse tensor has a dimension of size -2; -1 is unknown"),
        (no_default, "the default_value has no value: set int_value or one of its like"),
        (ragged(None), "a partition has no kind: set row_length or uniform_row_length"),
        (
            ragged(Some(partition::Kind::UniformRowLength(-2))),
            "a ragged tensor has a uniform row length of -2",
        ),
    ];
    for (message, text) in cases {
        let error = Representation::from_proto(&message.encode_to_vec()).unwrap_err();
        assert_eq!(
            (*error.detail::<Kind>().unwrap(), error.to_string().as_str()),
            (Kind::InvalidRepresentation, text)
        );
    }
}

#[test]
fn bytes_that_are_not_a_proto_are_refused() {
    let error = Representation::from_proto(&[0x0a, 9]).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::MalformedProto));
    assert!(error.to_string().starts_with("the bytes are not a TensorRepresentation: "), "{error}");
}

#[test]
fn json_says_everything() {
    let text = r#"{
  "all": {
    "kind": "dense",
    "column": ["s", "a"],
    "shape": [2, null],
    "default": [true, 1, 1.0, "x", {"hex": "ff"}, {"float": "-Infinity"}, 18446744073709551615],
    "fill": "shortfall",
    "dim_names": ["rows", null],
    "dtype": "int64"
  },
  "padded": {"kind": "dense", "column": "p", "shape": [null], "padding": {"hex": "ff"}},
  "ragged": {
    "kind": "ragged",
    "column": "r",
    "partitions": [{"row_lengths": "n"}, {"uniform_row_length": 2}],
    "row_splits": "int32"
  },
  "sparse": {"kind": "sparse", "dense_shape": [null, 3], "index_columns": ["i", "j"], "value_column": "v",
    "sort": true, "kept_dims": 1}
}"#;
    let read = json::representations_from_json(text).unwrap();
    assert_eq!(
        read["all"],
        Representation::Dense(
            DenseRepresentation::default()
                .column(ColumnPath::new(["s", "a"]))
                .shape(vec![Some(2), None])
                .default_value(Some(DefaultValue::Full(vec![
                    ScalarValue::Bool(true),
                    ScalarValue::Int(1),
                    ScalarValue::Float(1.0),
                    ScalarValue::Bytes(b"x".to_vec()),
                    ScalarValue::Bytes(vec![0xff]),
                    ScalarValue::Float(f64::NEG_INFINITY),
                    ScalarValue::UInt(u64::MAX),
                ])))
                .fill(Fill::Shortfall)
                .padding(None)
                .dim_names(vec![Some("rows".into()), None])
                .dtype(Some(DType::Int64))
        )
    );
    assert_eq!(
        read["padded"],
        Representation::Dense(
            DenseRepresentation::default()
                .column("p")
                .shape(vec![None])
                .padding(Some(ScalarValue::Bytes(vec![0xff])))
        )
    );
    let Representation::Ragged(ragged) = &read["ragged"] else { unreachable!() };
    assert_eq!(ragged.row_splits, RowSplitsDType::Int32);
    assert_eq!(json::representations_from_json(&json::representations_to_json(&read)).unwrap(), read);
}

#[test]
fn a_path_without_steps_has_no_first_step_and_no_parent() {
    let error = ColumnPath::default().parent().unwrap_err();
    assert_eq!(error.to_string(), "a column path without steps has no parent");
    assert_eq!(
        ColumnPath::default().initial_step().unwrap_err().kind(),
        tfxio_base::ErrorKind::InvalidArgument
    );
}
