//! Selection of the records of a block that can be decoded.

use std::ops::Range;
use std::sync::Arc;

use tfxio_core::Count;

use crate::datum::{DatumReader, SkipPlan, check, pass_over_items};
use crate::schema::AvroSchema;
use crate::{Error, Limits, Result};

/// Maximum number of bad records of a block that are told apart.
const MOST_TOLD: usize = 1 << 16;

/// Good and bad records of a block.
#[derive(Debug, Default)]
pub(super) struct Sifted {
    /// Number of good records.
    pub(super) good: u64,
    /// Their ranges: neighbours are one range.
    pub(super) runs: Vec<Range<usize>>,
    /// Everything else, in order.
    pub(super) bad: Vec<Bad>,
    /// Whether the borders of a bad record are unknown, so that everything after it in the block is bad too.
    pub(super) lost_borders: bool,
}

/// Bad records, or bytes after the last record.
#[derive(Debug)]
pub(super) struct Bad {
    pub(super) bytes: Range<usize>,
    /// Their number; `None` for bytes after the last record.
    pub(super) records: Option<u64>,
    /// Number of good records of the block before these.
    pub(super) good_before: u64,
    pub(super) detail: Arc<str>,
}

/// Checker for the records of blocks.
#[derive(Debug)]
pub(super) struct Sieve {
    pub(super) schema: AvroSchema,
    pub(super) plan: SkipPlan,
    pub(super) limits: Limits,
    /// Whether values are checked, and not only the ends of records.
    pub(super) values: bool,
}

impl Sieve {
    /// Separates good records of the block from bad ones. A bad one is left out, and so is everything after it if its
    /// end is unknown. An end is known if exactly the remaining records follow from there to the end of the block.
    pub(super) fn sift(&self, count: u64, bytes: &[u8]) -> Sifted {
        let mut sifted = Sifted::default();
        let mut at = 0;
        let mut fits = false;
        if self.plan.fixed_width(self.schema.root()) == Some(0) {
            sifted.good = count;
        } else {
            for done in 0..count {
                match self.read(bytes, at) {
                    Ok(end) => {
                        sifted.keep(at..end);
                        at = end;
                    }
                    Err(error) => {
                        let left = count - done - 1;
                        let detail = describe(done, &error);
                        let Some(end) = self.border(bytes, at, left, fits) else {
                            sifted.lose(at..bytes.len(), Some(left.saturating_add(1)), detail);
                            sifted.lost_borders = true;
                            return sifted;
                        };
                        fits = true;
                        sifted.lose(at..end, Some(1), detail);
                        at = end;
                    }
                }
            }
        }
        if at < bytes.len() {
            let left = Count::of(bytes.len() - at, "byte");
            sifted.lose(
                at..bytes.len(),
                None,
                format!("{left} {} left over after the block's records", left.verb("is", "are")),
            );
            sifted.lost_borders = true;
        }
        sifted
    }

    /// Returns the end of the good record that begins at `at`.
    fn read(&self, bytes: &[u8], at: usize) -> Result<usize> {
        let mut reader = DatumReader::at(bytes, at);
        if self.values {
            check(&self.schema, &mut reader, &self.limits)?;
        } else {
            self.plan.skip(self.schema.root(), &mut reader)?;
        }
        Ok(reader.position())
    }

    /// Returns the end of the bad record that begins at `at`, with `left` records after it. `fits`: the rest of the
    /// block is known to consist of records whose ends the plan finds.
    fn border(&self, bytes: &[u8], at: usize, left: u64, fits: bool) -> Option<usize> {
        if !self.values {
            return None;
        }
        let claimed = self.skip(bytes, at);
        if fits {
            return claimed;
        }
        let mut reader = DatumReader::at(bytes, at);
        let walked = pass_over_items(&self.schema, &mut reader).ok().map(|()| reader.position());
        let walked = walked.filter(|_| walked != claimed);
        claimed.into_iter().chain(walked).find(|&end| self.ends_with(bytes, end, left))
    }

    /// Returns whether exactly `left` records follow from `at` to the end.
    fn ends_with(&self, bytes: &[u8], at: usize, left: u64) -> bool {
        self.plan.is_rest(self.schema.root(), &mut DatumReader::at(bytes, at), left)
    }

    fn skip(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let mut reader = DatumReader::at(bytes, at);
        self.plan.skip(self.schema.root(), &mut reader).ok().map(|()| reader.position())
    }
}

impl Sifted {
    fn keep(&mut self, bytes: Range<usize>) {
        self.good += 1;
        match self.runs.last_mut() {
            Some(last) if last.end == bytes.start => last.end = bytes.end,
            _ => self.runs.push(bytes),
        }
    }

    fn lose(&mut self, bytes: Range<usize>, records: Option<u64>, detail: String) {
        // Bounded, since a block may have as many bad records as bytes.
        let is_full = self.bad.len() >= MOST_TOLD;
        match self.bad.last_mut() {
            Some(last) if is_full => {
                last.bytes.end = bytes.end;
                last.records = sum(last.records, records);
            }
            _ => {
                self.bad.push(Bad { bytes, records, good_before: self.good, detail: detail.into() });
            }
        }
    }

    /// Returns the number of lost records, if it is known.
    pub(super) fn lost(&self) -> Option<u64> {
        self.bad.iter().try_fold(0, |all, bad| sum(Some(all), bad.records))
    }
}

fn sum(some: Option<u64>, more: Option<u64>) -> Option<u64> {
    Some(some?.saturating_add(more?))
}

fn describe(record: u64, error: &Error) -> String {
    let what = error.what();
    match &error.position().path {
        Some(path) => format!("record {record} of the block, at {path}: {what}"),
        None => format!("record {record} of the block: {what}"),
    }
}
