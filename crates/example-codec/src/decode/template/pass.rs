//! One pass over the entries of a record, by the steps of a template.

use super::WINDOW;
#[cfg(target_arch = "x86_64")]
use super::block::is_equal_avx2;
use super::block::{BLOCK, Shape, is_equal};
use super::claims::Claims;
use super::learn::adapt;
use super::lookup::Lookup;
use super::stage::{Room, SHORT, Stage};
use super::step::{Form, TemplateStep};
use crate::decode::column::{Column, Row};
use crate::decode::feature::Span;
use crate::decode::names::Names;
#[cfg(target_arch = "x86_64")]
use crate::decode::processor::has_avx2;
use crate::decode::store::Offset;
#[cfg(target_arch = "x86_64")]
use crate::decode::values::gather_bmi2;
use crate::decode::values::{gather, varint_of};
use crate::decode::walk::Walk;

/// Maximum number of steps without an entry between two that have one, before the next entry is looked up.
pub(crate) const MOST_MISSING: usize = 3;

/// The record that is decoded.
pub(super) struct Pass<'a, O> {
    pub(super) steps: &'a mut [TemplateStep],
    /// The step that is expected next.
    pub(super) next: usize,
    /// Values so far.
    pub(super) values: u64,
    pub(super) stage: &'a mut Stage,
    pub(super) claims: &'a mut Claims,
    pub(super) walk: &'a Walk,
    pub(super) columns: &'a mut [Column<O>],
    pub(super) row: Row,
    pub(super) lists: &'a mut Vec<Span>,
}

impl<O: Offset> Pass<'_, O> {
    /// Decodes the entries at the start of `bytes`, of which the last `slack` are not the record's, until less than a
    /// window is left; returns the bytes that are left, or `None` if the record cannot be taken.
    #[inline(always)]
    pub(super) fn entries<'b, const ORDERED: bool>(
        &mut self,
        lookup: &Lookup,
        mut bytes: &'b [u8],
        slack: usize,
    ) -> Option<&'b [u8]> {
        if !ORDERED {
            return self.scattered(lookup, bytes, slack);
        }
        loop {
            bytes = self.known_entries(bytes);
            if bytes.len() < WINDOW || bytes.len() <= slack {
                return Some(bytes);
            }
            bytes = self.other_entry(bytes, slack)?;
        }
    }

    /// Decodes entries as the steps expect them; returns what is left.
    #[inline(always)]
    fn known_entries<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        #[cfg(target_arch = "x86_64")]
        if has_avx2() {
            // SAFETY: the processor has the features that the function is compiled for.
            return unsafe { self.known_entries_avx2(bytes) };
        }
        self.known_entries_with(bytes, is_equal, gather)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn known_entries_avx2<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        self.known_entries_with(
            bytes,
            |bytes, expected, shape, length| is_equal_avx2(bytes, expected, shape, length),
            |word| gather_bmi2(word),
        )
    }

    #[inline(always)]
    fn known_entries_with<'b>(
        &mut self,
        mut bytes: &'b [u8],
        is_equal: impl Fn(&[u8; BLOCK], &[u8; BLOCK], Shape, u8) -> bool + Copy,
        gather: impl Fn(u64) -> u64 + Copy,
    ) -> &'b [u8] {
        let row = self.row;
        let all = self.steps.len();
        let mut left = self.steps.get_mut(self.next..).unwrap_or_default().iter_mut();
        // Values, less the steps that are used up.
        let mut values = self.values.wrapping_sub(self.next as u64);
        let mut room = self.stage.room();
        let mut cold = Cold { names: &self.walk.names, columns: self.columns, lists: self.lists, row };
        let refused = 'entries: loop {
            // As few things as possible live in here, so that they stay in registers.
            let (step, span) = loop {
                let Some(window) = bytes.first_chunk() else { break 'entries 0 };
                let Some(step) = left.next() else { break 'entries 0 };
                let Some((at, length)) = step.value(window, is_equal) else { break (step, None) };
                let Some(after) = bytes.get(at + length..) else { break 'entries 1 };
                let staged = &mut step.staged;
                let is_staged = match step.form {
                    Form::Int => varint_of(u64::from_le_bytes(first(window, at)), length, gather)
                        .is_some_and(|value| room.push(staged, row, value)),
                    Form::Float if length == 4 => {
                        room.push(staged, row, u64::from(u32::from_le_bytes(first(window, at))))
                    }
                    Form::Bytes => room.push_bytes(staged, row, &first::<SHORT>(window, at), length),
                    Form::Ignored => {
                        values = values.wrapping_sub(1);
                        true
                    }
                    Form::Float | Form::List | Form::Feature | Form::Other => false,
                };
                if !is_staged {
                    break (step, Some((at, length)));
                }
                bytes = after;
            };
            let span = match span {
                None if step.is_long() => step.long_value(bytes, cold.names),
                span => span,
            };
            if let Some((at, length)) = span {
                let Some(after) = bytes.get(at + length..) else { break 1 };
                match cold.value(step, &mut room, bytes, Span { start: at, end: at + length }) {
                    Some(more) => values = values.wrapping_add(more).wrapping_sub(1),
                    None => break 1,
                }
                bytes = after;
            } else {
                let Some(others) = skip(step, left.as_slice(), bytes, cold.names) else { break 1 };
                left = left.into_slice().get_mut(others..).unwrap_or_default().iter_mut();
                values = values.wrapping_sub(others as u64 + 1);
            }
        };
        self.next = all - left.len() - refused;
        self.values = values.wrapping_add(self.next as u64);
        bytes
    }
}

