//! Writing batches to files.

use tfxio_base::Result;

use crate::Batch;

/// The way back: batches in, files out, each of which appears whole under its name or not at all.
pub trait Sink: Send {
    /// Writes the rows of a batch.
    ///
    /// # Errors
    /// When the rows do not fit the format or cannot be written. Nothing appears under the final names then.
    fn write(&mut self, batch: &Batch) -> Result<()>;

    /// Completes the files and lets them appear. A sink that is dropped without this leaves nothing.
    ///
    /// # Errors
    /// When they cannot be written to their end.
    fn finish(self: Box<Self>) -> Result<Written>;
}

/// What a sink has written.
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
