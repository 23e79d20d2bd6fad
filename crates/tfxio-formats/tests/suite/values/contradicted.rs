//! Records that contradict the inference from others.

use tfxio_formats::example_codec::Example;
use tfxio_formats::tfxio_core::{ErrorKind, Result, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use super::test_files::{both, examples, rows};

/// Opens a file by its first records alone.
fn few() -> OpenOptions {
    both().set("infer_records", 5).unwrap()
}

fn row(at: i64) -> Example {
    Example::new().int64("id", [at]).int64("label", [at % 3]).bytes("text", [format!("row {at}")])
}

fn text<T: std::fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{error}");
    assert_eq!(error.position().record, Some(7), "{error}");
    error.to_string()
}

const SCALARS: &str =
    "; open it with the option scalars off, which makes lists, or name in it the columns of one value";
const TEXT: &str = "; open it with the option text off, which makes bytes, or name in it the columns of text";

#[test]
fn a_record_with_another_number_of_values_is_an_error_where_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (labels, found) in [(&[1, 2][..], "2 values"), (&[], "0 values")] {
        let mut records = (0..12).map(row).collect::<Vec<_>>();
        records[7] = row(7).int64("label", labels.iter().copied());
        let byte = records[..7].iter().map(|record| record.to_vec().len() + 16).sum::<usize>();
        let file = examples(folder.path(), "a.tfrecord", records);
        let dataset = few().open(&file).unwrap();
        let expected = format!(
            "{file}, byte {byte}, record 7, column \"label\": the feature has {found}, and the column is one of scalars{SCALARS}"
        );
        for batch_rows in [1, 5, 100] {
            assert_eq!(text(rows(&dataset, ScanRequest::new().batch_rows(batch_rows))), expected);
        }
        assert_eq!(text(rows(&dataset, ScanRequest::new().threads(3))), expected);
        // What comes before it is read, and so are other columns.
        assert_eq!(rows(&dataset, ScanRequest::new().limit(7).batch_rows(7)).unwrap().len(), 7);
        assert_eq!(rows(&dataset, ScanRequest::new().columns(["id"])).unwrap().len(), 12);
        assert_eq!(dataset.count().unwrap(), 12);
        // The scan stays at its end.
        let mut batches = dataset.read(ScanRequest::new()).unwrap();
        assert!(batches.next().unwrap().is_err());
        assert!(batches.next().is_none());
        // A record by its number, and those at the end.
        assert_eq!(
            text(
                dataset.record(7, ScanRequest::new()).and_then(|batches| batches.collect::<Result<Vec<_>>>())
            ),
            expected
        );
        assert!(dataset.record(8, ScanRequest::new()).unwrap().all(|batch| batch.is_ok()));
        assert_eq!(text(dataset.tail(6, ScanRequest::new()).unwrap().collect::<Result<Vec<_>>>()), expected);
    }
}

#[test]
fn a_filter_does_not_hide_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = (0..12).map(row).collect::<Vec<_>>();
    records[7] = row(7).int64("label", [1, 2]);
    let file = examples(folder.path(), "a.tfrecord", records);
    let dataset = few().open(&file).unwrap();
    let filtered = |filter: &str| ScanRequest::new().filter(filter.parse().unwrap());
    // Its column is not asked for, and both of its values satisfy the filter.
    for columns in [&["id"][..], &["text", "id"], &[]] {
        for filter in ["label = 1", "label = 2", "label != 0", "not label = 0"] {
            let request = filtered(filter).columns(columns.iter().copied());
            assert!(text(rows(&dataset, request)).contains("column \"label\": the feature has 2 values"));
        }
    }
    // A record that does not satisfy it is not read.
    assert_eq!(rows(&dataset, filtered("label = 0").columns(["id"])).unwrap(), ["0", "3", "6", "9"]);
    assert_eq!(rows(&dataset, filtered("id < 3").columns(["id"])).unwrap(), ["0", "1", "2"]);
}

#[test]
fn bytes_that_are_not_utf8_are_an_error_where_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = (0..12).map(row).collect::<Vec<_>>();
    records[3] = row(3).bytes("text", ["Ā"]);
    records[7] = row(7).bytes("text", [[b'a', 0xc4]]);
    // Together they would be UTF-8.
    records[8] = row(8).bytes("text", [[0x80, b'b']]);
    let file = examples(folder.path(), "a.tfrecord", records);
    let dataset = few().open(&file).unwrap();
    for request in
        [ScanRequest::new(), ScanRequest::new().batch_rows(8), ScanRequest::new().columns(["text"])]
    {
        let error = text(rows(&dataset, request));
        let expected =
            format!("column \"text\": the bytes are not UTF-8, and the column is one of text{TEXT}");
        assert!(error.ends_with(&expected), "{error}");
    }
    // Where all records were looked at, the column is not one of text.
    let all = both().open(&file).unwrap();
    assert_eq!(all.schema().field_with_name("text").unwrap().data_type().to_string(), "LargeBinary");
    assert_eq!(rows(&all, ScanRequest::new()).unwrap().len(), 12);
}

#[test]
fn a_text_within_a_list_is_named_by_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let words = |at: i64| Example::new().bytes("words", (0..at % 4).map(|at| format!("{at}")));
    let mut records = (0..12).map(words).collect::<Vec<_>>();
    records[7] = Example::new().bytes("words", [&b"a"[..], b"b", b"\xff"]);
    let file = examples(folder.path(), "a.tfrecord", records);
    let dataset = few().open(&file).unwrap();
    for batch_rows in [1, 3, 100] {
        let error = text(rows(&dataset, ScanRequest::new().batch_rows(batch_rows)));
        assert!(error.contains("column \"words\": the bytes are not UTF-8"), "{error}");
    }
}
