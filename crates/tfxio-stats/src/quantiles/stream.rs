//! One stream of values: a buffer, and summaries in levels.

use super::plan::BlockPlan;
use super::summary::Summary;

/// The values of a stream. Each level of summaries represents twice as many values as the one below it, or is empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream {
    buffer: Vec<(f64, f64)>,
    levels: Vec<Summary>,
}

impl Stream {
    /// Returns the stream of a state that was checked.
    pub(super) fn from_levels(levels: Vec<Summary>) -> Self {
        Self { buffer: Vec::new(), levels }
    }

    /// Adds a value with a positive weight; NaN is left out.
    #[inline]
    pub(super) fn push(&mut self, plan: &BlockPlan, value: f64, weight: f64) {
        if !value.is_nan() {
            self.buffer.push((value, weight));
            if self.buffer.len() >= plan.buffer {
                self.flush(plan);
            }
        }
    }

    /// Makes a summary of the buffer.
    fn flush(&mut self, plan: &BlockPlan) {
        let summary = Summary::of_values(&mut self.buffer);
        self.buffer.clear();
        self.push_summary(plan, summary);
    }

    /// Adds a summary: it goes up as far as levels are full, and on the way all that it meets is merged into it.
    fn push_summary(&mut self, plan: &BlockPlan, mut summary: Summary) {
        summary.compress(plan.block, plan.eps);
        if summary.is_empty() {
            return;
        }
        for level in &mut self.levels {
            let met = std::mem::take(level);
            summary.merge(&met);
            if met.is_empty() || summary.len() <= plan.block.saturating_add(1) {
                *level = summary;
                return;
            }
            summary.compress(plan.block, plan.eps);
        }
        self.levels.push(summary);
    }

    /// Adds what another stream has.
    pub(super) fn merge(&mut self, plan: &BlockPlan, other: &Self) {
        for (value, weight) in &other.buffer {
            self.push(plan, *value, *weight);
        }
        for level in &other.levels {
            self.push_summary(plan, level.clone());
        }
    }

    /// Makes one summary of all.
    pub(super) fn compact(&mut self, plan: &BlockPlan) {
        let summary = std::mem::take(self).into_summary(plan);
        self.push_summary(plan, summary);
    }

    pub(super) fn into_summary(mut self, plan: &BlockPlan) -> Summary {
        self.flush(plan);
        let mut levels = self.levels.into_iter();
        let mut merged = levels.next().unwrap_or_default();
        levels.for_each(|level| merged.merge(&level));
        merged
    }

    /// Returns the values that are in no summary yet, and their weights.
    pub(super) fn buffer(&self) -> &[(f64, f64)] {
        &self.buffer
    }

    pub(super) fn levels(&self) -> &[Summary] {
        &self.levels
    }
}
