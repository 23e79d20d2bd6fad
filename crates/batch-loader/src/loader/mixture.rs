//! Data sets that are mixed.

use std::sync::Arc;

use tfxio_core::Dataset;
use tfxio_core::random::derive;

use crate::config::write;
use crate::error::Locate as _;
use crate::manifest::Manifest;
use crate::pipeline::Pipeline;
use crate::shape::{TensorInfo, shape_text};
use crate::state::Settings;
use crate::{Error, Kind, Result};

/// Share of the largest weight.
const LARGEST: f64 = 4_294_967_296.0;

const ALIKE: &str = "name inputs and targets that all of them have alike";

/// Returns the error of a mixture of nothing.
#[cold]
pub(super) fn no_data_set() -> Error {
    Error::new(Kind::InvalidValue, "a mixture needs at least one data set")
}

/// Returns the error of one of several data sets.
#[cold]
pub(super) fn of_data_set(error: Error, number: usize) -> Error {
    let what = format!("in the data set {number} of the mixture, {}", error.what());
    error.saying(what)
}

/// Returns the shares of weights.
pub(super) fn weights(datasets: &[(Arc<dyn Dataset>, f64)]) -> Result<Vec<u64>> {
    let largest = datasets.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
    let share = |(number, (_, weight)): (usize, &(Arc<dyn Dataset>, f64))| {
        if weight.is_finite() && *weight > 0.0 {
            return Ok(((weight / largest * LARGEST) as u64).max(1));
        }
        Err(Error::new(Kind::InvalidValue, format!("the data set {number} has the weight {weight}"))
            .help("give a positive number, or leave the data set out"))
    };
    datasets.iter().enumerate().map(share).collect()
}

/// Returns what a state of a mixture belongs to, beside what the states of its data sets do.
pub(super) fn settings(weights: &[u64]) -> Settings {
    let mut settings = Settings::default();
    if weights.len() > 1 {
        settings.note("weights", write::json(weights));
    }
    settings
}

/// Returns the seeds of the data sets of a loader: its own of one.
pub(super) fn seeds(seed: u64, count: usize) -> impl Iterator<Item = u64> {
    // 53 bits, as every reader of JSON keeps.
    (0..count).map(move |number| if count > 1 { derive(seed, "mixed", &[number as u64]) >> 11 } else { seed })
}

/// Refuses a data set with a column that the first does not have.
pub(super) fn same_columns(first: &Manifest, other: &Manifest) -> Result<()> {
    let is_new = |name: &Arc<str>| first.features.iter().all(|feature| feature.name != *name);
    match other.features.iter().map(|feature| &feature.name).find(|name| is_new(name)) {
        Some(name) => {
            let what = "there is a column that the data set 0 does not have";
            Err(Error::new(Kind::InvalidValue, what).help(ALIKE).of_tensor(Arc::clone(name)))
        }
        None => Ok(()),
    }
}

/// Refuses a data set with a tensor that differs from that of the first.
pub(super) fn same_tensors(first: Option<&Pipeline>, other: &Pipeline, number: usize) -> Result<()> {
    let Some(first) = first else { return Ok(()) };
    let pairs = first.tensors.iter().zip(&other.tensors).chain(first.examples.iter().zip(&other.examples));
    let Some((then, now)) = pairs.into_iter().find(|(then, now)| then != now) else { return Ok(()) };
    let text = |info: &TensorInfo| format!("{} {}", info.dtype, shape_text(&info.shape));
    let what = format!(
        "in the data set {number} of the mixture, records have {}, in the data set 0 {}",
        text(now),
        text(then)
    );
    Err(Error::new(Kind::InvalidValue, what).help(ALIKE).of_tensor(Arc::clone(&now.name)))
}
