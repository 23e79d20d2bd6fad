//! Reading the records of a part of a file.

use std::sync::Arc;

use tfxio_base::resize_zeroed;
use tfxio_core::{Cancel, Count, Error, ErrorKind, Limits, LostRange, Position, Result, Skip};
use tfxio_scan::damage::reason;

use super::chunk::Chunk;
use super::row_ends::RowEnds;
use super::text::Text;
use super::{Blank, CheckHeader, Syntax};

/// Bytes that are read at a time, at first and later: few for who reads a few records only.
const FIRST_READ: usize = 16 << 10;
const READ: usize = 256 << 10;
/// Bytes of a row that is not copied.
const LARGE: usize = 4 << 20;

/// The mark that a text in UTF-8 may begin with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads the records of a part of a file, one after the other.
pub(super) struct RowReader {
    file: Arc<str>,
    text: Text,
    ends: RowEnds,
    blank: Blank,
    /// Check of the header, which was not read yet.
    header: Option<CheckHeader>,
    limits: Limits,
    cancel: Cancel,
    pub(super) skip: Option<Skip>,
    buffer: Vec<u8>,
    /// Range of the buffer that was read from the file and not used.
    at: usize,
    filled: usize,
    /// Offset of the next row in the uncompressed file.
    offset: u64,
    /// Whether the next row is the first of the file.
    is_first: bool,
    /// Number of the next record.
    record: u64,
    /// Rows that begin here or later are not read.
    end: u64,
    /// Number of records that are still to be read.
    left: u64,
    /// Whether the file has no more bytes.
    is_over: bool,
    skipped: u64,
}

/// Part of a file to read.
pub(super) struct Part {
    pub(super) file: Arc<str>,
    pub(super) text: Text,
    /// Offset of the text, at which a row begins.
    pub(super) offset: u64,
    /// Number of the first record.
    pub(super) record: u64,
    pub(super) end: u64,
    /// Maximum number of records.
    pub(super) records: u64,
}

impl RowReader {
    pub(super) fn new(part: Part, syntax: &Syntax, limits: &Limits, cancel: &Cancel) -> Self {
        let Part { file, text, offset, record, end, records } = part;
        Self {
            file,
            text,
            ends: RowEnds::new(syntax.quotes),
            blank: syntax.blank,
            header: syntax.header.clone().filter(|_| offset == 0),
            limits: *limits,
            cancel: cancel.clone(),
            skip: None,
            buffer: vec![0; FIRST_READ],
            at: 0,
            filled: 0,
            offset,
            is_first: offset == 0,
            record,
            end,
            left: records,
            is_over: false,
            skipped: 0,
        }
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.text.is_compressed()
    }

    /// Returns the offset of the next row in the uncompressed file.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the offset that decides to which part of the file the next row belongs: for the first row, the first byte of the byte order
    /// mark before it.
    pub(super) fn begins(&self) -> u64 {
        if self.is_first { 0 } else { self.offset }
    }

    /// Returns the number of the next record.
    pub(super) fn record(&self) -> u64 {
        self.record
    }

    fn position(&self) -> Position {
        Position::new().file(Arc::clone(&self.file)).byte(self.offset).record(self.record)
    }

