//! Tensors: shapes over shared Arrow buffers.

mod batch;
mod cast;
mod dense;
#[cfg(feature = "dlpack")]
pub mod dlpack;
mod element;
#[cfg(feature = "ndarray")]
mod ndarray;
mod ragged;
pub(crate) mod raw;
mod sparse;
mod spec;
mod strings;
mod structured;
mod values;

use tfxio_core::DType;

pub(crate) use self::batch::unknown;
pub use self::batch::{CopyCount, NamedTensor, TensorBatch};
pub(crate) use self::cast::not_cast;
pub use self::dense::DenseTensor;
pub use self::element::Element;
pub(crate) use self::element::{with_element, with_primitive};
pub use self::ragged::{RaggedTensor, RowSplits};
pub use self::raw::Endian;
pub use self::sparse::SparseTensor;
pub use self::spec::TensorSpec;
pub use self::strings::{Strings, StringsIter};
pub use self::structured::StructuredTensor;
pub use self::values::Values;

/// A tensor of one batch. Its first dimension is the batch's rows.
///
/// Values are Arrow buffers that are shared with the columns they came from wherever the layout
/// allows it. Cloning a tensor copies no values. Two tensors are equal when they are of one kind, shape
/// and dtype and hold the same bits: a NaN equals itself, and `0.0` is not `-0.0`.
///
/// ```
/// use tensor_repr::{DenseTensor, Tensor, Values};
///
/// let tensor = Tensor::Dense(DenseTensor::try_new(vec![2, 2], Values::from_vec(vec![1.0f32, 2.0, 3.0, 4.0]))?);
/// assert_eq!(tensor.rows(), 2);
/// assert_eq!(tensor.spec().to_string(), "dense float32 [?, 2]");
/// # Ok::<(), tensor_repr::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tensor {
    /// A value in every cell.
    Dense(DenseTensor),
    /// Values at indices.
    Sparse(SparseTensor),
    /// Rows of different lengths.
    Ragged(RaggedTensor),
    /// Tensors as the named fields of structs.
    Structured(StructuredTensor),
}

impl Tensor {
    /// Returns the size of the first dimension; 1 for a dense tensor without dimensions.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(tensor) => tensor.rows(),
            Self::Sparse(tensor) => tensor.rows(),
            Self::Ragged(tensor) => tensor.rows(),
            Self::Structured(tensor) => tensor.rows(),
        }
    }

    /// Returns the dtype of the values; `None` for a structured tensor, whose fields have their own.
    #[must_use]
    pub fn dtype(&self) -> Option<DType> {
        match self {
            Self::Dense(tensor) => Some(tensor.dtype()),
            Self::Sparse(tensor) => Some(tensor.dtype()),
            Self::Ragged(tensor) => Some(tensor.dtype()),
            Self::Structured(_) => None,
        }
    }

    /// Returns the spec of every tensor like this one: its shape with an unknown number of rows. Dimensions that ragged
    /// rows divide are unknown too.
    #[must_use]
    pub fn spec(&self) -> TensorSpec {
        spec::of(self)
    }
}
