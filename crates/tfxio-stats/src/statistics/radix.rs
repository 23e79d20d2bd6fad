//! Sorting of keys by their digits.

/// Bits of a digit.
const DIGIT: u32 = 11;
const DIGITS: usize = 1 << DIGIT;

/// Fewer keys are sorted by comparing them.
const FEWEST: usize = 512;

/// Sorts keys in ascending order. Of the bits of keys only those are looked at by which they differ from the least one; `spare` is
/// room to sort in.
pub(super) fn sort(keys: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if keys.len() < FEWEST || u32::try_from(keys.len()).is_err() {
        keys.sort_unstable();
        return;
    }
    if keys.is_sorted() {
        return;
    }
    let (least, most) =
        keys.iter().fold((u64::MAX, 0), |(least, most), key| (least.min(*key), most.max(*key)));
    let bits = keys.iter().fold(0, |bits, key| bits | key.wrapping_sub(least));
    spare.resize(keys.len(), 0);
    let (mut shift, end) = (bits.trailing_zeros(), u64::BITS - (most - least).leading_zeros());
    while shift < end {
        by_digit(keys, spare, |key| (key.wrapping_sub(least) >> shift) as usize % DIGITS);
        std::mem::swap(keys, spare);
        shift += DIGIT;
    }
}

/// Sorts keys by a digit, stably.
fn by_digit(keys: &[u64], sorted: &mut [u64], digit: impl Fn(u64) -> usize) {
    let mut starts = [0u32; DIGITS];
    for key in keys {
        if let Some(count) = starts.get_mut(digit(*key)) {
            *count += 1;
        }
    }
    let mut start = 0;
    for of_digit in &mut starts {
        start += std::mem::replace(of_digit, start);
    }
    for key in keys {
        if let Some(start) = starts.get_mut(digit(*key))
            && let Some(at) = sorted.get_mut(*start as usize)
        {
            *at = *key;
            *start += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sort;

    #[test]
    fn keys_of_all_ranges_are_sorted() {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random ^ random >> 29
        };
        let mut spare = Vec::new();
        for length in [0, 1, 2, 511, 512, 3000] {
            for (mask, offset) in [
                (u64::MAX, 0),
                (0, 7),
                (1, u64::MAX - 1),
                (0xff_ff00_0000, 1 << 63),
                (!0 << 29, 0),
                (0x7ff, 3),
                (0x800, 0),
            ] {
                let mut keys: Vec<u64> = (0..length).map(|_| (next() & mask).wrapping_add(offset)).collect();
                let mut expected = keys.clone();
                expected.sort();
                sort(&mut keys, &mut spare);
                assert_eq!(keys, expected, "{length} keys of {mask:x} and {offset}");
                sort(&mut keys, &mut spare);
                assert_eq!(keys, expected);
            }
        }
    }
}
