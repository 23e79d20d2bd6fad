//! `coders`: records of tf.Example and tf.SequenceExample as batches, and back.

mod records;
mod schema;

use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use pyo3_arrow::PySchema;
use tfxio::example_codec::{
    EncodedExamples, EncoderOptions, ExampleDecoder, ExampleEncoder, Kind, RaggedColumn,
    SequenceExampleDecoder, example_to_arrays,
};
use tfxio::{Error, Origin, Result};

use self::records::Records;
use super::Bytes;
use super::encoder_status::{self, Ragged};
use super::status::runtime;
use super::tables::{batch_back, given_batch};
use crate::numpy;

/// Returns the exception of a record that does not fit.
fn of_record(error: &Error, is_sequence: bool) -> PyErr {
    if let Some(Kind::KindMismatch { expected: Some(expected), found }) = error.detail::<Kind>() {
        let name = error.position().column.as_deref().unwrap_or_default();
        let within =
            if is_sequence && error.to_string().contains("step ") { "sequence feature" } else { "feature" };
        let (expected, found) = (expected.name(), found.name());
        return runtime(format!(
            "INVALID_ARGUMENT: Feature had wrong type, expected {expected}, found {found} for {within} \"{name}\""
        ));
    }
    match error.detail::<Kind>() {
        Some(Kind::Malformed(_) | Kind::NameNotUtf8) => {
            let what = if is_sequence { "sequence example" } else { "example" };
            runtime(format!("DATA_LOSS: Unable to parse {what}. {error}"))
        }
        _ => runtime(format!("INVALID_ARGUMENT: {error}")),
    }
}

/// Returns the batch of records. After an error the decoder is as it was before.
fn decode<D>(
    decoder: &Mutex<D>,
    records: &Records,
    push: impl Fn(&mut D, &[u8], Origin<'_>) -> Result<()>,
    flush: impl Fn(&mut D) -> Result<RecordBatch>,
) -> Result<RecordBatch> {
    let mut decoder = decoder.lock().unwrap_or_else(PoisonError::into_inner);
    for (number, record) in (0..).zip(records.iter()) {
        if let Err(error) = push(&mut decoder, record, Origin::record(number)) {
            flush(&mut decoder)?;
            return Err(error);
        }
    }
    flush(&mut decoder)
}

/// Returns the schema of all batches of a decoder.
fn arrow_schema<'py>(
    py: Python<'py>,
    schema: Option<SchemaRef>,
    decoder: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(schema) = schema else {
        return Err(runtime(format!(
            "{decoder}: Unable to get the arrow schema if a TFMD schema was not provided at the construction time."
        )));
    };
    PySchema::new(schema).into_pyarrow(py)
}

/// Decodes tf.Examples.
#[pyclass(frozen, module = "tfxio.compat.tfx_bsl_extension.coders")]
pub(crate) struct ExamplesToRecordBatchDecoder {
    decoder: Mutex<ExampleDecoder>,
    schema: Option<SchemaRef>,
}

#[pymethods]
impl ExamplesToRecordBatchDecoder {
    #[new]
    #[pyo3(signature = (serialized_schema=None))]
    fn new(serialized_schema: Option<Bytes>) -> PyResult<Self> {
        let mut builder = ExampleDecoder::builder().kinds_of_empty_lists(true);
        if let Some(bytes) = &serialized_schema {
            builder = builder.schema(schema::examples(bytes.as_ref())?);
        }
        let decoder = builder.build().map_err(runtime)?;
        let schema = decoder.schema().filter(|_| serialized_schema.is_some());
        Ok(Self { decoder: Mutex::new(decoder), schema })
    }

    #[pyo3(name = "DecodeBatch")]
    fn decode_batch<'py>(&self, examples: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = examples.py();
        let records = Records::of(examples)?;
        let batch =
            py.detach(|| decode(&self.decoder, &records, ExampleDecoder::push, ExampleDecoder::flush));
        batch_back(py, batch.map_err(|error| of_record(&error, false))?)
    }

    #[pyo3(name = "ArrowSchema")]
    fn arrow_schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrow_schema(py, self.schema.clone(), "ExamplesToRecordBatchDecoder")
    }
}

/// Decodes tf.SequenceExamples.
#[pyclass(frozen, module = "tfxio.compat.tfx_bsl_extension.coders")]
pub(crate) struct SequenceExamplesToRecordBatchDecoder {
    decoder: Mutex<SequenceExampleDecoder>,
    schema: Option<SchemaRef>,
}

