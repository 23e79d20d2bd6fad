//! What the planner follows.

use super::{EvenPlan, GlobalOrder};
use crate::config::{Shard, Stride};
use crate::item::Unit;

/// What the planner follows.
#[derive(Debug)]
pub(crate) struct Plan {
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
    pub(crate) buckets: Option<BucketPlan>,
    /// Which records are read, for messages.
    pub(crate) filter: Option<String>,
    pub(crate) even: Option<EvenPlan>,
}

impl Plan {
    /// Returns how many files are read at once, about.
    pub(crate) fn open_at_once(&self) -> usize {
        let most = (self.parts as usize).max(1);
        match self.order {
            Order::Files => self.open_ahead.min(most),
            Order::Shuffled { mix_files, .. } => mix_files.min(most),
            Order::Global(_) => most,
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
}

/// Batches by length.
#[derive(Clone, Debug)]
pub(crate) struct BucketPlan {
    /// The tensor whose first dimension counts.
    pub(crate) tensor: usize,
    /// What is done with it in windows.
    pub(crate) steps: Vec<crate::pipeline::Step>,
    pub(crate) boundaries: Vec<usize>,
    pub(crate) batch_sizes: Vec<usize>,
}
