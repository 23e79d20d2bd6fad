//! Bad JSON lines: errors, and skipped lines.

use tfxio_formats::tfxio_core::{Limits, OnError, OptionValue, ScanRequest, Skip};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use crate::damage::error_of;
use crate::reading::made;

fn error(text: impl AsRef<[u8]>, options: &[(&str, OptionValue)]) -> String {
    let mut options = options.to_vec();
    options.push(("layout", "plain".into()));
    error_of(&made("a.jsonl", text, &options))
}

#[test]
fn what_is_wrong_is_said() {
    let cases: [(&str, &str); 18] = [
        (
            "{\"a\": 1}\n[1]\n",
            "byte 9, record 1, byte of the record 0: the line is a value, and not an object of columns",
        ),
        (
            "{\"a\": 1\n",
            "byte of the record 7: a comma or the end of the object is expected, and the line ends",
        ),
        (
            "{\n",
            "byte of the record 1: a string is expected, and the line ends; write each object on a line of its own",
        ),
        (
            "{\"a\": 1} x\n",
            "byte of the record 9: the end of the line is expected after the object, and not 'x'",
        ),
        ("{a: 1}\n", "byte of the record 1: a string is expected, and not 'a'"),
        ("{\"a\" 1}\n", "byte of the record 5: a colon is expected after a key, and not '1'"),
        ("{\"a\": }\n", "byte of the record 6, column \"a\": a value is expected, and not '}'"),
        ("{\"a\": nul}\n", "byte of the record 6, column \"a\": a value is expected, and not 'n'"),
        (
            "{\"a\": 01}\n",
            "byte of the record 6, column \"a\": a number begins with a zero that says nothing",
        ),
        ("{\"a\": 1.}\n", "byte of the record 8, column \"a\": a digit is expected, and not '}'"),
        ("{\"a\": -}\n", "byte of the record 7, column \"a\": a digit is expected, and not '}'"),
        ("{\"a\": \"x}\n", "byte of the record 9, column \"a\": a string is not closed, and the line ends"),
        ("{\"a\": \"\\x\"}\n", "byte of the record 8, column \"a\": an escape is one of "),
        ("{\"a\": \"\\ud800\"}\n", "half of a pair of \\u stands alone, which is not a character"),
        (
            "{\"a\": \"\t\"}\n",
            "byte of the record 7, column \"a\": control characters in a string are escaped, and not '\\t'",
        ),
        (
            "{\"a\": 1, \"a\": 2}\n",
            "byte of the record 9: the object has the key \"a\" twice; leave out one of them",
        ),
        ("{\"a\": {\"base64\": \"?\"}}\n", "column \"a\": the text of \"base64\" is not base64: "),
        (
            "{\"a\": 1}\n{\"a\": \"x\"}\n",
            "byte 9, record 1, byte of the record 6, column \"a\": the value is a string, and one before it was a number",
        ),
    ];
    for (text, expected) in cases {
        let error = error(text, &[]);
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    let utf8 = error(b"{\"a\": \"\xff\"}\n", &[]);
    assert!(utf8.contains("byte of the record 7: the line is not UTF-8; save the file as UTF-8"), "{utf8}");
    let integer = error("{\"a\": 9223372036854775808}\n", &[]);
    assert!(
        integer.contains("column \"a\": the number does not fit Int64 without loss; write it as a string"),
        "{integer}"
    );
    let float = error("{\"a\": 1.5}\n{\"a\": 9007199254740993}\n", &[]);
    assert!(
        float.contains("record 1, byte of the record 6, column \"a\": the number does not fit Float64"),
        "{float}"
    );
    let mixed = error("{\"a\": {\"b\": [1, \"x\"]}}\n", &[]);
    assert!(
        mixed.contains(
            "column \"a.b\": the value is a string in a list, and one before it was a number in a list (record 0)"
        ),
        "{mixed}"
    );
}

#[test]
fn what_comes_after_inference_is_an_error_with_a_remedy() {
    let few: [(&str, OptionValue); 1] = [("infer_records", 1u64.into())];
    let remedy = "infer them from more records with the option infer_records, or give a schema";
    let late = error("{\"ab\": 1}\n{\"abc\": 2}\n", &few);
    assert!(
        late.ends_with(&format!(
            "record 1, byte of the record 1: the key \"abc\" was not there when the columns were inferred (did you mean \
             \"ab\"?); {remedy}"
        )),
        "{late}"
    );
    let kind = error("{\"a\": 1}\n{\"a\": 2.5}\n", &few);
    assert!(
        kind.contains(
            "record 1, byte of the record 6, column \"a\": the value is a number, and not of type Int64"
        ),
        "{kind}"
    );
    let null = error("{\"a\": null}\n{\"a\": 2}\n", &few);
    assert!(null.contains("the value is a number, and there was none when the type was inferred"), "{null}");
}

#[test]
fn nesting_and_lines_are_bounded() {
    let deep = format!("{{\"a\": {}1{}}}\n", "[".repeat(200), "]".repeat(200));
    let text = error(deep.clone(), &[]);
    assert!(text.contains("lists and objects are nested more deeply than the limit allows"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, deep).unwrap();
    assert!(OpenOptions::new().limits(Limits::default().nesting(300)).open(&path).is_ok());
    let text =
        OpenOptions::new().limits(Limits::default().record_bytes(100)).open(&path).unwrap_err().to_string();
    assert!(text.contains("a line of 408 bytes, and the limit is 100"), "{text}");
}

/// Neither kinds nor keys are inferred from a line that is skipped, whatever comes before its damage.
#[test]
fn what_is_skipped_says_nothing_of_types() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let bad = [
        "{\"a\": 1.5, \"new\": 1, \"b\": 7}\n",
        "{\"late\": \"x\", \"a\": 2.5\n",
        "{\"l\": [{\"x\": 1}], \"a\": 2, \"a\": 2}\n",
    ];
    std::fs::write(&path, format!("{{\"a\": 1, \"b\": \"x\"}}\n{}{{\"a\": 2, \"c\": true}}\n", bad.concat()))
        .unwrap();
    let skip = Skip::default();
    let dataset = OpenOptions::new()
        .set("layout", "plain")
        .unwrap()
        .request(ScanRequest::new().on_error(OnError::Skip(skip.clone())))
        .open(&path)
        .unwrap();
    let schema = dataset.schema();
    let types = schema.fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type()));
    assert_eq!(types.collect::<Vec<_>>(), ["a: Int64", "b: LargeUtf8", "c: Boolean"]);
    let batches = dataset.read(ScanRequest::new().on_error(OnError::Skip(skip))).unwrap();
    assert_eq!(batches.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 2);
}

