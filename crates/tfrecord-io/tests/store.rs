//! The reader over object stores: the same batches as from a file, through failures and cuts, within its bounds.

#![cfg(feature = "async")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::stream::{BoxStream, StreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error as StoreError, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result as StoreResult,
};
use tfrecord_io::store::{Budget, Listing, Planner, Retry, StoreReader, StoreReaderBuilder, expand};
use tfrecord_io::{ErrorKind, Kind, Reader, RecordBuffer, frame};

/// A store in memory that misbehaves as told, and keeps count.
#[derive(Debug, Default)]
struct Flaky {
    inner: InMemory,
    /// So many requests fail before one is served.
    failures: AtomicI64,
    /// An answer ends after so many bytes, in silence or with an error.
    cut: Option<usize>,
    cut_is_error: bool,
    /// Ranges are not served.
    ignores_ranges: bool,
    /// Listings of four objects are out of order: b, d, c, a.
    is_unordered: bool,
    /// Number of listings that fail after `listed` objects.
    list_failures: AtomicI64,
    listed: usize,
    /// Listings begin in the middle.
    is_rotated: bool,
    /// Objects that listings gave.
    objects_listed: AtomicU64,
    /// The store has no ETags.
    has_no_tags: bool,
    /// The store has ETags that are weak.
    has_weak_tags: bool,
    requests: AtomicU64,
    /// Bytes that were asked for.
    asked: AtomicU64,
}

impl fmt::Display for Flaky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("flaky")
    }
}

fn broken() -> StoreError {
    StoreError::Generic { store: "flaky", source: "the connection was reset".into() }
}

