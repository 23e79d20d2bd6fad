//! Indexing in one pass over a file.

use std::io::{Read, Seek};
use std::path::Path;

use crc_fast::{CrcAlgorithm, Digest};

use super::{Index, Stamp, stamp::stale};
use crate::BatchSize;
use crate::compression::{
    Compression,
    members::{self, Member},
};
use crate::frame::OVERHEAD;
use crate::reader::{Reader, ReaderBuilder, RecordBuffer, open_file};
use crate::{Error, Kind, Result};

impl Index {
    /// Reads a file and indexes it. Both checksums of every record are compared: a damaged file has no index (repair it
    /// first, see [`salvage`](crate::salvage)).
    ///
    /// # Errors
    ///
    /// - As [`Reader::next_record`](crate::Reader::next_record).
    /// - [`Kind::IndexStale`]: the file was changed while it was read.
    pub fn build(path: impl AsRef<Path>) -> Result<Self> {
        Self::build_with(Reader::builder(path))
    }

    /// Reads the file of a builder with its settings and indexes it, as [`build`](Self::build) does.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn build_with<P: AsRef<Path>>(builder: ReaderBuilder<P>) -> Result<Self> {
        let path = &builder.path().to_path_buf();
        let stamp = Stamp::of_file(path)?;
        let mut index = Self::from_records(builder.open()?, stamp)?;
        if index.compression == Compression::Gzip {
            let (file, name) = open_file(path)?;
            index.describe_members(file).map_err(|error| error.in_file(name))?;
        }
        index.check_file(path, super::Check::Stamp)?;
        Ok(index)
    }

    /// Reads a file of any kind from its start and indexes it. The members of a gzip file are not known then: see
    /// [`describe_members`](Self::describe_members).
    ///
    /// # Errors
    ///
    /// As [`Reader::next_record`](crate::Reader::next_record).
    pub fn from_reader(source: impl Read, stamp: Stamp) -> Result<Self> {
        Self::from_records(Reader::new(source), stamp)
    }

    /// Indexes what a reader reads from its start, with its settings. The members of a gzip file are not known then, as with
    /// [`from_reader`](Self::from_reader).
    ///
    /// # Errors
    ///
    /// As [`Reader::next_record`](crate::Reader::next_record).
    pub fn from_records<R: Read>(mut reader: Reader<R>, stamp: Stamp) -> Result<Self> {
        let compression = reader.compression()?;
        let mut offsets = Vec::new();
        let mut crc = Digest::new(CrcAlgorithm::Crc32IsoHdlc);
        let mut batch = RecordBuffer::new();
        while reader.read_batch(&mut batch, BatchSize::records(4096).and_bytes(1 << 20))? > 0 {
            for record in &batch {
                offsets.push(record.offset);
                crc.update(record.data);
            }
        }
        offsets.push(reader.offset());
        // A CRC-32 is in the low half.
        let crc32_of_payloads = Some(crc.finalize() as u32);
        Ok(Self { compression, stamp, crc32_of_payloads, offsets, members: Vec::new() })
    }

    /// Adds the members of a gzip file, as far as their headers describe them, so that it can be read at random and in
    /// parallel. Returns whether they do. [`build`](Self::build) has done this.
    ///
    /// # Errors
    ///
    /// - Reading or seeking fails.
    /// - [`Kind::Decompress`]: the descriptions contradict the records.
    pub fn describe_members(&mut self, file: impl Read + Seek) -> Result<bool> {
        let Some(members) = members::hop(file)? else { return Ok(false) };
        if !self.members_fit(&members) {
            return Err(Error::new(
                Kind::Decompress,
                "the headers of the gzip members describe other records than they hold",
            )
            .help("the file can be read from start to end; write it again to read it at random"));
        }
        self.members = members;
        Ok(true)
    }

    /// Returns whether members describe these records: each begins where one of them begins, and together they hold all.
    pub(super) fn members_fit(&self, members: &[Member]) -> bool {
        let mut stored = 0u64;
        let mut first = 0u64;
        for member in members {
            let fits = member.stored_offset == stored
                && member.first_record == first
                && Some(member.offset) == self.offset_of(first)
                && first.checked_add(member.records).and_then(|end| self.offset_of(end))
                    == member.offset.checked_add(member.uncompressed_len);
            if !fits {
                return false;
            }
            let Some(end) = stored.checked_add(member.stored_len) else { return false };
            stored = end;
            first += member.records;
        }
        // Padding may follow.
        first == self.len() && stored <= self.stamp.file_bytes
    }

    /// Returns the index of records of which the lengths of the payloads are known. `None` if they are too long for 64 bits.
    pub(super) fn offsets_of(
        lengths: impl Iterator<Item = Option<u64>>,
        offsets: &mut Vec<u64>,
    ) -> Option<()> {
        let mut at = 0u64;
        offsets.push(at);
        for length in lengths {
            at = at.checked_add(length?)?.checked_add(OVERHEAD as u64)?;
            offsets.push(at);
        }
        Some(())
    }

    /// Returns the error for an index that contradicts its file at `record`.
    pub(crate) fn contradiction(&self, record: u64, what: &str) -> Error {
        let error = stale(format!("record {record} is not where the index says: {what}")).at_record(record);
        match self.offset(record) {
            Some(offset) => error.at_byte(offset),
            None => error,
        }
    }
}
