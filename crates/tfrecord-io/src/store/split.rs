//! The record at which a split of an object begins.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc as blocking;

use futures::StreamExt as _;
use futures::channel::mpsc;

use super::fetch::Object;
use crate::splits::{Split, Splitter};
use crate::{Error, ErrorKind, Result};

/// Bytes of a request after a jump, and at most where reads follow each other.
const FIRST_REQUEST: u64 = 64 << 10;
const MOST_REQUEST: u64 = 4 << 20;

/// A range that is wanted, and where its bytes go.
type Request = (Range<u64>, blocking::Sender<Result<Vec<u8>>>);

/// An object as a source of blocking code on another thread: this side asks, the task of the object fetches.
struct Remote {
    requests: mpsc::UnboundedSender<Request>,
    size: u64,
    at: u64,
    /// Bytes that came last, and the offset of the first.
    bytes: Vec<u8>,
    base: u64,
    /// Bytes of the next request, if it follows them.
    next: u64,
}

impl Remote {
    fn fetch(&mut self) -> io::Result<()> {
        let follows = self.at == self.base.saturating_add(self.bytes.len() as u64) && !self.bytes.is_empty();
        let length = if follows { self.next } else { FIRST_REQUEST };
        let end = self.at.saturating_add(length).min(self.size);
        let (reply, answer) = blocking::channel();
        let gone = |_| io::Error::other("the reader was dropped");
        self.requests.unbounded_send((self.at..end, reply)).map_err(|_| gone(()))?;
        self.bytes = answer.recv().map_err(|_| gone(()))?.map_err(io::Error::from)?;
        self.base = self.at;
        self.next = length.saturating_mul(2).min(MOST_REQUEST);
        Ok(())
    }
}

impl Read for Remote {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.size || out.is_empty() {
            return Ok(0);
        }
        let is_here = |remote: &Self| {
            let skipped = usize::try_from(remote.at.checked_sub(remote.base)?).ok()?;
            Some(skipped).filter(|skipped| *skipped < remote.bytes.len())
        };
        if is_here(self).is_none() {
            self.fetch()?;
        }
        let rest = self.bytes.get(is_here(self).unwrap_or(self.bytes.len())..).unwrap_or_default();
        let count = rest.len().min(out.len());
        if let (Some(room), Some(bytes)) = (out.get_mut(..count), rest.get(..count)) {
            room.copy_from_slice(bytes);
        }
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

impl Seek for Remote {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

/// Returns the offsets of the first record of a split and of the first record of the next one.
pub(super) async fn ends(object: &Object, size: u64, split: Split, record_bytes: u64) -> Result<(u64, u64)> {
    let (requests, mut wanted) = mpsc::unbounded();
    let remote = Remote { requests, size, at: 0, bytes: Vec::new(), base: 0, next: FIRST_REQUEST };
    let name = Arc::clone(&object.name);
    // Scanning computes checksums of megabytes.
    let found = tokio::task::spawn_blocking(move || {
        let mut splitter = Splitter::new(remote)?.name(name).record_bytes(record_bytes);
        Ok((splitter.first_record(split.start)?, splitter.first_record(split.end)?))
    });
    while let Some((range, reply)) = wanted.next().await {
        let bytes = object.fetch_timed(range).await.map(|(bytes, _)| bytes);
        // The other side waits for it.
        let _ = reply.send(bytes);
    }
    found.await.map_err(|error| {
        Error::new(ErrorKind::Other, "the search for the first record has panicked").because(error)
    })?
}
