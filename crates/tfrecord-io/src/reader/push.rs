//! The push decoder under every reader of files: stored bytes in, records out, without I/O.

mod next;

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use super::RecordBuffer;
use super::inflow::{Inflow, Pulled, read_once};
use super::memory::Memory;
use crate::BatchSize;
use crate::compression::Compression;
use crate::frame::{FrameDecoder, HEADER_LEN, Progress};
use crate::{Error, Kind, Result};

/// Minimum size of a read once the rest of a batch is estimated: a system call costs as much as copying this.
const MIN_READ: usize = 16 << 10;

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PushStep<T> {
    Done(T),
    /// More bytes are needed: [`PushDecoder::read_from`] takes them.
    NeedsInput,
}

/// Decodes records from bytes that are handed over.
///
/// A batch is begun, extended until it is complete, and ended; in between, the buffer of the batch is the decoder's, so
/// that uncompressed bytes are read to where they stay.
#[derive(Debug)]
pub(crate) struct PushDecoder {
    pub(super) inflow: Inflow,
    decoder: FrameDecoder,
    /// `[..filled]` is read; the frames from `next` on are not decoded.
    data: Memory,
    next: usize,
    filled: usize,
    /// Length of the payload of the record before `next`.
    last: usize,
    /// Number of bytes to read next.
    wanted: usize,
    at_end: bool,
    /// An error that came while a batch already held records.
    pending: Option<Error>,
    buffer_bytes: usize,
    /// Offset before which the header of a record must start.
    end: u64,
    start: u64,
    file: Option<Arc<str>>,
}

impl PushDecoder {
    pub(super) fn new(
        inflow: Inflow,
        decoder: FrameDecoder,
        buffer_bytes: usize,
        end: u64,
        file: Option<Arc<str>>,
    ) -> Self {
        let start = decoder.offset();
        Self {
            inflow,
            decoder: decoder.end(end),
            data: Memory::default(),
            next: 0,
            filled: 0,
            last: 0,
            wanted: 0,
            at_end: false,
            pending: None,
            buffer_bytes,
            end,
            start,
            file,
        }
    }

    /// Starts again at a range of the same uncompressed file, with the memory that it has.
    pub(super) fn restart(&mut self, range: Range<u64>) {
        let Range { start, end } = range;
        self.inflow.restart_plain(start);
        self.decoder.restart(start, end);
        (self.next, self.filled, self.last, self.wanted) = (0, 0, 0, 0);
        (self.start, self.end) = (start, end);
        self.at_end = false;
        self.pending = None;
    }

    pub(crate) fn decoder(&self) -> &FrameDecoder {
        &self.decoder
    }

    pub(crate) fn file(&self) -> Option<&Arc<str>> {
        self.file.as_ref()
    }

    /// Returns the compression of the input.
    pub(super) fn compression(&mut self) -> Result<PushStep<Compression>> {
        let found = self.inflow.compression();
        found
            .map_err(|error| self.named(error))
            .map(|found| found.map_or(PushStep::NeedsInput, PushStep::Done))
    }

    /// Reads once, into the room for the next bytes.
    pub(crate) fn read_from(&mut self, reader: &mut impl Read) -> Result<()> {
        let room = self.inflow.room();
        let is_plain = room.is_none();
        let room = match room {
            Some(room) => room,
            None => self.data.get_mut(self.filled..self.filled + self.wanted).unwrap_or_default(),
        };
        let count = read_once(reader, room);
        let count = count.and_then(|count| self.inflow.took(count).map(|()| count));
        let count = count.map_err(|error| self.positioned(error))?;
        if is_plain {
            self.filled += count;
        }
        Ok(())
    }

    /// Begins a batch with the bytes that were read ahead.
    pub(crate) fn begin(&mut self, batch: &mut RecordBuffer) -> Result<()> {
        batch.clear();
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        batch.begin(&self.decoder, self.file.as_ref());
        self.exchange(batch);
        Ok(())
    }

    /// Decodes until the batch is complete or an error ends it.
    pub(crate) fn extend(&mut self, batch: &mut RecordBuffer, size: BatchSize) -> Result<PushStep<()>> {
        loop {
            if let Some(step) = self.extend_within(batch, size, usize::MAX)? {
                return Ok(step);
            }
        }
    }

    /// Decodes as [`extend`](Self::extend), and returns `None` once this number of bytes came: the call then is to be repeated.
    pub(crate) fn extend_within(
        &mut self,
        batch: &mut RecordBuffer,
        size: BatchSize,
        budget: usize,
    ) -> Result<Option<PushStep<()>>> {
        let BatchSize { records: max_records, bytes } = size;
        let limit = bytes.max(HEADER_LEN);
        let begun = self.filled;
        loop {
            if self.decoder.offset() >= self.end {
                return Ok(Some(PushStep::Done(())));
            }
            let progress = self.decode(batch, limit, max_records)?;
            if batch.len() >= max_records || progress.damaged {
                return Ok(Some(PushStep::Done(())));
            }
            let needed = self.next.saturating_add(progress.frame_len);
            if needed > limit {
                if batch.is_empty() {
                    // The first record alone is more than was asked for.
                    self.decode(batch, usize::MAX, 1)?;
                }
                if !batch.is_empty() {
                    return Ok(Some(PushStep::Done(())));
                }
            }
            if self.at_end {
                return self.finish().map(|()| Some(PushStep::Done(())));
            }
            if self.filled.saturating_sub(begun) >= budget {
                return Ok(None);
            }
            let wanted = self.wanted(batch.len(), needed, max_records, limit);
            self.make_room(wanted);
            if !self.fill(wanted)? {
                return Ok(Some(PushStep::NeedsInput));
            }
        }
    }

