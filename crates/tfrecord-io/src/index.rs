//! Index of a file's records: their number, their offsets, and a checksum of them all.
//!
//! A TFRecord file does not store its number of records, and to find the last one a reader must pass all others. An
//! [`Index`] is built in one pass and kept in a small file beside the data: `train.tfrecord.tfxi` for `train.tfrecord`.
//! With it, [`Index::len`] is known at once, [`RandomReader`](crate::RandomReader) reads any record, and
//! [`Index::splits`] cuts the file into equal parts.
//!
//! ```
//! use tfrecord_io::{FileWriter, Index, RandomReader};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("train.tfrecord");
//! let mut writer = FileWriter::create(&path)?;
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
//! compares both; if they differ, it answers [`IndexStale`](crate::Kind::IndexStale). Copying a file often changes
//! its time though not its contents: [`Index::open_with`] then compares the size only ([`Check::Size`]), or reads the whole
//! file ([`Check::Contents`]). Whatever is chosen, a reader compares the length and the checksums of each record that it
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
//! Varints are those of protobuf (seven bits a byte, low ones first), zigzag is `(n << 1) ^ (n >> 63)`. The records
//! follow each other without gaps, so their lengths give their offsets.

mod build;
mod file;
mod format;
mod hop;
mod splits;
mod stamp;
mod text;

use std::ops::Range;

pub use splits::RecordSplit;
pub use stamp::{Check, Stamp};

use crate::compression::{Compression, members::Member};
use crate::frame::OVERHEAD;

/// The records of one file. See [`index`](crate::index).
///
/// In memory it takes eight bytes a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    compression: Compression,
    stamp: Stamp,
    crc32_of_payloads: Option<u32>,
    /// Offset of each record, and the end of the last one.
    offsets: Vec<u64>,
    members: Vec<Member>,
}

impl Index {
    /// Returns the index of an uncompressed file whose payloads were not read.
    fn of_offsets(stamp: Stamp, offsets: Vec<u64>) -> Self {
        Self { compression: Compression::None, stamp, crc32_of_payloads: None, offsets, members: Vec::new() }
    }

    /// Returns the number of records.
    pub fn len(&self) -> u64 {
        self.offsets.len().saturating_sub(1) as u64
    }

    /// Returns whether the file has no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the offset of the header of record `index` in the uncompressed stream.
    pub fn offset(&self, index: u64) -> Option<u64> {
        self.frame(index).map(|frame| frame.start)
    }

    /// Returns the length of the payload of record `index`, in bytes.
    pub fn length(&self, index: u64) -> Option<u64> {
        self.frame(index).map(|frame| frame.end - frame.start - OVERHEAD as u64)
    }

    /// Returns the bytes of record `index` in the uncompressed stream, with header and footer.
    pub fn frame(&self, index: u64) -> Option<Range<u64>> {
        let index = usize::try_from(index).ok()?;
        Some(*self.offsets.get(index)?..*self.offsets.get(index.checked_add(1)?)?)
    }

    /// Returns the record that holds byte `offset` of the uncompressed stream.
    pub fn record_at(&self, offset: u64) -> Option<u64> {
        let behind = self.offsets.partition_point(|&start| start <= offset) as u64;
        behind.checked_sub(1).filter(|&index| index < self.len())
    }

    /// Returns the size of the uncompressed stream in bytes.
    pub fn uncompressed_bytes(&self) -> u64 {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Returns the number of bytes in all payloads.
    pub fn payload_bytes(&self) -> u64 {
        self.uncompressed_bytes() - self.len() * OVERHEAD as u64
    }

    /// Returns the CRC-32 (IEEE) of all payloads in order; `None` in an index that was made from a text index.
    pub fn crc32_of_payloads(&self) -> Option<u32> {
        self.crc32_of_payloads
    }

    /// Returns the compression of the file.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Returns the state of the file when the index was built.
    pub fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Returns the gzip members, if the file describes them (our writer's do): they can be inflated independently.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns the member that holds record `index`.
    pub fn member_of(&self, index: u64) -> Option<&Member> {
        let behind = self.members.partition_point(|member| member.first_record <= index);
        let member = self.members.get(behind.checked_sub(1)?)?;
        (index - member.first_record < member.records).then_some(member)
    }

    fn offset_of(&self, record: u64) -> Option<u64> {
        self.offsets.get(usize::try_from(record).ok()?).copied()
    }
}
