//! An input as Parquet's reader wants it: any part at any time.
//!
//! The reader asks for the head of each page, not knowing how long it is, and then for the page. What it will ask for is
//! [entered](Chunks::enter) before: parts that are small together are read at once, near ones with one read, and of large
//! ones a window each, so that every byte is read once and memory is bounded.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::ColumnDescPtr;
use tfxio_core::{Count, Error, Input};

use super::delta::Room;
use super::pages::{PageCheck, Refused};

/// Bytes between two parts that are read with them.
const GAP: u64 = 4 << 10;
/// Bytes of a window.
const WINDOW: Range<u64> = 16 << 10..1 << 20;
/// Bytes of a window from which few pages are read.
const FEW_PAGES: u64 = 128 << 10;
/// Bytes that the head of a page has at most, but for bounds that are long.
const HEAD: usize = 1 << 10;
/// Bytes of a head that are looked at.
const MOST_HEAD: usize = 16 << 20;

/// A file from which several columns are read in turn.
#[derive(Clone)]
pub(super) struct Chunks {
    shared: Arc<Mutex<Shared>>,
    bytes: u64,
}

struct Shared {
    file: Box<dyn Input>,
    /// Parts to read next, in the order of the file.
    parts: Vec<Part>,
    /// Bytes that are read at once of a part that is not in memory.
    window: u64,
    /// Memory that the next parts are read into, once nobody holds what was read into it.
    spare: Bytes,
    /// Whether heads of pages are read of the parts only.
    only_parts: bool,
    /// Offset of a page of none of the parts that was asked for.
    beyond: Option<u64>,
    /// Error of a page.
    damage: Option<Refused>,
}

/// A part of a file that will be read: the pages of a column, or some of them.
pub(super) struct Part {
    range: Range<u64>,
    /// Offset of the bytes that are in memory, and these.
    at: u64,
    held: Bytes,
    /// Check of the heads of pages against the data; nothing for a part without pages.
    check: Option<PageCheck>,
}

/// Expected access to parts.
#[derive(Clone, Debug)]
pub(super) enum AccessPattern {
    /// From their beginning to their end, with at most this many bytes in memory.
    Whole(u64),
    /// A little of them, of which these ranges are known to be read.
    Few(Vec<Range<u64>>),
}

impl Part {
    pub(super) fn new(range: Range<u64>, check: Option<PageCheck>) -> Self {
        Self { at: range.start, range, held: Bytes::new(), check }
    }

    /// Returns the range that is read first where a few pages are.
    pub(super) fn first(&self) -> Range<u64> {
        self.range.start..self.range.end.min(self.range.start.saturating_add(FEW_PAGES))
    }

    /// Returns what is in memory from an offset on.
    fn from(&self, at: u64) -> Bytes {
        let skip = at.checked_sub(self.at).and_then(|skip| usize::try_from(skip).ok());
        skip.filter(|skip| *skip <= self.held.len()).map_or_else(Bytes::new, |skip| self.held.slice(skip..))
    }

    /// Returns the offset after what is in memory.
    fn held_to(&self) -> u64 {
        self.at.saturating_add(self.held.len() as u64)
    }
}

impl Chunks {
    pub(super) fn new(file: Box<dyn Input>, bytes: u64) -> Self {
        let (parts, spare) = (Vec::new(), Bytes::new());
        let shared = Shared { file, parts, window: 0, spare, only_parts: false, beyond: None, damage: None };
        Self { bytes, shared: Arc::new(Mutex::new(shared)) }
    }

    /// Returns the number of bytes of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // A seek comes before every read, so that a thread that has panicked leaves nothing wrong.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces the ranges that are read next.
    pub(super) fn will_read(&self, ranges: &[Range<u64>]) {
        self.lock().file.will_read(ranges);
    }

    /// Announces the parts that are read next, instead of earlier ones, and reads them where they fit in memory.
    pub(super) fn enter(&self, mut parts: Vec<Part>, access: AccessPattern) -> io::Result<()> {
        parts.sort_by_key(|part| (part.range.start, part.range.end));
        let mut shared = self.lock();
        shared.parts = Vec::new();
        match access {
            AccessPattern::Whole(most) => return shared.enter(parts, most),
            AccessPattern::Few(ranges) => {
                shared.file.will_read(&ranges);
                shared.window = FEW_PAGES;
            }
        }
        shared.parts = parts;
        Ok(())
    }

