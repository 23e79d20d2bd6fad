//! tf.SequenceExamples as tensors.

use tfxio::ErrorKind;
use tfxio::prelude::*;
use tfxio::tensor_repr::{Tensor, feature_specs_from_json};

use super::records::{File, ints, sequence_example, strings};
use super::{only, tensors};

fn options() -> OpenOptions {
    OpenOptions::new().format("sequence_example")
}

fn by_schema(text: &str) -> OpenOptions {
    options().set("schema", text).unwrap()
}

fn by_specs(specs: &str) -> OpenOptions {
    options().features(feature_specs_from_json(specs).unwrap())
}

fn file() -> File {
    File::new([
        sequence_example([("user", ints(&[9]))], [("clicks", vec![ints(&[1, 2]), ints(&[]), ints(&[3])])]),
        sequence_example([], []),
        sequence_example([("user", ints(&[8]))], [("clicks", vec![ints(&[4])])]),
    ])
}

const SCHEMA: &str = r###"
    feature { name: "user" type: INT }
    feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "clicks" type: INT } } }
    tensor_representation_group { key: "" value {
        tensor_representation { key: "user" value { dense_tensor { column_name: "user" shape { }
            default_value { int_value: 0 } } } }
        tensor_representation { key: "clicks" value { ragged_tensor {
            feature_path { step: "##SEQUENCE##" step: "clicks" } } } }
    } }
"###;

fn check(clicks: &Tensor) {
    let Tensor::Ragged(clicks) = clicks else { panic!("{clicks:?}") };
    let splits =
        clicks.row_splits().iter().map(|splits| splits.iter().collect::<Vec<_>>()).collect::<Vec<_>>();
    assert_eq!(splits, [vec![0, 3, 3, 4], vec![0, 2, 2, 3, 4]]);
    assert_eq!(clicks.values().as_slice::<i64>(), Some(&[1, 2, 3, 4][..]));
}

#[test]
fn a_schema_says_context_and_lists() {
    let file = file();
    let batch = only(&tensors(&by_schema(SCHEMA).open(file.name()).unwrap()));
    check(&batch[0].1);
    assert_eq!(super::ints(&batch[1].1), [9, 0, 8]);
    let copied = batch.copy_count();
    assert_eq!((copied.values, copied.computed), (3 * 8, 0), "only the row without a user is filled in");
}

#[test]
fn another_name_of_the_struct() {
    let file = file();
    let renamed = SCHEMA.replace("##SEQUENCE##", "lists");
    let named = by_schema(&renamed).set("sequence_column", "lists").unwrap();
    check(&only(&tensors(&named.open(file.name()).unwrap()))[0].1);
    let error = by_schema(&renamed).open(file.name()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(
        error.to_string(),
        "column \"lists\": the schema says STRUCT, and the column of sequence features is called \"##SEQUENCE##\"; name \
         the column as the schema does"
    );
}

#[test]
fn specs_alone_say_enough() {
    let file = file();
    let specs =
        r###"{"clicks": {"kind": "Ragged", "value_key": ["##SEQUENCE##", "clicks"], "dtype": "int64"}}"###;
    let batch = only(&tensors(&by_specs(specs).open(file.name()).unwrap()));
    check(&batch[0].1);
    assert_eq!(batch.copy_count().computed, 0, "the splits of 32 bits are the offsets");

    let specs = r###"{"a": {"kind": "Ragged", "value_key": ["lists", "clicks"], "dtype": "int64"}}"###;
    let error = by_specs(specs).open(file.name()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the path \"lists.clicks\" leads to no feature: only sequence features are in a struct, and it is called \
         \"##SEQUENCE##\""
    );
}

#[test]
fn a_list_of_another_kind_is_an_error_with_its_record() {
    let file = File::new([
        sequence_example([], [("clicks", vec![ints(&[1])])]),
        sequence_example([], [("clicks", vec![ints(&[1]), strings(&["x"])])]),
    ]);
    let dataset = by_schema(SCHEMA).open(file.name()).unwrap();
    assert_eq!(dataset.representations().unwrap().len(), 2);
    let (_, error) = super::failed(tensors(&dataset).read(ScanRequest::new()).unwrap());
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!((error.position().record, error.position().column.as_deref()), (Some(1), Some("clicks")));
}

#[test]
fn one_value_a_step_is_padded_and_the_lengths_say_how_far() {
    let file = File::new([
        sequence_example([], [("s", vec![ints(&[1]), ints(&[2])])]),
        sequence_example([], [("s", vec![ints(&[3])])]),
        sequence_example([], []),
    ]);
    let specs = r###"{
        "s": {"kind": "FixedLenSequence", "shape": [], "dtype": "int64", "key": ["##SEQUENCE##", "s"]},
        "s_lengths": {"kind": "Lengths", "dtype": "int64", "key": ["##SEQUENCE##", "s"]}
    }"###;
    let open = |file: &File| tensors(&by_specs(specs).open(file.name()).unwrap());
    let batch = only(&open(&file));
    assert_eq!(batch[0].1.spec().to_string(), "dense int64 [?, 2]");
    assert_eq!(super::ints(&batch[0].1), [1, 2, 3, 0, 0, 0]);
    assert_eq!((&*batch[1].0, super::ints(&batch[1].1)), ("s_lengths", &[2, 1, 0][..]));

    let file = File::new([
        sequence_example([], [("s", vec![ints(&[1])])]),
        sequence_example([], [("s", vec![ints(&[1]), ints(&[])])]),
    ]);
    let (_, error) = super::failed(open(&file).read(ScanRequest::new()).unwrap());
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(
        error.to_string(),
        format!(
            "{}, byte 34, record 1, tensor \"s\", column \"##SEQUENCE##.s\": item 1 of the list has 0 values, the shape of an \
             item holds 1; a default would fill the rest",
            file.name()
        )
    );
}
