//! Dense tensors.

use tfxio_core::{Count, DType};

use super::values::Values;
use crate::{Error, Kind};

/// A value in every cell, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseTensor {
    shape: Vec<usize>,
    values: Values,
}

impl DenseTensor {
    /// Returns a tensor of this shape.
    ///
    /// # Errors
    /// `InvalidTensor` if there are not as many values as the shape has cells.
    pub fn try_new(shape: Vec<usize>, values: Values) -> Result<Self, Error> {
        let cells = shape.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size));
        if cells != Some(values.len()) {
            let values = Count::of(values.len(), "value");
            let do_not = values.verb("does not", "do not");
            let message = format!("{values} {do_not} fill the shape {shape:?}");
            return Err(Error::new(Kind::InvalidTensor, message));
        }
        Ok(Self { shape, values })
    }

    /// Returns the dtype of the values.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.values.dtype()
    }

    /// Returns the size of each dimension, the batch first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the size of the first dimension; 1 for a tensor without dimensions.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Returns the shape and the values, in row-major order, for libraries that take them: `Tensor::from_vec` of candle, `TensorData` of burn.
    /// [`Values::try_into_vec`] gives the memory itself.
    #[must_use]
    pub fn into_parts(self) -> (Vec<usize>, Values) {
        (self.shape, self.values)
    }

    /// Returns the values, in row-major order.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }
}
