//! The comparison of bytes that are constant but for lengths.

use super::WINDOW;

/// Bytes that are compared at once.
pub(crate) const BLOCK: usize = 32;

/// Selection of the bytes of a block that count, and of the lengths among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape(u8);

/// All bits of each byte that is a length, and of each that counts.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Masks {
    lengths: [u8; BLOCK],
    counts: [u8; BLOCK],
}

/// Most lengths after a name.
const LENGTHS: usize = 3;
/// Number of possible counts: none to all bytes.
const COUNTS: usize = BLOCK + 1;

static MASKS: [Masks; 256] = {
    let mut all = [Masks { lengths: [0; BLOCK], counts: [0; BLOCK] }; 256];
    let mut number = 0;
    while number < LENGTHS * COUNTS {
        let (after, count) = (2 * (number / COUNTS) + 1, number % COUNTS);
        let mut at = 0;
        while at < count {
            all[number].counts[at] = 0xff;
            // The second byte, and each second of those after the name.
            if at == 1 || (count - at <= after && (count - at) % 2 == 1) {
                all[number].lengths[at] = 0xff;
            }
            at += 1;
        }
        number += 1;
    }
    all[255].counts[0] = 0xff;
    all[255].lengths[0] = 0xff;
    all
};

impl Shape {
    /// The shape of a step that never matches: the first byte of an entry is a length, and is compared with itself plus the
    /// step's first byte, which is 1.
    pub(super) const NEVER: Self = Self(255);

    /// Returns the shape of the first `count` bytes of an entry, of which the last `after` are lengths and tags by turns,
    /// and the second is a length too. `None` if they are too many.
    pub(super) fn of(after: usize, count: usize) -> Option<Self> {
        if count > BLOCK || after.is_multiple_of(2) || after >= 2 * LENGTHS {
            return None;
        }
        u8::try_from(after / 2 * COUNTS + count).ok().map(Self)
    }

    #[inline(always)]
    fn masks(self) -> &'static Masks {
        &MASKS[usize::from(self.0)]
    }
}

/// Returns the block of a window at an offset less than 32.
#[inline(always)]
pub(super) fn block(window: &[u8; WINDOW], from: usize) -> &[u8; BLOCK] {
    window.get(from..from + BLOCK).and_then(|block| block.first_chunk()).unwrap_or(&[0; BLOCK])
}

/// Returns whether bytes are the `expected` ones, after `length` is added to each length of that shape, which must not
/// become more than 127.
#[inline(always)]
pub(crate) fn is_equal(bytes: &[u8; BLOCK], expected: &[u8; BLOCK], shape: Shape, length: u8) -> bool {
    let masks = shape.masks();
    let length = u64::from(length) * 0x0101_0101_0101_0101;
    let words = |bytes: &[u8; BLOCK]| bytemuck::cast::<[u8; BLOCK], [u64; 4]>(*bytes);
    let expected = words(expected).into_iter().zip(words(&masks.lengths));
    // No byte overflows, so this is an addition of bytes.
    let expected = expected.map(|(expected, lengths)| expected.wrapping_add(length & lengths));
    let wrong = words(bytes).into_iter().zip(expected).zip(words(&masks.counts));
    wrong.fold(0, |wrong, ((byte, expected), counts)| wrong | ((byte ^ expected) & counts)) == 0
}

/// Does the same with vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn is_equal_avx2(bytes: &[u8; BLOCK], expected: &[u8; BLOCK], shape: Shape, length: u8) -> bool {
    use core::arch::x86_64::{
        __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_set1_epi8, _mm256_testz_si256, _mm256_xor_si256,
    };
    let vector = |bytes: &[u8; BLOCK]| bytemuck::cast::<[u8; BLOCK], __m256i>(*bytes);
    let masks = shape.masks();
    let added = _mm256_and_si256(_mm256_set1_epi8(length as i8), vector(&masks.lengths));
    let wrong = _mm256_xor_si256(vector(bytes), _mm256_add_epi8(vector(expected), added));
    _mm256_testz_si256(wrong, vector(&masks.counts)) == 1
}
