//! Lengths of examples.

use crate::column::RowShape;
use crate::item::Item;
use crate::pipeline::PipelineStep;

/// A tensor whose first dimension is a length of an example.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) tensor: usize,
    /// Window steps of the tensor.
    pub(crate) steps: Vec<PipelineStep>,
    /// The least length that counts: the length to which it is padded.
    pub(crate) least: usize,
}

impl Measured {
    /// Returns the length of an example, as it is in a batch before it is padded.
    pub(super) fn length(&self, item: &Item) -> usize {
        self.steps.iter().fold(length(item, self.tensor), |length, step| step.length_after(length))
    }

    /// Returns whether an example is shorter for being truncated.
    fn truncates(&self, item: &Item) -> bool {
        let mut length = length(item, self.tensor);
        self.steps.iter().any(|step| {
            let before = length;
            length = step.length_after(before);
            step.truncates && length < before
        })
    }
}

/// Returns the length of an example that counts in a budget: that of its longest tensor, with padding of a known size. One without
/// a token takes a row too.
pub(super) fn longest(of: &[Measured], item: &Item) -> usize {
    of.iter().map(|tensor| tensor.length(item).max(tensor.least)).max().unwrap_or(0).max(1)
}

/// Returns whether a tensor of a window is shorter for being truncated.
pub(super) fn truncates(of: &[Measured], item: &Item) -> bool {
    of.iter().any(|tensor| tensor.truncates(item))
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
                at(start.saturating_add(len)).saturating_sub(at(start))
            }
            None => 0,
        }
    });
    lengths.sum()
}
