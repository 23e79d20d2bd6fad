//! Reading over damage.

use std::sync::Arc;

use tfrecord_io::salvage::{Reason, Report};
use tfxio_core::{Error, ErrorKind, LostRange, Position, Skip};

/// Reports the damages of a file. `unlisted` is the number of damages that a reader has met and not kept.
pub(super) fn add(
    skip: &Skip,
    file: &Arc<str>,
    damages: Vec<LostRange<Reason>>,
    unlisted: u64,
) -> Result<(), Error> {
    for damage in damages {
        skip.add(damage.file(Arc::clone(file)).map_reason(|reason| reason.to_string().into()))?;
    }
    if unlisted == 0 {
        return Ok(());
    }
    let listed = Report::MOST_LISTED;
    let message = format!("more than {listed} damages follow each other without a whole record between them");
    let position = Position::new().file(Arc::clone(file));
    Err(Error::new(ErrorKind::LimitExceeded, message).help("repair the file, or write it again").at(position))
}
