//! Errors of the wire format.

use core::fmt;

/// Reason why bytes are not a protobuf message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum ErrorKind {
    /// The bytes end inside a tag, a length or a value, or a length reaches beyond the end.
    Truncated,
    /// A value varint of more than 10 bytes, or a tag or length of more than 5.
    VarintTooLong,
    /// A tag above 32 bits or with the field number 0.
    BadTag,
    /// Wire type 6 or 7, which do not exist.
    BadWireType,
    /// A group ends that was not open, or another than the open one.
    UnmatchedEndGroup,
    /// Messages and groups are nested deeper than [`MAX_NESTING`](crate::MAX_NESTING).
    TooDeep,
    /// A packed run of 32-bit or 64-bit values whose length is not a multiple of theirs.
    BadPackedLength,
    /// The buffer of a [`Writer`](crate::Writer) is full.
    BufferFull,
}

impl ErrorKind {
    const ALL: [Self; 8] = [
        Self::Truncated,
        Self::VarintTooLong,
        Self::BadTag,
        Self::BadWireType,
        Self::UnmatchedEndGroup,
        Self::TooDeep,
        Self::BadPackedLength,
        Self::BufferFull,
    ];

    /// Returns the reason as a sentence without a capital.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Truncated => "the bytes end before the message does",
            Self::VarintTooLong => "a varint has too many bytes (a value may have 10, a tag or length 5)",
            Self::BadTag => "a tag has field number 0 or exceeds 32 bits",
            Self::BadWireType => "a tag has wire type 6 or 7, which do not exist",
            Self::UnmatchedEndGroup => "a group ends that is not open",
            Self::TooDeep => "messages and groups are nested more than 100 deep",
            Self::BadPackedLength => {
                "the length of a packed run is not a multiple of the length of its values"
            }
            Self::BufferFull => "the output buffer is full",
        }
    }
}

/// Why bytes are not a protobuf message, and at which byte. One word wide, without allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Error(u64);

impl Error {
    /// Returns an error at a byte; for decoders that build on this crate.
    #[must_use]
    pub const fn new(kind: ErrorKind, byte: usize) -> Self {
        Self((byte as u64) << 8 | kind as u64)
    }

    /// Returns the reason.
    #[must_use]
    pub fn kind(self) -> ErrorKind {
        let code = (self.0 & 0xff) as usize;
        ErrorKind::ALL.get(code).copied().unwrap_or(ErrorKind::Truncated)
    }

    /// Returns the offset at which the offending tag, length or value begins, in the slice that the reader (or writer)
    /// was made for. The first byte is 0.
    #[must_use]
    pub const fn byte(self) -> usize {
        (self.0 >> 8) as usize
    }

    /// Returns the error with its byte counted from `by` bytes earlier.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self::new(self.kind(), self.byte().saturating_add(by))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.byte(), self.kind().description())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("kind", &self.kind()).field("byte", &self.byte()).finish()
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::{Error, ErrorKind};

    #[test]
    fn every_kind_survives_the_packing() {
        for (code, kind) in ErrorKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, code);
            let error = Error::new(kind, 12_345);
            assert_eq!((error.kind(), error.byte()), (kind, 12_345));
            assert_eq!(error.shifted(5).byte(), 12_350);
        }
    }
}
