//! The files of a data set and their splits.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use tfrecord_io::{Compression, Index, Splitter, shards};
use tfxio_core::{Error, ErrorKind, Position, Split};

use super::from_tfrecord_error;
use super::options::RecordOptions;

/// The files that patterns name, in the order of the patterns; a file that several name comes once. Indexes
/// (`.tfxi`), which stand beside their files, are left out unless a pattern ends with `.tfxi`.
///
/// [`tfrecord_io::shards`] explains the patterns.
///
/// # Errors
/// `Io` when a file or a shard is missing or nothing matches; `InvalidArgument` for a pattern that cannot be read;
/// `Unsupported` for a URL, and for a path that is not Unicode, which a [`Split`] could not name.
pub fn expand_files<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Result<Vec<Arc<str>>, Error> {
    let mut files = Vec::new();
    let mut seen = HashSet::new();
    for pattern in patterns {
        let pattern = pattern.as_ref();
        refuse_url(pattern)?;
        let paths = shards::expand(pattern).map_err(from_tfrecord_error)?;
        let only = paths.len() == 1;
        for path in paths {
            let Some(name) = path.to_str() else { return Err(not_unicode(&path)) };
            let is_index = name.ends_with(INDEX) && !pattern.ends_with(INDEX) && !only;
            if !is_index && seen.insert(path.clone()) {
                files.push(name.into());
            }
        }
    }
    Ok(files)
}

/// An error that says so, for a name that is a URL. `file://` is one too: names here are paths.
pub(crate) fn refuse_url(name: &str) -> Result<(), Error> {
    let is_url = name.split_once("://").is_some_and(|(scheme, _)| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    if !is_url || Path::new(name).exists() {
        return Ok(());
    }
    let message = "this is a URL, and this build reads and writes local files only; copy the files to a local disk, or read \
                   them with `tfrecord_io::store` (feature `object-store`)";
    let position = Position { file: Some(name.into()), ..Position::default() };
    Err(Error::new(ErrorKind::Unsupported, message).at(position))
}

/// How the names of indexes end.
const INDEX: &str = ".tfxi";

fn not_unicode(path: &Path) -> Error {
    let message = "the path is not valid Unicode, so it cannot be named in splits; rename the file";
    let position = Position { file: Some(path.to_string_lossy().into()), ..Position::default() };
    Error::new(ErrorKind::Unsupported, message).at(position)
}

/// As [`expand_files`]; no pattern at all is an error.
pub(crate) fn expand(patterns: &[Arc<str>]) -> Result<Vec<Arc<str>>, Error> {
    if patterns.is_empty() {
        let message = "no file is named; name at least one file or pattern";
        return Err(Error::new(ErrorKind::InvalidArgument, message));
    }
    expand_files(patterns)
}

/// Cuts the files into splits of about `target_bytes`. Only uncompressed files can be cut.
pub(crate) fn splits(
    files: &[Arc<str>],
    options: &RecordOptions,
    target_bytes: u64,
) -> Result<Vec<Split>, Error> {
    let mut splits = Vec::new();
    for file in files {
        let mut reader = options.reader().open(&**file).map_err(from_tfrecord_error)?;
        if options.salvage.is_some()
            || reader.compression().map_err(from_tfrecord_error)? != Compression::None
            || size(file) <= target_bytes
        {
            splits.push(Split::whole(file.clone()));
            continue;
        }
        if let Some(index) = index(file) {
            splits.extend(index.splits(target_bytes).into_iter().map(|part| Split {
                file: file.clone(),
                start: part.bytes.start,
                end: part.bytes.end,
                records: Some(part.records.end.saturating_sub(part.records.start)),
            }));
            continue;
        }
        let mut splitter = splitter(reader.into_inner(), file, options)?;
        let bytes = splitter.file_bytes();
        let ranges = splitter.splits(target_bytes).map_err(from_tfrecord_error)?;
        splits.extend(ranges.into_iter().map(|range| Split {
            file: file.clone(),
            start: range.start,
            // The last one takes in what may be appended, and its end needs no search.
            end: if range.end == bytes { u64::MAX } else { range.end },
            records: None,
        }));
    }
    Ok(splits)
}

/// The index beside a file, if there is one and it fits. An index is a help and never needed, so that one which is out of
/// date is as good as none.
pub(super) fn index(file: &str) -> Option<Index> {
    Index::open(file).ok()
}

pub(super) fn splitter<R: std::io::Read + std::io::Seek>(
    source: R,
    name: &Arc<str>,
    options: &RecordOptions,
) -> Result<Splitter<R>, Error> {
    let splitter = Splitter::new(source).map_err(from_tfrecord_error)?;
    Ok(splitter.name(name.clone()).max_record_bytes(options.limits.record_bytes))
}

/// Size of a file in bytes; 0 where it cannot be known.
pub(crate) fn size(file: &str) -> u64 {
    std::fs::metadata(file).map_or(0, |found| found.len())
}

/// Opens a file; a directory is an error here and not at the first read.
pub(crate) fn open(file: &Arc<str>) -> Result<File, Error> {
    let reader = tfrecord_io::ReaderBuilder::new().open(&**file).map_err(from_tfrecord_error)?;
    Ok(reader.into_inner())
}
