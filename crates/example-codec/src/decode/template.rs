//! Records that look like earlier ones, decoded in one pass.
//!
//! Writers put the same features into each record, mostly in the same order, and the bytes before a value are the same each
//! time but for a few lengths. So each name of the learned order has a [`step`], with which an entry is compared at once;
//! [`pass`] follows the steps and reads the values. Single values are [staged](stage) and appended to their columns a few
//! rows at once.
//!
//! A record is taken whole or not at all: if anything is not as expected the row is undone, and the two passes begin at the
//! start of the record. So nothing here has to report faults of a record.

mod block;
mod claims;
mod entry;
mod learn;
mod lookup;
mod pace;
mod pass;
mod scatter;
mod stage;
mod step;
#[cfg(test)]
mod tests;
#[cfg(feature = "fuzzing")]
pub mod trial;

#[cfg(target_arch = "x86_64")]
pub(crate) use self::block::is_equal_avx2;
pub(crate) use self::block::{BLOCK, Shape, is_equal};
use self::claims::Claims;
pub(crate) use self::entry::entry;
use self::lookup::Lookup;
pub(crate) use self::pace::Pace;
use self::pass::Pass;
pub(crate) use self::pass::{MOST_MISSING, first};
use self::stage::Stage;
pub(crate) use self::stage::StagedColumn;
pub(crate) use self::step::{Form, TemplateStep};
use super::column::{Column, Row};
use super::feature::{Span, reaching};
use super::names::Names;
use super::store::Offset;
use super::walk::Walk;

/// Bytes of an entry that are looked at at once: 32 before the value, and 16 of it.
pub(crate) const WINDOW: usize = 48;
/// Mean length of entries from which on they are long.
const LONG_ENTRY: usize = 512;
/// One in this many entries may be missing where steps are followed in their order; with more of them it is faster to look
/// each entry up. A single one may always be missing, at little cost.
const FEW_MISSING: u64 = 6;
/// One in this many entries must be there where each is looked up; with fewer two passes are faster.
const FEW_THERE: u64 = 8;
/// Single values for each other entry, at least, where each is looked up.
const FEW_OTHERS: u64 = 4;
/// While entries are looked up, one in this many records is left to the two passes, which learn the order,
const LEARN_EVERY: u32 = 256;
/// or, while an order is new, in this many.
const LEARN_SOON: u32 = 4;

/// Templates learned from the entries of earlier records.
#[derive(Default)]
pub(super) struct Templates {
    /// One of each name of the order.
    steps: Vec<TemplateStep>,
    /// The steps by their names.
    lookup: Lookup,
    claims: Claims,
    /// Steps of the order, and of all names, whose entries are not passed over.
    in_order: usize,
    in_all: usize,
    /// Steps of which each record must have an entry.
    required: Vec<u32>,
    stage: Stage,
    /// Whether anything is staged.
    is_staged: bool,
    /// The state of the names that the steps were made of.
    version: Option<u32>,
    /// Number of times that steps were made of these names.
    made: u32,
    /// Entries of records since the steps were made, which pay for making them anew.
    credit: usize,
    /// Whether columns may have changed since the last record that was taken.
    is_stale: bool,
    /// Pace of records whose steps are followed in their order, and of records in any order.
    ordered: Pace,
    scattered: Pace,
    /// Records whose entries were looked up.
    looked_up: u32,
    lists: Vec<Span>,
}

/// Order in which the entries of a record are expected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The order of the steps, more or less.
    Ordered,
    /// Any.
    Scattered,
}

impl Templates {
    /// Returns the order in which the next record is to be tried, if it is to be tried.
    #[inline(always)]
    pub(super) fn way(&mut self, names: &mut Names, record: &[u8]) -> Option<Way> {
        // Where entries are long it does not matter how they are found.
        if self.steps.is_empty() || record.len() / LONG_ENTRY > self.steps.len() {
            return None;
        }
        if names.is_guessing() && self.ordered.is_due() {
            return Some(Way::Ordered);
        }
        self.other_way(names)
    }

    /// Leaves all records to the two passes.
    #[cfg(test)]
    fn switch_off(&mut self) {
        self.ordered.pause = u32::MAX;
        self.scattered.pause = u32::MAX;
    }

    #[inline(never)]
    fn other_way(&mut self, names: &mut Names) -> Option<Way> {
        if !self.scattered.is_due() {
            return None;
        }
        self.looked_up = self.looked_up.wrapping_add(1);
        if names.is_guessing() {
            let is_new = self.version != Some(names.version());
            return (!is_new || !self.looked_up.is_multiple_of(LEARN_SOON)).then_some(Way::Scattered);
        }
        if self.looked_up.is_multiple_of(LEARN_EVERY) {
            names.forget_order();
            return None;
        }
        Some(Way::Scattered)
    }

