//! Limits of batches, held for what others decode: a few bytes can stand for any number of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int64Type;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, FixedSizeBinaryArray, Int64Array, LargeListArray, RecordBatch,
    StringArray,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::WriterProperties;
use tfxio_core::{ErrorKind, Limits, Result, ScanRequest};
use tfxio_formats::DatasetExt as _;

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>, encoding: Option<Encoding>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_page_size_limit(1 << 30)
        .set_data_page_size_limit(1 << 30);
    let properties = match encoding {
        Some(encoding) => properties.set_dictionary_enabled(false).set_encoding(encoding),
        None => properties,
    };
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
    // Written as text, and not as a dictionary that the file says to be one.
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The bytes of rows, of slices those of their rows only.
fn bytes(batch: &RecordBatch) -> u64 {
    let of = |column: &ArrayRef| column.to_data().get_slice_memory_size().unwrap() as u64;
    batch.columns().iter().map(of).sum()
}

fn batches(path: &Path, request: ScanRequest) -> Result<Vec<RecordBatch>> {
    let dataset = tfxio_formats::open(path.to_str().unwrap())?;
    dataset.read(request)?.collect()
}

const ROWS: usize = 300;
const WORD: usize = 1 << 17;

/// A value of 128 KiB in each row, with numbers beside it: some KB.
fn bomb(folder: &Path, name: &str, short_first: usize) -> PathBuf {
    let path = folder.join(name);
    let long = "a".repeat(WORD);
    let words = (0..ROWS).map(|row| if row < short_first { "b" } else { long.as_str() });
    let numbers = Int64Array::from_iter_values(0..ROWS as i64);
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(words));
    write(&path, vec![("n", Arc::new(numbers)), ("t", text)], None);
    assert!(std::fs::metadata(&path).unwrap().len() < 20_000);
    path
}

#[test]
fn words_of_a_dictionary_are_cut_to_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    // Also where the first rows say nothing of those that follow.
    for short_first in [0, 290] {
        let path = bomb(folder.path(), "a.parquet", short_first);
        for threads in [1, 2] {
            let limits = Limits::default().batch_bytes(1 << 20);
            let request = ScanRequest::new().limits(limits).threads(threads);
            for request in [request.clone(), request.clone().batch_rows(3), request.clone().limit(299)] {
                let wanted = request.limit.unwrap_or(ROWS as u64);
                let read = batches(&path, request).unwrap();
                assert_eq!(read.iter().map(|batch| batch.num_rows() as u64).sum::<u64>(), wanted);
                assert!(read.iter().all(|batch| bytes(batch) <= 1 << 20), "{short_first}");
                let ns = read.iter().flat_map(|batch| {
                    let n = batch["n"].as_any().downcast_ref::<Int64Array>().unwrap();
                    n.values().to_vec()
                });
                assert!(ns.eq(0..wanted as i64));
            }
        }
    }
}

#[test]
fn a_value_that_is_longer_than_a_batch_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = bomb(folder.path(), "a.parquet", 0);
    let request = ScanRequest::new().limits(Limits::default().batch_bytes(1 << 16));
    let error = batches(&path, request.clone()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    let expected = "column \"t\": the Parquet file cannot be read: a value of the column takes 131072 bytes, and a batch has \
                    at most 65536; leave out the column, or raise the limit batch_bytes";
    assert!(error.to_string().ends_with(expected), "{error}");
    // Where it is left out, the rest is read.
    let read = batches(&path, request.columns(["n"])).unwrap();
    assert_eq!(read.iter().map(RecordBatch::num_rows).sum::<usize>(), ROWS);
}

#[test]
fn values_of_a_fixed_size_are_cut_to_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let value = vec![7; WORD];
    let values = FixedSizeBinaryArray::try_from_iter((0..50).map(|_| value.as_slice())).unwrap();
    write(&path, vec![("f", Arc::new(values))], None);
    let request = ScanRequest::new().limits(Limits::default().batch_bytes(1 << 20));
    let read = batches(&path, request).unwrap();
    assert!(read.len() >= 7 && read.iter().all(|batch| bytes(batch) <= 1 << 20), "{} batches", read.len());
}

#[test]
fn rows_of_many_bytes_are_cut_to_the_limit_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let values = (0..100).map(|row| vec![row as u8; 100_000]).collect::<Vec<_>>();
    let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(&values));
    let parquet = folder.path().join("a.parquet");
    write(&parquet, vec![("b", column)], Some(Encoding::PLAIN));
    let request = ScanRequest::new().limits(Limits::default().batch_bytes(1 << 20));
    let read = batches(&parquet, request.clone()).unwrap();
    assert_eq!(read.iter().map(RecordBatch::num_rows).sum::<usize>(), 100);
    assert!(read.iter().all(|batch| bytes(batch) <= 1 << 20));
    let error = batches(&parquet, request.limits(Limits::default().batch_bytes(90_000))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}

#[test]
fn items_of_lists_are_within_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [Some(vec![Some(1); 10]), Some(vec![]), Some(vec![Some(7); 5000])];
    let lists =
        || -> ArrayRef { Arc::new(LargeListArray::from_iter_primitive::<Int64Type, _, _>(rows.clone())) };
    let parquet = folder.path().join("a.parquet");
    write(&parquet, vec![("a", lists())], None);
    let arrow = folder.path().join("a.arrow");
    super::made::write(&arrow, &[RecordBatch::try_from_iter([("a", lists())]).unwrap()]);
    for path in [parquet, arrow] {
        let limited = |items: u64| ScanRequest::new().limits(Limits::default().list_items(items));
        assert_eq!(batches(&path, limited(5000)).unwrap().len(), 1);
        let error = batches(&path, limited(4999)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
        let expected = "the lists of a row have 5000 items, and have at most 4999; read fewer columns, or raise the limit \
                        list_items";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert!(batches(&path, limited(10)).is_err());
    }
}

#[test]
fn columns_are_within_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let column = || -> ArrayRef { Arc::new(Int64Array::from(vec![1])) };
    let columns = || vec![("a", column()), ("b", column()), ("c", column())];
    let parquet = folder.path().join("a.parquet");
    write(&parquet, columns(), None);
    let arrow = folder.path().join("a.arrow");
    super::made::write(&arrow, &[RecordBatch::try_from_iter(columns()).unwrap()]);
    for path in [parquet, arrow] {
        let limited = |columns: usize| ScanRequest::new().limits(Limits::default().columns(columns));
        assert_eq!(batches(&path, limited(3)).unwrap()[0].num_columns(), 3);
        assert_eq!(batches(&path, limited(2).columns(["a", "c"])).unwrap()[0].num_columns(), 2);
        let error = batches(&path, limited(2)).unwrap_err().to_string();
        let expected =
            "a batch would have 3 columns, and has at most 2; read fewer columns, or raise the limit columns";
        assert!(error.ends_with(expected), "{error}");
    }
}
