//! An input as Parquet's reader wants it: any part at any time.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use tfxio_core::Input;

/// A file from which several columns are read in turn.
#[derive(Clone)]
pub(super) struct Chunks {
    file: Arc<Mutex<Box<dyn Input>>>,
    bytes: u64,
}

impl Chunks {
    pub(super) fn new(file: Box<dyn Input>, bytes: u64) -> Self {
        Self { bytes, file: Arc::new(Mutex::new(file)) }
    }

    /// Returns the number of bytes of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Says which ranges are read next.
    pub(super) fn will_read(&self, ranges: &[Range<u64>]) {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).will_read(ranges);
    }

    /// Reads from `at` on; `most` says how much of what follows is wanted as well.
    fn read_at(&self, at: u64, out: &mut [u8], most: u64) -> io::Result<usize> {
        // A seek comes before every read, so that a thread that has panicked leaves nothing wrong.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.read_ahead(at.saturating_add(most));
        file.seek(SeekFrom::Start(at))?;
        file.read(out)
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(From { chunks: self.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // The length is a claim of the file.
        let end = start.checked_add(length as u64).filter(|end| *end <= self.bytes);
        let Some(end) = end else {
            let message =
                format!("{length} bytes from byte {start} on are asked for; the file has {}", self.bytes);
            return Err(ParquetError::EOF(message));
        };
        let mut bytes = vec![0; length];
        let mut at = start;
        while at < end {
            let filled = length - usize::try_from(end - at).unwrap_or(length);
            match self.read_at(at, bytes.get_mut(filled..).unwrap_or_default(), end - at) {
                Ok(0) => return Err(ParquetError::EOF(format!("the file ends at byte {at}"))),
                Ok(count) => at += count as u64,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(bytes.into())
    }
}

/// A file from an offset on.
pub(super) struct From {
    chunks: Chunks,
    at: u64,
}

impl Read for From {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.chunks.read_at(self.at, out, out.len() as u64)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}
