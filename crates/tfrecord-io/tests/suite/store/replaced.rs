//! Objects that are replaced while they are read.

use std::sync::Arc;
use std::time::Duration;

use object_store::path::Path;
use tfrecord_io::store::StoreReader;
use tfrecord_io::{BatchSize, Kind, RecordBuffer};

use crate::store::flaky::Flaky;
use crate::store::objects::{PATH, expected, file, put, read};

#[tokio::test]
async fn an_object_that_is_replaced_is_noticed() {
    let store = Arc::new(Flaky::default());
    put(&store, &file(100)).await;
    let builder = StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(100).read_ahead_bytes(0);
    let mut reader = builder.open().await.unwrap();
    let mut batch = RecordBuffer::new();
    reader.read_batch(&mut batch, BatchSize::records(1)).await.unwrap();
    put(&store, &file(101)).await;
    let error = loop {
        if let Err(error) = reader.read_batch(&mut batch, BatchSize::records(10)).await {
            break error;
        }
    };
    assert_eq!(error.detail(), Some(&Kind::Store));
    assert!(error.what().contains("the object was replaced while it was being read"), "{error}");
}

#[tokio::test]
async fn without_etags_size_and_time_tell_that_an_object_is_replaced() {
    for (records, offset) in [(101, 0), (100, 5000)] {
        let store = Arc::new(Flaky { has_no_tags: true, ..Flaky::default() });
        let path = put(&store, &file(100)).await;
        let builder = StoreReader::builder(store.clone(), path.clone()).part_bytes(100).read_ahead_bytes(0);
        let mut meta = builder.clone().open().await.unwrap().meta().clone();
        meta.last_modified -= Duration::from_millis(offset);
        put(&store, &file(records)).await;
        let mut reader = builder.meta(meta).open().await.unwrap();
        let error = reader.read_batch(&mut RecordBuffer::new(), BatchSize::records(10)).await.unwrap_err();
        assert!(error.what().contains("the object was replaced while it was being read"), "{error}");
    }
}

#[tokio::test]
async fn weak_etags_are_compared_and_not_asked_for() {
    let store = Arc::new(Flaky { has_weak_tags: true, ..Flaky::default() });
    let path = put(&store, &file(100)).await;
    let builder = StoreReader::builder(store.clone(), path).part_bytes(100).read_ahead_bytes(0);
    assert_eq!(read(builder.clone(), 0..u64::MAX).await, expected(&file(100)));
    let mut reader = builder.open().await.unwrap();
    // Of the same size.
    put(&store, &file(100)).await;
    let error = reader.read_batch(&mut RecordBuffer::new(), BatchSize::records(10)).await.unwrap_err();
    assert!(error.what().contains("the object was replaced while it was being read"), "{error}");
}
