//! From the numbers and offsets of a reader to those in the file.

use std::fmt;
use std::sync::Arc;

use tfxio_core::{Error, Partition};

/// What is added to the numbers and offsets that the reader of a partition gives.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) partition: Partition,
    /// Number of the first record; 0 where it is not known.
    pub(super) record: u64,
    /// Added to offsets in the uncompressed file.
    pub(super) byte: u64,
    /// Added to offsets in the file as it is stored.
    pub(super) stored_byte: u64,
}

impl Base {
    /// Returns an error of the reader with the position in the file.
    pub(super) fn locate(&self, mut error: Error) -> Error {
        if self.record == 0 && self.byte == 0 && self.stored_byte == 0 {
            return self.in_partition(error);
        }
        let position = error.position_mut();
        position.file = Some(Arc::clone(&self.partition.file));
        position.byte = position.byte.map(|byte| byte.saturating_add(self.byte));
        position.stored_byte = position.stored_byte.map(|byte| byte.saturating_add(self.stored_byte));
        position.record = position.record.map(|record| record.saturating_add(self.record));
        self.in_partition(error)
    }

    /// Says of an error that its record is counted from the beginning of the partition, where that is so.
    pub(super) fn in_partition(&self, error: Error) -> Error {
        if self.partition.first_record.is_some() || error.position().record.is_none() {
            return error;
        }
        let mut position = error.position().clone();
        position.record = None;
        let partition = self.partition.clone();
        Error::wrap_at(error.kind(), position, InPartition { error, partition })
    }
}

/// An error in a partition of which the number of the first record is not known.
#[derive(Debug)]
struct InPartition {
    error: Error,
    partition: Partition,
}

impl fmt::Display for InPartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { error, partition } = self;
        write!(f, "{error} (in the partition {partition}, whose records are numbered from its first)")
    }
}

impl std::error::Error for InPartition {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
