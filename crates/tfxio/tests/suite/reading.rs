//! Reading the digits in every way gives the same rows.
#![cfg(feature = "example")]

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type, UInt64Type};
use arrow_select::concat::concat_batches;
use tfxio::prelude::*;
use tfxio::tfrecord_io::{self, Index};
use tfxio::{ErrorKind, Partition, Result};

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn all(dataset: &Arc<dyn Dataset>, request: ScanRequest) -> RecordBatch {
    let batches = dataset.read(request).unwrap();
    let schema = Arc::clone(batches.schema());
    let batches = batches.collect::<Result<Vec<_>>>().unwrap();
    assert!(batches.iter().all(|batch| batch.schema() == schema));
    concat_batches(&schema, &batches).unwrap()
}

fn part(dataset: &Arc<dyn Dataset>, partition: &Partition, request: &ScanRequest) -> Result<RecordBatch> {
    let mut scan = dataset.scan(partition, request)?;
    let mut batches = Vec::new();
    while let Some(batch) = scan.next_batch()? {
        assert!(batch.num_rows() <= request.batch_rows);
        batches.push(batch.into_columns());
    }
    Ok(concat_batches(scan.schema(), &batches)?)
}

fn digits(folder: &str) -> Arc<dyn Dataset> {
    tfxio::open(fixture(&format!("{folder}/digits-?????-of-00003.tfrecord"))).unwrap()
}

fn raw(name: &str) -> Arc<dyn Dataset> {
    OpenOptions::new().format("raw").open(name).unwrap()
}

#[test]
fn the_digits_are_what_they_should_be() {
    let batch = all(&digits("digits"), ScanRequest::new());
    assert_eq!(batch.num_rows(), 1797);
    let (ids, images, labels) = (
        batch.column(0).as_list::<i64>().values().as_binary::<i64>().clone(),
        batch.column(1).as_list::<i64>(),
        batch.column(2).as_list::<i64>().values().as_primitive::<Int64Type>().clone(),
    );
    assert_eq!(ids.value(1796), b"digit-1796");
    assert_eq!(labels.values()[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let first = images.value(0);
    assert_eq!(first.as_primitive::<Float32Type>().values()[..8], [0.0, 0.0, 5.0, 13.0, 9.0, 1.0, 0.0, 0.0]);
    assert!((0..1797).all(|row| images.value_length(row) == 64));
}

#[test]
fn every_compression_gives_the_same_rows() {
    let plain = all(&digits("digits"), ScanRequest::new());
    for folder in ["digits-gzip", "digits-zlib"] {
        assert_eq!(all(&digits(folder), ScanRequest::new()), plain, "{folder}");
    }
}

#[test]
fn any_partitions_give_each_row_once() {
    let dataset = digits("digits");
    let whole = all(&dataset, ScanRequest::new());
    let request = ScanRequest::new().batch_rows(100);
    for target in [1, 3_000, 100_000, 1 << 40] {
        let partitions = dataset.partitions(target).unwrap();
        assert!(partitions.len() >= 3);
        let parts = partitions.iter().map(|partition| part(&dataset, partition, &request).unwrap());
        let parts = parts.collect::<Vec<_>>();
        assert_eq!(concat_batches(&whole.schema(), &parts).unwrap(), whole, "target {target}");
        if target == 1 {
            assert_eq!(partitions.len(), 1797, "no partition is smaller than a record");
        }
    }
}

#[test]
fn partitions_may_be_cut_anywhere() {
    let file = fixture("digits/digits-00001-of-00003.tfrecord");
    let dataset = tfxio::open(&file).unwrap();
    let whole = all(&dataset, ScanRequest::new());
    for at in [1, 300, 301, 100_003] {
        let ranges = [(0, at), (at, 150_001), (150_001, u64::MAX)];
        let parts = ranges.map(|(start, end)| {
            part(&dataset, &Partition::range(file.as_str(), start, end), &ScanRequest::new()).unwrap()
        });
        assert_eq!(concat_batches(&whole.schema(), &parts).unwrap(), whole, "cut at {at}");
    }
}

#[test]
fn compressed_files_are_one_partition() {
    let partitions = digits("digits-gzip").partitions(1000).unwrap();
    assert_eq!(partitions.len(), 3);
    assert!(partitions.iter().all(Partition::is_whole));
}

#[test]
fn threads_give_the_same_batches() {
    for folder in ["digits", "digits-gzip"] {
        let dataset = digits(folder);
        for batch_rows in [1, 7, 128, 599, 5000] {
            let read = |threads| {
                let request = ScanRequest::new().batch_rows(batch_rows).threads(threads);
                dataset.read(request).unwrap().collect::<Result<Vec<_>>>().unwrap()
            };
            let one = read(1);
            assert_eq!(one.len(), 1797usize.div_ceil(batch_rows), "batches go on across files");
            for threads in [2, 5] {
                assert_eq!(read(threads), one, "{threads} threads, {batch_rows} rows");
            }
        }
    }
}

#[test]
fn dropping_a_scan_stops_its_threads() {
    let mut batches = digits("digits").read(ScanRequest::new().batch_rows(1).threads(4)).unwrap();
    assert_eq!(batches.next().unwrap().unwrap().num_rows(), 1);
    // Waits for the threads: would hang if one did not stop.
    drop(batches);
}

#[test]
fn projections_choose_and_order_columns() {
    let file = fixture("digits/digits-00000-of-00003.tfrecord");
    let options = OpenOptions::new().set("raw_record_column", "raw").unwrap().source_column("from");
    let dataset = options.open(file).unwrap();
    for columns in [&["label"][..], &["label", "id"], &["from", "label", "raw", "id"], &["raw"], &[]] {
        let batches = dataset.read(ScanRequest::new().columns(columns.iter().copied())).unwrap();
        let mut rows = 0;
        for batch in batches {
            let batch = batch.unwrap();
            rows += batch.num_rows();
            let schema = batch.schema();
            let names = schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
            assert_eq!(names, columns);
        }
        assert_eq!(rows, 599);
    }
    let names = dataset.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["id", "image", "label", "raw", "from"]);

    let error = dataset.read(ScanRequest::new().columns(["lable"])).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.to_string(), "there is no column \"lable\"; did you mean \"label\"?");
}

