//! Specs of tensors, known before there is data.

use std::fmt;
use std::sync::Arc;

use tfxio_core::DType;

use super::Tensor;
use crate::RowSplitsDType;
use crate::spec::sizes;

/// The kind, dtype and shape of a tensor. `None` in a shape is a size that is not known.
///
/// Displayed as `dense float32 [?, 28, 28]`, `sparse string [?, ?]`, `ragged int64 [?, ?, 2] (int64 splits)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TensorSpec {
    /// A [`DenseTensor`](super::DenseTensor).
    Dense {
        /// The dtype of the values.
        dtype: DType,
        /// The size of each dimension, the batch first.
        shape: Vec<Option<usize>>,
    },
    /// A [`SparseTensor`](super::SparseTensor).
    Sparse {
        /// The dtype of the values.
        dtype: DType,
        /// The size of each dimension, the batch first.
        shape: Vec<Option<usize>>,
    },
    /// A [`RaggedTensor`](super::RaggedTensor).
    Ragged {
        /// The dtype of the values.
        dtype: DType,
        /// The size of each dimension: the batch, one for each level of row splits, then the inner ones.
        shape: Vec<Option<usize>>,
        /// The number of levels of row splits, at least 1.
        ragged_rank: usize,
        /// The integer type of the row splits.
        row_splits: RowSplitsDType,
    },
    /// A [`StructuredTensor`](super::StructuredTensor).
    Structured {
        /// The size of each dimension of structs: the batch, then one for each level of row splits.
        shape: Vec<Option<usize>>,
        /// The integer type of the row splits; of no meaning when the shape is that of the batch alone.
        row_splits: RowSplitsDType,
        /// The fields. Their first dimension is the number of structs.
        fields: Vec<(Arc<str>, TensorSpec)>,
    },
}

impl TensorSpec {
    /// Returns the dtype of the values; `None` for a structured tensor.
    #[must_use]
    pub fn dtype(&self) -> Option<DType> {
        match self {
            Self::Dense { dtype, .. } | Self::Sparse { dtype, .. } | Self::Ragged { dtype, .. } => {
                Some(*dtype)
            }
            Self::Structured { .. } => None,
        }
    }

    /// Returns the size of each dimension, the batch first.
    #[must_use]
    pub fn shape(&self) -> &[Option<usize>] {
        match self {
            Self::Dense { shape, .. }
            | Self::Sparse { shape, .. }
            | Self::Ragged { shape, .. }
            | Self::Structured { shape, .. } => shape,
        }
    }

    /// Returns whether a tensor is of this kind and dtype, and of this shape wherever the shape is known.
    ///
    /// ```
    /// use tensor_repr::{DenseTensor, Tensor, TensorSpec, Values};
    /// use tfxio_core::DType;
    ///
    /// let spec = TensorSpec::Dense { dtype: DType::Int64, shape: vec![None, Some(2)] };
    /// let tensor = |shape: &[usize]| DenseTensor::try_new(shape.to_vec(), Values::from_vec(vec![1i64, 2])).map(Tensor::Dense);
    /// assert!(spec.accepts(&tensor(&[1, 2])?));
    /// assert!(!spec.accepts(&tensor(&[2, 1])?));
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    #[must_use]
    pub fn accepts(&self, tensor: &Tensor) -> bool {
        match (self, tensor) {
            (Self::Dense { dtype, shape }, Tensor::Dense(tensor)) => {
                *dtype == tensor.dtype() && fits(shape, tensor.shape())
            }
            (Self::Sparse { dtype, shape }, Tensor::Sparse(tensor)) => {
                *dtype == tensor.dtype() && fits(shape, tensor.dense_shape())
            }
            (Self::Ragged { dtype, shape, ragged_rank, row_splits }, Tensor::Ragged(tensor)) => {
                let inner = shape.get(ragged_rank.saturating_add(1)..).unwrap_or_default();
                *dtype == tensor.dtype()
                    && *ragged_rank == tensor.row_splits().len()
                    && tensor.row_splits().first().is_some_and(|splits| splits.dtype() == *row_splits)
                    && shape.len() == 1 + ragged_rank + tensor.inner_shape().len()
                    && shape.first().is_some_and(|rows| rows.is_none_or(|rows| rows == tensor.rows()))
                    && ragged_fits(shape.get(1..=*ragged_rank).unwrap_or_default(), tensor.row_splits())
                    && fits(inner, tensor.inner_shape())
            }
            (Self::Structured { shape, row_splits, fields }, Tensor::Structured(tensor)) => {
                shape.len() == 1 + tensor.row_splits().len()
                    && shape.first().is_some_and(|rows| rows.is_none_or(|rows| rows == tensor.rows()))
                    && tensor.row_splits().first().is_none_or(|splits| splits.dtype() == *row_splits)
                    && ragged_fits(shape.get(1..).unwrap_or_default(), tensor.row_splits())
                    && fields.len() == tensor.fields().len()
                    && fields
                        .iter()
                        .zip(tensor.fields())
                        .all(|((name, spec), (of, field))| name == of && spec.accepts(field))
            }
            _ => false,
        }
    }
}

