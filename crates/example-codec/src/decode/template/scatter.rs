//! One pass over the entries of a record, in any order.
//!
//! Each entry is looked up by its name and compared with its step. That its kind cannot be foreseen must not matter, so
//! single values of all kinds are staged by the same instructions.

use super::WINDOW;
#[cfg(target_arch = "x86_64")]
use super::block::is_equal_avx2;
use super::block::{BLOCK, Shape, is_equal};
use super::entry::entry;
use super::lookup::Lookup;
use super::pass::{self, Cold, Pass, first};
use crate::decode::feature::{Span, reaching};
#[cfg(target_arch = "x86_64")]
use crate::decode::processor::has_avx2;
use crate::decode::store::Offset;
use crate::decode::values::gather;
#[cfg(target_arch = "x86_64")]
use crate::decode::values::gather_bmi2;

/// Entries that are looked up before the first of them is compared, so that the processor waits for several at once.
const AHEAD: usize = 64;

/// Start of an entry, and the step that it may belong to.
#[derive(Clone, Copy, Default)]
struct Found {
    start: u32,
    step: u32,
}

/// Looks up entries at the start of `bytes`, of which the last `slack` are not the record's, while there is a window;
/// returns how many were looked up, and where the next begins if they are what they seem to be.
#[inline(always)]
fn look_up(lookup: &Lookup, bytes: &[u8], slack: usize, found: &mut [Found; AHEAD]) -> (usize, usize) {
    let mut left = bytes;
    let mut count = 0;
    for to in found {
        let Some(window) = left.first_chunk().filter(|_| left.len() > slack) else { break };
        count += 1;
        *to = Found { start: (bytes.len() - left.len()) as u32, step: lookup.first(window) as u32 };
        let Some(after) = left.get(2 + usize::from(window[1])..) else {
            to.step = u32::MAX;
            break;
        };
        left = after;
    }
    (count, bytes.len() - left.len())
}

/// Does the same with instructions for shifts.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline(never)]
fn look_up_avx2(lookup: &Lookup, bytes: &[u8], slack: usize, found: &mut [Found; AHEAD]) -> (usize, usize) {
    look_up(lookup, bytes, slack, found)
}

