//! The dtype that a representation demands.

use tfxio_core::DType;

use super::Representation;

impl Representation {
    /// The dtype that the values must have; `None` takes the column's. A structured tensor demands none.
    #[must_use]
    pub fn dtype(&self) -> Option<DType> {
        match self {
            Self::Dense(dense) => dense.dtype,
            Self::VarLenSparse(sparse) => sparse.dtype,
            Self::Sparse(sparse) => sparse.dtype,
            Self::Ragged(ragged) => ragged.dtype,
            Self::VarLenRagged(ragged) => ragged.dtype,
            Self::Lengths(lengths) => lengths.dtype,
            Self::Structured(_) => None,
        }
    }

    /// The same representation of values of this dtype. It is what a column of type `Null` is taken for, which
    /// has none of its own. A structured tensor stays as it is.
    #[must_use]
    pub fn with_dtype(mut self, dtype: DType) -> Self {
        match &mut self {
            Self::Dense(dense) => dense.dtype = Some(dtype),
            Self::VarLenSparse(sparse) => sparse.dtype = Some(dtype),
            Self::Sparse(sparse) => sparse.dtype = Some(dtype),
            Self::Ragged(ragged) => ragged.dtype = Some(dtype),
            Self::VarLenRagged(ragged) => ragged.dtype = Some(dtype),
            Self::Lengths(lengths) => lengths.dtype = Some(dtype),
            Self::Structured(_) => {}
        }
        self
    }
}
