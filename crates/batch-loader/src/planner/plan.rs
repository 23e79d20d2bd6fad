//! Plan that the planner follows.

use std::sync::Arc;

use super::bucket::BucketPlan;
use super::lengths::Measured;
use super::pack::PackPlan;
use super::{BlockOrder, EvenPlan, GlobalOrder};
use crate::ExampleOrder;
use crate::config::{Shard, Stride};
use crate::item::Unit;

/// Plan that the planner follows.
#[derive(Debug)]
pub(crate) struct ExamplePlan {
    pub(crate) unit: Unit,
    /// The shortest and the longest window, in units; 1 and 1 for records.
    pub(crate) window: (usize, usize),
    pub(crate) stride: Stride,
    /// The number of the first file, and how many there are.
    pub(crate) first: u32,
    pub(crate) parts: u32,
    pub(crate) epochs: Option<u64>,
    pub(crate) batch_size: usize,
    pub(crate) drop_remainder: bool,
    pub(crate) order: Order,
    /// Files opened ahead of their turn.
    pub(crate) open_ahead: usize,
    pub(crate) sloppy: bool,
    pub(crate) seed: u64,
    /// Files of this host, where there are enough of them to go round; otherwise examples of each file.
    pub(crate) shard: Option<Shard>,
    pub(crate) batching: Batching,
    /// Treatment of examples that are too long; `None` where lengths are not limited.
    pub(crate) longest: Option<Longest>,
    /// The tensors of windows that are truncated.
    pub(crate) truncated: Vec<Measured>,
    /// The names of all tensors, for messages.
    pub(crate) names: Vec<Arc<str>>,
    /// Filter of the records, for messages.
    pub(crate) filter: Option<String>,
    /// Number of records that the filter leaves out, where they were counted before.
    pub(crate) filtered: u64,
    pub(crate) even: Option<EvenPlan>,
}

impl ExamplePlan {
    /// Returns the order of the examples, as it is told.
    pub(crate) fn told(&self) -> ExampleOrder {
        match &self.order {
            Order::Files => ExampleOrder::Files,
            Order::Shuffled { elements, .. } => ExampleOrder::Buffer { elements: *elements },
            Order::Global(order) => ExampleOrder::Global { examples: order.len(), reads: order.reads() },
            Order::Blocks(order) => {
                let [blocks, streams, window] = order.numbers();
                let (examples, example_bytes) = (order.examples().len(), order.example_bytes());
                ExampleOrder::Blocks { examples, blocks, streams, window, example_bytes }
            }
        }
    }

    /// Returns how many blocks, streams and examples of a window an order of blocks has.
    pub(crate) fn blocks(&self) -> Option<[u64; 3]> {
        match &self.order {
            Order::Blocks(order) => Some(order.numbers()),
            _ => None,
        }
    }

    /// Returns how many files are read at once, about.
    pub(crate) fn open_at_once(&self) -> usize {
        let most = (self.parts as usize).max(1);
        match self.order {
            Order::Files => self.open_ahead.min(most),
            Order::Shuffled { mix_files, .. } => mix_files.min(most),
            Order::Global(_) => most,
            Order::Blocks(ref order) => order.open_at_once().min(most),
        }
        .max(1)
    }
}

/// The order of examples.
#[derive(Debug)]
pub(crate) enum Order {
    Files,
    Shuffled { elements: usize, filenames: usize, mix_files: usize },
    Global(GlobalOrder),
    Blocks(BlockOrder),
}

impl Order {
    /// Returns all examples of an epoch where they have one order over all files, which hosts share.
    pub(crate) fn examples(&self) -> Option<&GlobalOrder> {
        match self {
            Self::Global(order) => Some(order),
            Self::Blocks(order) => Some(order.examples()),
            Self::Files | Self::Shuffled { .. } => None,
        }
    }
}

/// Grouping of examples into batches.
#[derive(Clone, Debug)]
pub(crate) enum Batching {
    /// As they come.
    InOrder,
    /// With others of their length, or within a budget of tokens.
    Buckets(BucketPlan),
    /// In rows with others.
    Packed(PackPlan),
}

/// Treatment of an example that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Longest {
    /// The most tokens of an example.
    pub(crate) tokens: usize,
    /// Whether it is left out; otherwise it is an error.
    pub(crate) drops: bool,
    /// The key of the configuration.
    pub(crate) key: &'static str,
}
