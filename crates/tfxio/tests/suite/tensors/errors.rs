//! Errors name the cause, the position and the remedy.

use std::sync::Arc;

use tfxio::prelude::*;
use tfxio::tensor_repr::{Representation, feature_specs_from_json};
use tfxio::{ErrorKind, OnError, Skip};

use super::records::{File, example, ints, strings};
use super::{by_schema, by_specs, failed, fixture, tensors};

const LABEL: &str = r#"feature { name: "label" type: INT shape { } presence { min_fraction: 1 } }"#;
const X: &str = r#"feature { name: "x" type: INT shape { } presence { min_fraction: 1 } }"#;

fn digits(options: &OpenOptions) -> tfxio::Result<Arc<dyn Dataset>> {
    options.open(fixture("digits/digits-00000-of-00003.tfrecord"))
}

#[test]
fn without_a_schema_nothing_is_guessed() {
    let dataset = digits(&OpenOptions::new()).unwrap();
    let error = dataset.representations().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaRequired);
    assert_eq!(
        error.to_string(),
        "the data set does not say what its tensors are; open it with feature specs, representations or a schema of \
         TensorFlow Metadata, or name the tensors"
    );
    let error = dataset.tensors_of_group("serving").unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            ErrorKind::SchemaRequired,
            "the group of representations \"serving\" is of a schema, and the data set was opened without one; set the \
             option \"schema\" to the file of a schema of TensorFlow Metadata"
        )
    );
}

#[test]
fn what_the_schema_does_not_have() {
    let dataset = digits(&by_schema(LABEL)).unwrap();
    let error = tensors(&dataset).select(["label", "image"]).unwrap_err();
    let expected = "there is no tensor \"image\"; the tensors are \"label\"";
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidArgument, expected));
    let error = dataset.tensors_of_group("serving").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the schema has no group of tensor representations \"serving\"; it has none"
    );
    let error = dataset.tensors([("image", Representation::dense([]).column("imge"))]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tensor \"image\", column \"imge\": there is no such column in the batch; it has \"label\""
    );
}

