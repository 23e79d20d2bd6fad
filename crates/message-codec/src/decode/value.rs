//! Values in their wire encoding.

use proto_wire::{ErrorKind, Reader, WireType};

use crate::descriptor::Scalar;
use crate::plan::Read;

/// Encoding of a number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Varint,
    Four,
    Eight,
    /// Not a number.
    Bytes,
}

impl Read {
    #[inline(always)]
    pub(crate) const fn width(self) -> Width {
        match self {
            Self::Scalar(Scalar::Double | Scalar::Fixed64 | Scalar::Sfixed64) => Width::Eight,
            Self::Scalar(Scalar::Float | Scalar::Fixed32 | Scalar::Sfixed32) => Width::Four,
            Self::Scalar(Scalar::String | Scalar::Bytes) => Width::Bytes,
            _ => Width::Varint,
        }
    }

    /// Returns how a single value is written.
    #[inline(always)]
    pub(crate) const fn wire(self) -> WireType {
        match self.width() {
            Width::Varint => WireType::Varint,
            Width::Four => WireType::I32,
            Width::Eight => WireType::I64,
            Width::Bytes => WireType::Len,
        }
    }

    /// Returns the bits of a value that is written as `varint`.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "a 32-bit integer is the low half of its varint")]
    pub(crate) const fn of_varint(self, varint: u64) -> u64 {
        match self {
            Self::Scalar(Scalar::Bool) => (varint != 0) as u64,
            Self::Scalar(Scalar::Sint32) => {
                let low = varint as u32;
                ((low >> 1) ^ (low & 1).wrapping_neg()) as u64
            }
            Self::Scalar(Scalar::Sint64) => (varint >> 1) ^ (varint & 1).wrapping_neg(),
            _ => varint,
        }
    }

    /// Reads a number.
    #[inline(always)]
    pub(crate) fn number(self, reader: &mut Reader<'_>) -> Result<u64, proto_wire::Error> {
        match self.width() {
            Width::Varint => reader.varint().map(|varint| self.of_varint(varint)),
            Width::Four => reader.fixed32().map(|bytes| u64::from(u32::from_le_bytes(bytes))),
            Width::Eight => reader.fixed64().map(u64::from_le_bytes),
            Width::Bytes => Err(proto_wire::Error::new(ErrorKind::BadWireType, reader.position())),
        }
    }
}

/// Returns whether bytes are UTF-8. Most strings are short, and ASCII.
#[inline(always)]
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    let is_ascii = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) if bytes.len() <= 16 => {
            (u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last)) & HIGH_BITS == 0
        }
        (Some(_), _) => false,
        (None, _) => bytes.is_ascii(),
    };
    is_ascii || std::str::from_utf8(bytes).is_ok()
}
