//! A file's records in memory, framed; and a file as batches of records.

use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail};
use tfrecord_io::{
    BatchSize, Compression, Reader, ReaderBuilder, RecordBuffer, SliceReader, Split, SplitReader, Splitter,
    frame, splits,
};

use super::figure::Done;

/// Returns the compression of the file.
pub(super) fn compression(path: &Path) -> Result<Compression> {
    Ok(Reader::open(path)?.compression()?)
}

/// The file's bytes.
pub(super) fn file_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// All records of a file in contiguous memory.
pub(super) struct Framed {
    /// Bytes that the ranges index.
    pub(super) bytes: Vec<u8>,
    /// The payloads.
    pub(super) payloads: Vec<Range<usize>>,
}

impl Framed {
    /// Reads a file, whatever its compression.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let mut bytes = Vec::new();
        let mut payloads = Vec::new();
        if compression(path)? == Compression::None {
            bytes = file_bytes(path)?;
            let mut reader = SliceReader::new(&bytes);
            while let Some(record) = reader.next_record().with_context(|| path.display().to_string())? {
                let start = record.offset as usize + frame::HEADER_LEN;
                payloads.push(start..start + record.data.len());
            }
        } else {
            let mut reader = Reader::open(path)?;
            while let Some(record) = reader.next_record()? {
                payloads.push(bytes.len()..bytes.len() + record.data.len());
                bytes.extend_from_slice(record.data);
            }
        }
        Ok(Self { bytes, payloads })
    }

    /// The payload of a range.
    pub(super) fn payload(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }

    /// All records of these payloads, and their bytes in a file.
    pub(super) fn done(payloads: &[Range<usize>]) -> Done {
        let bytes = payloads.iter().map(|payload| (payload.len() + frame::OVERHEAD) as u64).sum();
        Done { records: payloads.len() as u64, bytes }
    }
}

/// A file, or a split of one, as batches of records.
pub(super) enum Batches {
    Whole(Box<Reader<File>>),
    Split(Box<SplitReader<File>>),
}

impl Batches {
    /// Opens a split of a file; the whole of it if it is [`Split::WHOLE`].
    pub(super) fn open(path: &Path, split: Split) -> Result<Self> {
        Ok(if split == Split::WHOLE {
            Self::Whole(Box::new(Reader::open(path)?))
        } else {
            let builder = ReaderBuilder::default().name(path.to_string_lossy());
            Self::Split(Box::new(SplitReader::from_splitter(Splitter::open(path)?, split, builder)?))
        })
    }

    /// The next batch, 0 records at the end.
    pub(super) fn read(&mut self, batch: &mut RecordBuffer, records: usize) -> Result<usize> {
        Ok(match self {
            Self::Whole(reader) => reader.read_batch(batch, BatchSize::records(records))?,
            Self::Split(reader) => reader.read_batch(batch, BatchSize::records(records))?,
        })
    }

    /// Offset of the next record in the uncompressed stream.
    pub(super) fn offset(&self) -> u64 {
        match self {
            Self::Whole(reader) => reader.offset(),
            Self::Split(reader) => reader.offset(),
        }
    }
}

/// One split a thread.
pub(super) fn splits_of(path: &Path, threads: usize) -> Result<Vec<Split>> {
    if threads == 1 {
        return Ok(vec![Split::WHOLE]);
    }
    match compression(path)? {
        Compression::None => {}
        other => bail!("{} is one {other} stream, which one thread reads: use --threads 1", path.display()),
    }
    let size = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len();
    Ok(splits::cut_into(size, threads as u64))
}
