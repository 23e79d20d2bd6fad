//! The files of a data set and their splits.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use tfrecord_io::index::Check;
use tfrecord_io::{Compression, Index, Splitter, shards};
use tfxio_core::{Error, ErrorKind, Position, Split};

use super::input::InputFile;
use super::options::RecordOptions;
use super::{pipes, url};

/// The files that patterns name, in the order of the patterns; a file that several name comes once. Indexes
/// (`.tfxi`), which stand beside their files, are left out unless a pattern ends with `.tfxi`. A pipe that is named twice
/// is an error: it can be read once.
///
/// [`tfrecord_io::shards`] explains the patterns. A `file://` URL is a path; other URLs need the feature `object-store` or
/// `cloud`.
///
/// # Errors
/// `Io` when a file or a shard is missing, nothing matches, or a store refuses; `InvalidArgument` for a pattern that cannot
/// be read, and for a pipe that is named twice; `Unsupported` for a URL that this build does not know, and for a path that is not Unicode, which a [`Split`]
/// could not name.
pub fn expand_files<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Result<Vec<Arc<str>>, Error> {
    expand_files_with(patterns, &RecordOptions::default())
}

/// As [`expand_files`], with the stores of the options.
///
/// # Errors
/// As [`expand_files`].
pub fn expand_files_with<P: AsRef<str>>(
    patterns: impl IntoIterator<Item = P>,
    options: &RecordOptions,
) -> Result<Vec<Arc<str>>, Error> {
    let mut files = Vec::new();
    let (mut seen, mut seen_pipes) = (HashSet::new(), HashMap::new());
    for pattern in patterns {
        let pattern = pattern.as_ref();
        let names = names(pattern, options)?;
        let only = names.len() == 1;
        for name in names {
            let pipe = if url::is_url(&name) { None } else { pipes::id(&name) };
            if let Some(other) = pipe.and_then(|id| seen_pipes.insert(id, Arc::clone(&name))) {
                return Err(pipes::named_twice(&name, &other));
            }
            let is_index = name.ends_with(INDEX) && !pattern.ends_with(INDEX) && !only;
            if !is_index && seen.insert(Arc::clone(&name)) {
                files.push(name);
            }
        }
    }
    Ok(files)
}

/// The files that one pattern names.
fn names(pattern: &str, options: &RecordOptions) -> Result<Vec<Arc<str>>, Error> {
    if let Some(path) = url::file_path(pattern) {
        return paths(&path?);
    }
    if url::is_url(pattern) {
        return objects(pattern, options);
    }
    paths(pattern)
}

fn paths(pattern: &str) -> Result<Vec<Arc<str>>, Error> {
    let paths = shards::expand(pattern)?;
    paths.iter().map(|path| path.to_str().map(Into::into).ok_or_else(|| not_unicode(path))).collect()
}

#[cfg(feature = "object-store")]
fn objects(pattern: &str, options: &RecordOptions) -> Result<Vec<Arc<str>>, Error> {
    options.stores.expand(pattern)
}

#[cfg(not(feature = "object-store"))]
fn objects(pattern: &str, _: &RecordOptions) -> Result<Vec<Arc<str>>, Error> {
    Err(url::refused(pattern))
}

/// How the names of indexes end.
const INDEX: &str = ".tfxi";

fn not_unicode(path: &Path) -> Error {
    let message = "the path is not valid Unicode, so it cannot be named in splits; rename the file";
    let position = Position::new().file(path.to_string_lossy());
    Error::new(ErrorKind::Unsupported, message).at(position)
}

/// As [`expand_files_with`]; no pattern at all is an error.
pub(crate) fn expand(patterns: &[Arc<str>], options: &RecordOptions) -> Result<Vec<Arc<str>>, Error> {
    if patterns.is_empty() {
        let message = "no file is named; name at least one file or pattern";
        return Err(Error::new(ErrorKind::InvalidArgument, message));
    }
    expand_files_with(patterns, options)
}

