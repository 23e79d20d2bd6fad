//! A data set in several files.

use std::path::{Path, PathBuf};

use tfxio_base::ClosedFile;

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
    /// One shard after the other: the next one begins after the record with which a shard reaches this many bytes of
    /// frames, before compression. The order is kept; the number of shards is known, and the files get their names,
    /// when all is written (`train@*`).
    BySize(u64),
}

/// Writes a set of shards such as `train-00000-of-00016.tfrecord`. All appear when [`finish`](Self::finish) has
/// written all of them; dropped before, it leaves none.
///
/// ```
/// use tfrecord_io::{Sharding, Writer, shards};
///
/// let folder = tempfile::tempdir()?;
/// let name = folder.path().join("train@3.tfrecord").to_string_lossy().into_owned();
/// let mut writer = Writer::builder(&name).create_sharded(Sharding::RoundRobin)?;
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
    open: Vec<FileWriter>,
    /// Shards by size but the last.
    closed: Vec<ClosedFile>,
    next: usize,
    records: u64,
}

impl ShardedWriter {
    pub(super) fn build(builder: WriterBuilder, name: &str, sharding: Sharding) -> Result<Self> {
        let invalid =
            |what: &str, hint: &str| Err(Error::new(Kind::ShardPattern, what).help(hint).in_file(name));
        let Some(spec) = ShardSpec::parse(name)? else {
            return invalid(
                "this is not a name for a set of shards",
                "write it like train@16.tfrecord or train@*",
            );
        };
        let mut open = Vec::new();
        match (sharding, spec.count()) {
            (Sharding::RoundRobin, None) => {
                return invalid("records in turn need a known number of shards", "write it like train@16");
            }
            (Sharding::RoundRobin, Some(count)) => {
                for path in spec.paths(count) {
                    open.push(builder.target(path).create()?);
                }
            }
            (Sharding::BySize(_), Some(_)) => {
                return invalid("shards by size have no number known before", "write it like train@*");
            }
            (Sharding::BySize(0), None) => return invalid("shards of 0 bytes were asked for", "give a size"),
            (Sharding::BySize(_), None) => {}
        }
        Ok(Self { builder, spec, sharding, open, closed: Vec::new(), next: 0, records: 0 })
    }

    /// Writes one record to the shard whose turn it is.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::write`].
    pub fn write(&mut self, payload: &[u8]) -> Result<()> {
        if let Sharding::BySize(bytes) = self.sharding
            && self.open.last().is_none_or(|shard| shard.offset() >= bytes)
        {
            self.begin_shard()?;
        }
        if let Some(shard) = self.open.get_mut(self.next) {
            shard.write(payload)?;
        }
        self.records += 1;
        self.next = (self.next + 1) % self.open.len().max(1);
        Ok(())
    }

    /// Returns the number of records that were written, to all shards together.
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
        if self.open.is_empty() {
            // A set without records still is a set.
            self.begin_shard()?;
        }
        self.close()?;
        let mut shards = self.closed;
        if self.spec.count().is_none() {
            let count = u32::try_from(shards.len()).unwrap_or(u32::MAX);
            let named = shards.into_iter().zip(self.spec.paths(count)).map(|(shard, path)| {
                let folder = shard.path().parent().unwrap_or(Path::new(""));
                let target = folder.join(path.file_name().unwrap_or_default());
                shard.path_in_same_directory(target).overwrite(self.builder.overwrite)
            });
            shards = named.collect();
        }
        for shard in &shards {
            shard.check()?;
        }
        let mut paths = Vec::with_capacity(shards.len());
        for shard in shards {
            paths.push(shard.path().to_path_buf());
            shard.publish()?;
        }
        Ok(paths)
    }

    /// Closes the open shards.
    fn close(&mut self) -> Result<()> {
        for shard in self.open.drain(..) {
            self.closed.push(shard.close()?);
        }
        Ok(())
    }

    /// Opens the next shard under a name that will change. Earlier ones are closed, so that a set of thousands does
    /// not hold thousands of open files.
    fn begin_shard(&mut self) -> Result<()> {
        self.close()?;
        let index = u32::try_from(self.closed.len()).unwrap_or(u32::MAX);
        // The total is not known; the temporary name does not show it.
        let builder = self.builder.target(self.spec.path(index, 0)).overwrite(true);
        self.open.push(builder.create()?);
        Ok(())
    }
}
