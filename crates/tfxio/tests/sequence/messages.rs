//! How tf.SequenceExamples are told from tf.Examples.

use tfxio::{Inferred, Message, RecordOptions, Sample, infer_messages};

use super::records::{File, example, ints, sequence_example, strings};

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
    // An unknown field of a tf.Example that only begins like feature lists.
    let unknown = [example([("x", ints(&[1]))]), b"\x12\x02\x0a\x05".to_vec()].concat();
    assert_eq!(message(&File::new([unknown]), Sample::All), Message::Example);

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
        infer_messages([file.name()], None, Sample::All, &RecordOptions::default(), |_, _| {})
    };
    // It can be read as a tf.Example without features, and as nothing else.
    assert_eq!(infer(vec![mixed.clone()]).unwrap().message(), Message::Example);
    let bad = [mixed, b"\x0a\x05".to_vec()].concat();
    let error = infer(vec![bad]).unwrap_err().to_string();
    assert!(error.contains("record 0, byte 0"), "{error}");
}
