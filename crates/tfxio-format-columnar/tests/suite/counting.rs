//! The local file system, whose reads are counted.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tfxio_core::{Cancel, Input, LocalStore, Result, Store};

/// Counts of reads.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    pub bytes: u64,
    pub reads: u64,
    /// Bytes of the largest read.
    pub largest: u64,
    /// Ranges that were announced.
    pub announced: Vec<Range<u64>>,
    /// Bytes that were read outside of the ranges that were announced last.
    pub unannounced: u64,
}

#[derive(Debug, Default)]
pub struct Counts(Mutex<Reads>);

impl Counts {
    /// Returns what was read since the last call.
    pub fn take(&self) -> Reads {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Counts what is read, of all files.
#[derive(Debug, Default)]
pub struct Counting(pub Arc<Counts>);

impl Store for Counting {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        LocalStore.list(pattern)
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        LocalStore.size(name)
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        let inner = LocalStore.open(name, range.clone(), cancel)?;
        Ok(Box::new(Counted { inner, at: range.start, counts: Arc::clone(&self.0), announced: Vec::new() }))
    }

    fn local_path(&self, _: &str) -> Option<PathBuf> {
        None
    }
}

struct Counted {
    inner: Box<dyn Input>,
    at: u64,
    counts: Arc<Counts>,
    announced: Vec<Range<u64>>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(out)? as u64;
        let read = self.at..self.at + count;
        self.at = read.end;
        let mut counts = self.counts.0.lock().unwrap();
        counts.bytes += count;
        counts.reads += 1;
        counts.largest = counts.largest.max(count);
        if !self.announced.iter().any(|range| range.start <= read.start && read.end <= range.end) {
            counts.unannounced += count;
        }
        Ok(count as usize)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.at = self.inner.seek(to)?;
        Ok(self.at)
    }
}

impl Input for Counted {
    fn size(&self) -> Option<u64> {
        self.inner.size()
    }

    fn will_read(&mut self, ranges: &[Range<u64>]) {
        self.announced = ranges.to_vec();
        self.counts.0.lock().unwrap().announced.extend_from_slice(ranges);
    }
}
