//! What goes wrong says what, where and what to do.

use tfxio::tensor_repr::{DenseRepresentation, Representation, feature_specs_from_json};
use tfxio::{
    ErrorKind, ExampleTfxIo, ReadOptions, RecordOptions, Salvage, Sample, TensorReadOptions, TensorTfxIo,
    TfxIo,
};

use super::records::{File, example, ints, strings};
use super::{failed, fixture, schema};

const LABEL: &str = r#"feature { name: "label" type: INT shape { } presence { min_fraction: 1 } }"#;

fn digits() -> tfxio::ExampleTfxIoBuilder {
    ExampleTfxIo::builder([fixture("digits/digits-00000-of-00003.tfrecord")])
}

#[test]
fn without_a_schema_nothing_is_guessed() {
    for dataset in [digits().build().unwrap(), digits().infer_schema(Sample::All).build().unwrap()] {
        let errors = [
            dataset.tensor_representations().unwrap_err(),
            dataset.tensor_adapter().unwrap_err(),
            dataset.project(&["label"]).map(drop).unwrap_err(),
            dataset.read_all_tensors(&TensorReadOptions::default()).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::SchemaRequired);
            assert_eq!(
                error.to_string(),
                "the data set does not say what its tensors are; give a schema of TensorFlow Metadata (`schema_file`), \
                 representations or feature specs"
            );
        }
    }
    // Representations that leave the dtype to the column need a schema of columns.
    let dense = DenseRepresentation::default().column("label");
    let dataset = digits().representations([("label", Representation::from(dense))]).build().unwrap();
    let error = dataset.tensor_adapter().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaRequired);
    let error = digits().representation_group("serving").build().unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            ErrorKind::SchemaRequired,
            "the group of representations \"serving\" is asked for without a schema; give one"
        )
    );
}

#[test]
fn what_the_schema_does_not_have() {
    let dataset = digits().metadata_schema(schema(LABEL)).build().unwrap();
    let expected = "there is no tensor \"image\"; there are: \"label\"";
    let options = TensorReadOptions::default().with_tensors(["image"]);
    for error in [
        dataset.project(&["label", "image"]).map(drop).unwrap_err(),
        dataset.read_all_tensors(&options).unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidArgument, expected));
    }
    let error = digits().metadata_schema(schema(LABEL)).representation_group("serving").build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the schema has no group of tensor representations \"serving\"; it has none"
    );
    let dense = DenseRepresentation::default().column("imge");
    let builder = digits().metadata_schema(schema(LABEL)).representations([("image", dense.into())]);
    assert_eq!(
        builder.build().unwrap_err().to_string(),
        "tensor \"image\", column \"imge\": there is no such column in the batch; it has \"label\""
    );
}

#[test]
fn a_schema_that_cannot_be_read() {
    let file = File::new([]);
    let path = file.path("schema.pbtxt");
    std::fs::write(&path, "feature {\n  name: label\n}\n").unwrap();
    let error = digits().schema_file(path.as_str()).build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
    let expected =
        "the schema cannot be read: line 2, column 9: `name` needs a string in quotes, found `label`";
    assert_eq!(error.to_string(), format!("{path}: {expected}"));

    let missing = file.path("no.pbtxt");
    let error = digits().schema_file(missing.as_str()).build().unwrap_err();
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
    let dataset = ExampleTfxIo::builder([file.name()]).metadata_schema(schema(text)).build().unwrap();
    let reader = dataset.read_all_tensors(&TensorReadOptions::default().with_batch_size(2)).unwrap();
    let (batches, error) = failed(reader);
    assert_eq!((batches, error.kind()), (1, ErrorKind::SchemaMismatch));
    let position = error.position();
    assert_eq!(
        (position.file.as_deref(), position.record, position.column.as_deref()),
        (Some(file.name().as_str()), Some(2), Some("x"))
    );
}

