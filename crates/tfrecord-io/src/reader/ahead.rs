//! Inflating ahead: compressed input becomes bytes on the threads of a pool, while the reader frames and checks those
//! before them.
//!
//! A chunk of inflated bytes is a job that is done when it has been read: the state of the inflater is the source of
//! the pool, so one thread at a time has it. At the end of the input or a failure, the state goes back to the reader,
//! which goes on alone and so gives the same results as if it had been alone from the beginning.

use std::fmt;
use std::io::Read;
use std::marker::PhantomData;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tfxio_base::{Ordered, Threading, Work, resize_zeroed};

use super::inflow::{Inflow, Pulled};
use super::push::PushDecoder;
use crate::{Error, ErrorKind, Limits, Result};

/// Chunks that are inflated and not used, at most.
const CHUNKS_AHEAD: usize = 8;

type Shared<R> = Arc<Mutex<Inflating<R>>>;
type Chunks = Box<dyn Iterator<Item = Result<Chunk>> + Send + Sync>;

/// Buffers whose bytes were used.
type Spare = Arc<Mutex<Vec<Vec<u8>>>>;

/// Source of a reader's bytes: read by the caller's thread, or inflated ahead by others.
pub(super) enum ReaderSource<R> {
    Alone(R),
    Threads(Threaded<R>),
}

impl<R: Read> ReaderSource<R> {
    /// Hands the next bytes to a decoder that needs them.
    pub(super) fn feed(&mut self, push: &mut PushDecoder) -> Result<()> {
        match self {
            Self::Alone(source) => push.read_from(source),
            Self::Threads(threaded) => threaded.feed(push),
        }
    }

    pub(super) fn into_inner(self) -> R {
        match self {
            Self::Alone(source) => source,
            Self::Threads(threaded) => threaded.into_inner(),
        }
    }
}

impl<R: fmt::Debug> fmt::Debug for ReaderSource<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alone(source) => source.fmt(f),
            Self::Threads(threaded) => threaded.threading.fmt(f),
        }
    }
}

/// A source that several threads inflate, if it is compressed.
pub(super) struct Threaded<R> {
    shared: Shared<R>,
    threading: Threading,
    /// [`Threaded::start`], where it is known that the source may go to other threads.
    start: fn(&Self) -> Result<Chunks>,
    spare: Spare,
    chunk_bytes: usize,
    phase: Phase,
}

enum Phase {
    /// The compression is not known yet.
    Start,
    Ahead(Chunks),
    /// The reader is alone.
    Alone,
}

impl<R: Read + Send + 'static> Threaded<R> {
    pub(super) fn new(source: R, threading: &Threading, chunk_bytes: usize) -> Self {
        let inflating =
            Inflating { source, inflow: Inflow::new(None, Limits::default(), 0, 0), has_stopped: false };
        Self {
            shared: Arc::new(Mutex::new(inflating)),
            threading: threading.clone(),
            start: Self::start,
            spare: Spare::default(),
            chunk_bytes,
            phase: Phase::Start,
        }
    }

    fn start(&self) -> Result<Chunks> {
        let (spare, chunk_bytes) = (Arc::clone(&self.spare), self.chunk_bytes);
        let make = move || {
            let spare = Arc::clone(&spare);
            Ok(Inflate { bytes: None, stopped: None, chunk_bytes, spare, source: PhantomData })
        };
        // A reader of which few records are wanted inflates few.
        let threading = self.threading.clone().slow_start();
        let ahead = threading.ahead.unwrap_or(CHUNKS_AHEAD);
        Ok(Box::new(Ordered::new(Arc::clone(&self.shared), &threading.ahead(ahead), make)?))
    }
}

