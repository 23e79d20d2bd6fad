//! A data set in several files.

use std::path::{Path, PathBuf};

use super::{FileWriter, WriterBuilder};
use crate::shards::ShardSpec;
use crate::{Error, Kind, Result};

/// How records are spread over shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sharding {
    /// One record to each shard in turn; the number of shards is in the name (`train@16`). The shards' sizes are
    /// nearly equal, their order is not that of the input.
    RoundRobin,
    /// A shard after the other: the next one begins behind the record with which a shard reaches so many bytes of
    /// frames, before compression. The order is kept; the number of shards is known, and the files get their names,
    /// when all is written (`train@*`).
    BySize(u64),
}

/// Writes a set of shards such as `train-00000-of-00016.tfrecord`. All appear when [`finish`](Self::finish) has
/// written all of them; dropped before, it leaves none.
///
/// ```
/// use tfrecord_io::{Sharding, WriterBuilder, shards};
///
/// let folder = tempfile::tempdir()?;
/// let name = folder.path().join("train@3.tfrecord").to_string_lossy().into_owned();
/// let mut writer = WriterBuilder::new().create_sharded(&name, Sharding::RoundRobin)?;
/// for i in 0..10u8 {
///     writer.write(&[i])?;
/// }
/// let paths = writer.finish()?;
/// assert!(paths[1].ends_with("train-00001-of-00003.tfrecord"));
/// assert_eq!(shards::expand(&name)?, paths);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ShardedWriter {
    builder: WriterBuilder,
    spec: ShardSpec,
    sharding: Sharding,
    shards: Vec<FileWriter>,
    next: usize,
    records: u64,
}

impl ShardedWriter {
    pub(super) fn create(builder: &WriterBuilder, name: &str, sharding: Sharding) -> Result<Self> {
        let invalid =
            |what: &str, hint: &str| Err(Error::new(Kind::ShardPattern, what).help(hint).in_file(name));
        let Some(spec) = ShardSpec::parse(name)? else {
            return invalid(
                "this is no name for a set of shards",
                "write it like train@16.tfrecord or train@*",
            );
        };
        let mut shards = Vec::new();
        match (sharding, spec.count()) {
            (Sharding::RoundRobin, None) => {
                return invalid("records in turn need a known number of shards", "write it like train@16");
            }
            (Sharding::RoundRobin, Some(count)) => {
                for path in spec.paths(count) {
                    shards.push(builder.create(path)?);
                }
            }
            (Sharding::BySize(_), Some(_)) => {
                return invalid("shards by size have no number known before", "write it like train@*");
            }
            (Sharding::BySize(0), None) => return invalid("shards of 0 bytes were asked for", "give a size"),
            (Sharding::BySize(_), None) => {}
        }
        Ok(Self { builder: builder.clone(), spec, sharding, shards, next: 0, records: 0 })
    }

    /// Writes one record to the shard whose turn it is.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::write`].
    pub fn write(&mut self, payload: &[u8]) -> Result<()> {
        if let Sharding::BySize(bytes) = self.sharding {
            let full = self.shards.last().is_none_or(|shard| shard.offset() >= bytes);
            if full {
                self.begin_shard()?;
            }
            self.next = self.shards.len() - 1;
        }
        if let Some(shard) = self.shards.get_mut(self.next) {
            shard.write(payload)?;
        }
        self.records += 1;
        self.next = (self.next + 1) % self.shards.len().max(1);
        Ok(())
    }

    /// How many records were written, to all shards together.
    pub fn records_written(&self) -> u64 {
        self.records
    }

    /// Finishes all shards, then gives all of them their names. Returns the paths in order.
    ///
    /// # Errors
    ///
    /// Whatever fails before the renaming leaves nothing. A failure of the renaming itself (rare: it needs no space)
    /// leaves the shards that had got their names by then.
    pub fn finish(mut self) -> Result<Vec<PathBuf>> {
        if self.shards.is_empty() {
            // A set without records still is a set.
            self.begin_shard()?;
        }
        for shard in &mut self.shards {
            shard.close()?;
        }
        if self.spec.count().is_none() {
            let count = u32::try_from(self.shards.len()).unwrap_or(u32::MAX);
            for (shard, path) in self.shards.iter_mut().zip(self.spec.paths(count)) {
                let target =
                    shard.path().parent().unwrap_or(Path::new("")).join(path.file_name().unwrap_or_default());
                shard.set_target(target);
            }
        }
        for shard in &self.shards {
            shard.check_target()?;
        }
        for shard in &mut self.shards {
            shard.publish()?;
        }
        Ok(self.shards.iter().map(|shard| shard.path().to_path_buf()).collect())
    }

    /// Opens the next shard under a name that will change. Earlier ones are closed, so that a set of thousands does
    /// not hold thousands of open files.
    fn begin_shard(&mut self) -> Result<()> {
        if let Some(shard) = self.shards.last_mut() {
            shard.close()?;
        }
        let index = u32::try_from(self.shards.len()).unwrap_or(u32::MAX);
        // The total is not known; the temporary name does not show it.
        let builder = self.builder.clone().overwrite(true);
        let mut shard = builder.create(self.spec.path(index, 0))?;
        shard.set_overwrite(self.builder.overwrite);
        self.shards.push(shard);
        Ok(())
    }
}
