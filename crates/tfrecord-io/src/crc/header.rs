//! The checksum of a record's length: always eight bytes, so it has a path of its own.
//!
//! A general CRC function spends longer on choosing an algorithm than on eight bytes. One instruction of SSE 4.2 or
//! of the Armv8 CRC extension does the whole work, and a scan for headers asks for it at millions of positions.

use super::{POLYNOMIAL, mask};

/// Returns the masked CRC-32C of the eight bytes of a length, as stored in the first eight bytes of a record.
///
/// ```
/// use tfrecord_io::crc::{header_crc, masked_crc32c};
/// assert_eq!(header_crc(698), masked_crc32c(&698u64.to_le_bytes()));
/// ```
#[inline]
pub fn header_crc(length: u64) -> u32 {
    mask(!raw(length))
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn raw(length: u64) -> u32 {
    use std::arch::x86_64::_mm_crc32_u64;

    #[target_feature(enable = "sse4.2")]
    fn hardware(length: u64) -> u32 {
        // The instruction takes the bytes in little-endian order, which is the stored order. The upper half is zero.
        _mm_crc32_u64(u64::from(u32::MAX), length) as u32
    }

    if std::arch::is_x86_feature_detected!("sse4.2") {
        // SAFETY: the processor has SSE 4.2, as just asked (a cached flag, not a CPUID each time).
        unsafe { hardware(length) }
    } else {
        portable(length)
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
#[inline]
fn raw(length: u64) -> u32 {
    use std::arch::aarch64::__crc32cd;

    #[target_feature(enable = "crc")]
    fn hardware(length: u64) -> u32 {
        __crc32cd(u32::MAX, length)
    }

    if std::arch::is_aarch64_feature_detected!("crc") {
        // SAFETY: the processor has the CRC extension, as just asked.
        unsafe { hardware(length) }
    } else {
        portable(length)
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
#[inline]
fn raw(length: u64) -> u32 {
    portable(length)
}

/// CRC tables for eight bytes at once ("slicing by eight"): `LENGTH_TABLES[k][b]` is the CRC of byte `b` followed by `k`
/// zero bytes, without the inversions at both ends.
pub(crate) static LENGTH_TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0u32; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        k += 1;
    }
    tables
};

/// The same without special instructions.
#[cfg_attr(
    all(target_arch = "x86_64", target_feature = "sse4.2"),
    allow(dead_code, reason = "kept for the tests")
)]
fn portable(length: u64) -> u32 {
    let bytes = (length ^ u64::from(u32::MAX)).to_le_bytes();
    bytes.iter().rev().zip(&LENGTH_TABLES).fold(0, |crc, (&byte, table)| crc ^ table[usize::from(byte)])
}

#[cfg(test)]
mod tests {
    use super::super::masked_crc32c;
    use super::*;

    #[test]
    fn hardware_and_tables_agree_with_the_general_function() {
        let mut length = 1u64;
        for shift in 0..64 {
            for value in [1 << shift, (1u64 << shift).wrapping_sub(1), length] {
                assert_eq!(header_crc(value), masked_crc32c(&value.to_le_bytes()));
                assert_eq!(mask(!portable(value)), header_crc(value));
            }
            length = length.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        }
    }
}
