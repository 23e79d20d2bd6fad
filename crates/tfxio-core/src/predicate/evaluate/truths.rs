//! Truths of many rows, in three-valued logic.

use arrow_array::BooleanArray;
use arrow_buffer::{BooleanBuffer, NullBuffer};

/// True, false, or neither.
pub(super) type Truth = Option<bool>;

/// For each row true, false, or neither: two bits, of which at most one is set.
#[derive(Clone, Debug)]
pub(super) struct Truths {
    is_true: BooleanBuffer,
    is_false: BooleanBuffer,
}

impl Truths {
    /// Returns the same truth for each row.
    pub(super) fn all(rows: usize, truth: Truth) -> Self {
        let bits = |set| if set { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) };
        Self { is_true: bits(truth == Some(true)), is_false: bits(truth == Some(false)) }
    }

    /// Returns true or false for each row, and neither where it is null.
    pub(super) fn new(is_true: BooleanBuffer, nulls: Option<&NullBuffer>) -> Self {
        let is_false = !&is_true;
        match nulls {
            Some(nulls) => Self { is_true: &is_true & nulls.inner(), is_false: &is_false & nulls.inner() },
            None => Self { is_true, is_false },
        }
    }

    /// Returns the truth of each row as given by a function.
    pub(super) fn of_each(rows: usize, truth: impl Fn(usize) -> Truth) -> Self {
        let is = |wanted| BooleanBuffer::collect_bool(rows, |row| truth(row) == Some(wanted));
        Self { is_true: is(true), is_false: is(false) }
    }

    /// Returns whether each row is null.
    pub(super) fn are_null(rows: usize, nulls: Option<&NullBuffer>) -> Self {
        match nulls {
            Some(nulls) => Self { is_true: !nulls.inner(), is_false: nulls.inner().clone() },
            None => Self::all(rows, Some(false)),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.is_true.len()
    }

    pub(super) fn get(&self, row: usize) -> Truth {
        if row >= self.len() {
            return None;
        }
        match (self.is_true.value(row), self.is_false.value(row)) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    pub(super) fn and(self, other: &Self) -> Self {
        Self { is_true: &self.is_true & &other.is_true, is_false: &self.is_false | &other.is_false }
    }

    pub(super) fn or(self, other: &Self) -> Self {
        Self { is_true: &self.is_true | &other.is_true, is_false: &self.is_false & &other.is_false }
    }

    pub(super) fn not(self) -> Self {
        Self { is_true: self.is_false, is_false: self.is_true }
    }

    /// Returns `truth` for the null rows and these truths for the others.
    pub(super) fn where_null(self, nulls: Option<&NullBuffer>, truth: Truth) -> Self {
        let Some(nulls) = nulls else { return self };
        let valid = nulls.inner();
        let of = |bits: BooleanBuffer, set: bool| if set { &bits | &!valid } else { &bits & valid };
        Self {
            is_true: of(self.is_true, truth == Some(true)),
            is_false: of(self.is_false, truth == Some(false)),
        }
    }

    /// Returns for each list whether any of its values is true. A list has the values between one end and the next.
    pub(super) fn any(self, ends: &[usize]) -> Self {
        let is_one_each =
            ends.windows(2).all(|ends| matches!(ends, [start, end] if end.wrapping_sub(*start) == 1));
        if is_one_each && ends.len() == self.len().saturating_add(1) && ends.first() == Some(&0) {
            return self;
        }
        let lists = ends.len().saturating_sub(1);
        let of = |bits: &BooleanBuffer| {
            BooleanBuffer::collect_bool(lists, |list| {
                match (ends.get(list), ends.get(list.saturating_add(1))) {
                    (Some(start), Some(end)) => is_any_set(bits, *start, *end),
                    _ => false,
                }
            })
        };
        let is_true = of(&self.is_true);
        let is_known = (&self.is_true | &self.is_false).count_set_bits() == self.len();
        let is_false = if is_known { !&is_true } else { !&of(&!&self.is_false) };
        Self { is_true, is_false }
    }

    /// Returns the truths as an array, which is null where they are neither true nor false.
    pub(super) fn into_array(self) -> BooleanArray {
        let known = NullBuffer::new(&self.is_true | &self.is_false);
        BooleanArray::new(self.is_true, Some(known).filter(|known| known.null_count() > 0))
    }
}

/// Returns whether any bit of a range is set.
fn is_any_set(bits: &BooleanBuffer, start: usize, end: usize) -> bool {
    let end = end.min(bits.len()).saturating_add(bits.offset());
    let mut at = start.saturating_add(bits.offset());
    while at < end {
        let (first, count) = (at % 8, (8 - at % 8).min(end - at));
        let mask = (0xff_u8 >> (8 - count)) << first;
        if bits.values().get(at / 8).is_some_and(|byte| byte & mask != 0) {
            return true;
        }
        at += count;
    }
    false
}
