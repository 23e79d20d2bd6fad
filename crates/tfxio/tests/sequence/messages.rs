//! How tf.SequenceExamples are told from tf.Examples.

use tfxio::example_codec::UnknownFeatures;
use tfxio::{
    Error, ErrorKind, ExampleTfxIo, Inferred, Message, ReadOptions, RecordOptions, Sample, infer_messages,
};

use super::records::{File, example, floats, ints, sequence_example, strings};

fn message(file: &File, sample: Sample) -> Message {
    let found = infer_messages([file.name()], None, sample, &RecordOptions::default(), |_, _| {});
    found.unwrap().message()
}

#[test]
fn lists_make_a_sequence_example() {
    let context = || example([("x", ints(&[1]))]);
    let lists = || sequence_example([("x", ints(&[1]))], [("s", vec![ints(&[2])])]);
    assert_eq!(message(&File::new([context(), lists()]), Sample::All), Message::SequenceExample);
    assert_eq!(message(&File::new([context(), lists()]), Sample::First(1)), Message::Example);
    assert_eq!(message(&File::new([example([("x", ints(&[1]))])]), Sample::All), Message::Example);
    assert_eq!(message(&File::new([]), Sample::All), Message::Example);

    let file = File::new([lists()]);
    let stated = |message| {
        infer_messages([file.name()], Some(message), Sample::All, &RecordOptions::default(), |_, _| {})
            .unwrap()
    };
    assert!(matches!(stated(Message::Example), Inferred::Example(seen) if seen.features().count() == 1));
    let Inferred::SequenceExample(seen) = stated(Message::SequenceExample) else { unreachable!() };
    assert_eq!(seen.sequence_features().count(), 1);
}

#[test]
fn records_that_are_neither_are_an_error_of_what_they_may_be() {
    let mixed = sequence_example([], [("s", vec![ints(&[2]), strings(&["x"])])]);
    let infer = |records: Vec<Vec<u8>>| {
        let file = File::new(records);
        let inferred =
            infer_messages([file.name()], None, Sample::All, &RecordOptions::default(), |_, _| {})?;
        inferred.mixed_kinds().map_or(Ok(inferred), Err)
    };
    // It could be read as a tf.Example without features, which would leave its list out.
    let error = infer(vec![mixed.clone()]).unwrap_err().to_string();
    assert!(
        error.contains("byte 0, record 0, column \"s\": step 1 of the feature list is a bytes_list"),
        "{error}"
    );
    let bad = [mixed, b"\x0a\x05".to_vec()].concat();
    let error = infer(vec![bad]).unwrap_err().to_string();
    assert!(error.contains("byte 0, record 0"), "{error}");
}

/// Looks at records of which one is bad, and says of what.
fn error_of(records: Vec<Vec<u8>>, message: Option<Message>) -> Result<Inferred, Error> {
    let file = File::new(records);
    infer_messages([file.name()], message, Sample::All, &RecordOptions::default(), |_, _| {})
}

#[test]
fn one_bad_record_does_not_drop_the_feature_lists_of_all() {
    let good = || sequence_example([("u", ints(&[1]))], [("s", vec![ints(&[1])])]);
    // A list whose name is not UTF-8; one that is cut short.
    let name = [example([("u", ints(&[2]))]), b"\x12\x07\x0a\x05\x0a\x01\xff\x12\x00".to_vec()].concat();
    let cut = [example([("u", ints(&[2]))]), b"\x12\x02\x0a\x05".to_vec()].concat();
    for (bad, what) in [(name, "is not UTF-8"), (cut, "the record is not a tf.SequenceExample")] {
        let error = error_of(vec![good(), bad.clone()], None).unwrap_err();
        assert_eq!((error.kind(), error.position().record), (ErrorKind::Malformed, Some(1)));
        let text = error.to_string();
        assert!(text.contains(what) && text.contains("`--as example`"), "{text}");
        // Said to be tf.Examples, they are.
        assert!(error_of(vec![good(), bad], Some(Message::Example)).is_ok());
    }
    let other = sequence_example([("u", ints(&[2]))], [("s", vec![floats(&[1.0])])]);
    let inferred = error_of(vec![good(), other], None).unwrap();
    assert_eq!(inferred.message(), Message::SequenceExample);
    let error = inferred.mixed_kinds().unwrap();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
}

#[test]
fn feature_lists_that_come_after_the_sample_are_refused() {
    let bare = || example([("u", ints(&[1]))]);
    let lists = sequence_example([("u", ints(&[1]))], [("s", vec![ints(&[1])])]);
    let file = File::new([bare(), bare(), lists]);
    let builder = || ExampleTfxIo::builder([file.name()]).infer_schema(Sample::First(2));
    let read = |builder: tfxio::ExampleTfxIoBuilder| {
        let reader = builder.build().unwrap().read_all(&ReadOptions::default()).unwrap();
        reader.map(|batch| batch.map_err(Error::from)).collect::<Result<Vec<_>, _>>()
    };
    let error = read(builder()).unwrap_err();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(2)));
    assert!(error.to_string().contains("the record has feature lists"), "{error}");
    assert!(read(builder().other_messages(UnknownFeatures::Ignore)).is_ok());
}

#[test]
fn records_of_other_messages_are_refused() {
    let event = || b"\x09\0\0\0\0\0\0\xf0\x3f\x10\x07".to_vec();
    let error = error_of(vec![Vec::new(), event()], None).unwrap_err();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::Malformed, Some(1)));
    let text = error.to_string();
    assert!(text.contains("no feature comes from its 11 bytes") && text.contains("`--as example`"), "{text}");
    assert!(error_of(vec![event()], Some(Message::Example)).is_ok());
    // Records without features are records.
    let empty = error_of(vec![Vec::new(), b"\x0a\x00".to_vec()], None).unwrap();
    assert_eq!((empty.records(), empty.message()), (2, Message::Example));
    let file = File::new([event()]);
    let error = ExampleTfxIo::builder([file.name()])
        .build()
        .unwrap()
        .read_all(&ReadOptions::default())
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Malformed);
}
