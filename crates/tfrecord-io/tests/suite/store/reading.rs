//! The same batches as from a file, whatever the parts, ranges and compression.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;

use futures::FutureExt;
use object_store::path::Path;
use tfrecord_io::store::StoreReader;
use tfrecord_io::{BatchSize, ErrorKind, Kind, RecordBuffer, Split, frame, splits};

use crate::store::flaky::Flaky;
use crate::store::objects::{PATH, expected, file, put, quick, read};

#[tokio::test]
async fn the_same_batches_as_from_a_file_whatever_the_parts() {
    let file = file(300);
    for part in [1, 13, 1000, 1 << 20] {
        for ahead in [0, 5000, 1 << 20] {
            if part == 1 && ahead > 5000 {
                continue; // A task for each byte.
            }
            let store = Arc::new(Flaky::default());
            put(&store, &file[..if part == 1 { 2000 } else { file.len() }]).await;
            let builder = StoreReader::builder(store.clone(), Path::from(PATH))
                .part_bytes(part)
                .read_ahead_bytes(ahead);
            if part == 1 {
                let mut reader = builder.open().await.unwrap();
                let mut batch = RecordBuffer::new();
                let count = reader.read_batch(&mut batch, BatchSize::records(5)).await.unwrap();
                assert_eq!(count, 5);
            } else {
                assert_eq!(read(builder, 0..u64::MAX).await, expected(&file));
            }
        }
    }
}

#[cfg(feature = "gzip")]
#[tokio::test]
async fn compressed_objects() {
    use tfrecord_io::{Compression, WriterBuilder};
    for compression in [Compression::Gzip, Compression::Zlib] {
        let builder = WriterBuilder::default().compression(compression).member_bytes(1000);
        let mut writer = builder.target(Vec::new()).build().unwrap();
        for (_, payload) in expected(&file(300)) {
            writer.write(&payload).unwrap();
        }
        let store = Arc::new(Flaky::default());
        put(&store, &writer.finish().unwrap()).await;
        let builder = StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(100);
        assert_eq!(read(builder, 0..u64::MAX).await, expected(&file(300)));
    }
}

#[tokio::test]
async fn ranges_read_the_records_that_start_in_them() {
    let file = file(60);
    let all = expected(&file);
    let store = Arc::new(Flaky::default());
    put(&store, &file).await;
    for (start, _) in all.iter().step_by(7) {
        for end in [*start, start + 1, start + 500, file.len() as u64, u64::MAX] {
            let builder =
                StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(64).read_ahead_bytes(256);
            let got = read(builder, *start..end).await;
            let wanted: Vec<_> =
                all.iter().filter(|(offset, _)| (*start..end).contains(offset)).cloned().collect();
            assert_eq!(got, wanted, "{start}..{end}");
        }
    }
}

#[tokio::test]
async fn bytes_of_any_range() {
    let file = file(60);
    let store = Arc::new(Flaky { failures: 2.into(), ..Flaky::default() });
    put(&store, &file).await;
    let builder = StoreReader::builder(store.clone(), Path::from(PATH))
        .part_bytes(100)
        .read_ahead_bytes(300)
        .retry(quick());
    let mut bytes = builder.open_bytes().await.unwrap();
    assert_eq!(bytes.meta().size, file.len() as u64);
    for range in [0..file.len(), 50..951, 7..8, 5000..file.len() + 1000, 10..10] {
        bytes.start(range.start as u64..range.end as u64);
        let before = store.asked.load(SeqCst);
        let mut got = Vec::new();
        while let Some(part) = bytes.next().await.unwrap() {
            got.extend(part);
        }
        assert_eq!(got, &file[range.start..range.end.min(file.len())]);
        assert_eq!(store.asked.load(SeqCst) - before, got.len() as u64, "nothing else is asked for");
    }
}

#[tokio::test]
async fn a_name_of_its_own_in_errors() {
    let store = Arc::new(Flaky::default());
    let builder = StoreReader::builder(store.clone(), Path::from(PATH)).name("s3://bucket/no");
    let error = builder.open().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "s3://bucket/no, stored byte 0: reading the object failed: no such object; check the bucket and the path"
    );
}

#[tokio::test]
async fn records_before_a_damage_come_first() {
    let mut damaged = file(10);
    let at = damaged.len() - 1;
    damaged[at] ^= 1;
    let store = Arc::new(Flaky::default());
    let path = put(&store, &damaged).await;
    let mut reader = StoreReader::builder(store, path).open().await.unwrap();
    let mut batch = RecordBuffer::new();
    let mut sizes = Vec::new();
    for _ in 0..4 {
        let read = reader.read_batch(&mut batch, BatchSize::records(4)).await;
        sizes.push(read.map_err(|e| e.detail::<Kind>().copied()));
    }
    assert_eq!(sizes, [Ok(4), Ok(4), Ok(1), Err(Some(Kind::PayloadCrc))]);
}

