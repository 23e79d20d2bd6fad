//! The ways of reading, each the work of one process.

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use futures::{StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use tfxio::prelude::*;
use tfxio::store::Stores;
use tfxio::store::object_store::aws::AmazonS3Builder;
use tfxio::store::object_store::path::Path;
use tfxio::store::object_store::{GetOptions, GetRange, ObjectStore};

use crate::measure::peak_rss_mb;

/// Bytes of a request of the loop, and how many it has under way: 64 MiB, which is what a file may have that we read.
const PART: u64 = 4 << 20;
const UNDER_WAY: usize = 16;
/// Threads of the loop, each with half of the requests.
const THREADS: usize = 2;
/// Bytes of a read without a plan: the buffer of `tf.data`'s readers.
const SMALL: u64 = 256 << 10;
/// Bytes that are read so: it is slow.
const FEW: u64 = 16 << 20;

/// A way of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A loop of parallel requests, whose answers are dropped.
    Loop,
    /// The records, with their checksums.
    Scan,
    /// The records as columns.
    Decode,
    /// Small requests one after the other, of the beginning of one object.
    Small,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Loop, Self::Scan, Self::Decode, Self::Small];

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Scan => "scan",
            Self::Decode => "decode",
            Self::Small => "small",
        }
    }

    /// Returns the way of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|way| way.name() == name);
        found.ok_or_else(|| anyhow!("there is no way {name:?}"))
    }

    /// Reads the shards of a bucket.
    ///
    /// # Errors
    /// A request fails, or the records are damaged.
    pub fn run(self, shards: u64) -> Result<Ran> {
        let start = Instant::now();
        let bytes = match self {
            Self::Loop => parallel()?,
            Self::Small => small(shards)?,
            Self::Scan => read(shards, ScanRequest::new().columns(Vec::<&str>::new()))?,
            Self::Decode => read(shards, ScanRequest::new().threads(2))?,
        };
        Ok(Ran { bytes, seconds: start.elapsed().as_secs_f64(), peak_rss_mb: peak_rss_mb() })
    }
}

/// Result of a reader.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Ran {
    /// Bytes of the objects.
    pub bytes: u64,
    /// From the listing to the last record.
    pub seconds: f64,
    /// Peak of its memory in 10^6 bytes.
    pub peak_rss_mb: Option<f64>,
}

/// Reads all records as a user does.
fn read(shards: u64, request: ScanRequest) -> Result<u64> {
    let stores = Stores::default();
    let url = format!("s3://bucket/train@{shards}");
    let dataset = OpenOptions::new()
        .stores(stores)
        .format("example")
        .set("infer_records", 1000u64)?
        .open(url.as_str())?;
    let mut rows = 0;
    for batch in dataset.read(request)? {
        rows += black_box(batch?).num_rows();
    }
    anyhow::ensure!(rows > 0, "there were no records");
    let sizes = runtime()?.block_on(listed(&*bucket()?))?;
    Ok(sizes.iter().map(|(_, bytes)| bytes).sum())
}

fn bucket() -> Result<Arc<dyn ObjectStore>> {
    Ok(Arc::new(AmazonS3Builder::from_env().with_bucket_name("bucket").build()?))
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start a runtime")
}

/// Returns the objects and their sizes.
async fn listed(store: &dyn ObjectStore) -> Result<Vec<(Path, u64)>> {
    Ok(store.list(None).map_ok(|meta| (meta.location, meta.size)).try_collect().await?)
}

/// Receives a range, and returns its bytes.
async fn get(store: &dyn ObjectStore, path: &Path, range: Range<u64>) -> Result<u64> {
    let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
    let mut body = store.get_opts(path, options).await?.into_stream();
    let mut bytes = 0;
    while let Some(chunk) = body.next().await {
        bytes += black_box(chunk?).len() as u64;
    }
    Ok(bytes)
}

/// Receives all objects in parts, many at a time.
fn parallel() -> Result<u64> {
    let objects = runtime()?.block_on(listed(&*bucket()?))?;
    let parts = |(path, bytes): (Path, u64)| {
        (0..bytes.div_ceil(PART)).map(move |part| (path.clone(), part * PART..((part + 1) * PART).min(bytes)))
    };
    let parts: Vec<_> = objects.into_iter().flat_map(parts).collect();
    let (next, received) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = || {
        let store = bucket()?;
        let task = || async {
            while let Some((path, range)) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                received.fetch_add(get(&*store, path, range.clone()).await?, Ordering::Relaxed);
            }
            anyhow::Ok(())
        };
        let tasks = (0..UNDER_WAY / THREADS).map(|_| task());
        runtime()?.block_on(futures::future::try_join_all(tasks)).map(drop)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow!("a thread panicked"))?)
    })?;
    Ok(received.into_inner())
}

/// Receives the beginning of an object in small parts, one after the other.
fn small(shards: u64) -> Result<u64> {
    let store = bucket()?;
    let path = Path::from(format!("train-00000-of-{shards:05}"));
    runtime()?.block_on(async {
        let mut received = 0;
        while received < FEW {
            let some = get(&*store, &path, received..received + SMALL).await?;
            received += some;
            if some < SMALL {
                break;
            }
        }
        Ok(received)
    })
}
