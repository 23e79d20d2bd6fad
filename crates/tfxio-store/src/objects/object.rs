//! An object as a file.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use tfrecord_io::store::{Planner, StoreBytes, StoreRanges};
use tfxio_base::Cancel;
use tfxio_core::Input;

use super::prefetch::Prefetch;
use super::runtime::Runtime;

/// Bytes that are requested first after an opening or a jump, which may be a look at a header only. Further requests are for
/// twice as many each time, or for as many as are read ahead.
const FIRST_BYTES: u64 = 256 << 10;
/// Maximum bytes of a request where nothing is to be read ahead.
const MOST_BYTES: u64 = 4 << 20;
/// Maximum bytes of a jump forward that are read and passed over.
const SKIP_BYTES: u64 = 256 << 10;

/// An object that is read as a file is: from any offset on, ahead of its use.
#[derive(Debug)]
pub struct StoreFile {
    bytes: StoreBytes,
    /// The parts that were requested; nothing while one is waited for, or after a wait that was cancelled.
    requests: Option<StoreBytes>,
    /// The ranges that are read next; nothing while one is waited for, or after a wait that was cancelled.
    ranges: Option<StoreRanges>,
    planner: Planner,
    runtime: Arc<Runtime>,
    cancel: Cancel,
    /// Offset of the next read.
    at: u64,
    /// Bytes that have come; `part_at` is the offset of the first in the object.
    part: Arc<Vec<u8>>,
    part_at: u64,
    /// Up to where the object was asked for from there on, in how long a step; nothing before the first read and after
    /// an error.
    requested: Option<(u64, u64)>,
    /// Offset up to which the object is read ahead.
    ahead: u64,
    /// Whether to read ahead at once.
    eager: bool,
    /// The files that are opened after this one.
    prefetch: Option<Arc<Prefetch>>,
}

impl StoreFile {
    pub(super) fn new(bytes: StoreBytes, planner: Planner, runtime: Arc<Runtime>) -> Self {
        Self {
            bytes,
            requests: None,
            ranges: None,
            planner,
            runtime,
            cancel: Cancel::default(),
            at: 0,
            part: Arc::default(),
            part_at: 0,
            requested: None,
            ahead: u64::MAX,
            eager: false,
            prefetch: None,
        }
    }

    /// As [`new`](Self::new), of bytes that are requested already in this range.
    pub(super) fn requested(
        bytes: StoreBytes,
        Range { start: from, end: to }: Range<u64>,
        planner: Planner,
        runtime: Arc<Runtime>,
    ) -> Self {
        let requested = Some((to.min(bytes.meta().size), MOST_BYTES));
        let mut file = Self::new(bytes.clone(), planner, runtime);
        (file.requests, file.requested, file.part_at) = (Some(bytes), requested, from);
        file
    }

    /// Sets the files that are opened after this one.
    pub(super) fn set_prefetch(&mut self, prefetch: Arc<Prefetch>) {
        self.prefetch = Some(prefetch);
    }

    /// Returns the size in bytes.
    pub(super) fn len(&self) -> u64 {
        self.bytes.meta().size
    }

    /// Returns the version of the object, if the store has such a thing.
    pub fn e_tag(&self) -> Option<&str> {
        self.bytes.meta().e_tag.as_deref()
    }

