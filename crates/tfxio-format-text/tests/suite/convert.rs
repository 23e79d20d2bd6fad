//! Text to records: what is lost is said, or refused.

use tfxio_convert::Conversion;
use tfxio_formats::tfxio_core::{OptionValue, ScanRequest};
use tfxio_formats::{DatasetExt as _, open};

use crate::test_files::write_bytes;

const ROUNDED: &str = "64-bit floats are rounded to 32 bits";

/// Converts a text to TFRecord. Returns what is said of columns that lose something, and the rows; or the error.
fn convert(
    name: &str,
    text: &str,
    is_lossless: bool,
    options: &[(&str, OptionValue)],
) -> Result<(Vec<String>, Vec<String>), String> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join(name), folder.path().join("a.tfrecord"));
    write_bytes(&input, text.as_bytes());
    let mut conversion = Conversion::builder([input.to_str().unwrap()], &output).lossless(is_lossless);
    for (key, value) in options {
        conversion = conversion.set(key, value.clone()).unwrap();
    }
    let summary = conversion.build().and_then(|conversion| conversion.run(|_| {}));
    let Ok(summary) = summary else {
        assert!(!output.exists());
        return Err(summary.unwrap_err().to_string());
    };
    let losses = summary.losses.iter().map(|loss| format!("{}: {}", loss.column, loss.what)).collect();
    let dataset = open(&output).unwrap();
    let batches = dataset.read(ScanRequest::new()).unwrap();
    let mut columns = Vec::new();
    for batch in batches.map(|batch| batch.unwrap()) {
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            let values = format!("{column:?}");
            let values = values.split_whitespace().collect::<String>();
            columns.push(format!("{}: {values}", field.name()));
        }
    }
    Ok((losses, columns))
}

#[test]
fn floats_are_not_rounded_without_a_word() {
    for (name, text) in
        [("a.csv", "a,b\n0.1,16777217.5\n1,0.5\n"), ("a.jsonl", "{\"a\": 0.1, \"b\": 16777217.5}\n")]
    {
        let (losses, _) = convert(name, text, false, &[]).unwrap();
        assert_eq!(losses, [format!("a: {ROUNDED}"), format!("b: {ROUNDED}")], "{name}");
        let error = convert(name, text, true, &[]).unwrap_err();
        assert!(error.contains(ROUNDED), "{error}");
        // Also where the reader rounds them, because it was told to.
        let structured = [("layout", "structured".into())];
        let (losses, _) = convert(name, text, false, &structured).unwrap();
        assert_eq!(losses, [format!("a: {ROUNDED}"), format!("b: {ROUNDED}")], "{name}");
        let error = convert(name, text, true, &structured).unwrap_err();
        assert!(error.contains(ROUNDED), "{error}");
    }
}

#[test]
fn floats_beyond_32_bits_are_errors_with_their_row() {
    for (name, text) in [
        ("a.csv", "a,b\n1,0.5\n1e39,16777217\n"),
        ("a.jsonl", "{\"a\": 1.5, \"b\": 1}\n{\"a\": 1e39, \"b\": 1}\n"),
    ] {
        let error = convert(name, text, false, &[]).unwrap_err();
        assert!(error.contains("record 1, column \"a\": 1e39 is not a float of 32 bits"), "{error}");
        // Also where lists of 32-bit floats are asked for.
        let error = convert(name, text, false, &[("layout", "structured".into())]).unwrap_err();
        assert!(
            error.contains("column \"a\": the number") && error.contains("does not fit Float32"),
            "{error}"
        );
        assert!(error.contains("record 1"), "{error}");
    }
}

#[test]
fn bools_are_integers_and_objects_columns_of_their_fields() {
    let (losses, columns) = convert("a.csv", "b,n\ntrue,1\nFALSE,2\n", true, &[]).unwrap();
    assert_eq!(losses, [""; 0]);
    assert!(columns[0].starts_with("b: LargeListArray[PrimitiveArray<Int64>[1,]"), "{columns:?}");
    let (losses, columns) = convert("a.jsonl", "{\"a\": {\"b\": 1, \"c\": true}}\n", false, &[]).unwrap();
    assert!(losses[0].starts_with("a: a struct becomes a column for each of its fields"), "{losses:?}");
    assert!(columns[0].starts_with("a.b: LargeListArray[PrimitiveArray<Int64>[1,]"), "{columns:?}");
    assert!(columns[1].starts_with("a.c: LargeListArray[PrimitiveArray<Int64>[1,]"), "{columns:?}");
    // Integers need no floats, and lose nothing.
    assert_eq!(convert("a.jsonl", "{\"a\": [9007199254740993]}\n", true, &[]).unwrap().0, [""; 0]);
}

/// A value beside lists is a feature, and the layout has only lists.
#[test]
fn values_beside_lists_are_read_as_lists_where_asked_for() {
    let text = "{\"a\": 1}\n{\"a\": [2, 3]}\n";
    let error = convert("a.jsonl", text, false, &[]).unwrap_err();
    assert!(
        error.contains("set the option layout to structured, which reads every value as a list"),
        "{error}"
    );
    assert!(convert("a.jsonl", text, false, &[("layout", "structured".into())]).is_ok());
}
