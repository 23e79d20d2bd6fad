//! Files that data are written to: one, or a set of shards.

mod other_shards;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tfrecord_io::shards::{Shard, ShardSet, ShardSpec, Sharding};
use tfxio_core::{
    Batch, Error, ErrorKind, FactValue, FileFormat, Files, FormatOptions, OptionSpec, OptionType, OutputFile,
    Position, Result, Store,
};

pub use self::other_shards::shards_beside;
use crate::FileStore;
use crate::file_store::DASH;
use crate::url;

/// Bytes of a shard of `train@*` where no other number is given: 256 MiB.
const SHARD_BYTES: u64 = 256 << 20;

/// The option that gives another number.
pub const SHARD_BYTES_OPTION: OptionSpec = OptionSpec::new(
    "shard_bytes",
    OptionType::Count,
    "Bytes of records of each shard of an output such as train@*. Default: 268435456.",
)
.of_output();

/// Creates outputs: URLs in the store of the options, `-` as standard output, and paths in the local file system, whatever that
/// store is.
#[derive(Debug)]
pub struct Creator {
    store: Option<Arc<dyn Store>>,
    /// Whether an older file is replaced.
    overwrite: bool,
}

impl Creator {
    /// Returns a creator of outputs by these options.
    pub fn new(options: &FormatOptions) -> Self {
        Self { store: options.store.clone(), overwrite: options.overwrite }
    }

    /// Creates a file, in place of an older one if that may be replaced.
    pub fn create(&mut self, name: &str) -> Result<OutputFile> {
        if name == DASH {
            return OutputFile::stdout();
        }
        if let Some(path) = url::file_path(name) {
            return OutputFile::create(path?, self.overwrite);
        }
        if !url::is_url(name) {
            return OutputFile::create(name, self.overwrite);
        }
        self.store.get_or_insert_with(|| Arc::new(FileStore::default())).create(name, self.overwrite)
    }
}

/// Returns whether an output is standard output.
pub fn is_stdout(output: &Path) -> bool {
    output.as_os_str() == DASH
}

/// Refuses the name of an output that cannot be written, before anything is read.
pub fn check(output: &str) -> Result<()> {
    if !url::is_url(output) || url::file_path(output).transpose()?.is_some() {
        return Ok(());
    }
    #[cfg(not(feature = "object-store"))]
    return Err(url::refused_output(output));
    #[cfg(feature = "object-store")]
    match spec(Path::new(output))? {
        Some((_, None)) => Err(unknown_number(output)),
        _ => Ok(()),
    }
}

/// Returns the error for a set of objects whose number is not given.
fn unknown_number(output: &str) -> Error {
    let what = "the number of shards is not known before they are written, and objects cannot be renamed";
    Error::new(ErrorKind::Unsupported, what).help("give the number, as in train@16.tfrecord").in_file(output)
}

