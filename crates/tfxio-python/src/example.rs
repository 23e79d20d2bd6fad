//! One record of tf.Example as lists of Python by name.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList};
use tfxio::example_codec::{Example, Feature};

use crate::errors::OrRaise;

/// Returns the features of a record: a list of int, float or bytes each.
#[pyfunction]
pub(crate) fn parse_example<'py>(py: Python<'py>, record: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let example = Example::parse(record).or_raise(py)?;
    let features = PyDict::new(py);
    for (name, feature) in example.iter() {
        let values = if let Some(values) = feature.as_int64() {
            PyList::new(py, values)?
        } else if let Some(values) = feature.as_float() {
            PyList::new(py, values)?
        } else {
            PyList::new(
                py,
                feature.as_bytes().unwrap_or_default().iter().map(|value| PyBytes::new(py, value)),
            )?
        };
        features.set_item(name, values)?;
    }
    Ok(features)
}

/// Returns the record of features.
#[pyfunction]
pub(crate) fn serialize_example<'py>(
    py: Python<'py>,
    features: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut example = Example::new();
    for (name, values) in features {
        let name = name.extract::<String>()?;
        let feature = feature(&name, values.cast::<PyList>()?)?;
        example.insert(name, feature);
    }
    Ok(PyBytes::new(py, &example.to_vec()))
}

/// Returns the feature of a list whose values are all of one kind. An empty list is a feature without a kind.
fn feature(name: &str, values: &Bound<'_, PyList>) -> PyResult<Feature> {
    let mismatch = |value: &Bound<'_, PyAny>| {
        let found = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        let what = format!(
            "feature {name:?}: all values are int, or all float, or all str or bytes; this is a {found}"
        );
        PyTypeError::new_err(what)
    };
    let Ok(first) = values.get_item(0) else { return Ok(Feature::int64(Vec::<i64>::new())) };
    if first.is_instance_of::<PyBytes>() {
        let all = values.iter().map(|value| value.extract::<Vec<u8>>().map_err(|_| mismatch(&value)));
        return Ok(Feature::bytes(all.collect::<PyResult<Vec<_>>>()?));
    }
    let is_float = values.iter().any(|value| value.is_instance_of::<PyFloat>());
    if let Some(other) = values.iter().find(|value| !is_number(value)) {
        return Err(mismatch(&other));
    }
    if is_float {
        let all = values.iter().map(|value| value.extract::<f32>());
        return Ok(Feature::float(all.collect::<PyResult<Vec<_>>>()?));
    }
    let all = values.iter().map(|value| value.extract::<i64>().map_err(|_| too_large(name, &value)));
    Ok(Feature::int64(all.collect::<PyResult<Vec<_>>>()?))
}

fn is_number(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyBool>()
}

fn too_large(name: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyOverflowError::new_err(format!("feature {name:?}: {value} does not fit 64 bits with a sign"))
}
