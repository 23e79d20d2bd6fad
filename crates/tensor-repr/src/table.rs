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

mod byte_size;
mod canonical;
mod enumerate;
mod merge;
mod merged_type;
mod take;

pub use byte_size::batch_byte_size;
pub use canonical::canonical_batch;
pub use enumerate::{EnumerateOptions, FlatStructs, column_at, column_at_with_rows, enumerate_columns};
pub use merge::merge_batches;
pub use take::take_rows;
