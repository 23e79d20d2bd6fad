//! Numbers and times that are written as texts: all of their digits, or an error.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array as _, ArrayRef, Decimal32Array, Decimal64Array, Decimal128Array, Decimal256Array, DictionaryArray,
    Int32Array, LargeListArray, RecordBatch, StructArray, Time32MillisecondArray, Time32SecondArray,
    Time64MicrosecondArray, Time64NanosecondArray,
};
use arrow_buffer::{OffsetBuffer, i256};
use arrow_schema::Field;
use tfxio_convert::{CastType, Conversion};
use tfxio_formats::tfxio_core::{Batch, ErrorKind, FileFormat, FormatOptions, Result};
use tfxio_formats::{CsvFormat, JsonLinesFormat};

fn written(format: &dyn FileFormat, ending: &str, columns: Vec<(&str, ArrayRef)>) -> Result<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("a.{ending}"));
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut sink = format.sink(path.to_str().unwrap(), &batch.schema(), &FormatOptions::default())?;
    sink.write(&Batch::from(batch))?;
    sink.finish()?;
    Ok(std::fs::read_to_string(path).unwrap())
}

/// Arrow does not check that a decimal has no more digits than its type declares.
fn decimals() -> Vec<(&'static str, ArrayRef)> {
    let wide = i256::from_i128(-1).checked_mul(i256::from_i128(10).checked_pow(76).unwrap()).unwrap();
    vec![
        ("a", Arc::new(Decimal32Array::from(vec![1_000]).with_precision_and_scale(3, 0).unwrap())),
        ("b", Arc::new(Decimal64Array::from(vec![-123_456]).with_precision_and_scale(4, 2).unwrap())),
        ("c", Arc::new(Decimal128Array::from(vec![12_345]).with_precision_and_scale(2, -2).unwrap())),
        ("d", Arc::new(Decimal256Array::from(vec![wide]).with_precision_and_scale(76, 0).unwrap())),
    ]
}

#[test]
fn decimals_have_all_of_their_digits() {
    let wide = format!("-1{}", "0".repeat(76));
    let csv = written(&CsvFormat, "csv", decimals()).unwrap();
    assert_eq!(csv, format!("a,b,c,d\n1000,-1234.56,1234500,{wide}\n"));
    let lines = written(&JsonLinesFormat, "jsonl", decimals()).unwrap();
    let expected =
        format!("{{\"a\": \"1000\", \"b\": \"-1234.56\", \"c\": \"1234500\", \"d\": \"{wide}\"}}\n");
    assert_eq!(lines, expected);
}

#[test]
fn casts_take_all_digits_of_decimals() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a.arrow"), folder.path().join("a.jsonl"));
    let columns = decimals().into_iter().take(3).map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let file = std::fs::File::create(&from).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let builder = Conversion::builder([from.to_str().unwrap()], &to);
    let builder = builder.cast("a", CastType::Int64).cast("b", CastType::Float64).cast("c", CastType::String);
    builder.build().unwrap().run(|_| {}).unwrap();
    let lines = std::fs::read_to_string(to).unwrap();
    assert_eq!(lines, "{\"a\": 1000, \"b\": -1234.56, \"c\": \"1234500\"}\n");
}

#[test]
fn what_is_no_time_of_day_is_an_error() {
    let day = 86_400_i64;
    let seconds = i32::try_from(day).unwrap();
    let columns: Vec<(ArrayRef, i64)> = vec![
        (Arc::new(Time32SecondArray::from(vec![Some(0), None, Some(seconds)])), day),
        (Arc::new(Time32MillisecondArray::from(vec![Some(0), None, Some(-1)])), -1),
        (Arc::new(Time64MicrosecondArray::from(vec![Some(0), None, Some(day * 1_000_000)])), day * 1_000_000),
        (Arc::new(Time64NanosecondArray::from(vec![Some(0), None, Some(i64::MIN)])), i64::MIN),
    ];
    for (column, number) in columns {
        let field = Arc::new(Field::new("v", column.data_type().clone(), true));
        let lists = LargeListArray::new(
            Arc::clone(&field),
            OffsetBuffer::from_lengths([1, 1, 1]),
            Arc::clone(&column),
            None,
        );
        let structs = StructArray::new(vec![field].into(), vec![Arc::clone(&column)], None);
        let keys = Int32Array::from(vec![0, 1, 2]);
        let dictionary = DictionaryArray::<Int32Type>::new(keys, Arc::clone(&column));
        let text = format!("the number {number} is not a time of day, and has no text");
        let refused = |error: tfxio_formats::Error| {
            assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
            assert_eq!(
                (error.position().column.as_deref(), error.position().row),
                (Some("t"), Some(2)),
                "{error}"
            );
            assert!(error.to_string().contains(&text) && error.hint().is_some(), "{error}");
        };
        let within: [ArrayRef; 4] = [column, Arc::new(dictionary), Arc::new(lists), Arc::new(structs)];
        for (number, column) in within.into_iter().enumerate() {
            // What is before it is a time.
            let times = vec![("t", column.slice(0, 2))];
            assert!(written(&JsonLinesFormat, "jsonl", times).unwrap().contains("\"00:00:00"));
            let times = vec![("t", column)];
            refused(written(&JsonLinesFormat, "jsonl", times.clone()).unwrap_err());
            // Structs and lists with a null are no cells.
            if number < 2 {
                refused(written(&CsvFormat, "csv", times).unwrap_err());
            }
        }
    }
}
