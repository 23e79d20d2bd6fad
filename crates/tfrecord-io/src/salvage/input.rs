//! Input of a salvage: the stored bytes, or inflated as far as possible.

use std::io::Read;

use tfxio_base::resize_zeroed;

#[cfg(feature = "gzip")]
use super::gzip::GzipInput;
use super::stream::Break;
use crate::compression::{Compression, Detected, StreamDecoder, detect};
use crate::reader::read_once;
use crate::{ErrorKind, Limits, Result};

/// Bytes that are read at a time.
const READ: usize = 256 << 10;

/// Room for the output of a decoder at a time.
const ROOM: usize = 64 << 10;

/// Result of [`Input::fill`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Fill {
    /// Appended at least one byte.
    More,
    /// A part of the compressed input is corrupt.
    Break(Break),
    /// Reached the end of the input.
    End,
}

/// The stored bytes of the file.
#[derive(Debug)]
pub(super) struct Raw<R> {
    reader: R,
    /// Bytes that were read, from `taken` on not used.
    pub(super) data: Vec<u8>,
    pub(super) taken: usize,
    /// Offset in the file of `data[taken]`.
    pub(super) offset: u64,
    pub(super) ended: bool,
}

impl<R: Read> Raw<R> {
    /// Returns the bytes that are not used, at least `least` of them unless the file ends before.
    pub(super) fn load(&mut self, least: usize) -> Result<&[u8]> {
        while self.data.len() - self.taken < least && !self.ended {
            self.data.drain(..self.taken);
            self.taken = 0;
            self.read_more(least.clamp(READ, 4 * READ))?;
        }
        Ok(self.data.get(self.taken..).unwrap_or_default())
    }

    /// Reads once: from a pipe, the bytes that are there.
    fn read_more(&mut self, most: usize) -> Result<()> {
        let before = self.data.len();
        resize_zeroed(&mut self.data, before.saturating_add(most));
        let read = read_once(&mut self.reader, self.data.get_mut(before..).unwrap_or_default());
        let count = read.as_ref().copied().unwrap_or_default();
        self.data.truncate(before + count);
        self.ended = read? == 0;
        Ok(())
    }

    pub(super) fn take(&mut self, count: usize) {
        let count = count.min(self.data.len() - self.taken);
        self.taken += count;
        self.offset = self.offset.saturating_add(count as u64);
    }

    /// Uses up everything.
    fn take_all(&mut self) -> Result<()> {
        loop {
            let count = self.load(1)?.len();
            if count == 0 {
                return Ok(());
            }
            self.take(count);
        }
    }
}

#[derive(Debug)]
enum Kind {
    Unknown(Option<Compression>),
    Plain,
    #[cfg(feature = "gzip")]
    Gzip(Box<GzipInput>),
    /// A stream that cannot be entered in the middle.
    Single(Box<StreamDecoder>, Scratch),
    /// Nothing can be had from the rest.
    Lost,
}

/// Uncompressed bytes from a damaged file.
#[derive(Debug)]
pub(super) struct Input<R> {
    raw: Raw<R>,
    kind: Kind,
    limits: Limits,
}

impl<R: Read> Input<R> {
    pub(super) fn new(reader: R, stated: Option<Compression>, limits: Limits) -> Self {
        let raw = Raw { reader, data: Vec::new(), taken: 0, offset: 0, ended: false };
        Self { raw, kind: Kind::Unknown(stated), limits }
    }

    /// Appends some bytes to `out`.
    pub(super) fn fill(&mut self, out: &mut Vec<u8>) -> Result<Fill> {
        if let Kind::Unknown(stated) = self.kind {
            self.kind = self.detect(stated)?;
        }
        match &mut self.kind {
            Kind::Unknown(_) | Kind::Lost => Ok(Fill::End),
            Kind::Plain => {
                let bytes = self.raw.load(1)?;
                if bytes.is_empty() {
                    return Ok(Fill::End);
                }
                out.extend_from_slice(bytes);
                let count = bytes.len();
                self.raw.take(count);
                Ok(Fill::More)
            }
            #[cfg(feature = "gzip")]
            Kind::Gzip(gzip) => gzip.fill(&mut self.raw, out, self.limits),
            Kind::Single(decoder, scratch) => {
                let result = scratch.inflate(decoder, &mut self.raw, usize::MAX, out);
                match result {
                    Ok(0) if self.raw.ended && decoder.finish().is_ok() => {
                        self.kind = Kind::Lost;
                        Ok(Fill::End)
                    }
                    Ok(count) if count > 0 => Ok(Fill::More),
                    Err(error) if error.is(ErrorKind::LimitExceeded) || error.kind().is_io() => Err(error),
                    failed => {
                        let trailing = failed.err().filter(|error| error.is(crate::Kind::TrailingBytes));
                        let is_trailing = trailing.is_some();
                        // What was used of the last bytes is not taken where nothing came out of them.
                        let start = trailing.and_then(|error| error.position().stored_byte);
                        let start = start.unwrap_or(self.raw.offset);
                        self.raw.take_all()?;
                        self.kind = Kind::Lost;
                        Ok(Fill::Break(Break { start, end: self.raw.offset, is_trailing }))
                    }
                }
            }
        }
    }

    fn detect(&mut self, stated: Option<Compression>) -> Result<Kind> {
        let mut least = 12;
        let compression = loop {
            let start = self.raw.load(least)?;
            let have = start.len();
            let whole = have < least;
            match detect(start, whole, stated)? {
                Detected::Known(compression) => break compression,
                Detected::NeedMore if whole => break Compression::None,
                Detected::NeedMore => least = have.saturating_add(500),
            }
        };
        Ok(match compression {
            Compression::None => Kind::Plain,
            #[cfg(feature = "gzip")]
            Compression::Gzip => Kind::Gzip(Box::default()),
            other => match StreamDecoder::new(other, self.limits)? {
                Some(decoder) => Kind::Single(Box::new(decoder), Scratch::default()),
                None => Kind::Plain,
            },
        })
    }
}

/// Buffer for the output of a decoder.
#[derive(Debug, Default)]
pub(super) struct Scratch(Vec<u8>);

impl Scratch {
    /// Inflates some of the stored bytes, at most `most` of them, and returns the number of bytes that came out: 0 when
    /// the input has ended, `most` bytes were used, or the stream has come to its end.
    pub(super) fn inflate<R: Read>(
        &mut self,
        decoder: &mut StreamDecoder,
        raw: &mut Raw<R>,
        most: usize,
        out: &mut Vec<u8>,
    ) -> Result<usize> {
        resize_zeroed(&mut self.0, ROOM);
        let mut left = most;
        let mut produced = 0;
        let result = loop {
            let stored = match raw.load(1) {
                Ok(stored) => stored.get(..left.min(stored.len())).unwrap_or_default(),
                Err(error) => break Err(error),
            };
            let at_end = stored.is_empty();
            match decoder.decode(stored, &mut self.0, produced) {
                Ok(step) => {
                    raw.take(step.consumed);
                    left -= step.consumed.min(left);
                    produced += step.produced;
                    if produced > 0 || at_end || step.consumed == 0 || decoder.is_between_members() {
                        break Ok(());
                    }
                }
                Err(error) => break Err(error),
            }
        };
        out.extend_from_slice(self.0.get(..produced).unwrap_or_default());
        result.map(|()| produced)
    }
}
