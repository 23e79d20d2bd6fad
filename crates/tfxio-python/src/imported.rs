//! Arrays, batches, streams and schemas of other libraries, by the [Arrow PyCapsule interface].
//!
//! The C data interface takes every array as its giver describes it. Here it is looked at before it is imported, which calls
//! itself for each level of a type, and validated before anything else sees it.
//!
//! [Arrow PyCapsule interface]: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html

mod described;
mod stream;

use arrow_array::{Array as _, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{FieldRef, SchemaRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::{PyArray, PyRecordBatch, PySchema};
use tfxio::tfxio_core::foreign::{Foreign, Text, guarded};

pub(crate) use self::stream::GivenStream;
use crate::batch::RecordBatch as OwnBatch;
use crate::columns::Array as OwnArray;
use crate::errors::OrRaise;

/// An array of another library, validated.
pub(crate) struct GivenArray {
    pub(crate) array: ArrayRef,
    pub(crate) field: FieldRef,
}

/// A batch of another library, validated.
pub(crate) struct GivenBatch(pub(crate) RecordBatch);

/// A schema of another library.
pub(crate) struct GivenSchema(pub(crate) SchemaRef);

impl GivenArray {
    /// Imports an array. Its values are not looked at: bytes may not be text, and offsets and keys may point anywhere.
    pub(crate) fn not_validated(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(own) = object.cast::<OwnArray>() {
            let own = own.get();
            return Ok(Self { array: own.array.clone(), field: own.field.clone() });
        }
        let py = object.py();
        let array: PyArray = if object.hasattr(intern!(py, "__arrow_c_array__"))? {
            let (schema, array) = capsules(object)?;
            caught(|| PyArray::from_arrow_pycapsule(&schema, &array))?
        } else {
            // The buffer protocol, of numbers.
            object.extract()?
        };
        let (array, field) = array.into_inner();
        Ok(Self { array, field })
    }
}

impl<'py> FromPyObject<'_, 'py> for GivenArray {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given = Self::not_validated(&object)?;
        if object.cast::<OwnArray>().is_err() {
            let valid = object.py().detach(|| Foreign::new().array(&given.array, Text::Unread));
            valid.or_raise(object.py())?;
        }
        Ok(given)
    }
}

impl GivenBatch {
    /// Imports a batch, as [`GivenArray::not_validated`] does an array.
    pub(crate) fn not_validated(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(own) = object.cast::<OwnBatch>() {
            return Ok(Self(own.get().batch.clone()));
        }
        let (schema, array) = capsules(object)?;
        let batch = caught(|| PyRecordBatch::from_arrow_pycapsule(&schema, &array))?;
        Ok(Self(batch.into_inner()))
    }
}

impl<'py> FromPyObject<'_, 'py> for GivenBatch {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given = Self::not_validated(&object)?;
        if object.cast::<OwnBatch>().is_err() {
            let valid = object.py().detach(|| Foreign::new().batch(&given.0, Text::Unread));
            valid.or_raise(object.py())?;
        }
        Ok(given)
    }
}

impl<'py> FromPyObject<'_, 'py> for GivenSchema {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let capsule = called(&object, "__arrow_c_schema__")?;
        let capsule = capsule.cast_into::<PyCapsule>()?;
        described::check_schema(&capsule)?;
        Ok(Self(caught(|| PySchema::from_arrow_pycapsule(&capsule))?.into_inner()))
    }
}

/// Returns what a method of the interface gives.
fn called<'py>(object: &Bound<'py, PyAny>, method: &str) -> PyResult<Bound<'py, PyAny>> {
    if !object.hasattr(method)? {
        let what = format!(
            "{} has no {method}: an object of the Arrow PyCapsule interface is expected",
            kind(object)
        );
        return Err(PyValueError::new_err(what));
    }
    object.call_method0(method)
}

/// Returns the capsules of an array, described as arrays are.
fn capsules<'py>(object: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let both = called(object, "__arrow_c_array__")?;
    let both = both.extract::<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)>();
    let (schema, array) = both.map_err(|_| {
        PyTypeError::new_err(format!("__arrow_c_array__ of {} did not return two capsules", kind(object)))
    })?;
    described::check_array(&schema, &array)?;
    Ok((schema, array))
}

fn kind(object: &Bound<'_, PyAny>) -> String {
    object.get_type().fully_qualified_name().map_or_else(|_| "the object".to_owned(), |name| name.to_string())
}

/// Imports what may be described wrongly, which the importer panics over.
fn caught<T>(import: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    guarded(import).unwrap_or_else(|panic| Err(not_importable(&panic)))
}

fn not_importable(why: &str) -> PyErr {
    PyValueError::new_err(format!("this is not what the C data interface of Arrow allows: {why}"))
}

/// Returns the rows of a struct as a batch.
fn batch_of(schema: &SchemaRef, rows: ArrayRef) -> Result<RecordBatch, String> {
    let Some(rows) = rows.as_any().downcast_ref::<StructArray>() else {
        return Err(format!("the rows of a stream are of the type {}", rows.data_type()));
    };
    if rows.null_count() > 0 {
        return Err(format!("{} of the rows of a batch are null", rows.null_count()));
    }
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(SchemaRef::clone(schema), rows.columns().to_vec(), &options)
        .map_err(|error| error.to_string())
}
