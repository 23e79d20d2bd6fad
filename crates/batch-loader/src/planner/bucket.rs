//! Batches of examples of similar length.

use super::BucketPlan;
use crate::column::RowShape;
use crate::item::{Item, Unit};
use crate::state::Places;

/// Examples that wait until their bucket fills a batch.
pub(super) struct Buckets {
    plan: BucketPlan,
    waiting: Vec<Vec<Item>>,
}

impl Buckets {
    pub(super) fn new(plan: BucketPlan) -> Self {
        let waiting = plan.batch_sizes.iter().map(|_| Vec::new()).collect();
        Self { plan, waiting }
    }

    /// Puts an example into its bucket. What is in it, if that is a batch.
    pub(super) fn push(&mut self, item: Item) -> Option<Vec<Item>> {
        let length = length(&item, self.plan.tensor);
        let length = self.plan.steps.iter().fold(length, |length, step| step.length_after(length));
        let bucket = self.plan.boundaries.partition_point(|&boundary| boundary <= length);
        self.put(bucket, item);
        let full = self.waiting.get(bucket)?.len() >= *self.plan.batch_sizes.get(bucket)?;
        if full { self.waiting.get_mut(bucket).map(std::mem::take) } else { None }
    }

    pub(super) fn put(&mut self, bucket: usize, item: Item) {
        if let Some(waiting) = self.waiting.get_mut(bucket) {
            waiting.push(item);
        }
    }

    /// What is left in the first bucket that is not empty.
    pub(super) fn pop(&mut self) -> Option<Vec<Item>> {
        self.waiting.iter_mut().find(|waiting| !waiting.is_empty()).map(std::mem::take)
    }

    pub(super) fn places(&self, unit: Unit) -> Vec<Places> {
        let places = |items: &Vec<Item>| Places(items.iter().map(|item| item.place(unit)).collect());
        self.waiting.iter().map(places).collect()
    }
}

/// The first dimension of a tensor of an example.
fn length(item: &Item, tensor: usize) -> usize {
    let lengths = item.spans().map(|span| {
        let (start, len) = (span.start as usize, span.len as usize);
        if span.chunk.steps.is_some() {
            return len;
        }
        match span.chunk.columns.get(tensor).map(|column| &column.shape) {
            Some(RowShape::Fixed(shape)) => shape.first().copied().unwrap_or(1).saturating_mul(len),
            Some(RowShape::Leading { offsets, .. }) => {
                let at = |row: usize| offsets.get(row).copied().unwrap_or(0);
                at(start + len).saturating_sub(at(start))
            }
            None => 0,
        }
    });
    lengths.sum()
}
