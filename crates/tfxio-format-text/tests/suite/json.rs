//! Conversion from JSON lines, and to JSON lines.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    ArrayRef, Float64Array, Int64Array, LargeBinaryArray, LargeStringArray, NullArray, RecordBatch,
    StructArray,
};
use proptest::prelude::*;
use tfxio_formats::tfxio_core::{Batch, Dataset, FileFormat as _, FormatOptions, ScanRequest};
use tfxio_formats::{DatasetExt as _, JsonLinesFormat, OpenOptions, open};

use crate::reading::{Made, made};

fn plain(text: &str) -> Made {
    made("a.jsonl", text, &[("layout", "plain".into())])
}

fn write(path: &std::path::Path, batch: &RecordBatch) {
    let mut sink =
        JsonLinesFormat.sink(path.to_str().unwrap(), &batch.schema(), &FormatOptions::default()).unwrap();
    sink.write(&Batch::from(batch.clone())).unwrap();
    sink.finish().unwrap();
}

#[test]
fn types_are_as_they_stand_in_the_file() {
    let text = r#"
{"i": 1, "f": 1, "w": "NaN", "t": "a", "b": true, "x": {"base64": "/wA="}, "l": [1, 2], "n": null, "s": {"y": [{"z": "q"}]}}

  {"f": 2.5, "w": 0.5, "t": "NaN", "x": "text", "l": [], "late": [], "s": null, "i": null}
"#;
    let made = plain(text);
    assert_eq!(
        made.types(),
        [
            "i: Int64",
            "f: Float64",
            "w: Float64",
            "t: LargeUtf8",
            "b: Boolean",
            "x: LargeBinary",
            "l: LargeList(Int64)",
            "n: Null",
            "s: Struct(\"y\": LargeList(Struct(\"z\": LargeUtf8)))",
            "late: LargeList(Null)",
        ]
    );
    let batch = made.rows();
    assert_eq!(batch["i"].as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), [Some(1), None]);
    assert!(batch["w"].as_primitive::<Float64Type>().value(0).is_nan());
    assert_eq!(batch["x"].as_binary::<i64>().iter().flatten().collect::<Vec<_>>(), [&b"\xff\0"[..], b"text"]);
    assert_eq!(batch["l"].as_list::<i64>().value(1).len(), 0);
    let structured = made_structured(text);
    assert_eq!(
        structured.types(),
        [
            "i: LargeList(Int64)",
            "f: LargeList(Float32)",
            "w: LargeList(Float32)",
            "t: LargeList(LargeBinary)",
            "b: LargeList(Boolean)",
            "x: LargeList(LargeBinary)",
            "l: LargeList(Int64)",
            "n: Null",
            "s: LargeList(Struct(\"y\": LargeList(Struct(\"z\": LargeList(LargeBinary)))))",
            "late: LargeList(Null)",
        ]
    );
    assert_eq!(structured.rows().num_rows(), 2);
}

/// Strings that may be written for floats are texts where no number is beside them.
#[test]
fn words_alone_are_texts() {
    let text = "{\"w\": \"NaN\"}\n{\"w\": \"Infinity\"}\n";
    let made = plain(text);
    assert_eq!(made.types(), ["w: LargeUtf8"]);
    assert_eq!(made.rows()["w"].as_string::<i64>().value(1), "Infinity");
    assert_eq!(made_structured(text).types(), ["w: LargeList(LargeBinary)"]);
}

fn made_structured(text: &str) -> Made {
    made("a.jsonl", text, &[])
}

#[test]
fn a_value_and_a_list_of_one_are_the_same_feature() {
    let made = made_structured("{\"x\": 1}\n{\"x\": [2, 3]}\n{\"x\": null}\n{}\n");
    assert_eq!(made.types(), ["x: LargeList(Int64)"]);
    let batch = made.rows();
    let lists = batch["x"].as_list::<i64>().iter();
    let lists = lists.map(|list| list.map(|list| list.as_primitive::<Int64Type>().values().to_vec()));
    assert_eq!(lists.collect::<Vec<_>>(), [Some(vec![1]), Some(vec![2, 3]), None, None]);
}

