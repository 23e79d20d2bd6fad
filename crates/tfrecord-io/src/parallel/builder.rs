//! All knobs of reading with several threads.

use std::io::Read;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use tfxio_base::Threading;

use super::reader::ParallelReader;
use super::worker::Task;
use crate::compression::Compression;
use crate::compression::members;
use crate::frame::Verify;
use crate::reader::{Reader, ReaderBuilder, open_file};
use crate::splits::cut;
use crate::{Error, Limits, Result};

/// Sets up a [`ParallelReader`] over a file. Made by [`ParallelReader::builder`].
#[derive(Clone, Debug)]
pub struct ParallelBuilder {
    pub(super) path: PathBuf,
    pub(super) threading: Threading,
    pub(super) split_bytes: u64,
    pub(super) batch_bytes: usize,
    pub(super) verify: Verify,
    pub(super) limits: Limits,
}

impl ParallelBuilder {
    /// The default of [`ParallelBuilder::split_bytes`]: 8 MiB.
    pub const DEFAULT_SPLIT_BYTES: u64 = 8 << 20;
    /// The default of [`ParallelBuilder::batch_bytes`]: 512 KiB.
    pub const DEFAULT_BATCH_BYTES: usize = 512 << 10;

    /// Returns a builder with as many threads as the machine has processors, both checksums compared, default limits.
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            threading: Threading::new().threads(available()),
            split_bytes: Self::DEFAULT_SPLIT_BYTES,
            batch_bytes: Self::DEFAULT_BATCH_BYTES,
            verify: Verify::All,
            limits: Limits::default(),
        }
    }

    /// Sets the number of threads that read, the caller's included. 0, the default, is as many as there are processors.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threading.threads = if threads == 0 { available() } else { threads };
        self
    }

    /// Sets the number of threads, what runs all but one of them, and the token that ends the reader.
    pub fn threading(mut self, threading: Threading) -> Self {
        self.threading = threading;
        self
    }

    /// Sets how many bytes of an uncompressed file a thread takes at a time. Default: 8 MiB. Values below 64 KiB are raised
    /// to it.
    pub fn split_bytes(mut self, bytes: u64) -> Self {
        self.split_bytes = bytes.max(64 << 10);
        self
    }

    /// About how many bytes a batch has, except that a gzip member is one batch. Default: 512 KiB.
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// Chooses the checksums to compare. Default: [`Verify::All`].
    pub fn verify(mut self, verify: Verify) -> Self {
        self.verify = verify;
        self
    }

    /// Sets the limits. Default: [`Limits::default`]. [`Limits::record_bytes`] is also that of a gzip member.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Opens a file. Reading starts with the first batch.
    ///
    /// # Errors
    ///
    /// The file is missing, is a directory, or may not be read.
    pub fn open(self) -> Result<ParallelReader> {
        let (mut file, name) = open_file(&self.path)?;
        let fail = |error| Error::io(error, "opening the file").in_file(Arc::clone(&name));
        let found = file.metadata().map_err(fail)?;
        let compression = Reader::new((&mut file).take(4096)).compression();
        // Errors of detection come from the reader of the whole file, which explains them.
        let tasks = match compression {
            Ok(_) if !found.is_file() => vec![Task::Whole],
            Ok(Compression::None) => {
                cut(found.len(), self.split_bytes).into_iter().map(Task::Split).collect()
            }
            Ok(Compression::Gzip) => match members::hop(&mut file) {
                Ok(Some(members)) if members::within_limits(&members, &self.limits) => {
                    members.into_iter().map(Task::Member).collect()
                }
                Ok(_) | Err(_) => vec![Task::Whole],
            },
            Ok(Compression::Zlib) | Err(_) => vec![Task::Whole],
        };
        ParallelReader::start(self, name, tasks)
    }

    /// Returns a reader of the records of `source`, with these settings.
    pub(super) fn reader<S>(&self, source: S, name: &Arc<str>) -> ReaderBuilder<S> {
        Reader::builder(source).verify(self.verify).limits(self.limits).name(Arc::clone(name))
    }
}

/// Returns the number of processors.
fn available() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}
