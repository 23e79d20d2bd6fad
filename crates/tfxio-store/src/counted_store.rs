//! Counting what is read of the inputs.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tfxio_core::{Cancel, Input, OutputFile, Result, Store};

/// Called with the number of bytes that were read.
type Watch = Arc<dyn Fn(u64) + Send + Sync>;

/// Bytes that were read of all files.
#[derive(Default)]
pub struct Counter {
    bytes: AtomicU64,
    watch: Mutex<Option<Watch>>,
}

impl Counter {
    /// Returns the number of bytes that were read.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Counts from 0 again, and calls `watch` after each read.
    pub fn restart(&self, watch: Option<Watch>) {
        *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = watch;
        self.bytes.store(0, Ordering::Relaxed);
    }

    fn add(&self, bytes: usize) {
        let all = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed).saturating_add(bytes as u64);
        let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(watch) = watch {
            watch(all);
        }
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counter").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// A store that counts what is read.
#[derive(Debug)]
pub struct CountedStore {
    /// The store that is read.
    pub store: Arc<dyn Store>,
    /// Counter of the bytes.
    pub counter: Arc<Counter>,
}

impl Store for CountedStore {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        self.store.list(pattern)
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        self.store.size(name)
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        let input = self.store.open(name, range, cancel)?;
        Ok(Box::new(CountedInput { input, counter: Arc::clone(&self.counter) }))
    }

    fn will_open(&self, coming: Vec<(Arc<str>, Range<u64>)>) -> Box<dyn Send> {
        self.store.will_open(coming)
    }

    fn local_path(&self, name: &str) -> Option<PathBuf> {
        self.store.local_path(name)
    }

    fn version(&self, name: &str) -> Result<Option<String>> {
        self.store.version(name)
    }

    fn create(&self, name: &str, overwrite: bool) -> Result<OutputFile> {
        self.store.create(name, overwrite)
    }
}

struct CountedInput {
    input: Box<dyn Input>,
    counter: Arc<Counter>,
}

impl Read for CountedInput {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(out)?;
        self.counter.add(count);
        Ok(count)
    }
}

impl Seek for CountedInput {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.input.seek(to)
    }
}

impl Input for CountedInput {
    fn size(&self) -> Option<u64> {
        self.input.size()
    }

    fn read_ahead(&mut self, end: u64) {
        self.input.read_ahead(end);
    }

    fn will_read(&mut self, ranges: &[Range<u64>]) {
        self.input.will_read(ranges);
    }
}