#[test]
fn the_source_column_leads_back_to_the_record() {
    let file = fixture("digits/digits-00000-of-00003.tfrecord");
    let dataset = OpenOptions::new().source_column("source").open(&file).unwrap();
    let batch = all(&dataset, ScanRequest::new().columns(["source"]));
    let source = batch.column(0).as_struct();
    let offsets = source.column_by_name("offset").unwrap().as_primitive::<UInt64Type>();
    let bytes = std::fs::read(&file).unwrap();
    for row in [0, 1, 598] {
        let rest = &bytes[offsets.value(row) as usize..];
        let record = tfrecord_io::SliceReader::new(rest).next_record().unwrap().unwrap();
        let id = format!("digit-{row:04}").into_bytes();
        assert!(record.data.windows(id.len()).any(|part| part == id));
    }
}

#[test]
fn raw_records_are_the_payloads() {
    for name in ["six-records.tfrecord", "six-records.tfrecord.gz", "six-records.tfrecord.zlib"] {
        let name = fixture(&format!("tfrecord/{name}"));
        let options = OpenOptions::new().format("raw").set("column", "bytes").unwrap();
        let batch = all(&options.open(&name).unwrap(), ScanRequest::new().batch_rows(4));
        let records = tfrecord_io::Reader::open(&name).unwrap();
        let column =
            batch.column_by_name("bytes").unwrap().as_list::<i64>().values().as_binary::<i64>().clone();
        for (row, record) in records.into_records().enumerate() {
            assert_eq!(column.value(row), record.unwrap().data);
        }
        assert_eq!(batch.num_rows(), 6);
    }
}

