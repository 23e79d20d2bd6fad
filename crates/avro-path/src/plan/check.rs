//! Tests of single fields, made while an item is skipped: most filters consist of such tests.

use std::sync::Arc;

use super::read::Read;
use super::slot::{Comparison, Operand, Side, Slot};
use crate::Result;
use crate::datum::{At, SkipFields};

/// Value of an item, and the comparisons that it must pass.
#[derive(Debug)]
pub(crate) struct Check {
    /// Fields to skip before it, after the check before.
    pub(crate) before: Option<SkipFields>,
    /// Path to it, for errors; `None` for the item itself.
    pub(crate) name: Option<Arc<str>>,
    /// Number of the branch `null`, if it is a union of null and one type.
    pub(crate) null: Option<usize>,
    pub(crate) read: Read,
    pub(crate) tests: Box<[Against]>,
    /// Fields to skip after it, to the end of the item.
    pub(crate) rest: Option<SkipFields>,
}

/// Comparison of a value, and whether it should be equal.
#[derive(Debug)]
pub(crate) struct Against {
    pub(super) other: Side,
    pub(super) equal: bool,
}

impl Against {
    /// Returns the comparison of a slot with something else that is not read from the item, seen from the slot.
    pub(crate) fn of(
        comparison: &Comparison,
        slot: usize,
        is_of_item: impl Fn(usize) -> bool,
    ) -> Option<Self> {
        let other = match (&comparison.left, &comparison.right) {
            (Side::Slot(left), other) if *left == slot => other,
            (other, Side::Slot(right)) if *right == slot => other,
            _ => return None,
        };
        let is_read = matches!(other, Side::Slot(other) if is_of_item(*other));
        (!is_read).then(|| Self { other: other.clone(), equal: comparison.equal })
    }
}

/// Returns whether an item passes all checks, and its end if it does not.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn passes(
    checks: &[Check],
    slots: &[Slot],
    bytes: At<'_>,
    mut at: usize,
) -> Result<(bool, Option<usize>)> {
    for check in checks {
        if let Some(before) = &check.before {
            at = before.skip(bytes, at)?;
        }
        let (found, end) = match check.find(bytes, at) {
            Ok(found) => found,
            Err(error) => {
                return Err(match &check.name {
                    Some(name) => error.within(name),
                    None => error,
                });
            }
        };
        at = end;
        if !check.tests.iter().all(|test| test.passes(&found, slots)) {
            let end = match &check.rest {
                Some(rest) => rest.skip(bytes, at)?,
                None => at,
            };
            return Ok((false, Some(end)));
        }
    }
    Ok((true, None))
}

impl Check {
    /// Reads the value, and returns it with its end.
    #[inline]
    fn find<'d>(&'d self, bytes: At<'d>, mut at: usize) -> Result<(Operand<'d>, usize)> {
        if let Some(null) = self.null {
            let (branch, value) = bytes.index(at, 2)?;
            if branch == null {
                return Ok((Operand::Null, value));
            }
            at = value;
        }
        self.read.find(bytes, at)
    }
}
