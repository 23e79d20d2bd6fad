//! Small edits of records: of heads, lengths, names and values, of whole fields, and of any bytes.

use super::differential::random::Random;
use super::differential::tree::padded_varint;
use super::fields::{Field, Fields, KEY, LEVELS};

/// Edits of a record.
pub const EDITS: [&str; 19] = [
    "bit",
    "byte",
    "head",
    "name",
    "value",
    "resized value",
    "one length",
    "nested lengths",
    "padded length",
    "removed field",
    "copied field",
    "swapped fields",
    "field of another record",
    "unknown field",
    "cut",
    "cut, true lengths",
    "inserted or removed bytes",
    "kind",
    "resized value, lengths in one byte",
];

/// Relative frequency of each edit: low where most results are malformed.
const WEIGHTS: [u64; EDITS.len()] = [1, 1, 1, 3, 4, 5, 1, 1, 2, 3, 2, 3, 3, 2, 1, 1, 1, 2, 1];

/// Lengths around which something changes.
const LENGTHS: [usize; 22] =
    [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 15, 16, 17, 31, 32, 33, 47, 48, 49, 127, 128];

/// Fields that no message has: a varint, bytes, four and eight bytes, a group, one of number 0.
const UNKNOWN: [&[u8]; 7] = [
    &[0x78, 0x05],
    &[0x7a, 0x02, 1, 2],
    &[0x7d, 1, 2, 3, 4],
    &[0x79, 1, 2, 3, 4, 5, 6, 7, 8],
    &[0x7b, 0x08, 0x01, 0x7c],
    &[0x02, 0x00],
    &[0x12, 0x00],
];

/// Edits records.
#[derive(Debug, Default)]
pub struct Editor {
    fields: Fields,
    others: Fields,
    scratch: Vec<u8>,
}

impl Editor {
    /// Makes one edit, mostly, or a few; returns which of [`EDITS`] was the first. `other` is a record of which fields
    /// are taken.
    pub fn edit(&mut self, random: &mut Random, record: &mut Vec<u8>, other: &[u8]) -> usize {
        let count = [1, 1, 1, 1, 1, 1, 2, 2, 3, 5][random.below(10) as usize];
        let kinds = [(); 5].map(|()| any_kind(random));
        for kind in &kinds[..count] {
            self.edit_once(random, record, other, *kind);
        }
        kinds[0]
    }

