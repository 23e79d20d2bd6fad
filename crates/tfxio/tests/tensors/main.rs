//! Data sets as tensors.
#![cfg(feature = "tensors")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod digits;
mod errors;
mod foreign;
mod inferred;
mod layouts;
mod project;
mod realdata;
#[path = "../records/mod.rs"]
mod records;
mod sequence;
mod sources;

use tfxio::tensor_repr::{NamedTensor, Schema, Tensor};
use tfxio::{Error, TensorReader};

/// A file beside this repository's tests.
fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn schema(text: &str) -> Schema {
    Schema::from_text(text).unwrap()
}

/// The only batch.
fn only(reader: TensorReader) -> Vec<NamedTensor> {
    let mut batches = reader.collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(batches.len(), 1);
    batches.remove(0)
}

/// Batches before the first error, and the error; nothing may come behind it.
fn failed(mut reader: TensorReader) -> (usize, Error) {
    let mut batches = 0;
    loop {
        match reader.next().expect("an error") {
            Ok(_) => batches += 1,
            Err(error) => {
                assert!(reader.next().is_none());
                return (batches, error);
            }
        }
    }
}

fn floats(tensor: &Tensor) -> &[f32] {
    match tensor {
        Tensor::Dense(dense) => dense.values().as_slice::<f32>().unwrap(),
        other => panic!("{other:?}"),
    }
}

fn ints(tensor: &Tensor) -> &[i64] {
    match tensor {
        Tensor::Dense(dense) => dense.values().as_slice::<i64>().unwrap(),
        Tensor::Sparse(sparse) => sparse.values().as_slice::<i64>().unwrap(),
        Tensor::Ragged(ragged) => ragged.values().as_slice::<i64>().unwrap(),
        other => panic!("{other:?}"),
    }
}
