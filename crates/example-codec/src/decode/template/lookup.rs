//! Lookup of steps by the bytes of an entry, in any order of entries.

use super::WINDOW;
use super::step::TemplateStep;
use crate::decode::names::Names;

/// Slots for each step, at least.
const SPARSE: usize = 16;
/// Up to this many steps, other seeds are tried so that fewer share a slot.
const FEW: usize = 256;
const TRIES: u64 = 4;
const SEED: u64 = 0xd6e8_feb8_6659_fd93;
/// Steps that may share a slot.
const MOST_SHARED: usize = 8;
const NONE: u16 = u16::MAX;

/// The steps by a hash of their names.
#[derive(Default)]
pub(super) struct Lookup {
    /// The first step of each hash; a power of two of them.
    slots: Vec<u16>,
    seed: u64,
    /// Number of bits by which a hash is shifted to become a slot number.
    shift: u32,
    /// The next step of the same hash, of each step.
    next: Vec<u16>,
    /// The step of each name.
    by_id: Vec<u16>,
}

impl Lookup {
    /// Enters all steps, and nothing else.
    pub(super) fn set(&mut self, steps: &[TemplateStep], names: &Names) {
        self.by_id.clear();
        self.by_id.resize(names.len() + 1, NONE);
        for (number, step) in steps.iter().enumerate().take(usize::from(NONE)) {
            if let Some(to) = self.by_id.get_mut(step.id as usize) {
                *to = number as u16;
            }
        }
        let tries = if steps.len() <= FEW { TRIES } else { 1 };
        let mut best = (usize::MAX, SEED);
        for number in 0..tries {
            let seed = SEED.wrapping_mul(2 * number + 1);
            let shared = self.enter(steps, names, seed);
            if shared == 0 {
                return;
            }
            best = best.min((shared, seed));
        }
        self.enter(steps, names, best.1);
    }

    /// Enters the steps by that hash of their names; returns how many share a slot with another.
    fn enter(&mut self, steps: &[TemplateStep], names: &Names, seed: u64) -> usize {
        let count = (SPARSE * steps.len()).next_power_of_two().max(2);
        self.seed = seed;
        self.shift = u64::BITS - count.trailing_zeros();
        self.slots.clear();
        self.slots.resize(count, NONE);
        self.next.clear();
        self.next.resize(steps.len(), NONE);
        let mut shared = 0;
        for (number, (step, next)) in steps.iter().zip(&mut self.next).enumerate().take(usize::from(NONE)) {
            let mut window = [0; WINDOW];
            let prefix = names.prefix(step.id).unwrap_or_default();
            window.iter_mut().skip(2).zip(prefix).for_each(|(to, from)| *to = *from);
            if let Some(first) = self.slots.get_mut(hash(&window, seed, self.shift)) {
                *next = std::mem::replace(first, number as u16);
                shared += usize::from(*next != NONE);
            }
        }
        shared
    }

    /// Returns the first step that an entry may be of; a number that is not a step's if there is none.
    #[inline(always)]
    pub(super) fn first(&self, window: &[u8; WINDOW]) -> usize {
        usize::from(self.slots.get(hash(window, self.seed, self.shift)).copied().unwrap_or(NONE))
    }

    /// Returns the steps that an entry may be of after the first.
    pub(super) fn others(&self, first: usize) -> impl Iterator<Item = usize> {
        let next = |step: &usize| self.next.get(*step).map(|next| usize::from(*next));
        std::iter::successors(next(&first), next).take(MOST_SHARED)
    }

    /// Returns the step of a name.
    pub(super) fn of_name(&self, id: u32) -> Option<usize> {
        self.by_id.get(id as usize).map(|step| usize::from(*step))
    }
}

/// The bytes of a word that are the length of a key or of the key, by that length.
static KNOWN: [u64; 32] = {
    let mut known = [u64::MAX; 32];
    let mut length = 0;
    while length < 7 {
        known[length] = (1 << (8 * (length + 1))) - 1;
        length += 1;
    }
    known
};

/// Hashes the length of the key in a window, its first seven bytes, and its last four.
#[inline(always)]
fn hash(window: &[u8; WINDOW], seed: u64, shift: u32) -> usize {
    let length = window[3] % 32;
    let first = u64::from_le_bytes(word(window, 3)) & KNOWN[usize::from(length)];
    let last = u64::from(u32::from_le_bytes(word(window, usize::from(length.max(2)))));
    let mixed = first ^ last.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed.wrapping_mul(seed) >> shift) as usize
}

/// Returns bytes of the window from an offset on that is less than 32.
#[inline(always)]
fn word<const N: usize>(window: &[u8; WINDOW], at: usize) -> [u8; N] {
    window.get(at..at + N).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or([0; N])
}
