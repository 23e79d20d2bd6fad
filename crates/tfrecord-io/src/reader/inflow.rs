//! Conversion of stored bytes to uncompressed ones: detection and decompression without I/O.

use std::io::{self, Read};
use std::mem;

use tfxio_base::{Count, resize_zeroed};

use crate::compression::{Compression, Detected, StreamDecoder, detect};
use crate::{Error, Kind, Limits, Result};

/// Takes stored bytes and hands out uncompressed ones.
#[derive(Debug)]
pub(super) struct Inflow {
    /// Stored bytes: the first ones, from which the compression is detected, and for compressed input all of them.
    input: Vec<u8>,
    taken: usize,
    filled: usize,
    ended: bool,
    stated: Option<Compression>,
    limits: Limits,
    input_bytes: usize,
    state: State,
    /// Offset in the file just past the bytes that came, and the least size of the file; 0 if it is unknown.
    position: u64,
    promised: u64,
}

#[derive(Debug)]
enum State {
    /// The compression is not known yet.
    Start,
    Plain,
    Compressed(StreamDecoder, Compression),
    /// The bytes that come were inflated elsewhere.
    Inflated(Compression),
}

/// Result of [`Inflow::pull`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pulled {
    /// Wrote this many bytes, at least one.
    Bytes(usize),
    /// Needs more stored bytes.
    NeedsInput,
    /// Reached the end of the input.
    End,
}

impl Inflow {
    pub(super) fn new(
        stated: Option<Compression>,
        limits: Limits,
        input_bytes: usize,
        promised: u64,
    ) -> Self {
        Self {
            input: Vec::new(),
            taken: 0,
            filled: 0,
            ended: false,
            stated,
            limits,
            input_bytes,
            state: State::Start,
            position: 0,
            promised,
        }
    }

    /// Makes the input that of an uncompressed file from `position` on, where nothing can be detected.
    pub(super) fn plain_from(self, position: u64) -> Self {
        Self { state: State::Plain, position, ..self }
    }

    /// As [`plain_from`](Self::plain_from), of input that was plain before.
    pub(super) fn restart_plain(&mut self, position: u64) {
        (self.taken, self.filled, self.ended) = (0, 0, false);
        self.state = State::Plain;
        self.position = position;
    }

    /// Returns the compression, or `None` if it takes more bytes to detect it.
    pub(super) fn compression(&mut self) -> Result<Option<Compression>> {
        match &self.state {
            State::Plain => return Ok(Some(Compression::None)),
            State::Compressed(_, compression) | State::Inflated(compression) => {
                return Ok(Some(*compression));
            }
            State::Start => {}
        }
        let start = self.input.get(..self.filled).unwrap_or_default();
        let Detected::Known(compression) = detect(start, self.ended, self.stated)? else { return Ok(None) };
        self.state = match StreamDecoder::new(compression, self.limits)? {
            None => State::Plain,
            Some(decoder) => State::Compressed(decoder, compression),
        };
        Ok(Some(compression))
    }

    /// Writes to `out[filled..]` what can be had from the bytes that came.
    pub(super) fn pull(&mut self, out: &mut [u8], filled: usize) -> Result<Pulled> {
        if self.compression()?.is_none() {
            return Ok(Pulled::NeedsInput);
        }
        let State::Compressed(decoder, _) = &mut self.state else {
            return Ok(self.pull_plain(out.get_mut(filled..).unwrap_or_default()));
        };
        loop {
            let input = self.input.get(self.taken..self.filled).unwrap_or_default();
            if input.is_empty() && !self.ended {
                return Ok(Pulled::NeedsInput);
            }
            // At the end, what the decompressor still holds back comes out without input.
            let step = decoder.decode(input, out, filled)?;
            self.taken += step.consumed;
            if step.produced > 0 {
                return Ok(Pulled::Bytes(step.produced));
            }
            if input.is_empty() {
                decoder.finish()?;
                return Ok(Pulled::End);
            }
        }
    }

    fn pull_plain(&mut self, out: &mut [u8]) -> Pulled {
        let first = self.input.get(self.taken..self.filled).unwrap_or_default();
        if first.is_empty() {
            return if self.ended { Pulled::End } else { Pulled::NeedsInput };
        }
        let count = first.len().min(out.len());
        if let (Some(out), Some(bytes)) = (out.get_mut(..count), first.get(..count)) {
            out.copy_from_slice(bytes);
        }
        self.taken += count;
        if self.taken == self.filled && matches!(self.state, State::Plain) {
            self.input = Vec::new();
            self.taken = 0;
            self.filled = 0;
        }
        Pulled::Bytes(count)
    }

    /// Returns the room for stored bytes, after [`Pulled::NeedsInput`]; `None` if they are uncompressed and go to the output
    /// directly.
    pub(super) fn room(&mut self) -> Option<&mut [u8]> {
        match self.state {
            State::Plain | State::Inflated(_) => return None,
            State::Start if self.input.len() - self.filled < 512 => {
                resize_zeroed(&mut self.input, self.filled + 4096)
            }
            State::Start => {}
            State::Compressed(..) => {
                // All of the input was used.
                self.taken = 0;
                self.filled = 0;
                if self.input.len() < self.input_bytes {
                    resize_zeroed(&mut self.input, self.input_bytes);
                }
            }
        }
        self.input.get_mut(self.filled..)
    }

    /// Reads stored bytes once, if there is room for them.
    pub(super) fn read_from(&mut self, reader: &mut impl Read) -> Result<()> {
        let Some(room) = self.room() else { return Ok(()) };
        let count = read_once(reader, room)?;
        self.took(count)
    }

    /// Exchanges itself for `other` and expects [inflated](Self::take_inflated) bytes from now on. Returns whether it did, which
    /// it does if the input is known to be compressed. All bytes that came must have been used.
    pub(super) fn lend(&mut self, other: &mut Self) -> bool {
        let State::Compressed(_, compression) = self.state else { return false };
        mem::swap(self, other);
        self.state = State::Inflated(compression);
        true
    }

    /// Takes the next inflated bytes. Returns the memory of those before.
    pub(super) fn take_inflated(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.taken = 0;
        self.filled = bytes.len();
        mem::replace(&mut self.input, bytes)
    }

    /// Takes note that `count` bytes were written to the room; 0 means the end, which must not come before it was promised.
    pub(super) fn took(&mut self, count: usize) -> Result<()> {
        self.position = self.position.saturating_add(count as u64);
        if !matches!(self.state, State::Plain) {
            self.filled += count;
        }
        if count > 0 {
            return Ok(());
        }
        let Self { position, promised, .. } = self;
        if position < promised {
            let message = format!(
                "the file ends after {}, and had {promised} when it was opened: it was cut while it was read",
                Count::of(*position, "byte")
            );
            return Err(Error::new(Kind::Truncated, message).help("read it again when nothing writes to it"));
        }
        self.ended = true;
        Ok(())
    }
}

/// Reads once, and again where that was interrupted.
pub(crate) fn read_once(reader: &mut impl Read, room: &mut [u8]) -> Result<usize> {
    loop {
        match reader.read(room) {
            // A `Read` must not claim more than it was given, but nothing enforces it.
            Ok(count) => return Ok(count.min(room.len())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(error, "reading")),
        }
    }
}
