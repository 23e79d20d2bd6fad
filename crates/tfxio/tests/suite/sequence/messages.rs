//! Detection of tf.SequenceExamples among tf.Examples.

use std::sync::Arc;

use tfxio::prelude::*;
use tfxio::{ErrorKind, OptionValue, Result};

use super::records::{File, example, floats, ints, sequence_example, strings};

/// Opens records, with the `stated` format, or with the inferred one.
fn open(records: Vec<Vec<u8>>, stated: Option<&str>) -> Result<Arc<dyn Dataset>> {
    let options = stated.map_or(OpenOptions::new(), |format| OpenOptions::new().format(format));
    options.open(File::new(records).name())
}

/// Opens records and asks for all columns of them.
fn plan(records: Vec<Vec<u8>>) -> Result<()> {
    let file = File::new(records);
    tfxio::open(file.name())?.read(ScanRequest::new()).map(|_| ())
}

fn format(dataset: &Arc<dyn Dataset>) -> OptionValue {
    dataset.spec().unwrap().options["records"].clone()
}

#[test]
fn lists_make_a_sequence_example() {
    let context = || example([("x", ints(&[1]))]);
    let lists = || sequence_example([("x", ints(&[1]))], [("s", vec![ints(&[2])])]);
    let found = |records| format(&open(records, None).unwrap());
    assert_eq!(found(vec![context(), lists()]), "sequence_example".into());
    assert_eq!(found(vec![context()]), "example".into());
    assert_eq!(found(vec![]), "example".into());
    let first = OpenOptions::new().set("infer_records", 1).unwrap();
    let file = File::new([context(), lists()]);
    assert_eq!(format(&first.open(file.name()).unwrap()), "example".into());

    let names = |stated| {
        let dataset = open(vec![lists()], Some(stated)).unwrap();
        dataset.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("example"), ["x"]);
    assert_eq!(names("sequence_example"), ["x", "##SEQUENCE##"]);
}

#[test]
fn records_that_are_neither_are_an_error_of_what_they_may_be() {
    let mixed = sequence_example([], [("s", vec![ints(&[2]), strings(&["x"])])]);
    // It could be read as a tf.Example without features, which would leave its list out.
    let error = plan(vec![mixed.clone()]).unwrap_err().to_string();
    assert!(
        error.contains("byte 0, record 0, column \"s\": step 1 of the feature list is a bytes_list"),
        "{error}"
    );
    let bad = [mixed, b"\x0a\x05".to_vec()].concat();
    let error = plan(vec![bad]).unwrap_err().to_string();
    assert!(error.contains("byte 0, record 0"), "{error}");
}

#[test]
fn one_bad_record_does_not_drop_the_feature_lists_of_all() {
    let good = || sequence_example([("u", ints(&[1]))], [("s", vec![ints(&[1])])]);
    // A list whose name is not UTF-8; one that is cut short.
    let name = [example([("u", ints(&[2]))]), b"\x12\x07\x0a\x05\x0a\x01\xff\x12\x00".to_vec()].concat();
    let cut = [example([("u", ints(&[2]))]), b"\x12\x02\x0a\x05".to_vec()].concat();
    for (bad, what) in [(name, "is not UTF-8"), (cut, "the record is not a tf.SequenceExample")] {
        let error = plan(vec![good(), bad.clone()]).unwrap_err();
        assert_eq!((error.kind(), error.position().record), (ErrorKind::Malformed, Some(1)));
        let text = error.to_string();
        assert!(text.contains(what) && text.contains("`--as example`"), "{text}");
        // Said to be tf.Examples, they are.
        assert!(open(vec![good(), bad], Some("example")).is_ok());
    }
    let other = sequence_example([("u", ints(&[2]))], [("s", vec![floats(&[1.0])])]);
    let error = plan(vec![good(), other]).unwrap_err();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
}

#[test]
fn feature_lists_that_come_after_the_sample_are_refused() {
    let bare = || example([("u", ints(&[1]))]);
    let lists = sequence_example([("u", ints(&[1]))], [("s", vec![ints(&[1])])]);
    let file = File::new([bare(), bare(), lists]);
    let first = || OpenOptions::new().set("infer_records", 2).unwrap();
    let read = |options: OpenOptions| -> Result<()> {
        let mut batches = options.open(file.name())?.read(ScanRequest::new())?;
        batches.try_for_each(|batch| batch.map(|_| ()))
    };
    let error = read(first()).unwrap_err();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(2)));
    assert!(error.to_string().contains("the record has feature lists"), "{error}");
    assert!(read(first().set("other_messages", "ignore").unwrap()).is_ok());
}

#[test]
fn records_of_other_messages_are_refused() {
    let event = || b"\x09\0\0\0\0\0\0\xf0\x3f\x10\x07".to_vec();
    let error = open(vec![Vec::new(), event()], None).unwrap_err();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::Malformed, Some(1)));
    let text = error.to_string();
    assert!(text.contains("no feature comes from its 11 bytes") && text.contains("`--as example`"), "{text}");
    assert!(open(vec![event()], Some("example")).is_ok());
    // Records without features are records.
    let file = File::new([Vec::new(), b"\x0a\x00".to_vec()]);
    let empty = tfxio::open(file.name()).unwrap();
    assert_eq!((empty.count().unwrap(), format(&empty)), (2, "example".into()));
}