#[pymethods]
impl SequenceExamplesToRecordBatchDecoder {
    /// An empty schema is none.
    #[new]
    #[pyo3(signature = (sequence_feature_column_name, serialized_schema=None))]
    fn new(sequence_feature_column_name: &str, serialized_schema: Option<Bytes>) -> PyResult<Self> {
        let mut builder = SequenceExampleDecoder::builder()
            .sequence_column(sequence_feature_column_name)
            .kinds_of_empty_lists(true);
        let given = serialized_schema.filter(|bytes| !bytes.as_ref().is_empty());
        if let Some(bytes) = &given {
            builder =
                builder.schema(schema::sequence_examples(bytes.as_ref(), sequence_feature_column_name)?);
        }
        let decoder = builder.build().map_err(runtime)?;
        let schema = decoder.schema().filter(|_| given.is_some());
        Ok(Self { decoder: Mutex::new(decoder), schema })
    }

    #[pyo3(name = "DecodeBatch")]
    fn decode_batch<'py>(&self, examples: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = examples.py();
        let records = Records::of(examples)?;
        let decoder = &self.decoder;
        let batch = py.detach(|| {
            decode(decoder, &records, SequenceExampleDecoder::push, SequenceExampleDecoder::flush)
        });
        let batch = batch.map_err(|error| of_record(&error, true))?;
        batch_back(py, batch)
    }

    #[pyo3(name = "ArrowSchema")]
    fn arrow_schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrow_schema(py, self.schema.clone(), "SequenceExamplesToRecordBatchDecoder")
    }
}

/// Encodes the rows of batches as tf.Examples.
#[pyclass(frozen, module = "tfxio.compat.tfx_bsl_extension.coders")]
pub(crate) struct RecordBatchToExamplesEncoder {
    ragged: Ragged,
}

impl RecordBatchToExamplesEncoder {
    fn encoded(&self, batch: &RecordBatch) -> Result<EncodedExamples> {
        let schema = batch.schema();
        let known = self.ragged.iter().filter(|(column, _)| schema.field_with_name(column).is_ok());
        let ragged = known.map(|(column, (values, partitions))| {
            RaggedColumn::new(column.clone(), values.clone(), partitions.iter().cloned())
        });
        let encoder = ExampleEncoder::builder(&schema)
            .options(EncoderOptions::default().scalars(false).ragged_features(ragged))
            .build()?;
        let mut examples = EncodedExamples::new();
        encoder.encode(batch, &mut examples)?;
        Ok(examples)
    }
}

#[pymethods]
impl RecordBatchToExamplesEncoder {
    #[new]
    #[pyo3(signature = (serialized_schema=None))]
    fn new(serialized_schema: Option<Bytes>) -> PyResult<Self> {
        let ragged = serialized_schema.map(|bytes| schema::ragged(bytes.as_ref())).transpose()?;
        Ok(Self { ragged: ragged.unwrap_or_default() })
    }

    #[pyo3(name = "Encode")]
    fn encode<'py>(&self, record_batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = record_batch.py();
        let batch = given_batch(record_batch)?;
        // A column without lists, even one of nothing: tfx-bsl refuses it.
        let is_refused =
            |data_type: &DataType| matches!(data_type, DataType::Null | DataType::FixedSizeList(..));
        if batch.schema_ref().fields().iter().any(|field| is_refused(field.data_type()))
            && let Some(said) = encoder_status::message(batch.schema_ref(), &self.ragged)
        {
            return Err(runtime(format!("INVALID_ARGUMENT: {said}")));
        }
        let examples = py.detach(|| self.encoded(&batch)).map_err(|error| {
            let said = encoder_status::message(batch.schema_ref(), &self.ragged);
            runtime(format!("INVALID_ARGUMENT: {}", said.unwrap_or_else(|| error.to_string())))
        })?;
        PyList::new(py, examples.iter().map(|example| PyBytes::new(py, example)))
    }
}

/// Returns the features of a tf.Example as arrays of numpy, `None` for a feature without a list.
#[pyfunction(name = "ExampleToNumpyDict")]
pub(crate) fn example_to_numpy(py: Python<'_>, serialized_example: Bytes) -> PyResult<Bound<'_, PyDict>> {
    let features =
        example_to_arrays(serialized_example.as_ref()).map_err(|error| match error.detail::<Kind>() {
            Some(Kind::Malformed(_) | Kind::NameNotUtf8) => {
                runtime(format!("DATA_LOSS: Failed to parse input proto. {error}"))
            }
            _ => of_record(&error, false),
        })?;
    let dict = PyDict::new(py);
    for (name, values) in features {
        let values = values.map(|values| numpy::array(py, &values)?.call_method0("copy")).transpose()?;
        dict.set_item(name, values)?;
    }
    Ok(dict)
}
