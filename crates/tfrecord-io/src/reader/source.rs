//! Bytes from a `Read`, decompressed on the way if need be.

use std::io::{self, Read};

use crate::compression::{Compression, Detected, StreamDecoder, detect};
use crate::{Error, Kind, Limits, Result};

/// Where uncompressed bytes come from.
#[derive(Debug)]
pub(super) struct Source<R> {
    reader: R,
    /// Bytes as they are stored: the first ones, on which detection was made, and for compressed input all of them.
    input: Vec<u8>,
    taken: usize,
    filled: usize,
    at_end: bool,
    stated: Option<Compression>,
    limits: Limits,
    input_bytes: usize,
    state: State,
    /// Where in the file the reader stands, and the least size of the file; 0 if it is not known.
    position: u64,
    promised: u64,
}

#[derive(Debug)]
enum State {
    /// Nothing was read yet.
    Start,
    Plain,
    Compressed(StreamDecoder, Compression),
}

impl<R: Read> Source<R> {
    pub(super) fn new(reader: R, stated: Option<Compression>, limits: Limits, input_bytes: usize) -> Self {
        Self {
            reader,
            input: Vec::new(),
            taken: 0,
            filled: 0,
            at_end: false,
            stated,
            limits,
            input_bytes,
            state: State::Start,
            position: 0,
            promised: 0,
        }
    }

    /// A source in the middle of an uncompressed file: there is nothing to detect.
    pub(super) fn plain(reader: R, limits: Limits) -> Self {
        Self { state: State::Plain, ..Self::new(reader, None, limits, 0) }
    }

    /// The same for a reader that stands at `position` of a file of at least `promised` bytes.
    pub(super) fn of_bytes(self, position: u64, promised: u64) -> Self {
        Self { position, promised, ..self }
    }

    #[cfg(feature = "async")]
    pub(super) fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    pub(super) fn into_inner(self) -> R {
        self.reader
    }

    /// The compression, detected from the first bytes if it was not.
    pub(super) fn compression(&mut self) -> Result<Compression> {
        match &self.state {
            State::Plain => Ok(Compression::None),
            State::Compressed(_, compression) => Ok(*compression),
            State::Start => self.start(),
        }
    }

    /// Writes at least one byte to `out[filled..]`, and returns how many; 0 at the end of the input.
    pub(super) fn fill(&mut self, out: &mut [u8], filled: usize) -> Result<usize> {
        self.compression()?;
        if matches!(self.state, State::Plain) {
            return self.fill_plain(out.get_mut(filled..).unwrap_or_default());
        }
        loop {
            let State::Compressed(decoder, _) = &mut self.state else { return Ok(0) };
            let input = self.input.get(self.taken..self.filled).unwrap_or_default();
            if !input.is_empty() {
                let step = decoder.decode(input, out, filled)?;
                self.taken += step.consumed;
                if step.produced > 0 {
                    return Ok(step.produced);
                }
            } else if self.at_end {
                // What the decompressor still holds back comes out without input.
                let step = decoder.decode(&[], out, filled)?;
                if step.produced == 0 {
                    decoder.finish()?;
                }
                return Ok(step.produced);
            }
            if self.taken == self.filled && !self.at_end {
                self.taken = 0;
                self.filled = 0;
                let size = self.input_bytes.max(1);
                if self.input.len() < size {
                    self.input.resize(size, 0);
                }
                self.filled = read(&mut self.reader, &mut self.input)?;
                self.note(self.filled)?;
                self.at_end = self.filled == 0;
            }
        }
    }

    fn fill_plain(&mut self, out: &mut [u8]) -> Result<usize> {
        let first = self.input.get(self.taken..self.filled).unwrap_or_default();
        if first.is_empty() {
            let count = if out.is_empty() { return Ok(0) } else { read(&mut self.reader, out)? };
            self.note(count)?;
            return Ok(count);
        }
        let taken = first.len().min(out.len());
        if let (Some(place), Some(bytes)) = (out.get_mut(..taken), first.get(..taken)) {
            place.copy_from_slice(bytes);
        }
        self.taken += taken;
        if self.taken == self.filled {
            self.input = Vec::new();
            self.taken = 0;
            self.filled = 0;
        }
        Ok(taken)
    }

    /// Notes how much was read; the end must not come before it was promised.
    fn note(&mut self, count: usize) -> Result<()> {
        self.position = self.position.saturating_add(count as u64);
        if count > 0 || self.position >= self.promised {
            return Ok(());
        }
        let Self { position, promised, .. } = self;
        let message = format!(
            "the file ends after {position} bytes, and had {promised} when it was opened: it was cut while it was read"
        );
        Err(Error::new(Kind::Truncated, message).help("read it again when nothing writes to it"))
    }

    fn start(&mut self) -> Result<Compression> {
        loop {
            let start = self.input.get(..self.filled).unwrap_or_default();
            match detect(start, self.at_end, self.stated)? {
                Detected::Known(compression) => {
                    self.state = match StreamDecoder::new(compression, self.limits)? {
                        None => State::Plain,
                        Some(decoder) => State::Compressed(decoder, compression),
                    };
                    return Ok(compression);
                }
                Detected::NeedMore => {
                    if self.input.len() - self.filled < 512 {
                        self.input.resize(self.filled + 4096, 0);
                    }
                    let more = read(&mut self.reader, self.input.get_mut(self.filled..).unwrap_or_default())?;
                    self.note(more)?;
                    self.filled += more;
                    self.at_end = more == 0;
                }
            }
        }
    }
}

/// One read that is not interrupted.
fn read<R: Read>(reader: &mut R, out: &mut [u8]) -> Result<usize> {
    loop {
        match reader.read(out) {
            // A `Read` must not claim more than it was given, but nothing enforces it.
            Ok(count) => return Ok(count.min(out.len())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(error, "reading")),
        }
    }
}
