//! Skipped ranges, and the report that lists them.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::Count;

/// One range of bytes that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedRange {
    /// Path or URL of the file.
    pub file: Arc<str>,
    /// Offset of the first skipped byte.
    pub start: u64,
    /// Offset just past the last skipped byte.
    pub end: u64,
    /// Whether `start` and `end` are offsets in a compressed file, and not in what it decompresses to.
    pub compressed: bool,
    /// Number of skipped records, where it is known.
    pub records: Option<u64>,
    /// Why, as in the error message of a reader that fails.
    pub reason: Arc<str>,
}

impl SkippedRange {
    /// Returns a range of uncompressed offsets with an unknown number of records.
    #[must_use]
    pub fn new(file: impl Into<Arc<str>>, start: u64, end: u64, reason: impl Into<Arc<str>>) -> Self {
        Self { file: file.into(), start, end, compressed: false, records: None, reason: reason.into() }
    }

    /// Sets the number of skipped records.
    #[must_use]
    pub fn records(mut self, records: u64) -> Self {
        self.records = Some(records);
        self
    }

    /// Sets whether the offsets refer to the compressed file.
    #[must_use]
    pub fn compressed(mut self, compressed: bool) -> Self {
        self.compressed = compressed;
        self
    }

    /// Returns the number of skipped bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

impl fmt::Display for SkippedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.compressed { " of the compressed file" } else { "" };
        write!(f, "{}, bytes {} to {}{space}: ", self.file, self.start, self.end)?;
        match self.records {
            Some(records) => write!(f, "{} skipped", Count::of(records, "record"))?,
            None => f.write_str("an unknown number of records skipped")?,
        }
        write!(f, " ({})", self.reason)
    }
}

/// Report of everything skipped so far. Prints one line a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkipReport {
    /// Number of skipped ranges.
    pub ranges: u64,
    /// Number of skipped records, as far as it is known.
    pub records: u64,
    /// Whether there are ranges whose number of records is unknown, so that `records` is a lower bound.
    pub records_unknown: bool,
    /// Number of skipped bytes.
    pub bytes: u64,
    /// The first [`SkipReport::MOST_LISTED`] ranges, in the order in which they were read.
    pub listed: Vec<SkippedRange>,
}

impl SkipReport {
    /// Maximum number of ranges that are listed: 65,536.
    pub const MOST_LISTED: usize = 1 << 16;

    /// Returns whether nothing was skipped.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.ranges == 0
    }
}

impl fmt::Display for SkipReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.listed.iter().enumerate() {
            if index > 0 {
                f.write_char('\n')?;
            }
            range.fmt(f)?;
        }
        let unlisted = self.ranges.saturating_sub(self.listed.len() as u64);
        if unlisted > 0 {
            write!(f, "\nand {unlisted} more")?;
        }
        Ok(())
    }
}
