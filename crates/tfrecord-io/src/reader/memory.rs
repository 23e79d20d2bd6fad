//! Memory that files are read into.

use std::ops::{Deref, DerefMut, Range};

use tfxio_base::resize_zeroed;

/// Distance in bytes past the offset in the file, modulo a page, within which the copy from the page cache is slow.
const SLOW: usize = 64;
/// Size of a page in bytes.
const PAGE: usize = 4096;

/// Initialised bytes, the first of which can be moved by [`SLOW`] bytes.
///
/// The kernel copies from the page cache by `rep movsb`. Where the destination starts less than 32 bytes past the source,
/// modulo 4 KiB, AMD's processors do that at a quarter of the speed (2.4 in place of 10 GB/s on EPYC). A large vector starts
/// 16 bytes into a page, so a read from the start of a file to the start of a vector is just such a copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    bytes: Vec<u8>,
    /// Index of the first byte that is used: 0 or [`SLOW`].
    lead: usize,
}

impl Memory {
    /// Makes it at least `len` long. It grows by half at least, so that growing in small steps stays cheap; callers
    /// bound `len` by bytes that they have or are about to read, never by a claim of the input.
    pub(super) fn grow(&mut self, len: usize) {
        let len = len.saturating_add(SLOW);
        if self.bytes.len() < len {
            let len = len.max(self.bytes.len() + self.bytes.len() / 2);
            if !self.bytes.is_empty() {
                self.bytes.reserve_exact(len - self.bytes.len());
            }
            resize_zeroed(&mut self.bytes, len);
        }
    }

    /// Moves the first `filled` bytes if a file could be read only slowly to what follows them. The first of them is the
    /// byte at `offset` of that file.
    pub(super) fn settle(&mut self, offset: u64, filled: usize) {
        let offset = (offset % PAGE as u64) as usize;
        let address = self.as_ptr() as usize % PAGE;
        let distance = (address + PAGE - offset) % PAGE;
        if (1..SLOW).contains(&distance) && !self.is_empty() && filled <= self.len() {
            let Range { start, end } = self.lead..self.lead + filled;
            self.lead = SLOW - self.lead;
            self.bytes.copy_within(start..end, self.lead);
        }
    }
}

impl Deref for Memory {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // The same length whether the first bytes are used or the last ones.
        let end = self.bytes.len() - (SLOW - self.lead).min(self.bytes.len());
        self.bytes.get(self.lead..end).unwrap_or_default()
    }
}

impl DerefMut for Memory {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        let end = self.bytes.len() - (SLOW - self.lead).min(self.bytes.len());
        self.bytes.get_mut(self.lead..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Memory, PAGE, SLOW};

    #[test]
    fn no_byte_is_read_to_a_slow_address_and_none_is_lost() {
        for len in [1, 100, 5000, 300_000] {
            let mut memory = Memory::default();
            memory.grow(len);
            assert!(memory.len() >= len);
            let room = memory.len();
            for (index, byte) in memory.iter_mut().enumerate() {
                *byte = index as u8;
            }
            for offset in 0..2 * PAGE as u64 {
                let filled = len - len / 10;
                memory.settle(offset, filled);
                let distance = (memory.as_ptr() as usize).wrapping_sub(offset as usize) % PAGE;
                assert!(!(1..SLOW).contains(&distance), "{len} {offset}");
                assert_eq!(memory.len(), room);
                if offset % 512 == 0 {
                    assert!(memory[..filled].iter().enumerate().all(|(index, byte)| *byte == index as u8));
                }
            }
        }
    }

    #[test]
    fn empty_memory_stays_empty() {
        let mut memory = Memory::default();
        memory.settle(0, 0);
        memory.settle(u64::MAX, 10);
        assert!(memory.is_empty());
    }
}
