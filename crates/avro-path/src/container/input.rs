//! Bytes of a source, held as long as they may be looked at again.

use std::io::{Read, Seek, SeekFrom};

use tfxio_base::resize_zeroed;

use super::frame::{Parsed, SYNC, Window, find_marker};
use super::header::MAGIC;
use crate::{Error, Result};

/// Approximate number of bytes read at once, unless a block is larger. More would drive the working set out of the
/// cache.
const CHUNK: usize = 256 << 10;
/// The same while runs are cut: bytes read beyond the end of a run are copied to the memory of the next.
const CHUNK_OF_RUNS: usize = 128 << 10;
/// Number of bytes that surely hold the head of a block.
const HEAD: usize = 64;

/// Result of [`Input::skip_to`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A sync marker, which was taken.
    Sync,
    /// The beginning of a header, which is next.
    Header,
}

/// Returns the index at which a header may begin.
fn find_header(bytes: &[u8]) -> Option<usize> {
    let [first, ..] = MAGIC;
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(|&byte| byte == first) {
        if bytes.get(from + at..)?.starts_with(&MAGIC) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// A window on a source. Bytes are asked for, looked at, and only then taken, so that a damage can be searched from
/// where it began.
#[derive(Debug)]
pub(super) struct Input<R> {
    source: R,
    buffer: Vec<u8>,
    /// Memory for the window while `buffer` is that of a run.
    spare: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset in the source of the first byte of the window.
    offset: u64,
    ended: bool,
}

impl<R: Read> Input<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), spare: Vec::new(), start: 0, end: 0, offset: 0, ended: false }
    }

    /// Returns the offset in the source of the first byte of the window.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn window(&self) -> Window<'_> {
        Window { bytes: self.buffer.get(self.start..self.end).unwrap_or_default(), is_end: self.ended }
    }

    /// Parses the window, with as much in it as is needed, without taking anything.
    pub(super) fn look<T>(&mut self, mut parse: impl FnMut(Window<'_>) -> Result<Parsed<T>>) -> Result<T> {
        loop {
            match parse(self.window())? {
                Parsed::Done(found) => return Ok(found),
                Parsed::Need(bytes) => self.fill(bytes)?,
            }
        }
    }

    /// Reads until the window has this many bytes or the source ends. The window grows with the bytes that are there,
    /// not with the requested number.
    pub(super) fn fill(&mut self, wanted: usize) -> Result<()> {
        while self.end - self.start < wanted && !self.ended {
            self.make_room(wanted);
            self.read(self.start.saturating_add(self.ahead(wanted)).min(self.buffer.len()))?;
        }
        Ok(())
    }

    /// Reads until the window has exactly `bytes` bytes or the source ends. Not for numbers from input:
    /// the memory is there before the bytes are.
    pub(super) fn fill_up(&mut self, wanted: usize) -> Result<()> {
        if self.end - self.start < wanted && self.buffer.len() - self.start < wanted {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            let len = self.buffer.len().max(wanted);
            resize_zeroed(&mut self.buffer, len);
        }
        while self.end - self.start < wanted && !self.ended {
            self.read(self.start + wanted)?;
        }
        Ok(())
    }

    /// Reads once, at most to this byte of the buffer.
    fn read(&mut self, end: usize) -> Result<()> {
        let space = self.buffer.get_mut(self.end..end).unwrap_or_default();
        match self.source.read(space) {
            Ok(0) => self.ended = true,
            Ok(read) => self.end += read.min(space.len()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(error, "reading")),
        }
        Ok(())
    }

    /// Returns how far the source is read where `wanted` bytes are wanted.
    ///
    /// The blocks of a container mostly have about the same size. So where one of them is wanted, this is a number of them,
    /// and the head of the next: little of a block is left at the end of the window that would have to be moved.
    fn ahead(&self, wanted: usize) -> usize {
        let chunk = if self.spare.is_empty() { CHUNK } else { CHUNK_OF_RUNS };
        let blocks = (chunk / wanted.max(1)).max(1);
        wanted.saturating_mul(blocks).saturating_add(wanted / 16).saturating_add(HEAD)
    }

    fn make_room(&mut self, wanted: usize) {
        let held = self.end - self.start;
        if self.start > 0 && (held <= HEAD || self.buffer.len() - self.start < wanted) {
            self.buffer.copy_within(self.start..self.end, 0);
            self.start = 0;
            self.end = held;
        }
        if self.end == self.buffer.len() {
            let len = self.buffer.len() + self.buffer.len().max(CHUNK);
            resize_zeroed(&mut self.buffer, len);
        }
    }

    /// Takes bytes from the beginning of the window.
    pub(super) fn take(&mut self, bytes: usize) {
        let bytes = bytes.min(self.end - self.start);
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Takes the bytes before an offset of the source.
    pub(super) fn take_to(&mut self, offset: u64) {
        self.take(usize::try_from(offset.saturating_sub(self.offset)).unwrap_or(usize::MAX));
    }

    /// Moves the window into memory that [`cut`](Self::cut) returns.
    pub(super) fn move_to(&mut self, memory: Vec<u8>) {
        self.spare = self.replace(memory);
    }

    /// Takes bytes from the beginning of the window. Returns the memory of the window, and its range there; the rest of
    /// the window moves to other memory.
    pub(super) fn cut(&mut self, taken: usize) -> (Vec<u8>, std::ops::Range<usize>) {
        let window = self.start..self.end;
        self.take(taken);
        let spare = std::mem::take(&mut self.spare);
        (self.replace(spare), window)
    }

    /// Copies the window into other memory. Returns its former memory.
    fn replace(&mut self, mut memory: Vec<u8>) -> Vec<u8> {
        let window = self.window().bytes;
        let held = window.len();
        if memory.len() < held {
            resize_zeroed(&mut memory, held);
        }
        if let Some(room) = memory.get_mut(..held) {
            room.copy_from_slice(window);
        }
        (self.start, self.end) = (0, held);
        std::mem::replace(&mut self.buffer, memory)
    }

    /// Takes bytes up to and with the next marker. Whether there was one; otherwise everything was taken.
    pub(super) fn skip_past(&mut self, marker: &[u8; SYNC]) -> Result<bool> {
        Ok(self.skip_to(marker, false)?.is_some())
    }

    /// Takes bytes up to and with the next marker, or up to what a header begins with, if that comes first and is wanted. Says which it
    /// was; otherwise everything was taken.
    pub(super) fn skip_to(&mut self, marker: &[u8; SYNC], headers: bool) -> Result<Option<Mark>> {
        loop {
            self.fill(CHUNK)?;
            let bytes = self.window().bytes;
            let found = find_marker(bytes, marker).map(|at| (at + SYNC, Mark::Sync));
            // A marker that begins before a header ends with it at the latest.
            let before = found.as_ref().map_or(bytes.len(), |(end, _)| *end);
            let header = if headers { find_header(bytes.get(..before).unwrap_or_default()) } else { None };
            let found = header.map(|at| (at, Mark::Header)).or(found);
            let (is_end, keep) = (self.ended, if self.ended { 0 } else { SYNC - 1 });
            let taken = found.as_ref().map_or(bytes.len().saturating_sub(keep), |(end, _)| *end);
            self.take(taken);
            if found.is_some() || is_end {
                return Ok(found.map(|(_, mark)| mark));
            }
        }
    }
}

impl<R: Read + Seek> Input<R> {
    /// Continues at another byte of the source.
    pub(super) fn seek(&mut self, offset: u64) -> Result<()> {
        self.source.seek(SeekFrom::Start(offset)).map_err(|error| Error::io(error, "seeking"))?;
        (self.start, self.end, self.offset, self.ended) = (0, 0, offset, false);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Input;

    #[test]
    fn finds_markers_wherever_reads_end() {
        let marker = *b"aaaabaaaabaaaabc";
        for before in [0, 1, 5, 100, super::CHUNK - 8, super::CHUNK, 600_000] {
            let mut bytes = b"aaaab".repeat(before / 5 + 1);
            bytes.truncate(before);
            bytes.extend_from_slice(&marker);
            bytes.extend_from_slice(b"rest");
            let mut input = Input::new(&bytes[..]);
            assert!(input.skip_past(&marker).unwrap(), "{before}");
            input.fill(10).unwrap();
            assert_eq!(input.window().bytes, b"rest");
            assert_eq!(input.offset(), before as u64 + 16);
            assert!(!input.skip_past(&marker).unwrap());
            assert!(input.window().bytes.is_empty());
        }
    }
}
