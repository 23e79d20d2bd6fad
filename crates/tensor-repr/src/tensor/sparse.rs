//! Sparse tensors in coordinate form.

use arrow_buffer::ScalarBuffer;
use tfxio_core::{Count, DType};

use super::values::Values;
use crate::{Error, Kind};

/// Values at indices; every other cell is empty. Every size is a number, also where the spec
/// leaves it open.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseTensor {
    indices: ScalarBuffer<i64>,
    values: Values,
    dense_shape: Vec<usize>,
}

impl SparseTensor {
    /// Returns a tensor of entries in any order; an index may occur more than once.
    ///
    /// `indices` has the shape `[entries, rank]`, in row-major order.
    ///
    /// # Errors
    /// `InvalidTensor` if the shape has no dimension or there are not `rank` indices for each value; `InvalidIndex`, naming
    /// the entry, if an index is outside of the shape.
    pub fn try_new(
        indices: ScalarBuffer<i64>,
        values: Values,
        dense_shape: Vec<usize>,
    ) -> Result<Self, Error> {
        let rank = dense_shape.len();
        if rank == 0 {
            return Err(Error::new(Kind::InvalidTensor, "a sparse tensor needs at least one dimension"));
        }
        if values.len().checked_mul(rank) != Some(indices.len()) {
            let (indices, values) = (Count::of(indices.len(), "index"), Count::of(values.len(), "value"));
            let (do_not, dimensions) = (indices.verb("does not", "do not"), Count::of(rank, "dimension"));
            let message = format!("{indices} {do_not} locate {values} in {dimensions}");
            return Err(Error::new(Kind::InvalidTensor, message));
        }
        for (entry, index) in indices.chunks_exact(rank).enumerate() {
            let inside = |(&at, &size): (&i64, &usize)| usize::try_from(at).is_ok_and(|at| at < size);
            if !index.iter().zip(&dense_shape).all(inside) {
                let message =
                    format!("the index {index:?} of entry {entry} lies outside of the shape {dense_shape:?}");
                return Err(Error::new(Kind::InvalidIndex, message));
            }
        }
        Ok(Self { indices, values, dense_shape })
    }

    /// Returns a tensor whose parts are known to fit.
    pub(crate) fn of_parts(indices: ScalarBuffer<i64>, values: Values, dense_shape: Vec<usize>) -> Self {
        debug_assert!(Self::try_new(indices.clone(), values.clone(), dense_shape.clone()).is_ok());
        Self { indices, values, dense_shape }
    }

    /// Returns the dtype of the values.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.values.dtype()
    }

    /// Returns the indices of the entries, of shape `[entries, rank]`, in row-major order.
    #[must_use]
    pub fn indices(&self) -> &ScalarBuffer<i64> {
        &self.indices
    }

    /// Returns the values of the entries.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Returns the size of each dimension, the batch first.
    #[must_use]
    pub fn dense_shape(&self) -> &[usize] {
        &self.dense_shape
    }

    /// Returns the number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.dense_shape.len()
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Returns the size of the first dimension.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.dense_shape.first().copied().unwrap_or_default()
    }
}
