//! Objects, and what is read of them.

use std::ops::Range;
use std::time::Duration;

use object_store::ObjectStoreExt;
use object_store::path::Path;
use tfrecord_io::store::{Retry, StoreReaderBuilder};
use tfrecord_io::{BatchSize, Reader, RecordBuffer, frame};

use crate::store::flaky::Flaky;

pub(crate) const PATH: &str = "data/train.tfrecord";

pub(crate) fn file(records: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for i in 0..records {
        let payload: Vec<u8> = (0..(i * 37) % 300).map(|j| (i + j) as u8).collect();
        frame::append(&mut file, &payload);
    }
    file
}

pub(crate) async fn put(store: &Flaky, file: &[u8]) -> Path {
    let path = Path::from(PATH);
    store.inner.put(&path, file.to_vec().into()).await.unwrap();
    path
}

pub(crate) fn quick() -> Retry {
    Retry::default().first_pause(Duration::from_micros(10)).longest_pause(Duration::from_micros(100))
}

/// Offsets and payloads, as read from the store.
pub(crate) async fn read(builder: StoreReaderBuilder, range: Range<u64>) -> Vec<(u64, Vec<u8>)> {
    let mut reader = builder.open_range(range).await.unwrap();
    let mut batch = RecordBuffer::new();
    let mut records = Vec::new();
    let mut short = false;
    while reader.read_batch(&mut batch, BatchSize::records(10)).await.unwrap() > 0 {
        assert!(!short, "only the last batch may be short");
        short = batch.len() < 10;
        for record in &batch {
            assert_eq!(record.index, records.len() as u64);
            records.push((record.offset, record.data.to_vec()));
        }
    }
    assert_eq!(reader.records_read(), records.len() as u64);
    records
}

pub(crate) fn expected(file: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let records = Reader::new(file).into_records();
    records.map(|record| record.unwrap()).map(|record| (record.offset, record.data)).collect()
}