#[test]
fn what_is_damaged_can_be_skipped_and_leaves_no_part_of_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let good = "{\"a\": [1, 2], \"b\": {\"c\": \"x\", \"d\": [{\"e\": 1.5}]}}\n";
    let bad = [
        "{\"a\": [1, 2], \"b\": {\"c\": \"x\", \"d\": [{\"e\": 1.5}, 7]}}\n",
        "{\"a\": [1, \"x\"]}\n",
        "{\"b\": {\"c\": \"x\"\n",
        "{\"b\": null, \"a\": [3], \"b\": null}\n",
    ];
    let text = bad.iter().fold(good.to_owned(), |text, bad| text + bad + good);
    std::fs::write(&path, text).unwrap();
    let skip = Skip::default();
    let request = ScanRequest::new().on_error(OnError::Skip(skip.clone()));
    let options = OpenOptions::new().set("layout", "plain").unwrap().set("infer_records", 1).unwrap();
    let dataset = options.request(request.clone()).open(&path).unwrap();
    for threads in 1..3 {
        let rows =
            dataset.read(request.clone().threads(threads)).unwrap().map(Result::unwrap).collect::<Vec<_>>();
        let rows = rows
            .iter()
            .flat_map(|batch| (0..batch.num_rows()).map(|row| batch.slice(row, 1)))
            .collect::<Vec<_>>();
        assert_eq!(rows.len(), 5);
        assert!(rows.iter().all(|row| *row == rows[0]));
    }
    assert_eq!(skip.report().records, 4);
}
