//! Origins of records.

use tfxio_base::Position;

/// Origin of a record: the file, the byte at which it begins, and its number.
///
/// A decoder puts it into its errors and, on demand, into a source column, so that any row leads
/// back to its record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin<'a> {
    /// Path or URL of the file; `None` for records that never were in one.
    pub file: Option<&'a str>,
    /// Byte at which the record begins (for TFRecord: its header) in the uncompressed stream.
    /// The first byte is 0.
    pub offset: u64,
    /// Number of the record in its file. The first is 0.
    pub index: u64,
}

impl<'a> Origin<'a> {
    /// Returns a record of no file, with a number only.
    #[must_use]
    pub const fn record(index: u64) -> Self {
        Self { file: None, offset: 0, index }
    }

    /// Returns the position of the record: its number and, in a file, the file and the byte.
    #[must_use]
    pub fn position(&self) -> Position {
        let position = Position::new().record(self.index);
        match self.file {
            Some(file) => position.file(file).byte(self.offset),
            None => position,
        }
    }

    /// Returns a record of a file.
    #[must_use]
    pub const fn new(file: &'a str, offset: u64, index: u64) -> Self {
        Self { file: Some(file), offset, index }
    }
}
