//! Functions over Arrow arrays that work on lists: their lengths, parents, coordinates, nulls, sizes.
//!
//! They are what the TFX libraries compute on batches of examples, where each column is a list of values a row. A *list
//! array* is one of type `List`, `LargeList` or `FixedSizeList`. Every function takes sliced arrays, and a null list counts
//! as one without elements, whatever values its range covers. A slot of a `Null` array is null.
//!
//! | function | gives |
//! | --- | --- |
//! | [`list_lengths`] | the number of elements of each list |
//! | [`element_lengths`] | the same, or the number of bytes of each string |
//! | [`parent_indices`] | for each element, the row of its list |
//! | [`lists_from_parent_indices`] | the lists again, from elements and their rows |
//! | [`coo_from_lists`] | the coordinates of each innermost element, and the shape around them |
//! | [`fill_null_lists`] | the lists, with the null ones replaced |
//! | [`singleton_lists`] | each element as a list of its own |
//! | [`flatten_nested`], [`flatten_nested_with_parents`] | the innermost elements, and their rows |
//! | [`is_list_type`], [`innermost_type`] | the type under the lists |
//! | [`null_bytes`] | one byte for each element: 1 if it is null |
//! | [`value_counts`] | the distinct values, and how often each occurs |
//! | [`index_in`] | for each value, its index in a set of values |
//! | [`byte_size`], [`total_string_bytes`] | the memory that an array, or its strings, take |
//! | [`count_invalid_utf8`] | how many strings are not UTF-8 |
//!
//! For rows and columns of whole batches see [`table`](crate::table).

mod byte_size;
mod bytes;
mod capacity;
mod coo;
mod element_lengths;
mod flatten;
mod index_in;
mod lists;
mod nulls;
mod parent_indices;
mod singleton_lists;
mod utf8;
mod value_counts;
mod widen;

pub use byte_size::{byte_size, total_string_bytes};
pub(crate) use bytes::ByteRows;
pub(crate) use capacity::{Kernel, has_room};
pub use coo::{Coo, coo_from_lists};
pub use element_lengths::{element_lengths, list_lengths};
pub use flatten::{flatten_nested, flatten_nested_with_parents, innermost_type, is_list_type};
pub use index_in::index_in;
pub(crate) use lists::{Lists, int64, with_room};
pub use nulls::{fill_null_lists, null_bytes};
pub use parent_indices::{EmptyParents, lists_from_parent_indices, parent_indices};
pub use singleton_lists::singleton_lists;
pub use utf8::count_invalid_utf8;
pub use value_counts::value_counts;
pub(crate) use widen::widen;
