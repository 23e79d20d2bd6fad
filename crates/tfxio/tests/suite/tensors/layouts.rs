//! The columns that are read for tensors share their values with them.

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use tfxio::prelude::*;
use tfxio::tensor_repr::{DenseRepresentation, Representation, ScalarValue, Tensor};

use super::records::{File, example, floats, ints, strings};
use super::{by_schema, by_specs, only, tensors};

fn file() -> File {
    File::new([
        example([("one", ints(&[7])), ("many", ints(&[1, 2, 3])), ("place", ints(&[4, 0, 2]))]),
        example([("many", ints(&[])), ("place", ints(&[])), ("words", strings(&["a", "bc"]))]),
        example([("one", ints(&[8])), ("many", ints(&[4])), ("place", ints(&[1])), ("x", floats(&[0.5]))]),
    ])
}

#[test]
fn each_kind_of_tensor() {
    let file = file();
    let text = r#"
        feature { name: "one" type: INT }
        feature { name: "many" type: INT }
        feature { name: "place" type: INT }
        feature { name: "words" type: BYTES }
        feature { name: "x" type: FLOAT }
        tensor_representation_group { key: "" value {
            tensor_representation { key: "one" value { dense_tensor { column_name: "one" shape { }
                default_value { int_value: -1 } } } }
            tensor_representation { key: "placed" value { sparse_tensor { index_column_names: "place"
                value_column_name: "many" dense_shape { dim { size: 5 } } } } }
            tensor_representation { key: "ragged" value { ragged_tensor { feature_path { step: "many" } } } }
            tensor_representation { key: "words" value { varlen_sparse_tensor { column_name: "words" } } }
        } }
        tensor_representation_group { key: "words" value {
            tensor_representation { key: "w" value { varlen_sparse_tensor { column_name: "words" } } }
        } }
    "#;
    let dataset = by_schema(text).open(file.name()).unwrap();
    let batch = only(&tensors(&dataset));
    let shown = batch
        .iter()
        .map(|(name, tensor)| format!("{name} {:?}", tensor.spec().to_string()))
        .collect::<Vec<_>>();
    assert_eq!(
        shown,
        [
            "one \"dense int64 [?]\"",
            "placed \"sparse int64 [?, 5]\"",
            "ragged \"ragged int64 [?, ?] (int64 splits)\"",
            "words \"sparse string [?, 2]\"",
            "x \"sparse float32 [?, 1]\"",
        ]
    );
    assert_eq!(super::ints(&batch[0].1), [7, -1, 8]);
    let Tensor::Sparse(placed) = &batch[1].1 else { panic!("{batch:?}") };
    assert_eq!(placed.indices()[..], [0, 4, 0, 0, 0, 2, 2, 1]);
    let Tensor::Ragged(ragged) = &batch[2].1 else { panic!("{batch:?}") };
    assert_eq!(ragged.row_splits()[0].iter().collect::<Vec<_>>(), [0, 3, 3, 4]);
    // One cell was filled, so the column of three numbers was written anew; all other values are shared.
    assert_eq!(batch.copy_count().values, 3 * 8);

    let group = dataset.tensors_of_group("words").unwrap();
    assert_eq!(group.specs().iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["w"]);
}

#[test]
fn ragged_tensors_of_32_bits_share_their_row_splits() {
    let file = file();
    for row_splits in ["int32", "int64"] {
        let specs =
            format!(r#"{{"many": {{"kind": "Ragged", "dtype": "int64", "row_splits": "{row_splits}"}}}}"#);
        let batch = only(&by_specs(file.name(), &specs));
        assert_eq!(batch[0].1.spec().to_string(), format!("ragged int64 [?, ?] ({row_splits} splits)"));
        let copied = batch.copy_count();
        assert_eq!((copied.values, copied.computed), (0, 0), "{row_splits}");
    }
}

#[test]
fn sequences_and_conversions_ask_for_the_layout_of_what_is_inside() {
    let file = File::new([
        example([("x", ints(&[1, 2, 3, 4])), ("y", ints(&[5, 6]))]),
        example([("x", ints(&[7, 8])), ("y", ints(&[9, 10]))]),
    ]);
    let sequence = r#"{"kind": "sequence", "column": "x", "shape": [], "row_splits": "int32"}"#;
    let cast =
        r#"{"kind": "converted", "of": {"kind": "dense", "column": "y", "shape": [2]}, "cast": "float32"}"#;
    let dataset = tfxio::open(file.name()).unwrap();
    let types = |json: &str| {
        let tensors = dataset.tensors([("t", Representation::from_json(json).unwrap())]).unwrap();
        let schema = dataset.scan_schema(&tensors.request(ScanRequest::new())).unwrap();
        (schema.field(0).data_type().to_string(), only(&tensors))
    };
    let (column, batch) = types(sequence);
    assert_eq!(column, "List(Int64)");
    assert_eq!((batch.num_rows(), batch.copy_count().values), (2, 0));
    let (column, batch) = types(cast);
    assert_eq!(column, "FixedSizeList(2 x Int64)");
    assert_eq!(super::floats(&batch[0].1), [5.0, 6.0, 9.0, 10.0]);
}

#[test]
fn a_default_for_a_part_of_a_row_keeps_lists() {
    let specs = r#"{"many": {"kind": "FixedLen", "shape": [3], "dtype": "int64", "default": -1}}"#;
    let file = file();
    let batch = only(&by_specs(file.name(), specs));
    assert_eq!(super::ints(&batch[0].1), [1, 2, 3, -1, -1, -1, 4, -1, -1]);
}

#[test]
fn padding_for_a_part_of_a_row_keeps_lists() {
    let padded = DenseRepresentation::default().shape(vec![Some(3)]).padding(Some(ScalarValue::Int(-1)));
    let file = file();
    let dataset = tfxio::open(file.name()).unwrap();
    let batch = only(&dataset.tensors([("many", padded.into())]).unwrap());
    assert_eq!(super::ints(&batch[0].1), [1, 2, 3, -1, -1, -1, 4, -1, -1]);
}

#[test]
fn batches_stay_as_tfx_expects_them() {
    let file = File::new([example([("image", floats(&[1.0, 2.0]))])]);
    let text =
        r#"feature { name: "image" type: FLOAT shape { dim { size: 2 } } presence { min_fraction: 1 } }"#;
    let dataset = by_schema(text).open(file.name()).unwrap();
    let batches: Vec<RecordBatch> =
        dataset.read(ScanRequest::new()).unwrap().collect::<Result<_, _>>().unwrap();
    assert!(matches!(batches[0].column(0).data_type(), DataType::LargeList(_)));
    assert_eq!(*dataset.schema(), batches[0].schema());
}
