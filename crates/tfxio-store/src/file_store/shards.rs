//! Sets of shards among the files that patterns name.

use std::collections::BTreeSet;
use std::sync::Arc;

use tfrecord_io::shards;
use tfxio_base::ShardSets;
use tfxio_core::{Error, ErrorKind, Result};

/// Files that patterns name.
#[derive(Debug, Default)]
pub struct Named {
    /// The files, each once.
    pub files: Vec<Arc<str>>,
    /// Files that were named more than once.
    pub again: BTreeSet<Arc<str>>,
    /// A sentence about shards that are not there although others of their sets are.
    pub missing: Option<String>,
}

/// Shards that patterns name.
#[derive(Debug, Default)]
pub struct Shards {
    /// Files of patterns that mean no set.
    files: BTreeSet<Arc<str>>,
    /// Sentences about missing shards.
    missing: Vec<String>,
}

impl Shards {
    /// Adds the files of a pattern.
    pub fn add(&mut self, pattern: &str, names: &[Arc<str>]) {
        // A set that is named as one is whole, and is meant.
        if shards::is_set(pattern) {
            return;
        }
        self.missing.extend(shards::missing(pattern, names));
        self.files.extend(names.iter().cloned());
    }

    /// Returns a sentence about what is missing.
    ///
    /// # Errors
    /// When there are shards of two sets of one name.
    pub fn missing(self) -> Result<Option<String>> {
        if let Some(what) = ShardSets::of(self.files.iter().map(|name| &**name)).mixed() {
            let help = "name one set, as in train@16, or remove the files of an earlier run";
            return Err(Error::new(ErrorKind::InvalidArgument, what).help(help));
        }
        Ok((!self.missing.is_empty()).then(|| self.missing.join("; ")))
    }
}
