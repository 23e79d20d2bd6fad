//! From the bytes of a record to one place in it for each feature that is wanted.
//!
//! The first of two passes over a record. It finds, for each column, where the `Feature` message of
//! this record lies; nothing of it is read yet. That two entries of one name leave the last one is
//! then no matter of undoing anything.

use std::sync::Arc;

use proto_wire::{Error as WireError, Reader, WireType};

use super::column::Fault;
use super::feature::{self, Span};
use super::names::{IGNORED, MEDIUM, Name, Names, SHORT, WINDOW, words};

/// Names that are remembered only to be passed over.
const MOST_IGNORED_NAMES: usize = 1 << 16;

/// With fewer columns than this, all are looked at for each record.
const SPARSE: usize = 1024;

/// What is loaded at once of an entry with a short name: tag and length, tag and length of the key, the
/// key.
const ENTRY: usize = 3 + 2 + SHORT;

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

impl Slot {
    #[inline(always)]
    fn found(&self, stamp: u32) -> Option<(bool, Span)> {
        let span = Span { start: self.start as usize, end: self.end as usize };
        (self.stamp == stamp).then_some((self.merged, span))
    }
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
    names: Names,
    slots: Vec<Slot>,
    stamp: u32,
    /// Whether there are so many columns that a record is expected to have few of them; does not
    /// change within a record.
    pub(super) is_sparse: bool,
    /// Columns found, in the order in which they were, if `is_sparse`.
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
            is_sparse: false,
            touched: Vec::new(),
            scratch: Vec::new(),
            lists: Vec::new(),
        }
    }

    /// Says which columns there are, and forgets all other names.
    pub(super) fn set_names<'a>(&mut self, columns: impl Iterator<Item = &'a Arc<str>>) {
        self.names = Names::new();
        self.slots.clear();
        for (index, name) in columns.enumerate() {
            self.names.insert(name, index as u32);
            self.slots.push(Slot::default());
        }
    }

    /// The feature of a column in the record walked last: whether in the scratch bytes, and where.
    #[inline(always)]
    pub(super) fn found(&self, column: usize) -> Option<(bool, Span)> {
        self.slots.get(column).and_then(|slot| slot.found(self.stamp))
    }

    /// The same for every column, in their order.
    #[inline(always)]
    pub(super) fn all_found(&self) -> impl Iterator<Item = Option<(bool, Span)>> {
        self.slots.iter().map(|slot| slot.found(self.stamp))
    }

    /// Walks a record, which must be shorter than 2 GiB.
    #[inline(always)]
    pub(super) fn record(&mut self, record: &[u8], new: &mut impl NewNames) -> Result<(), Trouble> {
        self.is_sparse = self.slots.len() >= SPARSE;
        self.touched.clear();
        self.scratch.clear();
        self.names.start_record();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill(Slot::default());
            self.stamp = 1;
        }
        touch_pages(record);
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
        loop {
            at = self.hashed_entries(record, Span { start: at, end });
            if at < end && self.is_guessing() {
                at = self.expected_entries(record, Span { start: at, end });
            }
            if at >= end {
                return Ok(());
            }
            at = self.any_field(record, Span { start: at, end }, new)?;
        }
    }

    /// Whether the next long name is guessed; where that did not pay, it is tried again now and then.
    #[inline(always)]
    fn is_guessing(&self) -> bool {
        self.names.is_guessing() || self.stamp.is_multiple_of(256)
    }

    /// Walks the entries that come as expected: known names in the order of the record before, each
    /// in the usual form, none twice. Returns where something else begins, or the message ends.
    #[inline(always)]
    fn expected_entries(&mut self, record: &[u8], rest: Span) -> usize {
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
            if name.column != IGNORED {
                let value = body + name.length as usize;
                let Some(start) = value_start(features, value, end) else { break };
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
    fn hashed_entries(&mut self, record: &[u8], rest: Span) -> usize {
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

    /// Any field of a `Features` message; returns where it ends.
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
    fn place(&mut self, record: &[u8], column: u32, feature: Span, merged: bool) -> Result<(), Trouble> {
        let stamp = self.stamp;
        let Some(slot) = self.slots.get_mut(column as usize) else { return Ok(()) };
        if slot.stamp == stamp {
            let shadowed = *slot;
            self.check_shadowed(record, column, shadowed)?;
        } else if self.is_sparse {
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

/// Looks at one byte of each page of a long record, so that the addresses of all pages are being
/// translated, and their first lines fetched, while the first is being walked. Without it the walk
/// waits at each page: a third of its time where most of a record is skipped.
#[inline(always)]
fn touch_pages(record: &[u8]) {
    const PAGE: usize = 4096;
    let pages = record.iter().skip(PAGE).step_by(PAGE);
    std::hint::black_box(pages.fold(0, |seen, byte| seen | byte));
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

fn utf8(key: &[u8]) -> Result<&str, Trouble> {
    std::str::from_utf8(key).map_err(|_| Trouble::NameNotUtf8(key.to_vec()))
}
