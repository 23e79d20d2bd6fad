//! From a map entry's key to its column, without looking at most of it.
//!
//! Records of a data set carry the same features in the same order, more or less. Each name
//! therefore remembers which name followed it last; the next entry is compared with that one and
//! its followers, sixteen bytes at a time, key field and the tag of the value together. Only a miss
//! costs a hash, and where the order is random the guesses are given up until they pay again.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// A name that leads nowhere: the entry is passed over.
pub(super) const IGNORED: u32 = u32::MAX;

/// How many followers are tried before the hash.
const GUESSES: usize = 3;
/// How sure the guesses can become, in either direction.
const CONFIDENCE: i32 = 64;

/// A known name, as it stands at the start of a map entry: tag and length of the key, the key, and
/// the tag of the value.
struct Name {
    head: u128,
    tail: u128,
    /// Bytes of all that; `u32::MAX` for the entry that never matches.
    length: u32,
    column: u32,
    /// The name that followed last.
    next: u32,
}

/// All names seen, those that lead to columns and those that do not.
pub(super) struct Names {
    names: Vec<Name>,
    prefixes: Vec<Box<[u8]>>,
    /// Open addressing, a power of two of slots; 0 is free.
    table: Vec<u32>,
    seeds: (u64, u64),
    previous: u32,
    confidence: i32,
}

/// A map entry's key, found.
pub(super) struct Found {
    pub(super) column: u32,
    /// Byte after the tag of the value.
    pub(super) value: usize,
}

#[inline(always)]
const fn mask(bytes: usize) -> u128 {
    if bytes >= 16 { u128::MAX } else { (1 << (8 * bytes as u32)) - 1 }
}

#[inline(always)]
fn load(record: &[u8], at: usize) -> Option<u128> {
    record.get(at..)?.first_chunk::<16>().map(|chunk| u128::from_le_bytes(*chunk))
}

/// Up to 16 bytes of a short slice, zero-padded.
fn padded(bytes: &[u8]) -> u128 {
    let mut chunk = [0u8; 16];
    for (to, from) in chunk.iter_mut().zip(bytes) {
        *to = *from;
    }
    u128::from_le_bytes(chunk)
}

impl Names {
    pub(super) fn new() -> Self {
        let random = RandomState::new();
        let never = Name { head: 0, tail: 0, length: u32::MAX, column: IGNORED, next: 0 };
        Self {
            names: vec![never],
            prefixes: vec![Box::default()],
            table: vec![0; 64],
            // Secret, so that nobody can choose names that collide.
            seeds: (random.hash_one(1) | 1, random.hash_one(2)),
            previous: 0,
            confidence: 0,
        }
    }

    /// How many names are known.
    pub(super) fn len(&self) -> usize {
        self.names.len() - 1
    }

    /// To be called before the first entry of each record.
    #[inline(always)]
    pub(super) fn start_record(&mut self) {
        self.previous = 0;
    }

    /// Whether the entry that begins at `at` begins with that name's bytes.
    #[inline(always)]
    fn matches(&self, name: &Name, id: u32, record: &[u8], at: usize, end: usize) -> bool {
        let length = name.length as usize;
        if length > end - at {
            return false;
        }
        if length <= 16 {
            return match load(record, at) {
                Some(found) => found & mask(length) == name.head,
                None => self.matches_slowly(id, record, at),
            };
        }
        match (load(record, at), load(record, at + length.min(32) - 16)) {
            (Some(head), Some(tail)) if head == name.head && tail == name.tail => {
                length <= 32 || self.matches_slowly(id, record, at)
            }
            _ => false,
        }
    }

    #[inline(never)]
    fn matches_slowly(&self, id: u32, record: &[u8], at: usize) -> bool {
        let Some(prefix) = self.prefixes.get(id as usize) else { return false };
        record.get(at..).is_some_and(|rest| rest.starts_with(prefix))
    }

    /// Finds the key of the entry `at..end`, if it is written in the usual way (the key, then the
    /// value) and its name is known.
    #[inline(always)]
    pub(super) fn find(&mut self, record: &[u8], at: usize, end: usize) -> Option<Found> {
        if self.confidence >= 0 {
            let mut id = self.names.get(self.previous as usize)?.next;
            for _ in 0..GUESSES {
                let name = self.names.get(id as usize)?;
                if self.matches(name, id, record, at, end) {
                    self.previous = id;
                    self.confidence = (self.confidence + 1).min(CONFIDENCE);
                    return Some(Found { column: name.column, value: at + name.length as usize });
                }
                id = name.next;
            }
        }
        self.find_by_hash(record, at, end)
    }

