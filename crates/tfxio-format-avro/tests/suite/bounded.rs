//! Files of more blocks than are kept in memory.

use std::sync::Arc;

use tfxio_core::{Estimate, Limits, RecordRun, ScanRequest, Seek};
use tfxio_formats::avro_path::container::Codec;

use crate::test_files::{TestFiles, all, container, plain};

#[test]
fn records_of_many_tiny_blocks_are_found_whatever_is_kept() {
    // A block for each record, and a second file that shares the bound.
    let made = TestFiles::new()
        .file(0, &container(false, Codec::Null, 0..3000, 1))
        .file(3000, &container(false, Codec::Null, 3000..3100, 1));
    let order = (0..3000).map(|n| n * 1259 % 3000).collect::<Vec<u64>>();
    for kept in [0, 2, 6, 100, 5999, 6000, 1 << 22] {
        let dataset = made.open(plain());
        let limits = Limits::default().block_offsets(kept);
        let request = ScanRequest::new().batch_rows(500).limits(limits);
        let file = Arc::clone(&made.files[0]);
        // In the order of the file, from its middle on, and in another.
        let runs = |order: &[u64]| {
            order.iter().map(|n| RecordRun::new(Arc::clone(&file), *n, 1)).collect::<Vec<_>>()
        };
        for order in [&(1500..1600).collect::<Vec<_>>(), &order[..600]] {
            let read = all(&mut *dataset.take(&runs(order), &request).unwrap());
            let expected = order.iter().map(|n| made.records[usize::try_from(*n).unwrap()].clone());
            assert_eq!(read, expected.collect::<Vec<_>>(), "{kept} kept");
        }
        let error = dataset.take(&runs(&[3000]), &request).unwrap().next_batch().unwrap_err().to_string();
        assert!(error.contains("there is no record 3000 in the file"), "{error}");
        let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
        let mut scan = dataset.scan(&whole, &request).unwrap();
        for record in [2999, 0, 1234, 1235] {
            assert_eq!(scan.seek(record).unwrap(), Seek::Exact);
            let batch = scan.next_batch().unwrap().unwrap();
            assert_eq!(batch.origins().get(0).unwrap().record, record, "{kept} kept");
        }
        assert!(scan.seek(3000).is_err());
    }
}

#[test]
fn a_split_of_many_tiny_blocks_loses_no_record() {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..500, 1));
    let dataset = made.open(plain());
    let request = ScanRequest::new().batch_rows(20).limits(Limits::default().block_offsets(7));
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0).records(480);
    let (mut queue, mut read) = (vec![whole], Vec::new());
    while let Some(partition) = queue.pop() {
        let mut scan = dataset.scan(&partition, &request).unwrap();
        while let Some(batch) = scan.next_batch().unwrap() {
            read.extend(crate::test_files::records(&batch));
            queue.extend(scan.try_split(0.5).unwrap());
        }
    }
    read.sort();
    assert_eq!(read, made.records[..480]);
    let mut counted = 0;
    for partition in dataset.partitions(1000).unwrap() {
        let Estimate::Exact(rows) = dataset.statistics(&partition).unwrap().rows else {
            panic!("{partition}")
        };
        counted += rows;
    }
    assert_eq!(counted, 500);
}
