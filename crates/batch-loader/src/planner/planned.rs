//! The examples of a planned batch.

use super::Drawn;
use crate::item::Item;
use crate::packing::Packing;
use crate::progress::BatchStep;

/// The examples of a batch, and what it changes in the loader's progress.
pub(crate) struct Planned {
    pub(crate) examples: Examples,
    /// Positions of the examples in rows; `None` for a row each.
    pub(crate) packing: Option<Packing>,
    pub(crate) step: BatchStep,
}

/// The examples of a batch.
pub(crate) enum Examples {
    Items(Vec<Item>),
    /// Records that are put together where the batch is made.
    Drawn(Drawn),
}
