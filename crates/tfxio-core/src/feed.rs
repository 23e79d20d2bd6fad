//! Batches on their way to a sink, and the threads that work on them.

use std::fmt;
use std::sync::Arc;

use tfxio_base::{Error, Nested, Ordered, Result, Threading, Work};

use crate::Batch;

type Next = Box<dyn FnMut() -> Result<Option<Batch>> + Send>;
type BatchMap = Arc<dyn Fn(Batch) -> Result<Batch> + Send + Sync>;

/// Batches on their way to a sink, and the threads that may work on them.
///
/// A sink that can do a part of its work apart from its files [maps](Self::map) the batches on the threads and writes the results,
/// which come in the order of the batches, whatever the number of threads.
///
/// ```
/// use tfxio_core::{Batch, Feed, Threading};
/// # use std::sync::Arc;
/// # use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// # let column: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
/// # let batch = RecordBatch::try_from_iter([("x", column)])?;
///
/// let mut batches = vec![batch.slice(0, 1), batch].into_iter();
/// let feed = Feed::new(Threading::new().threads(2), move || Ok(batches.next().map(Batch::from)));
/// let rows = feed.map(|| Ok(|batch: Batch| Ok(batch.num_rows())))?;
/// assert_eq!(rows.collect::<Result<Vec<_>, _>>()?, [1, 2]);
/// # Ok::<(), tfxio_core::Error>(())
/// ```
pub struct Feed {
    next: Next,
    change: Option<BatchMap>,
    threading: Threading,
    nested: Nested,
}

impl Feed {
    /// Returns the batches that `next` gives until it gives none. It is called by one thread at a time.
    pub fn new(threading: Threading, next: impl FnMut() -> Result<Option<Batch>> + Send + 'static) -> Self {
        Self { next: Box::new(next), change: None, threading, nested: Nested::new() }
    }

    /// Sets the queue whose threads `next` was given, so that it and the sink have the same threads. Default: none.
    #[must_use]
    pub fn nested(mut self, nested: Nested) -> Self {
        self.nested = nested;
        self
    }

    /// Sets what becomes of each batch before the sink gets it, on any thread. A batch without rows that comes out is left out.
    /// Default: batches stay as they are.
    #[must_use]
    pub fn change(mut self, change: impl Fn(Batch) -> Result<Batch> + Send + Sync + 'static) -> Self {
        self.change = Some(Arc::new(change));
        self
    }

    /// Returns the threads.
    #[must_use]
    pub fn threading(&self) -> &Threading {
        &self.threading
    }

    /// Runs on the threads of another pool, which is given `outer` and reads the results of this feed.
    #[must_use]
    pub fn within(mut self, outer: &Nested) -> Self {
        self.threading = outer.threading(&self.threading);
        self
    }

    /// Returns what becomes of the batches, in their order. Each thread makes a function of its own, which may hold buffers.
    ///
    /// # Errors
    /// When the first function cannot be made. Errors of batches come from the iterator, after the results before them.
    pub fn map<T, F>(self, make: impl Fn() -> Result<F> + Send + Sync + 'static) -> Result<Fed<T>>
    where
        T: Send + 'static,
        F: FnMut(Batch) -> Result<T> + Send + 'static,
    {
        let Self { next, change, threading, nested } = self;
        let worker =
            move || Ok(Mapping { map: Box::new(make()?) as Map<T>, change: change.clone(), batch: None });
        Ok(Fed(Ordered::over(next, &threading, nested, worker)?))
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed").field("threading", &self.threading).finish_non_exhaustive()
    }
}

/// Results of mapping the batches of a [`Feed`], in their order. Made by [`Feed::map`]; nothing follows an error.
#[derive(Debug)]
pub struct Fed<T: Send + 'static>(Ordered<Mapping<T>>);

impl<T: Send + 'static> Iterator for Fed<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

type Map<T> = Box<dyn FnMut(Batch) -> Result<T> + Send>;

/// Works on one batch at a time.
struct Mapping<T> {
    map: Map<T>,
    change: Option<BatchMap>,
    batch: Option<Batch>,
}

impl<T: Send + 'static> Work for Mapping<T> {
    type Source = Next;
    type Output = T;
    type Error = Error;

    fn read(&mut self, next: &mut Next) -> Result<bool> {
        self.batch = next()?;
        Ok(self.batch.is_some())
    }

    fn next(&mut self) -> Result<Option<T>> {
        let Some(mut batch) = self.batch.take() else { return Ok(None) };
        if let Some(change) = &self.change {
            batch = change(batch)?;
        }
        if batch.num_rows() == 0 {
            return Ok(None);
        }
        (self.map)(batch).map(Some)
    }

    fn is_done(&self) -> bool {
        self.batch.is_none()
    }
}
