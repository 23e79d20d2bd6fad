//! Policies for damaged records: failing, or skipping within a budget and with a report.

mod report;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::report::SkipReport;
use crate::Count;
use crate::{Detail, Error, ErrorKind, LostRange, Position};

/// Policy of a reader for damaged records.
///
/// ```
/// use tfxio_base::{LostRange, OnError, Skip, SkipBudget};
///
/// let skip = Skip::new(SkipBudget::default().ranges(1));
/// let on_error = OnError::Skip(skip.clone()); // given to a reader, which calls `add`
/// # let OnError::Skip(reader) = &on_error else { panic!() };
/// # reader.add(LostRange::new(40, 90, "block checksum mismatch").file("a.avro").records(3))?;
/// let report = skip.report();
/// assert_eq!((report.ranges, report.records, report.bytes), (1, 3, 50));
/// assert_eq!(report.to_string(), "a.avro, bytes 40 to 90: 3 records skipped (block checksum mismatch)");
/// # Ok::<(), tfxio_base::Error>(())
/// ```
///
/// Serialized as `null` or as the budget; the report is of one process.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "Option<SkipBudget>", from = "Option<SkipBudget>"))]
#[non_exhaustive]
pub enum OnError {
    /// Ends with the error of the first damaged record. The default.
    #[default]
    Fail,
    /// Skips damaged records, within a budget, and collects a report.
    Skip(Skip),
}

impl OnError {
    /// Returns the budget and report, if damaged records are skipped.
    #[must_use]
    pub fn skip(&self) -> Option<&Skip> {
        match self {
            Self::Fail => None,
            Self::Skip(skip) => Some(skip),
        }
    }

    /// Fails if all records were damaged and skipped, so that nothing was read.
    ///
    /// # Errors
    /// `Malformed` if `records` is 0 and something was skipped.
    pub fn refuse_nothing(&self, records: u64) -> Result<(), Error> {
        if records > 0 || self.skip().is_none_or(|skip| skip.report().is_clean()) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Malformed, "everything was damaged and skipped: there is no record"))
    }
}

impl From<Option<SkipBudget>> for OnError {
    fn from(budget: Option<SkipBudget>) -> Self {
        budget.map_or(Self::Fail, |budget| Self::Skip(Skip::new(budget)))
    }
}

impl From<OnError> for Option<SkipBudget> {
    fn from(on_error: OnError) -> Self {
        on_error.skip().map(|skip| *skip.budget())
    }
}

/// Budget of damage that may be skipped in a whole data set before it is an error. Unlimited by default.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct SkipBudget {
    /// Maximum number of damaged ranges. A range is one record, or several in a row whose borders are unknown.
    pub ranges: u64,
    /// Maximum number of skipped bytes.
    pub bytes: u64,
    /// Maximum share of the bytes of each file, from 0 to 1. Checked at the end of the file.
    pub share: f64,
}

impl Default for SkipBudget {
    fn default() -> Self {
        Self { ranges: u64::MAX, bytes: u64::MAX, share: 1.0 }
    }
}

impl SkipBudget {
    /// Sets the maximum number of damaged ranges.
    #[must_use]
    pub fn ranges(mut self, ranges: u64) -> Self {
        self.ranges = ranges;
        self
    }

    /// Sets the maximum number of skipped bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the maximum share of the bytes of each file.
    #[must_use]
    pub fn share(mut self, share: f64) -> Self {
        self.share = share;
        self
    }
}

/// A budget, and the report of what was skipped. Clones share the report, so a caller keeps one and reads it at the end.
///
/// A range that is read again, in a second epoch or pass, is counted once.
#[derive(Clone, Debug, Default)]
pub struct Skip {
    budget: SkipBudget,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    report: SkipReport,
    /// File, start and space of what was counted.
    counted: BTreeSet<(Arc<str>, u64, bool)>,
}

impl Skip {
    /// Returns an empty report with a budget.
    #[must_use]
    pub fn new(budget: SkipBudget) -> Self {
        Self { budget, seen: Arc::default() }
    }

    /// Returns the budget.
    #[must_use]
    pub fn budget(&self) -> &SkipBudget {
        &self.budget
    }

    /// Returns the same report with another budget, for a reader that goes on after others.
    ///
    /// ```
    /// use tfxio_base::{LostRange, Skip, SkipBudget};
    ///
    /// let skip = Skip::default();
    /// skip.continued(SkipBudget::default().ranges(1)).add(LostRange::new(0, 9, "cut").file("a"))?;
    /// assert_eq!(skip.ranges(), 1);
    /// # Ok::<(), tfxio_base::Error>(())
    /// ```
    #[must_use]
    pub fn continued(&self, budget: SkipBudget) -> Self {
        Self { budget, seen: Arc::clone(&self.seen) }
    }

    /// Returns the number of ranges that were skipped so far.
    #[must_use]
    pub fn ranges(&self) -> u64 {
        self.seen().report.ranges
    }

