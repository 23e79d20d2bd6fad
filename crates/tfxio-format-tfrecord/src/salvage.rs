//! Reading over damage.

use std::sync::Arc;

use tfrecord_io::salvage::{Damage, Report};
use tfxio_core::{Error, ErrorKind, Position, Skip, SkippedRange};

/// Reports the damages of a file. `unlisted` is the number of damages that a reader has met and not kept.
pub(super) fn add(skip: &Skip, file: &Arc<str>, damages: &[Damage], unlisted: u64) -> Result<(), Error> {
    for damage in damages {
        let reason = damage.reason.to_string();
        let mut range = SkippedRange::new(Arc::clone(file), damage.start, damage.end, reason);
        range.records = damage.lost_records;
        skip.add(range.compressed(damage.compressed))?;
    }
    if unlisted == 0 {
        return Ok(());
    }
    let listed = Report::MOST_LISTED;
    let message = format!("more than {listed} damages follow each other without a whole record between them");
    let position = Position::new().file(Arc::clone(file));
    Err(Error::new(ErrorKind::LimitExceeded, message).help("repair the file, or write it again").at(position))
}
