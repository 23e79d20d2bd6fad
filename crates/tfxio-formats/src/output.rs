//! Files that data are written to: one, or a set of shards.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tfrecord_io::shards::{Shard, ShardSet, ShardSpec, Sharding};
use tfxio_core::{Batch, Error, ErrorKind, Files, FormatOptions, OptionSpec, OptionType, Position, Result};

/// Bytes of a shard of `train@*` where no other number is given: 256 MiB.
const SHARD_BYTES: u64 = 256 << 20;

/// The option that gives another number.
pub(crate) const SHARD_BYTES_OPTION: OptionSpec = OptionSpec::new(
    "shard_bytes",
    OptionType::Count,
    "Bytes of records of each shard of an output such as train@*. Default: 268435456.",
)
.of_output();

/// Returns the names of the files that an output means: one, or those of a set of shards.
fn names(output: &Path) -> Result<Vec<PathBuf>> {
    match spec(output)? {
        Some((spec, Some(count))) => Ok((0..count).map(|index| spec.name(index, count).into()).collect()),
        _ => Ok(vec![output.to_path_buf()]),
    }
}

/// Returns the name that a file would have in a set of shards by size whose number is not known yet, if its own name is
/// that of a shard.
fn name_in_set(spec: &ShardSpec, file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let number = |digits: &str| digits.parse::<u32>().ok();
    name.match_indices("-of-").find_map(|(at, separator)| {
        let (before, after) = (name.get(..at)?, name.get(at + separator.len()..)?);
        let index = number(before.rsplit('-').next()?)?;
        let count = number(after.split('.').next()?)?;
        let named = PathBuf::from(spec.name(index, count));
        (named.file_name() == file.file_name()).then_some(named)
    })
}

/// Refuses an output that is one of the inputs.
pub(crate) fn refuse_input(files: &Files, output: &Path) -> Result<()> {
    let outputs = names(output)?.into_iter().filter_map(|name| name.canonicalize().ok()).collect::<Vec<_>>();
    let by_size = spec(output)?.filter(|(_, count)| count.is_none()).map(|(spec, _)| spec);
    for input in files.names() {
        let path = files.store().local_path(input).and_then(|path| path.canonicalize().ok());
        let is_shard = |path: &PathBuf| {
            let named = by_size.as_ref().and_then(|spec| name_in_set(spec, path));
            named.and_then(|named| named.canonicalize().ok()).is_some_and(|named| named == *path)
        };
        if path.is_some_and(|path| outputs.contains(&path) || is_shard(&path)) {
            let error = Error::new(ErrorKind::InvalidArgument, "the output is one of the inputs");
            return Err(error.help("write to another name").in_file(Arc::clone(input)));
        }
    }
    Ok(())
}

/// Refuses the name of a set of shards for a format that writes one file.
#[cfg(any(feature = "ipc", feature = "parquet"))]
pub(crate) fn refuse_shards(output: &str, format: &str) -> Result<()> {
    if !matches!(spec(Path::new(output)), Ok(Some(_))) {
        return Ok(());
    }
    let what = format!("the output is a set of shards, and the format {format} writes one file");
    let error = Error::new(ErrorKind::InvalidArgument, what);
    Err(error.help("give the name of one file without the @").in_file(output))
}

fn spec(output: &Path) -> Result<Option<(ShardSpec, Option<u32>)>> {
    if output.exists() {
        return Ok(None);
    }
    let name = output.to_string_lossy();
    let Some(spec) = ShardSpec::parse(&name)? else { return Ok(None) };
    if output.to_str().is_none() {
        let error =
            Error::new(ErrorKind::InvalidArgument, "the name of a set of shards is not valid Unicode");
        return Err(error.help("choose another name").at(Position::new().file(name.as_ref())));
    }
    let count = spec.count();
    Ok(Some((spec, count)))
}

/// A file that is being written, or a set of them.
pub(crate) enum Output<W> {
    File(Box<W>, PathBuf),
    Shards(Box<ShardSet<W>>),
}

impl<W: Shard> Output<W> {
    /// Creates a file, or the shards of a pattern: those of `train@16` get the records in turn, one of `train@*` ends after
    /// the number of bytes that the options give. Files that are there already are replaced.
    pub(crate) fn create(
        output: &Path,
        options: &FormatOptions,
        mut create: impl FnMut(&Path) -> Result<W> + Send + 'static,
    ) -> Result<Self> {
        let (Some((_, count)), Some(name)) = (spec(output)?, output.to_str()) else {
            return Ok(Self::File(Box::new(create(output)?), output.to_path_buf()));
        };
        let sharding = match count {
            Some(_) => Sharding::RoundRobin,
            None => Sharding::BySize(options.count(SHARD_BYTES_OPTION.key).unwrap_or(SHARD_BYTES)),
        };
        let shards = ShardSet::create(name, sharding, true, move |path, _| create(path))?;
        Ok(Self::Shards(Box::new(shards)))
    }

    /// Writes one record with a function to the file whose turn it is.
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut W) -> Result<()>) -> Result<()> {
        match self {
            Self::File(file, _) => write(file),
            Self::Shards(shards) => shards.write(write),
        }
    }

    /// Lets the files appear and returns the name and the size in bytes of each.
    pub(crate) fn finish(self) -> Result<Vec<(PathBuf, u64)>> {
        match self {
            Self::File(file, path) => Ok(vec![(path, file.close()?.publish()?)]),
            Self::Shards(shards) => shards.finish(),
        }
    }
}

/// How much a sink has written, and whether all of it was.
#[derive(Debug)]
pub(crate) struct Tally {
    output: String,
    rows: u64,
    has_failed: bool,
}

impl Tally {
    pub(crate) fn new(output: &str) -> Self {
        Self { output: output.to_owned(), rows: 0, has_failed: false }
    }

    /// Counts a batch that was written, or notes that it was not.
    pub(crate) fn add(&mut self, batch: &Batch, written: Result<()>) -> Result<()> {
        match &written {
            Ok(()) => self.rows = self.rows.saturating_add(batch.num_rows() as u64),
            Err(_) => self.has_failed = true,
        }
        written
    }

    /// Returns the number of rows. Refuses to let an output appear that lacks some.
    pub(crate) fn rows(&self) -> Result<u64> {
        if self.has_failed {
            let what = "a batch could not be written, so the output is not whole and does not appear";
            let error = Error::new(ErrorKind::InvalidArgument, what);
            return Err(error
                .help("write the batches that can be to a new sink")
                .in_file(self.output.as_str()));
        }
        Ok(self.rows)
    }
}

/// Returns the names of files that were written.
pub(crate) fn written(files: &[(PathBuf, u64)]) -> Vec<String> {
    files.iter().map(|(path, _)| path.to_string_lossy().into_owned()).collect()
}

/// Returns the size of files that were written, in bytes, as the writers said.
pub(crate) fn bytes(files: &[(PathBuf, u64)]) -> u64 {
    files.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add)
}

/// Returns the size of files that were written, in bytes, as the file system says.
pub(crate) fn bytes_of<P: AsRef<Path>>(files: &[P]) -> u64 {
    let sizes = files.iter().filter_map(|file| std::fs::metadata(file).ok());
    sizes.map(|found| found.len()).fold(0, u64::saturating_add)
}
