//! FarmHash's `Fingerprint64`, a hash that never changes: the same bytes give the same number on every machine.
//!
//! The algorithm is that of Geoff Pike's FarmHash (<https://github.com/google/farmhash>, version 1.1), which follows CityHash:
//! inputs of up to 16, 32 and 64 bytes have a formula each, longer ones go through a state of seven words, 64 bytes a step.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;
/// Initial state for long inputs.
const SEED: u64 = 81;
/// The bytes of one step.
const BLOCK: usize = 64;

/// Returns the `Fingerprint64` of FarmHash: the same bytes give the same number everywhere and always, as in TensorFlow
/// (`tf.strings.to_hash_bucket_fast`) and BigQuery (`FARM_FINGERPRINT`, which reads the number as a signed one).
///
/// ```
/// assert_eq!(tfxio_base::fingerprint(b""), 0x9ae1_6a3b_2f90_404f);
/// ```
#[must_use]
pub fn fingerprint(bytes: &[u8]) -> u64 {
    match bytes.len() {
        0..=16 => up_to_16(bytes),
        17..=32 => up_to_32(bytes),
        33..=64 => up_to_64(bytes),
        _ => long(bytes),
    }
}

/// Returns the eight bytes at an offset, which must be there.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// Returns the four bytes at an offset, which must be there.
#[inline]
fn half_word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_le_bytes(*chunk).into())
}

#[inline]
fn shift_mix(value: u64) -> u64 {
    value ^ (value >> 47)
}

/// Mixes two words into one.
#[inline]
fn mix(u: u64, v: u64, multiplier: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(multiplier));
    shift_mix((v ^ a).wrapping_mul(multiplier)).wrapping_mul(multiplier)
}

/// Returns the multiplier of the formulas of up to 64 bytes.
#[inline]
fn multiplier_of(length: usize) -> u64 {
    K2.wrapping_add((length as u64).wrapping_mul(2))
}

fn up_to_16(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let multiplier = multiplier_of(length);
    match length {
        0 => K2,
        1..=3 => {
            let [first, middle, last] = [bytes[0], bytes[length / 2], bytes[length - 1]].map(u64::from);
            let y = first + (middle << 8);
            let z = length as u64 + (last << 2);
            shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        4..=7 => {
            let start = length as u64 + (half_word(bytes, 0) << 3);
            mix(start, half_word(bytes, length - 4), multiplier)
        }
        _ => {
            let a = word(bytes, 0).wrapping_add(K2);
            let b = word(bytes, length - 8);
            let c = b.rotate_right(37).wrapping_mul(multiplier).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(multiplier);
            mix(c, d, multiplier)
        }
    }
}

/// Returns the two words that the formulas of 17 to 64 bytes begin with, and the first word of the input times `first`.
#[inline]
fn ends(bytes: &[u8], first: u64) -> (u64, u64, u64) {
    let length = bytes.len();
    let multiplier = multiplier_of(length);
    let a = word(bytes, 0).wrapping_mul(first);
    let b = word(bytes, 8);
    let c = word(bytes, length - 8).wrapping_mul(multiplier);
    let d = word(bytes, length - 16).wrapping_mul(K2);
    let y = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let z = a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c);
    (y, z, a)
}

fn up_to_32(bytes: &[u8]) -> u64 {
    let (y, z, _) = ends(bytes, K1);
    mix(y, z, multiplier_of(bytes.len()))
}

fn up_to_64(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let multiplier = multiplier_of(length);
    let (y, z, a) = ends(bytes, K2);
    let z = mix(y, z, multiplier);
    let e = word(bytes, 16).wrapping_mul(multiplier);
    let f = word(bytes, 24);
    let g = y.wrapping_add(word(bytes, length - 32)).wrapping_mul(multiplier);
    let h = z.wrapping_add(word(bytes, length - 24)).wrapping_mul(multiplier);
    mix(
        e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h),
        e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g),
        multiplier,
    )
}

/// The state of a long input.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    fn new(first: u64) -> Self {
        let y = SEED.wrapping_mul(K1).wrapping_add(113);
        Self {
            x: SEED.wrapping_mul(K2).wrapping_add(first),
            y,
            z: shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2),
            v: (0, 0),
            w: (0, 0),
        }
    }

    /// Takes in 64 bytes. `weight` is 1 but for the last ones.
    #[inline]
    fn step(&mut self, block: &[u8], multiplier: u64, weight: u64) {
        let at = |index: usize| word(block, 8 * index);
        let x = self.x.wrapping_add(self.y).wrapping_add(self.v.0).wrapping_add(at(1));
        let x = x.rotate_right(37).wrapping_mul(multiplier) ^ self.w.1.wrapping_mul(weight);
        let y = self.y.wrapping_add(self.v.1).wrapping_add(at(6));
        let y = y.rotate_right(42).wrapping_mul(multiplier);
        let y = y.wrapping_add(self.v.0.wrapping_mul(weight)).wrapping_add(at(5));
        let z = self.z.wrapping_add(self.w.0).rotate_right(33).wrapping_mul(multiplier);
        self.v = half_block(block, 0, self.v.1.wrapping_mul(multiplier), x.wrapping_add(self.w.0));
        self.w = half_block(block, 32, z.wrapping_add(self.w.1), y.wrapping_add(at(2)));
        (self.x, self.y, self.z) = (z, y, x);
    }
}

/// Mixes 32 bytes with two words.
#[inline]
fn half_block(block: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let [first, second, third, fourth] = [0, 8, 16, 24].map(|offset| word(block, at + offset));
    let a = a.wrapping_add(first);
    let b = b.wrapping_add(a).wrapping_add(fourth).rotate_right(21);
    let sum = a.wrapping_add(second).wrapping_add(third);
    (sum.wrapping_add(fourth), b.wrapping_add(sum.rotate_right(44)).wrapping_add(a))
}

fn long(bytes: &[u8]) -> u64 {
    let mut state = State::new(word(bytes, 0));
    let (before_last, last) = bytes.split_at(bytes.len() - BLOCK);
    // The last block is always the last 64 bytes; the blocks before it may overlap it.
    let rest = (bytes.len() - 1) % BLOCK;
    for block in bytes[..before_last.len() + BLOCK - 1 - rest].chunks_exact(BLOCK) {
        state.step(block, K1, 1);
    }
    let multiplier = K1.wrapping_add((state.z & 0xff) << 1);
    state.w.0 = state.w.0.wrapping_add(rest as u64);
    state.v.0 = state.v.0.wrapping_add(state.w.0);
    state.w.0 = state.w.0.wrapping_add(state.v.0);
    state.step(last, multiplier, 9);
    let State { x, y, z, v, w } = state;
    let low = mix(v.0, w.0, multiplier).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z);
    mix(low, mix(v.1, w.1, multiplier).wrapping_add(x), multiplier)
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    /// Bytes that do not repeat within a block.
    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * 7 + at / 251) as u8).collect()
    }

    #[test]
    fn every_length_has_a_fingerprint_of_its_own() {
        let mut seen: Vec<u64> = (0..1000).map(|length| fingerprint(&bytes(length))).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 1000);
    }
}