    /// Reads more of the file after the bytes that are held. Returns whether there was more.
    fn fill(&mut self) -> Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        self.cancel.check()?;
        if self.at > 0 {
            self.buffer.copy_within(self.at..self.filled, 0);
            (self.at, self.filled) = (0, self.filled - self.at);
        }
        if self.filled > 0 && self.filled as u64 > self.limits.record_bytes {
            let what =
                format!("a line of more than {}, the limit", Count::of(self.limits.record_bytes, "byte"));
            let error = Error::new(ErrorKind::LimitExceeded, what).at(self.position());
            return Err(error.help("check that this is the right format, or raise the limit"));
        }
        // The room for a long row grows by half: what was asked for is written with zeros, and so in memory.
        let most = self.filled.saturating_add(self.filled / 2).max(READ);
        if self.buffer.len() < most && (self.filled == self.buffer.len() || !self.is_first) {
            resize_zeroed(&mut self.buffer, most);
        }
        let free = self.buffer.get_mut(self.filled..).unwrap_or_default();
        let count = self.text.read(free).map_err(|error| {
            let of_record = error.position().stored_byte.is_some() && !self.text.is_at_end();
            let position = Position::new().file(Arc::clone(&self.file));
            if of_record { error.or_at(&position.record(self.record)) } else { error.or_at(&position) }
        })?;
        self.filled += count;
        self.is_over = count == 0;
        Ok(count > 0)
    }

    /// Finds the next row: its length without and with its line break. `None` at the end of the file.
    fn find(&mut self) -> Result<Option<(usize, usize)>> {
        loop {
            let held = self.buffer.get(self.at..self.filled).unwrap_or_default();
            if let Some(length) = self.ends.find(held) {
                let row = held.get(..length - 1).unwrap_or_default();
                return Ok(Some((without_return(row), length)));
            }
            if self.fill()? {
                continue;
            }
            let held = self.buffer.get(self.at..self.filled).unwrap_or_default();
            let is_open = self.ends.is_open();
            self.ends.restart();
            if is_open {
                let is_escaped = self.ends.is_row_with_escape(held);
                return Err(unterminated(is_escaped).at(self.position()));
            }
            return Ok((!held.is_empty()).then(|| (without_return(held), held.len())));
        }
    }

    /// Passes over bytes that are held.
    fn pass(&mut self, length: usize) {
        self.at += length;
        self.offset = self.offset.saturating_add(length as u64);
        self.is_first = false;
    }

    /// Passes over a byte order mark and the header.
    fn begin(&mut self) -> Result<()> {
        while self.filled - self.at < BYTE_ORDER_MARK.len() && self.fill()? {}
        if self.buffer.get(self.at..self.filled).is_some_and(|held| held.starts_with(BYTE_ORDER_MARK)) {
            let is_first = self.is_first;
            self.pass(BYTE_ORDER_MARK.len());
            self.is_first = is_first;
        }
        let Some(check) = self.header.take() else { return Ok(()) };
        let position = |reader: &Self| Position::new().file(Arc::clone(&reader.file)).byte(reader.offset);
        loop {
            let found = self.find().map_err(|mut error| {
                error.position_mut().record = None;
                error
            })?;
            // A part of a set without a byte has no rows, as Spark writes it. A set of nothing else has no names, which is an error.
            let Some((row, length)) = found else { return Ok(()) };
            let row = self.buffer.get(self.at..self.at + row).unwrap_or_default();
            if !Blank::Spaces.is(row) {
                check(row).map_err(|error| error.or_at(&position(self)))?;
                self.pass(length);
                return Ok(());
            }
            self.pass(length);
        }
    }

    /// Passes over a byte order mark, the header, and lines that are not records. Returns the length of the next record
    /// without and with its line break, which stay to be read; `None` after the last record of the part.
    fn next(&mut self) -> Result<Option<(usize, usize)>> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.is_first {
            self.begin()?;
        }
        loop {
            if self.begins() >= self.end {
                return Ok(None);
            }
            let found = match self.find() {
                Err(error) => return self.skip_to_end(error),
                Ok(found) => found,
            };
            let Some((row, length)) = found else { return Ok(None) };
            let bytes = self.buffer.get(self.at..self.at + row).unwrap_or_default();
            if self.blank.is(bytes) {
                self.pass(length);
                continue;
            }
            if row as u64 > self.limits.record_bytes {
                let what = format!(
                    "a line of {}, and the limit is {}",
                    Count::of(row, "byte"),
                    self.limits.record_bytes
                );
                let error = Error::new(ErrorKind::LimitExceeded, what).at(self.position());
                return Err(error.help("check that this is the right format, or raise the limit"));
            }
            return Ok(Some((row, length)));
        }
    }

    /// Passes over the rest of a file that cannot be read on, where damage is skipped.
    #[cold]
    fn skip_to_end(&mut self, error: Error) -> Result<Option<(usize, usize)>> {
        let Some(skip) = self.skip.as_ref().filter(|_| error.kind() == ErrorKind::Malformed) else {
            return Err(error);
        };
        let held = (self.filled - self.at) as u64;
        let reason = reason(&error);
        let end = self.offset.saturating_add(held);
        let mut range = LostRange::new(self.offset, end, reason).file(Arc::clone(&self.file));
        if let Some(stored) = error.position().stored_byte {
            (range.start, range.end) = (stored, stored.saturating_add(self.text.pass_rest()?));
            range = range.compressed(true);
        }
        skip.add(range)?;
        self.skipped = self.skipped.saturating_add(held);
        (self.at, self.left, self.is_over) = (self.filled, 0, true);
        self.offset = end;
        Ok(None)
    }

    /// Counts records that are passed over, up to `most`, while `wanted` accepts their offset. Returns how many.
    pub(super) fn pass_over(&mut self, most: u64, wanted: impl Fn(u64) -> bool) -> Result<u64> {
        let mut passed = 0;
        while passed < most {
            let Some((_, length)) = self.next()? else { break };
            if !wanted(self.begins()) {
                break;
            }
            self.pass(length);
            self.record = self.record.saturating_add(1);
            self.left -= 1;
            passed += 1;
        }
        Ok(passed)
    }

    /// Fills a chunk with at most this many records, and about as many bytes. Returns how many there are; an error after the
    /// first stays with those before it.
    pub(super) fn read(&mut self, chunk: &mut Chunk, most: usize, bytes: usize) -> (usize, Result<()>) {
        chunk.clear(self.record);
        let mut read = || {
            while chunk.len() < most && (chunk.len() == 0 || chunk.bytes() < bytes) {
                let Some((row, length)) = self.next()? else { break };
                if chunk.len() == 0 && row >= LARGE {
                    self.give(chunk, row, length);
                } else {
                    chunk.push(self.offset, self.buffer.get(self.at..self.at + row).unwrap_or_default());
                    self.pass(length);
                }
                self.record = self.record.saturating_add(1);
                self.left -= 1;
            }
            Ok(())
        };
        let result = read();
        (chunk.len(), result)
    }

    /// Gives the buffer to a chunk, without a copy of the row that it holds, and keeps what follows the row.
    fn give(&mut self, chunk: &mut Chunk, row: usize, length: usize) {
        let rest = self.buffer.get(self.at + length..self.filled).unwrap_or_default().to_vec();
        self.buffer.truncate(self.at + row);
        self.buffer.drain(..self.at);
        self.buffer.shrink_to_fit();
        let offset = self.offset;
        self.pass(length);
        chunk.take(offset, &mut self.buffer);
        (self.at, self.filled) = (0, rest.len());
        self.buffer.extend_from_slice(&rest);
        resize_zeroed(&mut self.buffer, rest.len().max(READ));
    }

    /// Returns the next record and its offset, if there is one.
    pub(super) fn next_row(&mut self) -> Result<Option<(u64, &[u8])>> {
        let Some((row, length)) = self.next()? else { return Ok(None) };
        let (at, offset) = (self.at, self.offset);
        self.pass(length);
        self.record = self.record.saturating_add(1);
        self.left -= 1;
        Ok(Some((offset, self.buffer.get(at..at + row).unwrap_or_default())))
    }
}

#[cold]
fn unterminated(is_escaped: bool) -> Error {
    let what = "a quoted cell begins in this row and does not end before the end of the file";
    let help = match is_escaped {
        true => {
            "set the option escape to backslash where a quote in a cell is written \\\"; otherwise close the quote, or write a \
                 quote in a cell twice"
        }
        false => "close the quote, write a quote in a cell twice, or say that quotes are text",
    };
    Error::new(ErrorKind::Malformed, what).help(help)
}

/// Returns the length of a row without a carriage return before its line feed.
fn without_return(row: &[u8]) -> usize {
    row.len() - usize::from(row.last() == Some(&b'\r'))
}
