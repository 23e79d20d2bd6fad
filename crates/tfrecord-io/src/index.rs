//! An index of a file's records: how many there are, where each one is, and a checksum of them all.
//!
//! A TFRecord file does not say how many records it holds, and to find the last one a reader must pass all others. An
//! [`Index`] is built in one pass and kept in a small file beside the data: `train.tfrecord.tfxi` for `train.tfrecord`.
//! With it, [`Index::len`] is known at once, [`RandomReader`](crate::RandomReader) reads any record, and
//! [`Index::splits`] cuts the file into equal parts.
//!
//! ```
//! use tfrecord_io::{Index, RandomReader, WriterBuilder};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("train.tfrecord");
//! let mut writer = WriterBuilder::new().create(&path)?;
//! for i in 0..1000 {
//!     writer.write(format!("record {i}").as_bytes())?;
//! }
//! writer.finish()?;
//!
//! let index = Index::build(&path)?;
//! assert_eq!(index.len(), 1000);
//! index.write_beside(&path)?;
//!
//! // Later, elsewhere. An index that does not fit the file any more is an error.
//! let mut reader = RandomReader::open(&path)?;
//! assert_eq!(reader.record(567)?.data, b"record 567");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stale indexes
//!
//! An index remembers the size of its file and when the file was modified, or the ETag of an object. [`Index::open`]
//! compares both; if they differ, it answers [`ErrorKind::IndexStale`]. Copying a file often changes its time though
//! not its contents: [`Index::open_with`] then compares the size only ([`Check::Size`]), or reads the whole file
//! ([`Check::Contents`]). Whatever is chosen, a reader compares the length and the checksums of each record that it
//! reads, so that a stale index gives an error and never wrong bytes.
//!
//! # Format
//!
//! This format will not change. A later one would have another version, and this crate would read both. All numbers
//! are little-endian.
//!
//! ```text
//!  byte  size
//!     0     8  89 54 46 58 49 0D 0A 1A ("\x89TFXI\r\n\x1a"; the last bytes show whether it was copied as text)
//!     8     4  version: 1
//!    12     1  compression of the data: 0 none, 1 gzip, 2 zlib
//!    13     1  what is known: bit 0 the time, bit 1 the ETag, bit 2 the checksum; the other bits are 0
//!    14     2  0
//!    16     8  size of the data file
//!    24     8  time of its last modification, in nanoseconds since 1970-01-01 UTC, signed; 0 if not known
//!    32     8  number of records
//!    40     8  size of the uncompressed data
//!    48     4  CRC-32 (of IEEE, as in gzip) of all payloads in order, without anything between; 0 if not known
//!    52     4  E, the size of the ETag
//!    56     8  number of gzip members
//!    64     8  R, the size of the record table
//!    72     8  M, the size of the member table
//!    80     E  the ETag, UTF-8
//!  80+E     R  record table: for each record, the length of its payload minus that of the record before (0 before
//!              the first), zigzag-coded and as a varint
//!   ...     M  member table: for each member, three varints: its size in the file, its size uncompressed, its number
//!              of records. Empty if the members are not described in the file (see compression::members)
//!   ...     4  CRC-32C of all bytes before
//! ```
//!
//! Varints are those of protobuf (seven bits a byte, low ones first), zigzag is `(n << 1) ^ (n >> 63)`. The records lie
//! one behind the other, so their lengths say where each begins.

mod build;
mod format;
mod stamp;
mod text;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use stamp::{Check, Stamp};

use crate::compression::{Compression, members::Member};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::OVERHEAD;
use crate::splits::{Split, share};

/// The records of one file. See [`index`](crate::index).
///
/// In memory it takes eight bytes a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    compression: Compression,
    stamp: Stamp,
    crc32_of_payloads: Option<u32>,
    /// Where each record begins, and the end of the last one.
    offsets: Vec<u64>,
    members: Vec<Member>,
}

