//! Skipped damage: the budget and the report.

use tfxio::{Skip, SkipBudget, SkipReport};

use crate::Done;
use crate::args::{self, OnDamage};
use crate::failure::{self, Failure, say};
use crate::table::counted;

impl OnDamage {
    /// Returns the budget for skipping; `None` where damage is an error.
    pub(crate) fn skip(&self) -> Result<Option<Skip>, Failure> {
        if self.on_error == args::OnError::Fail {
            if self.max_skipped.is_some() || self.max_skipped_bytes.is_some() {
                return Err(Failure::Usage(NOT_SKIPPED.to_owned()));
            }
            return Ok(None);
        }
        let budget = SkipBudget::default()
            .ranges(self.max_skipped.unwrap_or(u64::MAX))
            .bytes(self.max_skipped_bytes.unwrap_or(u64::MAX));
        Ok(Some(Skip::new(budget)))
    }
}

/// A budget without a skip.
pub(crate) const NOT_SKIPPED: &str =
    "--max-skipped and --max-skipped-bytes are for --on-error skip, which is not given";

/// Prints a report to standard error: a line for each skipped range, and the sum.
pub(crate) fn report(skip: Option<&Skip>) {
    if let Some(skip) = skip {
        say_report(&skip.report());
    }
}

/// Prints a report in the same way; an empty report prints nothing.
pub(crate) fn say_report(report: &SkipReport) {
    if report.is_clean() {
        return;
    }
    say(format_args!("{report}"));
    let least = if report.records_unknown { "at least " } else { "" };
    say(format_args!(
        "skipped {}: {least}{}, {}",
        counted(report.ranges, "damaged range"),
        counted(report.records, "record"),
        counted(report.bytes, "byte"),
    ));
}

/// Fails where damage was skipped and nothing was left.
pub(crate) fn refuse_nothing(skip: Option<&Skip>, records: u64) -> Done {
    if records > 0 || skip.is_none_or(|skip| skip.report().is_clean()) {
        return Ok(());
    }
    say(format_args!("error: everything was damaged and skipped: there is no record"));
    Err(Failure::Reported(failure::DATA))
}
