//! Limits of batches, also for rows that other crates decode: a few bytes can expand to any number of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int64Type;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, FixedSizeBinaryArray, Int32Array, Int64Array, LargeListArray,
    NullArray, RecordBatch, RecordBatchOptions, RunArray, StringArray,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::Schema;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::{SchemaDescriptor, Type as SchemaType};
use tfxio_core::{Error, ErrorKind, Limits, Result, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

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

/// Returns the bytes of rows; of slices, only of their own rows.
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
    super::test_files::write(&arrow, &[RecordBatch::try_from_iter([("a", lists())]).unwrap()]);
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
    super::test_files::write(&arrow, &[RecordBatch::try_from_iter(columns()).unwrap()]);
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

/// Batches of rows that have no bytes: of nulls, of runs, and without columns.
fn empty_batches(rows: usize) -> Vec<RecordBatch> {
    let nulls: ArrayRef = Arc::new(NullArray::new(rows));
    let end = Int32Array::from(vec![i32::try_from(rows).unwrap()]);
    let runs: ArrayRef = Arc::new(RunArray::try_new(&end, &Int64Array::from(vec![7])).unwrap());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let none = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options).unwrap();
    let one = |column: ArrayRef| RecordBatch::try_from_iter([("a", column)]).unwrap();
    vec![one(nulls), one(runs), none]
}

#[test]
fn rows_without_bytes_are_within_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    for (at, batch) in empty_batches(1 << 20).into_iter().enumerate() {
        let file = folder.path().join(format!("{at}.arrow"));
        let file_of = |batches: &[RecordBatch]| {
            let mut writer = FileWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.into_inner().unwrap()
        };
        let stream_of = |batches: &[RecordBatch]| {
            let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.into_inner().unwrap()
        };
        let rows = |limit: u64| {
            let dataset = OpenOptions::new()
                .limits(Limits::default().empty_rows(limit))
                .open(file.to_str().unwrap())?;
            let request = ScanRequest::new().limits(Limits::default().empty_rows(limit));
            let mut rows = 0;
            for batch in dataset.read(request)? {
                rows += batch?.num_rows();
            }
            Ok::<_, Error>(rows)
        };
        let one = std::slice::from_ref(&batch);
        for bytes in [file_of(one), stream_of(one)] {
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(rows(1 << 20).unwrap(), 1 << 20, "{at}");
            let error = rows((1 << 20) - 8000).unwrap_err().to_string();
            assert!(error.contains("raise the limit empty_rows if this is meant"), "{at}: {error}");
        }
        // Small batches add up.
        let several = vec![batch.slice(0, 1 << 17); 8];
        for bytes in [file_of(&several), stream_of(&several)] {
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(rows(1 << 20).unwrap(), 1 << 20, "{at}");
            assert!(rows(1 << 19).is_err(), "{at}");
        }
    }
}

#[test]
fn rows_of_parquet_without_columns_are_within_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    // As pyarrow writes a table without columns.
    let schema = SchemaType::group_type_builder("schema").build().unwrap();
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema)));
    let group = RowGroupMetaData::builder(Arc::clone(&schema)).set_num_rows(1 << 20).build().unwrap();
    let file = FileMetaData::new(1, 1 << 20, None, None, schema, None);
    let metadata = ParquetMetaData::new(file, vec![group]);
    let mut bytes = b"PAR1".to_vec();
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
    std::fs::write(&path, bytes).unwrap();
    let open = |limit: u64| {
        OpenOptions::new().limits(Limits::default().empty_rows(limit)).open(path.to_str().unwrap())
    };
    assert_eq!(open(1 << 20).unwrap().count().unwrap(), 1 << 20);
    let error = open((1 << 20) - 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    let expected = "the file has no columns and claims 1048576 rows, more than the limit of rows without bytes; raise the limit \
                    empty_rows if this is meant";
    assert!(error.to_string().ends_with(expected), "{error}");
}

#[test]
fn values_that_begin_as_those_before_them_are_within_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let long = "a".repeat(WORD);
    let texts: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("{long}{row}"))));
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let batch = RecordBatch::try_from_iter([("n", numbers), ("t", texts)]).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_column_dictionary_enabled("t".into(), false)
        .set_column_encoding("t".into(), Encoding::DELTA_BYTE_ARRAY);
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 10_000);
    let limited = |bytes: u64| ScanRequest::new().limits(Limits::default().batch_bytes(bytes));
    let rows = |request: ScanRequest| {
        batches(&path, request).map(|read| read.iter().map(RecordBatch::num_rows).sum::<usize>())
    };
    assert_eq!(rows(limited(64 << 20)).unwrap(), ROWS);
    assert_eq!(rows(limited(4 << 20).batch_rows(16)).unwrap(), ROWS);
    assert_eq!(rows(limited(4 << 20).columns(["n"])).unwrap(), ROWS);
    let cut = batches(&path, limited(4 << 20)).unwrap();
    assert_eq!(cut.iter().map(RecordBatch::num_rows).sum::<usize>(), ROWS);
    assert!(cut.iter().all(|batch| batch.num_rows() <= 32));
    let error = rows(limited(128 << 10)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    let expected = "column \"t\": the Parquet file cannot be read: values of 131074 bytes in each of 1 row are more than a batch has, \
                    at most 131072; read fewer rows a batch, leave out the column, or raise the limit batch_bytes";
    assert!(error.to_string().ends_with(expected), "{error}");
}