    /// Records that a range is skipped.
    ///
    /// # Errors
    /// `LimitExceeded` where this range exceeds the number of ranges or bytes of the budget.
    pub fn add(&self, range: LostRange) -> Result<(), Error> {
        let mut seen = self.seen();
        let file = range.file.clone().unwrap_or_default();
        if !seen.counted.insert((Arc::clone(&file), range.start, range.compressed)) {
            return Ok(());
        }
        let report = &mut seen.report;
        report.ranges = report.ranges.saturating_add(1);
        report.bytes = report.bytes.saturating_add(range.bytes());
        report.records = report.records.saturating_add(range.records.unwrap_or(0));
        report.records_unknown |= range.records.is_none();
        let exceeded = if report.ranges > self.budget.ranges {
            Some(format!(
                "{}, and the budget allows {}",
                Count::of(report.ranges, "damaged range"),
                self.budget.ranges
            ))
        } else if report.bytes > self.budget.bytes {
            Some(format!(
                "{}, and the budget allows {}",
                Count::of(report.bytes, "damaged byte"),
                self.budget.bytes
            ))
        } else {
            None
        };
        let result = match exceeded {
            Some(what) => {
                let what = format!("{what} (last: {})", range.why());
                Err(over_budget(&file, Some(range.start), &what))
            }
            None => Ok(()),
        };
        if report.listed.len() < SkipReport::MOST_LISTED {
            report.listed.push(range);
        }
        result
    }

    /// Checks the share of a file that was skipped, once the file was read to its end.
    ///
    /// # Errors
    /// `LimitExceeded` where more than [`SkipBudget::share`] of `total` bytes was skipped.
    pub fn end_of_file(&self, file: &str, skipped: u64, total: u64) -> Result<(), Error> {
        let share = if total == 0 { 0.0 } else { skipped as f64 / total as f64 };
        if share <= self.budget.share {
            return Ok(());
        }
        let (are, total) = (Count::of(skipped, "byte").verb("is", "are"), Count::of(total, "byte"));
        let what = format!(
            "{skipped} of {total} {are} damaged, and the budget allows a share of {}",
            self.budget.share
        );
        Err(over_budget(&file.into(), None, &what))
    }

    /// Returns what was skipped so far.
    #[must_use]
    pub fn report(&self) -> SkipReport {
        self.seen().report.clone()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// More was skipped than a [`SkipBudget`] allows: the detail of such an error, whose kind is `LimitExceeded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverBudget;

impl Detail for OverBudget {
    fn kind(&self) -> ErrorKind {
        ErrorKind::LimitExceeded
    }
}

fn over_budget(file: &Arc<str>, byte: Option<u64>, what: &str) -> Error {
    let position = Position { byte, ..Position::new().file(Arc::clone(file)) };
    Error::new(OverBudget, what).help("repair the file, or allow more to be skipped").at(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> LostRange {
        LostRange::new(start, end, "checksum mismatch").file("f").records(1)
    }

    #[test]
    fn a_range_that_is_read_again_counts_once() -> Result<(), Error> {
        let skip = Skip::default();
        skip.add(range(0, 10))?;
        skip.add(range(0, 10))?;
        skip.add(LostRange::new(0, 5, "cut off").file("g"))?;
        let report = skip.clone().report();
        assert_eq!((report.ranges, report.records, report.bytes, report.records_unknown), (2, 1, 15, true));
        assert_eq!(
            report.to_string(),
            "f, bytes 0 to 10: 1 record skipped (checksum mismatch)\n\
             g, bytes 0 to 5: an unknown number of records skipped (cut off)"
        );
        Ok(())
    }

    #[test]
    fn what_exceeds_the_budget_is_an_error_that_says_where() {
        let text = |result: Result<(), Error>| result.map_err(|error| error.to_string());
        let skip = Skip::new(SkipBudget { ranges: 1, bytes: 15, share: 0.5 });
        assert_eq!(text(skip.add(range(0, 10))), Ok(()));
        assert_eq!(
            text(skip.add(range(20, 21))),
            Err("f, byte 20: 2 damaged ranges, and the budget allows 1 (last: checksum mismatch); \
                 repair the file, or allow more to be skipped"
                .to_owned())
        );
        let skip = Skip::new(SkipBudget::default().bytes(15));
        assert_eq!(text(skip.add(range(0, 10))), Ok(()));
        assert_eq!(
            text(skip.add(range(20, 30))),
            Err("f, byte 20: 20 damaged bytes, and the budget allows 15 (last: checksum mismatch); \
                 repair the file, or allow more to be skipped"
                .to_owned())
        );
        let skip = Skip::new(SkipBudget::default().share(0.5));
        assert_eq!(text(skip.end_of_file("f", 5, 10)), Ok(()));
        assert_eq!(
            text(skip.end_of_file("f", 6, 10)),
            Err("f: 6 of 10 bytes are damaged, and the budget allows a share of 0.5; \
                 repair the file, or allow more to be skipped"
                .to_owned())
        );
    }
}
