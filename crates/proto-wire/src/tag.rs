//! Tags: a field number and the wire type of its value.

/// Wire type: the encoding of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum WireType {
    /// A varint: (u)int32/64, sint32/64, bool, enum.
    Varint = 0,
    /// Eight bytes: fixed64, sfixed64, double.
    I64 = 1,
    /// A length and that many bytes: string, bytes, messages, packed runs.
    Len = 2,
    /// The start of a group.
    StartGroup = 3,
    /// The end of a group.
    EndGroup = 4,
    /// Four bytes: fixed32, sfixed32, float.
    I32 = 5,
}

impl WireType {
    /// Returns the wire type in the low three bits of a tag; 6 and 7 are not wire types.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match bits & 7 {
            0 => Some(Self::Varint),
            1 => Some(Self::I64),
            2 => Some(Self::Len),
            3 => Some(Self::StartGroup),
            4 => Some(Self::EndGroup),
            5 => Some(Self::I32),
            _ => None,
        }
    }
}

/// A field number and the way its value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    /// Field number, 1 to 2^29 − 1.
    pub field: u32,
    /// Wire type of the value.
    pub wire: WireType,
}

impl Tag {
    /// Returns a tag.
    #[must_use]
    pub const fn new(field: u32, wire: WireType) -> Self {
        Self { field, wire }
    }

    /// Returns the number that is written as a varint.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.field << 3 | self.wire as u32
    }
}
