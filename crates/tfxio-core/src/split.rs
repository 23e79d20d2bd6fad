//! Parts of a data set that can be read on their own.

use std::fmt;
use std::sync::Arc;

/// A part of a data set that one worker reads: a range of bytes of one file.
///
/// A record belongs to the split in which its first byte lies, so that splits which cover a file
/// without overlap yield each record exactly once, wherever they are cut.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// Path or URL of the file.
    pub file: Arc<str>,
    /// First byte of the range.
    pub start: u64,
    /// First byte after the range; `u64::MAX` means the end of the file.
    pub end: u64,
    /// Number of records, where it is known (from an index).
    pub records: Option<u64>,
}

impl Split {
    /// The whole of a file.
    #[must_use]
    pub fn whole(file: impl Into<Arc<str>>) -> Self {
        Self { file: file.into(), start: 0, end: u64::MAX, records: None }
    }

    /// Whether the split begins with the file and reaches its end.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.start == 0 && self.end == u64::MAX
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.start, self.end) {
            (0, u64::MAX) => f.write_str(&self.file),
            (start, u64::MAX) => write!(f, "{}[{start}..]", self.file),
            (start, end) => write!(f, "{}[{start}..{end}]", self.file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Split;

    #[test]
    fn a_split_prints_its_range_where_it_has_one() {
        let mut split = Split::whole("a.tfrecord");
        assert_eq!(split.to_string(), "a.tfrecord");
        split.start = 5;
        assert_eq!(split.to_string(), "a.tfrecord[5..]");
        split.end = 9;
        assert_eq!(split.to_string(), "a.tfrecord[5..9]");
    }
}
