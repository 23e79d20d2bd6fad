//! Map entries in the form in which everybody writes them, fast.
//!
//! What looks different in any way is left to [`Walk::any_field`](super::walk::Walk).

use super::feature::Span;
use super::names::{IGNORED, MEDIUM, Name, SHORT, WINDOW, words};
use super::walk::{Slot, Walk};

/// What is loaded at once of an entry with a short name: tag and length, tag and length of the key, the
/// key.
const ENTRY: usize = 3 + 2 + SHORT;

impl Walk {
    /// Whether the next long name is guessed; where that did not pay, it is tried again now and then.
    #[inline(always)]
    pub(super) fn is_guessing(&self) -> bool {
        self.names.is_guessing() || self.stamp.is_multiple_of(256)
    }

    /// Walks the entries that come as expected: known names in the order of the record before, each
    /// in the usual form, none twice. Returns where something else begins, or the message ends.
    #[inline(always)]
    pub(super) fn expected_entries(&mut self, record: &[u8], rest: Span) -> usize {
        let Self { names, slots, stamp, touched, is_sparse, .. } = self;
        let stamp = *stamp;
        let features = record.get(..rest.end).unwrap_or_default();
        let mut at = rest.start;
        let mut last = 0;
        let mut id = names.expected();
        let mut count = 0;
        // Tag and length, and as much of the key as is compared at once.
        while let Some(bytes) = features.get(at..).and_then(|rest| rest.first_chunk::<{ 3 + WINDOW }>()) {
            let (body, length, window) = match *bytes {
                [0x0a, length @ ..0x80, ..] => (at + 2, usize::from(length), bytes.get(2..)),
                [0x0a, low, high @ ..0x80, ..] => (at + 3, two_byte_length(low, high), bytes.get(3..)),
                _ => break,
            };
            let end = body + length;
            let Some(window) = window.and_then(|window| window.first_chunk::<WINDOW>()) else { break };
            let window = words(window);
            let fits =
                |id: u32, name: &Name| name.fits(&window) && names.is_whole(id, name, features, body, end);
            let Some(mut name) = names.get(id) else { break };
            if end > features.len() {
                break;
            }
            if !fits(id, name) {
                // One name may be missing in this record.
                id = name.next;
                match names.get(id) {
                    Some(next) if fits(id, next) => name = next,
                    _ => break,
                }
            }
            // The value must be the rest of the entry, also of one that is passed over: after it another key
            // may follow, which would be the one that counts.
            let Some(start) = value_start(features, body + name.length as usize, end) else { break };
            if name.column != IGNORED {
                let Some(slot) = slots.get_mut(name.column as usize) else { break };
                if slot.stamp == stamp {
                    break;
                }
                *slot = Slot { stamp, start: start as u32, end: end as u32, merged: false };
                if *is_sparse {
                    touched.push(name.column);
                }
            }
            last = id;
            id = name.next;
            at = end;
            count += 1;
        }
        names.guessed(count, last);
        at
    }

    /// Walks entries of short known names in any order, each in the usual form, none twice; entries
    /// of longer names only while guessing does not pay. Returns where something else begins, or the
    /// message ends.
    #[inline(always)]
    pub(super) fn hashed_entries(&mut self, record: &[u8], rest: Span) -> usize {
        let longest = if self.is_guessing() { SHORT } else { MEDIUM };
        let features = record.get(..rest.end).unwrap_or_default();
        let mut at = rest.start;
        let mut last = 0;
        while let Some(bytes) = features.get(at..).and_then(|rest| rest.first_chunk::<ENTRY>()) {
            // Tag and length of the entry, tag of the key.
            let found = match *bytes {
                [0x0a, length @ ..0x80, 0x0a, ..] => {
                    self.hashed_entry::<2>(features, at, bytes, usize::from(length), longest)
                }
                [0x0a, low, high @ ..0x80, 0x0a, ..] => {
                    self.hashed_entry::<3>(features, at, bytes, two_byte_length(low, high), longest)
                }
                _ => None,
            };
            match found {
                Some((end, id)) => (at, last) = (end, id),
                None => break,
            }
        }
        // The last entries, which may be shorter than what is loaded at once.
        while at < features.len() && features.len() - at < ENTRY {
            let bytes = padded_tail(features, at);
            let [0x0a, length @ ..0x80, 0x0a, ..] = bytes else { break };
            match self.hashed_entry::<2>(features, at, &bytes, usize::from(length), longest) {
                Some((end, id)) => (at, last) = (end, id),
                None => break,
            }
        }
        self.names.passed(last);
        at
    }

    /// One entry that `bytes` begins with, `BODY` bytes of them its tag and length; returns where it
    /// ends, and its name.
    #[inline(always)]
    fn hashed_entry<const BODY: usize>(
        &mut self,
        features: &[u8],
        at: usize,
        bytes: &[u8; ENTRY],
        length: usize,
        longest: usize,
    ) -> Option<(usize, u32)> {
        let key = usize::from(*bytes.get(BODY + 1)?);
        let end = at + BODY + length;
        // The tag of the value.
        let tag = BODY + 2 + key;
        let (id, column) = if key <= SHORT {
            self.names.find_short(bytes.get(BODY + 2..)?.first_chunk()?, key)?
        } else if key <= longest {
            let name = features.get(at + BODY + 2..at + tag)?;
            let (first, last) = (name.first_chunk()?, name.last_chunk()?);
            self.names.find_medium(u128::from_le_bytes(*first), u128::from_le_bytes(*last), key)?
        } else {
            return None;
        };
        // The value must be the rest of the entry, and the first of this name.
        let start = match *features.get(at + tag..)? {
            [0x12, value @ ..0x80, ..] if tag + 2 + usize::from(value) == BODY + length => at + tag + 2,
            [0x12, ..] if BODY > 2 => value_start(features, at + tag + 1, end)?,
            _ => return None,
        };
        if end > features.len() {
            return None;
        }
        if column != IGNORED {
            let slot = self.slots.get_mut(column as usize)?;
            if slot.stamp == self.stamp {
                return None;
            }
            *slot = Slot { stamp: self.stamp, start: start as u32, end: end as u32, merged: false };
            if self.is_sparse {
                self.touched.push(column);
            }
        }
        Some((end, id))
    }
}

/// What is left of the entries, with zeros after it.
#[inline(never)]
fn padded_tail(features: &[u8], at: usize) -> [u8; ENTRY] {
    let mut padded = [0u8; ENTRY];
    for (to, from) in padded.iter_mut().zip(features.get(at..).unwrap_or_default()) {
        *to = *from;
    }
    padded
}

/// Where the value begins whose length stands at `at`, if it reaches exactly to `end`.
#[inline(always)]
fn value_start(features: &[u8], at: usize, end: usize) -> Option<usize> {
    let (start, length) = match *features.get(at..)? {
        [length @ ..0x80, ..] => (at + 1, usize::from(length)),
        [low, high @ ..0x80, ..] => (at + 2, two_byte_length(low, high)),
        _ => return None,
    };
    (start + length == end).then_some(start)
}

/// A length that is written in two bytes.
#[inline(always)]
fn two_byte_length(low: u8, high: u8) -> usize {
    usize::from(low & 0x7f) | usize::from(high) << 7
}
