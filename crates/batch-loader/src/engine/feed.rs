//! Feeds: parts that are open, with what was read and parsed ahead of the planner.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use super::{Halt, Shared, State};
use crate::item::Chunk;
use crate::source::{PartReader, Place, Raw, Run};
use crate::{Error, Result};

/// Which records of a part a feed reads.
pub(crate) enum Start {
    /// All from a place on.
    From(Place),
    /// Runs, in ascending order.
    Runs(Vec<Run>),
}

/// A chunk, and where in its part the next record begins.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) chunk: Arc<Chunk>,
    pub(crate) next: Place,
}

/// An open part.
pub(super) struct Feed {
    pub(super) part: u32,
    /// How it is to be opened, until it is.
    pub(super) start: Option<Start>,
    /// Its reader, unless a thread has it.
    pub(super) reader: Option<Box<dyn PartReader>>,
    pub(super) ended: bool,
    /// What was read, in order.
    pub(super) pieces: VecDeque<Piece>,
    /// The number of the first of them.
    pub(super) first: u64,
}

pub(super) enum Piece {
    Raw(Raw),
    Parsing,
    /// A chunk, if it has any rows, and what is wrong behind it.
    Ready(Option<Parsed>, Option<Error>),
}

impl Feed {
    /// Whether a reader should read on.
    pub(super) fn wants_reading(&self, ahead: usize) -> bool {
        let raw = self.pieces.iter().filter(|piece| matches!(piece, Piece::Raw(_))).count();
        self.can_be_read() && raw < ahead
    }

    /// Whether there may be more to read, and no thread is at it.
    pub(super) fn can_be_read(&self) -> bool {
        !self.ended && (self.start.is_some() || self.reader.is_some())
    }

    /// The piece that should be parsed next.
    pub(super) fn wants_parsing(&self, ahead: usize) -> Option<usize> {
        let at = self.pieces.iter().position(|piece| matches!(piece, Piece::Raw(_)))?;
        (at < ahead).then_some(at)
    }
}

impl State {
    /// The feed to serve next: that for which the planner waits, then the one opened first.
    pub(super) fn first_feed<T>(&self, wants: impl Fn(&Feed) -> Option<T>) -> Option<(u64, T)> {
        let wanted = self.wanted.and_then(|id| self.feeds.get(&id).map(|feed| (id, feed)));
        let mut all = wanted.into_iter().chain(self.feeds.iter().map(|(&id, feed)| (id, feed)));
        all.find_map(|(id, feed)| wants(feed).map(|what| (id, what)))
    }
}

impl Shared {
    /// Opens a part. Reading begins at once, on the threads that do it.
    pub(crate) fn open(&self, part: u32, start: Start) -> u64 {
        let mut state = self.lock();
        let id = state.opened;
        state.opened += 1;
        let feed =
            Feed { part, start: Some(start), reader: None, ended: false, pieces: VecDeque::new(), first: 0 };
        state.feeds.insert(id, feed);
        let reader = state.idle.readers > 0;
        drop(state);
        if reader {
            self.readers.notify_one();
        }
        id
    }

    /// Closes a part that is no longer needed.
    pub(crate) fn close(&self, id: u64) {
        self.lock().feeds.remove(&id);
    }

    /// Whether the next chunk of a feed, or its end, is there.
    pub(crate) fn is_ready(&self, id: u64) -> bool {
        let state = self.lock();
        state.feeds.get(&id).is_none_or(|feed| match feed.pieces.front() {
            Some(piece) => matches!(piece, Piece::Ready(..)),
            None => feed.ended,
        })
    }

    /// The next chunk of a feed; `None` at its end. What no other thread has begun to read or parse, the planner does.
    pub(crate) fn next(&self, id: u64) -> Result<Option<Parsed>, Halt> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return Err(Halt::Stopped);
            }
            let Some(feed) = state.feeds.get_mut(&id) else { return Ok(None) };
            match feed.pieces.front() {
                Some(Piece::Ready(..)) => {
                    let Some(Piece::Ready(parsed, error)) = feed.pieces.pop_front() else { continue };
                    feed.first += 1;
                    if let Some(error) = error {
                        // The records before it come first; nothing behind it does.
                        feed.pieces.clear();
                        feed.ended = true;
                        if parsed.is_none() {
                            return Err(error.into());
                        }
                        feed.pieces.push_back(Piece::Ready(None, Some(error)));
                    }
                    if parsed.is_none() {
                        continue;
                    }
                    state.wanted = None;
                    let parser = state.idle.parsers > 0;
                    drop(state);
                    if parser {
                        self.parsers.notify_one();
                    }
                    return Ok(parsed);
                }
                Some(Piece::Raw(_)) => {
                    let mut helper = self.helper.lock().unwrap_or_else(PoisonError::into_inner);
                    state = self.parse_piece(state, id, 0, &mut **helper);
                }
                None if feed.ended => {
                    state.wanted = None;
                    return Ok(None);
                }
                None if feed.can_be_read() => state = self.read_piece(state, id),
                _ => {
                    state.wanted = Some(id);
                    state = self.wait_planner(state);
                }
            }
        }
    }
}
