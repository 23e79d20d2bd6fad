//! Lookup of a column by a map entry's key, without looking at most of it.
//!
//! Records of a data set carry the same features in the same order, more or less, so that order is
//! learned, and each entry is compared with the names that come next in it, key field and the tag of the
//! value together. Only a miss costs a hash, again of all that together. Where the order is random the
//! guesses are given up, and learned anew now and then.

use std::sync::Arc;

use super::name_table::{HALF, MASKS, Table, WHOLE, ends};
use crate::example::field;

/// A name that leads nowhere: the entry is passed over.
pub(super) const IGNORED: u32 = u32::MAX;

/// Bound of the confidence in guesses, in either direction.
const CONFIDENCE: i32 = 64;
/// Maximum number of names in the order.
const MOST_ORDERED: usize = 4096;
/// Known names for each in the order, at most, if all are of interest.
const MOST_OTHERS: usize = 4;
/// Position of a name that is not in the order.
const NOWHERE: u32 = u32::MAX;
/// Name in the expected order, by its prefix of a map entry: tag and length of the key, the key, and the tag of the value.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// The first 16 bytes of the prefix.
    pub(super) first: u128,
    /// The last 16 of the first 32 bytes of the prefix. For a prefix of at most 16 bytes, the mask of its bits.
    pub(super) last: u128,
    /// Length of the prefix, and the offset of the second 16 bytes.
    pub(super) length: u32,
    pub(super) second: u32,
    pub(crate) column: u32,
    pub(crate) id: u32,
}

#[derive(Clone, Debug)]
struct Name {
    /// As above.
    prefix: Box<[u8]>,
    column: u32,
    position: u32,
}

/// All names seen, with or without a column.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    names: Vec<Name>,
    table: Table,
    /// Buffer for the prefix of an entry.
    scratch: Vec<u8>,
    /// The names in the order in which records have them.
    order: Vec<Expected>,
    /// The position in it that is expected next.
    position: usize,
    confidence: i32,
    /// Changes whenever the order does.
    version: u32,
}

impl Names {
    pub(super) fn new() -> Self {
        let none = Name { prefix: Box::default(), column: IGNORED, position: NOWHERE };
        Self {
            names: vec![none],
            table: Table::new(),
            scratch: Vec::new(),
            order: Vec::new(),
            position: 0,
            confidence: 0,
            version: 0,
        }
    }

    /// Returns the names in the order in which records have them.
    pub(crate) fn order(&self) -> &[Expected] {
        &self.order
    }

    /// Returns the numbers and columns of names: first the ones of the order, then others unless they are far more.
    pub(super) fn known_names(&self) -> impl Iterator<Item = (u32, u32)> {
        let names = if self.len() <= MOST_OTHERS * self.order.len() { &*self.names } else { &[] };
        let others = names.iter().zip(0..).skip(1).filter(|(name, _)| name.position == NOWHERE);
        let others = others.map(|(name, id)| (id, name.column));
        self.order.iter().map(|name| (name.id, name.column)).chain(others).take(MOST_ORDERED)
    }

    /// Returns a number that changes whenever the order does.
    #[inline(always)]
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// Finds the name of an entry of that content, of which at most 32 bytes may come before the value.
    pub(crate) fn find_prefix(&self, content: &[u8]) -> Option<u32> {
        let prefix =
            content.get(..usize::from(*content.get(1)?) + 3).filter(|prefix| prefix.len() <= WHOLE)?;
        self.table.find(prefix, |_| false).map(|(id, _)| id)
    }

    /// Returns the number of known names.
    pub(super) fn len(&self) -> usize {
        self.names.len() - 1
    }

    /// Prepares for a record, before its first entry. `learn` is whether the record is to be learned if
    /// guessing did not pay so far.
    #[inline(always)]
    pub(super) fn start_record(&mut self, learn: bool) {
        self.position = 0;
        if learn && !self.is_guessing() {
            self.forget_order();
        }
    }

