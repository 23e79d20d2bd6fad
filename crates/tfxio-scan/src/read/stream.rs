//! The batches of a data set as a stream.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arrow_array::RecordBatch;
use futures_core::Stream;
use tfxio_core::{Cancel, Dataset, Result, ScanRequest, Spawn, Threads};

use super::Batches;
use super::spawned::Spawned;

/// The batches of a data set as a stream: see [`DatasetExt::read_stream`](crate::DatasetExt::read_stream). Dropping it ends a
/// read that is under way.
pub struct BatchStream {
    state: State,
    spawn: Arc<dyn Spawn>,
    cancel: Cancel,
}

/// A batch, if there was one left, and what reads those after it.
type Read = Option<(RecordBatch, Box<Reader>)>;

/// State of the reader of a stream.
enum State {
    Idle(Box<Reader>),
    Reading(Spawned<Read>),
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
    fn read(self: Box<Self>) -> Result<Read> {
        let mut batches = match *self {
            Self::Closed(dataset, request) => Batches::new(dataset, request)?,
            Self::Open(batches) => batches,
        };
        let next = Iterator::next(&mut batches).transpose()?;
        Ok(next.map(|batch| (batch, Box::new(Self::Open(batches)))))
    }
}

impl BatchStream {
    pub(crate) fn new(dataset: Arc<dyn Dataset>, mut request: ScanRequest) -> Self {
        let cancel = request.cancel.child();
        request.cancel = cancel.clone();
        let spawn = request.spawn.clone().unwrap_or_else(|| Arc::new(Threads));
        Self { state: State::Idle(Box::new(Reader::Closed(dataset, request))), spawn, cancel }
    }
}

impl Stream for BatchStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut reading = match std::mem::replace(&mut self.state, State::Ended) {
            State::Idle(reader) => {
                Spawned::new(Arc::clone(&self.spawn), self.cancel.child(), move || reader.read())
            }
            State::Reading(reading) => reading,
            State::Ended => return Poll::Ready(None),
        };
        match Pin::new(&mut reading).poll(context) {
            Poll::Pending => {
                self.state = State::Reading(reading);
                Poll::Pending
            }
            Poll::Ready(Ok(Some((batch, reader)))) => {
                self.state = State::Idle(reader);
                Poll::Ready(Some(Ok(batch)))
            }
            Poll::Ready(Ok(None)) => Poll::Ready(None),
            Poll::Ready(Err(error)) => Poll::Ready(Some(Err(error))),
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
