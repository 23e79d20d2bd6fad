//! Columns of large row groups, which several threads decode side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray, StructArray};
use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
use tfxio_base::{Spawn, Threads};
use tfxio_core::{
    ColumnPath, Dataset, FileFormat as _, Files, FormatOptions, Partition, Result, ScanRequest,
};
use tfxio_formats::ParquetFormat;

const ROWS: i64 = 30_000;

/// Returns columns that take more than a mebibyte for each ten thousand rows.
fn batch() -> RecordBatch {
    let numbers = || Arc::new(Int64Array::from_iter_values(0..ROWS)) as ArrayRef;
    let text =
        || Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("row {row}")))) as ArrayRef;
    let lists = (0..ROWS).map(|row| (row % 7 > 0).then(|| (0..row % 5).map(Some).collect::<Vec<_>>()));
    let pair = StructArray::try_from(vec![("n", numbers()), ("text", text())]).unwrap();
    let mut columns: Vec<(String, ArrayRef)> = vec![
        ("lists".to_owned(), Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists))),
        ("pair".to_owned(), Arc::new(pair)),
        ("text".to_owned(), text()),
    ];
    columns.extend((0..9).map(|index| (format!("n{index}"), numbers())));
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A file of these columns, whose row groups have ten thousand rows each, or of one row group.
struct Table {
    path: String,
    _folder: tempfile::TempDir,
}

impl Table {
    fn new(group_rows: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet").to_str().unwrap().to_owned();
        let options = FormatOptions::default()
            .option("row_group_rows", group_rows)
            .option("output_compression", "none");
        let mut sink = ParquetFormat.sink(&path, &batch().schema(), &options).unwrap();
        sink.write(&batch().into()).unwrap();
        sink.finish().unwrap();
        Self { path, _folder: folder }
    }

    fn open(&self) -> Arc<dyn Dataset> {
        ParquetFormat.open(Files::local([self.path.as_str()]).unwrap(), &FormatOptions::default()).unwrap()
    }

    /// Returns the batches of the file, and how reading ended.
    fn read(&self, request: &ScanRequest) -> (Vec<RecordBatch>, Result<()>) {
        let mut batches = Vec::new();
        let mut read = || {
            let mut scan = self.open().scan(&Partition::whole(self.path.as_str()), request)?;
            while let Some(batch) = scan.next_batch()? {
                let origin = batch.origins().get(0).map(|origin| origin.record);
                let before = batches.iter().map(RecordBatch::num_rows).sum::<usize>();
                assert_eq!(origin, Some(before as u64));
                batches.push(batch.columns().clone());
            }
            Ok(())
        };
        let end = read();
        (batches, end)
    }
}

/// Counts the tasks that it runs.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

impl Spawn for Counting {
    fn spawn(&self, task: Box<dyn FnOnce() + Send>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        Threads.spawn(task);
    }
}

#[test]
fn rows_are_the_same_for_any_number_of_threads() {
    for group_rows in [10_000, 1 << 30] {
        let table = Table::new(group_rows);
        for columns in [
            None,
            Some(&["n3", "pair.text", "lists", "n0", "n1", "n2", "n4"][..]),
            Some(&["n1", "n1", "n2", "n0"]),
        ] {
            for batch_rows in [1_000, 7_001, 100_000] {
                let request = ScanRequest::new().batch_rows(batch_rows);
                let request = match columns {
                    Some(columns) => {
                        request.columns(columns.iter().map(|path| ColumnPath::new(path.split('.'))))
                    }
                    None => request,
                };
                let (expected, end) = table.read(&request);
                end.unwrap();
                for threads in [2, 3, 16] {
                    let (found, end) = table.read(&request.clone().threads(threads));
                    end.unwrap();
                    assert!(found == expected, "{threads} threads, batches of {batch_rows}, {columns:?}");
                }
            }
        }
    }
}

#[test]
fn a_file_of_one_row_group_has_work_for_threads() {
    for (group_rows, columns, is_shared) in
        [(1 << 30, None, true), (1 << 30, Some(["text"]), false), (10_000, None, true)]
    {
        let tasks = Arc::new(Counting::default());
        let request = ScanRequest::new().threads(2).spawn(Arc::clone(&tasks) as Arc<dyn Spawn>);
        let request = columns.into_iter().fold(request, ScanRequest::columns);
        let (_, end) = Table::new(group_rows).read(&request);
        end.unwrap();
        assert_eq!(tasks.0.load(Ordering::Relaxed) > 0, is_shared, "groups of {group_rows}, {columns:?}");
    }
}

