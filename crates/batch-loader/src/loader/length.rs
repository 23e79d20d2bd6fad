//! Number of batches of a loader, known before it loads any.

use crate::config::{Even, LoaderConfig, OnError};
use crate::error::Locate as _;
use crate::planner::ExamplePlan;
use crate::{Error, Kind, Result};

/// Number of examples and batches that a loader gives to this host. See
/// [`LoaderBuilder::length`](crate::LoaderBuilder::length).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Length {
    /// Examples of the first epoch. Others have as many, unless the lengths or strides of windows are drawn.
    pub epoch_examples: u64,
    /// Batches of the first epoch, if it were the only one: a short last one counts unless it is dropped.
    pub epoch_batches: u64,
    /// Batches of all epochs; `None` without end, and where lengths are drawn for more than 10,000 epochs.
    pub batches: Option<u64>,
}

/// Epochs of windows of drawn lengths that are counted one by one.
const COUNTED: u64 = 10_000;

/// Refuses what cannot be counted without loading it.
pub(super) fn countable(config: &LoaderConfig) -> Result<()> {
    let refuse = |what: &str, path: &'static str| {
        let what = format!("how many batches there are {what}");
        Err(Error::new(Kind::InvalidValue, what).help("load and count them").at_json(path))
    };
    if config.bucket_by_length.is_some() {
        return refuse("depends on the lengths of all examples", "bucket_by_length");
    }
    if config.max_tokens.is_some() {
        return refuse("depends on the lengths of all examples", "max_tokens");
    }
    if config.pack.is_some() {
        return refuse("depends on the lengths of all examples", "pack");
    }
    if matches!(config.on_error, OnError::Skip(_)) {
        return refuse("shows only when all records were read, as damaged ones are left out", "on_error");
    }
    Ok(())
}

/// Counts the examples of a plan whose files have `units` units: of the first epoch, and of all of them if that is known.
pub(super) fn examples(plan: &ExamplePlan, units: &[u64], even: Option<Even>) -> (u64, Option<u64>) {
    if let Some(order) = plan.order.examples() {
        let of = |positions: u64| plan.share_of(positions, even);
        return (of(order.len()), plan.epochs.map(|epochs| of(epochs.saturating_mul(order.len()))));
    }
    let of_epoch = |epoch| plan.examples_of_epoch(epoch, units, even);
    let first = of_epoch(0);
    let all = match plan.epochs {
        Some(epochs) if !plan.epochs_differ() => Some(first.saturating_mul(epochs)),
        Some(epochs) if epochs <= COUNTED => {
            Some((1..epochs).fold(first, |all, epoch| all.saturating_add(of_epoch(epoch))))
        }
        _ => None,
    };
    (first, all)
}

/// Returns the length of a loader from the examples of its data sets.
pub(super) fn length(config: &LoaderConfig, examples: &[(u64, Option<u64>)]) -> Length {
    let size = config.target_batch_size.max(1) as u64;
    let batches = |examples: u64| match config.drop_remainder && config.epochs.is_some() {
        true => examples / size,
        false => examples.div_ceil(size),
    };
    let epoch_examples = examples.iter().map(|(first, _)| *first).fold(0, u64::saturating_add);
    let all =
        examples.iter().map(|(_, all)| *all).try_fold(0, |sum: u64, all| Some(sum.saturating_add(all?)));
    Length { epoch_examples, epoch_batches: batches(epoch_examples), batches: all.map(batches) }
}
