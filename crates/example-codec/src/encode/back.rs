//! A buffer that is filled from its end to its front.

use proto_wire::varint_size;

/// A buffer that is filled from its end to its front. Bytes in front of what has been written may be
/// overwritten at any time, so that short things can be stored with one wide store.
#[derive(Debug, Default)]
pub(super) struct Back {
    bytes: Vec<u8>,
    /// The first byte written.
    at: usize,
    /// Maximum size of the buffer.
    most: usize,
}

/// Spreads 56 bits over eight bytes, seven bits each.
#[inline(always)]
const fn spread(value: u64) -> u64 {
    let value = (value & 0x0fff_ffff) | ((value & 0x00ff_ffff_f000_0000) << 4);
    let value = (value & 0x0000_3fff_0000_3fff) | ((value & 0x0fff_c000_0fff_c000) << 2);
    (value & 0x007f_007f_007f_007f) | ((value & 0x3f80_3f80_3f80_3f80) << 1)
}

/// Returns a varint of 1 to 8 bytes at the end of a word, as the word is stored.
#[inline(always)]
pub(super) const fn short_varint(value: u64, size: usize) -> u64 {
    // The bytes are moved to the word's end. All but the last carry the continuation bit.
    ((spread(value) | CONTINUED) << (64 - 8 * size)) & (u64::MAX >> 1)
}

const CONTINUED: u64 = 0x8080_8080_8080_8080;

impl Back {
    /// Returns an empty buffer that may take a number of bytes.
    pub(super) fn with_limit(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    pub(super) fn clear(&mut self) {
        self.at = self.bytes.len();
    }

    /// Sets how many bytes there may be, reserved ones included.
    pub(super) fn set_limit(&mut self, bytes: usize) {
        self.most = bytes;
    }

    /// Returns the written bytes.
    pub(super) fn written(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn written_mut(&mut self) -> &mut [u8] {
        self.bytes.get_mut(self.at..).unwrap_or_default()
    }

    /// Returns the number of written bytes.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Makes room for `bytes` bytes; every other method needs that first. False if memory is exhausted or the limit is
    /// reached.
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
        let size = least.max(self.bytes.len().saturating_mul(2).min(self.most)).max(512);
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

    /// Returns the last bytes before the front, to be written from their end; the caller then passes their number to
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
        let size = put_varint(&mut self.bytes[..self.at], value);
        self.at -= size;
        size
    }

    /// Puts varints in front and returns the size of all. Needs as many bytes and 10 more.
    #[inline(always)]
    pub(super) fn varints(&mut self, values: &[i64]) -> usize {
        let mut front = &mut self.bytes[..self.at];
        // Most lists are of small numbers, which take less work.
        let bits = values.iter().fold(0, |bits, value| bits | value) as u64;
        if bits < 1 << 7 {
            let start = front.len() - values.len();
            front[start..].iter_mut().zip(values).for_each(|(byte, value)| *byte = *value as u8);
            front = &mut front[..start];
        } else if bits < 1 << 28 {
            for value in values.iter().rev() {
                let start = front.len() - put_small_varint(front, *value as u32);
                front = &mut front[..start];
            }
        } else {
            for value in values.iter().rev() {
                let start = front.len() - put_varint(front, *value as u64);
                front = &mut front[..start];
            }
        }
        let size = self.at - front.len();
        self.at -= size;
        size
    }
}

/// Puts a varint of at most 28 bits at the end of 4 or more bytes and returns its size.
#[inline(always)]
fn put_small_varint(front: &mut [u8], value: u32) -> usize {
    let (end, size) = (front.len(), varint_size(u64::from(value)));
    let spread = (value & 0x3fff) | ((value & 0x0fff_c000) << 2);
    let spread = (spread & 0x007f_007f) | ((spread & 0x3f80_3f80) << 1);
    let word = ((spread | CONTINUED as u32) << (32 - 8 * size)) & (u32::MAX >> 1);
    front[end - 4..].copy_from_slice(&word.to_le_bytes());
    size
}

/// Puts a varint at the end of 10 or more bytes and returns its size.
#[inline(always)]
fn put_varint(front: &mut [u8], value: u64) -> usize {
    let (end, size) = (front.len(), varint_size(value));
    if size <= 8 {
        front[end - 8..].copy_from_slice(&short_varint(value, size).to_le_bytes());
    } else {
        // What is left of the first 56 bits are one byte, or two of which the last is 1.
        let high = value >> 56;
        let last = if size == 9 { high << 8 } else { high | 0x100 } as u16;
        front[end - 2..].copy_from_slice(&last.to_le_bytes());
        let low = spread(value & (u64::MAX >> 8)) | CONTINUED;
        front[end - size..end - size + 8].copy_from_slice(&low.to_le_bytes());
    }
    size
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
    fn varints_of_a_list_are_those_of_each() {
        let lists = [
            vec![],
            vec![0],
            vec![127, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            vec![128, 5],
            vec![(1 << 28) - 1, 0, 127, 128, 16_383, 16_384, (1 << 21) - 1, 1 << 21],
            vec![1 << 28, 1, 200],
            vec![-1, 3, i64::MAX, i64::MIN, 1 << 56, (1 << 56) - 1],
        ];
        for values in lists {
            let mut back = unlimited();
            assert!(back.reserve(10 * values.len()));
            let expected = values.iter().flat_map(|value| varint(*value as u64)).collect::<Vec<_>>();
            assert_eq!(back.varints(&values), expected.len(), "{values:?}");
            assert_eq!(back.written(), expected, "{values:?}");
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
