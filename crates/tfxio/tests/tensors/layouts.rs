//! The columns that are read for tensors share their values with them.

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use tfxio::tensor_repr::{DenseRepresentation, Scalar, Tensor, feature_specs_from_json};
use tfxio::{ExampleTfxIo, ReadOptions, Sample, TensorReadOptions, TensorTfxIo, TfxIo};

use super::records::{File, example, floats, ints, strings};
use super::{only, schema};

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
    let builder = || ExampleTfxIo::builder([file.name()]).metadata_schema(schema(text));
    let dataset = builder().build().unwrap();
    let mut reader = dataset.read_all_tensors(&TensorReadOptions::default()).unwrap();
    let batch = reader.next().unwrap().unwrap();
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
    assert_eq!(reader.copy_count().unwrap().values, 3 * 8);

    let group = builder().representation_group("words").build().unwrap();
    assert_eq!(group.tensor_representations().unwrap().keys().collect::<Vec<_>>(), ["w"]);
}

#[test]
fn ragged_tensors_of_32_bits_share_their_row_splits() {
    let file = file();
    for (row_splits, expected) in [("int32", "int32"), ("int64", "int64")] {
        let specs =
            format!(r#"{{"many": {{"kind": "Ragged", "dtype": "int64", "row_splits": "{row_splits}"}}}}"#);
        let specs = feature_specs_from_json(&specs).unwrap();
        let dataset = ExampleTfxIo::builder([file.name()]).feature_specs(specs).build().unwrap();
        let mut reader = dataset.read_all_tensors(&TensorReadOptions::default()).unwrap();
        let batch = reader.next().unwrap().unwrap();
        assert_eq!(batch[0].1.spec().to_string(), format!("ragged int64 [?, ?] ({expected} splits)"));
        let copied = reader.copy_count().unwrap();
        assert_eq!((copied.values, copied.computed), (0, 0), "{row_splits}");
    }
}

#[test]
fn a_default_for_a_part_of_a_row_keeps_lists() {
    let file = file();
    let specs = r#"{"many": {"kind": "FixedLen", "shape": [3], "dtype": "int64", "default": -1}}"#;
    let specs = feature_specs_from_json(specs).unwrap();
    let dataset = ExampleTfxIo::builder([file.name()]).feature_specs(specs).build().unwrap();
    let batch = only(dataset.read_all_tensors(&TensorReadOptions::default()).unwrap());
    assert_eq!(super::ints(&batch[0].1), [1, 2, 3, -1, -1, -1, 4, -1, -1]);
}

#[test]
fn padding_for_a_part_of_a_row_keeps_lists() {
    let file = file();
    let padded =
        DenseRepresentation::default().column("many").shape(vec![Some(3)]).padding(Some(Scalar::Int(-1)));
    let dataset = ExampleTfxIo::builder([file.name()])
        .infer_schema(Sample::All)
        .representations([("many", padded.into())])
        .build()
        .unwrap();
    let named = TensorReadOptions::default().with_tensors(["many"]);
    let batch = only(dataset.read_all_tensors(&named).unwrap());
    assert_eq!(super::ints(&batch[0].1), [1, 2, 3, -1, -1, -1, 4, -1, -1]);
}

#[test]
fn batches_stay_as_tfx_expects_them() {
    let file = File::new([example([("image", floats(&[1.0, 2.0]))])]);
    let text =
        r#"feature { name: "image" type: FLOAT shape { dim { size: 2 } } presence { min_fraction: 1 } }"#;
    let dataset = ExampleTfxIo::builder([file.name()]).metadata_schema(schema(text)).build().unwrap();
    let batches: Vec<RecordBatch> =
        dataset.read_all(&ReadOptions::default()).unwrap().collect::<Result<_, _>>().unwrap();
    assert!(matches!(batches[0].column(0).data_type(), DataType::LargeList(_)));
    assert_eq!(dataset.arrow_schema().unwrap(), batches[0].schema());
}