impl<R: Read> Threaded<R> {
    fn feed(&mut self, push: &mut PushDecoder) -> Result<()> {
        if matches!(self.phase, Phase::Start) && push.inflow.lend(&mut lock(&self.shared).inflow) {
            self.phase = Phase::Ahead((self.start)(self)?);
        }
        let Phase::Ahead(chunks) = &mut self.phase else {
            return push.read_from(&mut lock(&self.shared).source);
        };
        match chunks.next().transpose()? {
            Some(Chunk::Bytes(bytes)) => {
                let used = push.inflow.take_inflated(bytes);
                lock(&self.spare).push(used);
                Ok(())
            }
            Some(Chunk::Stopped(result)) => {
                self.phase = Phase::Alone;
                mem::swap(&mut push.inflow, &mut lock(&self.shared).inflow);
                result.map_err(|error| push.positioned(error))
            }
            None => {
                self.threading.cancel.check()?;
                Err(Error::new(ErrorKind::Other, "inflating was ended by an error that was reported before"))
            }
        }
    }

    fn into_inner(self) -> R {
        let Self { mut shared, phase, .. } = self;
        drop(phase);
        // Whoever inflates a chunk now ends with that, and drops it then.
        loop {
            shared = match Arc::try_unwrap(shared) {
                Ok(inflating) => {
                    return inflating.into_inner().unwrap_or_else(PoisonError::into_inner).source;
                }
                Err(used) => used,
            };
            drop(lock(&shared));
            thread::yield_now();
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An input with the state of its inflater.
struct Inflating<R> {
    source: R,
    inflow: Inflow,
    has_stopped: bool,
}

impl<R: Read> Inflating<R> {
    /// Inflates to `out` until it is full or nothing more comes. Returns how many bytes came.
    fn inflate(&mut self, out: &mut [u8]) -> (usize, Result<()>) {
        let mut filled = 0;
        while filled < out.len() {
            match self.inflow.pull(out, filled) {
                Ok(Pulled::Bytes(count)) => filled += count,
                Ok(Pulled::NeedsInput) => {
                    if let Err(error) = self.inflow.read_from(&mut self.source) {
                        self.has_stopped = true;
                        return (filled, Err(error));
                    }
                }
                Ok(Pulled::End) => {
                    self.has_stopped = true;
                    break;
                }
                Err(error) => {
                    self.has_stopped = true;
                    return (filled, Err(error));
                }
            }
        }
        (filled, Ok(()))
    }
}

/// Result of one job of the pool.
enum Chunk {
    Bytes(Vec<u8>),
    /// Nothing more: the input has ended, or cannot be read or inflated.
    Stopped(Result<()>),
}

/// Inflates one chunk after the other.
struct Inflate<R> {
    bytes: Option<Vec<u8>>,
    stopped: Option<Result<()>>,
    chunk_bytes: usize,
    spare: Spare,
    source: PhantomData<fn(R)>,
}

impl<R: Read + Send + 'static> Work for Inflate<R> {
    type Source = Shared<R>;
    type Output = Chunk;
    type Error = Error;

    fn read(&mut self, source: &mut Shared<R>) -> Result<bool> {
        let mut inflating = lock(source);
        if inflating.has_stopped {
            return Ok(false);
        }
        let spare = lock(&self.spare).pop();
        let mut bytes = spare.unwrap_or_default();
        resize_zeroed(&mut bytes, self.chunk_bytes);
        let (filled, result) = inflating.inflate(&mut bytes);
        self.stopped = inflating.has_stopped.then_some(result);
        bytes.truncate(filled);
        self.bytes = (filled > 0).then_some(bytes);
        Ok(true)
    }

    fn next(&mut self) -> Result<Option<Chunk>> {
        Ok(self.bytes.take().map(Chunk::Bytes).or_else(|| self.stopped.take().map(Chunk::Stopped)))
    }

    fn is_done(&self) -> bool {
        self.bytes.is_none() && self.stopped.is_none()
    }

    fn weight(chunk: &Chunk) -> u64 {
        match chunk {
            Chunk::Bytes(bytes) => bytes.len() as u64,
            Chunk::Stopped(_) => 0,
        }
    }
}
