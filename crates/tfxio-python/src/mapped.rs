//! Data sets with columns that a function of Python makes of others.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use tfxio::{Batch, DatasetExt as _, Error, ErrorKind, Result};

use crate::batch::RecordBatch as OwnBatch;
use crate::ending;
use crate::errors::raised;

/// Returns a data set with the columns of a schema, which a function makes of others.
///
/// # Errors
/// `InvalidArgument` for a column that is taken and does not exist.
pub(crate) fn mapped(
    dataset: &Arc<dyn tfxio::Dataset>,
    function: Py<PyAny>,
    takes: Vec<String>,
    makes: &SchemaRef,
) -> Result<Arc<dyn tfxio::Dataset>> {
    let schema = Arc::clone(makes);
    dataset.map_batches(takes, Arc::clone(makes), move |batch| Ok(made(batch, &function, &schema)?))
}

/// Calls the function.
fn made(batch: &Batch, function: &Py<PyAny>, schema: &SchemaRef) -> Result<RecordBatch> {
    let made = ending::attach(|py| {
        let made = function.call1(py, (OwnBatch::from(batch.clone()),))?;
        PyResult::Ok(made.bind(py).extract::<PyRef<'_, OwnBatch>>()?.batch.clone())
    })?;
    let made = made.map_err(|error| raised(error, "map failed"))?;
    if made.num_rows() != batch.num_rows() {
        let what = format!("map returned {} rows of {}", made.num_rows(), batch.num_rows());
        let error = Error::new(ErrorKind::SchemaMismatch, what);
        return Err(error.help("return a value for each row; leave rows out by a filter"));
    }
    if made.schema_ref().fields() != schema.fields() {
        let what = format!("map returned {}, and before {schema}", made.schema_ref());
        let error = Error::new(ErrorKind::SchemaMismatch, what);
        return Err(error.help("return the same types for all rows, or say them by schema=…"));
    }
    Ok(made)
}
