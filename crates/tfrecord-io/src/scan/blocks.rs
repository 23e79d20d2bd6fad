//! The fast part of the search: sixty-four positions at a time.

mod swar;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::Candidate;
use crate::frame::HEADER_LEN;

/// Positions tested at a time: one bit of a `u64` each.
const BLOCK: usize = 64;

/// Up to this many positions of a block are tested one by one. With more of them, as in small `int64` values, it is
/// cheaper to rule out most of them at once by the first byte of the checksum.
const FEW: usize = 4;

/// Searches whole blocks of `data` from `from` on. `Err` holds the position from which on the rest is too short for
/// this way of searching.
#[inline]
pub(super) fn search(data: &[u8], from: usize, max_length: u64) -> Result<Candidate, usize> {
    let search = Search { data, from, max_length };
    // How many bytes of a length may be other than zero.
    match max_length {
        0..=0xffff_ffff => search.run_here::<4>(),
        0x1_0000_0000..=0xff_ffff_ffff => search.run_here::<5>(),
        0x100_0000_0000.. => search.run_here::<8>(),
    }
}

/// Search for a header in `data`, from a position on.
#[derive(Clone, Copy, Debug)]
struct Search<'a> {
    data: &'a [u8],
    from: usize,
    max_length: u64,
}

impl Search<'_> {
    /// Searches with the instructions of this processor. All bytes of a length from `LOW` on must be zero.
    #[inline]
    fn run_here<const LOW: usize>(self) -> Result<Candidate, usize> {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("sse4.2") {
                // SAFETY: the processor has these four, as just asked.
                return unsafe { x86::search_avx2::<LOW>(self) };
            }
            if has!("sse4.2") {
                // SAFETY: the processor has SSE 4.2, as just asked.
                return unsafe { x86::search_sse::<LOW>(self) };
            }
        }
        self.run_anywhere::<LOW>()
    }

    /// Runs without instructions that only some processors have.
    fn run_anywhere<const LOW: usize>(self) -> Result<Candidate, usize> {
        self.run::<LOW>(swar::zero_bytes, swar::first_byte_fits::<LOW>, crate::crc::header_crc)
    }

    /// Searches, given the operations that processors have instructions for: which bytes of a block are zero; which
    /// positions have the right first byte of a checksum; and the masked CRC of a length. Always inlined, so that they
    /// are compiled for the processor that the caller has found.
    #[inline(always)]
    fn run<const LOW: usize>(
        self,
        zero_bytes: impl Fn(&[u8; BLOCK]) -> u64,
        first_byte_fits: impl Fn(&[u8; 2 * BLOCK]) -> u64,
        header_crc: impl Fn(u64) -> u32,
    ) -> Result<Candidate, usize> {
        let Self { data, from: mut at, max_length } = self;
        let mut zero = match data.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>) {
            Some(block) => zero_bytes(block),
            None => return Err(at),
        };
        // The test of a block's last position reaches into the next block.
        while let Some(two) = data.get(at..).and_then(<[u8]>::first_chunk::<{ 2 * BLOCK }>) {
            let (_, behind) = two.split_at(BLOCK);
            let zero_behind = behind.first_chunk::<BLOCK>().map_or(0, &zero_bytes);
            let mut positions = candidates::<LOW>(zero, zero_behind);
            zero = zero_behind;
            if (0..FEW).fold(positions, |left, _| left & left.wrapping_sub(1)) != 0 {
                positions &= first_byte_fits(two);
            }
            while positions != 0 {
                let position = positions.trailing_zeros() as usize % BLOCK;
                positions &= positions - 1;
                let Some(bytes) = two.get(position..).and_then(<[u8]>::first_chunk::<HEADER_LEN>) else {
                    break;
                };
                let [l0, l1, l2, l3, l4, l5, l6, l7, c0, c1, c2, c3] = *bytes;
                let length = u64::from_le_bytes([l0, l1, l2, l3, l4, l5, l6, l7]);
                if header_crc(length) == u32::from_le_bytes([c0, c1, c2, c3]) && length <= max_length {
                    return Ok(Candidate { position: at + position, length });
                }
            }
            at += BLOCK;
        }
        Err(at)
    }
}

