//! Files that are written as one set of shards.

use std::path::{Path, PathBuf};
use std::{fmt, mem};

use tfxio_base::{ClosedFile, Count, give_up_together};

use super::ShardSpec;
use crate::{Error, Kind, Result};

/// Distribution of records over shards.
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

/// A file that is written as a shard of a [`ShardSet`].
pub trait Shard {
    /// Returns the number of bytes so far, as [`Sharding::BySize`] counts them.
    fn offset(&self) -> u64;

    /// Writes the remaining records and closes the file, without giving it its name.
    ///
    /// # Errors
    /// When writing fails.
    fn close(self) -> Result<ClosedFile>;
}

/// Creates a shard at a path; the flag allows replacing an existing file.
type Create<W> = Box<dyn FnMut(&Path, bool) -> Result<W> + Send + Sync>;

/// A set of files such as `train-00000-of-00016.tfrecord`, of any format. All appear when [`finish`](Self::finish) has
/// written all of them; dropped before, it leaves none.
pub struct ShardSet<W> {
    create: Create<W>,
    overwrite: bool,
    spec: ShardSpec,
    sharding: Sharding,
    open: Vec<W>,
    /// Shards by size but the last.
    closed: Vec<ClosedFile>,
    next: usize,
}

impl<W: Shard> ShardSet<W> {
    /// Creates the set that a name such as `train@16.tfrecord` or `train@*` means.
    ///
    /// # Errors
    /// Of kind [`ShardPattern`](Kind::ShardPattern) when the name is not one of a set of shards or does not fit the
    /// sharding, and what `create` fails with.
    pub fn create(
        name: &str,
        sharding: Sharding,
        overwrite: bool,
        mut create: impl FnMut(&Path, bool) -> Result<W> + Send + Sync + 'static,
    ) -> Result<Self> {
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
                    open.push(create(&path, overwrite)?);
                }
            }
            (Sharding::BySize(_), Some(_)) => {
                return invalid("shards by size have no number known before", "write it like train@*");
            }
            (Sharding::BySize(0), None) => return invalid("shards of 0 bytes were asked for", "give a size"),
            (Sharding::BySize(_), None) => {}
        }
        let create = Box::new(create);
        Ok(Self { create, overwrite, spec, sharding, open, closed: Vec::new(), next: 0 })
    }

    /// Writes one record with a function to the shard whose turn it is.
    ///
    /// # Errors
    /// What the function fails with (the turn does not pass then), and what creating a shard does.
    pub fn write(&mut self, write: impl FnOnce(&mut W) -> Result<()>) -> Result<()> {
        if let Sharding::BySize(bytes) = self.sharding
            && self.open.last().is_none_or(|shard| shard.offset() >= bytes)
        {
            self.begin_shard()?;
        }
        if let Some(shard) = self.open.get_mut(self.next) {
            write(shard)?;
        }
        self.next = (self.next + 1) % self.open.len().max(1);
        Ok(())
    }

    /// Returns how records are spread.
    pub fn sharding(&self) -> Sharding {
        self.sharding
    }

    /// Returns the number of shards so far; where they are written in turn, of all.
    pub fn count(&self) -> usize {
        self.closed.len() + self.open.len()
    }

    /// Writes records with a function to shard `index`, for a caller that deals them out itself. Shards by size are begun one
    /// after the other; those before the last are closed.
    ///
    /// # Errors
    /// Of kind [`ShardPattern`](Kind::ShardPattern) where the shard is closed or there is none of this index; what the function
    /// fails with, and what creating a shard does.
    pub fn write_to(&mut self, index: usize, write: impl FnOnce(&mut W) -> Result<()>) -> Result<()> {
        while matches!(self.sharding, Sharding::BySize(_)) && self.count() <= index {
            self.begin_shard()?;
        }
        let shard = index.checked_sub(self.closed.len()).and_then(|open| self.open.get_mut(open));
        let Some(shard) = shard else {
            let shards = Count::of(self.count(), "shard");
            let are = shards.verb("is", "are");
            let what = format!("shard {index} cannot be written to: there {are} {shards}");
            return Err(
                Error::new(Kind::ShardPattern, what).help("write to the last shard, or to one of all")
            );
        };
        write(shard)
    }

    /// Finishes all shards, then gives all of them their names. Returns the path of each, in order, and its size in bytes.
    ///
    /// # Errors
    ///
    /// Whatever fails before the renaming leaves nothing. A failure of the renaming itself (rare: it needs no space)
    /// leaves the shards that had got their names by then.
    pub fn finish(self) -> Result<Vec<(PathBuf, u64)>> {
        give_up_together(move || {
            let mut set = self;
            set.finish_all()
        })
    }

    fn finish_all(&mut self) -> Result<Vec<(PathBuf, u64)>> {
        if self.open.is_empty() {
            // A set without records still is a set.
            self.begin_shard()?;
        }
        self.close()?;
        let mut shards = mem::take(&mut self.closed);
        if self.spec.count().is_none() {
            let count = u32::try_from(shards.len()).unwrap_or(u32::MAX);
            let named = shards.into_iter().zip(self.spec.paths(count)).map(|(shard, path)| {
                let folder = shard.path().parent().unwrap_or(Path::new(""));
                let target = folder.join(path.file_name().unwrap_or_default());
                shard.path_in_same_directory(target).overwrite(self.overwrite)
            });
            shards = named.collect();
        }
        for shard in &shards {
            shard.check()?;
        }
        let mut paths = Vec::with_capacity(shards.len());
        for shard in shards {
            let path = shard.path().to_path_buf();
            paths.push((path, shard.publish()?));
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
        self.open.push((self.create)(&self.spec.path(index, 0), true)?);
        Ok(())
    }
}

impl<W> Drop for ShardSet<W> {
    fn drop(&mut self) {
        give_up_together(|| {
            self.open.clear();
            self.closed.clear();
        });
    }
}

impl<W> fmt::Debug for ShardSet<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { spec, sharding, .. } = self;
        f.debug_struct("ShardSet").field("spec", spec).field("sharding", sharding).finish_non_exhaustive()
    }
}
