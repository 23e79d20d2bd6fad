//! Decoding of one record at a time.

use super::{MIN_READ, PushDecoder, PushStep};
use crate::Result;
use crate::frame::{FOOTER_LEN, OVERHEAD};
use crate::reader::Record;

impl PushDecoder {
    /// Finds the next record and returns whether there is one; [`last`](Self::last) lends it.
    #[inline]
    pub(in crate::reader) fn next(&mut self) -> Result<PushStep<bool>> {
        if self.pending.is_none() && self.decode_one()? { Ok(PushStep::Done(true)) } else { self.refill() }
    }

    /// Decodes the next record if all of it is here.
    #[inline]
    fn decode_one(&mut self) -> Result<bool> {
        if self.decoder.offset() >= self.end {
            return Ok(false);
        }
        let frames = self.data.get(self.next..self.filled).unwrap_or_default();
        match self.decoder.decode_one(frames) {
            Ok(Some(payload)) => {
                self.last = payload.len();
                self.next += payload.len() + OVERHEAD;
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(self.named(error)),
        }
    }

    /// As [`next`](Self::next), where the record is not whole.
    fn refill(&mut self) -> Result<PushStep<bool>> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        while self.decoder.offset() < self.end {
            if self.at_end {
                return self.finish().map(|()| PushStep::Done(false));
            }
            // Move what is needed to the front when the buffer is used up.
            if self.data.len() - self.filled < MIN_READ {
                self.data.copy_within(self.next..self.filled, 0);
                self.filled -= self.next;
                self.next = 0;
            }
            // A record longer than the buffer: grow with what has really come, not with what it claims.
            let undecoded = self.filled - self.next;
            let size = self.buffer_bytes.max(undecoded.saturating_mul(2));
            self.make_room(self.next.saturating_add(size).saturating_sub(self.filled));
            if !self.fill(self.data.len() - self.filled)? {
                return Ok(PushStep::NeedsInput);
            }
            if self.decode_one()? {
                return Ok(PushStep::Done(true));
            }
        }
        Ok(PushStep::Done(false))
    }

    /// Lends the record that [`next`](Self::next) found last.
    #[inline]
    pub(in crate::reader) fn last(&self) -> Record<'_> {
        let end = self.next.saturating_sub(FOOTER_LEN);
        Record {
            offset: self.decoder.offset().saturating_sub((self.last + OVERHEAD) as u64),
            index: self.decoder.index().saturating_sub(1),
            data: self.data.get(end.saturating_sub(self.last)..end).unwrap_or_default(),
        }
    }
}
