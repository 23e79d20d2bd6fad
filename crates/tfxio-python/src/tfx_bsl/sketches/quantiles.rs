//! Quantiles.

use arrow_array::{Array, ArrayRef, FixedSizeListArray};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use tfxio::stats::{Kind, Quantiles};

use super::super::Bytes;
use super::super::arrays::{given, given_back};
use super::super::status::{invalid, of_sketch, unimplemented_cast};
use super::{count, made};

/// Returns an array of numbers. Texts, decimals and dictionaries are cast by pyarrow, as tfx-bsl casts them.
fn numbers(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let array = given(object)?;
    match array.data_type() {
        DataType::Binary
        | DataType::LargeBinary
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Decimal128(..)
        | DataType::Decimal256(..)
        | DataType::Dictionary(..) => {
            let cast = object.call_method1("cast", ("float64",));
            given(&cast.map_err(|error| invalid(error.value(object.py())))?)
        }
        _ => Ok(array),
    }
}

/// Returns a list for each stream, and none where no stream has values, as tfx-bsl.
fn lists(quantiles: FixedSizeListArray) -> FixedSizeListArray {
    let is_empty = quantiles.null_count() == quantiles.len();
    if is_empty { quantiles.slice(0, 0) } else { quantiles }
}

/// Finds quantiles of streams of numbers.
#[pyclass(module = "tfxio.compat.tfx_bsl_extension.sketches")]
pub(crate) struct QuantilesSketch(Option<Quantiles>);

#[pymethods]
impl QuantilesSketch {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Self(None)
    }

    fn __init__(&mut self, eps: f64, max_num_elements: i64, num_streams: i64) -> PyResult<()> {
        let most = u64::try_from(max_num_elements).unwrap_or(0);
        let sketch = Quantiles::new(eps, most, count(num_streams));
        self.0 = Some(sketch.map_err(|error| of_sketch(&error))?);
        Ok(())
    }

    #[pyo3(name = "AddValues", signature = (values, weights=None))]
    fn add_values(&mut self, values: &Bound<'_, PyAny>, weights: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (array, row_weights) = (numbers(values)?, weights.map(numbers).transpose()?);
        let sketch = made(self.0.as_mut())?;
        let added = values.py().detach(|| match &row_weights {
            Some(row_weights) => sketch.add_weighted(&array, row_weights),
            None => sketch.add(&array),
        });
        added.map_err(|error| match error.detail::<Kind>() {
            Some(Kind::UnsupportedType(found)) => {
                let of_weights = weights.filter(|_| found != array.data_type());
                unimplemented_cast(of_weights.unwrap_or(values), "double")
            }
            _ => of_sketch(&error),
        })
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

    #[pyo3(name = "Compact")]
    fn compact(&mut self) -> PyResult<()> {
        made(self.0.as_mut())?.compact();
        Ok(())
    }

    #[pyo3(name = "GetQuantiles")]
    fn quantiles<'py>(&self, py: Python<'py>, num_quantiles: i64) -> PyResult<Bound<'py, PyAny>> {
        let quantiles = made(self.0.as_ref())?.quantiles(count(num_quantiles));
        given_back(py, lists(quantiles.map_err(|error| of_sketch(&error))?))
    }

    #[pyo3(name = "GetQuantilesAndCumulativeWeights")]
    fn quantiles_and_cumulative_weights<'py>(
        &self,
        py: Python<'py>,
        num_quantiles: i64,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let both = made(self.0.as_ref())?.quantiles_and_cumulative_weights(count(num_quantiles));
        let (quantiles, weights) = both.map_err(|error| of_sketch(&error))?;
        Ok((given_back(py, lists(quantiles))?, given_back(py, lists(weights))?))
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &made(self.0.as_ref())?.to_bytes()))
    }

    fn __setstate__(&mut self, state: Bytes) -> PyResult<()> {
        self.0 = Some(Quantiles::from_bytes(state.as_ref()).map_err(|error| of_sketch(&error))?);
        Ok(())
    }
}