#[test]
fn raw_records_have_one_column() {
    let dataset = raw(&fixture("tfrecord/six-records.tfrecord"));
    let read = |columns: &[&str]| dataset.read(ScanRequest::new().columns(columns.iter().copied()));
    assert!(read(&["raw_record"]).is_ok());
    assert_eq!(
        read(&["label"]).err().unwrap().to_string(),
        "there is no column \"label\"; the only column of raw records is \"raw_record\""
    );
    assert!(read(&["raw_record", "raw_record"]).is_err());
}

#[test]
fn a_stated_compression_must_be_right() {
    let read = |folder: &str| {
        let file = fixture(&format!("{folder}/digits-00000-of-00003.tfrecord"));
        let options = OpenOptions::new().set("compression", "gzip").unwrap();
        options.open(file).map(|dataset| all(&dataset, ScanRequest::new()).num_rows())
    };
    assert_eq!(read("digits-gzip").unwrap(), 599);
    assert!(read("digits").is_err());
    assert!(read("digits-zlib").is_err());
}

#[test]
fn an_empty_file_has_no_rows() {
    for name in ["empty.tfrecord", "empty.tfrecord.gz", "empty.tfrecord.zlib"] {
        let dataset = tfxio::open(fixture(&format!("tfrecord/{name}"))).unwrap();
        assert_eq!(dataset.read(ScanRequest::new()).unwrap().count(), 0, "{name}");
        for partition in dataset.partitions(10).unwrap() {
            assert_eq!(part(&dataset, &partition, &ScanRequest::new()).unwrap().num_rows(), 0);
        }
    }
}

#[test]
fn data_sets_are_shared_between_threads() {
    let dataset = digits("digits");
    let rows = std::thread::scope(|scope| {
        let read = |partition: Partition| {
            let dataset = Arc::clone(&dataset);
            scope.spawn(move || part(&dataset, &partition, &ScanRequest::new()).unwrap().num_rows())
        };
        let threads = dataset.partitions(60_000).unwrap().into_iter().map(read).collect::<Vec<_>>();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
    });
    assert_eq!(rows, 1797);
}

#[test]
fn an_index_makes_partitions_exact_where_scanning_is_deceived() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["tfrecord-in-tfrecord.tfrecord", "mixed-sizes.tfrecord"] {
        let path = folder.path().join(name);
        std::fs::copy(fixture(&format!("tfrecord/{name}")), &path).unwrap();
        let whole = all(&raw(path.to_str().unwrap()), ScanRequest::new());
        Index::build(&path).unwrap().write_beside(&path).unwrap();
        let dataset = raw(path.to_str().unwrap());
        let partitions = dataset.partitions(100).unwrap();
        assert!(partitions.len() > 2 && partitions.iter().all(|partition| partition.records.is_some()));
        let parts = partitions.iter().map(|partition| {
            let batch = part(&dataset, partition, &ScanRequest::new()).unwrap();
            assert_eq!(partition.records, Some(batch.num_rows() as u64));
            batch
        });
        assert_eq!(concat_batches(&whole.schema(), &parts.collect::<Vec<_>>()).unwrap(), whole, "{name}");
    }
}

#[test]
fn an_index_of_another_size_is_an_error_unless_it_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    std::fs::copy(fixture("tfrecord/mixed-sizes.tfrecord"), &path).unwrap();
    Index::build(&path).unwrap().write_beside(&path).unwrap();
    std::fs::copy(fixture("digits/digits-00000-of-00003.tfrecord"), &path).unwrap();
    let dataset = raw(path.to_str().unwrap());
    assert_eq!(dataset.partitions(10_000).unwrap_err().kind(), ErrorKind::Malformed);
    assert!(dataset.read(ScanRequest::new()).is_err());
    let options = OpenOptions::new().format("raw").set("index", false).unwrap();
    let dataset = options.open(&path).unwrap();
    let partitions = dataset.partitions(10_000).unwrap();
    assert!(partitions.len() > 1);
    let rows = partitions.iter().map(|one| part(&dataset, one, &ScanRequest::new()).unwrap().num_rows());
    assert_eq!(rows.sum::<usize>(), 599);
}
