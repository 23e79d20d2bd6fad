//! Schemas of TensorFlow Metadata of data, and data that are compared with one.

use pyo3::prelude::*;
use tfxio::prelude::*;
use tfxio::tensor_repr::{SchemaInference, SchemaValidation, TfmdSchema};

use crate::dataset::Dataset;
use crate::errors::OrRaise;
use crate::reading::Reading;
use crate::request::Request;
use crate::skipped::Skipped;
use crate::waiting;

/// Returns the schema, as text, that the rows of a request satisfy.
#[pyfunction]
pub(crate) fn infer_schema(py: Python<'_>, dataset: &Dataset, request: &Request) -> PyResult<String> {
    let request = request.of_reader(&Reading::new(), dataset.skips());
    let (dataset, skipped) = (dataset.shared(py)?, Skipped::of(&request));
    let cancel = request.cancel.clone();
    let infer = move || {
        let mut inference = SchemaInference::default();
        for batch in dataset.read(request)? {
            inference.push(&batch?)?;
        }
        Ok(inference.finish()?.to_text())
    };
    let schema = tfxio::Result::or_raise(waiting::wait(py, &cancel, infer)?, py)?;
    skipped.warn(py)?;
    Ok(schema)
}

/// Returns what the rows of a request do not satisfy of a schema, each finding as a text.
#[pyfunction]
#[pyo3(signature = (dataset, request, schema, environment=None))]
pub(crate) fn validate(
    py: Python<'_>,
    dataset: &Dataset,
    request: &Request,
    schema: &str,
    environment: Option<String>,
) -> PyResult<Vec<String>> {
    let request = request.of_reader(&Reading::new(), dataset.skips());
    let (dataset, skipped) = (dataset.shared(py)?, Skipped::of(&request));
    let schema = TfmdSchema::from_text(schema).or_raise(py)?;
    let cancel = request.cancel.clone();
    let validate = move || {
        let mut validation = SchemaValidation::builder(&schema).environment(environment).build()?;
        for batch in dataset.read(request)? {
            validation.push(&batch?)?;
        }
        Ok(validation.finish().iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let found = tfxio::Result::or_raise(waiting::wait(py, &cancel, validate)?, py)?;
    skipped.warn(py)?;
    Ok(found)
}
