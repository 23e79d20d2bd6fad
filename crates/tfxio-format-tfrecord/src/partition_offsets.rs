//! Translation of numbers and offsets of a reader to numbers and offsets in the file.

use std::sync::Arc;

use tfxio_core::{Error, Partition};

/// Offsets of a partition in its file, added to the numbers and offsets that its reader returns.
#[derive(Debug)]
pub(super) struct PartitionOffsets {
    pub(super) partition: Partition,
    /// Number of the first record; 0 where it is not known.
    pub(super) record: u64,
    /// Added to offsets in the uncompressed file.
    pub(super) byte: u64,
    /// Added to offsets in the file as it is stored.
    pub(super) stored_byte: u64,
}

impl PartitionOffsets {
    /// Returns an error of the reader with the position in the file.
    pub(super) fn locate(&self, mut error: Error) -> Error {
        if self.record == 0 && self.byte == 0 && self.stored_byte == 0 {
            return self.partition.locate(error);
        }
        let position = error.position_mut();
        position.file = Some(Arc::clone(&self.partition.file));
        position.byte = position.byte.map(|byte| byte.saturating_add(self.byte));
        position.stored_byte = position.stored_byte.map(|byte| byte.saturating_add(self.stored_byte));
        position.record = position.record.map(|record| record.saturating_add(self.record));
        self.partition.locate(error)
    }
}
