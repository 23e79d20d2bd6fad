//! Avro records in memory, and records of Avro files as they are serialized.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use arrow_array::LargeBinaryArray;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyDict, PyList};
use tfxio::avro_path::{AvroDecoder, AvroSchema, Key};
use tfxio::tensor_repr::FeatureSpec;
use tfxio::{Batch, FileStore, Result, Store as _};

use crate::batch::RecordBatch;
use crate::errors::OrRaise;
use crate::reading::Reading;
use crate::source::Source;
use crate::tensors::{by_name, specs};
use crate::{values, waiting};

/// Feature specs compiled for an Avro schema: tensors of serialized records.
#[pyclass(frozen, module = "tfxio._lib")]
pub(crate) struct AvroFeatures {
    features: tfxio::AvroFeatures,
    /// Decoders that no thread uses. Their memory is used again.
    idle: Mutex<Vec<AvroDecoder>>,
}

fn compile(
    schema: &str,
    descriptions: BTreeMap<String, String>,
    writer: Option<&str>,
) -> Result<tfxio::AvroFeatures> {
    let spec = |(name, json): (String, String)| Ok((name, FeatureSpec::from_json(&json)?));
    let specs = descriptions.into_iter().map(spec).collect::<Result<BTreeMap<_, _>>>()?;
    let schema = AvroSchema::parse(schema)?;
    let writer = writer.map(AvroSchema::parse).transpose()?;
    let builder = tfxio::AvroFeatures::builder(&schema, &specs);
    match &writer {
        Some(writer) => builder.writer(writer).build(),
        None => builder.build(),
    }
}

impl AvroFeatures {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<AvroDecoder>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a function with a decoder of no other thread.
    fn with_decoder<T>(&self, run: impl FnOnce(&mut AvroDecoder) -> Result<T>) -> Result<T> {
        let idle = self.idle().pop();
        let mut decoder = idle.unwrap_or_else(|| self.features.decoder());
        let result = run(&mut decoder);
        self.idle().push(decoder);
        result
    }
}

#[pymethods]
impl AvroFeatures {
    /// Compiles feature specs, as JSON by name, for records of a schema; of another schema, if the writer's is given.
    #[new]
    #[pyo3(signature = (schema, descriptions, writer_schema=None))]
    fn new(
        py: Python<'_>,
        schema: &str,
        descriptions: BTreeMap<String, String>,
        writer_schema: Option<&str>,
    ) -> PyResult<Self> {
        let features = py.detach(|| compile(schema, descriptions, writer_schema)).or_raise(py)?;
        Ok(Self { features, idle: Mutex::default() })
    }

    /// The kind, dtype and shape of each tensor, by name.
    #[getter]
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        specs(py, self.features.specs())
    }

    /// Returns the columns of the keys, a row for each record.
    fn columns(&self, py: Python<'_>, records: Vec<PyBackedBytes>) -> PyResult<RecordBatch> {
        let decode = || self.with_decoder(|decoder| self.features.columns(decoder, &records));
        Ok(Batch::from(py.detach(decode).or_raise(py)?).into())
    }

    /// Returns the tensors of the records, by name.
    fn tensors<'py>(&self, py: Python<'py>, records: Vec<PyBackedBytes>) -> PyResult<Bound<'py, PyDict>> {
        let decode = || self.with_decoder(|decoder| self.features.tensors(decoder, &records));
        by_name(py, py.detach(decode).or_raise(py)?)
    }
}

/// Returns the dimensions that a key expression adds: the number of its `[*]` and filters.
#[pyfunction]
pub(crate) fn avro_key_rank(py: Python<'_>, key: &str) -> PyResult<usize> {
    Ok(Key::parse(key).or_raise(py)?.rank())
}

/// The records of an Avro file as they are serialized, some at a time.
#[pyclass(frozen, module = "tfxio._lib")]
pub(crate) struct AvroRecordReader(Source<LargeBinaryArray>);

#[pymethods]
impl AvroRecordReader {
    /// Opens a path or a URL. With a schema, the records come out as this schema writes them. Each list has records of as many
    /// bytes as given, one record at least.
    #[new]
    #[pyo3(signature = (path, schema=None, batch_bytes=1 << 20))]
    fn new(py: Python<'_>, path: String, schema: Option<String>, batch_bytes: usize) -> PyResult<Self> {
        let reading = Reading::new();
        let store = FileStore::default();
        let is_steady = store.local_path(&path).is_some();
        let opening = reading.cancel.clone();
        let open = move || {
            let schema = schema.as_deref().map(AvroSchema::parse).transpose()?;
            tfxio::AvroRecords::open(&store, &path, schema.as_ref(), &opening)
        };
        let mut records = waiting::wait(py, &reading.cancel, open)?.or_raise(py)?;
        Ok(Self(Source::new(reading, is_steady, Box::new(move || records.next_batch(batch_bytes)))))
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        self.0.next(py)?.map(|records| values::list(py, &records)).transpose()
    }

    /// Ends the reader and closes the file.
    fn close(&self, py: Python<'_>) {
        self.0.close(py);
    }
}