#[test]
fn a_row_that_makes_no_tensor_names_its_record() {
    let x = |value: i64| example([("x", ints(&[value]))]);
    let files = [File::new([x(1), x(2), x(3)]), File::new([x(4), example([]), x(6)])];
    let text = r#"feature { name: "x" type: INT shape { } presence { min_fraction: 1 } }"#;
    // The record is the fifth of all: in a batch with others, alone, and in one that began in the file before.
    for (rows, before) in [(10, 0), (4, 1), (1, 4), (2, 2), (5, 0)] {
        for threads in [1, 3] {
            let dataset = ExampleTfxIo::builder(files.each_ref().map(File::name))
                .metadata_schema(schema(text))
                .record_options(RecordOptions::default().with_threads(threads))
                .build()
                .unwrap();
            let options = TensorReadOptions::default().with_batch_size(rows);
            let (batches, error) = failed(dataset.read_all_tensors(&options).unwrap());
            assert_eq!((batches, error.kind()), (before, ErrorKind::SchemaMismatch));
            assert_eq!(
                error.to_string(),
                format!(
                    "{}, record 1, tensor \"x\", column \"x\": the row has no value, and the representation no default",
                    files[1].name()
                )
            );
            let position = error.position();
            assert_eq!((position.file.as_deref(), position.record), (Some(&*files[1].name()), Some(1)));
        }
    }
}

#[test]
fn a_row_of_a_later_split_is_counted_from_its_first() {
    let file =
        File::new((0..100).map(|at| if at == 90 { example([]) } else { example([("x", ints(&[at]))]) }));
    let text = r#"feature { name: "x" type: INT shape { } presence { min_fraction: 1 } }"#;
    let dataset = ExampleTfxIo::builder([file.name()]).metadata_schema(schema(text)).build().unwrap();
    let splits = dataset.splits(2000).unwrap();
    let last = splits.last().unwrap();
    assert!(last.start > 0);
    let (_, error) = failed(dataset.read_tensors(last, &TensorReadOptions::default()).unwrap());
    assert_eq!((error.position().file.as_deref(), error.position().record), (Some(&*file.name()), None));
    let text = error.to_string();
    let record = text.strip_prefix(&format!("{}, record ", file.name())).unwrap();
    let (record, rest) = record.split_once(", ").unwrap();
    assert!(record.parse::<u64>().unwrap() < 90, "{text}");
    assert_eq!(
        rest,
        format!(
            "tensor \"x\", column \"x\": the row has no value, and the representation no default (in the split {last}, whose \
             records are numbered from its first)"
        )
    );
}

#[test]
fn a_row_behind_damage_is_counted_among_the_good_records() {
    let records = [1, 2, 3].map(|value| example([("x", ints(&[value]))]));
    let file = File::new(records.into_iter().chain([example([])]));
    let mut bytes = std::fs::read(file.name()).unwrap();
    let second = 12 + usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap() + 4;
    bytes[second + 12] ^= 1;
    std::fs::write(file.name(), bytes).unwrap();
    let text = r#"feature { name: "x" type: INT shape { } presence { min_fraction: 1 } }"#;
    let dataset = ExampleTfxIo::builder([file.name()])
        .metadata_schema(schema(text))
        .record_options(RecordOptions::default().with_salvage(Salvage::default()))
        .build()
        .unwrap();
    let (_, error) = failed(dataset.read_all_tensors(&TensorReadOptions::default()).unwrap());
    let good = dataset.read_all(&ReadOptions::default()).unwrap().map(|batch| batch.unwrap().num_rows());
    assert_eq!(good.sum::<usize>(), 3);
    assert_eq!(error.position().record, Some(2), "{error}");
}

#[test]
fn specs_that_contradict_each_other_or_the_format() {
    let json = |text: &str| feature_specs_from_json(text).unwrap();
    let build = |text: &str| digits().feature_specs(json(text)).build().unwrap_err().to_string();
    assert_eq!(
        build(
            r#"{"a": {"kind": "VarLen", "key": "x", "dtype": "int64"}, "b": {"kind": "VarLen", "key": "x", "dtype": "string"}}"#
        ),
        "tensor \"b\" needs the feature \"x\" as bytes_list, another tensor as int64_list"
    );
    assert_eq!(
        build(r#"{"a": {"kind": "VarLen", "dtype": "float64"}}"#),
        "tensor \"a\": no feature has values of float64; they are int64, float32 or string"
    );
    let file = File::new([example([("label", strings(&["x"]))])]);
    let specs = json(r#"{"label": {"kind": "VarLen", "dtype": "int64"}}"#);
    let dataset = ExampleTfxIo::builder([file.name()]).feature_specs(specs).build().unwrap();
    let (_, error) = failed(dataset.read_all_tensors(&TensorReadOptions::default()).unwrap());
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!((error.position().record, error.position().column.as_deref()), (Some(0), Some("label")));
}
