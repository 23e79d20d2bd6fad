//! Walk over the bytes of a record to the ranges of the wanted features.
//!
//! The first of two passes over a record. It finds the range of each column's `Feature` message; nothing of it is read yet.
//! So if a name has two entries, the last one simply replaces the first, and nothing has to be undone.

use std::sync::Arc;

use proto_wire::{Error as WireError, Reader, WireType};

use super::feature::{Fault, Span};
use super::names::{IGNORED, Names};

/// Names that are remembered only to be passed over.
const MOST_IGNORED_NAMES: usize = 1 << 16;

/// Interval at which a record is learned where names come in random order, in case the next ones have its order.
const LEARN_EVERY: u32 = 256;

/// Number of columns below which all are looked at for each record.
const SPARSE: usize = 1024;

/// Range of a column's feature.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    /// The number of the walk in which it was found.
    pub(super) stamp: u32,
    /// Start offset. If the highest bit is set, the range is in the scratch bytes instead of the record.
    start: u32,
    end: u32,
}

/// A record is shorter than 2 GiB, and so is what is put together of its parts.
const MERGED: u32 = 1 << 31;

impl Slot {
    #[inline(always)]
    pub(super) fn new(stamp: u32, start: usize, end: usize) -> Self {
        Self { stamp, start: start as u32, end: end as u32 }
    }

    #[inline(always)]
    fn found(&self, stamp: u32) -> Option<(bool, Span)> {
        (self.stamp == stamp).then_some(self.span())
    }

    #[inline(always)]
    fn span(&self) -> (bool, Span) {
        let span = Span { start: (self.start & !MERGED) as usize, end: self.end as usize };
        (self.start & MERGED != 0, span)
    }
}

/// Decisions about new names that the walk leaves to its user.
pub(crate) trait NewNames {
    /// Returns the column of a name that was never met, or [`IGNORED`].
    fn column(&mut self, name: &Arc<str>) -> Result<u32, Trouble>;
}

/// Reason why a record cannot be walked.
#[derive(Debug)]
pub(crate) enum Trouble {
    Wire(WireError),
    NameNotUtf8(Vec<u8>),
    UnknownFeature(Arc<str>),
    FeatureLists,
    TooManyColumns(Arc<str>),
    /// A fault in a feature that a later entry of the same name replaces.
    Shadowed(u32, Fault),
}

impl From<WireError> for Trouble {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

/// The ranges found in one record.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) names: Names,
    pub(super) slots: Vec<Slot>,
    pub(super) stamp: u32,
    /// Whether there are enough columns that a record is expected to have few of them; does not
    /// change within a record.
    pub(super) is_sparse: bool,
    /// Columns found, in the order in which they were, if `is_sparse`.
    pub(super) touched: Vec<u32>,
    /// Features whose value came in parts, put together.
    pub(crate) scratch: Vec<u8>,
    lists: Vec<Span>,
    /// A field that no record may have, if it holds anything.
    pub(super) refused: Option<u32>,
    /// Whether the record walked last has the map, be it empty.
    pub(super) has_map: bool,
    /// Check of a value of the map that is not decoded as it is.
    check: Check,
}

/// Check that a value of the map is well-formed.
pub(crate) type Check = fn(&[u8], Span, &mut Vec<Span>) -> Result<(), Fault>;

impl Walk {
    pub(crate) fn new(check: Check) -> Self {
        Self {
            names: Names::new(),
            slots: Vec::new(),
            stamp: 0,
            is_sparse: false,
            touched: Vec::new(),
            scratch: Vec::new(),
            lists: Vec::new(),
            refused: None,
            has_map: false,
            check,
        }
    }