/// Cuts the files into splits of about `target_bytes`. Only uncompressed files can be cut.
pub(crate) fn splits(
    files: &[Arc<str>],
    options: &RecordOptions,
    target_bytes: u64,
) -> Result<Vec<Split>, Error> {
    let mut splits = Vec::new();
    for file in files {
        if pipes::id(file).is_some() {
            splits.push(Split::whole(file.clone()));
            continue;
        }
        #[cfg_attr(not(feature = "object-store"), allow(unused_mut, reason = "only objects are prepared"))]
        let mut input = InputFile::open(file, options)?;
        #[cfg(feature = "object-store")]
        if let Some(object) = input.object() {
            object.read_ahead(0, false);
        }
        let bytes = input.size();
        let mut reader = options.reader(input).name(Arc::clone(file)).build();
        if options.salvage.is_some() || reader.compression()? != Compression::None || bytes <= target_bytes {
            splits.push(Split::whole(file.clone()));
            continue;
        }
        if let Some(index) = index(file, options)? {
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
        let ranges = splitter.splits(target_bytes)?;
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

/// The index beside a file, if there is one and the file has not changed since.
pub(super) fn index(file: &str, options: &RecordOptions) -> Result<Option<Index>, Error> {
    if url::is_url(file) {
        return Ok(if options.index { index_of_object(file, options) } else { None });
    }
    // A file that was only copied has another time; then the index is not relied on.
    let index = index_beside(file, options)?;
    Ok(index.filter(|index| index.check_file(file, Check::Stamp).is_ok()))
}

/// The index (`.tfxi`) beside a local file, if there is one: the file has the size that it had when it was indexed, though
/// perhaps another time. `None` where the options say that indexes do not count.
///
/// # Errors
/// `Malformed` for an index that is damaged or contradicts the size of its file, which says which of the two is newer and
/// what to do; `Io` for one that cannot be read.
pub fn index_beside(file: &str, options: &RecordOptions) -> Result<Option<Index>, Error> {
    if !options.index || !is_regular(file) {
        return Ok(None);
    }
    index_beside_path(file)
}

/// As [`index_beside`], for the path of a local file.
pub(super) fn index_beside_path(file: &str) -> Result<Option<Index>, Error> {
    let path = Index::path_for(file);
    let Ok(indexed) = std::fs::metadata(&path) else { return Ok(None) };
    let index = match Index::open_with(file, Check::Size) {
        Ok(index) => return Ok(Some(index)),
        Err(error) if error.is(tfrecord_io::Kind::IndexStale) => error,
        Err(error) => return Err(without_index(file, &error, "")),
    };
    let changed = std::fs::metadata(file).and_then(|file| Ok((file.modified()?, indexed.modified()?)));
    let newer = match changed {
        Ok((file, index)) if file > index => ", and the file is newer than its index",
        Ok((file, index)) if file < index => ", and the index is newer than its file",
        _ => "",
    };
    Err(without_index(file, &index, newer))
}

/// The error of an index that is of no use, with what can be done.
fn without_index(file: &str, error: &Error, newer: &str) -> Error {
    let position = Position::new().file(file);
    let what = error.what();
    let message = format!(
        "the index beside the file does not fit it: {what}{newer}. If the file is as it should be, index it again: tfxio \
         index {file}. To read it without its index: `RecordOptions::with_index(false)`, on the command line --no-index"
    );
    Error::new(error.kind(), message).at(position)
}

/// The time of an object is that of its upload, so that it says nothing.
#[cfg(feature = "object-store")]
fn index_of_object(file: &str, options: &RecordOptions) -> Option<Index> {
    use std::io::Read as _;

    /// What an index has besides its records, and more.
    const HEAD: u64 = 64 << 10;

    let mut beside = options.stores.open(&format!("{file}{INDEX}")).ok()?;
    let object = options.stores.open(file).ok()?;
    if beside.size() > object.size().saturating_add(HEAD) {
        return None;
    }
    beside.read_ahead(u64::MAX, true);
    let mut bytes = Vec::new();
    beside.read_to_end(&mut bytes).ok()?;
    let index = Index::from_bytes(&bytes).ok()?;
    let (then, now) = (index.stamp(), object.e_tag());
    let same_version = then.etag.is_none() || now.is_none() || then.etag.as_deref() == now;
    (then.file_bytes == object.size() && same_version).then_some(index)
}

#[cfg(not(feature = "object-store"))]
fn index_of_object(_: &str, _: &RecordOptions) -> Option<Index> {
    None
}

pub(super) fn splitter<R: std::io::Read + std::io::Seek>(
    source: R,
    name: &Arc<str>,
    options: &RecordOptions,
) -> Result<Splitter<R>, Error> {
    let splitter = Splitter::new(source)?;
    Ok(splitter.name(name.clone()).record_bytes(options.limits.record_bytes))
}

/// Whether a name is that of a regular file here: not of an object, a pipe or a device.
pub(crate) fn is_regular(file: &str) -> bool {
    !url::is_url(file) && std::fs::metadata(file).is_ok_and(|found| found.is_file())
}

/// Size of some files together in bytes, as they are stored; 0 for one whose size cannot be known.
#[cfg(feature = "example")]
pub(crate) fn size_of_all(files: &[Arc<str>], options: &RecordOptions) -> u64 {
    files.iter().map(|file| size(file, options)).fold(0, u64::saturating_add)
}

/// Size of a file in bytes; 0 where it cannot be known.
#[cfg(feature = "example")]
pub(crate) fn size(file: &str, options: &RecordOptions) -> u64 {
    #[cfg(feature = "object-store")]
    if url::is_url(file) {
        return options.stores.size(file).unwrap_or(0);
    }
    #[cfg(not(feature = "object-store"))]
    let _ = options;
    std::fs::metadata(file).map_or(0, |found| found.len())
}