#[tokio::test]
async fn a_call_that_is_dropped_loses_nothing() {
    let file = file(100);
    let store = Arc::new(Flaky::default());
    put(&store, &file).await;
    let builder = StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(50).read_ahead_bytes(0);
    let mut reader = builder.open().await.unwrap();
    let mut batch = RecordBuffer::new();
    let mut records = Vec::new();
    let mut dropped = 0;
    loop {
        // Polled once: it waits for its first part and is dropped.
        let count = reader.read_batch(&mut batch, BatchSize::records(5)).now_or_never();
        match count {
            Some(count) if count.as_ref().is_ok_and(|&count| count == 0) => break,
            Some(count) => {
                assert_eq!(count.unwrap(), batch.len());
                records.extend(batch.iter().map(|record| (record.offset, record.data.to_vec())));
            }
            None => {
                dropped += 1;
                tokio::task::yield_now().await;
            }
        }
    }
    assert!(dropped > 100, "{dropped}");
    assert_eq!(records, expected(&file));
}

/// The number of times that another task of the only thread of the runtime ran while an object of 16 MiB was read.
async fn turns_of_others(object: Vec<u8>, size: BatchSize) -> u64 {
    let store = Arc::new(Flaky::default());
    let path = put(&store, &object).await;
    let mut reader = StoreReader::builder(store, path).open().await.unwrap();
    let turns = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&turns);
    let other = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, SeqCst);
            tokio::task::yield_now().await;
        }
    });
    let (mut batch, mut records) = (RecordBuffer::new(), 0);
    // The first waits for the store.
    records += reader.read_batch(&mut batch, size).await.unwrap();
    let before = turns.load(SeqCst);
    while !batch.is_empty() {
        records += reader.read_batch(&mut batch, size).await.unwrap();
    }
    other.abort();
    assert_eq!(records, 16 << 10);
    turns.load(SeqCst) - before
}

#[tokio::test]
async fn other_tasks_run_while_records_are_decoded() {
    let mut plain = Vec::new();
    for _ in 0..16 << 10 {
        frame::append(&mut plain, &[7; 1008]);
    }
    let mut objects = vec![plain.clone()];
    #[cfg(feature = "gzip")]
    objects.push({
        use std::io::Write as _;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&plain).unwrap();
        encoder.finish().unwrap()
    });
    for object in objects {
        for size in [BatchSize::records(10), BatchSize::records(1000), BatchSize::bytes(4 << 20)] {
            let turns = turns_of_others(object.clone(), size).await;
            assert!(turns >= 40, "{turns} turns, with batches of {size:?} of {} bytes", object.len());
        }
    }
}

#[tokio::test]
async fn splits_of_any_size_have_every_record_once() {
    let file = file(200);
    let all = expected(&file);
    let store = Arc::new(Flaky::default());
    put(&store, &file).await;
    for bytes in [700, 5000, 1 << 20] {
        let mut found = Vec::new();
        for split in splits::cut(file.len() as u64, bytes) {
            let builder = StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(1000);
            let mut reader = builder.open_split(split).await.unwrap();
            let mut batch = RecordBuffer::new();
            while reader.read_batch(&mut batch, BatchSize::records(7)).await.unwrap() > 0 {
                found.extend(batch.iter().map(|record| (record.offset, record.data.to_vec())));
            }
        }
        assert_eq!(found, all, "{bytes}");
    }
    let builder = || StoreReader::builder(store.clone(), Path::from(PATH));
    let error = builder().open_split(Split::new(9, 3)).await.unwrap_err();
    assert!(error.to_string().contains("ends at 3, before it starts at 9"), "{error}");
    // The store refuses while the first record is looked for.
    let missing = StoreReader::builder(store.clone(), Path::from("no such object"));
    assert_eq!(missing.open_split(Split::new(0, 10)).await.unwrap_err().kind(), ErrorKind::NotFound);
}

#[cfg(feature = "gzip")]
#[tokio::test]
async fn a_compressed_object_has_no_splits() {
    use tfrecord_io::{Compression, Writer};
    let mut writer = Writer::builder(Vec::new()).compression(Compression::Gzip).build().unwrap();
    (0..100u32).for_each(|i| writer.write(&i.to_le_bytes()).unwrap());
    let store = Arc::new(Flaky::default());
    put(&store, &writer.finish().unwrap()).await;
    let error =
        StoreReader::builder(store, Path::from(PATH)).open_split(Split::new(10, 50)).await.unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::NotTfRecord), "{error}");
}
