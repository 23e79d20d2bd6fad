//! Values that Parquet does not hold, of columns that it does, and types that its writer or its reader stops at.

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Int32Type, IntervalDayTime, IntervalMonthDayNano};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, FixedSizeBinaryArray, Float16Array,
    Int32Array, IntervalDayTimeArray, IntervalMonthDayNanoArray, ListArray, RecordBatch, StringViewArray,
    StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Schema};
use half::f16;
use tfxio_convert::Conversion;
use tfxio_core::{Batch, ErrorKind, FileFormat as _, FormatOptions, Result};
use tfxio_formats::ParquetFormat;

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let fields = columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(std::fs::File::create(path).unwrap(), &schema).unwrap();
    // Twice, so that records are counted over batches.
    writer.write(&batch).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

fn converted(from: &Path, to: &Path) -> Result<()> {
    Conversion::builder([from.to_str().unwrap()], to).build()?.run(|_| {}).map(drop)
}

#[test]
fn an_interval_without_a_form_is_an_error_of_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a.arrow"), folder.path().join("a.parquet"));
    let good = IntervalMonthDayNano::new(14, 3, 5_000_000);
    for nanos in [1, -1_000_000, 4_294_967_296_000_000, i64::MIN] {
        let bad = IntervalMonthDayNano::new(0, 0, nanos);
        let values: ArrayRef = Arc::new(IntervalMonthDayNanoArray::from(vec![Some(good), None, Some(bad)]));
        let item = Arc::new(Field::new("v", values.data_type().clone(), true));
        let lists: ArrayRef = Arc::new(ListArray::new(
            Arc::clone(&item),
            OffsetBuffer::from_lengths([1, 1, 1]),
            Arc::clone(&values),
            None,
        ));
        let structs: ArrayRef =
            Arc::new(StructArray::new(vec![item].into(), vec![Arc::clone(&values)], None));
        for column in [values, lists, structs] {
            let number: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
            write(&from, vec![("n", number), ("i", column)]);
            let error = converted(&from, &to).unwrap_err();
            let position = error.position();
            assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
            assert_eq!((position.column.as_deref(), position.record), (Some("i"), Some(2)), "{error}");
            assert!(error.to_string().contains(&format!("an interval has {nanos} nanosecond")), "{error}");
            assert!(error.hint().is_some() && !to.exists());
        }
    }
}

/// Other readers take the milliseconds for a number without a sign.
#[test]
fn negative_milliseconds_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a.arrow"), folder.path().join("a.parquet"));
    let (good, bad) = (IntervalDayTime::new(-2, 500), IntervalDayTime::new(0, -1));
    let days =
        |values: [IntervalDayTime; 2]| Arc::new(IntervalDayTimeArray::from(values.to_vec())) as ArrayRef;
    write(&from, vec![("i", days([good, good]))]);
    converted(&from, &to).unwrap();
    write(&from, vec![("i", days([good, bad]))]);
    let error = converted(&from, &to).unwrap_err();
    assert_eq!((error.position().column.as_deref(), error.position().record), (Some("i"), Some(1)));
    assert!(error.to_string().contains("an interval has -1 milliseconds, and Parquet has"), "{error}");
}

#[test]
fn values_that_no_list_refers_to_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("a.parquet");
    let parts = [1, 3_000_000, -1].map(|nanos| IntervalMonthDayNano::new(0, 0, nanos));
    let values: ArrayRef = Arc::new(IntervalMonthDayNanoArray::from(parts.to_vec()));
    let item = Arc::new(Field::new("v", values.data_type().clone(), true));
    // The first is in a null list, the last in none.
    let (offsets, nulls) = (OffsetBuffer::from_lengths([1, 1]), NullBuffer::from(vec![false, true]));
    let lists: ArrayRef = Arc::new(ListArray::new(item, offsets, values, Some(nulls)));
    let batch = RecordBatch::try_from_iter_with_nullable([("i", lists, true)]).unwrap();
    let options = FormatOptions::default();
    let mut sink = ParquetFormat.sink(to.to_str().unwrap(), &batch.schema(), &options).unwrap();
    sink.write(&Batch::from(batch)).unwrap();
    assert_eq!(sink.finish().unwrap().rows, 2);
}

/// Types whose writer panics, or whose reader takes the file for damaged, become others of the same values.
#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to, back) =
        (folder.path().join("a.arrow"), folder.path().join("a.parquet"), folder.path().join("b.arrow"));
    let keys = || Int32Array::from(vec![Some(1), None, Some(0)]);
    let decimals = Decimal128Array::from(vec![-5, 7]).with_precision_and_scale(38, 2).unwrap();
    let values: Vec<ArrayRef> = vec![
        Arc::new(BooleanArray::from(vec![true, false])),
        Arc::new(Float16Array::from(vec![f16::from_f32(0.5), f16::ONE])),
        Arc::new(decimals),
        Arc::new(StringViewArray::from(vec!["a", "b"])),
    ];
    for values in values {
        let dictionary = DictionaryArray::<Int32Type>::new(keys(), Arc::clone(&values));
        write(&from, vec![("d", Arc::new(dictionary))]);
        converted(&from, &to).unwrap();
        converted(&to, &back).unwrap();
        let reader =
            arrow_ipc::reader::FileReader::try_new(std::fs::File::open(&back).unwrap(), None).unwrap();
        let batch = reader.map(Result::unwrap).next().unwrap();
        let found = batch.column(0);
        assert_eq!(found.data_type(), values.data_type());
        assert!(found.is_null(1) && found.slice(0, 1).to_data() == values.slice(1, 1).to_data());
        assert_eq!(found.slice(2, 1).to_data(), values.slice(0, 1).to_data());
    }
    let bytes = FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some(b""), None].into_iter(), 0);
    write(&from, vec![("b", Arc::new(bytes.unwrap()))]);
    converted(&from, &to).unwrap();
    converted(&to, &back).unwrap();
}
