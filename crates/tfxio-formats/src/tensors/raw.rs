//! Tensors of records that are not decoded.

use std::collections::BTreeMap;

use arrow_schema::SchemaRef;
use tensor_repr::{Adapter, DenseRepresentation, Representation, TensorAdapter};
use tfxio_core::{BoxedBatchReader, Error, ReadOptions, Split, TfxIo};

use super::{TensorTfxIo, subset};
use crate::RawRecordTfxIo;

/// One tensor, called like the column: a dense one of strings, of shape `[batch]`. No schema is needed.
impl TensorTfxIo for RawRecordTfxIo {
    fn tensor_representations(&self) -> Result<BTreeMap<String, Representation>, Error> {
        let columns = self.arrow_schema()?;
        let names = columns.fields().iter().map(|field| field.name());
        let dense = |name: &str| DenseRepresentation::default().column(name);
        Ok(names.map(|name| (name.clone(), dense(name).into())).collect())
    }

    fn tensor_adapter(&self) -> Result<Box<dyn TensorAdapter>, Error> {
        Ok(Box::new(adapter(self)?))
    }

    fn project(&self, tensors: &[&str]) -> Result<Box<dyn TensorTfxIo>, Error> {
        let chosen = subset(&self.tensor_representations()?, tensors.iter().copied())?;
        Ok(if chosen.is_empty() { Box::new(WithoutTensors(self.clone())) } else { Box::new(self.clone()) })
    }
}

fn adapter(dataset: &RawRecordTfxIo) -> Result<Adapter, Error> {
    Adapter::builder(dataset.arrow_schema()?, dataset.tensor_representations()?).build()
}

/// The projection to no tensor. The column stays: without it the rows would be lost.
#[derive(Debug)]
struct WithoutTensors(RawRecordTfxIo);

impl TfxIo for WithoutTensors {
    fn arrow_schema(&self) -> Result<SchemaRef, Error> {
        self.0.arrow_schema()
    }

    fn splits(&self, target_bytes: u64) -> Result<Vec<Split>, Error> {
        self.0.splits(target_bytes)
    }

    fn read(&self, split: &Split, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        self.0.read(split, options)
    }
}

impl TensorTfxIo for WithoutTensors {
    fn tensor_representations(&self) -> Result<BTreeMap<String, Representation>, Error> {
        Ok(BTreeMap::new())
    }

    fn tensor_adapter(&self) -> Result<Box<dyn TensorAdapter>, Error> {
        let none = Adapter::builder(self.arrow_schema()?, self.tensor_representations()?);
        Ok(Box::new(none.original_specs(adapter(&self.0)?.specs().to_vec()).build()?))
    }

    fn project(&self, tensors: &[&str]) -> Result<Box<dyn TensorTfxIo>, Error> {
        subset(&BTreeMap::new(), tensors.iter().copied())?;
        Ok(Box::new(Self(self.0.clone())))
    }
}
