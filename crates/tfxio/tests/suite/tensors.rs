//! Data sets as tensors.
#![cfg(feature = "tensors")]

mod digits;
mod errors;
mod foreign;
mod inferred;
mod layouts;
mod project;
mod realdata;
use crate::records;
mod sequence;
mod sources;

use std::sync::Arc;

use tfxio::prelude::*;
use tfxio::tensor_repr::{Tensor, TensorBatch, feature_specs_from_json};
use tfxio::{Error, Patterns, TensorBatches, Tensors};

/// A file beside this repository's tests.
fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Options for tf.Examples of a schema.
fn by_schema(schema: &str) -> OpenOptions {
    OpenOptions::new().format("example").set("schema", schema).unwrap()
}

/// All tensors of tf.Examples by feature specs.
fn by_specs(files: impl Patterns, specs: &str) -> Tensors {
    let specs = feature_specs_from_json(specs).unwrap();
    tensors(&OpenOptions::new().format("example").features(specs).open(files).unwrap())
}

/// Returns all tensors of a data set, by its own representations.
fn tensors(dataset: &Arc<dyn Dataset>) -> Tensors {
    dataset.tensors(dataset.representations().unwrap()).unwrap()
}

/// The only batch.
fn only(tensors: &Tensors) -> TensorBatch {
    let mut batches = tensors.read(ScanRequest::new()).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(batches.len(), 1);
    batches.remove(0)
}

/// Batches before the first error, and the error; nothing may come after it.
fn failed(mut reader: TensorBatches) -> (usize, Error) {
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