    /// Forgets the order, to learn another.
    #[cold]
    pub(super) fn forget_order(&mut self) {
        self.version = self.version.wrapping_add(1);
        self.order.clear();
        for name in &mut self.names {
            name.position = NOWHERE;
        }
        self.confidence = 0;
    }

    /// Returns whether it pays to guess the next name.
    #[inline(always)]
    pub(crate) fn is_guessing(&self) -> bool {
        self.confidence >= 0
    }

    /// Returns the names that are expected next, in their order.
    #[inline(always)]
    pub(super) fn expected(&self) -> &[Expected] {
        self.order.get(self.position..).unwrap_or_default()
    }

    /// Notes that all expected names but the last `left` were found, or most of them.
    #[inline(always)]
    pub(super) fn guessed(&mut self, left: usize) {
        let position = self.order.len() - left;
        let right = position.saturating_sub(self.position).min(CONFIDENCE as usize) as i32;
        self.confidence = (self.confidence + right).min(CONFIDENCE);
        self.position = position;
    }

    /// Notes that a name was found that was not expected.
    #[inline(never)]
    pub(super) fn found(&mut self, id: u32) {
        if !self.is_guessing() {
            return;
        }
        let Some(name) = self.names.get_mut(id as usize) else { return };
        if name.position != NOWHERE {
            self.position = name.position as usize + 1;
            self.confidence = (self.confidence - 2).max(-CONFIDENCE);
        } else if self.order.len() < MOST_ORDERED {
            self.version = self.version.wrapping_add(1);
            let position = self.position.min(self.order.len());
            name.position = position as u32;
            let (first, last) = ends(name.prefix.get(..WHOLE).unwrap_or(&name.prefix));
            let length = name.prefix.len();
            let last = MASKS.get(length).copied().unwrap_or(last);
            let second = length.min(WHOLE).saturating_sub(HALF) as u32;
            let expected = Expected { first, last, length: length as u32, second, column: name.column, id };
            self.order.insert(position, expected);
            self.position = position + 1;
            for (position, later) in self.order.iter().enumerate().skip(self.position) {
                if let Some(name) = self.names.get_mut(later.id as usize) {
                    name.position = position as u32;
                }
            }
        }
    }

    /// Returns the prefix of an entry of that name.
    pub(crate) fn prefix(&self, id: u32) -> Option<&[u8]> {
        self.names.get(id as usize).map(|name| &*name.prefix)
    }

    /// Returns the table, to look up prefixes of entries.
    #[inline(always)]
    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// Returns the column of a name, which is not taken for one of a record.
    pub(super) fn column(&self, name: &[u8]) -> Option<u32> {
        let mut prefix = Vec::new();
        write_prefix(&mut prefix, name);
        let is_it = |id| self.prefix(id).is_some_and(|known| *known == *prefix);
        self.table.find(&prefix, is_it).map(|(_, column)| column)
    }

    /// Finds a name.
    pub(super) fn find_name(&mut self, name: &[u8]) -> Option<u32> {
        write_prefix(&mut self.scratch, name);
        let Self { names, table, scratch, .. } = self;
        let is_it = |id| names.get(id as usize).is_some_and(|name: &Name| *name.prefix == **scratch);
        let (id, column) = table.find(scratch, is_it)?;
        self.found(id);
        Some(column)
    }

    /// Adds a name that is not there yet.
    pub(super) fn insert(&mut self, name: &Arc<str>, column: u32) -> u32 {
        let mut prefix = Vec::new();
        write_prefix(&mut prefix, name.as_bytes());
        let id = self.names.len() as u32;
        self.names.push(Name { prefix: prefix.into_boxed_slice(), column, position: NOWHERE });
        let from = |first| self.names.get(first..).unwrap_or_default().iter();
        self.table.insert(id, |first| from(first).map(|name: &Name| (&*name.prefix, name.column)));
        id
    }
}

/// Writes the prefix of an entry of a name.
fn write_prefix(prefix: &mut Vec<u8>, name: &[u8]) {
    prefix.clear();
    field(prefix, 1, name);
    prefix.push(0x12);
}
