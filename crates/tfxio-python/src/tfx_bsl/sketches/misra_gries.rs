//! Frequent values.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use tfxio::stats::{self, MisraGries};

use super::super::Bytes;
use super::super::arrays::{given, given_back};
use super::super::status::{of_sketch, of_values, runtime};
use super::{count, made};

/// The order of values of equal counts.
#[pyclass(eq, eq_int, frozen, hash, from_py_object, module = "tfxio.compat.tfx_bsl_extension.sketches")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum OrderOnTie {
    Lexicographical,
    ReverseLexicographical,
}

/// Finds the most frequent values.
#[pyclass(module = "tfxio.compat.tfx_bsl_extension.sketches")]
pub(crate) struct MisraGriesSketch(Option<MisraGries>);

/// Returns a placeholder as text, since it is reported among texts.
fn text(placeholder: &Bytes) -> PyResult<String> {
    let invalid = |_| runtime("INVALID_ARGUMENT: a placeholder is text in UTF-8");
    String::from_utf8(placeholder.as_ref().to_vec()).map_err(invalid)
}

#[pymethods]
impl MisraGriesSketch {
    #[classattr]
    #[pyo3(name = "OrderOnTie")]
    fn order_on_tie(py: Python<'_>) -> Bound<'_, PyType> {
        py.get_type::<OrderOnTie>()
    }

    #[classattr]
    #[pyo3(name = "Lexicographical")]
    fn lexicographical() -> OrderOnTie {
        OrderOnTie::Lexicographical
    }

    #[classattr]
    #[pyo3(name = "ReverseLexicographical")]
    fn reverse_lexicographical() -> OrderOnTie {
        OrderOnTie::ReverseLexicographical
    }

    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Self(None)
    }

    #[pyo3(signature = (
        num_buckets, invalid_utf8_placeholder=None, large_string_threshold=None, large_string_placeholder=None,
        order_on_tie=OrderOnTie::Lexicographical
    ))]
    fn __init__(
        &mut self,
        num_buckets: i64,
        invalid_utf8_placeholder: Option<Bytes>,
        large_string_threshold: Option<i64>,
        large_string_placeholder: Option<Bytes>,
        order_on_tie: OrderOnTie,
    ) -> PyResult<()> {
        let mut builder = MisraGries::builder(count(num_buckets)).order_on_tie(match order_on_tie {
            OrderOnTie::Lexicographical => stats::OrderOnTie::Lexicographical,
            OrderOnTie::ReverseLexicographical => stats::OrderOnTie::ReverseLexicographical,
        });
        if let Some(placeholder) = invalid_utf8_placeholder {
            builder = builder.invalid_utf8_placeholder(text(&placeholder)?);
        }
        match (large_string_threshold, large_string_placeholder) {
            (Some(threshold), Some(placeholder)) => {
                builder = builder.large_strings(count(threshold), text(&placeholder)?);
            }
            (None, None) => {}
            _ => {
                return Err(runtime(
                    "Must provide both or neither large_string_threshold and large_string_placeholder.",
                ));
            }
        }
        self.0 = Some(builder.build().map_err(|error| of_sketch(&error))?);
        Ok(())
    }

    #[pyo3(name = "AddValues", signature = (items, weights=None))]
    fn add_values(&mut self, items: &Bound<'_, PyAny>, weights: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (array, weights) = (given(items)?, weights.map(given).transpose()?);
        let sketch = made(self.0.as_mut())?;
        let added = items.py().detach(|| match weights {
            Some(weights) => sketch.add_weighted(&array, &weights),
            None => sketch.add(&array),
        });
        added.map_err(|error| of_values(&error, items))
    }

    #[pyo3(name = "Merge")]
    fn merge(&mut self, other: &Bound<'_, Self>) -> PyResult<()> {
        let sketch = made(self.0.as_mut())?;
        let merged = match other.try_borrow() {
            Ok(other) => sketch.merge(made(other.0.as_ref())?),
            // It is this one.
            Err(_) => sketch.merge(&sketch.clone()),
        };
        merged.map_err(|error| of_sketch(&error))
    }

    #[pyo3(name = "Estimate")]
    fn estimate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        given_back(py, made(self.0.as_ref())?.estimate())
    }

    #[pyo3(name = "Serialize")]
    fn serialize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &made(self.0.as_ref())?.to_bytes()))
    }

    #[staticmethod]
    #[pyo3(name = "Deserialize")]
    fn deserialize(serialized: Bytes) -> PyResult<Self> {
        let sketch = MisraGries::from_bytes(serialized.as_ref()).map_err(|error| of_sketch(&error))?;
        Ok(Self(Some(sketch)))
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.serialize(py)
    }

    fn __setstate__(&mut self, state: Bytes) -> PyResult<()> {
        *self = Self::deserialize(state)?;
        Ok(())
    }
}
