//! From a map entry's key to its column, without looking at most of it.
//!
//! Names of up to 16 bytes are found by a keyed hash: one multiplication, one slot, one comparison,
//! in whatever order they come. Longer ones are guessed first: records of a data set carry the same
//! features in the same order, more or less, so each name remembers which one followed it last, and
//! the next entry is compared with that one, key field and the tag of the value together. Only a miss
//! costs a hash, and where the order is random the guesses are given up until they pay again.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// A name that leads nowhere: the entry is passed over.
pub(super) const IGNORED: u32 = u32::MAX;

/// How sure the guesses can become, in either direction.
const CONFIDENCE: i32 = 64;
/// Bytes of an entry that are compared at once.
pub(super) const WINDOW: usize = 32;
/// Names of up to this many bytes are one step of the hash, and names of up to that many two.
pub(super) const SHORT: usize = 16;
pub(super) const MEDIUM: usize = 32;

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

/// A known name, as it stands at the start of a map entry: tag and length of the key, the key, and
/// the tag of the value.
pub(super) struct Name {
    /// The first 32 bytes of all that, and which bits of them count.
    front: [u64; 4],
    mask: [u64; 4],
    /// Bytes of all that; `u32::MAX` for the entry that never matches.
    pub(super) length: u32,
    pub(super) column: u32,
    /// The name that followed last.
    pub(super) next: u32,
}

impl Name {
    #[inline(always)]
    pub(super) fn fits(&self, window: &[u64; 4]) -> bool {
        let differ = |index: usize| (window[index] ^ self.front[index]) & self.mask[index];
        differ(0) | differ(1) | differ(2) | differ(3) == 0
    }
}

/// All names seen, those that lead to columns and those that do not.
pub(super) struct Names {
    names: Vec<Name>,
    prefixes: Vec<Box<[u8]>>,
    /// Open addressing, a power of two of slots.
    table: Vec<Entry>,
    seeds: (u64, u64),
    previous: u32,
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

#[inline(always)]
pub(super) fn words(bytes: &[u8; WINDOW]) -> [u64; 4] {
    let (chunks, _) = bytes.as_chunks::<8>();
    [0, 1, 2, 3].map(|index: usize| u64::from_le_bytes(chunks[index]))
}

/// Up to 32 bytes of a short slice, zero-padded.
#[inline(never)]
fn padded(bytes: &[u8]) -> [u64; 4] {
    let mut chunk = [0u8; WINDOW];
    let length = bytes.len().min(WINDOW);
    if let (Some(to), Some(from)) = (chunk.get_mut(..length), bytes.get(..length)) {
        to.copy_from_slice(from);
    }
    words(&chunk)
}

/// Which bits of 32 bytes count if `length` bytes do.
fn mask(length: usize) -> [u64; 4] {
    [0, 1, 2, 3].map(|index: usize| match length.saturating_sub(8 * index) {
        0 => 0,
        bytes @ 1..=7 => (1 << (8 * bytes)) - 1,
        _ => u64::MAX,
    })
}

impl Names {
    pub(super) fn new() -> Self {
        let random = RandomState::new();
        let never =
            Name { front: [u64::MAX; 4], mask: [u64::MAX; 4], length: u32::MAX, column: IGNORED, next: 0 };
        Self {
            names: vec![never],
            prefixes: vec![Box::default()],
            table: vec![Entry::default(); 64],
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

    /// Whether it pays to guess the next name.
    #[inline(always)]
    pub(super) fn is_guessing(&self) -> bool {
        self.confidence >= 0
    }

    /// The name that is expected next.
    #[inline(always)]
    pub(super) fn expected(&self) -> u32 {
        self.names.get(self.previous as usize).map_or(0, |name| name.next)
    }

    /// Says that so many guesses were right, and which name was found last.
    #[inline(always)]
    pub(super) fn guessed(&mut self, right: usize, last: u32) {
        if right > 0 {
            self.confidence = (self.confidence + right.min(CONFIDENCE as usize) as i32).min(CONFIDENCE);
            self.previous = last;
        }
    }

    /// Says which name was found last, by its hash.
    #[inline(always)]
    pub(super) fn passed(&mut self, last: u32) {
        if last != 0 {
            self.previous = last;
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, id: u32) -> Option<&Name> {
        self.names.get(id as usize)
    }

    /// Whether a name whose first 32 bytes fit is there with all its bytes.
    #[inline(always)]
    pub(super) fn is_whole(&self, id: u32, name: &Name, record: &[u8], at: usize, end: usize) -> bool {
        let length = name.length as usize;
        length <= end - at && (length <= WINDOW || self.is_long_whole(id, record, at))
    }

    #[inline(never)]
    fn is_long_whole(&self, id: u32, record: &[u8], at: usize) -> bool {
        let Some(prefix) = self.prefixes.get(id as usize) else { return false };
        record.get(at..).is_some_and(|rest| rest.starts_with(prefix))
    }

    /// Finds a name of up to 16 bytes that `bytes` begins with; what follows it does not matter.
    #[inline(always)]
    pub(super) fn find_short(&self, bytes: &[u8; SHORT], length: usize) -> Option<(u32, u32)> {
        let first = u128::from_le_bytes(*bytes) & SHORT_MASKS.get(length)?;
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

    /// Remembers that this name followed the one before.
    #[inline(always)]
    pub(super) fn learn(&mut self, id: u32) {
        if let Some(previous) = self.names.get_mut(self.previous as usize) {
            let change = if previous.next == id { 1 } else { -2 };
            self.confidence = (self.confidence + change).clamp(-CONFIDENCE, CONFIDENCE);
            previous.next = id;
        }
        self.previous = id;
    }

    /// Finds a name as such. It counts as the one before the next entry.
    pub(super) fn find_name(&mut self, name: &[u8]) -> Option<u32> {
        let (first, last) = ends(name);
        let (id, column) = match name.len() {
            length @ ..=SHORT => self.find_short(&first.to_le_bytes(), length)?,
            length @ ..=MEDIUM => self.find_medium(first, last, length)?,
            _ => self.find_long(name)?,
        };
        self.learn(id);
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

        let id = self.names.len() as u32;
        self.names.push(Name {
            front: padded(&prefix),
            mask: mask(prefix.len()),
            length: u32::try_from(prefix.len()).unwrap_or(u32::MAX),
            column,
            next: 0,
        });
        self.prefixes.push(prefix.into_boxed_slice());
        if self.names.len() * 4 > self.table.len() {
            self.table = vec![Entry::default(); self.table.len() * 4];
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
