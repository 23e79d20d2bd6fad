//! Elements of the schema in a footer, mended where writers have left something unsaid, and without types whose values are converted
//! here instead of by the reader.

use super::thrift::{Kind, Walk, write_field, write_integer, write_list, write_number};

/// Structs and lists within each other.
const NESTING: u32 = 32;
/// Codes of kinds of values.
const I32: u8 = 5;
const BYTES: u8 = 8;
const STRUCT: u8 = 12;
/// Physical types.
const INT32: i64 = 1;
const INT96: i64 = 3;
const FIXED: i64 = 7;
/// Repetitions.
const REQUIRED: i64 = 0;
const REPEATED: i64 = 2;
/// Converted types.
const MAP: i64 = 1;
const MAP_KEY_VALUE: i64 = 2;
const LIST: i64 = 3;
const DECIMAL: i64 = 5;
const SMALL: [i64; 4] = [11, 12, 15, 16];
const INTERVAL: i64 = 21;
const NULL: i64 = 24;
/// Fields of the union of logical types.
const LOGICAL_MAP: i64 = 2;
const LOGICAL_LIST: i64 = 3;
const LOGICAL_INTEGER: i64 = 10;
const LOGICAL_UNKNOWN: i64 = 11;
/// Bytes of a number of 96 bits, and of an interval.
pub(super) const TWELVE: i64 = 12;

/// Whether types are left out, so that the reader returns the values as they are stored: by their types it wraps small integers and dates
/// of 96 bits, and drops the months of intervals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bare(pub(super) bool);

impl Bare {
    /// Returns the physical type to read a physical type as.
    pub(super) fn stored(self, stored: i64) -> i64 {
        if self.0 && stored == INT96 { FIXED } else { stored }
    }
}

/// An element of a schema.
#[derive(Clone, Debug, Default)]
struct Element<'a> {
    /// Type, length, repetition, number of children, converted type, scale, precision and number, by their fields.
    numbers: [Option<i64>; 11],
    name: &'a [u8],
    /// The struct of the logical type.
    logical: Option<&'a [u8]>,
}

/// Fields of an element.
const TYPE: usize = 1;
const LENGTH: usize = 2;
const REPETITION: usize = 3;
const NAME: usize = 4;
const CHILDREN: usize = 5;
const CONVERTED: usize = 6;
const SCALE: usize = 7;
const LOGICAL_TYPE: i64 = 10;

impl<'a> Element<'a> {
    fn parse(walk: &mut Walk<'a>) -> Option<Self> {
        let mut element = Self::default();
        let mut has_name = false;
        walk.fields(&mut |walk, field, kind| match (usize::try_from(field).ok()?, kind) {
            (NAME, Kind::Bytes) => {
                has_name = true;
                walk.bytes().map(|name| element.name = name)
            }
            (field @ 1..=9, Kind::Integer) => {
                let number = walk.integer()?;
                element.numbers.get_mut(field).map(|found| *found = Some(number))
            }
            (10, Kind::Struct) => {
                let before = walk.rest();
                walk.skip(kind, NESTING)?;
                element.logical = before.get(..before.len().saturating_sub(walk.left()));
                Some(())
            }
            (_, kind) => walk.skip(kind, NESTING),
        })?;
        has_name.then_some(element)
    }

    fn get(&self, field: usize) -> Option<i64> {
        self.numbers.get(field).copied().flatten()
    }

    fn set(&mut self, field: usize, number: Option<i64>) {
        if let Some(found) = self.numbers.get_mut(field) {
            *found = number;
        }
    }

    /// Returns the field of the union of logical types, and the value in it.
    fn logical(&self) -> Option<(i64, &'a [u8])> {
        let mut found = None;
        Walk::new(self.logical?).fields(&mut |walk, field, kind| {
            let before = walk.rest();
            walk.skip(kind, NESTING)?;
            found = Some((field, before));
            Some(())
        })?;
        found
    }

    fn is(&self, converted: &[i64], logical: i64) -> bool {
        self.get(CONVERTED).is_some_and(|found| converted.contains(&found))
            || self.logical().is_some_and(|(found, _)| found == logical)
    }