    #[inline(never)]
    fn find_by_hash(&mut self, record: &[u8], at: usize, end: usize) -> Option<Found> {
        // Tag, a length of one byte, the key.
        let length = usize::from(*record.get(at + 1)?);
        if *record.get(at)? != 0x0a || length >= 0x80 || length + 3 > end - at {
            return None;
        }
        let hash = self.hash(record, at + 2, length);
        let mut slot = hash as usize & (self.table.len() - 1);
        loop {
            let id = *self.table.get(slot)?;
            if id == 0 {
                return None;
            }
            let name = self.names.get(id as usize)?;
            if name.length as usize == length + 3 && self.matches(name, id, record, at, end) {
                let found = Found { column: name.column, value: at + name.length as usize };
                self.learn(id);
                return Some(found);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    /// Remembers that this name followed the one before.
    #[inline(always)]
    fn learn(&mut self, id: u32) {
        if let Some(previous) = self.names.get_mut(self.previous as usize) {
            let change = if previous.next == id { 1 } else { -2 };
            self.confidence = (self.confidence + change).clamp(-CONFIDENCE, CONFIDENCE);
            previous.next = id;
        }
        self.previous = id;
    }

    /// Finds a name as such. It counts as the one before the next entry.
    pub(super) fn find_name(&mut self, name: &[u8]) -> Option<u32> {
        let hash = self.hash(name, 0, name.len());
        let mut slot = hash as usize & (self.table.len() - 1);
        loop {
            let id = *self.table.get(slot)?;
            if id == 0 {
                return None;
            }
            if self.key(id) == Some(name) {
                self.learn(id);
                return self.names.get(id as usize).map(|name| name.column);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    fn key(&self, id: u32) -> Option<&[u8]> {
        let prefix = self.prefixes.get(id as usize)?;
        let digits = prefix.iter().skip(1).position(|byte| *byte < 0x80)? + 1;
        prefix.get(1 + digits..prefix.len() - 1)
    }

    /// Adds a name that is not there yet.
    pub(super) fn insert(&mut self, name: &Arc<str>, column: u32) {
        let mut prefix = vec![0x0a];
        let mut length = [0u8; 10];
        let mut writer = proto_wire::Writer::new(&mut length);
        // Ten bytes hold any varint.
        let _ = writer.varint(name.len() as u64);
        prefix.extend_from_slice(writer.written());
        prefix.extend_from_slice(name.as_bytes());
        prefix.push(0x12);

        let second = prefix.len().min(32).saturating_sub(16);
        let id = self.names.len() as u32;
        self.names.push(Name {
            head: padded(&prefix),
            tail: padded(prefix.get(second..).unwrap_or_default()),
            length: u32::try_from(prefix.len()).unwrap_or(u32::MAX),
            column,
            next: 0,
        });
        self.prefixes.push(prefix.into_boxed_slice());
        if self.names.len() * 2 > self.table.len() {
            self.table = vec![0; self.table.len() * 4];
            for id in 1..self.names.len() as u32 {
                self.enter(id);
            }
        } else {
            self.enter(id);
        }
        if let Some(previous) = self.names.get_mut(self.previous as usize) {
            previous.next = id;
        }
        self.previous = id;
    }

    fn enter(&mut self, id: u32) {
        let Some(key) = self.key(id) else { return };
        let hash = self.hash(key, 0, key.len());
        let mut slot = hash as usize & (self.table.len() - 1);
        while self.table.get(slot).is_some_and(|taken| *taken != 0) {
            slot = (slot + 1) & (self.table.len() - 1);
        }
        if let Some(free) = self.table.get_mut(slot) {
            *free = id;
        }
    }

    /// A keyed hash of `record[at..at + length]`.
    #[inline(always)]
    fn hash(&self, record: &[u8], at: usize, length: usize) -> u64 {
        if length <= 16 {
            let word = match load(record, at) {
                Some(word) => word & mask(length),
                None => padded(record.get(at..at + length).unwrap_or_default()),
            };
            return self.fold(word as u64, (word >> 64) as u64, length as u64);
        }
        self.hash_long(record.get(at..at + length).unwrap_or_default())
    }

    #[inline(never)]
    fn hash_long(&self, key: &[u8]) -> u64 {
        let (chunks, rest) = key.as_chunks::<16>();
        let mut hash = key.len() as u64;
        for chunk in chunks {
            let word = u128::from_le_bytes(*chunk);
            hash = self.fold(word as u64, (word >> 64) as u64, hash);
        }
        let word = padded(rest);
        self.fold(word as u64, (word >> 64) as u64, hash)
    }

    /// The two halves of a product, folded: every bit of the input moves about half of the bits.
    #[inline(always)]
    fn fold(&self, low: u64, high: u64, more: u64) -> u64 {
        let product = u128::from(low ^ self.seeds.0)
            * u128::from(high ^ self.seeds.1 ^ more.wrapping_mul(self.seeds.0));
        (product as u64) ^ ((product >> 64) as u64)
    }
}
