//! Records that are like earlier ones, in one pass.
//!
//! As in the decoder, each name of the learned order has a step, with which an entry is compared at once: its name, its
//! kind, and that it holds one value. Only differences are noted, and added when all of the record was right; so a record
//! that is not taken leaves nothing to undo. Nothing here reports faults of a record.

#[cfg(test)]
mod tests;

use tfxio_core::Origin;

use super::count::Part;
use super::tally::{Counted, Of, Seen};
use crate::FeatureKind;
use crate::decode::feature::{Span, reaching};
use crate::decode::names::Names;
#[cfg(target_arch = "x86_64")]
use crate::decode::processor::has_avx2;
#[cfg(target_arch = "x86_64")]
use crate::decode::template::is_equal_avx2;
use crate::decode::template::{
    BLOCK, Form, MOST_MISSING, Pace, Shape, StagedColumn, TemplateStep, WINDOW, entry, first, is_equal,
};

/// Bytes of an entry, or less.
const SHORT_ENTRY: usize = 16;
/// Maximum number of times that the entries required to remake the steps double.
const MOST_DOUBLED: u32 = 6;
/// Maximum number of steps jumped over to reach an entry that is looked up.
const MOST_JUMPED: usize = 64;
/// One in this many entries must be there; with fewer it is faster to look each up.
const FEW_THERE: usize = 2;

/// Expected entries of records.
#[derive(Clone, Debug)]
pub(super) struct Template<V> {
    /// One of each name of the order.
    steps: Vec<TemplateStep>,
    /// Records taken since the steps were made.
    whole: u64,
    /// Steps that the record at hand has no entry of.
    missing: Vec<u32>,
    /// Values of the record at hand that are other than one value of the step's kind.
    others: Vec<(u32, V)>,
    /// The state of the names that the steps were made of.
    version: Option<u32>,
    /// Whether a kind of values has become known since.
    pub(super) is_stale: bool,
    /// Number of times that steps were made.
    made: u32,
    /// Entries of records since the steps were made, which pay for making them anew.
    credit: usize,
    pace: Pace,
}

impl<V> Default for Template<V> {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            whole: 0,
            missing: Vec::new(),
            others: Vec::new(),
            version: None,
            is_stale: false,
            made: 0,
            credit: 0,
            pace: Pace::default(),
        }
    }
}

impl<V: Counted> Template<V> {
    /// Returns the number of records taken that are not added to the features.
    pub(super) fn whole(&self) -> u64 {
        self.whole
    }

    /// Returns whether a record is like earlier ones. [`keep`](Self::keep) then adds it.
    #[inline(always)]
    pub(super) fn takes(&mut self, names: &Names, seen: &mut [Seen], record: &[u8]) -> bool {
        if self.is_stale || self.version != Some(names.version()) {
            self.credit += record.len() / SHORT_ENTRY;
            self.learn(names, seen);
        }
        if self.steps.is_empty() || !names.is_guessing() || !self.pace.is_due() {
            return false;
        }
        let is_taken = self.record(names, record).is_some();
        self.pace.went(is_taken && self.missing.len() <= self.steps.len() / FEW_THERE);
        is_taken
    }

    /// Adds the record that was taken last.
    #[inline(always)]
    pub(super) fn keep(&mut self, seen: &mut [Seen], origin: Origin<'_>) {
        self.whole += 1;
        if self.missing.is_empty() && self.others.is_empty() {
            return;
        }
        let feature =
            |step: u32| self.steps.get(step as usize).map_or(usize::MAX, |step| step.column as usize);
        for step in &self.missing {
            if let Some(seen) = seen.get_mut(feature(*step)) {
                seen.ones = seen.ones.wrapping_sub(1);
            }
        }
        for (step, value) in &self.others {
            if let Some(seen) = seen.get_mut(feature(*step)) {
                seen.ones = seen.ones.wrapping_sub(1);
                seen.add(value, origin);
            }
        }
    }

