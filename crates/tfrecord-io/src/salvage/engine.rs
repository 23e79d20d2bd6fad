//! Finds good records and the ranges between them. Knows nothing of budgets and reports.

use std::io::Read;

use super::reader::Policy;
use super::report::{Damage, Reason};
use super::stream::Stream;
use crate::crc::{crc32c, mask};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{FOOTER_LEN, FrameDecoder, HEADER_LEN, Header, OVERHEAD, looks_like};
use crate::scan::find_header;

/// Bytes of payloads that a search may look at for nothing, beside sixteen times the way it has come.
const FREE_WORK: u64 = 1 << 30;

/// A step of the [`Engine`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// A good record: see [`Engine::record`].
    Record,
    Damage(Damage),
    End,
}

/// How a frame looks.
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
    /// There is no length to be trusted, or too few bytes for one.
    NoHeader,
}

/// See [`salvage`](crate::salvage) for what it does at a damage.
#[derive(Debug)]
pub(super) struct Engine<R> {
    stream: Stream<R>,
    policy: Policy,
    max_record_bytes: u64,
    lookahead: u64,
    /// Everything before is done with.
    at: u64,
    /// The record that was found last: where, and the length of its payload.
    last: (u64, usize),
    /// Nothing was found yet.
    starts: bool,
}

impl<R: Read> Engine<R> {
    pub(super) fn new(stream: Stream<R>, policy: Policy, max_record_bytes: u64, lookahead: usize) -> Self {
        let lookahead = (lookahead as u64).max(1 << 10);
        Self { stream, policy, max_record_bytes, lookahead, at: 0, last: (0, 0), starts: true }
    }

    /// Bytes of the uncompressed stream that are done with.
    pub(super) fn offset(&self) -> u64 {
        self.at
    }

    /// The offset and the payload of the record that [`advance`](Self::advance) found.
    pub(super) fn record(&mut self) -> (u64, &[u8]) {
        let (offset, length) = self.last;
        // All of it is in the buffer, so that this reads nothing and cannot fail.
        let frame = self.stream.load(offset, 0).unwrap_or_default();
        (offset, frame.get(HEADER_LEN..HEADER_LEN + length).unwrap_or_default())
    }

