//! Counts and statistics without decoding.

use tfxio_core::{Estimate, ScanRequest};
use tfxio_formats::avro_path::container::Codec;

use crate::test_files::{TestFiles, container, plain};

#[test]
fn rows_are_counted_without_decoding() {
    for codec in [Codec::Null, Codec::Deflate] {
        let mut bytes = container(false, codec, 0..100, 50);
        // Nothing within the first block is looked at.
        let at = bytes.windows(16).position(|window| window == b"a marker of rows").unwrap() + 16;
        bytes[at + 3] = 0xff;
        let made = TestFiles::new().file(0, &bytes).file(100, &container(false, codec, 100..130, 50));
        let dataset = made.open(plain());
        for target in [60, 300, 1 << 20] {
            let (mut counted, mut rows, mut stored) = (0, 0, 0);
            for partition in dataset.partitions(target).unwrap() {
                let statistics = dataset.statistics(&partition).unwrap();
                let Estimate::Exact(exact) = statistics.rows else { panic!("{statistics:?}") };
                counted += exact;
                stored += statistics.bytes.exact().unwrap();
                let request = ScanRequest::new().columns([""; 0]).batch_rows(7);
                let mut scan = dataset.scan(&partition, &request).unwrap();
                let mut here = 0;
                while let Some(batch) = scan.next_batch().unwrap() {
                    assert_eq!((batch.columns().num_columns(), batch.origins().len()), (0, batch.num_rows()));
                    here += batch.num_rows() as u64;
                }
                assert_eq!(here, exact, "{partition}");
                rows += here;
            }
            let sizes = made.files.iter().map(|file| std::fs::metadata(&**file).unwrap().len());
            assert_eq!((counted, rows, stored), (130, 130, sizes.sum()));
        }
    }
}

#[test]
fn what_is_left_of_a_scan_is_counted() {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..50, 60));
    let dataset = made.open(plain());
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    let mut scan = dataset.scan(&whole, &ScanRequest::new().batch_rows(8)).unwrap();
    for read in 1..=6 {
        assert_eq!(scan.next_batch().unwrap().unwrap().num_rows(), 8);
        let left = scan.remaining().unwrap();
        assert_eq!(left.first_read(), Some(8 * read));
        assert_eq!(dataset.statistics(&left).unwrap().rows, Estimate::Exact(50 - 8 * read));
    }
    assert_eq!(scan.next_batch().unwrap().unwrap().num_rows(), 2);
    assert!(scan.next_batch().unwrap().is_none());
    assert_eq!(dataset.statistics(&scan.remaining().unwrap()).unwrap().rows, Estimate::Exact(0));
}