fn fits(shape: &[Option<usize>], sizes: &[usize]) -> bool {
    shape.len() == sizes.len()
        && shape.iter().zip(sizes).all(|(known, size)| known.is_none_or(|known| known == *size))
}

/// Returns whether every row of a level has the length of the shape, if the shape has one.
fn ragged_fits(shape: &[Option<usize>], row_splits: &[super::RowSplits]) -> bool {
    shape.iter().zip(row_splits).all(|(known, splits)| {
        known.is_none_or(|known| {
            let known = i64::try_from(known).ok();
            splits.iter().zip(splits.iter().skip(1)).all(|(from, to)| to.checked_sub(from) == known)
        })
    })
}

pub(super) fn of(tensor: &Tensor) -> TensorSpec {
    let batch = |sizes: &[usize]| {
        let sizes = sizes.iter().enumerate();
        sizes.map(|(at, &size)| (at > 0).then_some(size)).collect::<Vec<_>>()
    };
    match tensor {
        Tensor::Dense(tensor) => TensorSpec::Dense { dtype: tensor.dtype(), shape: batch(tensor.shape()) },
        Tensor::Sparse(tensor) => {
            TensorSpec::Sparse { dtype: tensor.dtype(), shape: batch(tensor.dense_shape()) }
        }
        Tensor::Ragged(tensor) => {
            let ragged_rank = tensor.row_splits().len();
            let mut shape = vec![None; ragged_rank + 1];
            shape.extend(tensor.inner_shape().iter().map(|&size| Some(size)));
            let row_splits = tensor.row_splits().first().map(super::RowSplits::dtype).unwrap_or_default();
            TensorSpec::Ragged { dtype: tensor.dtype(), shape, ragged_rank, row_splits }
        }
        Tensor::Structured(tensor) => TensorSpec::Structured {
            shape: vec![None; tensor.row_splits().len() + 1],
            row_splits: tensor.row_splits().first().map(super::RowSplits::dtype).unwrap_or_default(),
            fields: tensor.fields().iter().map(|(name, field)| (name.clone(), of(field))).collect(),
        },
    }
}

impl fmt::Display for TensorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dense { dtype, shape } => write!(f, "dense {dtype} {}", sizes(shape)),
            Self::Sparse { dtype, shape } => write!(f, "sparse {dtype} {}", sizes(shape)),
            Self::Ragged { dtype, shape, row_splits, .. } => {
                write!(f, "ragged {dtype} {} ({} splits)", sizes(shape), row_splits.name())
            }
            Self::Structured { shape, fields, .. } => {
                let fields = fields.iter().map(|(name, spec)| format!("{name}: {spec}")).collect::<Vec<_>>();
                write!(f, "structured {} {{{}}}", sizes(shape), fields.join(", "))
            }
        }
    }
}
