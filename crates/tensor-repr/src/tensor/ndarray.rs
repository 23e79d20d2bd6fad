//! Tensors as [`ndarray`] views.

use ndarray::{ArrayView2, ArrayViewD, IxDyn};

use super::{DenseTensor, Element, RaggedTensor, SparseTensor, Values};
use crate::{Error, Kind};

impl DenseTensor {
    /// Returns the tensor as a view, without a copy.
    ///
    /// # Errors
    /// `TypeMismatch` if `T` is not the type of the dtype. Bools and strings have no view.
    ///
    /// ```
    /// use tensor_repr::{DenseTensor, Values};
    /// let tensor = DenseTensor::try_new(vec![2, 2], Values::from_vec(vec![1i64, 2, 3, 4]))?;
    /// assert_eq!(tensor.ndarray::<i64>()?[[1, 0]], 3);
    /// assert_eq!(tensor.ndarray::<f32>().unwrap_err().to_string(), "the values are int64, not float32");
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    pub fn ndarray<T: Element>(&self) -> Result<ArrayViewD<'_, T>, Error> {
        view(self.shape(), self.values())
    }
}

impl SparseTensor {
    /// Returns the indices as a view of shape `[entries, rank]`, without a copy.
    ///
    /// # Errors
    /// `InvalidTensor` if they do not fill that shape, which the tensor rules out.
    pub fn indices_ndarray(&self) -> Result<ArrayView2<'_, i64>, Error> {
        ArrayView2::from_shape((self.entries(), self.rank()), self.indices()).map_err(broken)
    }
}

impl RaggedTensor {
    /// Returns the flat values as a view of shape `[items] + inner shape`, without a copy.
    ///
    /// # Errors
    /// `TypeMismatch` if `T` is not the type of the dtype.
    pub fn values_ndarray<T: Element>(&self) -> Result<ArrayViewD<'_, T>, Error> {
        let items = self.row_splits().last().map_or(0, super::RowSplits::total);
        let shape = [items].into_iter().chain(self.inner_shape().iter().copied()).collect::<Vec<_>>();
        view(&shape, self.values())
    }
}

fn view<'a, T: Element>(shape: &[usize], values: &'a Values) -> Result<ArrayViewD<'a, T>, Error> {
    let slice = values.as_slice::<T>().ok_or_else(|| {
        Error::new(Kind::TypeMismatch, format!("the values are {}, not {}", values.dtype(), T::DTYPE))
    })?;
    ArrayViewD::from_shape(IxDyn(shape), slice).map_err(broken)
}

fn broken(error: ndarray::ShapeError) -> Error {
    Error::new(Kind::InvalidTensor, "the values do not fill the shape").because(error)
}
