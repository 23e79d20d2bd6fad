//! Several threads that decode batches, in order.
//!
//! The threads take turns at reading the records of a batch, which is a small part of the work, and compare the checksums
//! of the payloads and decode what they have read at the same time. So batches are cut as one thread would cut them, and
//! every record keeps its number. A compressed file gains because one thread inflates while others decode; gzip in members
//! is inflated by as many further threads. No thread runs more than a few batches ahead of the consumer.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_core::{Error, ErrorKind, RecordDecoder};

use super::batches::{self, MakeDecoder};
use super::part::Part;
use super::queue::Queue;

/// Batches that wait for the consumer, or are being made, for each thread.
const AHEAD: u64 = 2;

/// What the threads and the consumer share.
#[derive(Debug)]
struct Shared {
    /// Nothing after the end or an error. Locked while the records of a batch are read.
    queue: Mutex<Option<Queue>>,
    state: Mutex<State>,
    /// A batch was made, or there will be none.
    made: Condvar,
    /// A batch was taken, or nobody wants any more.
    taken: Condvar,
    batch_size: usize,
    window: u64,
}

#[derive(Debug, Default)]
struct State {
    /// Number of the batch that the next thread will read.
    claimed: u64,
    /// Number of the batch that the consumer takes next.
    wanted: u64,
    made: BTreeMap<u64, Result<RecordBatch, Error>>,
    /// The number behind the last batch.
    end: Option<u64>,
    stopped: bool,
    panicked: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panics is noticed by itself; the data behind its locks are whole at every moment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads on several threads. Dropping it stops them and waits for them.
pub(super) struct ThreadedReader {
    shared: Arc<Shared>,
    schema: SchemaRef,
    threads: Vec<JoinHandle<()>>,
    #[cfg(feature = "object-store")]
    interrupt: crate::store::Interrupt,
}

impl ThreadedReader {
    pub(super) fn start<M: MakeDecoder>(
        queue: Queue,
        schema: SchemaRef,
        batch_size: usize,
        threads: usize,
        decoders: &M,
    ) -> Result<Self, Error> {
        #[cfg(feature = "object-store")]
        let interrupt = queue.interrupt();
        let shared = Arc::new(Shared {
            queue: Mutex::new(Some(queue)),
            state: Mutex::default(),
            made: Condvar::new(),
            taken: Condvar::new(),
            batch_size,
            window: AHEAD.saturating_mul(threads as u64),
        });
        // Dropped on an error, it stops those that run.
        let mut reader = Self {
            shared,
            schema,
            threads: Vec::with_capacity(threads),
            #[cfg(feature = "object-store")]
            interrupt,
        };
        for number in 0..threads {
            let decoder = decoders.make()?;
            let shared = Arc::clone(&reader.shared);
            let thread = thread::Builder::new().name(format!("tfxio-decode-{number}"));
            let thread = thread.spawn(move || Leave(shared).work(decoder)).map_err(|error| {
                Error::new(ErrorKind::Io, "no thread can be started; read with fewer threads").because(error)
            })?;
            reader.threads.push(thread);
        }
        Ok(reader)
    }

    fn take(&mut self) -> Result<Option<RecordBatch>, Error> {
        let mut state = lock(&self.shared.state);
        loop {
            if state.panicked {
                return Err(Error::new(ErrorKind::Other, "a decoding thread panicked; please report this"));
            }
            if state.stopped {
                return Ok(None);
            }
            let wanted = state.wanted;
            if let Some(batch) = state.made.remove(&wanted) {
                state.wanted += 1;
                self.shared.taken.notify_all();
                return batch.map(Some);
            }
            if state.end.is_some_and(|end| end <= wanted) {
                return Ok(None);
            }
            state = self.shared.made.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn stop(&mut self) {
        lock(&self.shared.state).stopped = true;
        self.shared.taken.notify_all();
        // One of them may wait for a store.
        #[cfg(feature = "object-store")]
        self.interrupt.raise();
        for thread in self.threads.drain(..) {
            // A panic was noted already.
            let _ = thread.join();
        }
    }
}

impl Drop for ThreadedReader {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Iterator for ThreadedReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.threads.is_empty() {
            return None;
        }
        let next = self.take();
        if !matches!(next, Ok(Some(_))) {
            self.stop();
        }
        next.map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for ThreadedReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// A thread's hold on what is shared, which tells the consumer when the thread panics.
struct Leave(Arc<Shared>);

impl Drop for Leave {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.state).panicked = true;
            self.0.made.notify_all();
        }
    }
}

impl Leave {
    fn work<D: RecordDecoder>(&self, mut decoder: D) {
        let mut part = Part::new();
        while let Some((number, batch)) = self.0.next_batch(&mut decoder, &mut part) {
            lock(&self.0.state).made.insert(number, batch);
            self.0.made.notify_all();
        }
    }
}

impl Shared {
    /// Reads and decodes the next batch; `None` when there is none or nobody wants it.
    fn next_batch<D: RecordDecoder>(
        &self,
        decoder: &mut D,
        part: &mut Part,
    ) -> Option<(u64, Result<RecordBatch, Error>)> {
        let mut turn = lock(&self.queue);
        let queue = turn.as_mut()?;
        let number = self.claim()?;
        let decoded = loop {
            let missing = self.batch_size - decoder.rows();
            let (file, split) = match queue.read(part, missing) {
                Ok(Some(file)) => (file, queue.place()),
                Ok(None) => {
                    *turn = None;
                    lock(&self.state).end = Some(number + u64::from(decoder.rows() > 0));
                    break Ok(());
                }
                Err(error) => {
                    *turn = None;
                    break Err(error);
                }
            };
            if part.len() == missing {
                // The batch is complete: the next thread may read while this one decodes.
                drop(turn);
                break batches::push(decoder, part, &file, split.as_ref());
            }
            if let Err(error) = batches::push(decoder, part, &file, split.as_ref()) {
                *turn = None;
                break Err(error);
            }
        };
        if decoded.is_ok() && decoder.rows() == 0 {
            self.made.notify_all();
            return None;
        }
        Some((number, decoded.and_then(|()| decoder.flush())))
    }

    /// Waits until the consumer is near enough, and takes a number.
    fn claim(&self) -> Option<u64> {
        let mut state = lock(&self.state);
        while !state.stopped && state.claimed - state.wanted >= self.window {
            state = self.taken.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.stopped {
            return None;
        }
        state.claimed += 1;
        Some(state.claimed - 1)
    }
}
