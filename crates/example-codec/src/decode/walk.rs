//! From the bytes of a record to one place in it for each feature that is wanted.
//!
//! The first of two passes over a record. It finds, for each column, where the `Feature` message of
//! this record lies; nothing of it is read yet. That two entries of one name leave the last one is
//! then no matter of undoing anything.

use std::sync::Arc;

use proto_wire::{Error as WireError, ErrorKind as WireKind, Reader, WireType};

use super::column::Fault;
use super::feature::{self, Span};
use super::names::{Found, IGNORED, Names};

/// Names that are remembered only to be passed over.
const MOST_IGNORED_NAMES: usize = 1 << 16;

/// Where the feature of a column lies.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The number of the walk in which it was found.
    stamp: u32,
    start: u32,
    end: u32,
    /// In the scratch bytes instead of the record.
    merged: bool,
}

/// What the walk cannot decide itself.
pub(super) trait NewNames {
    /// The column of a name that was never met, or [`IGNORED`].
    fn column(&mut self, name: &Arc<str>) -> Result<u32, Trouble>;
}

/// Why a record cannot be walked.
#[derive(Debug)]
pub(super) enum Trouble {
    Wire(WireError),
    NameNotUtf8(Vec<u8>),
    UnknownFeature(Arc<str>),
    TooManyColumns(Arc<str>),
    /// In a feature that a later entry of the same name replaces.
    Shadowed(u32, Fault),
}

impl From<WireError> for Trouble {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

/// The places found in one record.
pub(super) struct Walk {
    pub(super) names: Names,
    slots: Vec<Slot>,
    stamp: u32,
    /// Columns found, in the order in which they were.
    pub(super) touched: Vec<u32>,
    /// Features whose value came in pieces, put together.
    pub(super) scratch: Vec<u8>,
    lists: Vec<Span>,
}

impl Walk {
    pub(super) fn new() -> Self {
        Self {
            names: Names::new(),
            slots: Vec::new(),
            stamp: 0,
            touched: Vec::new(),
            scratch: Vec::new(),
            lists: Vec::new(),
        }
    }

    /// Says that there are so many columns.
    pub(super) fn set_columns(&mut self, columns: usize) {
        self.slots.resize(columns, Slot::default());
    }

    /// The feature of a column in the record walked last: whether in the scratch bytes, and where.
    #[inline(always)]
    pub(super) fn found(&self, column: usize) -> Option<(bool, Span)> {
        let slot = self.slots.get(column)?;
        let span = Span { start: slot.start as usize, end: slot.end as usize };
        (slot.stamp == self.stamp).then_some((slot.merged, span))
    }

