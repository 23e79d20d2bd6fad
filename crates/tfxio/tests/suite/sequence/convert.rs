//! tf.SequenceExamples in conversions.

use tfxio::convert::Conversion;

use super::whole;

#[test]
fn there_and_back_is_the_same() {
    let file = super::file(50);
    let read = |name: String| whole(&tfxio::open(name).unwrap());
    let before = read(file.name());
    for (ending, column) in [("parquet", "##SEQUENCE##"), ("arrow", "lists")] {
        let (there, back) = (file.path(&format!("a.{ending}")), file.path(&format!("{ending}.tfrecord")));
        let convert = |from: &str, to: &str| {
            let conversion = Conversion::builder([from], to).set("sequence_column", column).unwrap();
            conversion.build().unwrap().run(|_| {}).unwrap().records
        };
        assert_eq!(convert(&file.name(), &there), 50);
        assert_eq!(convert(&there, &back), 50);
        assert_eq!(read(back), before);
    }
}

#[test]
fn a_stated_message_decides() {
    let file = super::file(5);
    let convert = |from: &str, to: &str, message| {
        Conversion::builder([from.to_owned()], file.path(to))
            .set("records", message)
            .unwrap()
            .build()?
            .run(|_| {})
    };
    // As tf.Examples, the records have no lists: their field is one that nobody knows.
    assert_eq!(convert(&file.name(), "context.arrow", "example").unwrap().records, 5);
    assert_eq!(convert(&file.name(), "lists.arrow", "sequence_example").unwrap().records, 5);
    let error = convert(&file.path("lists.arrow"), "b.tfrecord", "example").unwrap_err();
    assert!(error.to_string().contains("##SEQUENCE##"), "{error}");
}
