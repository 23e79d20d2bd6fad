//! Search for good records and the damaged ranges between them. Knows nothing of reports.

mod closing;
mod resync;

use std::io::Read;

use tfxio_base::LostRange;

use super::report::Reason;
use super::stream::Stream;
use crate::Result;
use crate::crc::{crc32c, mask};
use crate::frame::{FOOTER_LEN, HEADER_LEN, Header, OVERHEAD, looks_like, not_tfrecord};

/// A step of the [`SalvageEngine`].
#[derive(Debug)]
pub(super) enum Found {
    /// A good record: see [`SalvageEngine::record`].
    Record,
    Damage(LostRange<Reason>),
    End,
}

/// State of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// Good, with this length of payload.
    Good(usize),
    /// The length is good, the payload is not.
    BadPayload(usize),
    /// The length is good, but the segment ends first.
    Cut,
    /// The length is good, but more than the limit.
    TooLong,
    /// No length that can be trusted, or too few bytes for one.
    NoHeader,
}

/// See [`salvage`](crate::salvage) for what it does at a damage.
#[derive(Debug)]
pub(super) struct SalvageEngine<R> {
    stream: Stream<R>,
    record_bytes: u64,
    lookahead: u64,
    /// Offset before which everything was delivered or reported.
    at: u64,
    /// Record that was found last: its offset, and the length of its payload.
    last: (u64, usize),
    /// Whether nothing was found yet.
    starts: bool,
}

impl<R: Read> SalvageEngine<R> {
    pub(super) fn new(stream: Stream<R>, record_bytes: u64, lookahead: usize) -> Self {
        let lookahead = (lookahead as u64).max(1 << 10);
        Self { stream, record_bytes, lookahead, at: 0, last: (0, 0), starts: true }
    }

    /// Returns the offset and the payload of the record that [`advance`](Self::advance) found.
    pub(super) fn record(&mut self) -> (u64, &[u8]) {
        let (offset, length) = self.last;
        // All of it is in the buffer, so that this reads nothing and cannot fail.
        let frame = self.stream.load(offset, 0).unwrap_or_default();
        (offset, frame.get(HEADER_LEN..HEADER_LEN + length).unwrap_or_default())
    }

    /// Advances to the next record or damage. Moves forward with each call, unless it is an error or the end.
    pub(super) fn advance(&mut self) -> Result<Found> {
        self.stream.release(self.at);
        if self.stream.ends_at(self.at)? {
            let Some(found) = self.stream.next_segment() else { return Ok(Found::End) };
            let (start, end) = (found.start, found.end);
            let reason = if found.is_trailing { Reason::TrailingBytes } else { Reason::Compression };
            return Ok(Found::Damage(LostRange::new(start, end, reason).compressed(true)));
        }
        let at = self.at;
        let frame = self.frame(at)?;
        if let Frame::Good(length) = frame {
            self.starts = false;
            self.last = (at, length);
            self.at = at + (length + OVERHEAD) as u64;
            return Ok(Found::Record);
        }
        let next = match frame {
            Frame::BadPayload(length) => Some(at + (length + OVERHEAD) as u64),
            _ => None,
        };
        let follows = match next {
            Some(next) => self.may_begin(next)?,
            None => false,
        };
        if self.starts && frame == Frame::NoHeader {
            let start = self.stream.load(at, 64)?;
            if let Some(name) = looks_like(start) {
                return Err(not_tfrecord(name).at_byte(at));
            }
        }
        self.starts = false;
        let mut lost_records = None;
        let (end, reason) = match (frame, next) {
            (_, Some(next)) if follows => match self.written_on(at, next)? {
                Some(start) => (start, Reason::Truncated),
                None => {
                    lost_records = Some(1);
                    (next, Reason::PayloadCrc)
                }
            },
            (Frame::BadPayload(_), next) => (self.resync(at, HEADER_LEN, next)?, Reason::PayloadCrc),
            (Frame::Cut, _) => (self.resync(at, HEADER_LEN, Some(u64::MAX))?, Reason::Truncated),
            (Frame::TooLong, _) => (self.resync(at, HEADER_LEN, None)?, Reason::RecordTooLong),
            _ => {
                let end = self.resync(at, 1, None)?;
                // Too few bytes for a header are a record that was cut off.
                let reason = if end - at < HEADER_LEN as u64 && self.stream.ends_at(end)? {
                    Reason::Truncated
                } else {
                    Reason::HeaderCrc
                };
                (end, reason)
            }
        };
        self.at = end;
        let mut lost = LostRange::new(at, end, reason);
        lost.records = lost_records;
        Ok(Found::Damage(lost))
    }

    /// Returns the state of the frame at `at`.
    fn frame(&mut self, at: u64) -> Result<Frame> {
        let Some(length) = self.header(at)? else { return Ok(Frame::NoHeader) };
        if length > self.record_bytes {
            return Ok(Frame::TooLong);
        }
        let Some(size) = usize::try_from(length).ok().and_then(|length| length.checked_add(OVERHEAD)) else {
            return Ok(Frame::TooLong);
        };
        let bytes = self.stream.load(at, size)?;
        let length = size - OVERHEAD;
        let Some((payload, behind)) =
            bytes.get(HEADER_LEN..).and_then(|bytes| bytes.split_at_checked(length))
        else {
            return Ok(Frame::Cut);
        };
        let Some(footer) = behind.first_chunk::<FOOTER_LEN>() else { return Ok(Frame::Cut) };
        let fits = mask(crc32c(payload)) == u32::from_le_bytes(*footer);
        Ok(if fits { Frame::Good(length) } else { Frame::BadPayload(length) })
    }

    /// Returns the length that a good header at `at` gives.
    fn header(&mut self, at: u64) -> Result<Option<u64>> {
        let bytes = self.stream.load(at, HEADER_LEN)?;
        Ok(bytes.first_chunk().and_then(|header| Header::read(header).checked_length()))
    }

    /// Returns whether a record begins at `at`, or the segment ends there.
    fn may_begin(&mut self, at: u64) -> Result<bool> {
        Ok(self.header(at)?.is_some() || self.stream.ends_at(at)?)
    }
}
