//! Records in memory to columns, and back, by any format of records.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch as ArrowBatch;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};
use tfxio::convert::Fitted;
use tfxio::{Batch, FormatOptions, Origin, Origins, RecordFormat, RecordPlan, Result};

use crate::batch::RecordBatch;
use crate::errors::OrRaise;
use crate::options::Options;
use crate::request::Request;
use crate::schema::Schema;

type Decoder = Box<dyn tfxio::RecordDecoder + Send>;

/// Decodes records of a format, such as `example`, to batches of one schema: given, or inferred from the records that are
/// decoded first.
#[pyclass(frozen, module = "tfxio._lib")]
pub(crate) struct RecordDecoder {
    format: Arc<dyn RecordFormat>,
    options: FormatOptions,
    request: Request,
    /// Decoder, made from the first records unless the options fix the schema.
    decoder: Mutex<Option<Decoder>>,
    schema: Mutex<Option<arrow_schema::SchemaRef>>,
}

/// Returns a format of records and its options.
fn format(py: Python<'_>, name: &str, options: Options) -> PyResult<(Arc<dyn RecordFormat>, FormatOptions)> {
    let formats = tfxio::formats();
    let format = Arc::clone(formats.record_format(name).or_raise(py)?);
    let set = |all: FormatOptions, (key, value): (String, crate::options::Given)| all.option(key, value.0);
    let given = options.into_iter().fold(FormatOptions::default(), set);
    let checked = given.checked(&format!("records of {name}"), &format.options()).or_raise(py)?;
    Ok((format, checked))
}

impl RecordDecoder {
    fn plan<'a>(&self, first: impl Iterator<Item = &'a [u8]>) -> Result<Arc<dyn RecordPlan>> {
        let mut planner = self.format.planner(&self.options)?;
        if planner.needs_records() {
            for (record, bytes) in (0..).zip(first) {
                planner.push(bytes, Origin::record(record))?;
            }
        }
        planner.finish()
    }

    fn make<'a>(&self, first: impl Iterator<Item = &'a [u8]>) -> Result<Decoder> {
        let plan = self.plan(first)?;
        let decoder = plan.decoder(&self.request.scan)?;
        let schema = decoder.schema().unwrap_or_else(|| Arc::clone(plan.schema()));
        *self.schema.lock().unwrap_or_else(PoisonError::into_inner) = Some(schema);
        Ok(decoder)
    }

    /// Returns the records as a batch.
    ///
    /// # Errors
    /// What is wrong with the first that cannot be decoded.
    pub(crate) fn decode_all<'a>(
        &self,
        records: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Result<ArrowBatch> {
        let mut held = self.decoder.lock().unwrap_or_else(PoisonError::into_inner);
        let decoder = match &mut *held {
            Some(decoder) => decoder,
            none => none.insert(self.make(records.clone())?),
        };
        for (record, bytes) in (0..).zip(records) {
            if let Err(error) = decoder.push(bytes, Origin::record(record)) {
                // The records before it are not those of the next batch.
                decoder.flush()?;
                return Err(error);
            }
        }
        decoder.flush()
    }
}

#[pymethods]
impl RecordDecoder {
    #[new]
    fn new(py: Python<'_>, name: &str, options: Options, request: Request) -> PyResult<Self> {
        let (format, options) = format(py, name, options)?;
        let decoder = Self { format, options, request, decoder: Mutex::new(None), schema: Mutex::new(None) };
        let needs_records = decoder.format.planner(&decoder.options).or_raise(py)?.needs_records();
        if !needs_records {
            let made = decoder.make([].into_iter()).or_raise(py)?;
            *decoder.decoder.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
        }
        Ok(decoder)
    }

    /// The schema of the batches; `None` before the first, if it is inferred.
    #[getter]
    fn schema(&self) -> Option<Schema> {
        self.schema.lock().unwrap_or_else(PoisonError::into_inner).clone().map(Schema)
    }

    /// Returns the records as a batch.
    fn decode(&self, py: Python<'_>, records: Vec<PyBackedBytes>) -> PyResult<RecordBatch> {
        let batch = py.detach(|| self.decode_all(records.iter().map(|record| &**record))).or_raise(py)?;
        Ok(Batch::from(batch).into())
    }
}

/// Records, and what is lost of columns: the name of each, and what.
type Encoded<'py> = (Bound<'py, PyList>, Vec<(String, String)>);

/// Encodes the rows of a batch as records of a format, such as `example`. Columns become the nearest that it takes. Returns the
/// records, and what is lost of columns.
#[pyfunction]
#[pyo3(signature = (batch, name, options, lossless=false))]
pub(crate) fn encode_records<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
    name: &str,
    options: Options,
    lossless: bool,
) -> PyResult<Encoded<'py>> {
    let (format, options) = format(py, name, options)?;
    let rows = batch.batch.num_rows();
    let mut origins = Origins::default();
    origins.push_run("batch".into(), 0, &[], rows);
    let given = Batch::new(batch.batch.clone(), origins);
    let encoded = py.detach(|| {
        let formats = tfxio::formats();
        let of_records = FormatOptions::default().option("records", name);
        let files = formats.file_format("tfrecord")?;
        let fitted = Fitted::new(&given.columns().schema(), &**files, of_records, lossless)?;
        let losses = fitted.losses().iter().map(|loss| (loss.column.clone(), loss.what.clone())).collect();
        let given = fitted.apply(given)?.into_parts().0;
        let mut records = (Vec::new(), Vec::new());
        let mut encoder = format.encoder(fitted.schema(), &options)?;
        encoder.encode(&given, &mut |record| {
            records.0.extend_from_slice(record);
            records.1.push(records.0.len());
            Ok(())
        })?;
        Ok((records, losses))
    });
    let ((bytes, ends), losses) = Result::or_raise(encoded, py)?;
    let list = PyList::empty(py);
    let mut start = 0;
    for end in ends {
        list.append(PyBytes::new(py, bytes.get(start..end).unwrap_or_default()))?;
        start = end;
    }
    Ok((list, losses))
}
