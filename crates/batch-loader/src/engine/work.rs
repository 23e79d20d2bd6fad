//! What the reading and the parsing threads do.

use std::sync::{Arc, PoisonError};

use tfrecord_io::RecordBuffer;

use super::feed::{Parsed, Piece, Start};
use super::{Delivered, Job, Shared, Worker};
use crate::Result;
use crate::source::{PartReader, Raw, RawRecords};
use crate::stats::count;

/// Buffers of pieces that are kept for the next ones.
const SPARE: usize = 16;

impl Shared {
    /// A reading thread: serves the feeds until the loader ends.
    pub(super) fn read_loop(&self) {
        let mut state = self.lock();
        while !state.stopped {
            let ahead = self.read_ahead;
            let Some((id, ())) = state.first_feed(|feed| feed.wants_reading(ahead).then_some(())) else {
                state = self.readers.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let spare = state.spare.pop().unwrap_or_default();
            let Some(feed) = state.feeds.get_mut(&id) else { continue };
            let (part, start, reader) = (feed.part, feed.start.take(), feed.reader.take());
            drop(state);
            let (reader, result) = self.read(part, start, reader, spare);
            state = self.lock();
            let Some(feed) = state.feeds.get_mut(&id) else { continue };
            feed.reader = reader;
            match result {
                Ok(Some(raw)) => feed.pieces.push_back(Piece::Raw(raw)),
                Ok(None) => feed.ended = true,
                Err(error) => {
                    feed.ended = true;
                    feed.pieces.push_back(Piece::Ready(None, Some(error)));
                }
            }
            if feed.ended {
                feed.reader = None;
                self.planner.notify_one();
            }
            self.parsers.notify_one();
        }
    }

    fn read(
        &self,
        part: u32,
        start: Option<Start>,
        reader: Option<Box<dyn PartReader>>,
        spare: RecordBuffer,
    ) -> (Option<Box<dyn PartReader>>, Result<Option<Raw>>) {
        let opened = match (start, reader) {
            (Some(Start::From(place)), _) => self.parts.open(part as usize, place),
            (Some(Start::Runs(runs)), _) => self.parts.fetch(part as usize, runs),
            (None, Some(reader)) => Ok(reader),
            (None, None) => return (None, Ok(None)),
        };
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => return (None, Err(error)),
        };
        let raw = reader.read(spare);
        if let Ok(Some(raw)) = &raw {
            count(&self.counters.records_framed, raw.cost.records);
            count(&self.counters.bytes_framed, raw.cost.bytes);
            count(&self.counters.bytes_inflated, raw.cost.inflated);
            count(&self.counters.records_skipped, raw.cost.damaged);
        }
        (Some(reader), raw)
    }

    /// A parsing thread: puts batches together, and parses what was read, until the loader ends.
    pub(super) fn parse_loop(&self, mut worker: Box<dyn Worker>) {
        let mut state = self.lock();
        while !state.stopped {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                let Job { number, items, step } = job;
                let result = worker.batch(&items).map(|batch| Delivered { batch, step });
                drop(items);
                state = self.lock();
                state.ready.insert(number, result);
                self.consumer.notify_one();
                continue;
            }
            let ahead = self.parse_ahead;
            let Some((id, at)) = state.first_feed(|feed| feed.wants_parsing(ahead)) else {
                state = self.parsers.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let Some(feed) = state.feeds.get_mut(&id) else { continue };
            let number = feed.first + at as u64;
            let part = feed.part;
            let Some(Piece::Raw(raw)) =
                feed.pieces.get_mut(at).map(|piece| std::mem::replace(piece, Piece::Parsing))
            else {
                continue;
            };
            drop(state);
            self.readers.notify_one();
            let next = raw.next;
            let (chunk, error) = worker.parse(part, &raw);
            state = self.lock();
            if let RawRecords::Frames(mut buffer) = raw.records
                && state.spare.len() < SPARE
            {
                buffer.clear();
                state.spare.push(buffer);
            }
            let Some(feed) = state.feeds.get_mut(&id) else { continue };
            let at = usize::try_from(number.saturating_sub(feed.first)).unwrap_or(usize::MAX);
            if let Some(piece) = feed.pieces.get_mut(at) {
                let parsed = (chunk.rows() > 0).then(|| Parsed { chunk: Arc::new(chunk), next });
                *piece = Piece::Ready(parsed, error);
            }
            self.planner.notify_one();
        }
    }
}
