//! Column statistics in the footer of a Parquet file, and the ones that are believed.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{
    ArrayRef, BinaryArray, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, StructArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::data_type::ByteArray;
use parquet::file::metadata::{ParquetMetaDataBuilder, ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::WriterProperties;
use parquet::file::statistics::{Statistics, ValueStatistics};
use tfxio_core::{ColumnStatistics, Estimate, PartitionStatistics};

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>, group_rows: usize) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    );
    let batch = batch.unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group_rows))
        .set_statistics_truncate_length(Some(8))
        .build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn statistics(path: &Path) -> PartitionStatistics {
    let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
    dataset.statistics(&dataset.partitions(u64::MAX).unwrap()[0]).unwrap()
}

/// Returns what is known of each column, one line each.
fn lines(path: &Path) -> Vec<String> {
    let known = |known: &Estimate<tfxio_core::Literal>| match known {
        Estimate::Exact(value) => value.to_string(),
        Estimate::Bound(value) => format!("~{value}"),
        _ => "?".to_owned(),
    };
    let line = |(path, of): &(tfxio_core::ColumnPath, ColumnStatistics)| {
        let nulls = match of.nulls {
            Estimate::Exact(nulls) => nulls.to_string(),
            Estimate::Bound(nulls) => format!("~{nulls}"),
            _ => "?".to_owned(),
        };
        format!("{path}: {}..{}, {nulls} nulls", known(&of.min), known(&of.max))
    };
    statistics(path).columns.iter().map(line).collect()
}

#[test]
fn bounds_of_all_kinds_of_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let mut lists = ListBuilder::new(Int64Builder::new());
    lists.append_value([Some(3), None, Some(9)]);
    lists.append_null();
    lists.append_value([]);
    let number: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(5), Some(-5)]));
    let field = Arc::new(Field::new("x", DataType::Int64, true));
    let decimals = Decimal128Array::from(vec![100, 200, 300]).with_precision_and_scale(9, 2).unwrap();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("number", Arc::clone(&number)),
        ("unsigned", Arc::new(UInt64Array::from(vec![1, u64::MAX, 7]))),
        ("float", Arc::new(Float64Array::from(vec![f64::NAN, 0.0, 1.5]))),
        ("nan", Arc::new(Float64Array::from(vec![f64::NAN; 3]))),
        ("short", Arc::new(StringArray::from(vec!["b", "a", "c"]))),
        ("long", Arc::new(StringArray::from(vec!["b and more", "a and more", "c and more"]))),
        ("bytes", Arc::new(BinaryArray::from(vec![&b"a\xff\xff"[..], b"\xff", b"z"]))),
        ("date", Arc::new(Date32Array::from(vec![Some(1), None, Some(3)]))),
        ("time", Arc::new(TimestampMicrosecondArray::from(vec![10, 20, 30]))),
        ("decimal", Arc::new(decimals)),
        ("none", Arc::new(Int32Array::from(vec![None, None, None]))),
        ("lists", Arc::new(lists.finish())),
        ("of", Arc::new(StructArray::from(vec![(field, number)]))),
    ];
    write(&path, columns, 2);
    assert_eq!(
        lines(&path),
        [
            "number: -5..5, 1 nulls",
            "unsigned: 1..18446744073709551615, 0 nulls",
            "float: ~-0.0..1.5, 0 nulls",
            "nan: ?..?, 0 nulls",
            "short: 'a'..'c', 0 nulls",
            "long: ~'a and mo'..~'c and mp', 0 nulls",
            "bytes: ~'a'..?, 0 nulls",
            "date: 1..3, 1 nulls",
            "time: 10..30, 0 nulls",
            "decimal: ?..?, 0 nulls",
            "none: ?..?, 3 nulls",
            "lists: 3..9, ? nulls",
            "of.x: -5..5, 1 nulls",
        ]
    );
    let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
    let some = dataset.partitions(u64::MAX).unwrap().remove(0).skip(1);
    let some = dataset.statistics(&some).unwrap();
    assert_eq!(some.rows, Estimate::Exact(2));
    assert_eq!(some.columns[0].1.min, Estimate::Bound((-5).into()));
    assert_eq!(some.columns[0].1.nulls, Estimate::Bound(1));
    assert_eq!(some.columns[1].1.nulls, Estimate::Exact(0));
}

/// Writes other statistics into the footer of a file.
fn change(path: &Path, change: impl Fn(usize) -> Statistics) {
    let bytes = std::fs::read(path).unwrap();
    let tail: [u8; 8] = *bytes.last_chunk().unwrap();
    let length = u32::from_le_bytes(*tail.first_chunk().unwrap()) as usize;
    let start = bytes.len() - 8 - length;
    let metadata = ParquetMetaDataReader::decode_metadata(&bytes[start..start + length]).unwrap();
    let mut builder = ParquetMetaDataBuilder::new(metadata.file_metadata().clone());
    for group in metadata.row_groups() {
        let columns = group.columns().iter().enumerate().map(|(column, chunk)| {
            chunk.clone().into_builder().set_statistics(change(column)).build().unwrap()
        });
        let columns = columns.collect();
        builder =
            builder.add_row_group(group.clone().into_builder().set_column_metadata(columns).build().unwrap());
    }
    let mut out = bytes[..start].to_vec();
    ParquetMetaDataWriter::new(&mut out, &builder.build()).finish().unwrap();
    std::fs::write(path, out).unwrap();
}

/// A file of the columns `a`, of integers, and `b`, of text.
fn two(folder: &tempfile::TempDir) -> std::path::PathBuf {
    let path = folder.path().join("a.parquet");
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("a", Arc::new(Int32Array::from(vec![1, 2, 3]))),
        ("b", Arc::new(StringArray::from(vec!["x", "y", "é"]))),
    ];
    write(&path, columns, 10);
    path
}

fn texts(min: &str, max: &str, nulls: Option<u64>, is_old: bool) -> Statistics {
    let (min, max) = (Some(ByteArray::from(min)), Some(ByteArray::from(max)));
    let values = ValueStatistics::new(min, max, None, nulls, is_old);
    Statistics::ByteArray(values.with_backwards_compatible_min_max(is_old))
}

fn numbers(min: i32, max: i32, nulls: Option<u64>, is_old: bool) -> Statistics {
    let values = ValueStatistics::new(Some(min), Some(max), None, nulls, is_old);
    Statistics::Int32(values.with_backwards_compatible_min_max(is_old))
}

#[test]
fn bounds_of_the_oldest_form_count_where_they_were_signed() {
    let folder = tempfile::tempdir().unwrap();
    let path = two(&folder);
    change(&path, |column| match column {
        0 => numbers(1, 3, Some(0), true),
        _ => texts("x", "é", Some(0), true),
    });
    assert_eq!(lines(&path), ["a: 1..3, 0 nulls", "b: ?..?, 0 nulls"]);
}

#[test]
fn statistics_that_contradict_themselves_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = two(&folder);
    change(&path, |column| match column {
        // More nulls than values; a maximum below the minimum.
        0 => numbers(3, 1, Some(4), false),
        _ => texts("a", "z", Some(3), false),
    });
    assert_eq!(lines(&path), ["b: 'a'..'z', 3 nulls"]);
}
