//! The rows of a data set as tensors, batch by batch.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tensor_repr::{TensorAdapter, TensorBatch};
use tfxio_core::{Count, Error, Partition, Result, Scan};
use tfxio_format_tfrecord::example_codec::Kind;

/// The rows of a data set, or of a partition, as tensors, batch by batch.
pub struct TensorBatches {
    /// Nothing after the end or an error.
    batches: Option<Box<dyn Scan>>,
    adapter: Arc<dyn TensorAdapter>,
    /// Tensors that were chosen of an adapter of one's own.
    names: Option<Vec<Arc<str>>>,
    /// The tensor whose shape gives a column its length, by the name of the column.
    shapes: Arc<HashMap<Arc<str>, Arc<str>>>,
    /// The partition, if one is scanned.
    partition: Option<Partition>,
}

impl TensorBatches {
    pub(super) fn new(
        batches: Box<dyn Scan>,
        adapter: Arc<dyn TensorAdapter>,
        names: Option<Vec<Arc<str>>>,
        shapes: Arc<HashMap<Arc<str>, Arc<str>>>,
    ) -> Self {
        Self { batches: Some(batches), adapter, names, shapes, partition: None }
    }

    pub(super) fn of(mut self, partition: &Partition) -> Self {
        self.partition = Some(partition.clone());
        self
    }

    fn next(&mut self) -> Result<Option<TensorBatch>> {
        let Some(batches) = &mut self.batches else { return Ok(None) };
        let next = batches.next_batch().map_err(|error| of_shape(error, &self.shapes))?;
        let Some(batch) = next else { return Ok(None) };
        let names = self.names.as_ref().map(|names| names.iter().map(|name| &**name).collect::<Vec<_>>());
        // An error about a row names the record that it was.
        let tensors = self.adapter.to_tensors(batch.columns(), names.as_deref());
        tensors.map(Some).map_err(|error| match &self.partition {
            Some(partition) => partition.locate(batch.locate(error)),
            None => batch.locate(error),
        })
    }
}

/// Adds to the error of a record with another number of values the tensor that asks for them. A decoder knows of schemas alone.
fn of_shape(error: Error, shapes: &HashMap<Arc<str>, Arc<str>>) -> Error {
    let tensor = error.position().column.as_ref().and_then(|column| shapes.get(column));
    let kind = error.detail::<Kind>();
    let (Some(tensor), Some(Kind::WrongLength { expected, found })) = (tensor, kind) else {
        return error;
    };
    let found = Count::of(*found, "value");
    let message = format!("the record has {found}, the shape of the tensor {tensor:?} holds {expected}");
    Error::new(error.kind(), message).at(error.position().clone())
}

impl Iterator for TensorBatches {
    type Item = Result<TensorBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next();
        if !matches!(next, Ok(Some(_))) {
            self.batches = None;
        }
        next.transpose()
    }
}

impl fmt::Debug for TensorBatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let specs = self.adapter.specs().iter().map(|(name, spec)| (name, spec.to_string()));
        f.debug_map().entries(specs).finish()
    }
}
