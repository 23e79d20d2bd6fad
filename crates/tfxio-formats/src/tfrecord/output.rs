//! Files that records are written to.

use std::path::{Path, PathBuf};

use tfrecord_io::shards::ShardSpec;
use tfrecord_io::{FileWriter, ShardedWriter, Sharding, WriterBuilder};
use tfxio_core::{Error, ErrorKind, Position, Result};

/// Bytes of a shard of `train@*` where no other number is given: 256 MiB.
const SHARD_BYTES: u64 = 256 << 20;

/// Returns the names of the files that an output means: one, or those of a set of shards.
pub(crate) fn names(output: &Path) -> Result<Vec<PathBuf>> {
    match spec(output)? {
        Some((spec, Some(count))) => Ok((0..count).map(|index| spec.name(index, count).into()).collect()),
        _ => Ok(vec![output.to_path_buf()]),
    }
}

/// Refuses the name of a set of shards for a format that writes one file.
#[cfg(any(feature = "avro", feature = "ipc", feature = "parquet"))]
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

/// A TFRecord file that is being written, or a set of them.
pub(crate) enum RecordOutput {
    File(Box<FileWriter>, PathBuf),
    Shards(Box<ShardedWriter>),
}

impl RecordOutput {
    /// Creates a file, or the shards of a pattern: those of `train@16` get the records in turn, one of `train@*` ends after
    /// this number of bytes.
    pub(crate) fn create(output: &Path, writer: &WriterBuilder, shard_bytes: Option<u64>) -> Result<Self> {
        let (Some((_, count)), Some(name)) = (spec(output)?, output.to_str()) else {
            return writer
                .target(output)
                .create()
                .map(|file| Self::File(Box::new(file), output.to_path_buf()));
        };
        let sharding = match count {
            Some(_) => Sharding::RoundRobin,
            None => Sharding::BySize(shard_bytes.unwrap_or(SHARD_BYTES)),
        };
        writer.target(name).create_sharded(sharding).map(|shards| Self::Shards(Box::new(shards)))
    }

    pub(crate) fn write(&mut self, record: &[u8]) -> Result<()> {
        match self {
            Self::File(file, _) => file.write(record),
            Self::Shards(shards) => shards.write(record),
        }
    }

    /// Lets the files appear and returns their names.
    pub(crate) fn finish(self) -> Result<Vec<PathBuf>> {
        match self {
            Self::File(file, path) => file.finish().map(|_| vec![path]),
            Self::Shards(shards) => shards.finish(),
        }
    }
}