    /// Goes on to the next record or damage. Moves forward with each call, unless it is an error or the end.
    pub(super) fn advance(&mut self) -> Result<Found> {
        self.stream.release(self.at);
        if self.stream.ends_at(self.at)? {
            let Some(found) = self.stream.next_segment() else { return Ok(Found::End) };
            if self.policy != Policy::Resync {
                return Err(Error::new(ErrorKind::Decompress, "the compressed stream is corrupt")
                    .with_hint("the policy `Resync` goes on behind the damage, if it can")
                    .at_stored_byte(found.start));
            }
            let (start, end) = (found.start, found.end);
            return Ok(Found::Damage(Damage {
                start,
                end,
                compressed: true,
                last_good: None,
                reason: Reason::Compression,
            }));
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
        let allowed = match self.policy {
            Policy::Fail => false,
            Policy::SkipRecord => follows,
            Policy::Resync => true,
        };
        if !allowed {
            return Err(self.explain(at, frame)?);
        }
        if self.starts && frame == Frame::NoHeader {
            let start = self.stream.load(at, 64)?;
            if let Some(name) = looks_like(start) {
                return Err(Error::new(
                    ErrorKind::NotTfRecord,
                    format!("this is no TFRecord file: it begins like {name}"),
                )
                .with_hint("give it to a reader of that format, or convert it first")
                .at_byte(at));
            }
        }
        self.starts = false;
        let (end, reason) = match (frame, next) {
            (_, Some(next)) if follows => match self.written_on(at, next)? {
                Some(start) => (start, Reason::Truncated),
                None => (next, Reason::PayloadCrc),
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
        Ok(Found::Damage(Damage { start: at, end, compressed: false, last_good: None, reason }))
    }

    /// What stands at `at`.
    fn frame(&mut self, at: u64) -> Result<Frame> {
        let Some(length) = self.header(at)? else { return Ok(Frame::NoHeader) };
        if length > self.max_record_bytes {
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

    /// The length that a good header at `at` gives.
    fn header(&mut self, at: u64) -> Result<Option<u64>> {
        let bytes = self.stream.load(at, HEADER_LEN)?;
        Ok(bytes.first_chunk().and_then(|header| Header::read(header).checked_length()))
    }

    /// Whether a record begins at `at`, or the segment ends there.
    fn may_begin(&mut self, at: u64) -> Result<bool> {
        Ok(self.header(at)?.is_some() || self.stream.ends_at(at)?)
    }

    /// A damaged payload may be a record that was cut off, and others that were written behind it and happen to end
    /// where it claims to end. Then they share its footer, but for them it is right. Where the first of them begins.
    fn written_on(&mut self, at: u64, next: u64) -> Result<Option<u64>> {
        let mut from = at + HEADER_LEN as u64;
        while from < next {
            let size = usize::try_from(next - from).unwrap_or(usize::MAX);
            let bytes = self.stream.load(from, size)?;
            let bytes = bytes.get(..size.min(bytes.len())).unwrap_or_default();
            let Some(found) = find_header(bytes, 0, self.max_record_bytes) else { return Ok(None) };
            let candidate = from + found.position as u64;
            let mut end = candidate;
            while end < next {
                match self.frame(end)? {
                    Frame::Good(length) => end += (length + OVERHEAD) as u64,
                    _ => break,
                }
            }
            if end == next {
                return Ok(Some(candidate));
            }
            from = end.max(candidate + 1);
        }
        Ok(None)
    }

    /// Where to go on behind the damage at `at`; the end of the segment if nowhere. The search begins `skip` bytes
    /// behind. `claimed`: where the damaged record ends, if its length is to be trusted; `u64::MAX` for somewhere behind
    /// the segment's end.
    fn resync(&mut self, at: u64, skip: usize, claimed: Option<u64>) -> Result<u64> {
        let mut closing = Closing::new(at);
        let mut from = at + skip as u64;
        let mut work = 0u64;
        while let Some(candidate) = self.next_candidate(&mut from, &mut closing)? {
            // Without a claim the header is what is damaged: perhaps the payload is whole.
            if claimed.is_none() && closing.fits(&mut self.stream, candidate)? {
                return Ok(candidate);
            }
            // Hostile input could have every candidate claim all the rest.
            let length = self.header(candidate)?.unwrap_or(0);
            let affordable =
                FREE_WORK.saturating_add((candidate - at).saturating_mul(16)).saturating_sub(work);
            let evident = length <= affordable && self.is_evident(candidate)?;
            work = work.saturating_add(length);
            from = candidate + 1;
            if evident {
                let chain = self.follow_chain(candidate, claimed)?;
                match (chain, claimed) {
                    (Chain::Holds, _) => return Ok(candidate),
                    // The chain stays within the damaged record, as far as that is said to reach.
                    (Chain::BreaksAt(end), Some(claimed)) => {
                        if end > claimed {
                            return Ok(candidate);
                        }
                        // None of its other records leads farther.
                        from = from.max(end);
                    }
                    (Chain::BreaksAt(end), None) => {
                        // The end of data that the damaged payload holds, or another damage.
                        let farthest = end
                            .saturating_add(4 * (end - at))
                            .saturating_add(64 << 10)
                            .min(end.saturating_add(self.lookahead));
                        return Ok(self.closing_record(end, farthest, closing)?.unwrap_or(candidate));
                    }
                }
            }
        }
        // The end of the segment. The damaged record may be the last.
        Ok(from)
    }

    /// The next place from `from` on with a good header. Without one, `from` becomes the end of the segment.
    fn next_candidate(&mut self, from: &mut u64, closing: &mut Closing) -> Result<Option<u64>> {
        let max = self.max_record_bytes;
        loop {
            // What lies before is not needed again, once its checksum is known.
            closing.advance(&mut self.stream, from.saturating_sub(FOOTER_LEN as u64))?;
            self.stream.release(from.saturating_sub(FOOTER_LEN as u64));
            let bytes = self.stream.load(*from, OVERHEAD)?;
            if bytes.len() < OVERHEAD {
                *from += bytes.len() as u64;
                return Ok(None);
            }
            if let Some(found) = find_header(bytes, 0, max) {
                return Ok(Some(*from + found.position as u64));
            }
            *from += (bytes.len() - (HEADER_LEN - 1)) as u64;
        }
    }

    /// Whether a candidate has more for it than its header: its payload, or the record behind.
    fn is_evident(&mut self, candidate: u64) -> Result<bool> {
        match self.frame(candidate)? {
            Frame::Good(_) => Ok(true),
            Frame::BadPayload(length) => Ok(self.header(candidate + (length + OVERHEAD) as u64)?.is_some()),
            Frame::Cut | Frame::TooLong | Frame::NoHeader => Ok(false),
        }
    }

    /// Follows the headers from `start`, at most as far as the look-ahead.
    fn follow_chain(&mut self, start: u64, claimed: Option<u64>) -> Result<Chain> {
        let enough = start.saturating_add(self.lookahead);
        let mut at = start;
        loop {
            if self.stream.ends_at(at)?
                || (at >= enough && claimed.is_none_or(|claimed| claimed == u64::MAX || at > claimed))
            {
                return Ok(Chain::Holds);
            }
            // A chain that leads out of the record around it cannot be of its contents.
            if claimed.is_some_and(|claimed| at > claimed) {
                return Ok(Chain::Holds);
            }
            let end = match self.header(at)? {
                Some(length) if length <= self.max_record_bytes => {
                    at.saturating_add(length).saturating_add(OVERHEAD as u64)
                }
                _ => return Ok(Chain::BreaksAt(at)),
            };
            let size = usize::try_from(end - at).unwrap_or(usize::MAX);
            if self.stream.load(at, size)?.len() < size {
                return Ok(Chain::BreaksAt(at));
            }
            at = end;
        }
    }

    /// The record in `from..farthest` before which the damaged record's payload ends, its checksum being good.
    fn closing_record(&mut self, from: u64, farthest: u64, mut closing: Closing) -> Result<Option<u64>> {
        let mut at = from;
        while at < farthest {
            let bytes = self.stream.load(at, OVERHEAD)?;
            if bytes.len() < OVERHEAD {
                // The end of the segment may be the end of the damaged record.
                let end = at + bytes.len() as u64;
                return Ok(closing.fits(&mut self.stream, end)?.then_some(end));
            }
            match find_header(bytes, 0, self.max_record_bytes) {
                Some(found) => {
                    let candidate = at + found.position as u64;
                    if closing.fits(&mut self.stream, candidate)? {
                        return Ok(Some(candidate));
                    }
                    at = candidate + 1;
                }
                None => at += (bytes.len() - (HEADER_LEN - 1)) as u64,
            }
        }
        Ok(None)
    }

    /// The damage as the error that an ordinary reader would give.
    fn explain(&mut self, at: u64, frame: Frame) -> Result<Error> {
        let decoder = FrameDecoder::new().with_offset(at).with_max_record_bytes(self.max_record_bytes);
        let least = match frame {
            Frame::BadPayload(length) => length + OVERHEAD,
            _ => OVERHEAD,
        };
        let bytes = self.stream.load(at, least)?;
        match decoder.clone().decode_one(bytes) {
            Err(error) => Ok(error),
            Ok(_) => Ok(decoder.finish(bytes).err().unwrap_or_else(|| {
                Error::new(ErrorKind::Truncated, "the input ends inside a record").at_byte(at)
            })),
        }
    }
}

/// What became of a chain of headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    /// It leads to the end of the segment, or far enough.
    Holds,
    /// No header stands here.
    BreaksAt(u64),
}

/// Tests whether the payload of a record whose header is damaged ends before some place: the checksum of all bytes
/// from the payload's start on is kept.
#[derive(Clone, Debug)]
struct Closing {
    crc: crc_fast::Digest,
    upto: u64,
}

impl Closing {
    fn new(at: u64) -> Self {
        let crc = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi);
        Self { crc, upto: at.saturating_add(HEADER_LEN as u64) }
    }

    /// Takes in the bytes up to `end`.
    fn advance<R: Read>(&mut self, stream: &mut Stream<R>, end: u64) -> Result<()> {
        while self.upto < end {
            let left = usize::try_from(end - self.upto).unwrap_or(usize::MAX);
            let bytes = stream.load(self.upto, 1)?;
            let bytes = bytes.get(..left.min(bytes.len())).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            self.crc.update(bytes);
            self.upto += bytes.len() as u64;
        }
        Ok(())
    }

    /// Whether the payload ends, and its checksum stands, right before `next`.
    fn fits<R: Read>(&mut self, stream: &mut Stream<R>, next: u64) -> Result<bool> {
        let Some(footer) = next.checked_sub(FOOTER_LEN as u64).filter(|&footer| footer >= self.upto) else {
            return Ok(false);
        };
        self.advance(stream, footer)?;
        if self.upto != footer {
            return Ok(false);
        }
        let crc = mask(self.crc.finalize() as u32);
        Ok(stream
            .load(footer, FOOTER_LEN)?
            .first_chunk()
            .is_some_and(|bytes| u32::from_le_bytes(*bytes) == crc))
    }
}
