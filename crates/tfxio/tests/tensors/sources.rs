//! Where representations come from.

use tfxio::tensor_repr::{DenseRepresentation, Representation, feature_specs_from_json};
use tfxio::{ErrorKind, ExampleTfxIo, RawRecordTfxIo, Sample, TensorReadOptions, TensorTfxIo, TfxIo};

use super::records::{File, example, ints};
use super::{fixture, only, schema};

const TEXT: &str = r#"feature { name: "x" type: INT shape { } presence { min_fraction: 1 } }"#;

#[test]
fn a_schema_file_is_text_or_binary() {
    let file = File::new([example([("x", ints(&[5]))])]);
    let (text, binary) = (file.path("schema.pbtxt"), file.path("schema.pb"));
    std::fs::write(&text, TEXT).unwrap();
    std::fs::write(&binary, schema(TEXT).as_binary()).unwrap();
    for path in [text, binary] {
        let dataset = ExampleTfxIo::builder([file.name()]).schema_file(path).build().unwrap();
        assert_eq!(dataset.metadata_schema(), Some(&schema(TEXT)));
        let batch = only(dataset.read_all_tensors(&TensorReadOptions::default()).unwrap());
        assert_eq!(super::ints(&batch[0].1), [5]);
    }
}

#[test]
fn representations_of_ones_own_go_with_an_inferred_schema() {
    let file = File::new([example([("x", ints(&[5])), ("y", ints(&[6, 7]))])]);
    let dense = DenseRepresentation::default().column("y").shape(vec![Some(2)]);
    let dataset = ExampleTfxIo::builder([file.name()])
        .infer_schema(Sample::All)
        .raw_record_column("raw")
        .representations([("y", dense.into())])
        .representations([("raw", Representation::from(DenseRepresentation::default().column("raw")))])
        .build()
        .unwrap();
    let batch = only(dataset.read_all_tensors(&TensorReadOptions::default()).unwrap());
    assert_eq!(batch[0].1.spec().to_string(), "dense string [?]");
    assert_eq!(super::ints(&batch[1].1), [6, 7]);
    // Both are asked for in one builder: one of them must go.
    let specs = feature_specs_from_json(r#"{"y": {"kind": "VarLen", "dtype": "int64"}}"#).unwrap();
    let dense = DenseRepresentation::default().column("y");
    let twice =
        ExampleTfxIo::builder([file.name()]).representations([("y", dense.into())]).feature_specs(specs);
    let error = twice.build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.to_string(), "the tensor \"y\" has a representation and a feature spec; remove one");
}

#[test]
fn raw_records_are_one_tensor_of_strings() {
    let dataset =
        RawRecordTfxIo::new([fixture("tfrecord/six-records.tfrecord.gz")]).unwrap().with_column("bytes");
    let split = &dataset.splits(1 << 20).unwrap()[0];
    let batch = only(dataset.read_tensors(split, &TensorReadOptions::default()).unwrap());
    assert_eq!((&*batch[0].0, batch[0].1.spec().to_string().as_str()), ("bytes", "dense string [?]"));
    assert_eq!(batch[0].1.rows(), 6);

    let named = TensorReadOptions::default().with_tensors(["bytes"]);
    assert_eq!(only(dataset.read_tensors(split, &named).unwrap()), batch);
    let none = dataset.project(&[]).unwrap();
    let adapter = none.tensor_adapter().unwrap();
    assert_eq!((adapter.specs().len(), adapter.original_specs().len()), (0, 1));
    assert!(none.tensor_representations().unwrap().is_empty());
    assert_eq!(
        none.project(&["bytes"]).map(drop).unwrap_err().to_string(),
        "there is no tensor \"bytes\"; there are: none"
    );
}
