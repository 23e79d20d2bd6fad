//! Scans of TFRecord files.

use arrow_schema::DataType;
use tfxio_formats::tfxio_core::{
    Cancel, Column, Dataset, ErrorKind, Estimate, Layout, OnError, Partition, Result, ScanRequest, Skip,
    SkipBudget,
};
use tfxio_formats::{OpenOptions, open};

use crate::seam::test_files::{FileLayout, all, open as open_raw, write};

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn rows(dataset: &dyn Dataset, request: &ScanRequest) -> Result<usize> {
    let mut rows = 0;
    for partition in dataset.partitions(u64::MAX)? {
        let mut scan = dataset.scan(&partition, request)?;
        while let Some(batch) = scan.next_batch()? {
            assert_eq!(batch.schema(), *scan.schema());
            rows += batch.num_rows();
        }
    }
    Ok(rows)
}

#[test]
fn columns_come_in_the_order_and_the_layout_of_the_request() {
    let dataset = open(fixture("digits/digits@3.tfrecord")).unwrap();
    let names = dataset.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["id", "image", "label"]);
    let partition = &dataset.partitions(u64::MAX).unwrap()[0];
    let request = ScanRequest::new().columns([
        Column::new("label").layout(Layout::FixedSizeList(1)),
        Column::new("image").layout(Layout::List),
    ]);
    let scan = dataset.scan(partition, &request).unwrap();
    let types = scan.schema().fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>();
    assert!(matches!(&types[0], DataType::FixedSizeList(_, 1)), "{types:?}");
    assert!(matches!(&types[1], DataType::List(_)), "{types:?}");
    assert_eq!(rows(&*dataset, &request).unwrap(), 1797);
    let request = ScanRequest::new().columns(["lable"]);
    let error = dataset.scan(partition, &request).err().unwrap().to_string();
    assert!(error.contains("label"), "{error}");
}

#[test]
fn no_columns_are_rows_without_decoding() {
    let file = fixture("digits/digits-00000-of-00003.tfrecord");
    let dataset = open(&file).unwrap();
    let request = ScanRequest::new().columns([""; 0]);
    let mut scan = dataset.scan(&Partition::whole(file.as_str()), &request).unwrap();
    let batch = scan.next_batch().unwrap().unwrap();
    assert_eq!((batch.columns().num_columns(), batch.num_rows()), (0, 599));
    assert_eq!(batch.origins().get(598).map(|origin| origin.record), Some(598));
}

#[test]
fn a_source_column_says_which_record_a_row_was() {
    let file = fixture("digits/digits-00000-of-00003.tfrecord");
    let dataset = OpenOptions::new().source_column("from").open(&file).unwrap();
    let partition = Partition::whole(file.as_str());
    for (columns, names) in
        [(None, vec!["id", "image", "label", "from"]), (Some(["from", "id"]), vec!["from", "id"])]
    {
        let mut request = ScanRequest::new().batch_rows(2);
        if let Some(columns) = columns {
            request = request.columns(columns);
        }
        let mut scan = dataset.scan(&partition, &request).unwrap();
        let batch = scan.next_batch().unwrap().unwrap();
        let schema = batch.schema();
        let found = schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
        assert_eq!(found, names);
    }
    let mut scan = dataset.scan(&partition, &ScanRequest::new().columns(["from"]).batch_rows(3)).unwrap();
    let batch = scan.next_batch().unwrap().unwrap();
    assert_eq!((batch.num_rows(), batch.columns().num_columns()), (3, 1));
}

#[test]
fn statistics_know_what_an_index_says() {
    let folder = tempfile::tempdir().unwrap();
    for (layout, known) in [(FileLayout::Indexed, true), (FileLayout::Plain, false)] {
        let path = write(folder.path(), &format!("{layout:?}"), layout, 300);
        let dataset = open_raw(&[path]);
        let mut rows = 0;
        for partition in dataset.partitions(2000).unwrap() {
            let statistics = dataset.statistics(&partition).unwrap();
            assert_eq!(statistics.rows.exact().is_some(), known);
            assert!(matches!(statistics.bytes, Estimate::Exact(_)));
            rows += statistics.rows.exact().unwrap_or(0);
        }
        assert_eq!(rows, if known { 300 } else { 0 });
    }
}

#[test]
fn damage_ends_a_scan_or_is_skipped_whatever_the_partitions() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a", FileLayout::Plain, 300);
    let mut bytes = std::fs::read(&path).unwrap();
    for at in [3000, 9000] {
        bytes[at] ^= 0x40;
    }
    std::fs::write(&path, bytes).unwrap();
    let dataset = open_raw(&[path]);
    let error = rows(&*dataset, &ScanRequest::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
    let mut counts = Vec::new();
    for (target, threads) in [(u64::MAX, 1), (u64::MAX, 3), (4000, 1), (1500, 2)] {
        let skip = Skip::new(SkipBudget::default());
        let request = ScanRequest::new().on_error(OnError::Skip(skip.clone())).threads(threads);
        let mut seen = Vec::new();
        for partition in dataset.partitions(target).unwrap() {
            seen.extend(all(&mut *dataset.scan(&partition, &request).unwrap()));
        }
        let before = seen.len();
        seen.dedup();
        assert_eq!(seen.len(), before);
        assert!(seen.is_sorted());
        counts.push((seen.len(), skip.report().ranges));
    }
    assert_eq!(counts, [(298, 2); 4]);
}

#[test]
fn a_cancelled_scan_ends() {
    let cancel = Cancel::new();
    let file = fixture("digits/digits-00000-of-00003.tfrecord");
    let dataset = open(&file).unwrap();
    for threads in [1, 3] {
        let cancel = cancel.child();
        let request = ScanRequest::new().batch_rows(10).threads(threads).cancel(cancel.clone());
        let mut scan = dataset.scan(&Partition::whole(file.as_str()), &request).unwrap();
        assert!(scan.next_batch().unwrap().is_some());
        cancel.cancel();
        assert_eq!(scan.next_batch().unwrap_err().kind(), ErrorKind::Cancelled);
        assert!(scan.next_batch().unwrap().is_none());
    }
}
