//! Records at which a file can be entered.

use tfxio_base::Result;

use crate::{Dataset, Partition, ScanRequest, Seek};

/// Records of a file at which reading can begin without reading what precedes them.
///
/// A reader that takes the records of a file out of file order cuts it there: between two such records all of them cost
/// about as much as one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entries {
    /// Any record, as in a file of which all offsets are known.
    Everywhere,
    /// The records with these numbers, in ascending order, and the first of the file: they begin a block, a compressed
    /// member or a row group.
    At(Vec<u64>),
}

impl Entries {
    /// Returns that only the first record can be entered, as in a plain gzip stream.
    #[must_use]
    pub fn first() -> Self {
        Self::At(Vec::new())
    }
}

/// Finds out where a whole file is entered as [`Dataset::entries`] does by default: by a [seek](crate::Scan::seek) to its last
/// record.
///
/// # Errors
/// As [`Dataset::entries`].
pub fn entries_by_seeking<D: Dataset + ?Sized>(
    dataset: &D,
    partition: &Partition,
    records: u64,
) -> Result<Entries> {
    let Some(last) = records.checked_sub(1) else { return Ok(Entries::first()) };
    let request = ScanRequest::new().columns([""; 0]).threads(1);
    let is_everywhere = dataset.scan(partition, &request)?.seek(last)? == Seek::Exact;
    Ok(if is_everywhere { Entries::Everywhere } else { Entries::first() })
}
