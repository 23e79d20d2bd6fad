//! Batches that are written and read again.

use tfxio_core::{Batch, FileFormat as _, Files, FormatOptions, ScanRequest};
use tfxio_formats::AvroFormat;
use tfxio_formats::avro_path::container::{Codec, ContainerReader};

use crate::made::{Made, container, plain};

#[test]
fn what_is_written_is_read_again() {
    let made = Made::new().file(0, &container(false, Codec::Null, 0..100, 200));
    let dataset = made.open(plain());
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    let mut scan = dataset.scan(&whole, &ScanRequest::new().batch_rows(30)).unwrap();
    let output = made.folder.path().join("out.avro");
    let output = output.to_str().unwrap();
    let options = FormatOptions::default().set("codec", "null").set("block_bytes", 300_u64);
    let mut sink = AvroFormat.sink(output, scan.schema(), &options).unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        sink.write(&batch).unwrap();
        batches.push(batch.into_columns());
    }
    assert!(!std::fs::exists(output).unwrap(), "it appears when it is whole");
    let written = sink.finish().unwrap();
    assert_eq!((written.rows, written.files), (100, vec![output.to_owned()]));
    assert_eq!(ContainerReader::open(output).unwrap().header().codec(), Codec::Null);
    let again = AvroFormat.open(Files::local([output]).unwrap(), &plain()).unwrap();
    let whole = again.partitions(u64::MAX).unwrap().remove(0);
    let mut scan = again.scan(&whole, &ScanRequest::new().batch_rows(30)).unwrap();
    for batch in batches {
        assert_eq!(scan.next_batch().unwrap().map(Batch::into_columns), Some(batch));
    }
    assert!(scan.next_batch().unwrap().is_none());
}

#[test]
fn a_sink_that_is_dropped_leaves_nothing() {
    let made = Made::new().file(0, &container(false, Codec::Null, 0..10, 200));
    let dataset = made.open(plain());
    let output = made.folder.path().join("out.avro");
    drop(AvroFormat.sink(output.to_str().unwrap(), dataset.schema(), &FormatOptions::default()).unwrap());
    assert_eq!(std::fs::read_dir(made.folder.path()).unwrap().count(), 1);
}
