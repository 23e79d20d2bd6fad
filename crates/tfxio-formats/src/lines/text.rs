//! The text of a file, as it is or compressed with gzip.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use tfxio_core::{Count, Error, ErrorKind, Input, Limits, Result};

/// Bytes of the buffer of compressed bytes.
const BUFFER: usize = 64 << 10;

/// Bytes that may come out of a stream whatever its length.
const FREE: u64 = 1 << 20;

/// Returns whether bytes are those with which a gzip file begins (RFC 1952).
pub(super) fn is_gzip(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(&[0x1f, 0x8b, 8])
}

/// The text of a file.
pub(super) enum Text {
    Plain(Stored),
    Gzip { decoder: Box<MultiGzDecoder<Stored>>, read: u64, limits: Limits },
}

impl Text {
    /// Opens a text from an input, which is at the beginning of the file.
    pub(super) fn open(input: Box<dyn Input>, limits: &Limits) -> Result<Self> {
        let mut stored = Stored::new(input);
        let first_bytes = stored.first_bytes().map_err(|error| Error::io(error, "reading"))?;
        if !is_gzip(first_bytes) {
            // No text begins with it.
            if matches!(first_bytes, [0x1f] | [0x1f, 0x8b]) {
                return Err(ends_early().at_stored_byte(first_bytes.len() as u64));
            }
            return Ok(Self::Plain(stored));
        }
        let decoder = Box::new(MultiGzDecoder::new(stored));
        Ok(Self::Gzip { decoder, read: 0, limits: *limits })
    }

    /// Returns the text of an input, which is somewhere in a file that is not compressed.
    pub(super) fn plain(input: Box<dyn Input>) -> Self {
        Self::Plain(Stored::new(input))
    }

    pub(super) fn is_compressed(&self) -> bool {
        matches!(self, Self::Gzip { .. })
    }

    /// Reads some bytes; none at the end.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        match self {
            Self::Plain(stored) => stored.read(out).map_err(|error| Error::io(error, "reading")),
            Self::Gzip { decoder, read, limits } => {
                let count = decoder.read(out).map_err(|error| damaged(error, decoder.get_ref().used))?;
                *read = read.saturating_add(count as u64);
                let most = decoder.get_ref().used.saturating_mul(limits.decompression_ratio);
                let most = most.max(FREE).min(limits.decompressed_bytes);
                if *read > most {
                    let what = format!("the file decompresses to more than {}", Count::of(most, "byte"));
                    let error = Error::new(ErrorKind::LimitExceeded, what);
                    return Err(error.help("raise the limits if this is meant to be"));
                }
                Ok(count)
            }
        }
    }
}

/// Returns the error of a gzip stream that cannot be inflated.
#[cold]
fn damaged(error: io::Error, stored: u64) -> Error {
    let is_ours = error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Error>);
    let found = match error.kind() {
        _ if is_ours => return Error::io(error, "reading"),
        io::ErrorKind::UnexpectedEof => ends_early(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Error::new(ErrorKind::Malformed, "the gzip stream is damaged").help(COPY_AGAIN)
        }
        _ => return Error::io(error, "reading"),
    };
    found.because(error).at_stored_byte(stored)
}

const COPY_AGAIN: &str = "copy or download the file again";

#[cold]
fn ends_early() -> Error {
    let what = "the gzip stream ends early: the file was not written or copied to its end";
    Error::new(ErrorKind::Malformed, what).help(COPY_AGAIN)
}

/// The bytes of a file as it is stored.
pub(super) struct Stored {
    input: Box<dyn Input>,
    buffer: Vec<u8>,
    at: usize,
    filled: usize,
    used: u64,
}

impl Stored {
    fn new(input: Box<dyn Input>) -> Self {
        Self { input, buffer: Vec::new(), at: 0, filled: 0, used: 0 }
    }

    /// Returns the first bytes, which stay to be read.
    fn first_bytes(&mut self) -> io::Result<&[u8]> {
        self.buffer.resize(BUFFER, 0);
        while self.filled < 3 {
            match self.input.read(self.buffer.get_mut(self.filled..).unwrap_or_default()) {
                Ok(0) => break,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.buffer.get(..self.filled).unwrap_or_default())
    }
}

impl Read for Stored {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let held = self.buffer.get(self.at..self.filled).unwrap_or_default();
        let count = if held.is_empty() {
            loop {
                match self.input.read(out) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read?,
                }
            }
        } else {
            let mut held = held;
            let count = held.read(out)?;
            self.at += count;
            count
        };
        self.used = self.used.saturating_add(count as u64);
        Ok(count)
    }
}

impl BufRead for Stored {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.filled {
            self.buffer.resize(BUFFER, 0);
            (self.at, self.filled) = (0, self.input.read(&mut self.buffer)?);
        }
        Ok(self.buffer.get(self.at..self.filled).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
        self.used = self.used.saturating_add(count as u64);
    }
}
