//! Memory of readers, which keep to their bounds.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use object_store::ObjectStoreExt;
use object_store::memory::InMemory;
use object_store::path::Path;
use tfrecord_io::store::{Budget, Planner, StoreReader};
use tfrecord_io::{BatchSize, RecordBuffer, frame};

use crate::store::flaky::Flaky;
use crate::store::objects::{PATH, file, put};

#[tokio::test]
async fn read_ahead_keeps_to_its_bound() {
    let file = file(500);
    let store = Arc::new(Flaky::default());
    put(&store, &file).await;
    let builder =
        StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(1000).read_ahead_bytes(4000);
    let mut reader = builder.open().await.unwrap();
    let mut batch = RecordBuffer::new();
    while reader.read_batch(&mut batch, BatchSize::records(1)).await.unwrap() > 0 {
        // Let all requests run that may.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        let record = batch.get(0).unwrap();
        let read = record.offset + (record.data.len() + frame::OVERHEAD) as u64;
        let ahead = store.asked.load(SeqCst) - read;
        // One part is being decoded, the others travel or wait.
        assert!(ahead <= 4000 + 1000, "{ahead} bytes ahead");
    }
}

#[tokio::test]
async fn readers_that_share_a_budget_hold_no_more_together() {
    let store = Arc::new(Flaky::default());
    let file = file(2000);
    let path = put(&store, &file).await;
    let budget = Budget::new(50_000);
    let part = 10_000;
    let mut readers = Vec::new();
    for _ in 0..16 {
        let builder = StoreReader::builder(store.clone(), path.clone()).part_bytes(part).budget(&budget);
        let mut bytes = builder.open_bytes().await.unwrap();
        bytes.request(u64::MAX);
        readers.push((bytes, 0));
    }
    // One part of each is requested in any case.
    let most = 50_000 + 16 * part;
    let mut left = readers.len();
    while left > 0 {
        left = 0;
        for (reader, read) in &mut readers {
            assert!(budget.taken() <= most, "{}", budget.taken());
            if let Some(part) = reader.next().await.unwrap() {
                *read += part.len();
                left += 1;
            }
        }
    }
    assert!(readers.iter().all(|(_, read)| *read == file.len()));
    assert_eq!(budget.taken(), 0);
}

#[tokio::test]
async fn announced_ranges_come_in_any_order_and_within_the_bound() {
    let bytes: Vec<u8> = (0..1_000_000u32).map(|i| (i * 7 + i / 251) as u8).collect();
    let store = InMemory::new();
    let path = Path::from("an/object");
    store.put(&path, bytes.clone().into()).await.unwrap();
    let reader = StoreReader::builder(Arc::new(store), path).part_bytes(70_000).read_ahead_bytes(300_000);
    let object = reader.open_bytes().await.unwrap();
    let wanted = [0..400_000, 500_000..900_000, 950_000..2_000_000];
    let mut ranges = object.ranges(&wanted, Planner::default().gap_bytes(0));
    assert!(ranges.has(0) && !ranges.has(450_000) && !ranges.has(1_000_000));
    assert!(ranges.part_at(450_000).await.unwrap().is_none());
    // As columns are read: a little of each in turn.
    let mut at = wanted.clone().map(|range| range.start);
    while at.iter().zip(&wanted).any(|(at, range)| *at < range.end.min(1_000_000)) {
        for (at, range) in at.iter_mut().zip(&wanted) {
            if *at >= range.end.min(1_000_000) {
                continue;
            }
            let (start, part) = ranges.part_at(*at).await.unwrap().unwrap();
            let skip = (*at - start) as usize;
            let read = (part.len() - skip).min(9_999);
            assert!(part[skip..skip + read] == bytes[*at as usize..*at as usize + read]);
            *at += read as u64;
            ranges.read(*at - read as u64..*at);
            assert!(ranges.bytes_held() <= 300_000 + 3 * 70_000, "{}", ranges.bytes_held());
        }
    }
    assert_eq!(ranges.bytes_held(), 0, "what was read is let go");
}

#[tokio::test]
async fn a_read_over_the_end_of_a_range_lets_go_of_it() {
    let store = Arc::new(Flaky::default());
    let path = Path::from("an/object");
    store.inner.put(&path, vec![7; 100_000].into()).await.unwrap();
    let object = StoreReader::builder(store, path).open_bytes().await.unwrap();
    // One request, for the gaps are small: reads through a buffer go over them.
    let mut ranges = object.ranges(&[0..30_000, 30_100..60_000, 60_100..90_000], Planner::default());
    assert_eq!(ranges.part_at(0).await.unwrap().unwrap().1.len(), 90_000);
    for at in (0..90_000).step_by(8192) {
        assert_eq!(ranges.bytes_held(), 90_000);
        ranges.read(at..at + 8192);
    }
    assert_eq!(ranges.bytes_held(), 0);
}

#[tokio::test]
async fn a_size_that_cannot_be_is_no_reason_to_plan_for_ever() {
    let store = Arc::new(Flaky::default());
    let path = put(&store, &file(100)).await;
    let builder = StoreReader::builder(store, path);
    let mut meta = builder.clone().open().await.unwrap().meta().clone();
    meta.size = u64::MAX;
    let bytes = builder.meta(meta).part_bytes(u64::MAX).open_bytes().await.unwrap();
    let ranges = bytes.ranges(std::slice::from_ref(&(0..u64::MAX)), Planner::default());
    assert!(ranges.has(0) && ranges.has(1 << 39) && !ranges.has(u64::MAX - 1));
}
