//! Looking for bytes eight at a time.
//!
//! Cells and strings are short: a call of `memchr` for each costs more than the few words that it looks at. Words are read with
//! their first byte lowest, and a byte is marked by its highest bit. Within [`any`], a borrow may mark bytes above one that is
//! rightly marked, so that the lowest mark counts; [`every`] has no borrow, and all of its marks count.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Bytes of a word.
pub(crate) const WORD: usize = 8;

/// Returns a byte eight times.
pub(crate) const fn repeated(byte: u8) -> u64 {
    LOW.wrapping_mul(byte as u64)
}

/// Returns the word that eight bytes are.
#[inline]
pub(crate) fn word(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

/// Marks at least the first byte that is the repeated one.
#[inline]
pub(crate) const fn any(word: u64, byte: u64) -> u64 {
    below(word ^ byte, LOW)
}

/// Marks at least the first byte that is less than the repeated one, which is at most 128.
#[inline]
pub(crate) const fn below(word: u64, limit: u64) -> u64 {
    word.wrapping_sub(limit) & !word & HIGH
}

/// Marks the bytes that are the repeated one, and no others.
#[inline]
pub(crate) const fn every(word: u64, byte: u64) -> u64 {
    let other = word ^ byte;
    !(((other & !HIGH) + !HIGH) | other | !HIGH)
}

/// Returns the index of the lowest byte that is marked.
#[inline]
pub(crate) const fn first(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// Returns the index of the first byte of which `is` is true, of words by their first mark.
#[inline]
pub(crate) fn position(bytes: &[u8], marks: impl Fn(u64) -> u64, is: impl Fn(u8) -> bool) -> Option<usize> {
    let words = bytes.chunks_exact(WORD);
    let rest = words.remainder();
    for (index, bytes) in words.enumerate() {
        let marks = marks(word(bytes));
        if marks != 0 {
            return Some(index * WORD + first(marks));
        }
    }
    let before = bytes.len() - rest.len();
    rest.iter().position(|byte| is(*byte)).map(|index| before + index)
}

/// Calls `found` with the index of each byte that is this one, in their order, until it fails.
#[inline]
pub(crate) fn each<E>(
    bytes: &[u8],
    byte: u8,
    mut found: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let (words, repeated) = (bytes.chunks_exact(WORD), repeated(byte));
    let rest = words.remainder();
    for (index, bytes) in words.enumerate() {
        let mut marks = every(word(bytes), repeated);
        while marks != 0 {
            found(index * WORD + first(marks))?;
            marks &= marks - 1;
        }
    }
    let before = bytes.len() - rest.len();
    let mut rest = rest.iter().enumerate().filter(|(_, other)| **other == byte);
    rest.try_for_each(|(index, _)| found(before + index))
}

#[cfg(test)]
mod tests {
    use super::{any, below, each, every, position, repeated};

    #[test]
    fn bytes_are_found_wherever_they_stand() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u8
        };
        // Neighbours of what is looked for are what a borrow would mark.
        let alphabet = [b'"', b'"' + 1, b'"' ^ 0x80, b'\\', b'\\' + 1, 0x1f, 0x20, 0x1e, 0, 0x80, 0xff, b'a'];
        for _ in 0..20_000 {
            let bytes = (0..next() % 30).map(|_| alphabet[usize::from(next()) % alphabet.len()]);
            let bytes = bytes.collect::<Vec<_>>();
            let (quote, escape) = (repeated(b'"'), repeated(b'\\'));
            let is = |byte| matches!(byte, b'"' | b'\\' | 0..=0x1f);
            let marks = |word| any(word, quote) | any(word, escape) | below(word, repeated(0x20));
            assert_eq!(position(&bytes, marks, is), bytes.iter().position(|byte| is(*byte)), "{bytes:?}");
            let mut quotes = Vec::new();
            let found: Result<(), ()> = each(&bytes, b'"', |index| {
                quotes.push(index);
                Ok(())
            });
            assert_eq!(found, Ok(()));
            assert!(quotes.iter().copied().eq((0..bytes.len()).filter(|index| bytes[*index] == b'"')));
            for chunk in bytes.chunks_exact(8) {
                let marks = every(super::word(chunk), quote);
                for (index, byte) in chunk.iter().enumerate() {
                    assert_eq!(marks >> (8 * index + 7) & 1 == 1, *byte == b'"', "{chunk:?}");
                }
                assert_eq!(marks & !0x8080_8080_8080_8080, 0);
            }
        }
    }
}
