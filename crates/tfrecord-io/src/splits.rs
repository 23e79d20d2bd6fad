//! Byte ranges of an uncompressed file that can be read independently of each other.
//!
//! A TFRecord file has no marks at which a reader could begin. So engines read a file as a whole, and a data set needs
//! at least as many files as there are readers. Here a file may be cut **anywhere**:
//!
//! ```
//! use std::io::Cursor;
//! use tfrecord_io::{Split, SplitReader, frame, splits};
//!
//! let mut file = Vec::new();
//! for i in 0..100u32 {
//!     frame::append(&mut file, format!("record {i}").as_bytes());
//! }
//!
//! // Nothing is read for this: the ranges are arithmetic.
//! let ranges = splits::cut(file.len() as u64, 500);
//! assert!(ranges.len() > 3);
//!
//! // Each could be read on another machine.
//! let mut seen = Vec::new();
//! for range in ranges {
//!     let mut reader = SplitReader::new(Cursor::new(&file), range)?;
//!     while let Some(record) = reader.next_record()? {
//!         seen.push(record.data.to_vec());
//!     }
//! }
//! assert_eq!(seen.len(), 100);
//! assert_eq!(seen[99], b"record 99");
//! # Ok::<(), tfrecord_io::Error>(())
//! ```
//!
//! **The rule.** A record belongs to the split in which its header starts: `start <= offset < end`. The last record of
//! a split may therefore reach beyond its end, and a split inside one long record is empty.
//!
//! # The first record after a cut
//!
//! There are three ways, and all give the same answer for files that are not built to deceive:
//!
//! - **Hopping** ([`Splitter::hop_to`]): from the start of the file from header to header. Exact always. Reads twelve
//!   bytes a record, which means reading everything when records are short.
//! - **Index** ([`Index::splits`](crate::index::Index::splits)): exact always, at no cost, if there is an index.
//! - **Scanning** ([`Splitter::first_record`]): from the cut to the next position that holds a valid header
//!   ([`scan`](crate::scan)) and a payload whose checksum fits, from which a *chain* of valid headers leads exactly to
//!   the end of the file, or at least [`confirm_bytes`](Splitter::confirm_bytes) further without a break. Costs the
//!   same
//!   wherever in the file the cut is.
//!
//! # When scanning is exact
//!
//! Two headers in a row by accident are a matter of 2⁻⁶⁴. What could deceive the scan is a payload that itself holds
//! whole TFRecord data, so that a cut inside of it finds perfect headers. Their chain ends with the inner data: other
//! bytes of the payload, or the four bytes of the outer footer, follow there, and not a header. A chain that ends so is
//! dropped and the scan goes on. So the answer is right unless a payload holds an unbroken run of records that reaches
//! from before the cut to more than [`confirm_bytes`](Splitter::confirm_bytes) after it (8 MiB unless set), or was made
//! with the intent to deceive (a chain can be led out of a payload by choosing bytes so that both footers agree).
//!
//! **No such case goes unnoticed.** A [`SplitReader`] knows at which record it begins and at which record the reader
//! of the *next* split will begin, because both come from the same function of the file and the cut. It reads from
//! one to the other, and if its records do not end exactly there, it ends with
//! [`Kind::SplitMismatch`](crate::Kind::SplitMismatch). The first split begins at byte 0, which is certain.
//! If it ends without an error, the start of the second is certain, and so on to the end. So: when all splits were read
//! without an error, every record was read exactly once, whatever the payloads hold.
//!
//! **Damaged files.** Damage inside a split is noticed by its checksums. Damage after a cut breaks the chains of the
//! records between the two, up to [`confirm_bytes`](Splitter::confirm_bytes) before it: the next split then begins
//! after the damage, and this one ends at its cut with a `SplitMismatch`. The records between are not delivered. Every
//! delivered record is in the range that was asked for, and no record comes twice.
//!
//! Files for which scanning fails this test are split by hopping or by an index.

mod reader;
mod splitter;

use std::fmt;

pub use reader::SplitReader;
#[cfg(feature = "async")]
pub(crate) use reader::check_end;
pub use splitter::Splitter;

/// A range of bytes of an uncompressed file: the records whose headers start in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The first byte.
    pub start: u64,
    /// The byte after the last one. May be beyond the end of the file.
    pub end: u64,
}

impl Split {
    /// The whole of a file, whatever its size.
    pub const WHOLE: Self = Self { start: 0, end: u64::MAX };

    /// Returns the range `start..end`.
    pub const fn new(start: u64, end: u64) -> Self {
        Self { start, end }
    }

    /// Returns the number of bytes in the range.
    pub const fn bytes(self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// Cuts a file of `file_bytes` into ranges of nearly equal size, none larger than `target_bytes` (but at least one
/// byte). Reads nothing; the cuts fall anywhere in records.
///
/// ```
/// use tfrecord_io::{Split, splits};
/// assert_eq!(splits::cut(10, 4), [Split::new(0, 4), Split::new(4, 7), Split::new(7, 10)]);
/// assert_eq!(splits::cut(0, 4), []);
/// ```
pub fn cut(file_bytes: u64, target_bytes: u64) -> Vec<Split> {
    cut_into(file_bytes, file_bytes.div_ceil(target_bytes.max(1)))
}

/// Cuts a file of `file_bytes` into `count` ranges of nearly equal size; fewer if there are fewer bytes.
///
/// ```
/// use tfrecord_io::{Split, splits};
/// assert_eq!(splits::cut_into(10, 2), [Split::new(0, 5), Split::new(5, 10)]);
/// assert_eq!(splits::cut_into(2, 5).len(), 2);
/// ```
pub fn cut_into(file_bytes: u64, count: u64) -> Vec<Split> {
    let count = count.min(file_bytes);
    (0..count).map(|i| Split::new(share(file_bytes, i, count), share(file_bytes, i + 1, count))).collect()
}

/// Returns `whole * part / parts`, without overflow, rounded up so that the first ranges are the longer ones.
pub(crate) fn share(whole: u64, part: u64, parts: u64) -> u64 {
    let exact = (u128::from(whole) * u128::from(part)).div_ceil(u128::from(parts.max(1)));
    u64::try_from(exact).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_the_file_once() {
        for bytes in [0, 1, 2, 10, 999, 1 << 40, u64::MAX] {
            for count in [1, 2, 3, 7, 100] {
                let ranges = cut_into(bytes, count);
                assert_eq!(ranges.len() as u64, count.min(bytes));
                let mut at = 0;
                for range in &ranges {
                    assert_eq!(range.start, at);
                    assert!(range.end > range.start);
                    at = range.end;
                }
                assert_eq!(at, bytes);
                let (least, most) =
                    ranges.iter().fold((u64::MAX, 0), |(a, b), r| (a.min(r.bytes()), b.max(r.bytes())));
                assert!(ranges.is_empty() || most - least <= 1);
            }
        }
        assert_eq!(cut(100, 0).len(), 100);
        assert_eq!(cut(u64::MAX, u64::MAX), [Split::new(0, u64::MAX)]);
    }
}