    /// Sets the token that ends reads that wait.
    pub(super) fn set_cancel(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    /// Sets the offset up to which reads will go, and whether they go from anywhere to there: then requests need not begin small.
    pub fn set_read_ahead(&mut self, to: u64, eager: bool) {
        (self.ahead, self.eager) = (to, eager);
    }

    /// Returns what has come and was not read.
    fn here(&self) -> &[u8] {
        let skip = self.at.checked_sub(self.part_at).and_then(|skip| usize::try_from(skip).ok());
        skip.and_then(|skip| self.part.get(skip..)).unwrap_or_default()
    }

    /// Waits for the part in which the next read begins.
    fn load(&mut self) -> io::Result<()> {
        while self.here().is_empty() {
            if self.load_announced()? {
                continue;
            }
            let mut next = self.part_at.saturating_add(self.part.len() as u64);
            let near = self.at.checked_sub(next).is_some_and(|gap| gap <= SKIP_BYTES);
            match self.requested {
                Some((to, _)) if near && next < to => {}
                Some((_, step)) if near => self.request(next, step.saturating_mul(2).min(MOST_BYTES)),
                _ => {
                    next = self.at;
                    self.request(next, FIRST_BYTES);
                }
            }
            self.part = Arc::default();
            self.part_at = next;
            self.part = Arc::new(self.next_part()?);
        }
        Ok(())
    }

    /// Waits for the announced part in which the next read begins. Returns whether there is one.
    fn load_announced(&mut self) -> io::Result<bool> {
        let at = self.at;
        let Some(mut ranges) = self.ranges.take_if(|ranges| ranges.has(at)) else { return Ok(false) };
        self.part = Arc::default();
        // Runs on the thread of the runtime, and gives the ranges back.
        let part = async move { (ranges.part_at(at).await, ranges) };
        let (part, ranges) = self.runtime.wait(&self.cancel, part)?;
        self.ranges = Some(ranges);
        let Some((part_at, part)) = part? else { return Ok(false) };
        // What was read ahead elsewhere is read no more.
        (self.requests, self.requested) = (None, None);
        (self.part_at, self.part) = (part_at, part);
        Ok(true)
    }

    /// Requests the bytes at `from`: `step` bytes, or as many as are to be read ahead.
    fn request(&mut self, from: u64, step: u64) {
        let short = from.saturating_add(step);
        let ahead_to = self.ahead;
        let whole = self.eager || step > FIRST_BYTES || ahead_to.min(self.len()) <= short;
        let to = if whole && ahead_to > from { ahead_to } else { short };
        self.requests.insert(self.bytes.clone()).start(from..to);
        self.requested = Some((to.min(self.len()), step));
    }

    fn next_part(&mut self) -> io::Result<Vec<u8>> {
        let Some(mut requests) = self.requests.take() else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        // Runs on the thread of the runtime, and gives the other requests back.
        let next = async move { (requests.next().await, requests) };
        let error = match self.runtime.wait(&self.cancel, next) {
            Ok((Ok(Some(part)), requests)) => {
                let room = requests.room();
                self.requests = Some(requests);
                let is_all = self.requested.is_some_and(|(to, _)| to >= self.ahead.min(self.len()));
                if let Some(prefetch) = self.prefetch.as_ref().filter(|_| is_all && room > 0) {
                    prefetch.request(&self.runtime, room);
                }
                return Ok(part);
            }
            Ok((Ok(None), _)) => io::ErrorKind::UnexpectedEof.into(),
            Ok((Err(error), _)) => error.into(),
            Err(cancelled) => cancelled.into(),
        };
        self.requested = None;
        Err(error)
    }
}

impl Input for StoreFile {
    fn size(&self) -> Option<u64> {
        Some(self.len())
    }

    fn read_ahead(&mut self, end: u64) {
        self.set_read_ahead(end, true);
    }

    fn will_read(&mut self, ranges: &[Range<u64>]) {
        let ranges = (!ranges.is_empty()).then(|| self.bytes.ranges(ranges, self.planner));
        self.ranges = ranges;
    }
}

impl Read for StoreFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() || self.at >= self.len() {
            return Ok(0);
        }
        self.load()?;
        let count = self.here().read(out)?;
        let from = self.at;
        self.at = from.saturating_add(count as u64);
        if let Some(ranges) = &mut self.ranges {
            ranges.read(from..self.at);
        }
        Ok(count)
    }
}

impl Seek for StoreFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        let Some(at) = at else { return Err(io::ErrorKind::InvalidInput.into()) };
        self.at = at;
        Ok(at)
    }
}
