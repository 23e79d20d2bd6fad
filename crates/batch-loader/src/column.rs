//! Tensors of many records in one piece: what decoding and processing make and batches are gathered from.

use arrow_buffer::Buffer;
use tensor_repr::{Strings, Values};
use tfxio_core::DType;

use crate::shape::Shape;

/// One tensor of each of a number of rows (records), one after the other.
///
/// The values of all rows lie one after the other, in row-major order: row `r` of a column of fixed
/// shape begins at `r · cells`, row `r` of a column whose first dimension varies at `offsets[r] · inner cells`.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) rows: usize,
    pub(crate) shape: RowShape,
    /// Exactly the elements of all rows, of the tensor's dtype.
    pub(crate) values: Values,
}

/// The shapes of the rows of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowShape {
    /// Every row has this shape.
    Fixed(Vec<usize>),
    /// The first dimension varies: row `r` has `offsets[r + 1] - offsets[r]` steps, each of the shape `inner`.
    /// There is one offset more than rows; the first is 0.
    Leading { offsets: Vec<usize>, inner: Vec<usize> },
}