    /// Announces parts that are read after earlier ones, with at most `most` bytes in memory. Returns whether they can be: some may be of
    /// the same bytes.
    pub(super) fn enter_more(&self, mut parts: Vec<Part>, most: u64) -> io::Result<bool> {
        parts.sort_by_key(|part| (part.range.start, part.range.end));
        let mut shared = self.lock();
        let mut ranges = shared.parts.iter().chain(&parts).map(|part| part.range.clone()).collect::<Vec<_>>();
        ranges.sort_by_key(|range| (range.start, range.end));
        if ranges.iter().zip(ranges.iter().skip(1)).any(|(range, next)| next.start < range.end) {
            return Ok(false);
        }
        shared.enter(parts, most)?;
        Ok(true)
    }

    /// Returns a bound on the length of the values of the dictionary that begins at an offset of a part, if one does: its own
    /// length where that is within `share`, else that of its longest value, for which it is inflated.
    pub(super) fn longest_word(&self, at: u64, share: u64) -> Result<Option<u64>> {
        let mut shared = self.lock();
        let Some(part) = shared.part(at) else { return Ok(None) };
        let head = shared.window(part, at, HEAD)?;
        let Some(check) = shared.parts.get(part).and_then(|part| part.check.clone()) else { return Ok(None) };
        let Some((length, inflated)) = check.dictionary(at, &head) else { return Ok(None) };
        if inflated <= share {
            return Ok(Some(inflated));
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let page = shared.window(part, at, length)?;
        // What is wrong with it, the reader says.
        Ok(check.longest_word(page.slice(..length.min(page.len()))).unwrap_or(Some(inflated)))
    }

    /// Sets whether heads of pages are read of the parts only.
    pub(super) fn only_parts(&self, only_parts: bool) {
        self.lock().only_parts = only_parts;
    }

    /// Drops parts of row groups before one, which were read: they must have had all of their values.
    pub(super) fn leave(&self, group: usize) -> std::result::Result<(), Error> {
        let mut shared = self.lock();
        let is_read = |part: &Part| part.check.as_ref().is_some_and(|check| check.group() < group);
        let read = shared.parts.iter().filter(|part| is_read(part)).filter_map(|part| part.check.as_ref());
        read.map(PageCheck::end).try_for_each(|end| end)?;
        shared.parts.retain(|part| !is_read(part));
        Ok(())
    }

    /// Returns the offset of a page that was asked for, though it is of none of the parts, and only they are read.
    pub(super) fn beyond(&self) -> Option<u64> {
        self.lock().beyond
    }

    /// Returns what is wrong with the pages that were read, if that is known.
    pub(super) fn damage(&self) -> Option<Error> {
        self.lock().damage.take().map(|refused| refused.error)
    }

    /// Returns the bytes of a row, if the page that was asked for last was refused because as many rows as are decoded at once are too
    /// long.
    pub(super) fn row_bytes(&self) -> Option<u64> {
        self.lock().damage.as_ref()?.row_bytes
    }

    /// Sets how many rows are decoded at once of the parts that were entered, and how long values of lists are whose rows are counted.
    pub(super) fn watch(&self, room: Room, widths: &[(ColumnDescPtr, u64)]) {
        let mut shared = self.lock();
        let checks = shared.parts.iter_mut().filter_map(|part| part.check.as_mut());
        checks.for_each(|check| check.watch(room, widths));
        shared.damage = None;
    }
}

impl Shared {
    /// Announces parts that are read after earlier ones, and reads them where they fit in memory beside the bytes there.
    fn enter(&mut self, mut parts: Vec<Part>, most: u64) -> io::Result<()> {
        self.read_rest(most)?;
        let length = |part: &Part| part.range.end.saturating_sub(part.range.start);
        let bytes = parts.iter().map(length).fold(0, u64::saturating_add);
        let held = self.parts.iter().map(|part| part.held.len() as u64).fold(0, u64::saturating_add);
        let runs = runs(&parts);
        let left = self.parts.iter().map(|part| part.held_to()..part.range.end);
        let ranges =
            left.filter(|range| !range.is_empty()).chain(runs.iter().map(|(range, _)| range.clone()));
        let ranges = ranges.collect::<Vec<_>>();
        self.file.will_read(&ranges);
        if bytes <= most.saturating_sub(held) {
            self.read_parts(&mut parts, runs)?;
        }
        self.parts.append(&mut parts);
        self.parts.sort_by_key(|part| (part.range.start, part.range.end));
        self.window = (most / (self.parts.len() as u64).max(1)).clamp(WINDOW.start, WINDOW.end);
        Ok(())
    }

