//! Parts of groups of rows, each encoded by one thread at a time while its rows come.

use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use tfxio_core::Cancel;
use tfxio_core::foreign::guarded;

use super::sink::BatchWriter;

/// Appends an encoded part of a group to its file.
pub(crate) type AppendPart<W> = Box<dyn FnOnce(&mut W) -> Result<(), <W as BatchWriter>::Error> + Send>;

/// Encodes a part of a group.
pub(crate) trait PartEncoder<W: BatchWriter>: Send {
    fn write(&mut self, rows: &[RecordBatch]) -> Result<(), W::Error>;

    fn finish(self: Box<Self>) -> Result<AppendPart<W>, W::Error>;
}

/// Begins a part of a group: some of its columns.
pub(crate) type BeginPart<W> =
    Arc<dyn Fn(Range<usize>) -> Result<Box<dyn PartEncoder<W>>, <W as BatchWriter>::Error> + Send + Sync>;

/// A part that was encoded, or an error, or the text of a panic.
pub(super) type Encoded<W> = Result<Result<AppendPart<W>, <W as BatchWriter>::Error>, String>;

/// A part of a group.
pub(super) struct GroupPart<W: BatchWriter> {
    begin: BeginPart<W>,
    columns: Range<usize>,
    state: Mutex<State<W>>,
    /// Told when the part is encoded.
    encoded: Condvar,
}

struct State<W: BatchWriter> {
    /// Rows that no thread has taken.
    rows: Vec<RecordBatch>,
    /// Whether no more rows come.
    has_all: bool,
    /// Whether a thread encodes.
    is_busy: bool,
    /// Nothing before the first rows, and while a thread encodes.
    encoder: Option<Box<dyn PartEncoder<W>>>,
    result: Option<Encoded<W>>,
}

impl<W: BatchWriter> GroupPart<W> {
    pub(super) fn new(begin: &BeginPart<W>, columns: Range<usize>) -> Self {
        let state = State { rows: Vec::new(), has_all: false, is_busy: false, encoder: None, result: None };
        Self { begin: Arc::clone(begin), columns, state: Mutex::new(state), encoded: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        // Panics are caught where the lock is not held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds rows, the last ones where `has_all`. After that [`work`](Self::work) must be called.
    ///
    /// Only the columns of the part are kept: they go when it is encoded, whatever becomes of the others.
    pub(super) fn add(&self, rows: &[RecordBatch], has_all: bool) -> Result<(), ArrowError> {
        let columns = self.columns.clone().collect::<Vec<_>>();
        let rows = rows.iter().map(|rows| rows.project(&columns)).collect::<Result<Vec<_>, _>>()?;
        let mut state = self.lock();
        state.rows.extend(rows);
        state.has_all = has_all;
        Ok(())
    }

    /// Encodes the rows that were added, and rows that are added meanwhile, unless another thread does.
    pub(super) fn work(&self, cancel: &Cancel) {
        let mut state = self.lock();
        if std::mem::replace(&mut state.is_busy, true) {
            return;
        }
        while state.result.is_none() && (state.has_all || !state.rows.is_empty()) {
            let (rows, encoder) = (std::mem::take(&mut state.rows), state.encoder.take());
            drop(state);
            let worked = guarded(|| self.encode(&rows, encoder));
            drop(rows);
            state = self.lock();
            match worked {
                Ok(Ok(Worked::Rows(encoder))) => state.encoder = Some(encoder),
                Ok(Ok(Worked::All(append))) => state.result = Some(Ok(Ok(append))),
                Ok(Err(error)) => state.result = Some(Ok(Err(error))),
                Err(text) => state.result = Some(Err(text)),
            }
            if cancel.is_cancelled() {
                state.result.get_or_insert_with(|| Err("it was cancelled".to_owned()));
            }
        }
        if state.result.is_some() {
            // After an error they are not encoded.
            state.rows.clear();
            self.encoded.notify_all();
        }
        state.is_busy = false;
    }

    /// Encodes rows; where there are none, that was all.
    fn encode(
        &self,
        rows: &[RecordBatch],
        encoder: Option<Box<dyn PartEncoder<W>>>,
    ) -> Result<Worked<W>, W::Error> {
        match encoder {
            encoder if !rows.is_empty() => {
                let mut encoder = encoder.map_or_else(|| (self.begin)(self.columns.clone()), Ok)?;
                encoder.write(rows)?;
                Ok(Worked::Rows(encoder))
            }
            Some(encoder) => Ok(Worked::All(encoder.finish()?)),
            // A group without rows.
            None => Ok(Worked::All(Box::new(|_| Ok(())))),
        }
    }

    /// Waits for the part, which all rows were added to, and of which a thread encodes what is left.
    pub(super) fn wait(&self) -> Encoded<W> {
        let mut state = self.lock();
        loop {
            match state.result.take() {
                Some(result) => return result,
                None => state = self.encoded.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Returns whether the part is encoded.
    pub(super) fn is_encoded(&self) -> bool {
        self.lock().result.is_some()
    }
}

enum Worked<W: BatchWriter> {
    Rows(Box<dyn PartEncoder<W>>),
    All(AppendPart<W>),
}