#[test]
fn objects_are_found_by_their_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    for text in ["{\"a\": 1}\n{\"a\": 2}\n", "\u{feff}{\"a\": 1}", "\n {}\n{\"a\": 1}"] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(open(&path).unwrap().spec().unwrap().format, "jsonl", "{text:?}");
    }
    for text in ["{\n  \"a\": 1\n}\n", "[1]\n", "text\n"] {
        std::fs::write(&path, text).unwrap();
        assert!(open(&path).unwrap_err().to_string().contains("state its format"), "{text:?}");
    }
}

#[test]
fn escapes_are_read_and_written() {
    let made = plain("{\"a\\u0062\": \"q\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83e\\udd80\"}\n");
    let batch = made.rows();
    assert_eq!(batch["ab"].as_string::<i64>().value(0), "q\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{1f980}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.jsonl.gz");
    write(&path, &batch);
    let again = OpenOptions::new().set("layout", "plain").unwrap().open(&path).unwrap();
    assert_eq!(again.read(ScanRequest::new()).unwrap().next().unwrap().unwrap(), batch);
}

#[test]
fn what_is_written_is_read_again() {
    let names: ArrayRef = Arc::new(LargeStringArray::from(vec![Some("a"), None, Some("")]));
    let fields = StructArray::try_from(vec![("name", Arc::clone(&names))]).unwrap();
    let floats = Float64Array::from(vec![Some(f64::INFINITY), Some(0.1), Some(f64::NEG_INFINITY)]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("null", Arc::new(NullArray::new(3))),
        ("text", names),
        ("bytes", Arc::new(LargeBinaryArray::from(vec![Some(&b"\xff"[..]), None, Some(b"")]))),
        ("float", Arc::new(floats)),
        ("int", Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(i64::MAX), None]))),
        ("fields", Arc::new(fields)),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    write(&path, &batch);
    let again = OpenOptions::new().set("layout", "plain").unwrap().open(&path).unwrap();
    let again = again.read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
    assert_eq!(again.columns(), batch.columns());
}

#[test]
fn features_come_back_through_json_lines() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["digits/digits@3.tfrecord", "tensors/sessions.tfrecord"] {
        let original = open(format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let batches = |dataset: &Arc<dyn Dataset>| {
            let batches = dataset.read(ScanRequest::new().batch_rows(1)).unwrap();
            batches.map(|batch| batch.unwrap()).collect::<Vec<_>>()
        };
        let path = folder.path().join("a.jsonl");
        let mut sink = JsonLinesFormat
            .sink(path.to_str().unwrap(), original.schema(), &FormatOptions::default())
            .unwrap();
        let rows = batches(&original);
        rows.iter().for_each(|batch| sink.write(&Batch::from(batch.clone())).unwrap());
        sink.finish().unwrap();
        let again = open(&path).unwrap();
        assert_eq!(batches(&again).len(), rows.len());
        for (again, row) in batches(&again).iter().zip(&rows) {
            assert_eq!(again.columns(), row.columns(), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_values_come_back(
        rows in prop::collection::vec(
            (prop::option::of(".*"), prop::option::of(any::<i64>()), prop::option::of(any::<f64>()),
             prop::option::of(prop::collection::vec(any::<u8>(), 0..5))),
            1..20,
        ),
        name in ".+",
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let columns: Vec<(String, ArrayRef)> = vec![
            (format!("{name}0"), Arc::new(LargeStringArray::from_iter(rows.iter().map(|row| row.0.as_deref())))),
            (format!("{name}1"), Arc::new(Int64Array::from_iter(rows.iter().map(|row| row.1)))),
            (format!("{name}2"), Arc::new(Float64Array::from_iter(rows.iter().map(|row| row.2)))),
            (format!("{name}3"), Arc::new(LargeBinaryArray::from_iter(rows.iter().map(|row| row.3.as_deref())))),
        ];
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, true)),
        ).unwrap();
        write(&path, &batch);
        let mut spec = OpenOptions::new().set("layout", "plain").unwrap().open(&path).unwrap().spec().unwrap();
        // A text does not say whether it is one of bytes.
        spec.schema = batch.schema();
        let again = OpenOptions::new().open_spec(&spec).unwrap();
        let read = again.read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
        // Texts, since NaN is not equal to itself.
        prop_assert_eq!(format!("{read:?}"), format!("{batch:?}"));
    }
}
