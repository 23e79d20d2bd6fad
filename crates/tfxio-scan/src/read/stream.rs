//! The batches of a data set as a stream.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use arrow_array::RecordBatch;
use futures_core::Stream;
use tfxio_core::{Cancel, Dataset, Error, ErrorKind, Result, ScanRequest, Spawn};

use super::Batches;

/// The batches of a data set as a stream: see [`DatasetExt::read_stream`](crate::DatasetExt::read_stream). Dropping it ends a
/// read that is under way.
pub struct BatchStream {
    state: Arc<Mutex<State>>,
    spawn: Option<Arc<dyn Spawn>>,
    cancel: Cancel,
}

/// State of the reader of a stream.
enum State {
    Idle(Box<Reader>),
    /// A task has it, and wakes who waits for it.
    Running(Waker),
    /// The task was dropped before it ran.
    Refused(Box<Reader>),
    /// A batch, and what reads those after it.
    Ready(Result<RecordBatch>, Option<Box<Reader>>),
    Ended,
}

/// A data set, opened for the first batch.
#[allow(clippy::large_enum_variant, reason = "it is always in a box")]
enum Reader {
    Closed(Arc<dyn Dataset>, ScanRequest),
    Open(Batches),
}

impl Reader {
    /// Reads a batch.
    fn read(self: Box<Self>) -> State {
        let opened = match *self {
            Self::Closed(dataset, request) => Batches::new(dataset, request),
            Self::Open(batches) => Ok(batches),
        };
        match opened.map(|mut batches| (Iterator::next(&mut batches), batches)) {
            Ok((Some(Ok(batch)), batches)) => State::Ready(Ok(batch), Some(Box::new(Self::Open(batches)))),
            Ok((Some(Err(error)), _)) | Err(error) => State::Ready(Err(error), None),
            Ok((None, _)) => State::Ended,
        }
    }
}

impl BatchStream {
    pub(crate) fn new(dataset: Arc<dyn Dataset>, mut request: ScanRequest) -> Self {
        let cancel = request.cancel.child();
        request.cancel = cancel.clone();
        let spawn = request.spawn.clone();
        let reader = Box::new(Reader::Closed(dataset, request));
        Self { state: Arc::new(Mutex::new(State::Idle(reader))), spawn, cancel }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // The state is whole at every moment.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads a batch somewhere else.
struct Task {
    state: Arc<Mutex<State>>,
    reader: Option<Box<Reader>>,
}

impl Task {
    fn run(mut self) {
        if let Some(reader) = self.reader.take() {
            let after = reader.read();
            self.set(after);
        }
    }

    fn set(&self, after: State) {
        let before = std::mem::replace(&mut *lock(&self.state), after);
        if let State::Running(waker) = before {
            waker.wake();
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(reader) = self.reader.take() {
            self.set(State::Refused(reader));
        } else if matches!(*lock(&self.state), State::Running(_)) && std::thread::panicking() {
            let what = "the task that read a batch has panicked";
            self.set(State::Ready(Err(Error::new(ErrorKind::Other, what)), None));
        }
    }
}

impl Stream for BatchStream {
    type Item = Result<RecordBatch>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let mut state = lock(&self.state);
            match std::mem::replace(&mut *state, State::Ended) {
                State::Idle(reader) => {
                    let Some(spawn) = &self.spawn else {
                        *state = reader.read();
                        continue;
                    };
                    *state = State::Running(context.waker().clone());
                    drop(state);
                    let task = Task { state: Arc::clone(&self.state), reader: Some(reader) };
                    spawn.spawn(Box::new(move || task.run()));
                    // It may be done, or refused, by now.
                    if matches!(*lock(&self.state), State::Running(_)) {
                        return Poll::Pending;
                    }
                }
                State::Running(_) => {
                    *state = State::Running(context.waker().clone());
                    return Poll::Pending;
                }
                State::Refused(reader) => *state = reader.read(),
                State::Ready(batch, reader) => {
                    *state = reader.map_or(State::Ended, State::Idle);
                    return Poll::Ready(Some(batch));
                }
                State::Ended => return Poll::Ready(None),
            }
        }
    }
}

impl Drop for BatchStream {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl fmt::Debug for BatchStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchStream").field("spawn", &self.spawn).finish_non_exhaustive()
    }
}