/// A scan that goes on where another one was left, and what it has given away.
#[test]
fn scans_are_cut_and_go_on() {
    let table = Table::new(10_000);
    let dataset = table.open();
    let request =
        ScanRequest::new().threads(3).batch_rows(4_000).columns((0..9).map(|index| format!("n{index}")));
    let mut scan = dataset.scan(&Partition::whole(table.path.as_str()), &request).unwrap();
    let mut rows = scan.next_batch().unwrap().unwrap().num_rows();
    let given = scan.try_split(0.0).unwrap();
    rows += scan.next_batch().unwrap().unwrap().num_rows();
    let mut left = vec![scan.remaining().unwrap()];
    left.extend(given);
    drop(scan);
    for partition in left {
        let mut scan = dataset.scan(&partition, &request).unwrap();
        let first = scan.next_batch().unwrap().unwrap();
        assert_eq!(first.origins().get(0).unwrap().record, rows as u64);
        rows += first.num_rows();
        while let Some(batch) = scan.next_batch().unwrap() {
            rows += batch.num_rows();
        }
    }
    assert_eq!(rows, ROWS as usize);
}

/// The rows before the damage come, and then its error, whatever else is damaged after that.
#[test]
fn damage_comes_after_the_rows_before_it() {
    let table = Table::new(10_000);
    let file = std::fs::read(&table.path).unwrap();
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes::Bytes::from(file.clone())).unwrap();
    let page = |group: usize, leaf: usize| {
        let column = &metadata.row_groups()[group].columns()[leaf];
        column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset()) as usize
    };
    for damaged in [vec![(1, 9)], vec![(1, 9), (1, 3)], vec![(2, 0), (1, 12)], vec![(0, 5)]] {
        let mut bytes = file.clone();
        for (group, leaf) in &damaged {
            bytes[page(*group, *leaf)..][..4].fill(0xff);
        }
        std::fs::write(&table.path, bytes).unwrap();
        let request = ScanRequest::new().batch_rows(2_000);
        let (expected, end) = table.read(&request);
        let error = end.unwrap_err().to_string();
        let rows = damaged.iter().map(|(group, _)| group * 10_000).min().unwrap();
        assert_eq!(expected.iter().map(RecordBatch::num_rows).sum::<usize>(), rows);
        for threads in [2, 5] {
            let (found, end) = table.read(&request.clone().threads(threads));
            assert!(found == expected, "{threads} threads, {damaged:?}");
            assert_eq!(end.unwrap_err().to_string(), error, "{threads} threads, {damaged:?}");
        }
    }
}

/// Two columns of the same bytes are refused, also where no thread reads both.
#[test]
fn columns_that_overlap_are_refused() {
    let table = Table::new(1 << 30);
    let mut file = std::fs::read(&table.path).unwrap();
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes::Bytes::from(file.clone())).unwrap();
    let mut columns = metadata.row_group(0).columns().to_vec();
    let (first, last) = (columns.len() - 9, columns.len() - 1);
    let same = columns[first].clone();
    columns[last] = columns[last]
        .clone()
        .into_builder()
        .set_data_page_offset(same.data_page_offset())
        .set_dictionary_page_offset(same.dictionary_page_offset())
        .set_total_compressed_size(same.compressed_size())
        .build()
        .unwrap();
    let group = metadata.row_group(0).clone().into_builder().set_column_metadata(columns).build().unwrap();
    let metadata = metadata.into_builder().set_row_groups(vec![group]).set_column_index(None);
    let metadata = metadata.set_offset_index(None).build();
    let length = u32::from_le_bytes(*file.last_chunk::<8>().unwrap().first_chunk().unwrap()) as usize;
    file.truncate(file.len() - 8 - length);
    ParquetMetaDataWriter::new(&mut file, &metadata).finish().unwrap();
    std::fs::write(&table.path, file).unwrap();
    for threads in [1, 2, 5] {
        let (batches, end) = table.read(&ScanRequest::new().threads(threads));
        assert!(batches.is_empty());
        let error = end.unwrap_err().to_string();
        assert!(
            error.contains("the column begins in the bytes of the column \"n"),
            "{threads} threads: {error}"
        );
    }
}
