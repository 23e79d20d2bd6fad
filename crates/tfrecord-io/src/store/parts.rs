//! The parts of an object in their order, requested ahead within a bound of bytes.

use std::collections::VecDeque;
use std::ops::Range;

use tokio::task::JoinHandle;

use super::fetch::Object;
use crate::{Error, Kind, Result};

/// Size of a request past the end of a range, where a record may reach over.
const BEYOND: u64 = 256 << 10;

/// Requests under way and parts that have come.
#[derive(Debug)]
pub(super) struct Parts {
    object: Object,
    /// Size of the object.
    size: u64,
    /// Up to here parts are requested ahead.
    end: u64,
    /// What the next request begins with.
    next: u64,
    part_bytes: u64,
    read_ahead_bytes: u64,
    requested: VecDeque<Request>,
}

/// A request in a task of its own, which ends when this is dropped.
#[derive(Debug)]
struct Request {
    len: u64,
    task: JoinHandle<Result<Vec<u8>>>,
}

impl Drop for Request {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Parts {
    pub(super) fn new(
        object: Object,
        size: u64,
        range: Range<u64>,
        part_bytes: u64,
        read_ahead_bytes: u64,
    ) -> Self {
        Self {
            object,
            size,
            end: range.end.min(size),
            next: range.start,
            part_bytes,
            read_ahead_bytes,
            requested: VecDeque::new(),
        }
    }

    /// Returns the next part, or `None` at the end of the object. May be dropped while it waits: nothing is lost.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        self.request_ahead();
        let Some(request) = self.requested.front_mut() else { return Ok(None) };
        let result = (&mut request.task).await;
        self.requested.pop_front();
        let part = result.map_err(|error| {
            Error::new(Kind::Store, "a request was given up: its task ended").because(error)
        })??;
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
                || self.ahead().saturating_add(self.part_bytes) <= self.read_ahead_bytes)
        {
            let stop = self.next.saturating_add(self.part_bytes).min(self.end);
            self.request(stop);
        }
        if self.requested.is_empty() && self.next < self.size && self.next >= self.end {
            // Somebody needs more than the range: a record reaches over its end.
            let stop = self.next.saturating_add(BEYOND.min(self.part_bytes)).min(self.size);
            self.request(stop);
        }
    }

    fn request(&mut self, stop: u64) {
        let range = self.next..stop;
        let object = self.object.clone();
        let len = stop - self.next;
        let task = tokio::spawn(async move { object.fetch(range).await });
        self.requested.push_back(Request { len, task });
        self.next = stop;
    }
}