    /// Reads what is left of the parts that were entered, where it fits in memory: it is on its way, and would be asked for
    /// again when others are announced.
    fn read_rest(&mut self, most: u64) -> io::Result<()> {
        let left = |part: &Part| part.range.end.saturating_sub(part.held_to());
        let rest = self.parts.iter().map(left).fold(0, u64::saturating_add);
        let held = self.parts.iter().map(|part| part.held.len() as u64).fold(0, u64::saturating_add);
        if rest > most.saturating_sub(held) {
            return Ok(());
        }
        for number in 0..self.parts.len() {
            let Some(part) = self.parts.get(number).filter(|part| left(part) > 0) else { continue };
            let (held, next, length) = (part.held.clone(), part.held_to(), left(part));
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let mut bytes = BytesMut::with_capacity(held.len().saturating_add(length));
            bytes.extend_from_slice(&held);
            let bytes = self.read_after(held.len(), bytes, next, length)?;
            if let Some(part) = self.parts.get_mut(number) {
                part.held = bytes;
            }
        }
        Ok(())
    }

    /// Reads `length` bytes from `at` on.
    fn read(&mut self, at: u64, length: usize) -> io::Result<Bytes> {
        self.read_after(0, BytesMut::zeroed(length), at, length)
    }

    /// Reads `length` bytes from `at` on, after the first `kept` bytes that are in memory.
    fn read_after(&mut self, kept: usize, mut bytes: BytesMut, at: u64, length: usize) -> io::Result<Bytes> {
        self.file.read_ahead(at.saturating_add(length as u64));
        self.file.seek(SeekFrom::Start(at))?;
        bytes.resize(kept.saturating_add(length), 0);
        self.file.read_exact(bytes.get_mut(kept..).unwrap_or_default())?;
        Ok(bytes.freeze())
    }

    /// Reads parts, by runs of near ones.
    fn read_parts(&mut self, parts: &mut [Part], runs: Vec<(Range<u64>, usize)>) -> io::Result<()> {
        let mut parts = parts.iter_mut();
        for (range, count) in runs {
            let offset = |at: u64| usize::try_from(at.saturating_sub(range.start)).unwrap_or(usize::MAX);
            let length = offset(range.end);
            let bytes = match std::mem::take(&mut self.spare).try_into_mut() {
                Ok(spare) if spare.capacity() >= length => self.read_after(0, spare, range.start, length)?,
                _ => self.read(range.start, length)?,
            };
            for part in parts.by_ref().take(count) {
                part.held = bytes.slice(offset(part.range.start)..offset(part.range.end));
            }
            self.spare = bytes;
        }
        Ok(())
    }

    /// Returns the part that has a byte.
    fn part(&mut self, at: u64) -> Option<usize> {
        let after = self.parts.partition_point(|part| part.range.start <= at);
        let found = after.checked_sub(1)?;
        self.parts.get(found).filter(|part| at < part.range.end).map(|_| found)
    }

    /// Returns what is in memory of a part from an offset on, after reading as far as there are `least` bytes, if the part has
    /// them.
    fn window(&mut self, part: usize, at: u64, least: usize) -> io::Result<Bytes> {
        let Some(found) = self.parts.get(part) else { return Ok(Bytes::new()) };
        let here = found.from(at);
        let left = found.range.end.saturating_sub(at);
        if here.len() as u64 >= left.min(least as u64) {
            return Ok(here);
        }
        let next = if here.is_empty() { at } else { found.held_to() };
        let wanted = self.window.max(least as u64).min(left).saturating_sub(here.len() as u64);
        let length = usize::try_from(wanted).unwrap_or(usize::MAX);
        let bytes = if here.is_empty() {
            self.read(next, length)?
        } else {
            let mut kept = BytesMut::with_capacity(here.len().saturating_add(length));
            kept.extend_from_slice(&here);
            self.read_after(here.len(), kept, next, length)?
        };
        if let Some(found) = self.parts.get_mut(part) {
            (found.at, found.held) = (at, bytes.clone());
        }
        Ok(bytes)
    }

    /// Returns the beginning of a page, whose head claims nothing that is not there.
    fn head(&mut self, part: usize, at: u64) -> Result<Bytes> {
        let mut least = HEAD;
        loop {
            let bytes = self.window(part, at, least)?;
            if self.check(part, at, &bytes)? {
                let Some(page) = self.counted(part) else { return Ok(bytes) };
                let length = usize::try_from(page.end.saturating_sub(at)).unwrap_or(usize::MAX);
                let bytes = self.window(part, at, length)?;
                self.counts(part, at, bytes.slice(..length.min(bytes.len())))?;
                return Ok(bytes);
            }
            // The head is longer, unless there is no more.
            if bytes.len() < least || least >= MOST_HEAD {
                return self.no_head(part, at).map(|()| bytes);
            }
            least = least.max(bytes.len()).saturating_mul(2);
        }
    }

    /// Checks the page that begins at an offset. Returns whether its head is there as a whole.
    fn check(&mut self, part: usize, at: u64, bytes: &[u8]) -> Result<bool> {
        let check = self.parts.get_mut(part).and_then(|part| part.check.as_mut());
        check.map_or(Ok(true), |check| check.page(at, bytes)).map_err(|error| self.refuse(error.into()))
    }

