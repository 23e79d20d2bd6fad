//! The bytes of an object as they are stored.

use std::collections::VecDeque;
use std::ops::Range;

use object_store::ObjectMeta;
use tokio::task::JoinHandle;

use super::budget::{Budget, Taken};
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
    budget: Budget,
    requested: VecDeque<(Request, Taken)>,
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
        let (pace, budget) = (self.pace.clone(), self.budget.clone());
        Self::new(self.object.clone(), self.meta.clone(), part_bytes, read_ahead_bytes, pace, budget)
    }
}

impl StoreBytes {
    pub(super) fn new(
        object: Object,
        meta: ObjectMeta,
        part_bytes: u64,
        read_ahead_bytes: u64,
        pace: Pace,
        budget: Budget,
    ) -> Self {
        let (end, requested) = (meta.size, VecDeque::new());
        let window = pace.window(part_bytes, read_ahead_bytes);
        let (last, next) = (end, 0);
        Self { meta, object, end, last, next, part_bytes, read_ahead_bytes, window, pace, budget, requested }
    }

    /// Returns a reader of ranges of the same version of the object, of which nothing is requested yet.
    #[must_use]
    pub fn ranges(&self, wanted: &[Range<u64>], planner: Planner) -> StoreRanges {
        let planner = planner.request_bytes(planner.request_bytes.min(self.part_bytes));
        let (object, most) = (self.object.clone(), self.read_ahead_bytes);
        let (pace, budget) = (self.pace.clone(), self.budget.clone());
        StoreRanges::new(object, self.meta.size, wanted, planner, most, pace, budget)
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
    /// The error of the store after all retries.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        self.request_ahead();
        let Some((request, _)) = self.requested.front_mut() else { return Ok(None) };
        let result = request.wait().await;
        self.requested.pop_front();
        let (part, arrival) = result?;
        self.pace.arrived(&mut self.window, &arrival);
        // The next ones travel while this one is decoded.
        self.request_ahead();
        Ok(Some(part))
    }

    /// Sends requests now, before [`next`](Self::next) is called, for at most `bytes` that are under way or wait then, and as the
    /// window and the budget allow. Returns how many are, or `bytes` where that is not all of the range. Called within a tokio runtime.
    pub fn request(&mut self, bytes: u64) -> u64 {
        let most = self.window.bytes().min(bytes);
        while self.next < self.end {
            let stop = self.next.saturating_add(self.part_bytes).min(self.end);
            if self.ahead().saturating_add(stop - self.next) > most || !self.send(stop, false) {
                break;
            }
        }
        if self.next < self.end { bytes } else { self.ahead() }
    }

    /// Returns how many more bytes may be under way to this reader, once all of its range is requested; 0 before.
    #[must_use]
    pub fn room(&self) -> u64 {
        if self.next < self.end { 0 } else { self.window.bytes().saturating_sub(self.ahead()) }
    }

    /// Returns the number of bytes of requests under way and of parts that wait.
    fn ahead(&self) -> u64 {
        self.requested.iter().map(|(request, _)| request.len).sum()
    }

    fn request_ahead(&mut self) {
        while self.next < self.end
            && (self.requested.is_empty()
                || self.ahead().saturating_add(self.part_bytes) <= self.window.bytes())
        {
            let stop = self.next.saturating_add(self.part_bytes).min(self.end);
            if !self.send(stop, self.requested.is_empty()) {
                break;
            }
        }
        if self.requested.is_empty() && self.next < self.last && self.next >= self.end {
            // Somebody needs more than the range: a record reaches over its end.
            let stop = self.next.saturating_add(BEYOND.min(self.part_bytes)).min(self.last);
            self.send(stop, true);
        }
    }

    /// Requests the bytes up to an offset, if the budget allows it, or in any case if they are wanted at once.
    fn send(&mut self, stop: u64, at_once: bool) -> bool {
        let Some(taken) = self.budget.take(stop - self.next, at_once) else { return false };
        self.requested.push_back((Request::send(&self.object, self.next..stop), taken));
        self.next = stop;
        true
    }
}
