//! Batches that know which records their rows were.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_base::Error;

use crate::Origins;

/// A record batch and the origins of its rows.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use tfxio_core::{Batch, Origins};
///
/// let column: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
/// let mut origins = Origins::default();
/// origins.push("a.avro".into(), 10, None);
/// origins.push("a.avro".into(), 11, None);
/// let batch = Batch::new(RecordBatch::try_from_iter([("x", column)])?, origins);
/// assert_eq!(batch.num_rows(), 2);
/// assert_eq!(batch.origins().get(1).map(|origin| origin.record), Some(11));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Batch {
    columns: RecordBatch,
    origins: Origins,
}

impl Batch {
    /// Returns a batch whose rows have these origins; rows after the last origin have none.
    #[must_use]
    pub fn new(columns: RecordBatch, origins: Origins) -> Self {
        Self { columns, origins }
    }

    /// Returns the columns.
    #[must_use]
    pub fn columns(&self) -> &RecordBatch {
        &self.columns
    }

    /// Returns the columns, without the origins.
    #[must_use]
    pub fn into_columns(self) -> RecordBatch {
        self.columns
    }

    /// Returns the columns and the origins.
    #[must_use]
    pub fn into_parts(self) -> (RecordBatch, Origins) {
        (self.columns, self.origins)
    }

    /// Returns the schema of the columns.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.columns.schema()
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn num_rows(&self) -> usize {
        self.columns.num_rows()
    }

    /// Returns which record each row was.
    #[must_use]
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Returns `len` rows from `offset` on, without copying them. Fewer, if there are not as many.
    #[must_use]
    pub fn slice(&self, offset: usize, len: usize) -> Self {
        let offset = offset.min(self.num_rows());
        let len = len.min(self.num_rows() - offset);
        Self { columns: self.columns.slice(offset, len), origins: self.origins.slice(offset, len) }
    }

    /// Returns an error about a row of this batch with the record that the row was.
    #[must_use]
    pub fn locate(&self, mut error: Error) -> Error {
        let row = error.position().row.and_then(|row| usize::try_from(row).ok());
        let Some(origin) = row.and_then(|row| self.origins.get(row)) else { return error };
        error.position_mut().row = None;
        error.or_at(&origin.position())
    }
}

impl From<RecordBatch> for Batch {
    /// Returns a batch whose rows have no origin.
    fn from(columns: RecordBatch) -> Self {
        Self::new(columns, Origins::default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch};
    use tfxio_base::{Error, ErrorKind, Position};

    use super::{Batch, Origins};

    #[test]
    fn an_error_about_a_row_names_its_record() {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![1; 8]));
        let mut origins = Origins::default();
        origins.push_unknown(3);
        origins.push("a".into(), 8, Some(80));
        origins.push("a".into(), 11, Some(110));
        let columns = RecordBatch::try_from_iter([("x", column)]).expect("a batch");
        let batch = Batch::new(columns, origins).slice(3, 5);
        let error = |row| Error::new(ErrorKind::Malformed, "bad").at(Position::new().column("x").row(row));
        assert_eq!(batch.locate(error(1)).to_string(), "a, byte 110, record 11, column \"x\": bad");
        assert_eq!(batch.locate(error(2)).to_string(), "column \"x\", row 2: bad");
    }
}