impl<O: Offset> Pass<'_, O> {
    /// Decodes the entries at the start of `bytes`, of which the last `slack` are not the record's, until less than a
    /// window is left; returns the bytes that are left, or `None` if the record cannot be taken.
    #[inline(always)]
    pub(super) fn scattered<'b>(
        &mut self,
        lookup: &Lookup,
        bytes: &'b [u8],
        slack: usize,
    ) -> Option<&'b [u8]> {
        #[cfg(target_arch = "x86_64")]
        if has_avx2() {
            // SAFETY: the processor has the features that the function is compiled for.
            return unsafe { self.scattered_avx2(lookup, bytes, slack) };
        }
        self.scattered_with(
            lookup,
            bytes,
            slack,
            |bytes, found| look_up(lookup, bytes, slack, found),
            |pass, bytes, found| pass.singles(bytes, found, is_equal, gather),
        )
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn scattered_avx2<'b>(&mut self, lookup: &Lookup, bytes: &'b [u8], slack: usize) -> Option<&'b [u8]> {
        self.scattered_with(
            lookup,
            bytes,
            slack,
            |bytes, found| look_up_avx2(lookup, bytes, slack, found),
            |pass, bytes, found| pass.singles_avx2(bytes, found),
        )
    }

    #[inline(always)]
    fn scattered_with<'b>(
        &mut self,
        lookup: &Lookup,
        mut bytes: &'b [u8],
        slack: usize,
        look_up: impl Fn(&[u8], &mut [Found; AHEAD]) -> (usize, usize),
        singles: impl Fn(&mut Self, &[u8], &[Found]) -> usize,
    ) -> Option<&'b [u8]> {
        let mut found = [Found::default(); AHEAD];
        while bytes.len() >= WINDOW && bytes.len() > slack {
            let (count, mut end) = look_up(bytes, &mut found);
            let mut left = found.get(..count)?;
            loop {
                let taken = singles(self, bytes, left);
                let Some((other, rest)) = left.get(taken..)?.split_first() else { break };
                let other_bytes = bytes.get(other.start as usize..)?;
                let after = self.scattered_other(lookup, other_bytes, slack, other.step as usize)?;
                let next = bytes.len() - after.len();
                if rest.first().is_none_or(|following| following.start as usize != next) {
                    end = next;
                    break;
                }
                left = rest;
            }
            bytes = bytes.get(end..)?;
        }
        Some(bytes)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    #[inline(never)]
    fn singles_avx2(&mut self, bytes: &[u8], found: &[Found]) -> usize {
        self.singles(
            bytes,
            found,
            |bytes, expected, shape, length| is_equal_avx2(bytes, expected, shape, length),
            |word| gather_bmi2(word),
        )
    }

    /// Decodes entries with a single value; returns how many.
    #[inline(always)]
    fn singles(
        &mut self,
        bytes: &[u8],
        found: &[Found],
        is_equal: impl Fn(&[u8; BLOCK], &[u8; BLOCK], Shape, u8) -> bool + Copy,
        gather: impl Fn(u64) -> u64 + Copy,
    ) -> usize {
        let row = self.row;
        let mut room = self.stage.room();
        let mut values = self.values;
        let mut left = found.iter();
        let taken = loop {
            let Some(entry) = left.next() else { break found.len() };
            let this = found.len() - left.len() - 1;
            let start = entry.start as usize;
            let Some(window) = bytes.get(start..).and_then(|left| left.first_chunk::<WINDOW>()) else {
                break this;
            };
            let Some(step) = self.steps.get_mut(entry.step as usize) else { break this };
            let Some((at, length)) = step.short_value(window, is_equal) else { break this };
            let value = first(window, at);
            if !room.push_any(&mut step.staged, row, step.form.staging(), &value, length, gather) {
                break this;
            }
            values += u64::from(step.counts);
        };
        self.values = values;
        taken
    }

    /// Decodes the entry at the start of `bytes`, of which the last `slack` are not the record's, in any form that is
    /// one key and one value; returns what follows it.
    #[inline(never)]
    fn scattered_other<'b>(
        &mut self,
        lookup: &Lookup,
        bytes: &'b [u8],
        slack: usize,
        first: usize,
    ) -> Option<&'b [u8]> {
        let window = bytes.first_chunk()?;
        let candidates = std::iter::once(first).chain(lookup.others(first));
        let known =
            candidates.filter_map(|number| Some((number, self.steps.get(number)?.value(window, is_equal)?)));
        let known = known.into_iter().next();
        let (number, value) = match known {
            Some((number, (start, length))) => (number, Span { start, end: start + length }),
            None => self.scattered_feature(lookup, bytes)?,
        };
        let step = self.steps.get_mut(number)?;
        let after = bytes.get(value.end..).filter(|after| after.len() >= slack)?;
        let Self { walk, stage, columns, lists, row, .. } = self;
        let mut room = stage.room();
        if step.staged.has(*row) {
            // Another of the same name.
            return None;
        }
        if known.is_some() && pass::stage(step, &mut room, *row, bytes, value) == Some(true) {
            self.values += 1;
            return Some(after);
        }
        if !self.claims.claim(number) {
            return None;
        }
        let mut cold = Cold { names: &walk.names, columns, lists, row: *row };
        self.values += match known {
            Some(_) => cold.value(step, &mut room, bytes, value)?,
            None => cold.feature(step, (room.values, room.data), bytes, value)?,
        };
        Some(after)
    }

    /// Finds the step and the feature of the entry at the start of `bytes`, in any form that is one key and one value.
    fn scattered_feature(&self, lookup: &Lookup, bytes: &[u8]) -> Option<(usize, Span)> {
        let (body, end) = entry(bytes)?;
        let names = &self.walk.names;
        let content = bytes.get(body..end)?;
        let id = names.find_prefix(content)?;
        let prefix = names.prefix(id).filter(|prefix| content.starts_with(prefix))?;
        // The value must be the rest of the entry, also of one that is passed over: after it another key may follow,
        // which would be the one that counts.
        let start = reaching(bytes, body + prefix.len(), end)?;
        Some((lookup.of_name(id)?, Span { start, end }))
    }
}
