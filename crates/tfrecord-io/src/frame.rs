//! The framing of TFRecord: pure functions on bytes, no I/O.
//!
//! A file is a sequence of records with nothing before, between or after them. A record is
//!
//! ```text
//!  byte 0               8             12                    12 + length       16 + length
//!  ├────────────────────┼──────────────┼─────────────────────┼─────────────────┤
//!  │ length             │ masked CRC   │ payload             │ masked CRC      │
//!  │ u64, little-endian │ of `length`  │ `length` bytes      │ of the payload  │
//!  └────────────────────┴──────────────┴─────────────────────┴─────────────────┘
//!   ╰──────── header, 12 bytes ───────╯                       ╰ footer, 4 bytes╯
//! ```
//!
//! Both checksums are masked CRC-32C ([`crate::crc`]) as little-endian `u32`. The length may be 0. A file of no bytes
//! holds no records. There is no magic number, no count and no index: a TFRecord file is recognized by the checksum of
//! its first header. Source: `tensorflow/core/lib/io/record_writer.h` and `record_reader.cc`.
//!
//! Compression, where there is some, wraps the whole sequence: see [`crate::compression`].

mod decoder;
mod foreign;

pub use decoder::{FrameDecoder, Progress, Verify};
pub(crate) use decoder::{not_tfrecord, payload_damaged};
pub(crate) use foreign::looks_like;

use crate::crc::{header_crc, masked_crc32c};

/// Bytes before a payload: the length and its checksum.
pub const HEADER_LEN: usize = 12;
/// Bytes after a payload: its checksum.
pub const FOOTER_LEN: usize = 4;
/// Bytes that framing adds to each payload.
pub const OVERHEAD: usize = HEADER_LEN + FOOTER_LEN;

/// Header of a record, its first twelve bytes: the length of its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    length: u64,
    fits: bool,
}

impl Header {
    /// Reads a header, and whether its checksum fits.
    ///
    /// ```
    /// use tfrecord_io::frame::Header;
    /// let bytes = Header::encode(698);
    /// assert_eq!(Header::read(&bytes).checked_length(), Some(698));
    /// assert_eq!(Header::read(&[0; 12]).checked_length(), None);
    /// ```
    #[inline]
    pub fn read(bytes: &[u8; HEADER_LEN]) -> Self {
        let [l0, l1, l2, l3, l4, l5, l6, l7, c0, c1, c2, c3] = *bytes;
        let length = u64::from_le_bytes([l0, l1, l2, l3, l4, l5, l6, l7]);
        let stored = u32::from_le_bytes([c0, c1, c2, c3]);
        Self { length, fits: header_crc(length) == stored }
    }

    /// Returns the length of the payload in bytes, if the checksum fits.
    #[inline]
    pub fn checked_length(self) -> Option<u64> {
        self.fits.then_some(self.length)
    }

    /// Returns the stored length, whether or not its checksum matches.
    #[inline]
    pub fn claimed_length(self) -> u64 {
        self.length
    }

    /// Returns the twelve bytes before a payload of `length` bytes.
    #[inline]
    pub fn encode(length: u64) -> [u8; HEADER_LEN] {
        let [l0, l1, l2, l3, l4, l5, l6, l7] = length.to_le_bytes();
        let [c0, c1, c2, c3] = header_crc(length).to_le_bytes();
        [l0, l1, l2, l3, l4, l5, l6, l7, c0, c1, c2, c3]
    }
}

/// Returns the four bytes that follow `payload`.
#[inline]
pub fn footer(payload: &[u8]) -> [u8; FOOTER_LEN] {
    masked_crc32c(payload).to_le_bytes()
}

/// Appends one framed record to `out`.
///
/// ```
/// use tfrecord_io::{SliceReader, frame};
///
/// let mut file = Vec::new();
/// frame::append(&mut file, b"one");
/// frame::append(&mut file, b"");
/// assert_eq!(file.len(), 2 * frame::OVERHEAD + 3);
///
/// let mut records = SliceReader::new(&file);
/// assert_eq!(records.next_record()?.map(|record| record.data), Some(&b"one"[..]));
/// assert_eq!(records.next_record()?.map(|record| record.data), Some(&b""[..]));
/// assert_eq!(records.next_record()?, None);
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[inline]
pub fn append(out: &mut Vec<u8>, payload: &[u8]) {
    out.extend_from_slice(&Header::encode(payload.len() as u64));
    out.extend_from_slice(payload);
    out.extend_from_slice(&footer(payload));
}
