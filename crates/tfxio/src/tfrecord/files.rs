//! The files of a data set and their splits.

use std::fs::File;
use std::sync::Arc;

use tfrecord_io::{Compression, Splitter, shards};
use tfxio_core::{Error, ErrorKind, Split};

use super::from_tfrecord_error;
use super::options::RecordOptions;

/// The files that patterns name, in the order of the patterns.
pub(crate) fn expand(patterns: &[Arc<str>]) -> Result<Vec<Arc<str>>, Error> {
    if patterns.is_empty() {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            "no file is named; name at least one file or pattern",
        ));
    }
    let paths = shards::expand_all(patterns).map_err(from_tfrecord_error)?;
    let names = paths.iter().map(|path| {
        path.to_str().map(Arc::from).ok_or_else(|| {
            let message = "the path is not valid Unicode, so it cannot be named in splits; rename the file";
            let position =
                tfxio_core::Position { file: Some(path.to_string_lossy().into()), ..Default::default() };
            Error::new(ErrorKind::Unsupported, message).at(position)
        })
    });
    names.collect()
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
        let compression = reader.compression().map_err(from_tfrecord_error)?;
        if compression != Compression::None {
            splits.push(Split::whole(file.clone()));
            continue;
        }
        let mut splitter = splitter(reader.into_inner(), file, options)?;
        let bytes = splitter.file_bytes();
        if bytes <= target_bytes {
            splits.push(Split::whole(file.clone()));
            continue;
        }
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
