//! Epochs of which no example comes.

use std::sync::Arc;

use tfxio_core::Count;

use super::ExamplePlan;
use crate::config::Stride;
use crate::error::Locate as _;
use crate::item::Unit;
use crate::stats::{Counters, count};
use crate::{Error, Kind};

/// After more epochs in a row without an example, none is expected of the next.
pub(super) const EMPTY_EPOCHS: u32 = 100;

/// Units of one data set that are in no example. The planner counts them as it goes: the counters are shared by all
/// data sets, and by threads that read ahead.
pub(super) struct Left {
    counters: Arc<Counters>,
    /// Records that a filter left out.
    pub(super) filtered: u64,
    /// Units at the end of files that filled no window.
    pub(super) over: u64,
}

impl Left {
    pub(super) fn new(counters: &Arc<Counters>, plan: &ExamplePlan) -> Self {
        Self { counters: Arc::clone(counters), filtered: plan.filtered, over: 0 }
    }

    /// Counts records that a filter left out.
    pub(super) fn count_filtered(&mut self, records: u64) {
        self.filtered = self.filtered.saturating_add(records);
        count(&self.counters.records_filtered, records);
    }

    /// Counts what was left over at the end of a file.
    pub(super) fn count_over(&mut self, units: u64) {
        self.over = self.over.saturating_add(units);
        count(&self.counters.leftover, units);
    }

    /// Counts a window that was cut.
    pub(super) fn count_window(&self) {
        count(&self.counters.windows, 1);
    }
}

/// Epochs in a row, in the words of a message.
pub(super) fn epochs_text(epochs: u32) -> String {
    if epochs > 1 { format!("{} in a row", Count::of(epochs, "epoch")) } else { "a whole epoch".to_owned() }
}

impl ExamplePlan {
    /// Whether an epoch without an example may be followed by one with some, whose windows are drawn shorter.
    pub(crate) fn epochs_differ(&self) -> bool {
        let strides_differ = matches!(self.stride, Stride::Range { min, max } if min < max);
        self.order.examples().is_none() && (self.window.0 < self.window.1 || strides_differ)
    }

    /// Whether an epoch of this host may have other examples than the next: of windows that are drawn, or of a global order.
    pub(super) fn examples_differ(&self) -> bool {
        self.epochs_differ() || self.order.examples().is_some() && self.shard.is_some()
    }

    /// Returns whether the filter has left no record, as far as was read.
    pub(super) fn leaves_nothing(&self, left: &Left) -> bool {
        self.filter.is_some() && left.filtered > 0 && left.over == 0
    }

    /// Returns why a loader that is to go on gives up after some epochs without an example.
    #[cold]
    pub(super) fn gives_up(&self, empty: u32, left: &Left) -> Error {
        let epochs = epochs_text(empty);
        let (why, hint) = if left.over > 0 {
            let units = if self.unit == Unit::Steps { "steps" } else { "records" };
            let (min, max) = self.window;
            let window =
                if min == max { format!("{min} {units}") } else { format!("{min} to {max} {units}") };
            (
                format!("every file is shorter than a window, whose length is {window}"),
                "lower `min_window` and `max_window`, or write longer files",
            )
        } else if let Some(filter) = self.filter.as_ref().filter(|_| left.filtered > 0) {
            let of = self.shard.map(|shard| format!(" of shard {} of {}", shard.index, shard.count));
            let of = of.unwrap_or_default();
            let what = format!("no example came of {epochs}: no record{of} satisfies the filter {filter:?}");
            return Error::new(Kind::InvalidValue, what)
                .help("correct the filter, or check what the files hold")
                .at_json("filter");
        } else if left.counters.snapshot().records_skipped > 0 {
            ("all records were left out as damaged".to_owned(), "write the files again")
        } else if let Some(shard) = self.shard {
            let (index, count) = (shard.index, shard.count);
            (
                format!("shard {index} of {count} holds no example"),
                "take fewer hosts, or check what the files hold",
            )
        } else {
            ("the files hold no record".to_owned(), "check what the files hold")
        };
        let more = if self.epochs.is_none() { "`epochs` is null" } else { "`epochs` asks for more" };
        let what = format!("no example came of {epochs}, and {more}: {why}");
        Error::new(Kind::InvalidValue, what).help(hint)
    }
}
