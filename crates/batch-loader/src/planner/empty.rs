//! Epochs of which no example comes.

use super::{Order, Plan};
use crate::config::Stride;
use crate::error::Locate as _;
use crate::item::Unit;
use crate::stats::Stats;
use crate::{Error, Kind};

/// After more epochs in a row without an example, none is expected of the next.
pub(super) const EMPTY_EPOCHS: u32 = 100;

impl Plan {
    /// Whether an epoch without an example may be followed by one with some, whose windows are drawn shorter.
    pub(crate) fn epochs_differ(&self) -> bool {
        let strides_differ = matches!(self.stride, Stride::Range { min, max } if min < max);
        !matches!(self.order, Order::Global(_)) && (self.window.0 < self.window.1 || strides_differ)
    }

    /// Returns whether the filter has left no record, as far as was read.
    pub(super) fn leaves_nothing(&self, stats: &Stats) -> bool {
        self.filter.is_some() && stats.records_filtered > 0 && stats.leftover == 0
    }

    /// Returns why a loader that is to go on gives up after some epochs without an example.
    #[cold]
    pub(super) fn gives_up(&self, empty: u32, stats: &Stats) -> Error {
        let epochs = if empty > 1 { format!("{empty} epochs in a row") } else { "a whole epoch".to_owned() };
        let (why, hint) = if stats.leftover > 0 {
            let units = if self.unit == Unit::Steps { "steps" } else { "records" };
            let (min, max) = self.window;
            let window =
                if min == max { format!("{min} {units}") } else { format!("{min} to {max} {units}") };
            (
                format!("every file is shorter than a window, whose length is {window}"),
                "lower `min_window` and `max_window`, or write longer files",
            )
        } else if let Some(filter) = self.filter.as_ref().filter(|_| stats.records_filtered > 0) {
            let of = self.shard.map(|shard| format!(" of shard {} of {}", shard.index, shard.count));
            let of = of.unwrap_or_default();
            let what = format!("no example came of {epochs}: no record{of} satisfies the filter {filter:?}");
            return Error::new(Kind::InvalidValue, what)
                .help("correct the filter, or check what the files hold")
                .at_json("filter");
        } else if stats.records_skipped > 0 {
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