/// Returns bytes of the window from an offset on that is at most 32.
#[inline(always)]
pub(crate) fn first<const N: usize>(window: &[u8; WINDOW], at: usize) -> [u8; N] {
    window.get(at..at + N).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or([0; N])
}

/// State for values that are not short ones of their kind.
pub(super) struct Cold<'a, O> {
    pub(super) names: &'a Names,
    pub(super) columns: &'a mut [Column<O>],
    pub(super) lists: &'a mut Vec<Span>,
    pub(super) row: Row,
}

impl<O: Offset> Cold<'_, O> {
    /// Appends a value in the form of the step. Returns the number of values.
    #[inline(never)]
    pub(super) fn value(
        &mut self,
        step: &mut TemplateStep,
        room: &mut Room<'_>,
        bytes: &[u8],
        value: Span,
    ) -> Option<u64> {
        if step.form == Form::Ignored {
            return Some(0);
        }
        if step.form == Form::Feature {
            return self.feature(step, (room.values, room.data), bytes, value);
        }
        if step.is_long() && stage(step, room, self.row, bytes, value) == Some(true) {
            return Some(1);
        }
        let kind = step.kind?;
        let column = self.columns.get_mut(step.column as usize)?;
        step.staged.drain((room.values, room.data), kind, column, self.row);
        if step.form == Form::List {
            return column.append_list(self.row, kind, bytes, value).map(|values| values as u64);
        }
        column.append_one(self.row, kind, bytes, value).then_some(1)
    }

    /// Appends a feature; returns the number of values.
    pub(super) fn feature(
        &mut self,
        step: &mut TemplateStep,
        staged: (&[u64], &[u8]),
        bytes: &[u8],
        feature: Span,
    ) -> Option<u64> {
        let Some(column) = self.columns.get_mut(step.column as usize) else { return Some(0) };
        if let Some(kind) = step.kind {
            step.staged.drain(staged, kind, column, self.row);
        }
        let values = column.append(self.row, bytes, feature, self.lists).ok()?;
        adapt(step, self.names, column);
        Some(values as u64)
    }
}

/// Stages a short value of an entry with a long name; returns whether it did.
pub(super) fn stage(
    step: &mut TemplateStep,
    room: &mut Room<'_>,
    row: Row,
    bytes: &[u8],
    value: Span,
) -> Option<bool> {
    let length = value.end - value.start;
    let bytes = bytes.get(value.start..)?;
    let staged = &mut step.staged;
    Some(match step.form {
        Form::Int => {
            let value = varint_of(u64::from_le_bytes(*bytes.first_chunk()?), length, gather)?;
            room.push(staged, row, value)
        }
        Form::Float if length == 4 => {
            room.push(staged, row, u64::from(u32::from_le_bytes(*bytes.first_chunk()?)))
        }
        Form::Bytes => room.push_bytes(staged, row, bytes.first_chunk()?, length),
        Form::Float | Form::List | Form::Feature | Form::Ignored | Form::Other => false,
    })
}

/// Finds the step of the entry that `bytes` begin with, which is not that of `step`, among those after it; returns how
/// many are before it.
#[inline(never)]
fn skip(step: &TemplateStep, steps: &[TemplateStep], bytes: &[u8], names: &Names) -> Option<usize> {
    let window = bytes.first_chunk()?;
    // An entry whose length takes two bytes is of no step.
    if step.form == Form::Other || window[1] >= 0x80 {
        return None;
    }
    steps.iter().take(MOST_MISSING).position(|step| {
        step.value(window, is_equal).is_some() || (step.is_long() && step.long_value(bytes, names).is_some())
    })
}
