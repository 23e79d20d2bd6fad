//! Map entries in the form in which everybody writes them, fast.
//!
//! Entries that look different in any way are left to [`Walk::any_field`](super::walk::Walk).

use super::feature::Span;
use super::name_table::{HALF, WHOLE};
use super::names::{Expected, IGNORED};
use super::walk::{Slot, Walk};

/// Bytes of an entry that are looked at at once.
const WINDOW: usize = 64;
/// Maximum number of names of the expected order that may be missing between two entries; beyond it the next entry is
/// looked up.
const MOST_MISSING: usize = 3;

impl Walk {
    /// Walks the entries that come in the usual form, of known names, none twice. Returns the offset at which something
    /// else begins, or the message ends.
    #[inline(never)]
    pub(super) fn known_entries(&mut self, record: &[u8], rest: Span) -> usize {
        let rest = Rest { bytes: rest.of(record), end: rest.end, slack: 0 };
        let left = self.entries(rest);
        let end = rest.end;
        if left.is_empty() || left.len() >= WINDOW {
            return end - left.len();
        }
        // The last entries, which are shorter than what is looked at at once, with zeros after them.
        let mut tail = [0u8; 2 * WINDOW];
        let slack = tail.len() - left.len();
        if let Some(to) = tail.get_mut(..left.len()) {
            to.copy_from_slice(left);
        }
        let left = self.entries(Rest { bytes: &tail, end: end + slack, slack });
        end + slack - left.len()
    }

    /// Walks entries until less than a window is left.
    #[inline(always)]
    fn entries<'a>(&mut self, mut rest: Rest<'a>) -> &'a [u8] {
        while self.names.is_guessing() {
            rest.bytes = self.expected_entries(rest);
            match self.hashed_entry(rest) {
                Some((next, id)) => {
                    self.names.found(id);
                    rest.bytes = next;
                }
                None => return rest.bytes,
            }
        }
        while let Some((next, _)) = self.hashed_entry(rest) {
            rest.bytes = next;
        }
        rest.bytes
    }

    /// Entries in the expected order.
    #[inline(always)]
    fn expected_entries<'a>(&mut self, rest: Rest<'a>) -> &'a [u8] {
        let Self { names, slots, stamp, touched, is_sparse, .. } = self;
        let Rest { mut bytes, end, slack } = rest;
        let mut order = names.expected();
        'entries: while let Some(window) = bytes.first_chunk() {
            let Some((body, length)) = head(window) else { break };
            let Some(next) = after(bytes, body + length, slack) else { break };
            let mut names_left = order;
            let name = loop {
                let Some((name, others)) = names_left.split_first() else { break 'entries };
                names_left = others;
                if name.begins(window, body) {
                    break name;
                }
                if order.len() - names_left.len() > MOST_MISSING {
                    break 'entries;
                }
            };
            // The value must be the rest of the entry, also of one that is passed over: after it another
            // key may follow, which would be the one that counts.
            let (value, value_length) = match name.length as usize {
                prefix @ ..=WHOLE => value_head(window, body + prefix),
                _ => match names.prefix(name.id).and_then(|prefix| long_value_head(bytes, body, prefix)) {
                    Some(head) => head,
                    None => break,
                },
            };
            if value + value_length != body + length {
                break;
            }
            if name.column != IGNORED {
                let Some(slot) = slots.get_mut(name.column as usize) else { break };
                if slot.stamp == *stamp {
                    break;
                }
                let at = end - bytes.len();
                *slot = Slot::new(*stamp, at + value, at + body + length);
                if *is_sparse {
                    touched.push(name.column);
                }
            }
            bytes = next;
            order = names_left;
        }
        let left = order.len();
        names.guessed(left);
        bytes
    }

    /// Walks an entry of a known short name; returns what follows it, and its name.
    #[inline(always)]
    fn hashed_entry<'a>(&mut self, rest: Rest<'a>) -> Option<(&'a [u8], u32)> {
        let Rest { bytes, end, slack } = rest;
        let window = bytes.first_chunk()?;
        let (body, length) = head(window)?;
        let next = after(bytes, body + length, slack)?;
        // The value must be the rest of the entry, and the first of this name.
        let prefix = usize::from(window[body + 1]) + 3;
        let (id, column, value) = if prefix <= HALF {
            let (id, column) = self.names.table().find_half(chunk(window, body), prefix)?;
            (id, column, value_offset(window, body + prefix, body + length)?)
        } else {
            self.longer_name(window, body, prefix, length)?
        };
        if column != IGNORED {
            let slot = self.slots.get_mut(column as usize)?;
            if slot.stamp == self.stamp {
                return None;
            }
            let at = end - bytes.len();
            *slot = Slot::new(self.stamp, at + value, at + body + length);
            if self.is_sparse {
                self.touched.push(column);
            }
        }
        Some((next, id))
    }
}

