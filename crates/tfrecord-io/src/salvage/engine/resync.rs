//! The search for the next record after a damage.

use std::io::Read;

use super::closing::Closing;
use super::{Frame, SalvageEngine};
use crate::Result;
use crate::frame::{FOOTER_LEN, HEADER_LEN, OVERHEAD};
use crate::scan::find_header;

/// Bytes of payloads that a search may examine in vain, beside sixteen times the distance it has come.
const FREE_WORK: u64 = 1 << 30;

/// Result of following a chain of headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    /// Leads to the end of the segment, or far enough.
    Holds,
    /// Ends at this offset, where no valid header is.
    BreaksAt(u64),
}

impl<R: Read> SalvageEngine<R> {
    /// Returns the offset of the first record that was written over a damaged one. The payload of the damaged record
    /// may be a record that was cut off and others that were written after it and happen to end where it claims to end.
    /// The last of them then has the same footer, which is right for it.
    pub(super) fn written_on(&mut self, at: u64, next: u64) -> Result<Option<u64>> {
        let mut from = at + HEADER_LEN as u64;
        while from < next {
            let size = usize::try_from(next - from).unwrap_or(usize::MAX);
            let bytes = self.stream.load(from, size)?;
            let bytes = bytes.get(..size.min(bytes.len())).unwrap_or_default();
            let Some(found) = find_header(bytes, 0, self.record_bytes) else { return Ok(None) };
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

    /// Returns where to continue after the damage at `at`; the end of the segment if nowhere. The search begins `skip` bytes
    /// after it. `claimed`: where the damaged record ends, if its length is to be trusted; `u64::MAX` for somewhere past
    /// the segment's end.
    pub(super) fn resync(&mut self, at: u64, skip: usize, claimed: Option<u64>) -> Result<u64> {
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

    /// Returns the next offset from `from` on with a good header. Without one, `from` becomes the end of the segment.
    fn next_candidate(&mut self, from: &mut u64, closing: &mut Closing) -> Result<Option<u64>> {
        let max = self.record_bytes;
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

    /// Returns whether a candidate has more for it than its header: its payload, or the next record.
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
                Some(length) if length <= self.record_bytes => {
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

    /// Returns the record in `from..farthest` before which the damaged record's payload ends, its checksum being good.
    fn closing_record(&mut self, from: u64, farthest: u64, mut closing: Closing) -> Result<Option<u64>> {
        let mut at = from;
        while at < farthest {
            let bytes = self.stream.load(at, OVERHEAD)?;
            if bytes.len() < OVERHEAD {
                // The end of the segment may be the end of the damaged record.
                let end = at + bytes.len() as u64;
                return Ok(closing.fits(&mut self.stream, end)?.then_some(end));
            }
            match find_header(bytes, 0, self.record_bytes) {
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
}
