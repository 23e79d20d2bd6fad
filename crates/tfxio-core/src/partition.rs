//! Partitions: what one worker reads.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tfxio_base::Error;

/// A part of a data set that one worker reads: records of a range of bytes of one file. Serializable and
/// self-contained.
///
/// A record belongs to the range in which its first byte is, so that ranges which cover a file without overlap hold each
/// record exactly once, wherever they are cut.
///
/// ```
/// use tfxio_core::Partition;
///
/// let partition = Partition::range("a.tfrecord", 0, 1 << 20).first_record(0);
/// assert_eq!(partition.to_string(), "a.tfrecord[0..1048576]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Partition {
    /// Path or URL of the file.
    pub file: Arc<str>,
    /// First byte of the range, in the file as it is stored.
    #[serde(default)]
    pub start: u64,
    /// First byte after the range; `u64::MAX` means the end of the file.
    #[serde(default = "end_of_file")]
    pub end: u64,
    /// Number in its file of the first record of the range, skipped ones included, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_record: Option<u64>,
    /// Records at the beginning of the range that belong to another partition. Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skip: u64,
    /// Number of records after the skipped ones, where it is known. A scan ends after them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Further data that a format needs, by names of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, String>,
}

fn end_of_file() -> u64 {
    u64::MAX
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Partition {
    /// Returns the whole of a file.
    #[must_use]
    pub fn whole(file: impl Into<Arc<str>>) -> Self {
        Self::range(file, 0, u64::MAX).first_record(0)
    }

    /// Returns a range of bytes of a file.
    #[must_use]
    pub fn range(file: impl Into<Arc<str>>, start: u64, end: u64) -> Self {
        Self {
            file: file.into(),
            start,
            end,
            first_record: None,
            skip: 0,
            records: None,
            extra: BTreeMap::new(),
        }
    }

    /// Sets the number of the first record of the range.
    #[must_use]
    pub fn first_record(mut self, record: u64) -> Self {
        self.first_record = Some(record);
        self
    }

    /// Sets the number of records at the beginning of the range that belong to another partition.
    #[must_use]
    pub fn skip(mut self, records: u64) -> Self {
        self.skip = records;
        self
    }

    /// Sets the number of records after the skipped ones.
    #[must_use]
    pub fn records(mut self, records: u64) -> Self {
        self.records = Some(records);
        self
    }

    /// Sets what a format needs beside the rest.
    #[must_use]
    pub fn extra(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }

    /// Returns whether the range is the whole file.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.start == 0 && self.end == u64::MAX
    }

    /// Returns the number in its file of the first record that is read, where it is known.
    #[must_use]
    pub fn first_read(&self) -> Option<u64> {
        self.first_record?.checked_add(self.skip)
    }

    /// Returns an error about a record of this partition. If the number of the first record is unknown, the error states
    /// that records are counted from the beginning of the partition.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        if self.first_record.is_some() || self.start == 0 || error.position().record.is_none() {
            return error;
        }
        let note = format!("in the partition {self}, whose records are numbered from its first");
        let mut error = error.note(note);
        error.position_mut().record = None;
        error
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match (self.start, self.end) {
            (0, u64::MAX) => {}
            (start, u64::MAX) => write!(f, "[{start}..]")?,
            (start, end) => write!(f, "[{start}..{end}]")?,
        }
        match (self.skip, self.records) {
            (0, None) => Ok(()),
            (skip, None) => write!(f, " from record {skip}"),
            (skip, Some(records)) => write!(f, " records {skip}..{}", skip.saturating_add(records)),
        }
    }
}

/// Consecutive records of a file, by number: what [`Dataset::take`](crate::Dataset::take) reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordRun {
    /// Path or URL of the file, as in [`Partition::file`].
    pub file: Arc<str>,
    /// Number of the first record, from 0.
    pub first: u64,
    /// Number of records.
    pub records: u64,
    /// Offset of the first record in the uncompressed file, as in [`RowOrigin::byte`](crate::RowOrigin::byte), if it is
    /// known: a format that can enter there needs no index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
}

impl RecordRun {
    /// Returns `records` records of a file from number `first` on.
    #[must_use]
    pub fn new(file: impl Into<Arc<str>>, first: u64, records: u64) -> Self {
        Self { file: file.into(), first, records, byte: None }
    }

    /// Sets the offset of the first record in the uncompressed file.
    #[must_use]
    pub fn byte(mut self, byte: u64) -> Self {
        self.byte = Some(byte);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Partition;

    #[test]
    fn partitions_print_what_they_leave_out() {
        let partition = Partition::whole("a");
        assert_eq!(partition.to_string(), "a");
        assert_eq!(Partition::range("a", 5, u64::MAX).skip(2).to_string(), "a[5..] from record 2");
        assert_eq!(Partition::range("a", 5, 9).skip(2).records(3).to_string(), "a[5..9] records 2..5");
    }

    #[test]
    fn partitions_are_shipped() {
        let partition = Partition::range("a", 5, 9).first_record(1).skip(2).records(3).extra("sync", "00ff");
        let text = serde_json::to_string(&partition).expect("JSON");
        assert_eq!(serde_json::from_str::<Partition>(&text).expect("JSON"), partition);
        assert_eq!(
            serde_json::to_string(&Partition::whole("a")).expect("JSON"),
            r#"{"file":"a","start":0,"end":18446744073709551615,"first_record":0}"#
        );
    }
}
