//! Report of skipped ranges.

use std::fmt::{self, Write as _};

use crate::LostRange;

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
    pub listed: Vec<LostRange>,
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
