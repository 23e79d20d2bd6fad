//! Masked CRC-32C, the checksum of TFRecord.
//!
//! The polynomial is Castagnoli's (CRC-32**C**, as in iSCSI), not the one of gzip and PNG. TensorFlow stores it
//! *masked*: rotated right by 15 bits, plus a constant, because a CRC over data that itself contains CRCs is weak
//! (`tensorflow/core/lib/hash/crc32c.h`, after LevelDB).

mod header;
#[cfg(target_arch = "x86_64")]
mod lanes;

pub(crate) use header::LENGTH_TABLES;
pub use header::header_crc;

/// The masked CRC of eight zero bytes, the header of an empty record.
pub(crate) const OF_LENGTH_0: u32 = 0x0798_0329;

/// Castagnoli's polynomial, bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// The constant that masking adds.
const MASK_DELTA: u32 = 0xa282_ead8;

/// Returns the CRC-32C of `data`, not masked.
///
/// ```
/// // The check value of the algorithm's definition.
/// assert_eq!(tfrecord_io::crc::crc32c(b"123456789"), 0xe306_9283);
/// ```
#[inline]
pub fn crc32c(data: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(crc) = lanes::crc32c(data) {
        return crc;
    }
    crc_fast::crc32_iscsi(data)
}

/// Masks a CRC-32C as TFRecord stores it.
#[inline]
pub const fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(MASK_DELTA)
}

/// Returns the inverse of [`mask`].
///
/// ```
/// use tfrecord_io::crc::{mask, unmask};
/// assert_eq!(unmask(mask(0x1234_5678)), 0x1234_5678);
/// ```
#[inline]
pub const fn unmask(masked: u32) -> u32 {
    masked.wrapping_sub(MASK_DELTA).rotate_left(15)
}

/// Returns the masked CRC-32C of `data`, as it follows a payload.
#[inline]
pub fn masked_crc32c(data: &[u8]) -> u32 {
    mask(crc32c(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, straight from the definition.
    fn slow(data: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for &byte in data {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
            }
        }
        !crc
    }

    /// Bytes that repeat nowhere soon.
    fn bytes(count: u32) -> Vec<u8> {
        (0..count).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    #[test]
    fn agrees_with_the_definition_at_every_length() {
        let data = bytes(3000);
        for length in (0..600).chain([697, 698, 699, 1023, 1024, 1025, 2999]) {
            assert_eq!(crc32c(&data[..length]), slow(&data[..length]), "{length} bytes");
        }
    }

    /// Lanes end at every length: of one chunk, of a second one, and past it; from even and odd addresses.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn agrees_with_the_general_function_across_chunks() {
        let data = bytes(1 << 16);
        for length in (0..2 * lanes::CHUNK + 100).chain([3 * lanes::CHUNK - 1, 5 * lanes::CHUNK + 7]) {
            let data = &data[length % 9..][..length];
            assert_eq!(crc32c(data), crc_fast::crc32_iscsi(data), "{length} bytes");
        }
    }

    #[test]
    fn masks_as_tensorflow_does() {
        // crc32c_test.cc of TensorFlow: the mask changes the value, and undoing it twice is the identity.
        let crc = crc32c(b"foo");
        assert_ne!(crc, mask(crc));
        assert_ne!(crc, mask(mask(crc)));
        assert_eq!(crc, unmask(unmask(mask(mask(crc)))));
        assert_eq!(masked_crc32c(&[0; 8]), OF_LENGTH_0);
    }
}
