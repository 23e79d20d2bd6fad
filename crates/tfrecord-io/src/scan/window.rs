//! A buffer over a source that can seek, for code that looks at offsets rather than reading from start to end.

use std::io::{Read, Seek, SeekFrom};

use crate::crc::mask;
use crate::frame::{FOOTER_LEN, HEADER_LEN, Header, OVERHEAD};
use crate::{Error, Result};

/// Size of a read after a jump: a header and whatever comes with it at no cost.
const FIRST_READ: usize = 4 << 10;
/// Size of a read once the offsets looked at follow each other.
const MOST_READ: usize = 512 << 10;

/// Looks at any offset of a source, without reading a part twice while the offsets move forward.
#[derive(Debug)]
pub(crate) struct Window<R> {
    file: Seekable<R>,
    /// Bytes at which the caller reads on.
    main: Buffer,
    /// Bytes at which the caller looks ahead, kept apart so that looking ahead does not discard `main`.
    ahead: Buffer,
}

#[derive(Debug)]
struct Seekable<R> {
    source: R,
    /// Size of the source in bytes.
    len: u64,
    /// Current offset of the source.
    at: u64,
}

/// A part of the file.
#[derive(Debug)]
struct Buffer {
    /// Offset of the first byte of `data`.
    base: u64,
    data: Vec<u8>,
    read_size: usize,
}

impl<R: Read + Seek> Window<R> {
    pub(crate) fn new(mut source: R) -> Result<Self> {
        let len =
            source.seek(SeekFrom::End(0)).map_err(|error| Error::io(error, "finding the file's size"))?;
        let buffer = || Buffer { base: 0, data: Vec::new(), read_size: FIRST_READ };
        Ok(Self { file: Seekable { source, len, at: len }, main: buffer(), ahead: buffer() })
    }

    /// Returns the size of the source in bytes, when it was opened.
    pub(crate) fn len(&self) -> u64 {
        self.file.len
    }

    pub(crate) fn into_inner(self) -> R {
        self.file.source
    }

    /// Returns at least `least` bytes from `offset` on, or all there are; often more. Memory is taken as bytes arrive.
    pub(crate) fn load(&mut self, offset: u64, least: usize) -> Result<&[u8]> {
        self.main.load(&mut self.file, offset, least)
    }

    /// Does the same, without giving up what [`load`](Self::load) has read.
    pub(crate) fn look_ahead(&mut self, offset: u64, least: usize) -> Result<&[u8]> {
        if self.main.after(offset).is_some_and(|bytes| bytes.len() >= least) {
            return Ok(self.main.after(offset).unwrap_or_default());
        }
        self.ahead.load(&mut self.file, offset, least)
    }

    /// Returns the end of the frame at `at`, if that is a valid header and the frame is within the source.
    pub(crate) fn frame_end(&mut self, at: u64, record_bytes: u64) -> Result<Option<u64>> {
        let room = self.file.len.saturating_sub(at);
        let bytes = self.look_ahead(at, HEADER_LEN)?;
        let Some(header) = bytes.first_chunk() else { return Ok(None) };
        let Some(length) = Header::read(header).checked_length() else { return Ok(None) };
        let fits = length <= record_bytes && length.checked_add(OVERHEAD as u64).is_some_and(|l| l <= room);
        Ok(fits.then(|| at + length + OVERHEAD as u64))
    }

    /// Returns whether the checksum of the payload fits, for the frame `start..end`. Any length, a chunk at a time.
    pub(crate) fn payload_fits(&mut self, start: u64, end: u64) -> Result<bool> {
        let mut crc = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi);
        let mut at = start.saturating_add(HEADER_LEN as u64);
        let footer = end.saturating_sub(FOOTER_LEN as u64);
        while at < footer {
            let left = usize::try_from(footer - at).unwrap_or(usize::MAX);
            let bytes = self.look_ahead(at, left.min(MOST_READ))?;
            let bytes = bytes.get(..left.min(bytes.len())).unwrap_or_default();
            if bytes.is_empty() {
                return Ok(false);
            }
            crc.update(bytes);
            at += bytes.len() as u64;
        }
        // A CRC-32 is in the low half.
        let expected = mask(crc.finalize() as u32);
        let stored = self.look_ahead(footer, FOOTER_LEN)?.first_chunk().copied();
        Ok(stored.is_some_and(|stored| u32::from_le_bytes(stored) == expected))
    }
}

impl Buffer {
    /// Returns the buffered bytes from `offset` on; `None` if that is outside the buffer.
    fn after(&self, offset: u64) -> Option<&[u8]> {
        let from = usize::try_from(offset.checked_sub(self.base)?).ok()?;
        self.data.get(from..)
    }

    fn load<R: Read + Seek>(&mut self, file: &mut Seekable<R>, offset: u64, least: usize) -> Result<&[u8]> {
        match self.after(offset).map(<[u8]>::len) {
            None => {
                self.data.clear();
                self.base = offset;
                self.read_size = FIRST_READ;
            }
            Some(rest) if rest < least => {
                // Once for as many bytes as are read next, so that no byte is moved again and again.
                let used = self.data.len() - rest;
                self.data.drain(..used);
                self.base = offset;
            }
            Some(_) => {}
        }
        while self.after(offset).map_or(0, <[u8]>::len) < least && self.end() < file.len {
            let missing = least - self.after(offset).map_or(0, <[u8]>::len);
            self.read_more(file, missing)?;
        }
        Ok(self.after(offset).unwrap_or_default())
    }

    fn end(&self) -> u64 {
        self.base.saturating_add(self.data.len() as u64)
    }

    /// Reads once, after the buffered bytes.
    fn read_more<R: Read + Seek>(&mut self, file: &mut Seekable<R>, missing: usize) -> Result<()> {
        let from = self.end();
        let fail = |error| Error::io(error, "reading").at_byte(from);
        if file.at != from {
            file.source.seek(SeekFrom::Start(from)).map_err(fail)?;
            file.at = from;
        }
        let size = self.read_size.max(missing.min(MOST_READ));
        self.read_size = (self.read_size * 2).min(MOST_READ);
        let filled = self.data.len();
        let result = (&mut file.source).take(size as u64).read_to_end(&mut self.data);
        file.at = from.saturating_add((self.data.len() - filled) as u64);
        if result.map_err(fail)? == 0 {
            // The file became shorter since its size was asked for.
            file.len = from;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn shows_any_place_whatever_was_looked_at_before() {
        let bytes: Vec<u8> = (0..3_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let mut window = Window::new(Cursor::new(&bytes)).unwrap();
        let mut state = 1u64;
        for _ in 0..500 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let offset = (state >> 33) as usize % (bytes.len() + 10);
            for step in [0, 5, 100, 70_000] {
                let offset = offset + step;
                let least = (state >> 20) as usize % 100_000;
                let look = if state & 1 << 40 == 0 { Window::load } else { Window::look_ahead };
                let seen = look(&mut window, offset as u64, least).unwrap();
                let expected = bytes.get(offset..).unwrap_or_default();
                assert!(seen.len() >= least.min(expected.len()));
                assert_eq!(seen, &expected[..seen.len()]);
            }
        }
    }
}
