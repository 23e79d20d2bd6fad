//! A buffer that is filled from its end to its front.

use proto_wire::varint_size;

/// A buffer that is filled from its end to its front. Bytes in front of what has been written may be
/// overwritten at any time, so that short things can be stored with one wide store.
#[derive(Debug, Default)]
pub(super) struct Back {
    bytes: Vec<u8>,
    /// The first byte written.
    at: usize,
    /// How large the buffer may become.
    most: usize,
}

/// Spreads 56 bits over eight bytes, seven bits each.
#[inline(always)]
const fn spread(value: u64) -> u64 {
    let value = (value & 0x0fff_ffff) | ((value & 0x00ff_ffff_f000_0000) << 4);
    let value = (value & 0x0000_3fff_0000_3fff) | ((value & 0x0fff_c000_0fff_c000) << 2);
    (value & 0x007f_007f_007f_007f) | ((value & 0x3f80_3f80_3f80_3f80) << 1)
}

/// A varint of 1 to 8 bytes at the end of a word, as the word is stored.
#[inline(always)]
pub(super) const fn short_varint(value: u64, size: usize) -> u64 {
    // All but the last byte carry the continuation bit; the bytes are moved to the word's end.
    let more = CONTINUED & ((1u64 << (8 * (size - 1))) - 1);
    (spread(value) | more) << (64 - 8 * size)
}

const CONTINUED: u64 = 0x8080_8080_8080_8080;

impl Back {
    pub(super) fn clear(&mut self) {
        self.at = self.bytes.len();
    }

    /// Sets how many bytes there may be, reserved ones included.
    pub(super) fn set_limit(&mut self, bytes: usize) {
        self.most = bytes;
    }

    /// What has been written.
    pub(super) fn written(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn written_mut(&mut self) -> &mut [u8] {
        self.bytes.get_mut(self.at..).unwrap_or_default()
    }

    /// How much has been written.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Makes room for `bytes` bytes; every other method needs that first. False if there is no memory
    /// or the limit is reached.
    #[inline(always)]
    #[must_use]
    pub(super) fn reserve(&mut self, bytes: usize) -> bool {
        self.at >= bytes || self.grow(bytes)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) -> bool {
        let used = self.len();
        let Some(least) = used.checked_add(bytes).filter(|least| *least <= self.most) else { return false };
        let size = least.max(self.bytes.len().saturating_mul(2).min(self.most)).max(4096);
        let mut larger = Vec::new();
        if larger.try_reserve_exact(size).is_err() {
            return false;
        }
        larger.resize(size - used, 0);
        larger.extend_from_slice(self.written());
        self.at = size - used;
        self.bytes = larger;
        true
    }

    /// Puts bytes in front. Needs as many.
    #[inline(always)]
    pub(super) fn put(&mut self, bytes: &[u8]) {
        let start = self.at - bytes.len();
        self.bytes[start..self.at].copy_from_slice(bytes);
        self.at = start;
    }

    /// Passes over bytes without writing them. Needs as many.
    #[inline(always)]
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at -= bytes;
    }

    /// Puts the last `length` bytes of a block of `N` in front. Needs `N` bytes.
    #[inline(always)]
    pub(super) fn put_block<const N: usize>(&mut self, block: &[u8; N], length: usize) {
        self.bytes[self.at - N..self.at].copy_from_slice(block);
        self.at -= length;
    }

    /// Overwrites a byte among the written ones, `at` from the front.
    #[inline(always)]
    pub(super) fn patch(&mut self, at: usize, byte: u8) {
        self.bytes[self.at + at] = byte;
    }

    /// Overwrites the eight bytes that end `at` bytes after the front.
    #[inline(always)]
    pub(super) fn patch_word(&mut self, at: usize, word: u64) {
        let end = self.at + at;
        self.bytes[end - 8..end].copy_from_slice(&word.to_le_bytes());
    }

    /// The last bytes before the front, to be written from their end; the caller says how many with
    /// [`skip`](Self::skip). Needs as many.
    #[inline(always)]
    pub(super) fn window<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        self.bytes.get_mut(..self.at)?.last_chunk_mut::<N>()
    }

    /// Puts a byte in front. Needs one.
    #[inline(always)]
    pub(super) fn byte(&mut self, byte: u8) {
        self.at -= 1;
        self.bytes[self.at] = byte;
    }

    /// Puts a varint in front and returns its size. Needs 16 bytes.
    #[inline(always)]
    pub(super) fn varint(&mut self, value: u64) -> usize {
        let size = varint_size(value);
        if size <= 8 {
            let word = short_varint(value, size);
            self.bytes[self.at - 8..self.at].copy_from_slice(&word.to_le_bytes());
        } else {
            let low = spread(value & 0x00ff_ffff_ffff_ffff) | CONTINUED;
            let high = value >> 56;
            let high = if size == 9 { high << 8 } else { (high & 0x7f) | 0x80 | (1 << 8) };
            let end = self.at;
            self.bytes[end - size..end - size + 8].copy_from_slice(&low.to_le_bytes());
            let two = (high as u16).to_le_bytes();
            if size == 9 {
                self.bytes[end - 1] = two[1];
            } else {
                self.bytes[end - 2..end].copy_from_slice(&two);
            }
        }
        self.at -= size;
        size
    }
}

#[cfg(test)]
mod tests {
    use super::Back;

    fn unlimited() -> Back {
        let mut back = Back::default();
        back.set_limit(usize::MAX);
        back
    }

    fn varint(value: u64) -> Vec<u8> {
        let mut buffer = [0; 10];
        let mut writer = proto_wire::Writer::new(&mut buffer);
        writer.varint(value).unwrap();
        writer.written().to_vec()
    }

    #[test]
    fn varints_are_those_of_the_forward_writer() {
        let mut values = vec![0, u64::MAX, i64::MIN as u64, i64::MAX as u64];
        for bit in 0..64 {
            values.extend([
                1 << bit,
                (1 << bit) - 1,
                (1 << bit) | 1,
                u64::MAX >> bit,
                0x5555_5555_5555_5555 >> bit,
            ]);
        }
        for value in values {
            let mut back = unlimited();
            assert!(back.reserve(64));
            back.put(b"after");
            assert_eq!(back.varint(value), varint(value).len(), "{value:#x}");
            assert_eq!(back.written(), [varint(value).as_slice(), b"after"].concat(), "{value:#x}");
        }
    }

    #[test]
    fn growing_keeps_what_was_written() {
        let mut back = unlimited();
        let mut expected = Vec::new();
        for round in 0..2000u32 {
            assert!(back.reserve(20));
            back.put(&round.to_le_bytes());
            expected.splice(0..0, round.to_le_bytes());
        }
        assert_eq!(back.written(), expected);
        assert!(!back.reserve(usize::MAX), "no address space");
        back.set_limit(100_000);
        assert!(!back.reserve(100_000), "beyond the limit");
        assert_eq!(back.written(), expected);
    }
}
