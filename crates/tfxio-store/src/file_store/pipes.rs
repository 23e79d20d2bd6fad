//! Inputs that can be read once only: pipes, terminals and devices.
//!
//! Whoever must read one twice asks for it to be kept; the reader that comes after them is the last one, and keeps nothing
//! beyond what it is given again.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfxio_core::{Error, ErrorKind, Input, Position};

use super::spool::{Spool, SpoolLimits};
use super::stdin::DASH;

/// Device and inode.
pub(super) type Id = (u64, u64);

/// Bytes that were read of pipes.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipes(Arc<Mutex<HashMap<Id, State>>>);

#[derive(Clone, Debug)]
enum State {
    /// It was given out, and not kept.
    Read,
    Kept(Arc<Mutex<Spool>>),
}

/// A pipe that is being read.
#[derive(Debug)]
pub(super) enum Pipe {
    Direct(File),
    Kept { spool: Arc<Mutex<Spool>>, at: u64 },
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is kept is counted after it was written, so that a thread that has panicked leaves nothing wrong.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the identity of a pipe, a terminal or a device; `None` for any other name.
#[cfg(unix)]
pub(super) fn id(name: &str) -> Option<Id> {
    use std::os::unix::fs::MetadataExt as _;

    let found = std::fs::metadata(name).ok()?;
    (!found.is_file() && !found.is_dir()).then(|| (found.dev(), found.ino()))
}

/// Other systems have no such names.
#[cfg(not(unix))]
pub(super) fn id(_: &str) -> Option<Id> {
    None
}

impl Pipes {
    /// Opens a pipe, or the kept bytes of it. `keep` means that it will be opened once more.
    pub(super) fn open(&self, name: &str, id: Id, keep: bool, limits: SpoolLimits) -> Result<Pipe, Error> {
        let mut known = lock(&self.0);
        match known.get(&id) {
            Some(State::Read) => Err(read_twice(name)),
            Some(State::Kept(spool)) => {
                let spool = Arc::clone(spool);
                lock(&spool).set_keeps(keep);
                if !keep {
                    known.insert(id, State::Read);
                }
                Ok(Pipe::Kept { spool, at: 0 })
            }
            None => {
                let file =
                    File::open(name).map_err(|error| Error::io(error, "opening the file").in_file(name))?;
                if !keep {
                    known.insert(id, State::Read);
                    return Ok(Pipe::Direct(file));
                }
                let mut spool = Spool::new(file);
                spool.set_limits(limits);
                let spool = Arc::new(Mutex::new(spool));
                known.insert(id, State::Kept(Arc::clone(&spool)));
                Ok(Pipe::Kept { spool, at: 0 })
            }
        }
    }
}

impl Input for Pipe {}

impl Seek for Pipe {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}

impl Read for Pipe {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Direct(file) => file.read(out),
            Self::Kept { spool, at } => {
                let count = lock(spool).read_at(*at, out)?;
                *at += count as u64;
                Ok(count)
            }
        }
    }
}

fn read_twice(name: &str) -> Error {
    let message = "this is a pipe or another input that can be read once only, and it was read already; write it to a file \
                   first, and name that";
    let position = Position::new().file(name);
    Error::new(ErrorKind::InvalidArgument, message).at(position)
}

/// Returns the error for a pipe that is named twice among the inputs, once as `other`.
pub fn named_twice(name: &str, other: &str) -> Error {
    let other = match other {
        other if other == name => String::new(),
        DASH => ", the other time as -, standard input".to_owned(),
        other => format!(", the other time as {other}"),
    };
    let message = format!("this input can be read once only, and it is named twice{other}; name it once");
    let position = Position::new().file(name);
    Error::new(ErrorKind::InvalidArgument, message).at(position)
}
