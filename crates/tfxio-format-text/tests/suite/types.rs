//! Types that a schema asks for, and that are not inferred.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Date32Array, Date64Array, Decimal64Array, Decimal128Array, Float32Array, Int16Array,
    RecordBatch, Time32MillisecondArray, Time64NanosecondArray, TimestampMicrosecondArray,
    TimestampSecondArray, UInt64Array,
};
use tfxio_formats::tfxio_core::{Batch, DatasetSpec, FileFormat, FormatOptions, Result, ScanRequest};
use tfxio_formats::{CsvFormat, DatasetExt as _, JsonLinesFormat, SpecExt as _};

const DAY: i64 = 86_400_000;

fn columns() -> RecordBatch {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("u", Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(0)]))),
        ("i", Arc::new(Int16Array::from(vec![Some(i16::MIN), None, Some(7)]))),
        ("f", Arc::new(Float32Array::from(vec![Some(0.1), None, Some(-1e-40)]))),
        ("d32", Arc::new(Date32Array::from(vec![Some(-719_529), None, Some(20_000)]))),
        ("d64", Arc::new(Date64Array::from(vec![Some(-DAY), None, Some(20_000 * DAY)]))),
        ("t32", Arc::new(Time32MillisecondArray::from(vec![Some(0), None, Some(86_399_999)]))),
        ("t64", Arc::new(Time64NanosecondArray::from(vec![Some(1), None, Some(86_399_999_999_999)]))),
        ("ts", Arc::new(TimestampSecondArray::from(vec![Some(-1), None, Some(1 << 33)]))),
        (
            "zoned",
            Arc::new(
                TimestampMicrosecondArray::from(vec![Some(-1), None, Some(1 << 50)]).with_timezone("UTC"),
            ),
        ),
        (
            "small",
            Arc::new(
                Decimal64Array::from(vec![Some(-5), None, Some(9_999)])
                    .with_precision_and_scale(4, 2)
                    .unwrap(),
            ),
        ),
        (
            "large",
            Arc::new(
                Decimal128Array::from(vec![Some(10i128.pow(37)), None, Some(-1)])
                    .with_precision_and_scale(38, 10)
                    .unwrap(),
            ),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .unwrap()
}

fn read(path: &Path, format: &dyn FileFormat, batch: &RecordBatch) -> Result<RecordBatch> {
    let file = path.to_str().unwrap().into();
    let dataset = DatasetSpec::new(format.name(), vec![file], batch.schema()).open()?;
    dataset.read(ScanRequest::new())?.next().unwrap()
}

fn formats() -> [(&'static str, Box<dyn FileFormat>); 2] {
    [("a.csv", Box::new(CsvFormat)), ("a.jsonl", Box::new(JsonLinesFormat))]
}

#[test]
fn values_of_every_type_come_back_where_a_schema_says_it() {
    let batch = columns();
    for (name, format) in formats() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let mut sink =
            format.sink(path.to_str().unwrap(), &batch.schema(), &FormatOptions::default()).unwrap();
        sink.write(&Batch::from(batch.clone())).unwrap();
        sink.finish().unwrap();
        assert_eq!(read(&path, &*format, &batch).unwrap(), batch, "{name}");
    }
}

#[test]
fn what_a_type_cannot_hold_is_an_error_with_its_column() {
    let whole = columns();
    for (column, text, what) in [
        ("u", "-1", "does not fit UInt64"),
        ("u", "18446744073709551616", "does not fit UInt64"),
        ("d32", "2023-02-29", "not"),
        ("t32", "00:00:00.0001", "does not fit Time32(ms)"),
        ("ts", "2001-09-09T01:46:40Z", "not"),
        ("zoned", "2001-09-09T01:46:40", "not"),
        ("small", "1.234", "does not fit Decimal64(4, 2)"),
        ("small", "100", "does not fit Decimal64(4, 2)"),
    ] {
        let batch = whole.project(&[whole.schema().index_of(column).unwrap()]).unwrap();
        for (name, format) in formats() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            let text = match format.name() {
                "csv" => format!("{column}\n{text}\n"),
                _ => format!("{{\"{column}\": \"{text}\"}}\n"),
            };
            std::fs::write(&path, text).unwrap();
            let error = read(&path, &*format, &batch).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
            let position = error.position();
            assert_eq!((position.column.as_deref(), position.record), (Some(column), Some(0)), "{error}");
        }
    }
}
