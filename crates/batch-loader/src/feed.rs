//! Feeds: files that are open, with what was read ahead of the planner.

use std::sync::Arc;

use tfxio_core::{Nested, Ordered, Threading, Work};

use crate::item::Chunk;
use crate::source::{PartRows, PartRun, Parts, Raw, RecordPosition};
use crate::stats::{Counters, count, timed};
use crate::{Error, Result};

/// Makes a chunk of the rows of a part: those before the first that is wrong, and what is wrong with that.
pub(crate) type Parse = Arc<dyn Fn(u32, Raw) -> (Chunk, Option<Error>) + Send + Sync>;

/// Opens feeds.
pub(crate) struct Feeds {
    pub(crate) parts: Arc<Parts>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) parse: Parse,
    /// Threads of each feed, and chunks that it parses ahead.
    pub(crate) threading: Threading,
    /// Threads among them of each scan.
    pub(crate) scan_threads: usize,
}

/// Records of a part that a feed reads.
pub(crate) enum Start {
    /// All from a position on.
    From(RecordPosition),
    /// Runs, in ascending order.
    Runs(Vec<PartRun>),
}

/// A chunk, and the position of the next record in its part.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) chunk: Arc<Chunk>,
    pub(crate) next: RecordPosition,
}

/// The chunks of an open part, in order. Dropping it closes the part.
pub(crate) struct Feed(Ordered<Parsing>);

impl Feeds {
    /// Opens a part. Reading begins at once where a thread is free.
    pub(crate) fn open(&self, part: u32, start: Start) -> Result<Feed> {
        let nested = Nested::new();
        let reading = PartSource {
            parts: Arc::clone(&self.parts),
            counters: Arc::clone(&self.counters),
            part,
            start: Some(start),
            reader: None,
            threading: nested.threading(&self.threading).threads(self.scan_threads),
        };
        let (parse, counters) = (Arc::clone(&self.parse), Arc::clone(&self.counters));
        let make = move || {
            let (parse, counters) = (Arc::clone(&parse), Arc::clone(&counters));
            Ok(Parsing { parse, counters, part, raw: None, failed: None })
        };
        let chunks = Ordered::over(reading, &self.threading, nested, make)?;
        chunks.start();
        Ok(Feed(chunks))
    }
}

impl Feed {
    /// Returns the next chunk, or `None` at the end. Nothing follows an error.
    pub(crate) fn next(&mut self) -> Result<Option<Parsed>> {
        self.0.next().transpose()
    }

    /// Returns whether the next chunk, or the end, is there.
    pub(crate) fn is_ready(&self) -> bool {
        self.0.is_ready()
    }
}

/// Reads a part.
struct PartSource {
    parts: Arc<Parts>,
    counters: Arc<Counters>,
    part: u32,
    /// Records to read, until the part is opened.
    start: Option<Start>,
    reader: Option<PartRows>,
    /// Threads of the scan.
    threading: Threading,
}

impl PartSource {
    fn read(&mut self) -> Result<Option<Raw>> {
        if let Some(start) = self.start.take() {
            let part = self.parts.part(self.part as usize)?;
            self.reader = Some(match start {
                Start::From(position) => part.open(position, &self.threading)?,
                Start::Runs(runs) => part.fetch(runs, &self.threading)?,
            });
        }
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let raw = reader.read()?;
        if let Some(raw) = &raw {
            count(&self.counters.records_framed, raw.cost.records);
            count(&self.counters.bytes_framed, raw.cost.bytes);
            count(&self.counters.bytes_inflated, raw.cost.decompressed);
        }
        if raw.is_none() || reader.is_done() {
            self.reader = None;
        }
        Ok(raw)
    }
}

/// Makes chunks.
struct Parsing {
    parse: Parse,
    counters: Arc<Counters>,
    part: u32,
    raw: Option<Raw>,
    /// Error after the chunk that was given.
    failed: Option<Error>,
}

impl Work for Parsing {
    type Source = PartSource;
    type Output = Parsed;
    type Error = Error;

    fn read(&mut self, reading: &mut PartSource) -> Result<bool> {
        let counters = Arc::clone(&reading.counters);
        self.raw = timed(&counters.reading, || reading.read())?;
        Ok(self.raw.is_some())
    }

    fn next(&mut self) -> Result<Option<Parsed>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let Some(raw) = self.raw.take() else { return Ok(None) };
        let next = raw.next;
        let (chunk, error) = timed(&self.counters.parsing, || (self.parse)(self.part, raw));
        // A chunk of which a filter left nothing still says so.
        if chunk.rows() == 0 && chunk.filtered == 0 {
            return error.map_or(Ok(None), Err);
        }
        self.failed = error;
        Ok(Some(Parsed { chunk: Arc::new(chunk), next }))
    }

    fn is_done(&self) -> bool {
        self.raw.is_none() && self.failed.is_none()
    }
}
