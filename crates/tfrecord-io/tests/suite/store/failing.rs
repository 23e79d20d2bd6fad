//! Requests that fail, answers that are cut, servers that ignore ranges, objects that are not there.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use object_store::ObjectStore;
use object_store::path::Path;
use tfrecord_io::store::StoreReader;
use tfrecord_io::{BatchSize, ErrorKind, Kind, RecordBuffer};

use crate::store::flaky::Flaky;
use crate::store::objects::{PATH, expected, file, put, quick, read};

#[tokio::test]
async fn requests_that_fail_are_sent_again() {
    let file = file(100);
    for failures in [1, 3] {
        let store = Arc::new(Flaky { failures: failures.into(), ..Flaky::default() });
        put(&store, &file).await;
        let builder = StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(5000).retry(quick());
        assert_eq!(read(builder, 0..u64::MAX).await, expected(&file));
    }
}

#[tokio::test]
async fn answers_that_are_cut_short_are_completed() {
    let file = file(100);
    for cut_is_error in [false, true] {
        let store = Arc::new(Flaky { cut: Some(300), cut_is_error, ..Flaky::default() });
        put(&store, &file).await;
        // Progress resets the count: many more cuts than retries.
        let builder = StoreReader::builder(store.clone(), Path::from(PATH))
            .part_bytes(5000)
            .retry(quick().max_retries(1));
        assert_eq!(read(builder, 0..u64::MAX).await, expected(&file));
        assert!(store.requests.load(SeqCst) > file.len() as u64 / 300);
        // What had come was not asked for again.
        let asked = store.asked.load(SeqCst);
        assert!(asked < file.len() as u64 * 20, "{asked}");
    }
}

#[tokio::test]
async fn failing_for_ever_is_an_error_after_the_records_before() {
    let file = file(100);
    let store = Arc::new(Flaky::default());
    put(&store, &file).await;
    let builder = StoreReader::builder(store.clone(), Path::from(PATH))
        .part_bytes(1000)
        .read_ahead_bytes(0)
        .retry(quick().max_retries(2));
    let mut reader = builder.open().await.unwrap();
    let mut batch = RecordBuffer::new();
    assert_eq!(reader.read_batch(&mut batch, BatchSize::records(3)).await.unwrap(), 3);
    store.failures.store(i64::MAX, SeqCst);
    let mut records = 3;
    let error = loop {
        match reader.read_batch(&mut batch, BatchSize::records(10)).await {
            Ok(count) => records += count as u64,
            Err(error) => break error,
        }
    };
    assert_eq!(error.detail(), Some(&Kind::Store));
    assert_eq!(reader.records_read(), records);
    assert!(records > 3);
    let text = error.to_string();
    assert!(text.starts_with("data/train.tfrecord, stored byte "), "{text}");
    assert!(text.contains("it went on failing after 2 retries"), "{text}");
    // The store recovers.
    store.failures.store(0, SeqCst);
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_waited_for_so_long() {
    let file = file(100);
    let patience = Duration::from_millis(50);
    let silent = "failed: no byte came for 0.05 seconds; the store does not answer; check the network and the endpoint, and try \
                  again later";
    // Requests that nobody answers, an answer that goes silent, and requests that fail for longer than there is patience.
    for (hangs, hangs_after, failures) in [(i64::MAX, None, 0), (0, Some(300), 0), (0, None, i64::MAX)] {
        let store = Arc::new(Flaky { hangs_after, ..Flaky::default() });
        put(&store, &file).await;
        let retry = match failures {
            0 => quick().patience(patience),
            _ => quick().first_pause(patience / 4).longest_pause(patience).patience(patience),
        };
        let builder = StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(5000).retry(retry);
        let mut reader = builder.open().await.unwrap();
        store.hangs.store(hangs, SeqCst);
        store.failures.store(failures, SeqCst);
        let mut batch = RecordBuffer::new();
        let error = loop {
            match reader.read_batch(&mut batch, BatchSize::records(10)).await {
                Ok(count) => assert!(count > 0, "it has ended"),
                Err(error) => break error,
            }
        };
        assert_eq!(error.detail(), Some(&Kind::Store));
        let text = error.to_string();
        assert!(text.starts_with("data/train.tfrecord, stored byte ") && text.ends_with(silent), "{text}");
    }
    // One that answers before goes on.
    let store = Arc::new(Flaky { failures: 3.into(), ..Flaky::default() });
    put(&store, &file).await;
    let builder =
        StoreReader::builder(store, Path::from(PATH)).retry(quick().patience(Duration::from_secs(60)));
    assert_eq!(read(builder, 0..u64::MAX).await, expected(&file));
}

#[tokio::test]
async fn a_server_that_ignores_ranges_is_not_asked_twice() {
    let file = file(100);
    let store = Arc::new(Flaky { ignores_ranges: true, ..Flaky::default() });
    put(&store, &file).await;
    let builder = StoreReader::builder(store.clone(), Path::from(PATH)).retry(quick()).part_bytes(1 << 20);
    let mut reader = builder.open().await.unwrap();
    let before = store.requests.load(SeqCst);
    let error = reader.read_batch(&mut RecordBuffer::new(), BatchSize::records(10)).await.unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Store));
    let text = error.to_string();
    assert!(text.contains("the server sent another part of the object than was asked for"), "{text}");
    assert!(text.contains("copy the file to a local disk"), "{text}");
    assert_eq!(store.requests.load(SeqCst) - before, 1);
}

#[tokio::test]
async fn a_missing_object_is_not_asked_for_twice() {
    let store = Arc::new(Flaky::default());
    let result =
        StoreReader::builder(Arc::clone(&store) as Arc<dyn ObjectStore>, Path::from("no")).open().await;
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.position().file.as_deref(), Some("no"));
    assert_eq!(store.requests.load(SeqCst), 1);
}
