//! A store in memory that misbehaves as told, and keeps count.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::SeqCst};

use async_trait::async_trait;
use futures::FutureExt as _;
use futures::stream::{BoxStream, StreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetRange, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

#[derive(Debug, Default)]
pub struct Flaky {
    inner: InMemory,
    /// Number of requests that fail before one is served.
    pub failures: AtomicI64,
    /// Requests of bytes from this offset on wait for ever; 0 for none of them.
    pub withheld: AtomicU64,
    /// Number of requests that wait for ever.
    pub waiting: AtomicU64,
    /// Bytes that were asked for.
    pub asked: AtomicU64,
}

impl Flaky {
    /// A store with some objects.
    pub fn new<'a>(objects: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Arc<Self> {
        let store = Self::default();
        objects.into_iter().for_each(|(path, bytes)| store.put_object(path, bytes));
        Arc::new(store)
    }

    pub fn put_object(&self, path: &str, bytes: Vec<u8>) {
        self.inner.put(&Path::from(path), bytes.into()).now_or_never().unwrap().unwrap();
    }

    pub fn delete_object(&self, path: &str) {
        self.inner.delete(&Path::from(path)).now_or_never().unwrap().unwrap();
    }

    async fn serve(&self, range: Option<&GetRange>) -> Result<()> {
        let withheld = self.withheld.load(SeqCst);
        if let Some(GetRange::Bounded(range)) = range
            && withheld > 0
            && range.start >= withheld
        {
            self.waiting.fetch_add(1, SeqCst);
            futures::future::pending::<()>().await;
        }
        if self.failures.fetch_sub(1, SeqCst) > 0 {
            return Err(Error::Generic { store: "flaky", source: "the connection was reset".into() });
        }
        Ok(())
    }
}

impl fmt::Display for Flaky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("flaky")
    }
}

#[async_trait]
impl ObjectStore for Flaky {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.serve(options.range.as_ref()).await?;
        if let Some(GetRange::Bounded(Range { start, end })) = &options.range {
            self.asked.fetch_add(end - start, SeqCst);
        }
        self.inner.get_opts(location, options).await
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        if self.failures.fetch_sub(1, SeqCst) > 0 {
            let error = Error::Generic { store: "flaky", source: "the connection was reset".into() };
            return futures::stream::iter([Err(error)]).boxed();
        }
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
