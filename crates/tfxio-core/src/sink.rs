//! Writing batches to files.

use tfxio_base::Result;

use crate::{Batch, Feed, Loss};

/// The way back: batches in, files out, each of which appears whole under its name or not at all.
pub trait Sink: Send {
    /// Writes the rows of a batch.
    ///
    /// # Errors
    /// When the rows do not fit the format or cannot be written. Nothing appears under the final names then.
    fn write(&mut self, batch: &Batch) -> Result<()>;

    /// Writes all batches of a feed: the same files as [`write`](Self::write) makes of them, whatever the number of threads.
    /// `progress` is called often with the number of rows that this call has written. A sink can do its work on the threads of the
    /// feed. Default: batches are written one after the other, by the thread of the caller.
    ///
    /// # Errors
    /// As [`write`](Self::write), and what the feed fails with, after the batches before that.
    fn write_all(&mut self, feed: Feed, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let mut rows = 0u64;
        for batch in feed.map(|| Ok(Ok))? {
            let batch = batch?;
            self.write(&batch)?;
            rows = rows.saturating_add(batch.num_rows() as u64);
            progress(rows);
        }
        Ok(())
    }

    /// Returns columns and what is lost of the written values, in addition to the losses of their types in
    /// [`FileFormat::losses`](crate::FileFormat::losses): texts, for instance, that would be read back as numbers. Called
    /// before [`finish`](Self::finish), so that files that lose something need not appear. Default: nothing.
    fn losses(&self) -> Vec<Loss> {
        Vec::new()
    }

    /// Completes the files and lets them appear. A sink that is dropped without this leaves nothing.
    ///
    /// # Errors
    /// When they cannot be written to their end.
    fn finish(self: Box<Self>) -> Result<Written>;
}

/// Summary of the written files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Number of rows.
    pub rows: u64,
    /// Files that have appeared, in order.
    pub files: Vec<String>,
}

impl Written {
    /// Returns the number of rows and the files.
    #[must_use]
    pub fn new(rows: u64, files: Vec<String>) -> Self {
        Self { rows, files }
    }
}
