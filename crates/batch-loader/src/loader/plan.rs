//! From a configuration to what the planner follows.

use std::ops::Range;
use std::sync::Arc;

use tfxio_core::{Count, Entries};

use super::length::countable;
use crate::config::{LoaderConfig, LoaderType, OnError, Shuffle, Stride, TooLong};
use crate::error::Locate as _;
use crate::item::Unit;
use crate::pipeline::{Pipeline, least};
use crate::planner::{
    Batching, BlockOrder, BlockSizes, BucketPlan, Budget, EvenPlan, ExamplePlan, GlobalOrder, Longest,
    Measured, Order, PackPlan, Steps, Units,
};
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
    if all <= limit || config.bucket_by_length.is_some() || config.max_tokens.is_some() {
        return Ok(());
    }
    let (examples, bytes) = (Count::of(config.target_batch_size, "example"), Count::of(all, "byte"));
    let what = format!("batches of {examples} have {bytes}, the limit is {limit}");
    Err(Error::new(Kind::InvalidValue, what)
        .help("lower `target_batch_size`, or raise the limit")
        .at_json("target_batch_size"))
}

/// Bytes of an example from which reading it by itself costs about what reading it among others does.
const READ_ALONE: u64 = 32 << 10;

/// Returns the plan of a configuration.
pub(super) fn plan(
    config: &LoaderConfig,
    pipeline: &Pipeline,
    order: Order,
    units: Option<&Units>,
    files: &Range<u32>,
    seed: u64,
) -> ExamplePlan {
    let (unit, window, stride) = windows(&config.loader);
    ExamplePlan {
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
        batching: batching(config, pipeline),
        longest: longest(config),
        truncated: pipeline.truncated_windows(),
        names: pipeline.tensors.iter().map(|tensor| Arc::clone(&tensor.name)).collect(),
        filtered: units.map_or(0, |units| units.filtered),
        filter: config.filter.as_ref().map(ToString::to_string),
        even: config.even.zip(units).map(|(even, units)| EvenPlan { even, units: units.all() }),
    }
}

/// Returns how examples are grouped into batches.
fn batching(config: &LoaderConfig, pipeline: &Pipeline) -> Batching {
    let measured = || pipeline.budget.iter().map(|tensor| pipeline.measured(*tensor)).collect();
    if let Some(pack) = &config.pack {
        let (length, split) = (pack.length, pack.split);
        return Batching::Packed(PackPlan { length, open_rows: pack.open_rows, split, tensors: measured() });
    }
    let budget = config.max_tokens.as_ref();
    let most = budget.map(|budget| budget.max_examples.unwrap_or(usize::MAX));
    let budget = budget.map(|budget| Budget { tokens: budget.tokens, tensors: measured() });
    let buckets = config.bucket_by_length.as_ref().and_then(|buckets| {
        let tensor = pipeline.tensors.iter().position(|tensor| tensor.name == buckets.tensor)?;
        let limit = |size: usize| size.min(most.unwrap_or(size));
        let batch_sizes = match &buckets.batch_sizes[..] {
            [] => vec![most.unwrap_or(usize::MAX); buckets.boundaries.len().saturating_add(1)],
            sizes => sizes.iter().copied().map(limit).collect(),
        };
        let (tensor, boundaries) = (Some(pipeline.measured(tensor)), buckets.boundaries.clone());
        Some(BucketPlan { tensor, boundaries, batch_sizes, budget: budget.clone() })
    });
    match (buckets, most) {
        (Some(buckets), _) => Batching::Buckets(buckets),
        (None, Some(most)) => Batching::Buckets(BucketPlan {
            tensor: None,
            boundaries: Vec::new(),
            batch_sizes: vec![most],
            budget,
        }),
        (None, None) => Batching::InOrder,
    }
}

