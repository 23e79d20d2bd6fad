//! The text of a file, as it is or compressed with gzip.

use std::io::{self, BufRead, Read};
use std::mem;

use flate2::bufread::GzDecoder;
use tfxio_base::{inflating, resize_zeroed};
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
    Gzip { members: Box<Members>, read: u64, limits: Limits },
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
        let members = Box::new(Members::Open(GzDecoder::new(stored)));
        Ok(Self::Gzip { members, read: 0, limits: *limits })
    }

    /// Returns the text of an input, which is somewhere in a file that is not compressed.
    pub(super) fn plain(input: Box<dyn Input>) -> Self {
        Self::Plain(Stored::new(input))
    }

    pub(super) fn is_compressed(&self) -> bool {
        matches!(self, Self::Gzip { .. })
    }

    /// Returns whether all of the text was read: what is wrong then follows its end.
    pub(super) fn is_at_end(&self) -> bool {
        matches!(self, Self::Gzip { members, .. } if matches!(**members, Members::Ended(_)))
    }

    /// Passes over what follows the end of the text. Returns how many bytes of the file as it is stored that is.
    pub(super) fn pass_rest(&mut self) -> Result<u64> {
        let Self::Gzip { members, .. } = self else { return Ok(0) };
        let Members::Ended(stored) = &mut **members else { return Ok(0) };
        let before = stored.used;
        while stored.next().map_err(|error| Error::io(error, "reading"))?.is_some() {
            stored.consume(stored.filled.saturating_sub(stored.at));
        }
        Ok(stored.used.saturating_sub(before))
    }

    /// Reads some bytes; none at the end.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        match self {
            Self::Plain(stored) => stored.read(out).map_err(|error| Error::io(error, "reading")),
            Self::Gzip { members, read, limits } => {
                let count = members.read(out)?;
                *read = read.saturating_add(count as u64);
                let most = members.used().saturating_mul(limits.decompression_ratio);
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

/// The members of a gzip file, one after the other.
#[allow(clippy::large_enum_variant, reason = "there is one a file, in a box")]
pub(super) enum Members {
    Open(GzDecoder<Stored>),
    /// After a member, where another one may begin.
    Between(Stored),
    /// After the last member: zero bytes only.
    Ended(Stored),
    /// While one becomes another.
    Moved,
}

impl Members {
    fn used(&self) -> u64 {
        match self {
            Self::Open(decoder) => decoder.get_ref().used,
            Self::Between(stored) | Self::Ended(stored) => stored.used,
            Self::Moved => 0,
        }
    }

    /// Reads some bytes; none at the end.
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        while !out.is_empty() {
            match mem::replace(self, Self::Moved) {
                Self::Open(mut decoder) => {
                    // Reading the file does not count as inflating it.
                    let stored = decoder.get_mut().fill_buf().map(drop);
                    let read = stored.and_then(|()| inflating(|| decoder.read(out)));
                    if matches!(read, Ok(0)) {
                        *self = Self::Between(decoder.into_inner());
                        continue;
                    }
                    let used = decoder.get_ref().used;
                    *self = Self::Open(decoder);
                    return read.map_err(|error| damaged(error, used));
                }
                Self::Between(mut stored) => {
                    let next = stored.next();
                    *self = match next {
                        Ok(Some(0x1f)) => Self::Open(GzDecoder::new(stored)),
                        Ok(_) => Self::Ended(stored),
                        Err(_) => Self::Between(stored),
                    };
                    next.map_err(|error| Error::io(error, "reading"))?;
                }
                Self::Ended(mut stored) => {
                    let rest = stored.pass_zeros();
                    let used = stored.used;
                    *self = Self::Ended(stored);
                    if rest.map_err(|error| Error::io(error, "reading"))? {
                        return Err(trailing(used));
                    }
                    return Ok(0);
                }
                Self::Moved => return Ok(0),
            }
        }
        Ok(0)
    }
}

/// Returns the error of bytes after the last member of a gzip file and the zero bytes that may follow it.
#[cold]
fn trailing(stored: u64) -> Error {
    let what = "bytes that are not gzip data follow the end of the gzip data";
    let help = "cut the file off at this byte if they do not belong to it, or copy it again: a damaged part of the data looks \
                the same";
    Error::new(ErrorKind::Malformed, what).help(help).at_stored_byte(stored)
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
        resize_zeroed(&mut self.buffer, BUFFER);
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

impl Stored {
    /// Returns the next byte, which stays to be read; `None` at the end.
    fn next(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.fill_buf() {
                Ok(held) => return Ok(held.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Passes over zero bytes. Returns whether something else follows.
    fn pass_zeros(&mut self) -> io::Result<bool> {
        while self.next()?.is_some() {
            let held = self.buffer.get(self.at..self.filled).unwrap_or_default();
            let zeros = held.iter().take_while(|byte| **byte == 0).count();
            if zeros == 0 {
                return Ok(true);
            }
            self.consume(zeros);
        }
        Ok(false)
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
            resize_zeroed(&mut self.buffer, BUFFER);
            (self.at, self.filled) = (0, self.input.read(&mut self.buffer)?);
        }
        Ok(self.buffer.get(self.at..self.filled).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
        self.used = self.used.saturating_add(count as u64);
    }
}
