//! What the reading and the parsing threads do.

use std::sync::{Arc, MutexGuard, PoisonError};

use super::feed::{Parsed, Piece, Start};
use super::{Shared, State, Worker};
use crate::Result;
use crate::source::{PartReader, Raw};
use crate::stats::count;

impl Shared {
    /// A reading thread: serves the feeds until the loader ends.
    pub(super) fn read_loop(&self) {
        let mut state = self.lock();
        while !state.stopped {
            let ahead = self.read_ahead;
            if let Some((id, ())) = state.first_feed(|feed| feed.wants_reading(ahead).then_some(())) {
                state = self.read_piece(state, id);
                continue;
            }
            state.idle.readers += 1;
            state = self.readers.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle.readers -= 1;
        }
    }

    /// Reads the next piece of a feed that can be read.
    pub(super) fn read_piece<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        id: u64,
    ) -> MutexGuard<'a, State> {
        let Some(feed) = state.feeds.get_mut(&id) else { return state };
        let (part, start, reader) = (feed.part, feed.start.take(), feed.reader.take());
        drop(state);
        let (reader, result) = self.read(part, start, reader);
        let mut state = self.lock();
        let wanted = state.wanted == Some(id);
        // The feed may have been closed meanwhile.
        let Some(feed) = state.feeds.get_mut(&id) else { return state };
        feed.reader = reader;
        match result {
            Ok(Some(raw)) => {
                feed.pieces.push_back(Piece::Raw(raw));
                feed.ended = feed.reader.as_ref().is_some_and(|reader| reader.is_done());
            }
            Ok(None) => feed.ended = true,
            Err(error) => {
                feed.ended = true;
                feed.pieces.push_back(Piece::Ready(None, Some(error)));
            }
        }
        if feed.ended {
            feed.reader = None;
        }
        // A planner that waits for this piece parses it itself; one that waits for a piece before it does not.
        let next = feed.pieces.len() <= 1;
        let planner = wanted && next && state.idle.planner > 0;
        let parser = !planner && state.idle.parsers > 0;
        drop(state);
        if planner {
            self.planner.notify_one();
        }
        if parser {
            self.parsers.notify_one();
        }
        self.lock()
    }

    fn read(
        &self,
        part: u32,
        start: Option<Start>,
        reader: Option<Box<dyn PartReader>>,
    ) -> (Option<Box<dyn PartReader>>, Result<Option<Raw>>) {
        let opened = match (start, reader) {
            (Some(Start::From(place)), _) => {
                let file = self.parts.names().get(part as usize).map(|name| &**name);
                tracing::debug!(file, record = place.record, "opening");
                self.parts.open(part as usize, place)
            }
            (Some(Start::Runs(runs)), _) => self.parts.fetch(part as usize, runs),
            (None, Some(reader)) => Ok(reader),
            (None, None) => return (None, Ok(None)),
        };
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => return (None, Err(error)),
        };
        let raw = reader.read();
        if let Ok(Some(raw)) = &raw {
            count(&self.counters.records_framed, raw.cost.records);
            count(&self.counters.bytes_framed, raw.cost.bytes);
            count(&self.counters.bytes_inflated, raw.cost.decompressed);
        }
        (Some(reader), raw)
    }

    /// A parsing thread: puts batches together, and parses what was read, until the loader ends.
    pub(super) fn parse_loop(&self, mut worker: Box<dyn Worker>) {
        let mut state = self.lock();
        while !state.stopped {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                let number = job.number;
                let result = self.put_together(job);
                state = self.lock();
                state.ready.insert(number, result);
                if state.idle.consumer > 0 && state.taken == number {
                    drop(state);
                    self.consumer.notify_one();
                    state = self.lock();
                }
                continue;
            }
            let ahead = self.parse_ahead;
            if let Some((id, at)) = state.first_feed(|feed| feed.wants_parsing(ahead)) {
                state = self.parse_piece(state, id, at, &mut *worker);
                continue;
            }
            if let Some(task) = self.tasks.pop() {
                drop(state);
                task();
                state = self.lock();
                continue;
            }
            state.idle.parsers += 1;
            state = self.parsers.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle.parsers -= 1;
        }
    }

    /// Parses the piece of a feed at a place of its queue, which has been read.
    pub(super) fn parse_piece<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        id: u64,
        at: usize,
        worker: &mut dyn Worker,
    ) -> MutexGuard<'a, State> {
        let Some(feed) = state.feeds.get_mut(&id) else { return state };
        let number = feed.first + at as u64;
        let part = feed.part;
        let Some(piece) = feed.pieces.get_mut(at).filter(|piece| matches!(piece, Piece::Raw(_))) else {
            return state;
        };
        let Piece::Raw(raw) = std::mem::replace(piece, Piece::Parsing) else { return state };
        let reader = state.idle.readers > 0;
        drop(state);
        if reader {
            self.readers.notify_one();
        }
        let next = raw.next;
        let (chunk, error) = worker.parse(part, raw);
        let mut state = self.lock();
        let wanted = state.wanted == Some(id);
        let Some(feed) = state.feeds.get_mut(&id) else { return state };
        let at = usize::try_from(number.saturating_sub(feed.first)).unwrap_or(usize::MAX);
        // Where a piece before this one had an error, that stands here now.
        if let Some(piece) = feed.pieces.get_mut(at).filter(|piece| matches!(piece, Piece::Parsing)) {
            let parsed = (chunk.rows() > 0).then(|| Parsed { chunk: Arc::new(chunk), next });
            *piece = Piece::Ready(parsed, error);
        }
        if wanted && state.idle.planner > 0 {
            drop(state);
            self.planner.notify_one();
            state = self.lock();
        }
        state
    }
}
