//! Tensors as [`ndarray`] views.

use ndarray::{ArrayView2, ArrayViewD, IxDyn};

use super::{DenseTensor, Element, RaggedTensor, SparseTensor};

impl DenseTensor {
    /// The tensor as a view, without a copy; `None` if `T` is not the type of its dtype. Bools and strings
    /// have no view.
    ///
    /// ```
    /// use tensor_repr::{DenseTensor, Values};
    /// let tensor = DenseTensor::try_new(vec![2, 2], Values::from_vec(vec![1i64, 2, 3, 4]))?;
    /// let view = tensor.view::<i64>().unwrap();
    /// assert_eq!(view[[1, 0]], 3);
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    #[must_use]
    pub fn view<T: Element>(&self) -> Option<ArrayViewD<'_, T>> {
        ArrayViewD::from_shape(IxDyn(self.shape()), self.values().as_slice::<T>()?).ok()
    }
}

impl SparseTensor {
    /// The indices as a view of shape `[entries, rank]`, without a copy.
    #[must_use]
    pub fn indices_view(&self) -> Option<ArrayView2<'_, i64>> {
        ArrayView2::from_shape((self.entries(), self.rank()), self.indices()).ok()
    }
}

impl RaggedTensor {
    /// The flat values as a view of shape `[items] + inner shape`, without a copy; `None` if `T` is not the type
    /// of the dtype.
    #[must_use]
    pub fn values_view<T: Element>(&self) -> Option<ArrayViewD<'_, T>> {
        let items = self.row_splits().last().map_or(0, super::RowSplits::total);
        let shape = [items].into_iter().chain(self.inner_shape().iter().copied()).collect::<Vec<_>>();
        ArrayViewD::from_shape(IxDyn(&shape), self.values().as_slice::<T>()?).ok()
    }
}