    /// Walks a record, which must be shorter than 2 GiB.
    #[inline(always)]
    pub(super) fn record(&mut self, record: &[u8], new: &mut impl NewNames) -> Result<(), Trouble> {
        self.touched.clear();
        self.scratch.clear();
        self.names.start_record();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill(Slot::default());
            self.stamp = 1;
        }
        let mut reader = Reader::new(record);
        while let Some(tag) = reader.tag()? {
            if tag.field == 1 && tag.wire == WireType::Len {
                let length = reader.bytes()?.len();
                let end = reader.position();
                self.features(record, Span { start: end - length, end }, new)?;
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
        while at < end {
            // A map entry: tag, length. The form of nearly every byte that comes here.
            let entry = match record.get(at..end).and_then(|rest| rest.first_chunk::<3>()) {
                Some(&[0x0a, length, _]) if length < 0x80 => {
                    Some(Span { start: at + 2, end: at + 2 + usize::from(length) })
                }
                Some(&[0x0a, low, high]) if high < 0x80 => {
                    let length = usize::from(low & 0x7f) | usize::from(high) << 7;
                    Some(Span { start: at + 3, end: at + 3 + length })
                }
                _ => None,
            };
            let Some(entry) = entry else {
                at = self.field(record, Span { start: at, end }, new)?;
                continue;
            };
            if entry.end > end {
                return Err(WireError::new(WireKind::Truncated, at + 1).into());
            }
            self.entry(record, entry, new)?;
            at = entry.end;
        }
        Ok(())
    }

    /// Any field of a `Features` message; returns where it ends.
    #[inline(never)]
    fn field(&mut self, record: &[u8], rest: Span, new: &mut impl NewNames) -> Result<usize, Trouble> {
        let shift = |error: WireError| error.shifted(rest.start);
        let mut reader = Reader::at_depth(rest.of(record), 1);
        let Some(tag) = reader.tag().map_err(shift)? else { return Ok(rest.end) };
        if tag.field == 1 && tag.wire == WireType::Len {
            let length = reader.bytes().map_err(shift)?.len();
            let end = rest.start + reader.position();
            self.entry(record, Span { start: end - length, end }, new)?;
        } else {
            reader.skip(tag).map_err(shift)?;
        }
        Ok(rest.start + reader.position())
    }

    /// One map entry.
    #[inline(always)]
    fn entry(&mut self, record: &[u8], entry: Span, new: &mut impl NewNames) -> Result<(), Trouble> {
        if let Some(Found { column, value }) = self.names.find(record, entry.start, entry.end) {
            if column == IGNORED {
                return Ok(());
            }
            // The value must be the rest of the entry.
            let start = match record.get(value..).and_then(|rest| rest.first_chunk::<2>()) {
                Some(&[length, _]) if length < 0x80 => {
                    Some(value + 1).filter(|start| start + usize::from(length) == entry.end)
                }
                Some(&[low, high]) if high < 0x80 => {
                    let length = usize::from(low & 0x7f) | usize::from(high) << 7;
                    Some(value + 2).filter(|start| start + length == entry.end)
                }
                _ => None,
            };
            if let Some(start) = start {
                return self.place(record, column, Span { start, end: entry.end }, false);
            }
        }
        self.any_entry(record, entry, new)
    }

    #[inline(always)]
    fn place(&mut self, record: &[u8], column: u32, feature: Span, merged: bool) -> Result<(), Trouble> {
        let stamp = self.stamp;
        let Some(slot) = self.slots.get_mut(column as usize) else { return Ok(()) };
        if slot.stamp == stamp {
            let shadowed = *slot;
            self.check_shadowed(record, column, shadowed)?;
        } else {
            self.touched.push(column);
        }
        if let Some(slot) = self.slots.get_mut(column as usize) {
            *slot = Slot { stamp, start: feature.start as u32, end: feature.end as u32, merged };
        }
        Ok(())
    }

    /// A feature that another of the same name replaces must be well-formed all the same.
    #[cold]
    fn check_shadowed(&mut self, record: &[u8], column: u32, slot: Slot) -> Result<(), Trouble> {
        let bytes = if slot.merged { &self.scratch } else { record };
        let span = Span { start: slot.start as usize, end: slot.end as usize };
        match feature::parse(bytes, span, &mut self.lists) {
            Ok(_) => Ok(()),
            Err(fault) => Err(Trouble::Shadowed(column, fault)),
        }
    }

    /// A map entry in any form: fields in any order, any number of times, or not at all.
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
                    let piece = Span { start: end - bytes.len(), end };
                    value = Some(match value {
                        None => piece,
                        Some(first) => {
                            // Protobuf messages merge by being written one after the other.
                            if !merged {
                                merged = true;
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
        self.place(record, column, value.unwrap_or_default(), merged)
    }

    fn add_name(&mut self, key: &[u8], new: &mut impl NewNames) -> Result<u32, Trouble> {
        let name: Arc<str> = Arc::from(utf8(key)?);
        let column = new.column(&name)?;
        if column != IGNORED || self.names.len() < MOST_IGNORED_NAMES {
            self.names.insert(&name, column);
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
