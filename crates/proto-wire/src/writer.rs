//! Writer of a message into a buffer of known size.

use crate::{Error, ErrorKind, Tag, WireType};

/// Returns the number of bytes that a varint takes, 1 to 10.
///
/// ```
/// assert_eq!(proto_wire::varint_size(127), 1);
/// assert_eq!(proto_wire::varint_size(128), 2);
/// assert_eq!(proto_wire::varint_size(u64::MAX), 10);
/// ```
#[inline(always)]
#[must_use]
pub const fn varint_size(value: u64) -> usize {
    // ceil(bits / 7) for 1..=64 bits, without a division.
    let bits = 64 - (value | 1).leading_zeros() as usize;
    (bits * 9 + 64) / 64
}

/// Returns the number of bytes that a length-delimited field takes whose tag has one byte (field number up to 15).
#[inline(always)]
#[must_use]
pub const fn len_field_size(length: usize) -> usize {
    1 + varint_size(length as u64) + length
}

/// Writes fields one after the other into a buffer that the caller has sized.
///
/// ```
/// use proto_wire::Writer;
/// let mut buffer = [0u8; 16];
/// let mut writer = Writer::new(&mut buffer);
/// writer.bytes_field(2, b"hi")?;
/// assert_eq!(writer.written(), b"\x12\x02hi");
/// # Ok::<(), proto_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer<'a> {
    buffer: &'a mut [u8],
    at: usize,
}

impl<'a> Writer<'a> {
    /// Returns a writer at the front of a buffer.
    #[must_use]
    pub const fn new(buffer: &'a mut [u8]) -> Self {
        Self { buffer, at: 0 }
    }

    /// Returns the bytes written so far.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Returns the bytes written so far.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        self.buffer.get(..self.at).unwrap_or_default()
    }

    const fn full(&self) -> Error {
        Error::new(ErrorKind::BufferFull, self.at)
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    /// `BufferFull`, here and in every other method.
    #[inline(always)]
    pub fn raw(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let error = self.full();
        let rest = self.buffer.get_mut(self.at..).ok_or(error)?;
        rest.get_mut(..bytes.len()).ok_or(error)?.copy_from_slice(bytes);
        self.at += bytes.len();
        Ok(())
    }

    /// Writes a varint.
    ///
    /// # Errors
    /// `BufferFull`.
    #[inline(always)]
    pub fn varint(&mut self, mut value: u64) -> Result<(), Error> {
        let error = self.full();
        let rest = self.buffer.get_mut(self.at..).ok_or(error)?;
        let mut length = 0;
        for slot in rest.iter_mut().take(10) {
            length += 1;
            if value < 0x80 {
                *slot = value as u8;
                self.at += length;
                return Ok(());
            }
            *slot = value as u8 | 0x80;
            value >>= 7;
        }
        Err(error)
    }

    /// Writes a tag.
    ///
    /// # Errors
    /// `BufferFull`.
    #[inline(always)]
    pub fn tag(&mut self, tag: Tag) -> Result<(), Error> {
        self.varint(u64::from(tag.bits()))
    }

    /// Writes a varint field.
    ///
    /// # Errors
    /// `BufferFull`.
    pub fn varint_field(&mut self, field: u32, value: u64) -> Result<(), Error> {
        self.tag(Tag::new(field, WireType::Varint))?;
        self.varint(value)
    }

    /// Writes a length-delimited field.
    ///
    /// # Errors
    /// `BufferFull`.
    pub fn bytes_field(&mut self, field: u32, bytes: &[u8]) -> Result<(), Error> {
        self.tag(Tag::new(field, WireType::Len))?;
        self.varint(bytes.len() as u64)?;
        self.raw(bytes)
    }

    /// Writes a four-byte field.
    ///
    /// # Errors
    /// `BufferFull`.
    pub fn fixed32_field(&mut self, field: u32, bytes: [u8; 4]) -> Result<(), Error> {
        self.tag(Tag::new(field, WireType::I32))?;
        self.raw(&bytes)
    }

    /// Writes an eight-byte field.
    ///
    /// # Errors
    /// `BufferFull`.
    pub fn fixed64_field(&mut self, field: u32, bytes: [u8; 8]) -> Result<(), Error> {
        self.tag(Tag::new(field, WireType::I64))?;
        self.raw(&bytes)
    }
}
