//! From a configuration to what the planner follows.

use std::ops::Range;

use super::length::countable;
use crate::config::{LoaderConfig, LoaderType, OnError, Shuffle, Stride};
use crate::error::Locate as _;
use crate::item::Unit;
use crate::pipeline::Pipeline;
use crate::planner::{BucketPlan, EvenPlan, GlobalOrder, Order, Plan, Steps, Units};
use crate::source::IndexFor;
use crate::{Error, Kind, Result};

/// The windows of a loader in units: the shortest and the longest, and the stride.
pub(super) fn windows(loader: &LoaderType) -> (Unit, (usize, usize), Stride) {
    match *loader {
        LoaderType::Independent => (Unit::Row, (1, 1), Stride::Window),
        LoaderType::ContinuousSequence { min_window, max_window, stride } => {
            (Unit::Steps, (min_window, max_window), stride)
        }
        LoaderType::DiscreteSequence { min_window, max_window } => {
            (Unit::Rows, (min_window, max_window), Stride::Window)
        }
    }
}

/// Refuses batches that are known to be larger than the limit, whatever is in the data.
pub(super) fn fits(config: &LoaderConfig, pipeline: &Pipeline, limit: u64) -> Result<()> {
    let (unit, window, _) = windows(&config.loader);
    let mut bytes = 0u64;
    for (at, tensor) in pipeline.examples.iter().enumerate() {
        let width = tensor.dtype.width().unwrap_or(1) as u64;
        let is_cut = !pipeline.window_steps_of(at).is_empty();
        let dims = tensor.shape.iter().enumerate().map(|(axis, size)| match (axis, unit) {
            (0, Unit::Steps) if !is_cut => Some(window.0),
            // A record may have no steps.
            _ => *size,
        });
        let cells = dims.map(|size| size.unwrap_or(0) as u64).fold(1, u64::saturating_mul);
        bytes = bytes.saturating_add(cells.saturating_mul(width));
    }
    let all = bytes.saturating_mul(config.target_batch_size as u64);
    if all <= limit || config.bucket_by_length.is_some() {
        return Ok(());
    }
    let what =
        format!("batches of {} examples have {all} bytes, the limit is {limit}", config.target_batch_size);
    Err(Error::new(Kind::InvalidValue, what)
        .help("lower `target_batch_size`, or raise the limit")
        .at_json("target_batch_size"))
}

/// What the planner follows.
pub(super) fn plan(
    config: &LoaderConfig,
    pipeline: &Pipeline,
    order: Order,
    units: Option<&Units>,
    files: &Range<u32>,
    seed: u64,
) -> Plan {
    let (unit, window, stride) = windows(&config.loader);
    let buckets = config.bucket_by_length.as_ref().and_then(|buckets| {
        let tensor = pipeline.tensors.iter().position(|tensor| tensor.name == buckets.tensor)?;
        let (boundaries, batch_sizes) = (buckets.boundaries.clone(), buckets.batch_sizes.clone());
        let steps = pipeline.window_steps_of(tensor).to_vec();
        Some(BucketPlan { tensor, steps, boundaries, batch_sizes })
    });
    Plan {
        unit,
        window,
        stride,
        first: files.start,
        parts: files.end.saturating_sub(files.start),
        epochs: config.epochs,
        batch_size: config.target_batch_size,
        drop_remainder: config.drop_remainder,
        order,
        open_ahead: config.num_parallel_reads.max(1),
        sloppy: config.sloppy_interleave,
        seed,
        shard: config.shard.filter(|shard| shard.count > 1),
        buckets,
        filter: config.filter.as_ref().map(ToString::to_string),
        even: config.even.zip(units).map(|(even, units)| EvenPlan { even, units: units.all() }),
    }
}

/// What the units of all files have to be known for, if they have to.
pub(super) fn needs_units(config: &LoaderConfig) -> Result<Option<IndexFor>> {
    if config.even.is_some() && config.shard.is_some_and(|shard| shard.count > 1) {
        countable(config).map_err(|error| {
            let what = format!("hosts cannot be made even: {}", error.what());
            Error::new(Kind::InvalidValue, what)
                .help("leave `even` out, or what it does not go with")
                .at_json("even")
        })?;
        let global = config.shuffle == Shuffle::Global;
        return Ok(Some(if global { IndexFor::AnyOrder } else { IndexFor::Count }));
    }
    Ok((config.shuffle == Shuffle::Global).then_some(IndexFor::AnyOrder))
}

/// The order of examples. Without units, only whether there can be one.
pub(super) fn order(config: &LoaderConfig, units: Option<Units>) -> Result<Order> {
    match config.shuffle {
        Shuffle::Off => Ok(Order::Files),
        Shuffle::Buffer { elements, filenames, mix_files } => {
            Ok(Order::Shuffled { elements, filenames, mix_files })
        }
        Shuffle::Global => {
            let refuse = |what: &str| {
                Error::new(Kind::InvalidValue, format!("a global shuffle {what}"))
                    .help("shuffle through a buffer")
                    .at_json("shuffle")
            };
            if matches!(config.on_error, OnError::Skip(_)) {
                return Err(refuse("needs to know all records before, so none can be left out"));
            }
            let (_, window, stride) = windows(&config.loader);
            let stride = match stride {
                Stride::Window => window,
                Stride::Range { min, max } => (min, max),
            };
            if window.0 != window.1 || stride.0 != stride.1 {
                return Err(refuse("needs windows and strides of one length"));
            }
            let window = (window.0 as u64, stride.0 as u64);
            let none = || Units { records: Vec::new(), kept: [].into(), steps: Steps::Equal(1) };
            Ok(Order::Global(GlobalOrder::new(units.unwrap_or_else(none), window)))
        }
    }
}
