//! The bytes of an object as they are stored.

use std::collections::VecDeque;
use std::ops::Range;

use object_store::ObjectMeta;
use tokio::task::JoinHandle;

use super::fetch::Object;
use super::pace::Pace;
use super::plan::Planner;
use super::ranges::StoreRanges;
use super::window::{Arrival, Window};
use crate::{Error, Kind, Result};

/// Size of a request past the end of a range, where a record may reach over.
const BEYOND: u64 = 256 << 10;

/// The bytes of an object as they are stored, in parts that are requested ahead of their use: what a
/// [`StoreReader`](super::StoreReader) decodes, for code that reads objects in another way.
///
/// ```
/// use std::sync::Arc;
///
/// use object_store::{ObjectStoreExt, memory::InMemory, path::Path};
/// use tfrecord_io::store::StoreReader;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = InMemory::new();
/// let path = Path::from("an/object");
/// store.put(&path, "0123456789".into()).await?;
///
/// let mut bytes = StoreReader::builder(Arc::new(store), path).part_bytes(3).open_bytes().await?;
/// assert_eq!(bytes.meta().size, 10);
/// bytes.start(4..10);
/// assert_eq!(bytes.next().await?.as_deref(), Some(&b"456"[..]));
/// assert_eq!(bytes.next().await?.as_deref(), Some(&b"789"[..]));
/// assert_eq!(bytes.next().await?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct StoreBytes {
    meta: ObjectMeta,
    object: Object,
    /// Offset up to which parts are requested ahead.
    end: u64,
    /// Offset past which nothing is requested at all.
    last: u64,
    /// Offset of the next request.
    next: u64,
    part_bytes: u64,
    read_ahead_bytes: u64,
    window: Window,
    pace: Pace,
    requested: VecDeque<Request>,
}

/// A request in a task of its own, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Request {
    len: u64,
    task: JoinHandle<Result<(Vec<u8>, Arrival)>>,
}

impl Request {
    pub(super) fn send(object: &Object, range: Range<u64>) -> Self {
        let object = object.clone();
        let len = range.end - range.start;
        Self { len, task: tokio::spawn(async move { object.fetch_timed(range).await }) }
    }

    /// Waits for the answer. A call may be dropped while it waits.
    pub(super) async fn wait(&mut self) -> Result<(Vec<u8>, Arrival)> {
        (&mut self.task).await.map_err(|error| {
            Error::new(Kind::Store, "a request was given up: its task ended").because(error)
        })?
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Clone for StoreBytes {
    /// Returns the bytes of the same version of the object, from its beginning; requests are not shared.
    fn clone(&self) -> Self {
        let (part_bytes, read_ahead_bytes) = (self.part_bytes, self.read_ahead_bytes);
        Self::new(self.object.clone(), self.meta.clone(), part_bytes, read_ahead_bytes, self.pace.clone())
    }
}

impl StoreBytes {
    pub(super) fn new(
        object: Object,
        meta: ObjectMeta,
        part_bytes: u64,
        read_ahead_bytes: u64,
        pace: Pace,
    ) -> Self {
        let (end, requested) = (meta.size, VecDeque::new());
        let window = pace.window(part_bytes, read_ahead_bytes);
        Self { meta, object, end, last: end, next: 0, part_bytes, read_ahead_bytes, window, pace, requested }
    }

    /// Returns a reader of ranges of the same version of the object, of which nothing is requested yet.
    #[must_use]
    pub fn ranges(&self, wanted: &[Range<u64>], planner: Planner) -> StoreRanges {
        let planner = planner.request_bytes(planner.request_bytes.min(self.part_bytes));
        let (object, most) = (self.object.clone(), self.read_ahead_bytes);
        StoreRanges::new(object, self.meta.size, wanted, planner, most, self.pace.clone())
    }

    /// Returns what the store said of the object when it was opened: size, time, ETag.
    pub fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    /// Continues with the parts of `range`, which may reach beyond the object, and drops requests under way.
    pub fn start(&mut self, range: Range<u64>) {
        self.start_records(range);
        self.last = self.end;
    }

    /// As [`start`](Self::start), with more after the end of the range for a record that reaches beyond it.
    pub(super) fn start_records(&mut self, range: Range<u64>) {
        self.requested.clear();
        self.next = range.start;
        self.last = self.meta.size;
        self.end = range.end.min(self.last);
    }

    /// Returns the next part, or `None` at the end of the range or the object. A call may be dropped while it waits: nothing
    /// is lost.
    ///
    /// # Errors
    ///
    /// What the store says after all retries.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        self.request_ahead();
        let Some(request) = self.requested.front_mut() else { return Ok(None) };
        let result = request.wait().await;
        self.requested.pop_front();
        let (part, arrival) = result?;
        self.pace.arrived(&mut self.window, &arrival);
        // The next ones travel while this one is decoded.
        self.request_ahead();
        Ok(Some(part))
    }

    /// Returns the number of bytes of requests under way and of parts that wait.
    fn ahead(&self) -> u64 {
        self.requested.iter().map(|request| request.len).sum()
    }

    fn request_ahead(&mut self) {
        while self.next < self.end
            && (self.requested.is_empty()
                || self.ahead().saturating_add(self.part_bytes) <= self.window.bytes())
        {
            let stop = self.next.saturating_add(self.part_bytes).min(self.end);
            self.request(stop);
        }
        if self.requested.is_empty() && self.next < self.last && self.next >= self.end {
            // Somebody needs more than the range: a record reaches over its end.
            let stop = self.next.saturating_add(BEYOND.min(self.part_bytes)).min(self.last);
            self.request(stop);
        }
    }

    fn request(&mut self, stop: u64) {
        self.requested.push_back(Request::send(&self.object, self.next..stop));
        self.next = stop;
    }
}