/// Returns the treatment of examples that are too long. With `split`, examples have no limit.
fn longest(config: &LoaderConfig) -> Option<Longest> {
    let (key, tokens, too_long) = match (&config.max_tokens, &config.pack) {
        (_, Some(pack)) if pack.split => ("pack.length", usize::MAX, TooLong::Fail),
        (_, Some(pack)) => ("pack.length", pack.length, pack.too_long),
        (Some(budget), None) => ("max_tokens.tokens", budget.tokens, budget.too_long),
        (None, None) => return None,
    };
    Some(Longest { tokens, drops: too_long == TooLong::Drop, key })
}

impl Pipeline {
    /// Returns the measure of a tensor's length in an example.
    fn measured(&self, tensor: usize) -> Measured {
        let padding = self.padding.as_ref().and_then(|padding| padding.get(tensor));
        Measured { tensor, steps: self.window_steps_of(tensor).to_vec(), least: least(padding) }
    }

    /// The tensors of windows that are truncated.
    fn truncated_windows(&self) -> Vec<Measured> {
        let tensors = self.window_steps.iter().filter(|step| step.truncates).map(|step| step.tensor);
        let mut all: Vec<Measured> = Vec::new();
        for tensor in tensors {
            if all.last().is_none_or(|last| last.tensor != tensor) {
                all.push(self.measured(tensor));
            }
        }
        all
    }
}

/// Returns the purpose for which the units of all files must be known; `None` if they need not be.
pub(super) fn needs_units(config: &LoaderConfig) -> Result<Option<IndexFor>> {
    let of_order = match config.shuffle {
        Shuffle::Off | Shuffle::Buffer { .. } => None,
        Shuffle::Global => Some(IndexFor::AnyOrder),
        Shuffle::Blocks { .. } | Shuffle::Auto { .. } => Some(IndexFor::Blocks),
    };
    if config.even.is_some() && config.shard.is_some_and(|shard| shard.count > 1) {
        countable(config).map_err(|error| {
            let what = format!("hosts cannot be made even: {}", error.what());
            Error::new(Kind::InvalidValue, what)
                .help("leave `even` out, set `epochs` to null and end all hosts after as many batches")
                .at_json("even")
        })?;
        return Ok(Some(of_order.unwrap_or(IndexFor::Count)));
    }
    Ok(of_order)
}

/// The order of examples, of about `bytes` bytes each. Without units, only whether there can be one.
pub(super) fn order(config: &LoaderConfig, units: Option<Units>, bytes: u64) -> Result<Order> {
    match config.shuffle {
        Shuffle::Off => Ok(Order::Files),
        Shuffle::Buffer { elements, filenames, mix_files } => {
            Ok(Order::Shuffled { elements, filenames, mix_files })
        }
        Shuffle::Global => Ok(Order::Global(all_examples(config, units, "a global shuffle")?)),
        Shuffle::Blocks { bytes: held, streams } => {
            let examples = all_examples(config, units, "a shuffle of blocks")?;
            Ok(Order::Blocks(BlockOrder::new(examples, BlockSizes { example: bytes, held, streams })))
        }
        Shuffle::Auto { bytes: held } => {
            let is_everywhere = units.as_ref().is_some_and(|units| {
                units.entries.iter().all(|entries| matches!(entries, Entries::Everywhere))
            });
            let examples = all_examples(config, units, "this shuffle")?;
            if is_everywhere && bytes >= READ_ALONE {
                return Ok(Order::Global(examples));
            }
            let sizes = BlockSizes { example: bytes, held, streams: None };
            Ok(Order::Blocks(BlockOrder::new(examples, sizes)))
        }
    }
}

/// All examples in one order, which a shuffle needs to know before the first is read.
fn all_examples(config: &LoaderConfig, units: Option<Units>, shuffle: &str) -> Result<GlobalOrder> {
    let refuse = |what: &str| {
        Error::new(Kind::InvalidValue, format!("{shuffle} {what}"))
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
    let none = || Units {
        records: Vec::new(),
        kept: [].into(),
        filtered: 0,
        steps: Steps::Equal(1),
        entries: [].into(),
    };
    Ok(GlobalOrder::new(units.unwrap_or_else(none), window))
}
