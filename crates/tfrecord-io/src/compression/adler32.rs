//! Adler-32 (RFC 1950, section 8.2), in blocks that a compiler turns into vector code.

const MODULUS: u32 = 65_521;
/// Bytes handled at a time.
const LANES: usize = 32;
/// Blocks before the sums must be reduced: 5,552 bytes is the limit of the RFC's own sums.
const BLOCKS: usize = 5_552 / LANES;

/// A running Adler-32.
#[derive(Clone, Debug)]
pub(crate) struct Adler32 {
    a: u32,
    b: u32,
}

impl Adler32 {
    pub(crate) fn new() -> Self {
        Self { a: 1, b: 0 }
    }

    pub(crate) fn value(&self) -> u32 {
        (self.b << 16) | self.a
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        let (mut a, mut b) = (self.a, self.b);
        for stretch in data.chunks(BLOCKS * LANES) {
            let (blocks, rest) = stretch.as_chunks::<LANES>();
            // Each lane has sums of its own, made by additions only: `sums` of its bytes, and `prefixes` of the sums
            // before each block, which is how often a byte counts again in whole blocks.
            let mut sums = [0u32; LANES];
            let mut prefixes = [0u32; LANES];
            for block in blocks {
                for ((prefix, sum), &byte) in prefixes.iter_mut().zip(&mut sums).zip(block) {
                    *prefix += *sum;
                    *sum += u32::from(byte);
                }
            }
            b += a * (blocks.len() * LANES) as u32;
            for (lane, (prefix, sum)) in prefixes.iter().zip(&sums).enumerate() {
                // At most 173 * 172 / 2 * 255 * 32 + 173 * 255 * 32: no overflow before the modulus.
                b = (b + prefix * LANES as u32 + sum * (LANES - lane) as u32) % MODULUS;
                a += sum;
            }
            for &byte in rest {
                a += u32::from(byte);
                b += a;
            }
            a %= MODULUS;
            b %= MODULUS;
        }
        (self.a, self.b) = (a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_definition_in_the_worst_case() {
        for length in [0, 1, 31, 32, 33, 5551, 5552, 5553, 20_000] {
            for byte in [0, 1, 255] {
                let data = vec![byte; length];
                let (mut a, mut b) = (1u32, 0u32);
                for &byte in &data {
                    a = (a + u32::from(byte)) % MODULUS;
                    b = (b + a) % MODULUS;
                }
                let mut adler = Adler32::new();
                let (head, tail) = data.split_at(length / 3);
                adler.update(head);
                adler.update(tail);
                assert_eq!(adler.value(), (b << 16) | a, "{length} bytes of {byte}");
            }
        }
    }
}
