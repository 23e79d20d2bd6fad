//! A store in memory that misbehaves as told.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::SeqCst};

use async_trait::async_trait;
use futures::FutureExt;
use futures::stream::{BoxStream, StreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error as StoreError, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    Result as StoreResult,
};

/// A store in memory that misbehaves as told, and keeps count.
#[derive(Debug, Default)]
pub(crate) struct Flaky {
    pub(crate) inner: InMemory,
    /// So many requests fail before one is served.
    pub(crate) failures: AtomicI64,
    /// An answer ends after so many bytes, in silence or with an error.
    pub(crate) cut: Option<usize>,
    pub(crate) cut_is_error: bool,
    /// Ranges are not served.
    pub(crate) ignores_ranges: bool,
    /// Listings of four objects are out of order: b, d, c, a.
    pub(crate) is_unordered: bool,
    /// Number of listings that fail after `listed` objects.
    pub(crate) list_failures: AtomicI64,
    pub(crate) listed: usize,
    /// Listings begin in the middle.
    pub(crate) is_rotated: bool,
    /// Objects that listings gave.
    pub(crate) objects_listed: AtomicU64,
    /// So many requests are never answered, nor are listings.
    pub(crate) hangs: AtomicI64,
    /// An answer goes silent after so many bytes.
    pub(crate) hangs_after: Option<usize>,
    /// Listings begin anew where they end.
    pub(crate) goes_round: bool,
    /// The store has no ETags.
    pub(crate) has_no_tags: bool,
    /// The store has ETags that are weak.
    pub(crate) has_weak_tags: bool,
    pub(crate) requests: AtomicU64,
    /// Bytes that were asked for.
    pub(crate) asked: AtomicU64,
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
        if self.hangs.fetch_sub(1, SeqCst) > 0 {
            return futures::future::pending().await;
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
        let Some(cut) = self.cut.or(self.hangs_after).filter(|_| !head) else { return Ok(result) };
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
        let mut stream = futures::stream::iter(chunks).boxed();
        if self.hangs_after.is_some() && !whole {
            stream = stream.chain(futures::stream::pending()).boxed();
        }
        let payload = GetResultPayload::Stream(stream);
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
        if self.hangs.fetch_sub(1, SeqCst) > 0 {
            return futures::stream::pending().boxed();
        }
        if self.goes_round {
            let listed = listed.into_iter().map(Result::unwrap).collect::<Vec<_>>();
            return futures::stream::iter(listed.into_iter().cycle().map(Ok)).boxed();
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
