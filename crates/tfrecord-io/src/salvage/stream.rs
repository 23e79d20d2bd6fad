//! Uncompressed bytes, as far as they can be had, with a look ahead.

use std::io::Read;

use super::input::{Fill, Input};
use crate::Result;

/// Range of the compressed file that gave no output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Break {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Whether it follows the end of the compressed data.
    pub(super) is_trailing: bool,
}

/// A buffer over a damaged input. The bytes come in *segments*: within one, nothing is missing; between two, some of
/// the compressed input was corrupt. Offsets count the bytes that could be had.
#[derive(Debug)]
pub(super) struct Stream<R> {
    input: Input<R>,
    /// Offset of the first byte of `data`.
    base: u64,
    /// Bytes below this offset are not asked for again.
    low: u64,
    data: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Open,
    /// The segment has ended.
    Broken(Break),
    /// The input has ended.
    Ended,
}

impl<R: Read> Stream<R> {
    pub(super) fn new(input: Input<R>) -> Self {
        Self { input, base: 0, low: 0, data: Vec::new(), state: State::Open }
    }

    /// Returns at least `least` bytes from `offset` on, or all of this segment; often more.
    pub(super) fn load(&mut self, offset: u64, least: usize) -> Result<&[u8]> {
        let mut start = self.index_of(offset);
        while self.data.len().saturating_sub(start) < least && matches!(self.state, State::Open) {
            // Once half of the buffer is of no use, so that a byte is moved only once on average.
            let useless = self.index_of(self.low).min(self.data.len());
            if useless > self.data.len() / 2 {
                self.data.drain(..useless);
                self.base = self.base.saturating_add(useless as u64);
                start = self.index_of(offset);
            }
            match self.input.fill(&mut self.data)? {
                Fill::More => {}
                Fill::Break(found) => self.state = State::Broken(found),
                Fill::End => self.state = State::Ended,
            }
        }
        Ok(self.data.get(start..).unwrap_or_default())
    }

    fn index_of(&self, offset: u64) -> usize {
        usize::try_from(offset.saturating_sub(self.base)).unwrap_or(usize::MAX)
    }

    /// Releases the bytes before `offset`, which are not needed any more.
    pub(super) fn release(&mut self, offset: u64) {
        self.low = self.low.max(offset);
    }

    /// Returns whether the segment ends at `offset`.
    pub(super) fn ends_at(&mut self, offset: u64) -> Result<bool> {
        Ok(self.load(offset, 1)?.is_empty())
    }

    /// Returns the break between this segment, whose bytes have all been used, and the next; `None` at the end of the
    /// input.
    pub(super) fn next_segment(&mut self) -> Option<Break> {
        match self.state {
            State::Broken(found) => {
                self.state = State::Open;
                self.base = self.base.saturating_add(self.data.len() as u64);
                self.data.clear();
                Some(found)
            }
            State::Open | State::Ended => None,
        }
    }
}
