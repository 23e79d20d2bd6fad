//! A data set in several files.

use std::path::{Path, PathBuf};

use super::{FileWriter, WriterBuilder};
use crate::Result;
use crate::shards::{ShardSet, Sharding};

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
    shards: ShardSet<FileWriter>,
    records: u64,
}

impl ShardedWriter {
    pub(super) fn build(builder: WriterBuilder, name: &str, sharding: Sharding) -> Result<Self> {
        let overwrite = builder.overwrite;
        let create =
            move |path: &Path, overwrite| builder.target(path.to_path_buf()).overwrite(overwrite).create();
        Ok(Self { shards: ShardSet::create(name, sharding, overwrite, create)?, records: 0 })
    }

    /// Writes one record to the shard whose turn it is.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::write`].
    pub fn write(&mut self, payload: &[u8]) -> Result<()> {
        self.shards.write(|shard| shard.write(payload))?;
        self.records += 1;
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
    /// As [`ShardSet::finish`].
    pub fn finish(self) -> Result<Vec<PathBuf>> {
        Ok(self.shards.finish()?.into_iter().map(|(path, _)| path).collect())
    }
}
