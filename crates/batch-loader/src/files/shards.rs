//! Sets of shards among the files of a data set.

use std::sync::Arc;

use tfxio_core::ShardSets;

use crate::{Error, Kind, Result};

/// Refuses the files of a folder that lack shards of a set, or are of two sets of one name.
pub(super) fn check(files: &[Arc<str>]) -> Result<()> {
    refuse_mixed(files)?;
    match ShardSets::of(files.iter().map(|file| &**file)).missing(|_| true) {
        None => Ok(()),
        Some(missing) => Err(Error::new(Kind::NotFound, missing).help(
            "the set was not written or copied completely; to load what there is, list the files and take a data set of type \
             \"list\"",
        )),
    }
}

/// Refuses files of two sets of one name.
pub(super) fn refuse_mixed(files: &[Arc<str>]) -> Result<()> {
    match ShardSets::of(files.iter().map(|file| &**file)).mixed() {
        None => Ok(()),
        Some(mixed) => Err(Error::new(Kind::InvalidValue, mixed)
            .help("remove the files of an earlier run, or list those of one set")),
    }
}
