//! Sources of representations.

use tfxio::ErrorKind;
use tfxio::prelude::*;
use tfxio::tensor_repr::{Representation, TfmdSchema, feature_specs_from_json};

use super::records::{File, example, ints};
use super::{fixture, only, tensors};

const TEXT: &str = r#"feature { name: "x" type: INT shape { } presence { min_fraction: 1 } }"#;

#[test]
fn a_schema_file_is_text_or_binary() {
    let file = File::new([example([("x", ints(&[5]))])]);
    let (text, binary) = (file.path("schema.pbtxt"), file.path("schema.pb"));
    std::fs::write(&text, TEXT).unwrap();
    std::fs::write(&binary, TfmdSchema::from_text(TEXT).unwrap().as_binary()).unwrap();
    for path in [text, binary] {
        let dataset = OpenOptions::new().set("schema", path.as_str()).unwrap().open(file.name()).unwrap();
        assert_eq!(super::ints(&only(&tensors(&dataset))[0].1), [5]);
        // The description has the schema, so that another process needs no file.
        std::fs::remove_file(path).unwrap();
        let spec = serde_json::to_string(&dataset.spec().unwrap()).unwrap();
        let again = serde_json::from_str::<tfxio::DatasetSpec>(&spec).unwrap().open().unwrap();
        assert_eq!(super::ints(&only(&tensors(&again))[0].1), [5]);
    }
}

#[test]
fn a_schema_without_features_is_not_the_name_of_a_file() {
    let file = File::new([example([("x", ints(&[5]))])]);
    let path = file.path("schema.pbtxt");
    std::fs::write(&path, "generate_legacy_feature_spec: true").unwrap();
    let dataset = OpenOptions::new().format("example").set("schema", path.as_str()).unwrap();
    let spec = dataset.open(file.name()).unwrap().spec().unwrap();
    std::fs::remove_file(path).unwrap();
    assert_eq!(spec.open().unwrap().schema().fields().len(), 0);
}

#[test]
fn representations_of_ones_own_go_with_an_inferred_schema() {
    let file = File::new([example([("x", ints(&[5])), ("y", ints(&[6, 7]))])]);
    let dataset = OpenOptions::new().set("raw_record_column", "raw").unwrap().open(file.name()).unwrap();
    let tensors = [("raw", Representation::dense([])), ("y", Representation::dense([2]))];
    let batch = only(&dataset.tensors(tensors).unwrap());
    assert_eq!(batch[0].1.spec().to_string(), "dense string [?]");
    assert_eq!(super::ints(&batch[1].1), [6, 7]);
}

#[test]
fn representations_are_an_option_of_every_format() {
    let file = File::new([example([("x", ints(&[5])), ("y", ints(&[6, 7]))])]);
    let json = r#"{"both": {"kind": "dense", "column": "y", "shape": [2]}}"#;
    let path = file.path("representations.json");
    std::fs::write(&path, json).unwrap();
    for value in [json, &path] {
        let options = OpenOptions::new().set("representations", value).unwrap();
        let dataset = options.open(file.name()).unwrap();
        let again = dataset.spec().unwrap().open().unwrap();
        for dataset in [dataset, again] {
            let batch = only(&tensors(&dataset));
            assert_eq!((&*batch[0].0, super::ints(&batch[0].1)), ("both", &[6, 7][..]));
        }
    }
    let specs = feature_specs_from_json(r#"{"y": {"kind": "VarLen", "dtype": "int64"}}"#).unwrap();
    let twice = OpenOptions::new().set("representations", json).unwrap().features(specs);
    let error = twice.open(file.name()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.to_string(),
        "feature specs and representations are given, and each says what the tensors are; give one"
    );
}

#[test]
fn a_feature_that_no_record_has_is_a_column_of_the_specs() {
    let file = File::new([example([("x", ints(&[5]))])]);
    let specs = r#"{"y": {"kind": "FixedLen", "shape": [], "dtype": "int64", "default": -1}}"#;
    let batch = only(&super::by_specs(file.name(), specs));
    assert_eq!(super::ints(&batch[0].1), [-1]);
}

#[test]
fn raw_records_are_one_tensor_of_strings() {
    let options = OpenOptions::new().format("raw").set("column", "bytes").unwrap();
    let dataset = options.open(fixture("tfrecord/six-records.tfrecord.gz")).unwrap();
    let tensors = tensors(&dataset);
    let batch = only(&tensors);
    assert_eq!((&*batch[0].0, batch[0].1.spec().to_string().as_str()), ("bytes", "dense string [?]"));
    assert_eq!(batch[0].1.rows(), 6);
    assert_eq!(only(&tensors.select(["bytes"]).unwrap())[..], batch[..]);
    let none = tensors.select([""; 0]).unwrap();
    assert_eq!((none.specs().len(), none.original_specs().len()), (0, 1));
    assert_eq!(only(&none).num_rows(), 6);
    assert_eq!(
        none.select(["bytes"]).map(drop).unwrap_err().to_string(),
        "there is no tensor \"bytes\"; there are no tensors"
    );
}

#[cfg(unix)]
#[test]
fn choosing_tensors_leaves_a_pipe_to_the_first_that_reads_it() {
    let file = File::new([example([("x", ints(&[5]))])]);
    let bytes = std::fs::read(file.name()).unwrap();
    let pipe = file.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::write(pipe, bytes).unwrap()
    });
    let dataset = super::by_schema(TEXT).open(&pipe).unwrap();
    let tensors = tensors(&dataset);
    assert_eq!(tensors.specs().len(), 1);
    assert_eq!(super::ints(&only(&tensors)[0].1), [5]);
    writer.join().unwrap();
}