/// A part of a file that holds whole records, from an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSplit {
    /// The bytes in the uncompressed stream, from the first record to behind the last.
    pub bytes: Split,
    /// The numbers of the records.
    pub records: Range<u64>,
}

/// The first of `parts` equal parts of `whole` that begins behind `place`.
fn part_behind(place: u64, whole: u64, parts: u64) -> u64 {
    let part = u128::from(place) * u128::from(parts) / u128::from(whole.max(1)) + 1;
    u64::try_from(part).unwrap_or(parts)
}

impl Index {
    /// Number of records.
    pub fn len(&self) -> u64 {
        self.offsets.len().saturating_sub(1) as u64
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the header of record `index` stands in the uncompressed stream.
    pub fn offset(&self, index: u64) -> Option<u64> {
        self.frame(index).map(|frame| frame.start)
    }

    /// The length of the payload of record `index`, in bytes.
    pub fn length(&self, index: u64) -> Option<u64> {
        self.frame(index).map(|frame| frame.end - frame.start - OVERHEAD as u64)
    }

    /// The bytes of record `index` in the uncompressed stream, with header and footer.
    pub fn frame(&self, index: u64) -> Option<Range<u64>> {
        let index = usize::try_from(index).ok()?;
        Some(*self.offsets.get(index)?..*self.offsets.get(index.checked_add(1)?)?)
    }

    /// The record that holds byte `offset` of the uncompressed stream.
    pub fn record_at(&self, offset: u64) -> Option<u64> {
        let behind = self.offsets.partition_point(|&start| start <= offset) as u64;
        behind.checked_sub(1).filter(|&index| index < self.len())
    }

    /// Size of the uncompressed stream in bytes.
    pub fn uncompressed_bytes(&self) -> u64 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Bytes in all payloads.
    pub fn payload_bytes(&self) -> u64 {
        self.uncompressed_bytes() - self.len() * OVERHEAD as u64
    }

    /// CRC-32 (IEEE) of all payloads in order; `None` in an index that was made from a text index.
    pub fn crc32_of_payloads(&self) -> Option<u32> {
        self.crc32_of_payloads
    }

    /// The compression of the file.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The state of the file when the index was built.
    pub fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// The gzip members, if the file describes them (our writer's do): they can be inflated independently.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The member that holds record `index`.
    pub fn member_of(&self, index: u64) -> Option<&Member> {
        let behind = self.members.partition_point(|member| member.first_record <= index);
        let member = self.members.get(behind.checked_sub(1)?)?;
        (index - member.first_record < member.records).then_some(member)
    }

    /// Splits of about `target_bytes` of the uncompressed stream each, balanced, none empty. For a compressed file they
    /// begin at members; one without described members is a single split.
    ///
    /// ```
    /// use tfrecord_io::{Index, frame, index::Stamp};
    /// let mut file = Vec::new();
    /// for _ in 0..10 {
    ///     frame::append(&mut file, &[0; 84]);
    /// }
    /// let index = Index::from_reader(&file[..], Stamp::new(file.len() as u64))?;
    /// let splits = index.splits(500);
    /// assert_eq!(splits.len(), 2);
    /// assert_eq!(splits[1].records, 5..10);
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn splits(&self, target_bytes: u64) -> Vec<RecordSplit> {
        let bytes = self.uncompressed_bytes();
        let count = bytes.div_ceil(target_bytes.max(1));
        self.cut(|start| {
            let part = part_behind(self.place(start).unwrap_or(bytes), bytes, count);
            let cut = share(bytes, part, count);
            self.offsets.partition_point(|&start| start < cut) as u64
        })
    }

    /// `count` splits with equal numbers of records, as far as that is possible; none empty. For a compressed file as
    /// [`splits`](Self::splits).
    pub fn splits_by_records(&self, count: u64) -> Vec<RecordSplit> {
        let (len, count) = (self.len(), count.clamp(1, self.len().max(1)));
        self.cut(|start| share(len, part_behind(start, len, count), count))
    }

    /// Cuts at the records that `end` gives for the start of each split.
    fn cut(&self, end: impl Fn(u64) -> u64) -> Vec<RecordSplit> {
        let mut splits = Vec::new();
        let mut start = 0;
        while start < self.len() {
            let end = self.unit_start(end(start).max(start + 1));
            let (Some(from), Some(to)) = (self.place(start), self.place(end)) else { break };
            splits.push(RecordSplit { bytes: Split::new(from, to), records: start..end });
            start = end;
        }
        splits
    }

    /// The first record of the smallest part of the file that can be read alone and begins at or behind `record`.
    fn unit_start(&self, record: u64) -> u64 {
        if self.compression == Compression::None {
            return record.min(self.len());
        }
        let next = self.members.partition_point(|member| member.first_record < record);
        self.members.get(next).map_or(self.len(), |member| member.first_record)
    }

    fn place(&self, record: u64) -> Option<u64> {
        self.offsets.get(usize::try_from(record).ok()?).copied()
    }

    /// The path of the index of `data`: its name with `.tfxi` behind.
    ///
    /// ```
    /// use std::path::Path;
    /// use tfrecord_io::Index;
    /// assert_eq!(Index::path_for("a/b.tfrecord"), Path::new("a/b.tfrecord.tfxi"));
    /// ```
    pub fn path_for(data: impl AsRef<Path>) -> PathBuf {
        let mut name = data.as_ref().as_os_str().to_owned();
        name.push(".tfxi");
        name.into()
    }

    /// Reads the index that stands beside the file `data`, and checks that it fits ([`Check::Stamp`]).
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::NotFound`]: there is no index, or no file.
    /// - [`ErrorKind::IndexCorrupt`]: the index is damaged.
    /// - [`ErrorKind::IndexStale`]: the file was changed since the index was built.
    pub fn open(data: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(data, Check::Stamp)
    }

    /// As [`open`](Self::open), with another check.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), and for [`Check::Contents`] those of reading the file.
    pub fn open_with(data: impl AsRef<Path>, check: Check) -> Result<Self> {
        let data = data.as_ref();
        let path = Self::path_for(data);
        let name: Arc<str> = path.to_string_lossy().into();
        let bytes = fs::read(&path).map_err(|error| {
            let error = Error::io(error, "reading the index").in_file(&name);
            if error.kind() == ErrorKind::NotFound {
                error.with_hint("build it first (`tfxio index FILE`)")
            } else {
                error
            }
        })?;
        let index = Self::from_bytes(&bytes).map_err(|error| error.in_file(&name))?;
        index.check_file(data, check)?;
        Ok(index)
    }

    /// Writes the index beside the file `data`, whole or not at all, in place of an older one. Returns its path.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn write_beside(&self, data: impl AsRef<Path>) -> Result<PathBuf> {
        let path = Self::path_for(data);
        crate::writer::write_whole(&path, &self.to_bytes())?;
        Ok(path)
    }

    /// Checks that the file `data` is still the one that was indexed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::IndexStale`] if it is not, or the error of reading it.
    pub fn check_file(&self, data: impl AsRef<Path>, check: Check) -> Result<()> {
        let data = data.as_ref();
        let name: Arc<str> = data.to_string_lossy().into();
        let now = Stamp::of_file(data)?;
        match check {
            Check::Stamp => self.stamp.check(&now),
            Check::Size => self.stamp.check(&Stamp::new(now.file_bytes)),
            Check::Contents => {
                self.stamp.check(&Stamp::new(now.file_bytes))?;
                let found = Self::build(data)?;
                let same = found.offsets == self.offsets
                    && self.crc32_of_payloads.is_none_or(|crc| found.crc32_of_payloads == Some(crc));
                if same {
                    Ok(())
                } else {
                    Err(stamp::stale("the records of the file are others than those indexed"))
                }
            }
        }
        .map_err(|error| error.in_file(&name))
    }
}
