//! Feature specs of `tensor-repr` bound to an Avro schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use avro_path::key::KeyColumns;
use avro_path::program::KeyOptions;
use avro_path::{AvroSchema, KeyProgram};
use tensor_repr::{Adapter, FeatureSpec, Tensor};
use tfxio_core::{Error, Origin};

/// Program and adapter that turn data into tensors.
pub struct Features {
    pub program: KeyProgram,
    pub adapter: Adapter,
}

impl Features {
    pub fn new(
        schema: &AvroSchema,
        specs: &BTreeMap<String, FeatureSpec>,
        options: KeyOptions,
    ) -> Result<Self, Error> {
        let mut columns = KeyColumns::new(schema);
        let mut numbers = Vec::new();
        for (name, spec) in specs {
            let keys = spec.keys(name);
            let read_as = keys.keys.iter().map(String::as_str).zip(keys.dtypes.iter().copied());
            numbers.push(columns.add_as(keys.base.as_deref(), read_as)?);
        }
        let program = columns.program(options)?;
        let arrow_schema = program.arrow_schema();
        let mut representations = Vec::new();
        for ((name, spec), numbers) in specs.iter().zip(&numbers) {
            let fields = numbers.iter().map(|&number| arrow_schema.field(number)).collect::<Vec<_>>();
            representations.push((name.as_str(), spec.representation_of(name, &fields)?));
        }
        let adapter = Adapter::builder(program.arrow_schema(), representations).build()?;
        Ok(Self { program, adapter })
    }

    /// Returns the tensors of a batch of data.
    pub fn tensors<D: AsRef<[u8]>>(&self, data: &[D]) -> Result<Vec<(Arc<str>, Tensor)>, Error> {
        let mut decoder = self.program.decoder();
        for (number, datum) in data.iter().enumerate() {
            decoder.push(datum.as_ref(), Origin::record(number as u64))?;
        }
        let tensors = self.adapter.tensors(&decoder.flush()?)?;
        for ((name, tensor), (_, spec)) in tensors.iter().zip(self.adapter.specs()) {
            assert!(spec.accepts(tensor), "{name} is {}, its spec {spec}", tensor.spec());
        }
        Ok(tensors.into_tensors())
    }
}