impl Walk {
    /// Does the same for a name that is longer, without slowing down shorter ones.
    #[inline(never)]
    fn longer_name(
        &self,
        window: &[u8; WINDOW],
        body: usize,
        prefix: usize,
        length: usize,
    ) -> Option<(u32, u32, usize)> {
        if prefix > WHOLE {
            return None;
        }
        let (first, last) = (chunk(window, body), chunk(window, body + prefix - HALF));
        let (id, column) = self.names.table().find_whole(first, last)?;
        Some((id, column, value_offset(window, body + prefix, body + length)?))
    }
}

/// The remaining entries.
#[derive(Clone, Copy)]
struct Rest<'a> {
    bytes: &'a [u8],
    /// Offset in the record at which these bytes, slack included, end.
    end: usize,
    /// Number of the last of them that are not the record's.
    slack: usize,
}

impl Expected {
    /// Returns whether the entry in the window, whose content begins at `body`, begins with this name.
    #[inline(always)]
    fn begins(&self, window: &[u8; WINDOW], body: usize) -> bool {
        let first = chunk(window, body);
        if self.length as usize <= HALF {
            (first ^ self.first) & self.last == 0
        } else {
            first == self.first && chunk(window, body + self.second as usize) == self.last
        }
    }
}

/// Returns the bytes after an entry of that length, if there are at least `slack` of them. Called before the entry is
/// looked into, so that the processor can look at both at once.
#[inline(always)]
fn after(bytes: &[u8], length: usize, slack: usize) -> Option<&[u8]> {
    let next = bytes.get(length..)?;
    (next.len() >= slack).then_some(next)
}

/// Returns the offset of an entry's content in its window, and its length.
#[inline(always)]
fn head(window: &[u8; WINDOW]) -> Option<(usize, usize)> {
    let [tag, low, high, ..] = *window;
    // One look at two bytes: the tag, and a length below 0x80.
    if u16::from_le_bytes([tag, low]) & 0x80ff == 0x0a {
        Some((2, usize::from(low)))
    } else if tag == 0x0a && high < 0x80 {
        Some((3, two_byte_length(low, high)))
    } else {
        None
    }
}

/// Returns sixteen bytes of the window; `at` is less than 32, or anything comes out.
#[inline(always)]
fn chunk(window: &[u8; WINDOW], at: usize) -> u128 {
    let at = at % (WINDOW / 2);
    let chunk = window.get(at..at + HALF).and_then(|chunk| chunk.first_chunk());
    chunk.map_or(0, |chunk| u128::from_le_bytes(*chunk))
}

/// Returns the offset of the value whose length is at `at`, if it ends where the entry does.
#[inline(always)]
fn value_offset(window: &[u8; WINDOW], at: usize, end: usize) -> Option<usize> {
    let (value, length) = value_head(window, at);
    (value + length == end).then_some(value)
}

/// Returns the offset of the value whose length is at `at`, and that length. A length of more than two bytes becomes one
/// that matches nothing.
#[inline(always)]
fn value_head(window: &[u8; WINDOW], at: usize) -> (usize, usize) {
    let low = window[at % WINDOW];
    if low < 0x80 {
        return (at + 1, usize::from(low));
    }
    match window[(at + 1) % WINDOW] {
        high @ ..0x80 => (at + 2, two_byte_length(low, high)),
        _ => (at, usize::MAX / 2),
    }
}

/// Does the same for an entry whose content begins at `body`, if it begins with this prefix, of which the window does not
/// hold all.
#[inline(never)]
fn long_value_head(bytes: &[u8], body: usize, prefix: &[u8]) -> Option<(usize, usize)> {
    let rest = bytes.get(body..)?.strip_prefix(prefix)?;
    let (digits, length) = match *rest {
        [length @ ..0x80, ..] => (1, usize::from(length)),
        [low, high @ ..0x80, ..] => (2, two_byte_length(low, high)),
        _ => return None,
    };
    Some((body + prefix.len() + digits, length))
}

/// Returns a length that is written in two bytes.
#[inline(always)]
fn two_byte_length(low: u8, high: u8) -> usize {
    usize::from(low & 0x7f) | usize::from(high) << 7
}
