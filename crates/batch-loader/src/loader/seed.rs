//! The seed of hosts that were given none.

use tfxio_core::random::derive;

use super::plan::windows;
use crate::config::{LoaderConfig, Shuffle, Stride};
use crate::item::Unit;

/// Returns the seed that all hosts of a sharded data set derive where the configuration has none. `None` without
/// other hosts.
///
/// It follows from nothing but what has to be the same on all hosts for their parts to be disjoint: the kind of
/// examples, whether one global order is shared, and the number of files. Names and sizes of files are left out:
/// hosts may mount the data at different paths, or read it here from a disk and there from a store.
pub(super) fn of_all_hosts(config: &LoaderConfig, files: usize) -> Option<u64> {
    config.shard.filter(|shard| shard.count > 1)?;
    let (unit, window, stride) = windows(&config.loader);
    let kind = match unit {
        Unit::Row => 0,
        Unit::Steps => 1,
        Unit::Rows => 2,
    };
    let (min, max) = match stride {
        Stride::Window => (0, 0),
        Stride::Range { min, max } => (min as u64, max as u64),
    };
    let global = match config.shuffle {
        Shuffle::Off | Shuffle::Buffer { .. } => 0,
        Shuffle::Global => 1,
        Shuffle::Blocks { .. } => 2,
        Shuffle::Auto { .. } => 3,
    };
    let numbers = [kind, window.0 as u64, window.1 as u64, min, max, global, files as u64];
    // 53 bits, as one that is drawn: every reader of JSON keeps them.
    Some(derive(0, "hosts", &numbers) >> 11)
}
