//! Ranges of lost bytes.

use std::fmt;
use std::sync::Arc;

use crate::Count;

/// A range of bytes of a file of which something was lost, or that was skipped. `R` is the reason: a kind of the crate that
/// found it, or a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostRange<R = Arc<str>> {
    /// Path or URL of the file, where it is known.
    pub file: Option<Arc<str>>,
    /// Offset of the first byte.
    pub start: u64,
    /// Offset just past the last byte; the same as `start` where what is missing or wrong has no bytes of its own.
    pub end: u64,
    /// Whether the offsets refer to the stored bytes of a file that is compressed as a whole. Otherwise they refer to its
    /// uncompressed content, which for a file that is not compressed is the file.
    pub compressed: bool,
    /// Number of good records before it.
    pub records_before: u64,
    /// Offset of the last good record before it, where it is known.
    pub last_good_offset: Option<u64>,
    /// Number of lost records, where it is known.
    pub records: Option<u64>,
    /// Reason of the loss.
    pub reason: R,
    /// Exact description of the damage, for people, if more is known than the reason.
    pub detail: Option<Arc<str>>,
}

impl<R> LostRange<R> {
    /// Returns a range of uncompressed offsets with an unknown number of lost records.
    pub fn new(start: u64, end: u64, reason: impl Into<R>) -> Self {
        Self {
            file: None,
            start,
            end,
            compressed: false,
            records_before: 0,
            last_good_offset: None,
            records: None,
            reason: reason.into(),
            detail: None,
        }
    }

    /// Sets the file.
    #[must_use]
    pub fn file(mut self, file: impl Into<Arc<str>>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Sets the number of lost records.
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

    /// Returns the number of bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns the range with another form of its reason.
    pub fn map_reason<S>(self, form: impl FnOnce(&R) -> S) -> LostRange<S> {
        let reason = form(&self.reason);
        let Self { file, start, end, compressed, records_before, last_good_offset, records, detail, .. } =
            self;
        LostRange { file, start, end, compressed, records_before, last_good_offset, records, reason, detail }
    }
}

impl<R: fmt::Display> LostRange<R> {
    /// Returns the reason with its detail, for people.
    #[must_use]
    pub fn why(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{}: {detail}", self.reason),
            None => self.reason.to_string(),
        }
    }
}

/// Prints the range as skipped.
impl<R: fmt::Display> fmt::Display for LostRange<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}, ")?;
        }
        let space = if self.compressed { " of the compressed file" } else { "" };
        write!(f, "bytes {} to {}{space}: ", self.start, self.end)?;
        match self.records {
            Some(records) => write!(f, "{} skipped", Count::of(records, "record"))?,
            None => f.write_str("an unknown number of records skipped")?,
        }
        write!(f, " ({})", self.why())
    }
}
