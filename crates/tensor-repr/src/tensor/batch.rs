//! The tensors of one batch, by name.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use tfxio_base::{Count, suggest};

use super::{DenseTensor, RaggedTensor, SparseTensor, StructuredTensor, Tensor};
use crate::kind::Locate as _;
use crate::{Error, Kind};

/// A tensor and its name.
pub type NamedTensor = (Arc<str>, Tensor);

/// Bytes that were written to make tensors. Whatever is shared with the columns counts nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyCount {
    /// Bytes of values, and of the offsets of strings.
    pub values: u64,
    /// Bytes of indices and row splits.
    pub computed: u64,
}

/// The tensors of one batch: a slice of names and tensors, all of as many rows, which are found by name too.
///
/// ```
/// use tensor_repr::{DenseTensor, Tensor, TensorBatch, Values};
///
/// let label = DenseTensor::try_new(vec![2], Values::from_vec(vec![7i64, 8]))?;
/// let batch = TensorBatch::try_new(2, [("label", Tensor::Dense(label))])?;
/// assert_eq!(batch.dense("label")?.values().as_slice::<i64>(), Some(&[7, 8][..]));
/// assert_eq!(
///     batch.dense("lable").unwrap_err().to_string(),
///     "tensor \"lable\": there is no such tensor; did you mean \"label\"?"
/// );
/// # Ok::<(), tensor_repr::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TensorBatch {
    rows: usize,
    tensors: Vec<NamedTensor>,
    by_name: Arc<HashMap<Arc<str>, usize>>,
    copied: CopyCount,
}

impl TensorBatch {
    /// Returns the tensors as a batch of `rows` rows.
    ///
    /// # Errors
    /// Each names the tensor:
    /// - `InvalidArgument` if two have one name;
    /// - `ShapeMismatch` if one has another number of rows.
    pub fn try_new<N: Into<Arc<str>>>(
        rows: usize,
        tensors: impl IntoIterator<Item = (N, Tensor)>,
    ) -> Result<Self, Error> {
        let tensors: Vec<NamedTensor> =
            tensors.into_iter().map(|(name, tensor)| (name.into(), tensor)).collect();
        let mut by_name = HashMap::with_capacity(tensors.len());
        for (at, (name, tensor)) in tensors.iter().enumerate() {
            if by_name.insert(Arc::clone(name), at).is_some() {
                return Err(Error::new(Kind::InvalidArgument, "two tensors have this name").in_tensor(name));
            }
            if tensor.rows() != rows {
                let message = format!("the tensor has {}, the batch {rows}", Count::of(tensor.rows(), "row"));
                return Err(Error::new(Kind::ShapeMismatch, message).in_tensor(name));
            }
        }
        Ok(Self { rows, tensors, by_name: Arc::new(by_name), copied: CopyCount::default() })
    }

    /// Returns tensors that an adapter made, which has checked them, with its index of their names.
    pub(crate) fn of_adapter(
        rows: usize,
        tensors: Vec<NamedTensor>,
        by_name: Arc<HashMap<Arc<str>, usize>>,
        copied: CopyCount,
    ) -> Self {
        Self { rows, tensors, by_name, copied }
    }

    /// Sets how many bytes were written to make the tensors. Default none.
    #[must_use]
    pub fn copied(mut self, copied: CopyCount) -> Self {
        self.copied = copied;
        self
    }

    /// Returns the number of rows, the first dimension of every tensor.
    #[must_use]
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    /// Returns the tensor of a name.
    ///
    /// # Errors
    /// `UnknownTensor` if there is none; the nearest name is suggested.
    pub fn get(&self, name: &str) -> Result<&Tensor, Error> {
        let found = self.by_name.get(name).and_then(|at| self.tensors.get(*at));
        found
            .map(|(_, tensor)| tensor)
            .ok_or_else(|| unknown(name, self.tensors.iter().map(|(name, _)| &**name)))
    }

    /// Returns the dense tensor of a name.
    ///
    /// # Errors
    /// Those of [`get`](Self::get), and `TypeMismatch` if the tensor is of another kind.
    pub fn dense(&self, name: &str) -> Result<&DenseTensor, Error> {
        match self.get(name)? {
            Tensor::Dense(tensor) => Ok(tensor),
            other => Err(of_other_kind(name, other, "dense")),
        }
    }

    /// Returns the sparse tensor of a name.
    ///
    /// # Errors
    /// Those of [`get`](Self::get), and `TypeMismatch` if the tensor is of another kind.
    pub fn sparse(&self, name: &str) -> Result<&SparseTensor, Error> {
        match self.get(name)? {
            Tensor::Sparse(tensor) => Ok(tensor),
            other => Err(of_other_kind(name, other, "sparse")),
        }
    }

    /// Returns the ragged tensor of a name.
    ///
    /// # Errors
    /// Those of [`get`](Self::get), and `TypeMismatch` if the tensor is of another kind.
    pub fn ragged(&self, name: &str) -> Result<&RaggedTensor, Error> {
        match self.get(name)? {
            Tensor::Ragged(tensor) => Ok(tensor),
            other => Err(of_other_kind(name, other, "ragged")),
        }
    }

    /// Returns the structured tensor of a name.
    ///
    /// # Errors
    /// Those of [`get`](Self::get), and `TypeMismatch` if the tensor is of another kind.
    pub fn structured(&self, name: &str) -> Result<&StructuredTensor, Error> {
        match self.get(name)? {
            Tensor::Structured(tensor) => Ok(tensor),
            other => Err(of_other_kind(name, other, "structured")),
        }
    }

    /// Returns how many bytes were written to make the tensors, rather than shared with the columns.
    #[must_use]
    pub fn copied_bytes(&self) -> u64 {
        self.copied.values.saturating_add(self.copied.computed)
    }

    /// Returns how many bytes were written, by what they are.
    #[must_use]
    pub fn copy_count(&self) -> CopyCount {
        self.copied
    }

    /// Returns the tensors with their names.
    #[must_use]
    pub fn into_tensors(self) -> Vec<NamedTensor> {
        self.tensors
    }
}

/// Returns the error about a name that no tensor has.
pub(crate) fn unknown<'a, I>(name: &str, known: I) -> Error
where
    I: IntoIterator<Item = &'a str, IntoIter: Clone>,
{
    Error::new(Kind::UnknownTensor, "there is no such tensor")
        .help(suggest::hint(name, known, "tensors"))
        .in_tensor(name)
}

fn of_other_kind(name: &str, tensor: &Tensor, wanted: &str) -> Error {
    let message = format!("the tensor is {}, not {wanted}", tensor.spec());
    Error::new(Kind::TypeMismatch, message).in_tensor(name)
}

impl Deref for TensorBatch {
    type Target = [NamedTensor];

    fn deref(&self) -> &[NamedTensor] {
        &self.tensors
    }
}

impl IntoIterator for TensorBatch {
    type Item = NamedTensor;
    type IntoIter = std::vec::IntoIter<NamedTensor>;

    fn into_iter(self) -> Self::IntoIter {
        self.tensors.into_iter()
    }
}

impl<'a> IntoIterator for &'a TensorBatch {
    type Item = &'a NamedTensor;
    type IntoIter = std::slice::Iter<'a, NamedTensor>;

    fn into_iter(self) -> Self::IntoIter {
        self.tensors.iter()
    }
}

impl PartialEq for TensorBatch {
    /// Returns whether the batches have the same tensors, in the same order, whatever was copied.
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && self.tensors == other.tensors
    }
}