    /// Forgets all steps: names have got other numbers.
    pub(super) fn forget(&mut self, seen: &mut [Seen]) {
        let whole = std::mem::take(&mut self.whole);
        seen.iter_mut().for_each(|seen| seen.settle(whole));
        self.steps.clear();
        self.version = None;
    }

    /// Makes the steps anew, when there were twice as many entries as there are steps, and each time twice as many more.
    #[inline(never)]
    fn learn(&mut self, names: &Names, seen: &mut [Seen]) {
        let count = names.order().len();
        if self.credit < (2 * count) << self.made.min(MOST_DOUBLED) {
            return;
        }
        self.forget(seen);
        self.made += 1;
        self.credit = 0;
        self.version = Some(names.version());
        self.is_stale = false;
        for name in names.order() {
            let Some(seen) = seen.get_mut(name.column as usize) else { continue };
            seen.is_expected = true;
            let kind = seen.kind();
            let prefix = names.prefix(name.id).unwrap_or_default();
            self.steps.push(TemplateStep::new(
                prefix,
                (form_of(kind), kind),
                name.column,
                name.id,
                StagedColumn::default(),
            ));
        }
    }

    /// Reads a record, and notes what is different; returns nothing if it is not like others.
    #[inline(always)]
    fn record(&mut self, names: &Names, record: &[u8]) -> Option<()> {
        let start = match record.first_chunk()? {
            [0x0a, length @ ..0x80] if usize::from(*length) + 2 == record.len() => 2,
            [0x0a, ..] => reaching(record, 1, record.len())?,
            _ => return None,
        };
        let Self { steps, missing, others, .. } = self;
        missing.clear();
        others.clear();
        let mut pass = Pass { steps, next: 0, missing, others, names };
        let left = pass.entries(record.get(start..)?, 0)?;
        // The last entries, with zeros after them.
        let mut tail = [0u8; 2 * WINDOW];
        let slack = tail.len().checked_sub(left.len())?;
        tail.get_mut(..left.len())?.copy_from_slice(left);
        if pass.entries(&tail, slack)?.len() != slack {
            return None;
        }
        let next = pass.next;
        let found = next - missing.len();
        missing.extend(next as u32..steps.len() as u32);
        // What a record without any kind is, is not seen here.
        let unset = others.iter().filter(|(_, value)| !value.kinds().has_lists()).count();
        (found > unset).then_some(())
    }
}

/// Returns the form of one value.
fn form_of(kind: Option<FeatureKind>) -> Form {
    match kind {
        Some(FeatureKind::Int64) => Form::Int,
        Some(FeatureKind::Float) => Form::Float,
        Some(FeatureKind::Bytes) => Form::Bytes,
        None => Form::Other,
    }
}

/// Comparison of the bytes before a value.
trait IsEqual: Fn(&[u8; BLOCK], &[u8; BLOCK], Shape, u8) -> bool + Copy {}

impl<F: Fn(&[u8; BLOCK], &[u8; BLOCK], Shape, u8) -> bool + Copy> IsEqual for F {}

/// The record that is read.
struct Pass<'a, V> {
    steps: &'a [TemplateStep],
    /// The step that is expected next.
    next: usize,
    missing: &'a mut Vec<u32>,
    others: &'a mut Vec<(u32, V)>,
    names: &'a Names,
}