    /// Ends a batch: keeps the bytes of further records for the next one, and an error for later if there are records
    /// first.
    pub(crate) fn end(&mut self, batch: &mut RecordBuffer, result: Result<()>) -> Result<usize> {
        let used = self.next;
        self.exchange(batch);
        batch.filled = used;
        match result {
            Err(error) if batch.is_empty() => return Err(error),
            Err(error) => self.pending = Some(error),
            Ok(()) => {}
        }
        Ok(batch.len())
    }

    /// Exchanges the buffers of the decoder and the batch; bytes that are not decoded are copied, so that they stay the
    /// decoder's.
    fn exchange(&mut self, batch: &mut RecordBuffer) {
        let rest = self.data.get(self.next..self.filled).unwrap_or_default();
        batch.data.grow(rest.len());
        if let Some(room) = batch.data.get_mut(..rest.len()) {
            room.copy_from_slice(rest);
        }
        self.filled = rest.len();
        self.next = 0;
        std::mem::swap(&mut self.data, &mut batch.data);
    }

    /// Makes room for `wanted` more bytes.
    fn make_room(&mut self, wanted: usize) {
        self.data.grow(self.filled.saturating_add(wanted));
        self.data.settle(self.decoder.offset().saturating_sub(self.next as u64), self.filled);
    }

    fn decode(&mut self, batch: &mut RecordBuffer, end: usize, max_records: usize) -> Result<Progress> {
        let data = self.data.get(..end.min(self.filled)).unwrap_or_default();
        let room = max_records.saturating_sub(batch.len());
        let progress = self.decoder.decode(data, self.next, &mut batch.payloads, room);
        let progress = progress.map_err(|error| self.named(error))?;
        self.next = progress.next;
        Ok(progress)
    }

    /// Checks that the input ends where a record does.
    fn finish(&self) -> Result<()> {
        let rest = self.data.get(self.next..self.filled).unwrap_or_default();
        self.decoder.finish(rest).map_err(|error| self.named(error))
    }

    /// Appends at most `wanted` bytes, for which there is room. Returns false if it takes more input.
    fn fill(&mut self, wanted: usize) -> Result<bool> {
        let out = self.data.get_mut(..self.filled + wanted).unwrap_or_default();
        match self.inflow.pull(out, self.filled) {
            Ok(Pulled::Bytes(count)) => self.filled += count,
            Ok(Pulled::End) => self.at_end = true,
            Ok(Pulled::NeedsInput) => {
                self.wanted = wanted;
                return Ok(false);
            }
            Err(error) => return Err(self.positioned(error)),
        }
        Ok(true)
    }

    /// Returns the number of bytes to read next for a batch of `records` so far. Bytes beyond the batch must be copied
    /// for the next one, so this tries to hit its end.
    fn wanted(&self, records: usize, needed: usize, max_records: usize, limit: usize) -> usize {
        let most = self.buffer_bytes;
        let undecoded = self.filled - self.next;
        let before = self.decoder.offset().saturating_sub(self.start);
        let estimate = match before.checked_div(self.decoder.index()) {
            None => most,
            Some(average) => {
                let missing = max_records.saturating_sub(records) as u64;
                let bytes = (average + 1).saturating_mul(missing);
                usize::try_from(bytes).unwrap_or(usize::MAX).saturating_sub(undecoded)
            }
        };
        let to_limit = limit.saturating_sub(self.filled);
        // Past the end of a range only the rest of its last record is needed.
        let to_end = self.end.saturating_sub(self.decoder.offset()).saturating_sub(undecoded as u64);
        let to_end = usize::try_from(to_end).unwrap_or(usize::MAX);
        let to_limit = to_limit.min(to_end);
        // At least the frame that was begun, and never so little that the system call is what costs.
        let least = needed.saturating_sub(self.filled).max(MIN_READ.min(to_end));
        estimate.min(to_limit).max(least).min(most)
    }

    /// Adds the file's name to an error of the frame decoder.
    fn named(&self, error: Error) -> Error {
        error.in_file_if_known(self.file.as_ref())
    }

    /// Adds the position to an error of the input. Bytes after the end of the data belong to no record, unless one was
    /// begun.
    pub(super) fn positioned(&self, error: Error) -> Error {
        if error.is(Kind::TrailingBytes) && self.next == self.filled {
            return self.named(error);
        }
        self.named(error.at_byte(self.decoder.offset()).at_record(self.decoder.index()))
    }
}
