//! `sketches`: mergeable sketches of columns. Their pickles hold the bytes of tfx-bsl's.

mod kmv;
mod misra_gries;
mod quantiles;

pub(crate) use self::kmv::KmvSketch;
pub(crate) use self::misra_gries::{MisraGriesSketch, OrderOnTie};
pub(crate) use self::quantiles::QuantilesSketch;

use pyo3::prelude::*;

use super::status::runtime;

/// Returns the sketch of an object, which unpickling makes before it gives it a state.
fn made<T>(sketch: Option<T>) -> PyResult<T> {
    sketch.ok_or_else(|| runtime("the sketch has not been initialised"))
}

/// Returns a number of buckets or streams: 0 for a negative one, which is refused as 0 is.
fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}