    /// Sets the names of the columns, and forgets all other names.
    pub(crate) fn set_names<'a>(&mut self, columns: impl Iterator<Item = &'a Arc<str>>) {
        self.names = Names::new();
        self.slots.clear();
        for (index, name) in columns.enumerate() {
            self.names.insert(name, index as u32);
            self.slots.push(Slot::default());
        }
    }

    /// Returns the feature of a column in the record walked last: whether in the scratch bytes, and where.
    #[inline(always)]
    pub(super) fn found(&self, column: usize) -> Option<(bool, Span)> {
        self.slots.get(column).and_then(|slot| slot.found(self.stamp))
    }

    /// Does the same for every column, in their order.
    #[inline(always)]
    pub(super) fn all_found(&self) -> impl Iterator<Item = Option<(bool, Span)>> {
        self.slots.iter().map(|slot| slot.found(self.stamp))
    }

    /// Calls `each` with the column and the feature of everything that the record walked last has: whether in the scratch
    /// bytes, and where.
    #[inline(always)]
    pub(crate) fn for_each_found<E>(
        &self,
        mut each: impl FnMut(usize, bool, Span) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut call = |column, found: Option<(bool, Span)>| match found {
            Some((merged, span)) => each(column, merged, span),
            None => Ok(()),
        };
        if self.is_sparse {
            let mut touched = self.touched.iter().map(|column| *column as usize);
            touched.try_for_each(|column| call(column, self.found(column)))
        } else {
            self.all_found().enumerate().try_for_each(|(column, found)| call(column, found))
        }
    }

    /// Returns the column of a name.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.names.column(name.as_bytes()).map(|column| column as usize)
    }

    /// Adds the name of one more column.
    pub(crate) fn add_column(&mut self, name: &Arc<str>) {
        self.names.insert(name, self.slots.len() as u32);
        self.slots.push(Slot::default());
    }

    /// Walks the map in a field of a record, which must be shorter than 2 GiB.
    #[inline(always)]
    pub(crate) fn record(&mut self, record: &[u8], map: u32, new: &mut impl NewNames) -> Result<(), Trouble> {
        self.is_sparse = self.slots.len() >= SPARSE;
        self.touched.clear();
        self.scratch.clear();
        self.has_map = false;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill(Slot::default());
            self.stamp = 1;
        }
        self.names.start_record(self.stamp.is_multiple_of(LEARN_EVERY));
        let mut reader = Reader::new(record);
        while let Some(tag) = reader.tag()? {
            if tag.field == map && tag.wire == WireType::Len {
                self.has_map = true;
                let length = reader.bytes()?.len();
                let end = reader.position();
                self.features(record, Span { start: end - length, end }, new)?;
            } else if self.refused == Some(tag.field) && tag.wire == WireType::Len {
                if !reader.bytes()?.is_empty() {
                    return Err(Trouble::FeatureLists);
                }
            } else {
                reader.skip(tag)?;
            }
        }
        Ok(())
    }

    /// Walks a `Features` message.
    #[inline(always)]
    fn features(&mut self, record: &[u8], features: Span, new: &mut impl NewNames) -> Result<(), Trouble> {
        let mut at = features.start;
        let end = features.end;
        loop {
            at = self.known_entries(record, Span { start: at, end });
            if at >= end {
                return Ok(());
            }
            at = self.any_field(record, Span { start: at, end }, new)?;
        }
    }

    /// Walks any field of a `Features` message; returns where it ends.
    #[inline(never)]
    fn any_field(&mut self, record: &[u8], rest: Span, new: &mut impl NewNames) -> Result<usize, Trouble> {
        let shift = |error: WireError| error.shifted(rest.start);
        let mut reader = Reader::at_depth(rest.of(record), 1);
        let Some(tag) = reader.tag().map_err(shift)? else { return Ok(rest.end) };
        if tag.field == 1 && tag.wire == WireType::Len {
            let length = reader.bytes().map_err(shift)?.len();
            let end = rest.start + reader.position();
            self.any_entry(record, Span { start: end - length, end }, new)?;
        } else {
            reader.skip(tag).map_err(shift)?;
        }
        Ok(rest.start + reader.position())
    }

    #[inline(always)]
    fn set_slot(&mut self, record: &[u8], column: u32, feature: Span, merged: bool) -> Result<(), Trouble> {
        let stamp = self.stamp;
        let Some(slot) = self.slots.get_mut(column as usize) else { return Ok(()) };
        if slot.stamp == stamp {
            let shadowed = *slot;
            self.check_shadowed(record, column, shadowed)?;
        } else if self.is_sparse {
            self.touched.push(column);
        }
        if let Some(slot) = self.slots.get_mut(column as usize) {
            *slot = Slot::new(stamp, feature.start, feature.end);
            if merged {
                slot.start |= MERGED;
            }
        }
        Ok(())
    }

    /// Checks that a feature that another of the same name replaces is well-formed all the same.
    #[cold]
    fn check_shadowed(&mut self, record: &[u8], column: u32, slot: Slot) -> Result<(), Trouble> {
        let (merged, span) = slot.span();
        let bytes = if merged { &self.scratch } else { record };
        (self.check)(bytes, span, &mut self.lists).map_err(|fault| Trouble::Shadowed(column, fault))
    }

    /// Walks a map entry in any form: fields in any order, any number of times, or not at all.
    #[inline(never)]
    fn any_entry(&mut self, record: &[u8], entry: Span, new: &mut impl NewNames) -> Result<(), Trouble> {
        let shift = |error: WireError| error.shifted(entry.start);
        let mut reader = Reader::at_depth(entry.of(record), 2);
        let mut key: &[u8] = &[];
        let mut value: Option<Span> = None;
        let mut merged = false;
        while let Some(tag) = reader.tag().map_err(shift)? {
            match (tag.field, tag.wire) {
                (1, WireType::Len) => {
                    key = reader.bytes().map_err(shift)?;
                    // Also of a key that another one replaces.
                    utf8(key)?;
                }
                (2, WireType::Len) => {
                    let bytes = reader.bytes().map_err(shift)?;
                    let end = entry.start + reader.position();
                    let part = Span { start: end - bytes.len(), end };
                    value = Some(match value {
                        None => part,
                        Some(first) => {
                            // Protobuf messages merge by being written one after the other, if each
                            // is one.
                            self.check_part(record, part)?;
                            if !merged {
                                merged = true;
                                self.check_part(record, first)?;
                                self.scratch.extend_from_slice(first.of(record));
                                let end = self.scratch.len();
                                let start = end - (first.end - first.start);
                                self.scratch.extend_from_slice(bytes);
                                Span { start, end: self.scratch.len() }
                            } else {
                                self.scratch.extend_from_slice(bytes);
                                Span { start: first.start, end: self.scratch.len() }
                            }
                        }
                    });
                }
                _ => reader.skip(tag).map_err(shift)?,
            }
        }
        let column = match self.names.find_name(key) {
            Some(column) => column,
            None => self.add_name(key, new)?,
        };
        if column == IGNORED {
            return Ok(());
        }
        // An entry without a value has the default value: a feature without a kind.
        self.set_slot(record, column, value.unwrap_or_default(), merged)
    }

    #[cold]
    fn check_part(&mut self, record: &[u8], part: Span) -> Result<(), Trouble> {
        match (self.check)(record, part, &mut self.lists) {
            Err(Fault::Wire(error)) => Err(Trouble::Wire(error)),
            _ => Ok(()),
        }
    }

    fn add_name(&mut self, key: &[u8], new: &mut impl NewNames) -> Result<u32, Trouble> {
        let name: Arc<str> = Arc::from(utf8(key)?);
        let column = new.column(&name)?;
        if column != IGNORED || self.names.len() < MOST_IGNORED_NAMES {
            let id = self.names.insert(&name, column);
            self.names.found(id);
        }
        if column != IGNORED && column as usize >= self.slots.len() {
            self.slots.resize(column as usize + 1, Slot::default());
        }
        Ok(column)
    }
}

fn utf8(key: &[u8]) -> Result<&str, Trouble> {
    std::str::from_utf8(key).map_err(|_| Trouble::NameNotUtf8(key.to_vec()))
}