    /// Returns whether it is an integer of 8 or 16 bits.
    fn is_small(&self) -> bool {
        let is_small = || {
            let (logical, value) = self.logical()?;
            // The width stands in a byte, the first field.
            Some(logical == LOGICAL_INTEGER && matches!(value, [0x13, 8 | 16, ..]))
        };
        self.get(TYPE) == Some(INT32)
            && (self.get(CONVERTED).is_some_and(|converted| SMALL.contains(&converted))
                || is_small() == Some(true))
    }

    /// Fills in the fields that writers have left out.
    fn mend(&mut self, is_root: bool) {
        if !is_root && self.get(REPETITION).is_none() {
            self.set(REPETITION, Some(REQUIRED));
        }
        match self.get(CONVERTED) {
            // Writers of before there was a logical type for columns of nulls.
            Some(NULL) => {
                self.set(CONVERTED, None);
                self.logical = self.logical.or(Some(UNKNOWN));
            }
            Some(DECIMAL) if self.get(SCALE).is_none() => self.set(SCALE, Some(0)),
            _ => {}
        }
    }

    /// Leaves out a type whose values are converted elsewhere.
    fn strip(&mut self) {
        if self.get(TYPE) == Some(INT96) {
            self.set(TYPE, Some(FIXED));
            self.set(LENGTH, Some(TWELVE));
        } else if self.get(TYPE) == Some(FIXED) && self.get(CONVERTED) == Some(INTERVAL) || self.is_small() {
            self.set(CONVERTED, None);
            self.logical = None;
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut last = 0;
        for (field, number) in (0i64..).zip(&self.numbers) {
            if field == NAME as i64 {
                write_field(field, &mut last, BYTES, out);
                write_number(self.name.len() as u64, out);
                out.extend_from_slice(self.name);
            } else if let Some(number) = number {
                write_field(field, &mut last, I32, out);
                write_integer(*number, out);
            }
        }
        if let Some(logical) = self.logical {
            write_field(LOGICAL_TYPE, &mut last, STRUCT, out);
            out.extend_from_slice(logical);
        }
        out.push(0);
    }
}

/// The logical type of columns of nulls: field 11, an empty struct.
const UNKNOWN: &[u8] = &[(LOGICAL_UNKNOWN as u8) << 4 | STRUCT, 0, 0];

/// Copies the elements of a schema.
pub(super) fn copy(walk: &mut Walk<'_>, bare: Bare, out: &mut Vec<u8>) -> Option<()> {
    let mut elements = Vec::new();
    walk.structs(&mut |walk, _| {
        elements.push(Element::parse(walk)?);
        Some(())
    })?;
    let mut mended = Vec::with_capacity(elements.len());
    let mut left = elements.into_iter();
    take(&mut left, None, &mut mended)?;
    for element in &mut mended {
        if bare.0 {
            element.strip();
        }
    }
    write_list(mended.len() as u64, STRUCT, out);
    mended.iter().for_each(|element| element.write(out));
    Some(())
}

/// Takes an element and those below it. Returns whether it is kept: a group without children has no values.
fn take<'a>(
    left: &mut std::vec::IntoIter<Element<'a>>,
    parent: Option<&Element<'a>>,
    out: &mut Vec<Element<'a>>,
) -> Option<bool> {
    let mut element = left.next()?;
    element.mend(parent.is_none());
    let children = element.get(CHILDREN).unwrap_or_default();
    // Lists of two levels, the items of which are maps, are written as those of three.
    let is_item = parent.is_some_and(|parent| parent.is(&[LIST], LOGICAL_LIST))
        && element.get(REPETITION) == Some(REPEATED)
        && element.is(&[MAP, MAP_KEY_VALUE], LOGICAL_MAP)
        && children > 0;
    if is_item {
        let mut list = Element { name: b"list", ..Element::default() };
        list.set(REPETITION, Some(REPEATED));
        list.set(CHILDREN, Some(1));
        out.push(list);
        element.set(REPETITION, Some(REQUIRED));
    }
    let at = out.len();
    out.push(element.clone());
    let mut kept = 0;
    for _ in 0..children {
        kept += i64::from(take(left, Some(&element), out)?);
    }
    if kept != children
        && let Some(own) = out.get_mut(at)
    {
        own.set(CHILDREN, Some(kept));
    }
    let is_empty = kept == 0 && element.get(TYPE).is_none() && parent.is_some();
    if is_empty {
        out.truncate(at - usize::from(is_item));
    }
    Some(!is_empty)
}
