//! Footers of Parquet files, which are the same as of the `parquet` crate's own writer.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int64Array,
    IntervalYearMonthArray, ListArray, RecordBatch, StringArray, StructArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::PageIndexPolicy;
use parquet::file::properties::WriterProperties;
use tfxio_core::{FileFormat as _, FormatOptions};
use tfxio_formats::ParquetFormat;

/// Returns columns of many types; of some the bounds are unknown, or of no values.
fn many_types(rows: usize) -> RecordBatch {
    let numbers = || 0..rows as i64;
    let long = |row: i64| format!("{row:03} {}", "long ".repeat(30));
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for row in numbers() {
        (0..row % 3).for_each(|key| {
            maps.keys().append_value(key.to_string());
            maps.values().append_option((key != 1).then_some(row));
        });
        maps.append(row % 4 > 0).unwrap();
    }
    let lists = numbers().map(|row| {
        (row % 5 > 0).then(|| (0..row % 4).map(|item| (item != 2).then_some(item as i32)).collect::<Vec<_>>())
    });
    let odd = Float64Array::from_iter(
        numbers().map(|row| [Some(f64::NAN), Some(-0.0), None, Some(0.0)][row as usize % 4]),
    );
    let pair = StructArray::try_from(vec![
        ("text", Arc::new(StringArray::from_iter_values(numbers().map(long))) as ArrayRef),
        ("odd", Arc::new(odd.clone()) as ArrayRef),
    ]);
    let words =
        numbers().map(|row| ["a", "b", "c"][row as usize % 3]).collect::<DictionaryArray<Int32Type>>();
    let columns: [(&str, ArrayRef); 12] = [
        ("number", Arc::new(Int64Array::from_iter_values(numbers()))),
        ("odd", Arc::new(odd)),
        ("nan", Arc::new(Float32Array::from(vec![f32::NAN; rows]))),
        ("null", Arc::new(Int64Array::new_null(rows))),
        (
            "bool",
            Arc::new(BooleanArray::from_iter(numbers().map(|row| (row % 3 > 0).then_some(row % 2 == 0)))),
        ),
        ("pair", Arc::new(pair.unwrap())),
        ("lists", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
        ("maps", Arc::new(maps.finish())),
        ("words", Arc::new(words)),
        ("price", Arc::new(Decimal128Array::from_iter_values(numbers().map(i128::from)))),
        ("at", Arc::new(TimestampMicrosecondArray::from_iter_values(numbers()).with_timezone("UTC"))),
        // Without an order, so without bounds.
        ("months", Arc::new(IntervalYearMonthArray::from_iter_values(numbers().map(|row| row as i32)))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns a column of each of this many names.
fn many_columns(columns: usize, rows: i64) -> RecordBatch {
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let columns = (0..columns).map(|index| (format!("c{index}"), Arc::clone(&column)));
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn files_are_those_of_the_arrow_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet").to_str().unwrap().to_owned();
    let described = Schema::new_with_metadata(
        vec![
            Field::new("n", DataType::Int64, false).with_metadata([("k".to_owned(), "v".to_owned())].into()),
        ],
        [("about".to_owned(), "numbers".to_owned())].into(),
    );
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..50));
    let described = RecordBatch::try_new(Arc::new(described), vec![numbers]).unwrap();
    for batch in [many_types(120), many_types(0), many_columns(300, 40), many_columns(1, 40_000), described] {
        // Row groups of which the list has a short and a long length, and whose offsets take one byte and more.
        for rows in [3_u64, 9, 200, 1_000, 1 << 30] {
            if batch.num_rows() as u64 / rows > 200 {
                continue;
            }
            let options = FormatOptions::default().option("row_group_rows", rows);
            let mut sink = ParquetFormat.sink(&path, &batch.schema(), &options).unwrap();
            sink.write(&batch.clone().into()).unwrap();
            sink.finish().unwrap();
            let ours = std::fs::read(&path).unwrap();

            let file = std::fs::File::open(&path).unwrap();
            let reader = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
            let read = ArrowReaderMetadata::load(&file, reader).unwrap();
            let groups = (batch.num_rows() as u64).div_ceil(rows) as usize;
            assert_eq!(read.metadata().num_row_groups(), groups);
            assert_eq!(read.metadata().offset_index().map_or(0, Vec::len), groups);

            let properties = WriterProperties::builder()
                .set_created_by(read.metadata().file_metadata().created_by().unwrap().to_owned())
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_max_row_group_row_count(Some(rows as usize))
                .build();
            let mut theirs = Vec::new();
            let mut writer = ArrowWriter::try_new(&mut theirs, batch.schema(), Some(properties)).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            assert!(ours == theirs, "{} columns, row groups of {rows} rows", batch.num_columns());
        }
    }
}

/// The number of a row group has 16 bits.
#[test]
fn too_many_row_groups_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet").to_str().unwrap().to_owned();
    let options = FormatOptions::default().option("row_group_rows", 1_u64);
    let batch = many_columns(1, (1 << 15) + 1);
    let mut sink = ParquetFormat.sink(&path, &batch.schema(), &options).unwrap();
    sink.write(&batch.slice(0, 1 << 15).into()).unwrap();
    let error = sink.write(&batch.slice(1 << 15, 1).into()).unwrap_err().to_string();
    let text = "writing failed: Parquet error: a file has at most 32768 row groups; write larger ones, or several files";
    assert!(error.contains(text), "{error}");
    sink.finish().unwrap_err();
    assert!(!std::fs::exists(&path).unwrap());
}
