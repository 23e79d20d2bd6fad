//! Memory of tensors.

use tensor_repr::{Tensor, Values};

/// Bytes of a tensor, whether written or shared: values (8 for each string), indices and row splits.
#[must_use]
pub fn bytes(tensor: &Tensor) -> u64 {
    let of = |values: &Values| values.buffer().map_or(values.len() * 8, |buffer| buffer.len()) as u64;
    match tensor {
        Tensor::Dense(tensor) => of(tensor.values()),
        Tensor::Sparse(tensor) => of(tensor.values()) + tensor.indices().len() as u64 * 8,
        Tensor::Ragged(tensor) => {
            of(tensor.values())
                + tensor.row_splits().iter().map(|splits| splits.len() as u64 * 8).sum::<u64>()
        }
        Tensor::Structured(tensor) => tensor.fields().iter().map(|(_, field)| bytes(field)).sum(),
        _ => 0,
    }
}