    /// Checks a page that is there as a whole.
    fn page(&mut self, part: usize, at: u64, bytes: &Bytes) -> Result<()> {
        if !self.check(part, at, bytes)? {
            return self.no_head(part, at);
        }
        match self.counted(part) {
            Some(_) => self.counts(part, at, bytes.clone()),
            None => Ok(()),
        }
    }

    /// Refuses a page whose head cannot be read.
    fn no_head(&mut self, part: usize, at: u64) -> Result<()> {
        let check = self.parts.get(part).and_then(|part| part.check.as_ref());
        let error = check.map(|check| check.no_head(at));
        error.map_or(Ok(()), |error| Err(self.refuse(error.into())))
    }

    /// Returns where the page is that was checked last, if it is looked into.
    fn counted(&mut self, part: usize) -> Option<Range<u64>> {
        self.parts.get_mut(part)?.check.as_mut()?.counted()
    }

    /// Looks into a page before the reader does.
    fn counts(&mut self, part: usize, at: u64, page: Bytes) -> Result<()> {
        let check = self.parts.get_mut(part).and_then(|part| part.check.as_mut());
        check.map_or(Ok(()), |check| check.counts(at, page)).map_err(|refused| self.refuse(refused))
    }

    /// Returns a page whose head was checked last, with the false claim in the head corrected.
    fn corrected(&self, part: usize, page: Bytes) -> Bytes {
        let check = self.parts.get(part).and_then(|part| part.check.as_ref());
        let Some(at) = check.and_then(PageCheck::denied_at) else { return page };
        let mut corrected = BytesMut::from(&*page);
        if let Some(byte) = corrected.get_mut(at) {
            // A bool that is true stands in the code of its field.
            *byte = *byte & 0xf0 | 1;
        }
        corrected.freeze()
    }

    /// Keeps what is wrong with a page, and returns it for the reader.
    #[cold]
    fn refuse(&mut self, refused: Refused) -> ParquetError {
        let text = refused.error.to_string();
        self.damage = Some(refused);
        ParquetError::General(text)
    }
}

/// Returns the ranges of parts, near ones joined, and the number of parts in each.
fn runs(parts: &[Part]) -> Vec<(Range<u64>, usize)> {
    let mut runs: Vec<(Range<u64>, usize)> = Vec::new();
    for Part { range, .. } in parts {
        match runs.last_mut() {
            Some((run, count)) if range.start <= run.end.saturating_add(GAP) => {
                run.end = run.end.max(range.end);
                *count += 1;
            }
            _ => runs.push((range.clone(), 1)),
        }
    }
    runs
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for Chunks {
    type T = From;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut shared = self.lock();
        let bytes = match shared.part(start) {
            Some(part) => {
                let head = shared.head(part, start)?;
                shared.corrected(part, head)
            }
            None if shared.only_parts => {
                shared.beyond = Some(start);
                return Err(ParquetError::General("a column ends before its row group".to_owned()));
            }
            None => Bytes::new(),
        };
        Ok(From { chunks: self.clone(), at: start, bytes })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // The length is a claim of the file.
        if start.checked_add(length as u64).is_none_or(|end| end > self.bytes) {
            let (wanted, has) = (Count::of(length, "byte"), self.bytes);
            let are = wanted.verb("is", "are");
            let message = format!("{wanted} from byte {start} on {are} asked for; the file has {has}");
            return Err(ParquetError::EOF(message));
        }
        let mut shared = self.lock();
        if let Some(part) = shared.part(start) {
            let bytes = shared.window(part, start, length)?;
            if bytes.len() >= length {
                let bytes = bytes.slice(..length);
                // A page that the page index says is asked for with its head.
                if shared.parts.get(part).is_some_and(|part| part.range.start == start) {
                    shared.page(part, start, &bytes)?;
                    return Ok(shared.corrected(part, bytes));
                }
                return Ok(bytes);
            }
        }
        Ok(shared.read(start, length)?)
    }
}

/// A file from an offset on.
pub(super) struct From {
    chunks: Chunks,
    at: u64,
    /// Bytes read ahead.
    bytes: Bytes,
}

impl Read for From {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() {
            let left = usize::try_from(self.chunks.bytes.saturating_sub(self.at)).unwrap_or(usize::MAX);
            self.bytes = self.chunks.lock().read(self.at, left.min(HEAD))?;
        }
        let count = out.len().min(self.bytes.len());
        let read = self.bytes.split_to(count);
        out.get_mut(..count).unwrap_or_default().copy_from_slice(&read);
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}