#[test]
fn a_schema_that_cannot_be_read() {
    let file = File::new([]);
    let path = file.path("schema.pbtxt");
    std::fs::write(&path, "feature {\n  name: label\n}\n").unwrap();
    let error = digits(&by_schema(&path)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
    let expected =
        "the schema cannot be read: line 2, column 9: `name` needs a string in quotes, found `label`";
    assert_eq!(error.to_string(), format!("{path}: {expected}"));

    let missing = file.path("no.pbtxt");
    let error = digits(&by_schema(&missing)).unwrap_err();
    assert_eq!(
        (error.kind(), error.position().file.as_deref()),
        (ErrorKind::NotFound, Some(missing.as_str()))
    );
}

#[test]
fn a_row_that_does_not_fit_names_file_record_and_feature() {
    let records = [vec![1, 2], vec![3, 4], vec![5]].map(|values| example([("x", ints(&values))]));
    let file = File::new(records);
    let text = r#"feature { name: "x" type: INT shape { dim { size: 2 } } presence { min_fraction: 1 } }"#;
    let dataset = by_schema(text).open(file.name()).unwrap();
    let (batches, error) = failed(tensors(&dataset).read(ScanRequest::new().batch_rows(2)).unwrap());
    assert_eq!((batches, error.kind()), (1, ErrorKind::SchemaMismatch));
    let position = error.position();
    assert_eq!(
        (position.file.as_deref(), position.record, position.column.as_deref()),
        (Some(file.name().as_str()), Some(2), Some("x"))
    );
    let what = "the record has 1 value, the shape of the tensor \"x\" holds 2";
    assert!(error.to_string().ends_with(what), "{error}");
}

#[test]
fn a_row_that_makes_no_tensor_names_its_record() {
    let x = |value: i64| example([("x", ints(&[value]))]);
    let files = [File::new([x(1), x(2), x(3)]), File::new([x(4), example([]), x(6)])];
    let dataset = by_schema(X).open(files.each_ref().map(File::name)).unwrap();
    let tensors = tensors(&dataset);
    // The record is the second of the second file: in a batch with others, and alone. Batches go on across files.
    for (rows, before) in [(10, 0), (4, 1), (1, 4), (2, 2), (5, 0)] {
        for threads in [1, 3] {
            let request = ScanRequest::new().batch_rows(rows).threads(threads);
            let (batches, error) = failed(tensors.read(request).unwrap());
            assert_eq!((batches, error.kind()), (before, ErrorKind::SchemaMismatch));
            let name = files[1].name();
            let byte = error.position().byte.unwrap();
            assert_eq!(
                error.to_string(),
                format!(
                    "{name}, byte {byte}, record 1, tensor \"x\", column \"x\": the row has no value, and the \
                     representation no default"
                )
            );
            assert_eq!((error.position().file.as_deref(), error.position().record), (Some(&*name), Some(1)));
        }
    }
}

#[test]
fn a_row_of_a_later_partition_is_counted_from_its_first() {
    let file =
        File::new((0..100).map(|at| if at == 90 { example([]) } else { example([("x", ints(&[at]))]) }));
    let dataset = by_schema(X).open(file.name()).unwrap();
    let partitions = dataset.partitions(2000).unwrap();
    let last = partitions.last().unwrap();
    assert!(last.start > 0);
    let (_, error) = failed(tensors(&dataset).scan(last, &ScanRequest::new()).unwrap());
    assert_eq!(error.position().file.as_deref(), Some(&*file.name()));
    assert_eq!(error.position().record, last.first_record.map(|_| 90), "{error}");
    let text = error.to_string();
    assert!(text.contains("tensor \"x\", column \"x\": the row has no value"), "{text}");
    let counted = format!("(in the partition {last}, whose records are numbered from its first)");
    assert_eq!(text.ends_with(&counted), last.first_record.is_none(), "{text}");
}

#[test]
fn a_row_after_damage_is_counted_among_the_good_records() {
    let records = [1, 2, 3].map(|value| example([("x", ints(&[value]))]));
    let file = File::new(records.into_iter().chain([example([])]));
    let mut bytes = std::fs::read(file.name()).unwrap();
    let second = 12 + usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap() + 4;
    bytes[second + 12] ^= 1;
    std::fs::write(file.name(), bytes).unwrap();
    let dataset = by_schema(X).open(file.name()).unwrap();
    let request = || ScanRequest::new().on_error(OnError::Skip(Skip::default()));
    let (_, error) = failed(tensors(&dataset).read(request()).unwrap());
    let good = dataset.read(request()).unwrap().map(|batch| batch.unwrap().num_rows());
    assert_eq!(good.sum::<usize>(), 3);
    assert_eq!((error.position().record, error.position().byte.is_some()), (Some(2), true), "{error}");
}

#[test]
fn specs_that_contradict_each_other_or_the_format() {
    let open = |text: &str| {
        let specs = feature_specs_from_json(text).unwrap();
        digits(&OpenOptions::new().format("example").features(specs)).unwrap_err().to_string()
    };
    assert_eq!(
        open(
            r#"{"a": {"kind": "VarLen", "key": "x", "dtype": "int64"}, "b": {"kind": "VarLen", "key": "x", "dtype": "string"}}"#
        ),
        "tensor \"b\" needs the feature \"x\" as bytes_list, another tensor as int64_list"
    );
    assert_eq!(
        open(r#"{"a": {"kind": "VarLen", "dtype": "float64"}}"#),
        "tensor \"a\": no feature has values of float64; they are int64, float32 or string"
    );
    let file = File::new([example([("label", strings(&["x"]))])]);
    let tensors = by_specs(file.name(), r#"{"label": {"kind": "VarLen", "dtype": "int64"}}"#);
    let (_, error) = failed(tensors.read(ScanRequest::new()).unwrap());
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!((error.position().record, error.position().column.as_deref()), (Some(0), Some("label")));
}
