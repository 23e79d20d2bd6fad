//! Indexes beside local files.

use tfrecord_io::Index;
use tfrecord_io::index::Check;
use tfxio_core::{Error, Position};

/// Reads the index (`.tfxi`) beside a local file, if there is one: the file has the size that it had when it was indexed, though
/// perhaps another time.
///
/// # Errors
/// `Malformed` for an index that is damaged or contradicts the size of its file, with which of the two is newer and how to fix it; `Io` for
/// one that cannot be read.
pub(super) fn read(file: &str) -> Result<Option<Index>, Error> {
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
         index {file}. To read it without its index: the option `index`, false; on the command line --no-index"
    );
    Error::new(error.kind(), message).at(position)
}
