//! The Arrow buffers of columns while they grow. A batch takes them without a copy, and their memory
//! comes back when nobody holds it any more.

mod bits;
mod nulls;
mod offsets;
mod values;

use arrow_array::OffsetSizeTrait;
use arrow_buffer::ToByteSlice;

pub(crate) use bits::Bits;
pub(crate) use nulls::Nulls;
pub(crate) use offsets::{Binary, Ends};
pub(crate) use values::Values;

/// The offsets of lists and byte strings: `i32` or `i64`.
pub(crate) trait Offset: OffsetSizeTrait + ToByteSlice {}
impl Offset for i32 {}
impl Offset for i64 {}
