//! Batches that go on where a file ends.

use std::sync::Arc;

use arrow_array::RecordBatch;
use proptest::prelude::*;
use tfxio_core::{Dataset, ErrorKind, Partition, ScanRequest};
use tfxio_formats::avro_path::container::Codec;

use crate::test_files::{BOTH, Record, TestFiles, container, plain, records};

/// Files of two schemas, one of them without records.
fn made(codec: Codec, sizes: [i64; 3], block_bytes: usize) -> TestFiles {
    let [a, b, c] = sizes;
    TestFiles::new()
        .file(0, &container(false, codec, 0..a, block_bytes))
        .file(a, &container(true, codec, a..a + b, block_bytes))
        .file(0, &container(false, codec, 0..0, block_bytes))
        .file(a + b, &container(false, codec, a + b..a + b + c, block_bytes))
}

/// The batches of a scan of all partitions with their records, and the error that ends it.
fn read(
    dataset: &dyn Dataset,
    partitions: &[Partition],
    request: &ScanRequest,
) -> (Vec<(RecordBatch, Vec<Record>)>, Option<tfxio_core::Error>) {
    let mut scan = dataset.scan_all(partitions, request).unwrap().expect("one scan of all");
    let mut batches = Vec::new();
    let error = loop {
        match scan.next_batch() {
            Ok(Some(batch)) => {
                assert_eq!(batch.schema(), *scan.schema());
                batches.push((batch.columns().clone(), records(&batch)));
            }
            end => break end.err(),
        }
    };
    assert!(scan.next_batch().unwrap().is_none(), "it stays at its end");
    (batches, error)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn all_batches_but_the_last_are_full_on_any_number_of_threads(
        codec in prop_oneof![Just(Codec::Null), Just(Codec::Deflate)],
        sizes in [0..60_i64, 0..60_i64, 1..120_i64], block_bytes in 1..200_usize, target in 1..4000_u64,
        batch_rows in 1..40_usize, limit in 0..250_u64,
    ) {
        let made = made(codec, sizes, block_bytes);
        let dataset = made.open(plain().option("reader_schema", BOTH));
        let whole = dataset.partitions(u64::MAX).unwrap();
        let request = ScanRequest::new().batch_rows(batch_rows);
        let (one, error) = read(&*dataset, &whole, &request);
        prop_assert!(error.is_none(), "{error:?}");
        prop_assert!(one.iter().rev().skip(1).all(|(batch, _)| batch.num_rows() == batch_rows));
        let rows = |batches: &[(_, Vec<Record>)]| batches.iter().flat_map(|(_, rows)| rows.clone()).collect::<Vec<_>>();
        prop_assert_eq!(&rows(&one), &made.records);
        prop_assert_eq!(&one, &read(&*dataset, &whole, &request.clone().threads(3)).0);
        // Cut at any byte: the numbers in a file that begins in its middle are not known.
        let cut = read(&*dataset, &dataset.partitions(target).unwrap(), &request.clone().threads(3)).0;
        let columns = |batches: Vec<(RecordBatch, _)>| batches.into_iter().map(|(batch, _)| batch).collect::<Vec<_>>();
        prop_assert_eq!(columns(cut), columns(one.clone()));
        let mut limited = request;
        limited.limit = Some(limit);
        let few = read(&*dataset, &whole, &limited).0;
        prop_assert_eq!(&few, &read(&*dataset, &whole, &limited.threads(3)).0);
        let most = usize::try_from(limit).unwrap().min(made.records.len());
        prop_assert_eq!(&rows(&few), &made.records[..most]);
    }
}

#[test]
fn rows_are_counted_over_files() {
    let made = made(Codec::Deflate, [20, 15, 30], 50);
    let dataset = made.open(plain().option("reader_schema", BOTH));
    let request = ScanRequest::new().columns([""; 0]).batch_rows(25);
    let mut scan = dataset.scan_all(&dataset.partitions(u64::MAX).unwrap(), &request).unwrap().unwrap();
    for rows in [25, 25, 15] {
        let batch = scan.next_batch().unwrap().unwrap();
        assert_eq!((batch.num_rows(), batch.origins().len(), batch.columns().num_columns()), (rows, rows, 0));
    }
    assert!(scan.next_batch().unwrap().is_none());
}

#[test]
fn an_error_names_its_file_and_comes_after_the_rows_of_those_before() {
    let made = TestFiles::new()
        .file(0, &container(false, Codec::Null, 0..20, 100))
        .file(20, &container(false, Codec::Null, 20..60, 100));
    let mut bytes = std::fs::read(&*made.files[1]).unwrap();
    let at = bytes.windows(6).position(|window| window == b"row 40").unwrap();
    bytes[at] = 0xff;
    std::fs::write(&*made.files[1], &bytes).unwrap();
    let dataset = made.open(plain());
    let partitions = dataset.partitions(u64::MAX).unwrap();
    for threads in [1, 3] {
        // The damaged record is the first of a batch, within one, and in the one that both files share.
        for (batch_rows, rows) in [(8, 40), (6, 36), (41, 20), (100, 20)] {
            let request = ScanRequest::new().batch_rows(batch_rows).threads(threads);
            let (batches, error) = read(&*dataset, &partitions, &request);
            let error = error.unwrap();
            assert_eq!((error.kind(), error.position().record), (ErrorKind::Malformed, Some(20)));
            assert_eq!(error.position().file.as_deref(), Some(&*made.files[1]), "{error}");
            let read = batches.into_iter().flat_map(|(_, rows)| rows).collect::<Vec<_>>();
            assert_eq!(read, made.records[..rows], "batches of {batch_rows}, {threads} threads");
        }
    }
}

#[test]
fn a_limit_opens_no_further_file() {
    let made = TestFiles::new()
        .file(0, &container(false, Codec::Null, 0..20, 100))
        .file(20, &container(false, Codec::Null, 20..60, 100));
    let dataset = made.open(plain());
    let partitions = dataset.partitions(u64::MAX).unwrap();
    std::fs::remove_file(&*made.files[1]).unwrap();
    let mut request = ScanRequest::new().batch_rows(15);
    request.limit = Some(20);
    let (batches, error) = read(&*dataset, &partitions, &request);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(batches.iter().map(|(batch, _)| batch.num_rows()).collect::<Vec<_>>(), [15, 5]);
    request.limit = Some(21);
    let (batches, error) = read(&*dataset, &partitions, &request);
    assert_eq!(error.unwrap().kind(), ErrorKind::NotFound);
    assert_eq!(batches.iter().map(|(batch, _)| batch.num_rows()).collect::<Vec<_>>(), [15, 5]);
    let first: Arc<str> = Arc::clone(&partitions[0].file);
    assert_eq!(batches[1].1.last().map(|record| Arc::clone(&record.file)), Some(first));
}
