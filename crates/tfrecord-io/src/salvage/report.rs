//! Report of the damages of a salvage.

use std::fmt;
use std::sync::Arc;

use tfxio_base::{Count, LostRange};

/// Why bytes were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The checksum of a record's length does not fit.
    HeaderCrc,
    /// The checksum of a record's payload does not fit.
    PayloadCrc,
    /// The input ends inside a record, or the record was cut off and another one written after it.
    Truncated,
    /// A record claims more bytes than the limit allows.
    RecordTooLong,
    /// A compressed stream is corrupt or ends too early.
    Compression,
    /// Bytes follow the end of the compressed data, and are none of it; a part of it that is damaged where it begins looks the same.
    TrailingBytes,
}

impl Reason {
    /// Returns a name for programs: `header_crc`, `payload_crc`, `truncated`, `record_too_long`, `compression`
    /// or `trailing_bytes`.
    pub fn name(self) -> &'static str {
        match self {
            Self::HeaderCrc => "header_crc",
            Self::PayloadCrc => "payload_crc",
            Self::Truncated => "truncated",
            Self::RecordTooLong => "record_too_long",
            Self::Compression => "compression",
            Self::TrailingBytes => "trailing_bytes",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HeaderCrc => "checksum of the length",
            Self::PayloadCrc => "checksum of the payload",
            Self::Truncated => "cut off inside a record",
            Self::RecordTooLong => "longer than the limit",
            Self::Compression => "corrupt compression",
            Self::TrailingBytes => "bytes that are not compressed data follow the end of the compressed data",
        })
    }
}

/// Findings of a [`SalvageReader`](super::SalvageReader). Prints as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The file, if its name is known.
    pub file: Option<Arc<str>>,
    /// Good records.
    pub records: u64,
    /// Bytes in their payloads.
    pub payload_bytes: u64,
    /// Bytes lost in the uncompressed stream.
    pub lost_bytes: u64,
    /// Bytes lost in the compressed file.
    pub lost_compressed_bytes: u64,
    /// Lost ranges, in the order of the file: the first [`Report::MOST_LISTED`].
    pub damages: Vec<LostRange<Reason>>,
    /// Damages that are counted in the sums, but not listed.
    pub unlisted: u64,
}

impl Report {
    /// The most damages that are listed, so that a file of nothing but damage does not fill the memory: 65,536.
    pub const MOST_LISTED: usize = 1 << 16;

    /// Returns whether nothing was lost.
    pub fn is_clean(&self) -> bool {
        self.damages.is_empty()
    }

    /// Returns how many damages there were.
    pub fn damage_count(&self) -> u64 {
        self.unlisted.saturating_add(self.damages.len() as u64)
    }

    pub(super) fn add(&mut self, damage: LostRange<Reason>) {
        let sum = if damage.compressed { &mut self.lost_compressed_bytes } else { &mut self.lost_bytes };
        *sum = sum.saturating_add(damage.bytes());
        if self.damages.len() < Self::MOST_LISTED {
            self.damages.push(damage);
        } else {
            self.unlisted = self.unlisted.saturating_add(1);
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "{}", Count::of(self.records, "good record"))?;
        if self.is_clean() {
            return f.write_str(", nothing lost");
        }
        let (damages, bytes) = (Count::of(self.damage_count(), "damage"), Count::of(self.lost_bytes, "byte"));
        write!(f, ", {damages}, {bytes} lost")?;
        if self.lost_compressed_bytes > 0 {
            write!(f, " and {}", Count::of(self.lost_compressed_bytes, "compressed byte"))?;
        }
        write!(
            f,
            "\n{:>14}  {:>14}  {:>12}  {:>16}  reason",
            "from byte", "to byte", "bytes", "last good record"
        )?;
        for damage in &self.damages {
            let last =
                damage.records_before.checked_sub(1).map_or("none".to_owned(), |index| index.to_string());
            write!(
                f,
                "\n{:>14}  {:>14}  {:>12}  {last:>16}  {}{}",
                damage.start,
                damage.end,
                damage.bytes(),
                damage.reason,
                if damage.compressed { " (bytes of the compressed file)" } else { "" }
            )?;
        }
        if self.unlisted > 0 {
            write!(f, "\nand {} more", self.unlisted)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_a_table() {
        let mut report = Report { file: Some("a.tfrecord".into()), records: 7, ..Report::default() };
        assert_eq!(report.to_string(), "a.tfrecord: 7 good records, nothing lost");
        let mut damage = LostRange::new(100, 150, Reason::PayloadCrc).records(1);
        damage.records_before = 5;
        report.add(damage);
        report.add(LostRange::new(9, 12, Reason::Compression).compressed(true));
        assert_eq!(
            report.to_string(),
            "a.tfrecord: 7 good records, 2 damages, 50 bytes lost and 3 compressed bytes\n     \
             from byte         to byte         bytes  last good record  reason\n           \
             100             150            50                 4  checksum of the payload\n             \
             9              12             3              none  corrupt compression (bytes of the compressed file)"
        );
    }

    #[test]
    fn lists_no_more_than_memory_allows() {
        let mut report = Report::default();
        for start in 0..Report::MOST_LISTED as u64 + 5 {
            report.add(LostRange::new(start, start + 2, Reason::HeaderCrc));
        }
        assert_eq!(report.unlisted, 5);
        assert_eq!(report.damage_count(), Report::MOST_LISTED as u64 + 5);
        assert_eq!(report.lost_bytes, 2 * report.damage_count());
        assert!(report.to_string().ends_with("\nand 5 more"));
    }
}