impl<V: Counted> Pass<'_, V> {
    /// Reads the entries at the start of `bytes`, of which the last `slack` are not the record's, until less than a window
    /// is left; returns the bytes that are left, or `None` if the record cannot be taken.
    #[inline(always)]
    fn entries<'b>(&mut self, mut bytes: &'b [u8], slack: usize) -> Option<&'b [u8]> {
        loop {
            bytes = self.single_values(bytes);
            if bytes.len() < WINDOW || bytes.len() <= slack {
                return Some(bytes);
            }
            bytes = self.other_entry(bytes, slack)?;
        }
    }

    /// Reads entries of one value each; returns what is left.
    #[inline(always)]
    fn single_values<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        #[cfg(target_arch = "x86_64")]
        if has_avx2() {
            // SAFETY: the processor has the features that the function is compiled for.
            return unsafe { self.single_values_avx2(bytes) };
        }
        self.single_values_with(bytes, is_equal)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn single_values_avx2<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        self.single_values_with(bytes, |bytes, expected, shape, length| {
            is_equal_avx2(bytes, expected, shape, length)
        })
    }

    #[inline(always)]
    fn single_values_with<'b>(&mut self, mut bytes: &'b [u8], is_equal: impl IsEqual) -> &'b [u8] {
        let mut steps = self.steps.get(self.next..).unwrap_or_default();
        while let Some(window) = bytes.first_chunk()
            && let Some((step, mut later)) = steps.split_first()
        {
            let mut end = single_value(step, window, is_equal);
            if end.is_none() {
                // Those of the next steps, up to one that is there.
                let mut others = later.iter().take(MOST_MISSING).enumerate();
                let found =
                    others.find_map(|(number, step)| Some((number, single_value(step, window, is_equal)?)));
                let Some((number, found)) = found else { break };
                let first = (self.steps.len() - steps.len()) as u32;
                self.missing.extend(first..=first + number as u32);
                later = later.get(number + 1..).unwrap_or_default();
                end = Some(found);
            }
            let Some(after) = end.and_then(|end| bytes.get(end..)) else { break };
            (bytes, steps) = (after, later);
        }
        self.next = self.steps.len() - steps.len();
        bytes
    }

    /// Reads the entry at the start of `bytes` in any form that is one key and one value; returns what follows it.
    #[inline(never)]
    fn other_entry<'b>(&mut self, bytes: &'b [u8], slack: usize) -> Option<&'b [u8]> {
        let (body, end) = entry(bytes)?;
        let after = bytes.get(end..).filter(|after| after.len() >= slack)?;
        let (number, prefix) = self.find_step(bytes.get(body..end)?)?;
        let step = self.steps.get(number)?;
        // The value must be the rest of the entry: after it another key may follow, which would be the one that counts.
        let start = reaching(bytes, body + prefix, end)?;
        let value = V::read(Part::value(bytes, Span { start, end })).ok()?;
        let Of { kind, other, .. } = value.kinds();
        if other.is_some() || (kind.is_some() && kind != step.kind) {
            return None;
        }
        self.missing.extend(self.next as u32..number as u32);
        self.others.push((number as u32, value));
        self.next = number + 1;
        Some(after)
    }

    /// Finds the step of the entry with that content; returns its number, and the length of what the entry begins with.
    fn find_step(&self, content: &[u8]) -> Option<(usize, usize)> {
        let is_it = |step: &TemplateStep| {
            let prefix = self.names.prefix(step.id)?;
            content.starts_with(prefix).then_some(prefix.len())
        };
        let mut steps = self.steps.iter().enumerate().skip(self.next);
        let near = steps.clone().take(MOST_MISSING + 1);
        if let Some(found) = near.into_iter().find_map(|(number, step)| Some((number, is_it(step)?))) {
            return Some(found);
        }
        let id = self.names.find_prefix(content)?;
        let (number, step) = steps.by_ref().take(MOST_JUMPED).find(|(_, step)| step.id == id)?;
        Some((number, is_it(step)?))
    }
}

/// Returns where the entry in the window ends, if it is one of the step, and holds one value.
#[inline(always)]
fn single_value(step: &TemplateStep, window: &[u8; WINDOW], is_equal: impl IsEqual) -> Option<usize> {
    let (at, length) = step.value(window, is_equal)?;
    let is_one = match step.form {
        Form::Int => is_varint(u64::from_le_bytes(first(window, at)), length),
        Form::Float => length == 4,
        Form::Bytes => true,
        Form::List | Form::Feature | Form::Ignored | Form::Other => false,
    };
    is_one.then_some(at + length)
}

/// Returns whether the first `length` bytes of a word are one varint; of more than there are, that they are not.
#[inline(always)]
fn is_varint(word: u64, length: usize) -> bool {
    let ends = !word & 0x8080_8080_8080_8080;
    ends.trailing_zeros() as usize + 1 == 8 * length
}