    /// Decodes a record; returns the number of values, or `None` if it is not taken: the row is then to be rolled back.
    #[inline(always)]
    pub(super) fn row<O: Offset>(
        &mut self,
        walk: &Walk,
        columns: &mut [Column<O>],
        record: &[u8],
        (row, way): (Row, Way),
    ) -> Option<u64> {
        if self.is_stale {
            self.refresh(walk, columns);
        }
        self.is_staged = true;
        if way == Way::Scattered {
            return self.scattered_row(walk, columns, record, row);
        }
        let values = self.try_row::<O, true>(walk, columns, record, row);
        let most_missing = (self.in_order as u64 / FEW_MISSING).max(1);
        self.ordered
            .went(values.is_some_and(|values| (self.in_order as u64).saturating_sub(values) <= most_missing));
        values
    }

    #[inline(never)]
    fn scattered_row<O: Offset>(
        &mut self,
        walk: &Walk,
        columns: &mut [Column<O>],
        record: &[u8],
        row: Row,
    ) -> Option<u64> {
        self.claims.begin(self.steps.len());
        let values = self.try_row::<O, false>(walk, columns, record, row);
        // The same name may have had a value that was staged after one that was not.
        let is_staged = |step| self.steps.get(step).is_none_or(|step: &TemplateStep| step.staged.has(row));
        let values = values.filter(|_| !self.claims.steps().any(is_staged));
        let singles = values.map_or(0, |values| values.min(self.in_all as u64));
        let others = FEW_OTHERS * self.claims.steps().len() as u64;
        self.scattered.went(singles > others && singles >= self.in_all as u64 / FEW_THERE);
        values
    }

    #[inline(always)]
    fn try_row<O: Offset, const ORDERED: bool>(
        &mut self,
        walk: &Walk,
        columns: &mut [Column<O>],
        record: &[u8],
        row: Row,
    ) -> Option<u64> {
        let start = match record.first_chunk()? {
            [0x0a, length @ ..0x80] if usize::from(*length) + 2 == record.len() => 2,
            [0x0a, ..] => reaching(record, 1, record.len())?,
            _ => return None,
        };
        let Self { steps, lookup, claims, stage, lists, .. } = self;
        let mut pass = Pass { steps, next: 0, values: 0, stage, claims, walk, columns, row, lists };
        let left = pass.entries::<ORDERED>(lookup, record.get(start..)?, 0)?;
        // The last entries, with zeros after them.
        let mut tail = [0u8; 2 * WINDOW];
        let slack = tail.len().checked_sub(left.len())?;
        tail.get_mut(..left.len())?.copy_from_slice(left);
        if pass.entries::<ORDERED>(lookup, &tail, slack)?.len() != slack {
            return None;
        }
        let values = pass.values;
        (self.required.is_empty() || self.has_required(columns, row)).then_some(values)
    }

    #[inline(never)]
    fn has_required<O: Offset>(&self, columns: &[Column<O>], row: Row) -> bool {
        self.required.iter().all(|step| {
            self.steps.get(*step as usize).is_some_and(|step| {
                step.staged.has(row)
                    || columns.get(step.column as usize).is_some_and(|column| column.has(row))
            })
        })
    }

    /// Takes back the staged values of a row that is to be rolled back.
    pub(super) fn take_back(&mut self, row: Row) {
        for step in &mut self.steps {
            self.stage.take_back(&mut step.staged, step.form, row);
        }
    }

    /// Appends the staged values to the columns, before something else happens to them.
    #[inline(always)]
    pub(super) fn settle<O: Offset>(&mut self, columns: &mut [Column<O>], row: Row) {
        if self.is_staged {
            self.settle_all(columns, row);
        }
    }

    /// Does the same after a row, if the stage is full.
    #[inline(always)]
    pub(super) fn end_row<O: Offset>(&mut self, columns: &mut [Column<O>], row: Row) {
        if self.is_staged && row.next().is_multiple_of(self.stage.rows) {
            self.settle_all(columns, row);
        }
    }

    #[inline(never)]
    fn settle_all<O: Offset>(&mut self, columns: &mut [Column<O>], row: Row) {
        self.is_staged = false;
        for step in &mut self.steps {
            match (columns.get_mut(step.column as usize), step.kind) {
                (Some(column), Some(kind)) => step.staged.drain(self.stage.staged(), kind, column, row),
                _ => step.staged.present = 0,
            }
        }
    }
}
