//! Scalars and text of other formats than TFRecord.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, FixedSizeListBuilder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch, StructArray};
use tfxio_formats::avro_path::AvroSchema;
use tfxio_formats::avro_path::container::ContainerWriter;
use tfxio_formats::avro_path::datum::write;
use tfxio_formats::tfxio_core::{ErrorKind, FormatOptions, ScanRequest};
use tfxio_formats::{OpenOptions, ValueOptions, ValuesExt as _, formats};

use super::test_files::{both, rows, types};

/// Writes batches as a file of the format of its ending.
fn write_batches(path: &Path, batches: &[RecordBatch]) {
    let formats = formats();
    let format = formats.by_ending(path.to_str().unwrap()).unwrap();
    let mut sink =
        format.sink(path.to_str().unwrap(), &batches[0].schema(), &FormatOptions::default()).unwrap();
    batches.iter().for_each(|batch| sink.write(&batch.clone().into()).unwrap());
    sink.finish().unwrap();
}

#[test]
fn columns_of_parquet_and_arrow() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = ListBuilder::new(Int64Builder::new());
    let mut null = ListBuilder::new(Int64Builder::new());
    let mut fixed = FixedSizeListBuilder::new(Int64Builder::new(), 1);
    let mut words = ListBuilder::new(StringBuilder::new());
    let mut nested = ListBuilder::new(ListBuilder::new(BinaryBuilder::new()));
    for at in 0..3 {
        one.append_option((at != 1).then_some([Some(at)]));
        null.append_value([(at != 2).then_some(at)]);
        fixed.values().append_value(at);
        fixed.append(at != 1);
        words.append_value([Some("w")]);
        nested.values().append_value([Some("x")]);
        nested.append(true);
    }
    let bytes: ArrayRef =
        Arc::new(BinaryArray::from(vec!["a", "ö", ""].into_iter().map(str::as_bytes).collect::<Vec<_>>()));
    let inner = StructArray::try_from(vec![
        ("t", Arc::clone(&bytes)),
        ("n", Arc::new(Int64Array::from(vec![1, 2, 3])) as _),
    ]);
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("one", Arc::new(one.finish()) as ArrayRef, true),
        ("null", Arc::new(null.finish()) as ArrayRef, true),
        ("fixed", Arc::new(fixed.finish()) as ArrayRef, true),
        ("words", Arc::new(words.finish()) as ArrayRef, true),
        ("nested", Arc::new(nested.finish()) as ArrayRef, true),
        ("bytes", bytes, true),
        ("s", Arc::new(inner.unwrap()) as ArrayRef, true),
        ("plain", Arc::new(Int64Array::from(vec![7, 8, 9])) as ArrayRef, true),
    ]);
    let batch = batch.unwrap();
    for ending in ["parquet", "arrow"] {
        let path = folder.path().join(format!("a.{ending}"));
        write_batches(&path, std::slice::from_ref(&batch));
        let dataset = both().open(&path).unwrap();
        let expected = [
            "one: Int64",
            "null: List(Int64",
            "fixed: Int64",
            "words: Utf8",
            "nested: List(List(Utf8",
            "bytes: Utf8",
            "s: Struct",
            "plain: Int64",
        ];
        for (found, expected) in types(&dataset).iter().zip(expected) {
            assert!(found.starts_with(expected), "{ending}: {found}, not {expected}");
        }
        assert_eq!(
            rows(&dataset, ScanRequest::new()).unwrap(),
            [
                r#"0 [0] 0 "w" [["x"]] "a" {"a",1} 7"#,
                r#"null [1] null "w" [["x"]] "ö" {"ö",2} 8"#,
                r#"2 [null] 2 "w" [["x"]] "" {"",3} 9"#
            ]
        );
        let filter = |text: &str| ScanRequest::new().filter(text.parse().unwrap()).columns(["plain"]);
        assert_eq!(rows(&dataset, filter("one = 2")).unwrap(), ["9"]);
        assert_eq!(rows(&dataset, filter("one is null")).unwrap(), ["8"]);
        assert_eq!(rows(&dataset, filter("bytes = 'ö' or s.t = 'a'")).unwrap(), ["7", "8"]);
        assert_eq!(dataset.spec().unwrap().schema.field(0).name(), "one");
        let again = OpenOptions::new().open_spec(&dataset.spec().unwrap()).unwrap();
        assert_eq!(again.schema(), dataset.schema(), "{ending}");
        assert_eq!(rows(&again, ScanRequest::new()).unwrap(), rows(&dataset, ScanRequest::new()).unwrap());
    }
}

