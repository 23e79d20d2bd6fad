//! Fields of a record with their offsets, so that edits can keep the lengths around them true.

use std::ops::Range;

use super::differential::tree::varint;

/// Levels of messages: the map, entries, keys and features, lists, values.
pub const LEVELS: u8 = 5;
/// The level of keys and features.
pub const KEY: u8 = 2;

/// A field with a length.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub tag: usize,
    pub length: usize,
    pub body: usize,
    pub end: usize,
    pub level: u8,
    /// The number of the field around it.
    parent: Option<usize>,
}

/// The fields of a record, those within a field after it.
#[derive(Debug, Default)]
pub struct Fields {
    all: Vec<Field>,
}

impl Fields {
    /// Finds the fields of a record, as far as it can be read.
    pub fn find(&mut self, record: &[u8]) {
        self.all.clear();
        self.find_in(record, 0..record.len(), 0, None);
    }

    pub fn all(&self) -> &[Field] {
        &self.all
    }

    /// Returns the numbers of the fields around a field, from the inside out.
    pub fn around(&self, number: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent(number), |number| self.parent(*number))
    }

    fn parent(&self, number: usize) -> Option<usize> {
        self.all.get(number)?.parent
    }

    fn find_in(&mut self, record: &[u8], within: Range<usize>, level: u8, parent: Option<usize>) {
        let mut tag = within.start;
        while tag < within.end {
            let length = tag + 1;
            let Some((value, body)) = read_varint(record, length) else { return };
            match record[tag] & 7 {
                0 => tag = body,
                1 => tag += 9,
                5 => tag += 5,
                2 => {
                    let end = body.saturating_add(usize::try_from(value).unwrap_or(usize::MAX));
                    if end > within.end {
                        return;
                    }
                    let number = self.all.len();
                    self.all.push(Field { tag, length, body, end, level, parent });
                    if level + 1 < LEVELS && (level != KEY || record[tag] == 0x12) {
                        self.find_in(record, body..end, level + 1, Some(number));
                    }
                    tag = end;
                }
                _ => return,
            }
        }
    }

    /// Replaces bytes of the body of field `within`, or of the record, and adapts the lengths of it and the fields
    /// around it. The fields must then be found again.
    pub fn splice(&self, record: &mut Vec<u8>, within: Option<usize>, at: Range<usize>, new: &[u8]) {
        let mut more = new.len() as i64 - at.len() as i64;
        record.splice(at, new.iter().copied());
        let mut next = within;
        while let Some(field) = next.and_then(|number| self.all.get(number)) {
            let mut head = Vec::with_capacity(10);
            varint(&mut head, ((field.end - field.body) as i64 + more) as u64);
            let old = field.length..field.body;
            more += head.len() as i64 - old.len() as i64;
            record.splice(old, head);
            next = field.parent;
        }
    }
}

/// Reads a varint; returns it and where it ends.
pub fn read_varint(bytes: &[u8], from: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.get(from..)?.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            return Some((value, from + index + 1));
        }
    }
    None
}
