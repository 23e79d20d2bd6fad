//! From a map entry's key to its column, without looking at most of it.
//!
//! Records of a data set carry the same features in the same order, more or less, so that order is
//! learned, and each entry is compared with the names that come next in it, key field and the tag of the
//! value together. Only a miss costs a hash: one multiplication, one slot, one comparison for names of up
//! to 16 bytes, two of each for names of up to 32. Where the order is random the guesses are given up,
//! and learned anew now and then.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// A name that leads nowhere: the entry is passed over.
pub(super) const IGNORED: u32 = u32::MAX;

/// How sure the guesses can become, in either direction.
const CONFIDENCE: i32 = 64;
/// So many names can have a place in the order.
const MOST_ORDERED: usize = 4096;
/// The place of a name that has none in the order.
const NOWHERE: u32 = u32::MAX;
/// Names of up to this many bytes are one step of the hash, and names of up to that many two.
pub(super) const SHORT: usize = 16;
pub(super) const MEDIUM: usize = 32;
/// Bytes at the start of an entry by which an expected name is known at first.
pub(super) const FRONT: usize = 32;

/// Which bits of 16 bytes count if so many bytes do.
const SHORT_MASKS: [u128; SHORT + 1] = {
    let mut masks = [u128::MAX; SHORT + 1];
    let mut length = 0;
    while length < SHORT {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// A name in the expected order, as it stands at the start of a map entry: tag and length of the key, the
/// key, and the tag of the value.
pub(super) struct Expected {
    /// The first 16 bytes of all that.
    pub(super) first: u128,
    /// The last 16 of its first 32 bytes, or, if there are no more than 16 in all, which bits of them count.
    pub(super) last: u128,
    /// Bytes of all that, and where the second 16 begin.
    pub(super) length: u32,
    pub(super) second: u32,
    pub(super) column: u32,
    pub(super) id: u32,
}

struct Name {
    /// As above.
    prefix: Box<[u8]>,
    column: u32,
    place: u32,
}

/// All names seen, those that lead to columns and those that do not.
pub(super) struct Names {
    names: Vec<Name>,
    /// Open addressing, a power of two of slots.
    table: Vec<Entry>,
    seeds: (u64, u64),
    /// The names in the order in which records have them.
    order: Vec<Expected>,
    /// The place in it that is expected next.
    place: usize,
    confidence: i32,
}

/// A slot of the hash table: a name's first and last 16 bytes, its length, and its number; 0 if it
/// is free.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Entry {
    first: u128,
    last: u128,
    length: u32,
    id: u32,
    column: u32,
}

impl Names {
    pub(super) fn new() -> Self {
        let random = RandomState::new();
        let none = Name { prefix: Box::default(), column: IGNORED, place: NOWHERE };
        Self {
            names: vec![none],
            table: vec![Entry::default(); 64],
            // Secret, so that nobody can choose names that collide.
            seeds: (random.hash_one(1) | 1, random.hash_one(2)),
            order: Vec::new(),
            place: 0,
            confidence: 0,
        }
    }

    /// How many names are known.
    pub(super) fn len(&self) -> usize {
        self.names.len() - 1
    }

    /// To be called before the first entry of each record. Says whether this record is to be learned if
    /// guessing did not pay so far.
    #[inline(always)]
    pub(super) fn start_record(&mut self, learn: bool) {
        self.place = 0;
        if learn && !self.is_guessing() {
            self.forget_order();
        }
    }

    #[cold]
    fn forget_order(&mut self) {
        self.order.clear();
        for name in &mut self.names {
            name.place = NOWHERE;
        }
        self.confidence = 0;
    }

    /// Whether it pays to guess the next name.
    #[inline(always)]
    pub(super) fn is_guessing(&self) -> bool {
        self.confidence >= 0
    }

    /// The names that are expected next, in their order.
    #[inline(always)]
    pub(super) fn expected(&self) -> &[Expected] {
        self.order.get(self.place..).unwrap_or_default()
    }

    /// Says that all of those but the last `left` were found, or most of them.
    #[inline(always)]
    pub(super) fn guessed(&mut self, left: usize) {
        let place = self.order.len() - left;
        let right = place.saturating_sub(self.place).min(CONFIDENCE as usize) as i32;
        self.confidence = (self.confidence + right).min(CONFIDENCE);
        self.place = place;
    }

    /// Says that a name was found that was not expected.
    #[inline(never)]
    pub(super) fn found(&mut self, id: u32) {
        if !self.is_guessing() {
            return;
        }
        let Some(name) = self.names.get_mut(id as usize) else { return };
        if name.place != NOWHERE {
            self.place = name.place as usize + 1;
            self.confidence = (self.confidence - 2).max(-CONFIDENCE);
        } else if self.order.len() < MOST_ORDERED {
            let place = self.place.min(self.order.len());
            name.place = place as u32;
            let (first, last) = ends(name.prefix.get(..FRONT).unwrap_or(&name.prefix));
            let length = name.prefix.len();
            let last = SHORT_MASKS.get(length).copied().unwrap_or(last);
            let second = length.min(FRONT).saturating_sub(SHORT) as u32;
            let expected = Expected { first, last, length: length as u32, second, column: name.column, id };
            self.order.insert(place, expected);
            self.place = place + 1;
            for (place, later) in self.order.iter().enumerate().skip(self.place) {
                if let Some(name) = self.names.get_mut(later.id as usize) {
                    name.place = place as u32;
                }
            }
        }
    }

    /// What an entry of that name begins with.
    pub(super) fn prefix(&self, id: u32) -> Option<&[u8]> {
        self.names.get(id as usize).map(|name| &*name.prefix)
    }

    /// Finds a name of up to 16 bytes that `bytes` begins with; what follows it does not matter.
    #[inline(always)]
    pub(super) fn find_short(&self, bytes: u128, length: usize) -> Option<(u32, u32)> {
        let first = bytes & SHORT_MASKS.get(length)?;
        let mask = self.table.len() - 1;
        let mut slot = self.fold(first, length as u64) as usize & mask;
        loop {
            let entry = self.table.get(slot)?;
            if entry.first == first && entry.length as usize == length {
                return (entry.id != 0).then_some((entry.id, entry.column));
            }
            if entry.id == 0 {
                return None;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Finds a name of 17 to 32 bytes, given by its first and its last sixteen.
    #[inline(always)]
    pub(super) fn find_medium(&self, first: u128, last: u128, length: usize) -> Option<(u32, u32)> {
        let mask = self.table.len() - 1;
        let mut slot = self.fold(last, self.fold(first, length as u64)) as usize & mask;
        loop {
            let entry = self.table.get(slot)?;
            if entry.first == first && entry.last == last && entry.length as usize == length {
                return Some((entry.id, entry.column));
            }
            if entry.id == 0 {
                return None;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Finds a name of any length.
    pub(super) fn find_name(&mut self, name: &[u8]) -> Option<u32> {
        let (first, last) = ends(name);
        let (id, column) = match name.len() {
            length @ ..=SHORT => self.find_short(first, length)?,
            length @ ..=MEDIUM => self.find_medium(first, last, length)?,
            _ => self.find_long(name)?,
        };
        self.found(id);
        Some(column)
    }

    fn find_long(&self, name: &[u8]) -> Option<(u32, u32)> {
        let mask = self.table.len() - 1;
        let mut slot = self.hash(name) as usize & mask;
        loop {
            let entry = self.table.get(slot)?;
            if entry.id == 0 {
                return None;
            }
            if entry.length as usize == name.len() && self.key(entry.id) == Some(name) {
                return Some((entry.id, entry.column));
            }
            slot = (slot + 1) & mask;
        }
    }

    fn key(&self, id: u32) -> Option<&[u8]> {
        let prefix = self.prefix(id)?;
        let digits = prefix.iter().skip(1).position(|byte| *byte < 0x80)? + 1;
        prefix.get(1 + digits..prefix.len() - 1)
    }

    /// Adds a name that is not there yet.
    pub(super) fn insert(&mut self, name: &Arc<str>, column: u32) -> u32 {
        let mut prefix = vec![0x0a];
        let mut length = [0u8; 10];
        let mut writer = proto_wire::Writer::new(&mut length);
        // Ten bytes hold any varint.
        let _ = writer.varint(name.len() as u64);
        prefix.extend_from_slice(writer.written());
        prefix.extend_from_slice(name.as_bytes());
        prefix.push(0x12);

        let id = self.names.len() as u32;
        self.names.push(Name { prefix: prefix.into_boxed_slice(), column, place: NOWHERE });
        if self.names.len() * 4 > self.table.len() {
            self.table = vec![Entry::default(); self.table.len() * 4];
            for id in 1..=id {
                self.enter(id);
            }
        } else {
            self.enter(id);
        }
        id
    }

    fn enter(&mut self, id: u32) {
        let (Some(key), Some(name)) = (self.key(id), self.names.get(id as usize)) else { return };
        let (first, last) = ends(key);
        let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
        let entry = Entry { first, last, length, id, column: name.column };
        let mut slot = self.hash(key) as usize & (self.table.len() - 1);
        while self.table.get(slot).is_some_and(|taken| taken.id != 0) {
            slot = (slot + 1) & (self.table.len() - 1);
        }
        if let Some(free) = self.table.get_mut(slot) {
            *free = entry;
        }
    }

    /// A keyed hash of a name.
    fn hash(&self, name: &[u8]) -> u64 {
        let (first, last) = ends(name);
        let hash = self.fold(first, name.len() as u64);
        if name.len() <= SHORT {
            return hash;
        }
        let hash = self.fold(last, hash);
        if name.len() <= MEDIUM {
            return hash;
        }
        name.chunks(SHORT).fold(hash, |hash, chunk| self.fold(ends(chunk).0, hash))
    }

    /// The two halves of a product, folded: every bit of the input moves about half of the bits.
    #[inline(always)]
    fn fold(&self, bytes: u128, more: u64) -> u64 {
        let (low, high) = (bytes as u64, (bytes >> 64) as u64);
        let product = u128::from(low ^ self.seeds.0) * u128::from((high ^ self.seeds.1).wrapping_add(more));
        (product as u64) ^ ((product >> 64) as u64)
    }
}

/// The first and the last sixteen bytes of a name. A name of less than sixteen is followed by zeros.
fn ends(name: &[u8]) -> (u128, u128) {
    let mut first = [0u8; SHORT];
    for (to, from) in first.iter_mut().zip(name) {
        *to = *from;
    }
    let last = name.last_chunk::<SHORT>().unwrap_or(&first);
    (u128::from_le_bytes(first), u128::from_le_bytes(*last))
}
