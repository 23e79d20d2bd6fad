//! Search for the record at which a cut begins.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use tfxio_base::Count;

use super::{Split, cut};
use crate::frame::{FrameDecoder, HEADER_LEN, Header, OVERHEAD, Verify};
use crate::reader::open_file;
use crate::scan::find_header;
use crate::scan::window::Window;
use crate::{Error, Kind, Limits, Result};

/// Number of headers in broken chains from which a payload is judged to be made of headers, so that hopping is cheaper.
const MOST_DEAD: usize = 1 << 18;

/// Number of bytes of payloads whose checksums do not fit from which hopping is cheaper, too.
const MOST_COMPARED: u64 = 4 << 30;

/// Finds the records at which the splits of one uncompressed file begin. See [`splits`](crate::splits).
///
/// ```
/// use std::io::Cursor;
/// use tfrecord_io::{Splitter, frame};
///
/// let mut file = Vec::new();
/// frame::append(&mut file, b"first");
/// frame::append(&mut file, b"second");
///
/// let mut splitter = Splitter::new(Cursor::new(&file))?;
/// assert_eq!(splitter.first_record(0)?, 0);
/// assert_eq!(splitter.first_record(1)?, 21);
/// assert_eq!(splitter.first_record(21)?, 21);
/// // No record starts here or later: the end of the file.
/// assert_eq!(splitter.first_record(22)?, file.len() as u64);
/// assert_eq!(splitter.hop_to(1)?, 21);
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Splitter<R> {
    window: Window<R>,
    name: Option<Arc<str>>,
    confirm_bytes: u64,
    record_bytes: u64,
    /// A record that hopping has come to, so that the next hop need not begin at 0.
    hopped_to: u64,
    start_is_checked: bool,
}

impl Splitter<File> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// The file is missing, is a directory, or may not be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let (file, name) = open_file(path.as_ref())?;
        Ok(Self::new(file).map_err(|error| error.in_file(Arc::clone(&name)))?.name(name))
    }
}

impl<R: Read + Seek> Splitter<R> {
    /// The default of [`Splitter::confirm_bytes`]: 8 MiB.
    pub const DEFAULT_CONFIRM_BYTES: u64 = 8 << 20;

    /// Returns a splitter of what `source` holds from its first byte on.
    ///
    /// # Errors
    ///
    /// The size of the source cannot be determined.
    pub fn new(source: R) -> Result<Self> {
        Ok(Self {
            window: Window::new(source)?,
            name: None,
            confirm_bytes: Self::DEFAULT_CONFIRM_BYTES,
            record_bytes: Limits::default().record_bytes,
            hopped_to: 0,
            start_is_checked: false,
        })
    }

    /// Names the source in errors. [`open`](Splitter::open) uses the path.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the distance for which a chain of headers must hold before its first header is taken for a record of the
    /// file, unless it reaches the end of the file before. Default: 8 MiB. More is safer against payloads that hold
    /// TFRecord data and reads more; `u64::MAX` follows every chain to the end of the file.
    ///
    /// **All readers of a file must use the same value**, or they may disagree about where a split begins.
    pub fn confirm_bytes(mut self, bytes: u64) -> Self {
        self.confirm_bytes = bytes;
        self
    }

    /// Sets the maximum length of a payload in bytes. Default: 2 GiB − 1, as for readers.
    pub fn record_bytes(mut self, bytes: u64) -> Self {
        self.record_bytes = bytes;
        self
    }

