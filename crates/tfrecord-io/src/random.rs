//! Reader of any record of a file that has an index.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use tfxio_base::Count;

use crate::compression::{Compression, members};
use crate::frame::{FrameDecoder, HEADER_LEN, Header, OVERHEAD, Verify};
use crate::index::Index;
use crate::reader::{Record, open_file};
use crate::{Error, Kind, Limits, Result};

/// Reads records in any order, each with one seek and one read.
///
/// Works for files that are not compressed, and for gzip files whose members are described, as our writer's are: then a
/// whole member is read and inflated for a record, and kept until another one is needed. Other compressed files must be
/// read from their start.
///
/// Both checksums of each record are compared, and its length with that in the index. [`index`](crate::index) has an
/// example.
#[derive(Debug)]
pub struct RandomReader<R> {
    source: R,
    index: Arc<Index>,
    name: Option<Arc<str>>,
    limits: Limits,
    verify: Verify,
    /// The bytes as they are stored, of the record or member read last.
    stored: Vec<u8>,
    /// The inflated member, and where it begins in the uncompressed stream.
    inflated: Vec<u8>,
    inflated_at: Option<u64>,
}

impl RandomReader<File> {
    /// Opens a file that has an index beside it (see [`Index::open`]).
    ///
    /// # Errors
    ///
    /// As [`Index::open`]; and as [`new`](Self::new).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let index = Index::open(&path)?;
        Self::open_with(path, index)
    }

    /// Opens a file whose index was read or built elsewhere. That it fits is not checked here, but with each record.
    ///
    /// # Errors
    ///
    /// The file is missing, is a directory, or may not be read; and as [`new`](Self::new).
    pub fn open_with(path: impl AsRef<Path>, index: impl Into<Arc<Index>>) -> Result<Self> {
        let (file, name) = open_file(path.as_ref())?;
        Ok(Self::new(file, index).map_err(|error| error.in_file(Arc::clone(&name)))?.name(name))
    }
}

impl<R: Read + Seek> RandomReader<R> {
    /// Reads from `source`, of which `index` is the index.
    ///
    /// # Errors
    ///
    /// [`Kind::CompressionUnsupported`]: the file is compressed as one stream, so that no record can be read without
    /// those before.
    pub fn new(source: R, index: impl Into<Arc<Index>>) -> Result<Self> {
        let index = index.into();
        if index.compression() != Compression::None && index.members().is_empty() && !index.is_empty() {
            let compression = index.compression();
            return Err(Error::new(
                Kind::CompressionUnsupported,
                format!("this {compression} file is one stream, in which no record can be read without those before"),
            )
            .help("write it again as gzip with this crate's writer, which makes members, or without compression"));
        }
        Ok(Self {
            source,
            index,
            name: None,
            limits: Limits::default(),
            verify: Verify::All,
            stored: Vec::new(),
            inflated: Vec::new(),
            inflated_at: None,
        })
    }

    /// Names the source in errors. [`open`](RandomReader::open) uses the path.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Chooses the checksums to compare. Default: [`Verify::All`].
    pub fn verify(mut self, verify: Verify) -> Self {
        self.verify = verify;
        self
    }

    /// Sets the limits. [`Limits::record_bytes`] is also that of a member.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the number of records.
    pub fn len(&self) -> u64 {
        self.index.len()
    }

    /// Returns whether the file has no records.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Returns record `index`; the first one has number 0.
    ///
    /// # Errors
    ///
    /// - [`Kind::OutOfRange`]: the file does not have this record.
    /// - [`Kind::IndexStale`]: the record is not at the offset in the index.
    /// - [`Kind::PayloadCrc`] and the like: the record is damaged.
    /// - Reading fails.
    pub fn record(&mut self, index: u64) -> Result<Record<'_>> {
        let name = self.name.clone();
        self.read(index).map_err(|error| error.in_file_if_known(name.as_ref()))
    }

    fn read(&mut self, number: u64) -> Result<Record<'_>> {
        let index = Arc::clone(&self.index);
        let Some(frame) = index.frame(number) else {
            let records = index.len();
            return Err(Error::new(
                Kind::OutOfRange,
                format!("there is no record {number}: the file has {records}, numbered from 0"),
            ));
        };
        let length = frame.end - frame.start - OVERHEAD as u64;
        if length > self.limits.record_bytes {
            let limit = self.limits.record_bytes;
            return Err(Error::new(
                Kind::RecordTooLong,
                format!("the record has {}; the limit is {limit}", Count::of(length, "byte")),
            )
            .help("raise `record_bytes` if such records are real")
            .at_byte(frame.start)
            .at_record(number));
        }
        let bytes = if index.compression() == Compression::None {
            self.read_stored(frame.start, frame.end - frame.start)?;
            &self.stored[..]
        } else {
            let from = self.load_member(&index, number, frame.start)?;
            let from = usize::try_from(from).unwrap_or(usize::MAX);
            self.inflated.get(from..).unwrap_or_default()
        };
        let header = bytes.first_chunk::<HEADER_LEN>().map(Header::read);
        let Some(header) = header else { return Err(index.contradiction(number, "the file ends before")) };
        if self.verify != Verify::None && header.checked_length().is_none() {
            return Err(index.contradiction(number, "no record begins there"));
        }
        if header.claimed_length() != length {
            let found = header.claimed_length();
            return Err(index.contradiction(
                number,
                &format!("there is one of {}, not {length}", Count::of(found, "byte")),
            ));
        }
        let mut decoder =
            FrameDecoder::new().verify(self.verify).record_bytes(self.limits.record_bytes).start(frame.start);
        match decoder.decode_one(bytes).map_err(|error| error.at_record(number))? {
            Some(data) => Ok(Record { offset: frame.start, index: number, data }),
            None => Err(index.contradiction(number, "the file ends before the record does")),
        }
    }

    /// Reads the member of a record, unless it was the last one read. Returns the offset of the record in it.
    fn load_member(&mut self, index: &Index, number: u64, offset: u64) -> Result<u64> {
        let Some(member) = index.member_of(number) else {
            return Err(index.contradiction(number, "no gzip member holds it"));
        };
        if self.inflated_at != Some(member.offset) {
            self.inflated_at = None;
            self.read_stored(member.stored_offset, member.stored_len)?;
            members::inflate(&self.stored, member, self.limits.record_bytes, &mut self.inflated)?;
            self.inflated_at = Some(member.offset);
        }
        Ok(offset.saturating_sub(member.offset))
    }

    /// Reads `length` bytes, or as many as there are. The length is a claim of the index: memory is taken as bytes come.
    fn read_stored(&mut self, offset: u64, length: u64) -> Result<()> {
        let fail = |error| Error::io(error, "reading").at_stored_byte(offset);
        self.stored.clear();
        self.source.seek(SeekFrom::Start(offset)).map_err(fail)?;
        (&mut self.source).take(length).read_to_end(&mut self.stored).map_err(fail)?;
        Ok(())
    }
}
