//! Batches that have fewer rows where more would not be within the limit of their bytes.

use arrow_array::{Array as _, RecordBatch};
use proptest::prelude::*;
use tfxio_core::{Dataset, ErrorKind, Limits, Partition, ScanRequest};
use tfxio_formats::avro_path::container::Codec;

use crate::test_files::{BOTH, Record, TestFiles, container, plain, records};

/// Returns the batches of a scan with their records.
fn read(
    dataset: &dyn Dataset,
    partitions: &[Partition],
    request: &ScanRequest,
) -> Vec<(RecordBatch, Vec<Record>)> {
    let mut scan = dataset.scan_all(partitions, request).unwrap().expect("one scan of all");
    let mut batches = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        batches.push((batch.columns().clone(), records(&batch)));
    }
    batches
}

fn bytes(batch: &RecordBatch) -> u64 {
    batch.columns().iter().map(|column| column.to_data().get_slice_memory_size().unwrap() as u64).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_the_same_in_batches_within_the_limit(
        sizes in [0..60_i64, 0..60_i64, 1..120_i64], block_bytes in 1..400_usize, target in 1..4000_u64,
        batch_rows in 1..80_usize, most in 250..2500_u64, limit in prop::option::of(0..250_u64),
        filter in prop::option::of(prop::sample::select(&["n < 20", "n >= 30 and n < 200", "text is null or n = 7", "n >= 0"][..])),
        has_keys: bool,
    ) {
        let [a, b, c] = sizes;
        let made = TestFiles::new()
            .file(0, &container(false, Codec::Null, 0..a, block_bytes))
            .file(a, &container(true, Codec::Deflate, a..a + b, block_bytes))
            .file(0, &container(false, Codec::Null, 0..0, block_bytes))
            .file(a + b, &container(false, Codec::Deflate, a + b..a + b + c, block_bytes));
        let options = plain().option("reader_schema", BOTH);
        let options =
            if has_keys { options.option("keys", vec!["text".to_owned(), "n".to_owned()]) } else { options };
        let dataset = made.open(options);
        let whole = dataset.partitions(u64::MAX).unwrap();
        let mut request = ScanRequest::new().batch_rows(batch_rows);
        request.limit = limit;
        request.filter = filter.map(|filter| filter.parse().unwrap());
        let limited = request.clone().limits(Limits::default().batch_bytes(most));

        let rows = |batches: Vec<(_, Vec<Record>)>| batches.into_iter().flat_map(|(_, rows)| rows).collect::<Vec<_>>();
        let all = rows(read(&*dataset, &whole, &request));
        let one = read(&*dataset, &whole, &limited);
        for (batch, _) in &one {
            // Values are counted, and not the offset that a column has beyond its rows, nor the bits of its nulls.
            let beside = batch.num_columns() * (8 + batch.num_rows().div_ceil(8));
            prop_assert!(batch.num_rows() <= batch_rows && bytes(batch) <= most + beside as u64, "{} rows of {} bytes", batch.num_rows(), bytes(batch));
        }
        prop_assert_eq!(&read(&*dataset, &whole, &limited.clone().threads(3)), &one, "borders are those of one thread");
        prop_assert_eq!(rows(one), all.clone());
        let columns = |batches: Vec<(RecordBatch, Vec<Record>)>| {
            batches.into_iter().flat_map(|(_, rows)| rows.into_iter().map(|row| row.n)).collect::<Vec<_>>()
        };
        let numbers = all.iter().map(|row| row.n).collect::<Vec<_>>();
        let cut = dataset.partitions(target).unwrap();
        for threads in [1, 3] {
            prop_assert_eq!(columns(read(&*dataset, &cut, &limited.clone().threads(threads))), numbers.clone());
        }
    }
}

#[test]
fn a_row_that_is_too_large_by_itself_is_an_error() {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..50, 1 << 10));
    let dataset = made.open(plain());
    let whole = dataset.partitions(u64::MAX).unwrap();
    for threads in [1, 3] {
        for filter in [None, Some("n = 3"), Some("n >= 0")] {
            let mut request =
                ScanRequest::new().batch_rows(8).threads(threads).limits(Limits::default().batch_bytes(30));
            request.filter = filter.map(|filter| filter.parse().unwrap());
            let mut scan = dataset.scan_all(&whole, &request).unwrap().unwrap();
            let error = loop {
                match scan.next_batch() {
                    Ok(Some(_)) => {}
                    Ok(None) => panic!("no error with {threads} threads and {filter:?}"),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.kind(), ErrorKind::LimitExceeded);
            assert!(error.to_string().contains("batch_bytes"), "{error}");
        }
    }
}