    /// Returns the size of the file in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.window.len()
    }

    /// Returns the source.
    pub fn into_inner(self) -> R {
        self.window.into_inner()
    }

    /// Returns the offset of the first record that starts at or after `cut`, found by scanning; without one, the size of
    /// the file. [When it is exact](crate::splits#when-scanning-is-exact).
    ///
    /// # Errors
    ///
    /// - Reading fails.
    /// - [`Kind::NotTfRecord`], [`Kind::HeaderCrc`]: the file does not begin with a record. It may be compressed.
    /// - [`Kind::HeaderCrc`]: no record starts within the longest distance that a record can have.
    pub fn first_record(&mut self, cut: u64) -> Result<u64> {
        self.scan_from(cut).map_err(|error| error.in_file_if_known(self.name.as_ref()))
    }

    /// Returns the offset of the first record that starts at or after `cut`, found by hopping from header to header, from the
    /// start of the file or from where the call before ended. Always exact; the size of the file if there is
    /// none.
    ///
    /// # Errors
    ///
    /// - Reading fails.
    /// - [`Kind::HeaderCrc`], [`Kind::Truncated`]: the file is damaged before `cut`.
    pub fn hop_to(&mut self, cut: u64) -> Result<u64> {
        let mut at = if self.hopped_to <= cut { self.hopped_to } else { 0 };
        while at < cut && at < self.window.len() {
            at = match self.window.frame_end(at, self.record_bytes) {
                Ok(Some(end)) => end,
                Ok(None) => return Err(self.damage(at).in_file_if_known(self.name.as_ref())),
                Err(error) => return Err(error.in_file_if_known(self.name.as_ref())),
            };
            if at <= cut {
                self.hopped_to = at;
            }
        }
        Ok(at)
    }

    /// Returns splits of about `target_bytes` that begin at records, found by scanning. A record longer than that gives a
    /// longer split. No split is empty, unless the file is.
    ///
    /// # Errors
    ///
    /// As [`first_record`](Self::first_record).
    pub fn splits(&mut self, target_bytes: u64) -> Result<Vec<Split>> {
        self.plan(target_bytes, Self::first_record)
    }

    /// As [`splits`](Self::splits), found by hopping: always exact, but reads every header of the file.
    ///
    /// # Errors
    ///
    /// As [`hop_to`](Self::hop_to).
    pub fn exact_splits(&mut self, target_bytes: u64) -> Result<Vec<Split>> {
        self.plan(target_bytes, Self::hop_to)
    }

    fn plan(
        &mut self,
        target_bytes: u64,
        find: impl Fn(&mut Self, u64) -> Result<u64>,
    ) -> Result<Vec<Split>> {
        let bytes = self.file_bytes();
        let mut splits: Vec<Split> = Vec::new();
        let mut start = 0;
        for range in cut(bytes, target_bytes) {
            // A record before has gone over this cut.
            if range.end <= start {
                continue;
            }
            let end = find(self, range.end)?;
            if end > start {
                splits.push(Split::new(start, end));
                start = end;
            }
        }
        Ok(splits)
    }

    fn scan_from(&mut self, cut: u64) -> Result<u64> {
        let len = self.window.len();
        if cut == 0 || cut >= len {
            return Ok(cut.min(len));
        }
        self.check_start()?;
        // Positions from which no chain leads on, so that none is followed twice.
        let mut dead = HashSet::new();
        // A record that began before the cut ends within this distance, and another begins, or the file ends.
        let farthest = cut.saturating_add(self.record_bytes).saturating_add(OVERHEAD as u64);
        let mut from = cut;
        let mut compared = 0u64;
        while let Some(candidate) = self.next_candidate(from, farthest)? {
            if !dead.contains(&candidate) && self.chain_holds(candidate, &mut dead)? {
                // A header in a payload may happen to point at the end of the true record, but both cannot have the
                // same footer.
                match self.window.frame_end(candidate, self.record_bytes)? {
                    Some(end) if self.window.payload_fits(candidate, end)? => return Ok(candidate),
                    Some(end) => compared = compared.saturating_add(end - candidate),
                    None => {}
                }
            }
            if dead.len() > MOST_DEAD || compared > MOST_COMPARED {
                return self.hop_to(cut);
            }
            from = candidate + 1;
        }
        if farthest < len { Err(Self::no_record(cut)) } else { Ok(len) }
    }

    /// Returns the first position in `from..=last` that holds a header.
    fn next_candidate(&mut self, mut from: u64, last: u64) -> Result<Option<u64>> {
        let len = self.window.len();
        let record_bytes = self.record_bytes;
        while from <= last {
            let room = len.saturating_sub(from).saturating_sub(OVERHEAD as u64);
            let bytes = self.window.load(from, OVERHEAD)?;
            if bytes.len() < OVERHEAD {
                break;
            }
            let mut at = 0;
            while let Some(found) = find_header(bytes, at, room.min(record_bytes)) {
                let position = from + found.position as u64;
                // The room gets smaller after `from`.
                if found.length <= len.saturating_sub(position).saturating_sub(OVERHEAD as u64) {
                    return Ok((position <= last).then_some(position));
                }
                at = found.position + 1;
            }
            from += (bytes.len() - (HEADER_LEN - 1)) as u64;
        }
        Ok(None)
    }

    /// Returns whether headers lead from `start` to the end of the file or far enough. If not, all of them are dead.
    fn chain_holds(&mut self, start: u64, dead: &mut HashSet<u64>) -> Result<bool> {
        let enough = start.saturating_add(self.confirm_bytes);
        let mut at = start;
        let mut links = 0u32;
        let holds = loop {
            if at == self.window.len() {
                break true;
            }
            // One header alone could be an accident.
            if at >= enough && links >= 2 {
                break true;
            }
            if dead.contains(&at) {
                break false;
            }
            match self.window.frame_end(at, self.record_bytes)? {
                Some(end) => at = end,
                None => break false,
            }
            links = links.saturating_add(1);
        };
        if !holds {
            let stop = at;
            at = start;
            while at < stop && dead.len() <= MOST_DEAD {
                dead.insert(at);
                match self.window.frame_end(at, self.record_bytes)? {
                    Some(end) => at = end,
                    None => break,
                }
            }
        }
        Ok(holds)
    }

    /// Fails for a file of another kind, which is better named at once than scanned for records.
    fn check_start(&mut self) -> Result<()> {
        if !self.start_is_checked {
            let start = self.window.load(0, HEADER_LEN)?;
            FrameDecoder::new().verify(Verify::Headers).decode_one(start)?;
            self.start_is_checked = true;
        }
        Ok(())
    }

    /// Returns the reason why `at`, where a frame must begin, does not have one.
    fn damage(&mut self, at: u64) -> Error {
        let left = self.window.len().saturating_sub(at);
        let max = self.record_bytes;
        let header = match self.window.load(at, HEADER_LEN) {
            Ok(bytes) => bytes.first_chunk().map(Header::read),
            Err(error) => return error,
        };
        let error = match header {
            Some(header) if header.checked_length().is_none() => Error::new(
                Kind::HeaderCrc,
                "the checksum of the record's length does not match, so the next record cannot be found",
            )
            .help("the file is damaged here; salvage mode finds the next good record"),
            Some(header) if header.claimed_length() > max => Error::new(
                Kind::RecordTooLong,
                format!(
                    "the record claims {}; the limit is {max}",
                    Count::of(header.claimed_length(), "byte")
                ),
            )
            .help("raise `record_bytes` if such records are real"),
            _ => {
                let left = Count::of(left, "byte");
                let what = format!("the file ends {left} after the start of this record, inside of it");
                Error::new(Kind::Truncated, what).help(
                    "the file was not written or copied to its end; copy it again, or salvage the records before this",
                )
            }
        };
        error.at_byte(at)
    }

    fn no_record(at: u64) -> Error {
        Error::new(Kind::HeaderCrc, "no record begins here or later, as far as a record can reach")
            .help("the file is damaged; salvage mode finds its good records")
            .at_byte(at)
    }
}