/// Returns the positions of a block that can begin a header whose length has zeros from its byte `LOW` on: bit `p` for
/// position `p`. The arguments tell which bytes are zero in the block and in the next one.
#[inline(always)]
fn candidates<const LOW: usize>(zero: u64, zero_behind: u64) -> u64 {
    let zero = u128::from(zero) | u128::from(zero_behind) << BLOCK;
    let runs_of_2 = zero & zero >> 1;
    let runs_of_4 = runs_of_2 & runs_of_2 >> 2;
    // Nine zero bytes are no header: the checksum of the length 0 does not begin with a zero.
    let runs_of_9 = runs_of_4 & runs_of_4 >> 4 & zero >> 8;
    let high_bytes_are_zero = match LOW {
        4 => runs_of_4 >> 4,
        5 => (runs_of_2 & zero >> 2) >> 5,
        _ => u128::MAX,
    };
    (high_bytes_are_zero & !runs_of_9) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Header;

    /// Half of these bytes are zero, many others 1 or 128: the values that a carry would confuse.
    fn bytes<const N: usize>(random: &mut impl FnMut() -> u64) -> [u8; N] {
        std::array::from_fn(|_| {
            let bits = random();
            [0, 0, 0, 0, 1, 128, 255, (bits >> 40) as u8][(bits >> 61) as usize]
        })
    }

    fn random() -> impl FnMut() -> u64 {
        let mut state = 1u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state
        }
    }

    /// Checks what finds the zero bytes of a block.
    pub(super) fn check_zero_bytes(zero_bytes: impl Fn(&[u8; BLOCK]) -> u64) {
        let mut random = random();
        for _ in 0..2000 {
            let block = bytes(&mut random);
            let expected =
                block.iter().enumerate().fold(0, |mask, (i, &byte)| mask | u64::from(byte == 0) << i);
            assert_eq!(zero_bytes(&block), expected);
        }
    }

    /// Checks what finds the positions at which the first byte of the checksum is right, where it must be exact.
    pub(super) fn check_first_byte<const LOW: u32>(fits: impl Fn(&[u8; 2 * BLOCK]) -> u64) {
        let mut random = random();
        let (mut right, mut wrong) = (0, 0);
        for round in 0..20 * BLOCK {
            let mut two: [u8; 2 * BLOCK] = bytes(&mut random);
            let position = round % BLOCK;
            let length = random() >> position & u64::MAX >> (64 - 8 * LOW);
            two[position..position + HEADER_LEN].copy_from_slice(&Header::encode(length));
            let found = fits(&two);
            for p in 0..BLOCK {
                let header = Header::read(two[p..].first_chunk().unwrap());
                let length = header.claimed_length();
                if u128::from(length) >> (8 * LOW) == 0 {
                    let expected = crate::crc::header_crc(length) as u8 == two[p + 8];
                    assert_eq!(found >> p & 1 == 1, expected, "round {round}, position {p}");
                    right += u32::from(expected);
                    wrong += u32::from(!expected);
                }
            }
        }
        assert!(right >= 1280 && wrong > 5000, "{right} {wrong}");
    }

    #[test]
    fn the_ways_of_searching_agree() {
        let mut data = vec![0; 777];
        for length in [0u64, 1, 5, 0xffff_ffff, 1 << 20, 1 << 33, 0xff_0000_0000, 1 << 41, u64::MAX] {
            data.extend_from_slice(&Header::encode(length));
            data.extend(std::iter::repeat_n([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9], 13).flatten());
        }
        for from in 0..data.len() {
            check_ways::<4>(Search { data: &data, from, max_length: 1 << 30 });
            check_ways::<5>(Search { data: &data, from, max_length: 1 << 35 });
            check_ways::<8>(Search { data: &data, from, max_length: 1 << 50 });
            check_ways::<8>(Search { data: &data, from, max_length: u64::MAX });
        }
    }

    fn check_ways<const LOW: usize>(search: Search<'_>) {
        let expected = search.run_anywhere::<LOW>();
        assert_eq!(search.run_here::<LOW>(), expected);
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("sse4.2") {
            // SAFETY: as just asked.
            assert_eq!(unsafe { x86::search_sse::<LOW>(search) }, expected);
        }
    }
}
