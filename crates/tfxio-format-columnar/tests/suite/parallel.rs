//! Parquet files that several threads encode.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray, StructArray};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tfxio_core::{Batch, Feed, FileFormat as _, FormatOptions, Threading};
use tfxio_formats::ParquetFormat;

fn batch(rows: std::ops::Range<i64>) -> RecordBatch {
    let lists = rows.clone().map(|row| Some((0..row % 4).map(|item| Some(item as i32)).collect::<Vec<_>>()));
    let text: ArrayRef =
        Arc::new(StringArray::from_iter_values(rows.clone().map(|row| format!("row {row}"))));
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.clone()));
    let words = rows.map(|row| ["a", "b", "c"][row as usize % 3]).collect::<DictionaryArray<Int32Type>>();
    let pair = StructArray::try_from(vec![("n", Arc::clone(&numbers)), ("text", Arc::clone(&text))]).unwrap();
    let columns: [(&str, ArrayRef); 5] = [
        ("n", numbers),
        ("lists", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
        ("pair", Arc::new(pair)),
        ("text", text),
        ("words", Arc::new(words)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn files_are_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let batches = [0..1000, 1000..1001, 1001..1001, 1001..4000, 4000..4100].map(batch);
    for (rows, bytes) in [(300_u64, 1 << 30), (1 << 30, 20_000), (1 << 30, 1 << 30), (700, 50_000_u64)] {
        let options =
            FormatOptions::default().option("row_group_rows", rows).option("row_group_bytes", bytes);
        let write = |name: &str, threads: Option<usize>| {
            let path = folder.path().join(name).to_str().unwrap().to_owned();
            let mut sink = ParquetFormat.sink(&path, &batches[0].schema(), &options).unwrap();
            match threads {
                None => batches.iter().for_each(|batch| sink.write(&batch.clone().into()).unwrap()),
                Some(threads) => {
                    let mut left = batches.clone().into_iter();
                    let next = move || Ok(left.next().map(Batch::from));
                    let mut said = 0;
                    let feed = Feed::new(Threading::new().threads(threads), next);
                    sink.write_all(feed, &mut |rows| said = rows).unwrap();
                    assert_eq!(said, 4100);
                }
            }
            assert_eq!(sink.finish().unwrap().rows, 4100);
            std::fs::read(path).unwrap()
        };
        let one_by_one = write("one.parquet", None);
        for threads in [1, 2, 5] {
            assert!(
                write("a.parquet", Some(threads)) == one_by_one,
                "{rows} rows, {bytes} bytes, {threads} threads"
            );
        }
    }
}

/// Batches that share large buffers are handed on one by one, so that the rows of a part come while it is encoded.
#[test]
fn parts_are_encoded_while_their_rows_come() {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..3 << 20));
    let large = RecordBatch::try_from_iter([("a", Arc::clone(&n)), ("b", Arc::clone(&n)), ("c", n)]).unwrap();
    let batches = (0..60).map(|batch| large.slice(batch * 100, 100)).collect::<Vec<_>>();
    let folder = tempfile::tempdir().unwrap();
    for group in [1000_u64, 1050, 1 << 20] {
        let options = FormatOptions::default().option("row_group_rows", group);
        let write = |name: &str, threads: usize| {
            let path = folder.path().join(name).to_str().unwrap().to_owned();
            let mut sink = ParquetFormat.sink(&path, &large.schema(), &options).unwrap();
            let mut left = batches.clone().into_iter();
            let feed = Feed::new(Threading::new().threads(threads), move || Ok(left.next().map(Batch::from)));
            let mut said = Vec::new();
            sink.write_all(feed, &mut |rows| said.push(rows)).unwrap();
            assert_eq!((said.last(), said.is_sorted()), (Some(&6000), true));
            assert_eq!(sink.finish().unwrap().rows, 6000);
            std::fs::read(path).unwrap()
        };
        let one_by_one = write("one.parquet", 1);
        for threads in [2, 3, 8] {
            assert!(write("a.parquet", threads) == one_by_one, "groups of {group} rows, {threads} threads");
        }
    }
}

/// The rows go to the files in turn, whatever thread encodes the rows of a file, and go on so where batches are written one by one after
/// that.
#[test]
fn files_of_a_set_are_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let batches = [0..1000, 1000..1001, 1001..1001, 1001..9000, 9000..9100].map(batch);
    for (shards, rows, bytes) in [(2, 300_u64, 1 << 30), (3, 1 << 30, 20_000), (7, 1 << 30, 1 << 30)] {
        let options =
            FormatOptions::default().option("row_group_rows", rows).option("row_group_bytes", bytes);
        let write = |threads: usize, one_by_one: usize| {
            let path = folder.path().join(format!("{threads}-{one_by_one}@{shards}.parquet"));
            let mut sink =
                ParquetFormat.sink(path.to_str().unwrap(), &batches[0].schema(), &options).unwrap();
            let (fed, after) = batches.split_at(batches.len() - one_by_one);
            let mut left = VecDeque::from(fed.to_vec());
            let next = move || Ok(left.pop_front().map(Batch::from));
            let feed = Feed::new(Threading::new().threads(threads), next);
            sink.write_all(feed, &mut |_| ()).unwrap();
            after.iter().for_each(|batch| sink.write(&batch.clone().into()).unwrap());
            let written = sink.finish().unwrap();
            assert_eq!((written.rows, written.files.len()), (9100, shards));
            written.files.iter().map(|file| std::fs::read(file).unwrap()).collect::<Vec<_>>()
        };
        let one = write(1, 0);
        for threads in [2, 5] {
            assert!(
                write(threads, 0) == one,
                "{shards} files, {rows} rows, {bytes} bytes, {threads} threads"
            );
        }
        // The row group that is open ends with the batches of several threads, so that the bytes may be others.
        let numbers = write(2, 1).iter().map(|file| numbers_of(file)).collect::<Vec<_>>();
        let expected = (0..shards as i64).map(|shard| (shard..9100).step_by(shards).collect::<Vec<_>>());
        assert!(numbers == expected.collect::<Vec<_>>(), "{shards} files");
    }
}

/// Returns the first column of a file.
fn numbers_of(file: &[u8]) -> Vec<i64> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::copy_from_slice(file)).unwrap();
    let batches = reader.build().unwrap().map(|batch| batch.unwrap());
    batches.flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
}

#[test]
fn what_a_feed_fails_with_ends_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let mut batches = vec![
        Ok(Some(batch(0..10).into())),
        Err(tfxio_core::Error::new(tfxio_core::ErrorKind::Malformed, "cut")),
    ]
    .into_iter();
    let options = FormatOptions::default().option("row_group_rows", 3_u64);
    let mut sink = ParquetFormat.sink(path.to_str().unwrap(), &batch(0..1).schema(), &options).unwrap();
    let feed = Feed::new(Threading::new().threads(2), move || batches.next().unwrap_or(Ok(None)));
    assert_eq!(sink.write_all(feed, &mut |_| ()).unwrap_err().to_string(), "cut");
    assert!(sink.finish().is_err() && !path.exists());
}
