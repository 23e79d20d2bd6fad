//! tf.SequenceExamples in conversions, and how they are told from tf.Examples.

use tfxio::convert::Conversion;
use tfxio::{Inferred, Message, ReadOptions, RecordOptions, Sample, SequenceExampleTfxIo, infer_messages};

use super::all;
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

#[cfg(any(feature = "ipc", feature = "parquet"))]
#[test]
fn there_and_back_is_the_same() {
    let file = super::file(50);
    let read = |name: String| {
        let dataset = SequenceExampleTfxIo::builder([name]).infer_schema(Sample::All).build().unwrap();
        all(dataset.read_all(&ReadOptions::default()).unwrap())
    };
    let before = read(file.name());
    for (ending, column) in [("parquet", "##SEQUENCE##"), ("arrow", "lists")] {
        if cfg!(not(all(feature = "ipc", feature = "parquet"))) {
            continue;
        }
        let (there, back) = (file.path(&format!("a.{ending}")), file.path(&format!("{ending}.tfrecord")));
        let convert = |from: &str, to: &str| {
            Conversion::new([from], to).unwrap().sequence_column(column).run(|_| {}).unwrap().records
        };
        assert_eq!(convert(&file.name(), &there), 50);
        assert_eq!(convert(&there, &back), 50);
        assert_eq!(read(back), before);
    }
}

#[cfg(feature = "ipc")]
#[test]
fn a_stated_message_decides() {
    let file = super::file(5);
    let convert = |from: &str, to: &str, message| {
        Conversion::new([from.to_owned()], file.path(to)).unwrap().message(message).run(|_| {})
    };
    // As tf.Examples, the records have no lists: their field is one that nobody knows.
    assert_eq!(convert(&file.name(), "context.arrow", Message::Example).unwrap().records, 5);
    assert_eq!(convert(&file.name(), "lists.arrow", Message::SequenceExample).unwrap().records, 5);
    let error = convert(&file.path("lists.arrow"), "b.tfrecord", Message::Example).unwrap_err();
    assert!(error.to_string().contains("##SEQUENCE##"), "{error}");
}