#[test]
fn lists_of_a_size_that_is_not_one_cannot_be_scalars() {
    let folder = tempfile::tempdir().unwrap();
    let mut fixed = FixedSizeListBuilder::new(Int64Builder::new(), 2);
    (0..2).for_each(|at| fixed.values().append_value(at));
    fixed.append(true);
    let batch = RecordBatch::try_from_iter([("pair", Arc::new(fixed.finish()) as ArrayRef)]).unwrap();
    let path = folder.path().join("a.arrow");
    write_batches(&path, &[batch]);
    let error = OpenOptions::new().scalars(vec!["pair".to_owned()]).open(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.to_string(),
        "column \"pair\": each record has a list of 2 values, and the option scalars names the column; name columns of one value a record"
    );
}

/// Columns of key expressions have names with dots and brackets in them.
#[test]
fn keys_of_avro() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "row", "fields": [
        {"name": "id", "type": "bytes"},
        {"name": "friends", "type": {"type": "array", "items": {"type": "record", "name": "friend", "fields": [
            {"name": "name", "type": "bytes"}, {"name": "photo", "type": "bytes"}]}}}]}"#;
    let schema = AvroSchema::parse(schema).unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).build().unwrap();
    for at in 0..3 {
        let row = |out: &mut Vec<u8>| {
            write::bytes(out, format!("id {at}").as_bytes());
            write::long(out, 1);
            write::bytes(out, b"Ada");
            write::bytes(out, &[0xff, at]);
            write::long(out, 0);
            Ok(())
        };
        writer.write_with(row).unwrap();
    }
    let path = folder.path().join("a.avro");
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    let keys = ["id", "friends[*].name", "friends[*].photo"];
    let dataset = both().keys(keys).open(&path).unwrap();
    assert_eq!(types(&dataset).len(), 3);
    assert_eq!(rows(&dataset, ScanRequest::new().limit(1)).unwrap(), [r#""id 0" "Ada" b[255, 0]"#]);
    let again = OpenOptions::new().open_spec(&dataset.spec().unwrap()).unwrap();
    assert_eq!(again.schema(), dataset.schema());
    let filter = ScanRequest::new().filter("\"friends[*].name\" = 'Ada' and id > 'id 0'".parse().unwrap());
    assert_eq!(rows(&again, filter.columns(["id"])).unwrap(), [r#""id 1""#, r#""id 2""#]);
    // Whole records keep what is nested.
    let whole = both().open(&path).unwrap();
    let row = rows(&whole, ScanRequest::new().limit(1)).unwrap().remove(0);
    assert_eq!(row, r#""id 0" [{["Ada"],[b[255, 0]]}]"#);
}

#[test]
fn two_columns_of_one_name_stay() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = ListBuilder::new(Int64Builder::new());
    one.append_value([Some(1)]);
    let one: ArrayRef = Arc::new(one.finish());
    let batch =
        RecordBatch::try_from_iter([("x", Arc::clone(&one)), ("x", Arc::clone(&one)), ("y", one)]).unwrap();
    let path = folder.path().join("a.arrow");
    write_batches(&path, &[batch]);
    let plain = tfxio_formats::open(&path).unwrap();
    let dataset = plain.values(&ValueOptions::new().scalars(true)).unwrap();
    assert!(types(&dataset)[0].starts_with("x: List") && types(&dataset)[1].starts_with("x: List"));
    assert_eq!(types(&dataset)[2], "y: Int64");
    let error = plain.values(&ValueOptions::new().scalars(vec!["x".to_owned()])).unwrap_err();
    assert!(error.to_string().contains("two columns have this name"), "{error}");
}
