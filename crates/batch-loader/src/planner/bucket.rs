//! Batches of examples of similar length, and within a budget of tokens.

use super::lengths::{Measured, longest};
use crate::item::{Item, Unit};
use crate::state::ItemPositions;

/// Plan of the buckets, in which examples wait for others of their length.
#[derive(Clone, Debug)]
pub(crate) struct BucketPlan {
    /// The tensor whose first dimension chooses the bucket; `None` for one bucket.
    pub(crate) tensor: Option<Measured>,
    pub(crate) boundaries: Vec<usize>,
    /// The most examples of a batch, for each bucket.
    pub(crate) batch_sizes: Vec<usize>,
    pub(crate) budget: Option<Budget>,
}

/// The most tokens of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    pub(crate) tokens: usize,
    /// The tensors of which the longest counts.
    pub(crate) tensors: Vec<Measured>,
}

impl Budget {
    /// Returns the tokens that an example has alone, with padding.
    pub(super) fn tokens_of(&self, item: &Item) -> usize {
        longest(&self.tensors, item)
    }
}

/// Examples that wait until their bucket fills a batch.
pub(super) struct Buckets {
    plan: BucketPlan,
    waiting: Vec<Waiting>,
}

/// The examples of a bucket, and the length of the longest.
#[derive(Default)]
struct Waiting {
    items: Vec<Item>,
    longest: usize,
}

impl Waiting {
    fn put(&mut self, item: Item, tokens: usize) {
        self.longest = self.longest.max(tokens);
        self.items.push(item);
    }

    /// Returns the tokens of the batch with one example more, padding included.
    fn tokens_with(&self, tokens: usize) -> usize {
        self.items.len().saturating_add(1).saturating_mul(self.longest.max(tokens))
    }
}

impl Buckets {
    pub(super) fn new(plan: BucketPlan) -> Self {
        let waiting = plan.batch_sizes.iter().map(|_| Waiting::default()).collect();
        Self { plan, waiting }
    }

    /// Puts an example, which has some tokens in the budget, into its bucket. What is in it, if that is a batch: without the example
    /// if it does not fit beside the others.
    pub(super) fn push(&mut self, item: Item, tokens: usize) -> Option<Vec<Item>> {
        let length = self.plan.tensor.as_ref().map_or(0, |tensor| tensor.length(&item));
        let bucket = self.plan.boundaries.partition_point(|&boundary| boundary <= length);
        let most = self.plan.budget.as_ref().map_or(usize::MAX, |budget| budget.tokens);
        let most_examples = *self.plan.batch_sizes.get(bucket)?;
        let waiting = self.waiting.get_mut(bucket)?;
        let before = waiting.tokens_with(tokens) > most && !waiting.items.is_empty();
        let before = before.then(|| std::mem::take(waiting).items);
        waiting.put(item, tokens);
        let is_full = waiting.items.len() >= most_examples || waiting.tokens_with(0) > most;
        before.or_else(|| is_full.then(|| std::mem::take(waiting).items))
    }

    /// Returns the tokens of an example in the budget; 1 without one.
    pub(super) fn tokens_of(&self, item: &Item) -> usize {
        self.plan.budget.as_ref().map_or(1, |budget| budget.tokens_of(item))
    }

    /// Puts back an example that waited in a bucket of a saved state.
    pub(super) fn put(&mut self, bucket: usize, item: Item) {
        let tokens = self.tokens_of(&item);
        if let Some(waiting) = self.waiting.get_mut(bucket) {
            waiting.put(item, tokens);
        }
    }

    /// Takes the examples of the first bucket that is not empty.
    pub(super) fn pop(&mut self) -> Option<Vec<Item>> {
        let waiting = self.waiting.iter_mut().find(|waiting| !waiting.items.is_empty());
        waiting.map(|waiting| std::mem::take(waiting).items)
    }

    /// Returns what waits.
    pub(super) fn items_mut(&mut self) -> impl Iterator<Item = &mut Item> {
        self.waiting.iter_mut().flat_map(|waiting| &mut waiting.items)
    }

    pub(super) fn positions(&self, unit: Unit) -> Vec<ItemPositions> {
        let positions =
            |waiting: &Waiting| ItemPositions(waiting.items.iter().map(|item| item.position(unit)).collect());
        self.waiting.iter().map(positions).collect()
    }
}