    /// Makes one edit, a number of [`EDITS`].
    pub fn edit_once(&mut self, random: &mut Random, record: &mut Vec<u8>, other: &[u8], kind: usize) {
        let at = random.below(record.len() as u64) as usize;
        match kind {
            0 => record.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            1 => record.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.bits() as u8),
            14 => record.truncate(at),
            16 => {
                let removed = random.below(4) as usize;
                let new = random.bits().to_le_bytes();
                let new = &new[..random.below(4) as usize];
                record.splice(at..record.len().min(at + removed), new.iter().copied());
            }
            _ => {
                self.fields.find(record);
                let mut number = any(random, &self.fields);
                // Values are mostly those at the inside.
                if matches!(kind, 4 | 5 | 18) && random.percent(80) {
                    let inner =
                        self.fields.all().iter().skip(number).position(|field| field.level == LEVELS - 1);
                    number += inner.unwrap_or(0);
                }
                if let Some(field) = self.fields.all().get(number).copied() {
                    self.edit_field(random, record, other, kind, (number, field));
                }
            }
        }
    }

    fn edit_field(
        &mut self,
        random: &mut Random,
        record: &mut Vec<u8>,
        other: &[u8],
        kind: usize,
        (number, field): (usize, Field),
    ) {
        let Self { fields, others, scratch } = self;
        scratch.clear();
        let parent = fields.around(number).next();
        let size = field.end - field.body;
        match kind {
            2 => {
                let byte = &mut record[if random.percent(50) { field.tag } else { field.length }];
                *byte = match random.below(3) {
                    0 => byte.wrapping_add(1 + random.below(3) as u8),
                    1 => byte.wrapping_sub(1 + random.below(3) as u8),
                    _ => [0x0a, 0x12, 0x1a, 0x22, 0x08, 0x0d, 0, 0x7f, 0x80, 0xff][random.below(10) as usize],
                };
            }
            3 => {
                let is_key = |(_, field): &(usize, &Field)| field.level == KEY && record[field.tag] == 0x0a;
                let all = fields.all().iter().enumerate();
                let Some((number, key)) = all.filter(is_key).nth(random.below(6) as usize) else { return };
                let at = key.body + random.below((key.end - key.body + 1) as u64) as usize;
                let end = key.end.min(at + random.below(2) as usize);
                let new = [record[at.min(key.end - 1)] ^ 1 << random.below(7)];
                let new = if random.percent(70) { &new[..] } else { &[] };
                fields.splice(record, Some(number), at..end, new);
            }
            4 => fill(random, &mut record[field.body..field.end]),
            5 => {
                let new = match random.below(8) {
                    // Lengths of entries begin to need two bytes.
                    0 => 100 + random.below(40) as usize,
                    1 => random.below(400) as usize,
                    _ => LENGTHS[random.below(LENGTHS.len() as u64) as usize],
                };
                scratch.extend_from_slice(&record[field.body..field.end]);
                scratch.resize(new, 0);
                if random.percent(50) {
                    fill(random, scratch);
                }
                fields.splice(record, Some(number), field.body..field.end, scratch);
            }
            6 | 7 => {
                let by = [-64, -16, -2, -1, 1, 2, 16, 64][random.below(8) as usize];
                let levels = if kind == 6 { 0 } else { 1 + random.below(4) as usize };
                record[field.length] = record[field.length].wrapping_add_signed(by);
                for around in fields.around(number).take(levels) {
                    let length = fields.all()[around].length;
                    record[length] = record[length].wrapping_add_signed(by);
                }
            }
            8 => {
                padded_varint(scratch, size as u64, 1 + random.below(9) as usize);
                let parent = parent.filter(|_| random.percent(80));
                fields.splice(record, parent, field.length..field.body, scratch);
            }
            9 => fields.splice(record, parent, field.tag..field.end, &[]),
            10 => {
                scratch.extend_from_slice(&record[field.tag..field.end]);
                // After itself, or anywhere.
                let number = if random.percent(50) { number } else { any(random, fields) };
                let to = fields.all()[number];
                fields.splice(record, fields.around(number).next(), to.end..to.end, scratch);
            }
            11 => {
                let next = fields.all().iter().find(|next| next.tag == field.end);
                if let Some(next) = next {
                    record[field.tag..next.end].rotate_left(field.end - field.tag);
                }
            }
            12 => {
                others.find(other);
                let alike = others.all().iter().filter(|other| other.level == field.level);
                let Some(new) = alike.skip(random.below(4) as usize).last() else { return };
                let new = &other[new.tag..new.end];
                let start = if random.percent(50) { field.tag } else { field.end };
                fields.splice(record, parent, start..field.end, new);
            }
            13 => {
                let new = UNKNOWN[random.below(UNKNOWN.len() as u64) as usize];
                let at = if random.percent(50) { field.tag } else { field.end };
                fields.splice(record, parent, at..at, new);
            }
            15 => {
                // The record ends in this field, or right after it.
                let at = field.body + random.below(size as u64 + 1) as usize;
                for around in std::iter::once(number).chain(fields.around(number)) {
                    let outer = fields.all()[around];
                    // A shorter length fits in as many bytes.
                    let mut head = Vec::new();
                    let width = outer.body - outer.length;
                    padded_varint(&mut head, (at - outer.body) as u64, 0);
                    head.resize(width, 0);
                    for byte in &mut head[..width - 1] {
                        *byte |= 0x80;
                    }
                    record[outer.length..outer.body].copy_from_slice(&head);
                }
                record.truncate(at);
            }
            18 => {
                // All lengths are right but for what does not fit in a byte.
                let new = 100 + random.below(40) as usize;
                scratch.resize(new, 0);
                fill(random, scratch);
                let more = (new as u8).wrapping_sub(size as u8);
                for around in std::iter::once(number).chain(fields.around(number)) {
                    let length = &mut record[fields.all()[around].length];
                    *length = length.wrapping_add(more);
                }
                record.splice(field.body..field.end, scratch.iter().copied());
            }
            _ => {
                let list = fields.all().iter().filter(|field| field.level == KEY + 1);
                if let Some(list) = list.skip(random.below(4) as usize).last() {
                    record[list.tag] = [0x0a, 0x12, 0x1a, 0x22][random.below(4) as usize];
                }
            }
        }
    }
}

fn any_kind(random: &mut Random) -> usize {
    let mut left = random.below(WEIGHTS.iter().sum());
    let kind = WEIGHTS.iter().position(|weight| {
        let is_it = left < *weight;
        left = left.saturating_sub(*weight);
        is_it
    });
    kind.unwrap_or(0)
}

fn any(random: &mut Random, fields: &Fields) -> usize {
    random.below(fields.all().len() as u64) as usize
}

/// Writes any bytes, or varints of any length.
fn fill(random: &mut Random, bytes: &mut [u8]) {
    let style = random.below(3);
    let last = 1 + random.below(11) as usize;
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = random.bits() as u8;
        match style {
            0 => {}
            1 if (at + 1) % last == 0 => *byte &= 0x7f,
            _ => *byte |= 0x80,
        }
    }
    if style == 2
        && let Some(byte) = bytes.last_mut()
    {
        *byte &= 0x7f;
    }
}