#[async_trait]
impl ObjectStore for Flaky {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> StoreResult<GetResult> {
        self.requests.fetch_add(1, SeqCst);
        if self.failures.fetch_sub(1, SeqCst) > 0 {
            return Err(broken());
        }
        if let Some(GetRange::Bounded(Range { start, end })) = &options.range {
            self.asked.fetch_add(end - start, SeqCst);
            if self.ignores_ranges {
                let source = "Received non-partial response when range requested".into();
                return Err(StoreError::Generic { store: "flaky", source });
            }
        }
        let head = options.head;
        assert!(!self.has_weak_tags || options.if_match.is_none(), "a server finds that no weak tag matches");
        let mut result = self.inner.get_opts(location, options).await?;
        if self.has_no_tags {
            result.meta.e_tag = None;
        }
        if self.has_weak_tags {
            // Weak or not, as the server happens to compress.
            let weak = if head { "W/" } else { "" };
            result.meta.e_tag = result.meta.e_tag.map(|e_tag| format!("{weak}{e_tag}"));
        }
        let Some(cut) = self.cut.filter(|_| !head) else { return Ok(result) };
        let (meta, range, attributes) =
            (result.meta.clone(), result.range.clone(), result.attributes.clone());
        let bytes = result.bytes().await?;
        let whole = bytes.len() <= cut;
        let bytes = bytes.slice(..cut.min(bytes.len()));
        let mut chunks: Vec<StoreResult<bytes::Bytes>> =
            bytes.chunks(7).map(|chunk| Ok(bytes::Bytes::copy_from_slice(chunk))).collect();
        if self.cut_is_error && !whole {
            chunks.push(Err(broken()));
        }
        let payload = GetResultPayload::Stream(futures::stream::iter(chunks).boxed());
        Ok(GetResult { payload, meta, range, attributes })
    }

    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> StoreResult<PutResult> {
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> StoreResult<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, StoreResult<Path>>,
    ) -> BoxStream<'static, StoreResult<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, StoreResult<ObjectMeta>> {
        if self.failures.fetch_sub(1, SeqCst) > 0 {
            return futures::stream::iter([Err(broken())]).boxed();
        }
        let mut listed: Vec<_> = self.inner.list(prefix).collect::<Vec<_>>().now_or_never().unwrap();
        if self.is_unordered {
            listed.sort_by_key(|meta| meta.as_ref().unwrap().location.clone());
            listed.swap(0, 1);
            listed.swap(1, 3);
        }
        if self.is_rotated {
            let middle = listed.len() / 2;
            listed.rotate_left(middle);
        }
        if self.list_failures.fetch_sub(1, SeqCst) > 0 {
            listed.truncate(self.listed);
            self.objects_listed.fetch_add(listed.len() as u64, SeqCst);
            listed.push(Err(broken()));
        } else {
            self.objects_listed.fetch_add(listed.len() as u64, SeqCst);
        }
        futures::stream::iter(listed).boxed()
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, StoreResult<ObjectMeta>> {
        let mut listed: Vec<_> = self.inner.list(prefix).collect::<Vec<_>>().now_or_never().unwrap();
        listed.retain(|meta| meta.as_ref().unwrap().location > *offset);
        self.objects_listed.fetch_add(listed.len() as u64, SeqCst);
        futures::stream::iter(listed).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> StoreResult<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> StoreResult<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

const PATH: &str = "data/train.tfrecord";

fn file(records: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for i in 0..records {
        let payload: Vec<u8> = (0..(i * 37) % 300).map(|j| (i + j) as u8).collect();
        frame::append(&mut file, &payload);
    }
    file
}

async fn put(store: &Flaky, file: &[u8]) -> Path {
    let path = Path::from(PATH);
    store.inner.put(&path, file.to_vec().into()).await.unwrap();
    path
}

fn quick() -> Retry {
    Retry::default().first_pause(Duration::from_micros(10)).longest_pause(Duration::from_micros(100))
}

/// Offsets and payloads, as read from the store.
async fn read(builder: StoreReaderBuilder, range: Range<u64>) -> Vec<(u64, Vec<u8>)> {
    let mut reader = builder.open_range(range).await.unwrap();
    let mut batch = RecordBuffer::new();
    let mut records = Vec::new();
    let mut short = false;
    while reader.read_batch(&mut batch, 10, usize::MAX).await.unwrap() > 0 {
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

fn expected(file: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let records = Reader::new(file).into_records();
    records.map(|record| record.unwrap()).map(|record| (record.offset, record.data)).collect()
}

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
                let count = reader.read_batch(&mut batch, 5, usize::MAX).await.unwrap();
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
async fn looking_for_objects_is_tried_again() {
    let store = Flaky::default();
    store.inner.put(&Path::from("a-00000-of-00001"), vec![].into()).await.unwrap();
    for pattern in ["a-00000-of-00001", "a@1", "*"] {
        store.failures.store(3, SeqCst);
        let found = expand(&store, pattern, quick(), Listing::Any).await.unwrap();
        assert_eq!(found.len(), 1, "{pattern}");
    }
    store.failures.store(100, SeqCst);
    let error = expand(&store, "a//*", quick(), Listing::Any).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "a//*: listing the store failed: the store refused or broke off; it went on failing after 8 retries; try again later"
    );
}

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
    assert_eq!(reader.read_batch(&mut batch, 3, usize::MAX).await.unwrap(), 3);
    store.failures.store(i64::MAX, SeqCst);
    let mut records = 3;
    let error = loop {
        match reader.read_batch(&mut batch, 10, usize::MAX).await {
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
async fn a_server_that_ignores_ranges_is_not_asked_twice() {
    let file = file(100);
    let store = Arc::new(Flaky { ignores_ranges: true, ..Flaky::default() });
    put(&store, &file).await;
    let builder = StoreReader::builder(store.clone(), Path::from(PATH)).retry(quick()).part_bytes(1 << 20);
    let mut reader = builder.open().await.unwrap();
    let before = store.requests.load(SeqCst);
    let error = reader.read_batch(&mut RecordBuffer::new(), 10, usize::MAX).await.unwrap_err();
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

#[tokio::test]
async fn an_object_that_is_replaced_is_noticed() {
    let store = Arc::new(Flaky::default());
    put(&store, &file(100)).await;
    let builder = StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(100).read_ahead_bytes(0);
    let mut reader = builder.open().await.unwrap();
    let mut batch = RecordBuffer::new();
    reader.read_batch(&mut batch, 1, usize::MAX).await.unwrap();
    put(&store, &file(101)).await;
    let error = loop {
        if let Err(error) = reader.read_batch(&mut batch, 10, usize::MAX).await {
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
        let error = reader.read_batch(&mut RecordBuffer::new(), 10, usize::MAX).await.unwrap_err();
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
    let error = reader.read_batch(&mut RecordBuffer::new(), 10, usize::MAX).await.unwrap_err();
    assert!(error.what().contains("the object was replaced while it was being read"), "{error}");
}

#[tokio::test]
async fn listings_out_of_order_lose_nothing_and_end() {
    for (listed, failures) in [(0, 3), (1, 1), (2, 1), (3, 2), (4, 8)] {
        let store = Flaky { is_unordered: true, listed, ..Flaky::default() };
        for name in ["a", "b", "c", "d"] {
            store.inner.put(&Path::from(name), vec![].into()).await.unwrap();
        }
        store.list_failures.store(failures, SeqCst);
        let found = expand(&store, "*", quick(), Listing::Any).await.unwrap();
        let found: Vec<_> = found.iter().map(|meta| meta.location.as_ref()).collect();
        assert_eq!(found, ["a", "b", "c", "d"], "{listed}, {failures}");
        store.list_failures.store(100, SeqCst);
        let error = expand(&store, "*", quick(), Listing::Any).await.unwrap_err();
        assert!(error.to_string().contains("it went on failing after 8 retries"), "{error}");
    }
}

#[tokio::test]
async fn a_long_listing_goes_on_where_it_was() {
    let store = Flaky { listed: 1500, list_failures: 1.into(), ..Flaky::default() };
    for number in 0..4000 {
        store.inner.put(&Path::from(format!("{number:04}")), vec![].into()).await.unwrap();
    }
    for listing in [Listing::Sorted, Listing::Any] {
        store.list_failures.store(1, SeqCst);
        store.objects_listed.store(0, SeqCst);
        let found = expand(&store, "*", quick().max_retries(1), listing).await.unwrap();
        assert!(found.iter().map(|meta| meta.location.to_string()).eq((0..4000).map(|n| format!("{n:04}"))));
        let listed = if listing == Listing::Sorted { 4000 } else { 1500 + 4000 };
        assert_eq!(store.objects_listed.load(SeqCst), listed, "{listing:?}");
    }
}

#[tokio::test]
async fn a_listing_that_has_looked_sorted_before_it_failed_loses_nothing() {
    let store = Flaky { listed: 1000, list_failures: 1.into(), is_rotated: true, ..Flaky::default() };
    for number in 0..2000 {
        store.inner.put(&Path::from(format!("{number:04}")), vec![].into()).await.unwrap();
    }
    // 1,000 names in order, then a failure; lower ones would have come after them.
    let found = expand(&store, "*", quick(), Listing::Any).await.unwrap();
    assert!(found.iter().map(|meta| meta.location.to_string()).eq((0..2000).map(|n| format!("{n:04}"))));
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
async fn read_ahead_keeps_to_its_bound() {
    let file = file(500);
    let store = Arc::new(Flaky::default());
    put(&store, &file).await;
    let builder =
        StoreReader::builder(store.clone(), Path::from(PATH)).part_bytes(1000).read_ahead_bytes(4000);
    let mut reader = builder.open().await.unwrap();
    let mut batch = RecordBuffer::new();
    while reader.read_batch(&mut batch, 1, usize::MAX).await.unwrap() > 0 {
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
        let count = reader.read_batch(&mut batch, 5, usize::MAX).now_or_never();
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
        let read = reader.read_batch(&mut batch, 4, usize::MAX).await;
        sizes.push(read.map_err(|e| e.detail::<Kind>().copied()));
    }
    assert_eq!(sizes, [Ok(4), Ok(4), Ok(1), Err(Some(Kind::PayloadCrc))]);
}

#[tokio::test]
async fn patterns_over_a_store() {
    let store = InMemory::new();
    for name in
        ["a/t-00000-of-00002", "a/t-00001-of-00002", "a/u.tfrecord", "a/b/v.tfrecord", "w-00000-of-00002"]
    {
        store.put(&Path::from(name), vec![1, 2, 3].into()).await.unwrap();
    }
    let names = async |pattern: &str| {
        let found = expand(&store, pattern, Retry::default(), Listing::Any).await;
        found
            .map(|found| found.iter().map(|meta| meta.location.to_string()).collect::<Vec<_>>())
            .map_err(|e| e.detail::<Kind>().copied())
    };
    let set = vec!["a/t-00000-of-00002".to_string(), "a/t-00001-of-00002".into()];
    for pattern in ["a/t@2", "a/t@*", "a/t-?????-of-00002", "a/t-*", "*/t-*"] {
        assert_eq!(names(pattern).await, Ok(set.clone()), "{pattern}");
    }
    assert_eq!(names("a/*.tfrecord").await, Ok(vec!["a/u.tfrecord".into()]));
    assert_eq!(names("a/**/*.tfrecord").await, Ok(vec!["a/b/v.tfrecord".into(), "a/u.tfrecord".into()]));
    assert_eq!(names("a/u.tfrecord").await, Ok(vec!["a/u.tfrecord".into()]));
    assert_eq!(names("w@2").await, Err(Some(Kind::MissingShard)));
    assert_eq!(names("w@*").await, Err(Some(Kind::MissingShard)));
    assert_eq!(names("none").await, Err(None));
    assert_eq!(names("none*").await, Err(Some(Kind::NoFilesMatched)));
    assert_eq!(names("a[").await, Err(Some(Kind::ShardPattern)));
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
