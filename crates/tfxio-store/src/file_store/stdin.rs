//! Standard input, which is called `-`.
//!
//! A process has one. The bytes that were read of it are kept for the next reader, in any data set, until a reader is announced as the
//! last.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfxio_core::{Error, Input, Result};

use super::spool::{Spool, SpoolLimits};

/// Name of standard input, and of standard output.
pub const DASH: &str = "-";

/// Standard input, once somebody has asked for it.
static SHARED: Mutex<Option<StdinSource>> = Mutex::new(None);

#[derive(Clone, Debug)]
enum StdinSource {
    /// A file, from the offset on at which it was given.
    #[cfg(unix)]
    File { file: Arc<File>, start: u64, size: u64 },
    /// Input that can be read only once.
    Stream(Arc<Mutex<Spool>>),
}

/// Standard input, from its beginning.
#[derive(Debug)]
struct Stdin {
    source: StdinSource,
    at: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is kept is counted after it was written, so that a thread that has panicked leaves nothing wrong.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens standard input at its beginning.
pub(super) fn open(limits: SpoolLimits) -> Result<Box<dyn Input>> {
    let mut shared = lock(&SHARED);
    let source = match &*shared {
        Some(source) => source.clone(),
        None => {
            let found = source().map_err(|error| Error::io(error, "opening it").in_file(DASH))?;
            shared.insert(found).clone()
        }
    };
    match &source {
        #[cfg(unix)]
        StdinSource::File { .. } => {}
        StdinSource::Stream(spool) => lock(spool).set_limits(limits),
    }
    Ok(Box::new(Stdin { source, at: 0 }))
}

/// Declares the current reader of standard input the last.
pub(super) fn keep_no_more() {
    if let Some(StdinSource::Stream(spool)) = &*lock(&SHARED) {
        lock(spool).set_keeps(false);
    }
}

#[cfg(unix)]
fn source() -> io::Result<StdinSource> {
    use std::os::fd::AsFd as _;

    let mut file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Ok(StdinSource::Stream(Arc::new(Mutex::new(Spool::new(file)))));
    }
    let start = file.stream_position()?;
    Ok(StdinSource::File { file: Arc::new(file), start, size: found.len().saturating_sub(start) })
}

#[cfg(windows)]
fn source() -> io::Result<StdinSource> {
    use std::os::windows::io::AsHandle as _;

    let file = File::from(io::stdin().as_handle().try_clone_to_owned()?);
    Ok(StdinSource::Stream(Arc::new(Mutex::new(Spool::new(file)))))
}

#[cfg(not(any(unix, windows)))]
fn source() -> io::Result<StdinSource> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns what tells standard input from pipes that are named.
#[cfg(unix)]
pub(super) fn id() -> super::pipes::Id {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;

    let found = io::stdin().as_fd().try_clone_to_owned().and_then(|fd| File::from(fd).metadata());
    found.map(|found| (found.dev(), found.ino())).unwrap_or_default()
}

/// No pipe has a name.
#[cfg(not(unix))]
pub(super) fn id() -> super::pipes::Id {
    Default::default()
}

impl Input for Stdin {
    fn size(&self) -> Option<u64> {
        match &self.source {
            #[cfg(unix)]
            StdinSource::File { size, .. } => Some(*size),
            StdinSource::Stream(_) => None,
        }
    }
}

impl Read for Stdin {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = match &self.source {
            #[cfg(unix)]
            StdinSource::File { file, start, .. } => {
                std::os::unix::fs::FileExt::read_at(&**file, out, start.saturating_add(self.at))?
            }
            StdinSource::Stream(spool) => lock(spool).read_at(self.at, out)?,
        };
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

impl Seek for Stdin {
    /// Seeking from the end reads all there is.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let end = |source: &StdinSource| match source {
            #[cfg(unix)]
            StdinSource::File { size, .. } => Ok(*size),
            StdinSource::Stream(spool) => lock(spool).size(),
        };
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => end(&self.source)?.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
