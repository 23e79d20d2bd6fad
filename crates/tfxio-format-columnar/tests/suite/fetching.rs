//! Bytes of files that are read, the number of reads, and the ranges that are announced.

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
use arrow_select::concat::concat_batches;
use parquet::file::properties::WriterProperties;
use tfxio_core::{Dataset, FileFormat, Files, FormatOptions, Limits, Partition, RecordRun, ScanRequest};
use tfxio_formats::{IpcFormat, ParquetFormat};

use crate::counting::{Counting, Counts, Reads};

const ROWS: usize = 60_000;

/// Numbers, text and lists in row groups of a third, with pages of a thousand rows.
fn table() -> RecordBatch {
    let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 30;
    let lists = (0..ROWS).map(|row| Some((0..row % 4).map(|item| Some(item as i32)).collect::<Vec<_>>()));
    let columns: [(&str, ArrayRef); 4] = [
        ("n", Arc::new(Int64Array::from_iter_values(0..ROWS as i64))),
        ("mixed", Arc::new(Int64Array::from_iter_values((0..ROWS).map(|row| mixed(row) as i64)))),
        ("text", Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("row {}", mixed(row)))))),
        ("lists", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn write(path: &Path, table: &RecordBatch) {
    let file = std::fs::File::create(path).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(ROWS / 3))
        .set_data_page_row_count_limit(1000)
        .set_write_batch_size(500)
        .set_dictionary_enabled(false)
        .build();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, table.schema(), Some(properties)).unwrap();
    writer.write(table).unwrap();
    writer.close().unwrap();
}

struct Read {
    dataset: Arc<dyn Dataset>,
    counts: Arc<Counts>,
    partition: Partition,
    bytes: u64,
    _folder: tempfile::TempDir,
}

impl Read {
    fn open(format: &dyn FileFormat, name: &str, write: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write(&path);
        let (name, store) = (path.to_str().unwrap(), Counting::default());
        let counts = Arc::clone(&store.0);
        let files = Files::new([Arc::from(name)], Arc::new(store));
        let dataset = format.open(files, &FormatOptions::default()).unwrap();
        counts.take();
        let bytes = std::fs::metadata(&path).unwrap().len();
        Self { dataset, counts, partition: Partition::whole(name), bytes, _folder: folder }
    }

    fn scan(&self, request: &ScanRequest) -> (RecordBatch, Reads) {
        self.counts.take();
        let mut scan = self.dataset.scan(&self.partition, request).unwrap();
        let mut batches = Vec::new();
        while let Some(batch) = scan.next_batch().unwrap() {
            batches.push(batch.columns().clone());
        }
        (concat_batches(scan.schema(), &batches).unwrap(), self.counts.take())
    }
}

#[test]
fn every_byte_of_a_parquet_file_is_read_once() {
    let table = table();
    let read = Read::open(&ParquetFormat, "a.parquet", |path| write(path, &table));
    let (rows, reads) = read.scan(&ScanRequest::new());
    assert_eq!(rows, table);
    // The columns of a row group follow each other.
    assert_eq!(reads.reads, 3, "{reads:?}");
    assert!(reads.bytes < read.bytes, "{reads:?}");
    assert_eq!((reads.announced.len(), reads.unannounced), (3, 0), "{reads:?}");
    // Less memory than a row group takes: windows of the columns.
    for most in [400 << 10, 100 << 10, 4 << 10] {
        let (rows, windows) = read.scan(&ScanRequest::new().limits(Limits::default().batch_bytes(most)));
        assert_eq!(rows, table);
        assert!(windows.bytes <= reads.bytes, "{windows:?} for {most}");
        assert!(windows.largest <= (most / 4).max(24 << 10), "{windows:?} for {most}");
        assert_eq!(windows.unannounced, 0, "{windows:?}");
    }
    let (_, of_two) = read.scan(&ScanRequest::new().columns(["n", "lists"]));
    assert_eq!(of_two.reads, 6);
    assert!(of_two.bytes < reads.bytes / 2, "{of_two:?} of {reads:?}");
    let threads = ScanRequest::new().threads(3);
    let (rows, of_threads) = read.scan(&threads);
    assert_eq!((rows, of_threads.bytes), (table, reads.bytes));
}

#[test]
fn a_few_rows_need_a_part_of_a_row_group() {
    let table = table();
    let read = Read::open(&ParquetFormat, "a.parquet", |path| write(path, &table));
    let (_, all) = read.scan(&ScanRequest::new());
    let (rows, few) = read.scan(&ScanRequest::new().limit(5));
    assert_eq!(rows, table.slice(0, 5));
    assert!(few.bytes <= 4 * (128 << 10) && few.reads <= 4, "{few:?}");
    // From a row on: the pages that have it, by the page index.
    let partition = read.partition.clone().skip(30_500).records(700);
    read.counts.take();
    let mut scan = read.dataset.scan(&partition, &ScanRequest::new()).unwrap();
    let batch = scan.next_batch().unwrap().unwrap();
    assert_eq!(*batch.columns(), table.slice(30_500, 700));
    let of_pages = read.counts.take();
    assert!(of_pages.bytes < all.bytes / 15, "{of_pages:?} of {all:?}");
    assert_eq!(of_pages.unannounced, 0, "{of_pages:?}");
    let runs = [7, 59_999, 21_000].map(|row| RecordRun::new(read.partition.file.as_ref(), row, 1));
    read.counts.take();
    let mut scan = read.dataset.take(&runs, &ScanRequest::new()).unwrap();
    let mut found = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        found.push(batch.columns().clone());
    }
    let wanted = [7, 59_999, 21_000].map(|row| table.slice(row, 1));
    assert_eq!(
        concat_batches(scan.schema(), &found).unwrap(),
        concat_batches(&table.schema(), &wanted).unwrap()
    );
    let of_runs = read.counts.take();
    assert!(of_runs.bytes < all.bytes / 8, "{of_runs:?} of {all:?}");
}

#[test]
fn pages_that_a_filter_leaves_are_announced() {
    let table = table();
    let read = Read::open(&ParquetFormat, "a.parquet", |path| write(path, &table));
    let (rows, reads) = read.scan(&ScanRequest::new().filter("n >= 25000 and n < 26000".parse().unwrap()));
    assert_eq!(rows, table.slice(25_000, 1000));
    assert_eq!(reads.unannounced, 0, "{reads:?}");
    let announced = reads.announced.iter().map(|range| range.end - range.start).sum::<u64>();
    assert_eq!(announced, reads.bytes, "{reads:?}");
}

#[test]
fn the_batches_of_an_arrow_file_are_announced() {
    let table = table();
    let write = |path: &Path| {
        let file = std::fs::File::create(path).unwrap();
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &table.schema()).unwrap();
        (0..6).for_each(|part| writer.write(&table.slice(part * ROWS / 6, ROWS / 6)).unwrap());
        writer.finish().unwrap();
    };
    let read = Read::open(&IpcFormat, "a.arrow", write);
    for threads in [1, 3] {
        let (rows, reads) = read.scan(&ScanRequest::new().threads(threads));
        assert_eq!(rows, table);
        assert_eq!((reads.unannounced, reads.reads), (0, 6), "{reads:?}");
        assert_eq!(reads.announced.len(), 6, "{reads:?}");
    }
    // A few rows announce the batch that they are in.
    let (_, reads) = read.scan(&ScanRequest::new().limit(3));
    assert_eq!((reads.announced.len(), reads.unannounced), (1, 0), "{reads:?}");
}