/// Returns the names of the files of an output: one, or all shards of a set.
fn names(output: &Path) -> Result<Vec<PathBuf>> {
    if let Some(path) = output.to_str().and_then(url::file_path) {
        return names(Path::new(&path?));
    }
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
pub fn refuse_input(files: &Files, output: &Path) -> Result<()> {
    if is_stdout(output) {
        return Ok(());
    }
    let outputs = names(output)?.into_iter().filter_map(|name| name.canonicalize().ok()).collect::<Vec<_>>();
    let named = names(output)?;
    let by_size = spec(output)?.filter(|(_, count)| count.is_none()).map(|(spec, _)| spec);
    for input in files.names() {
        let path = files.store().local_path(input).and_then(|path| path.canonicalize().ok());
        let is_shard = |path: &PathBuf| {
            let named = by_size.as_ref().and_then(|spec| name_in_set(spec, path));
            named.and_then(|named| named.canonicalize().ok()).is_some_and(|named| named == *path)
        };
        let is_object = url::is_url(input) && named.iter().any(|name| name.to_str() == Some(input));
        if is_object || path.is_some_and(|path| outputs.contains(&path) || is_shard(&path)) {
            let error = Error::new(ErrorKind::InvalidArgument, "the output is one of the inputs");
            return Err(error.help("write to another name").in_file(Arc::clone(input)));
        }
    }
    Ok(())
}

/// Returns the name of a set of this many shards, before the ending of a format: `train.tfrecord` becomes `train@16.tfrecord`.
pub fn sharded(output: &str, shards: u32, format: &dyn FileFormat) -> Result<String> {
    if output == DASH {
        let what = "a set of shards is several files, and standard output is one";
        let error = Error::new(ErrorKind::InvalidArgument, what);
        return Err(error.help("name a file, or write no shards"));
    }
    if spec(Path::new(output))?.is_some() {
        let what =
            "the name of the output says how many shards there are, and another number is given beside it";
        let error = Error::new(ErrorKind::InvalidArgument, what);
        return Err(error.help("give one of the two").in_file(output));
    }
    let lower = output.to_ascii_lowercase();
    let fits = format.endings().iter().filter(|ending| lower.ends_with(&ending.to_ascii_lowercase()));
    let end = output.len() - fits.map(|ending| ending.len()).max().unwrap_or(0);
    let (name, ending) = output.split_at_checked(end).unwrap_or((output, ""));
    Ok(format!("{name}@{shards}{ending}"))
}

/// Refuses an output of which a file is there.
pub fn refuse_existing(output: &Path, store: &dyn Store) -> Result<()> {
    if is_stdout(output) {
        return Ok(());
    }
    let mut found = None;
    for name in names(output)? {
        let is_there = match name.to_str().filter(|name| url::is_url(name)) {
            None => name.exists(),
            Some(object) => match store.size(object) {
                Ok(_) => true,
                Err(error) if error.kind() == ErrorKind::NotFound => false,
                Err(error) => return Err(error),
            },
        };
        if is_there {
            found = Some(name);
            break;
        }
    }
    if let (None, Some((shards, None))) = (&found, spec(output)?) {
        let folder =
            output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        found = files.into_iter().find(|file| name_in_set(&shards, file).is_some());
    }
    let Some(found) = found else { return Ok(()) };
    let error = Error::new(ErrorKind::AlreadyExists, "the file is there already, and must not be replaced");
    Err(error.help("write to another name").in_file(found.to_string_lossy().into_owned()))
}

/// Refuses the name of a set of shards by size for a format that writes a number of files.
pub fn refuse_shards_by_size(output: &str, format: &str) -> Result<()> {
    if !matches!(spec(&local(output)?)?, Some((_, None))) {
        return Ok(());
    }
    let what =
        format!("the output is a set of shards by size, and the format {format} writes a number of shards");
    let error = Error::new(ErrorKind::InvalidArgument, what);
    Err(error.help(format!("give the number, as in train@16.{format}")).in_file(output))
}

/// Returns the number of shards that the name of an output gives; nothing for one file.
pub fn shards_of(output: &str) -> Result<Option<u32>> {
    Ok(spec(&local(output)?)?.and_then(|(_, count)| count))
}

/// Returns the path that an output means: a URL of a file is one.
fn local(output: &str) -> Result<PathBuf> {
    Ok(url::file_path(output).transpose()?.unwrap_or_else(|| output.to_owned()).into())
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
#[allow(missing_debug_implementations, reason = "files need not have one")]
pub enum Output<W> {
    /// One file, and its path.
    File(Box<W>, PathBuf),
    /// The files of a set.
    Shards(Box<ShardSet<W>>),
}

impl<W: Shard> Output<W> {
    /// Creates a file, or the shards of a pattern: shards of `train@16` get the records in turn, a shard of `train@*` ends after the number
    /// of bytes that the options give. Existing files are replaced if the options allow it.
    pub fn create(
        output: &str,
        options: &FormatOptions,
        mut open: impl FnMut(OutputFile) -> Result<W> + Send + Sync + 'static,
    ) -> Result<Self> {
        let mut creator = Creator::new(options);
        let mut create = move |name: &str| open(creator.create(name)?);
        let local = url::file_path(output).transpose()?;
        let (name, path) = (local.as_deref().unwrap_or(output), Path::new(output));
        let Some((_, count)) = spec(Path::new(name))? else {
            return Ok(Self::File(Box::new(create(name)?), path.to_path_buf()));
        };
        if count.is_none() && url::is_url(name) {
            return Err(unknown_number(output));
        }
        let sharding = match count {
            Some(_) => Sharding::RoundRobin,
            None => Sharding::BySize(options.count(SHARD_BYTES_OPTION.key).unwrap_or(SHARD_BYTES)),
        };
        let shards = ShardSet::create(name, sharding, options.overwrite, move |path, _| {
            create(&path.to_string_lossy())
        })?;
        Ok(Self::Shards(Box::new(shards)))
    }

    /// Writes one record with a function to the file whose turn it is.
    pub fn write(&mut self, write: impl FnOnce(&mut W) -> Result<()>) -> Result<()> {
        match self {
            Self::File(file, _) => write(file),
            Self::Shards(shards) => shards.write(write),
        }
    }

    /// Returns how records are spread over shards, and how many of these there are; nothing for one file.
    pub fn sharding(&self) -> Option<(Sharding, usize)> {
        match self {
            Self::File(..) => None,
            Self::Shards(shards) => Some((shards.sharding(), shards.count())),
        }
    }

    /// Writes records with a function to a file, by its index.
    pub fn write_to(&mut self, shard: usize, write: impl FnOnce(&mut W) -> Result<()>) -> Result<()> {
        match self {
            Self::File(file, _) => write(file),
            Self::Shards(shards) => shards.write_to(shard, write),
        }
    }

    /// Lets the files appear and returns the name and the size in bytes of each.
    pub fn finish(self) -> Result<Vec<(PathBuf, u64)>> {
        match self {
            Self::File(file, path) => Ok(vec![(path, file.close()?.publish()?)]),
            Self::Shards(shards) => shards.finish(),
        }
    }
}

/// Number of rows that a sink has written, and whether writing failed.
#[derive(Debug)]
pub struct Tally {
    output: String,
    rows: u64,
    has_failed: bool,
}

impl Tally {
    /// Returns the tally of an output, by its name.
    pub fn new(output: &str) -> Self {
        Self { output: output.to_owned(), rows: 0, has_failed: false }
    }

    /// Counts a batch that was written, or notes that it was not.
    pub fn add(&mut self, batch: &Batch, written: Result<()>) -> Result<()> {
        self.add_rows(batch.num_rows() as u64, written)
    }

    /// Counts rows that were written, or notes that they were not.
    pub fn add_rows(&mut self, rows: u64, written: Result<()>) -> Result<()> {
        match &written {
            Ok(()) => self.rows = self.rows.saturating_add(rows),
            Err(_) => self.has_failed = true,
        }
        written
    }

    /// Returns the number of rows. Refuses to let an output appear that lacks some.
    pub fn rows(&self) -> Result<u64> {
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
pub fn written(files: &[(PathBuf, u64)]) -> Vec<String> {
    files.iter().map(|(path, _)| path.to_string_lossy().into_owned()).collect()
}

/// Returns the size of files that were written, in bytes, as the writers said.
pub fn bytes(files: &[(PathBuf, u64)]) -> u64 {
    files.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add)
}

/// Returns the names of files that were written, each with its size in bytes, as a fact of a report.
pub fn sizes(files: &[(PathBuf, u64)]) -> FactValue {
    let named = files.iter().map(|(path, bytes)| (path.to_string_lossy().into_owned(), *bytes));
    FactValue::Counts(named.collect())
}

/// Returns the size in bytes of files that were written, as reported by the file system or the store.
pub fn bytes_of<N: AsRef<str>>(files: &[N], options: &FormatOptions) -> u64 {
    let size = |name: &str| match (url::file_path(name), &options.store) {
        (Some(path), _) => std::fs::metadata(path.ok()?).ok().map(|found| found.len()),
        (None, Some(store)) if url::is_url(name) => store.size(name).ok().flatten(),
        (None, _) if name == DASH => None,
        (None, _) => std::fs::metadata(name).ok().map(|found| found.len()),
    };
    files.iter().filter_map(|file| size(file.as_ref())).fold(0, u64::saturating_add)
}

/// Returns the error of an output that cannot be without columns.
pub fn no_columns(output: &str) -> Error {
    let what = "there are no columns to write: the inputs have no records, or their records no features";
    let help = "name the columns by a schema of TensorFlow Metadata, with the option schema, or write Arrow, which needs none";
    Error::new(ErrorKind::InvalidArgument, what).help(help).in_file(output)
}

/// Refuses a batch of other columns: writers go by the order of columns, not by their names.
pub fn same_columns(schema: &arrow_schema::Schema, batch: &arrow_schema::Schema) -> Result<()> {
    let columns = |schema: &arrow_schema::Schema| {
        let column = |field: &arrow_schema::FieldRef| format!("{}: {}", field.name(), field.data_type());
        schema.fields().iter().map(column).collect::<Vec<_>>().join(", ")
    };
    let is_same = |(one, other): (&arrow_schema::FieldRef, &arrow_schema::FieldRef)| {
        one.name() == other.name() && one.data_type().equals_datatype(other.data_type())
    };
    if schema.fields().len() == batch.fields().len()
        && schema.fields().iter().zip(batch.fields()).all(is_same)
    {
        return Ok(());
    }
    let what = format!("the batch has the columns {}, and the output {}", columns(batch), columns(schema));
    Err(Error::new(ErrorKind::SchemaMismatch, what)
        .help("write batches of the schema that the output was created with"))
}
