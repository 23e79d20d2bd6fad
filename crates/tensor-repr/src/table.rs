//! Functions over record batches: merging, taking rows, finding columns below columns, sizes.
//!
//! | function | gives |
//! | --- | --- |
//! | [`merge_batches`] | the rows of several batches, whose columns need not be the same |
//! | [`take_rows`] | chosen rows |
//! | [`enumerate_columns`] | every column, and every field of the structs in it, with its path |
//! | [`column_at`], [`column_at_with_rows`] | the one at a path, and the rows of its elements |
//! | [`canonical_batch`] | every column as lists of the widest type of its kind |
//! | [`batch_byte_size`] | the memory that the rows take |
//!
//! For single columns see [`array`](crate::array).

mod canonical;
mod enumerate;
mod merge;
mod merged_type;
mod take;

pub use canonical::canonical_batch;
pub use enumerate::{EnumerateOptions, FlatStructs, column_at, column_at_with_rows, enumerate_columns};
pub use merge::merge_batches;
pub use take::take_rows;

use crate::Error;
use crate::array::byte_size;
use crate::kind::Locate as _;
use arrow_array::RecordBatch;

/// Returns the number of bytes that the rows of a batch take in its buffers: the [`byte_size`] of all columns.
///
/// # Errors
///
/// The errors of [`byte_size`], with the column.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use tensor_repr::table::batch_byte_size;
///
/// let values: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("a", values)])?;
/// assert_eq!(batch_byte_size(&batch)?, 3 * 8);
/// assert_eq!(batch_byte_size(&batch.slice(1, 1))?, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn batch_byte_size(batch: &RecordBatch) -> Result<usize, Error> {
    let schema = batch.schema_ref();
    schema.fields().iter().zip(batch.columns()).try_fold(0_usize, |sum, (field, column)| {
        let size = byte_size(column).map_err(|error| error.in_column(field.name()))?;
        Ok(sum.saturating_add(size))
    })
}
