//! A cursor over the fields of one message.

use crate::packed::{HIGH_BITS, first_value, gather, word};
use crate::{Error, ErrorKind, Tag, WireType};

/// Maximum nesting of messages and groups, the outermost message not counted.
/// The default of every protobuf implementation.
pub const MAX_NESTING: u32 = 100;

/// A cursor over the fields of one message.
///
/// The caller reads a [`tag`](Self::tag), then the value that the tag announces, or
/// [`skip`](Self::skip)s it. Values are borrowed from the input. After an error the cursor is at an
/// unspecified offset and should be dropped.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
}

impl<'a> Reader<'a> {
    /// Returns a cursor over a top-level message.
    #[must_use]
    pub const fn new(message: &'a [u8]) -> Self {
        Self { bytes: message, at: 0, depth: 0 }
    }

    /// Returns a cursor over a message that is nested in `depth` others, so that groups in it count on from there.
    #[must_use]
    pub const fn at_depth(message: &'a [u8], depth: u32) -> Self {
        Self { bytes: message, at: 0, depth }
    }

    /// Returns the number of bytes read so far.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Returns whether everything has been read.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns the bytes not yet read.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    const fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.at)
    }

    /// Returns the next tag, or `None` at the end of the message.
    ///
    /// # Errors
    /// `Truncated`, `VarintTooLong` (more than 5 bytes), `BadTag`, `BadWireType`.
    #[inline]
    pub fn tag(&mut self) -> Result<Option<Tag>, Error> {
        if self.is_empty() {
            return Ok(None);
        }
        let start = self.at;
        let bits = self.short_varint()?;
        let field = (bits >> 3) as u32;
        if bits > u64::from(u32::MAX) || field == 0 {
            return Err(Error::new(ErrorKind::BadTag, start));
        }
        match WireType::from_bits(bits as u32) {
            Some(wire) => Ok(Some(Tag { field, wire })),
            None => Err(Error::new(ErrorKind::BadWireType, start)),
        }
    }

    /// Reads a varint value; bits above the 64th are dropped.
    ///
    /// # Errors
    /// `Truncated`, `VarintTooLong` (more than 10 bytes).
    #[inline]
    pub fn varint(&mut self) -> Result<u64, Error> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(byte))
            }
            _ => self.long_varint(10),
        }
    }

    /// Reads a tag or a length: a varint of at most 5 bytes.
    #[inline]
    fn short_varint(&mut self) -> Result<u64, Error> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(byte))
            }
            _ => self.long_varint(5),
        }
    }

    #[inline]
    fn long_varint(&mut self, most: usize) -> Result<u64, Error> {
        // Eight bytes at once, unless the end of the message or of the value is too far or too near.
        if let Some(word) = word(self.bytes, self.at) {
            let ends = !word & HIGH_BITS;
            let length = ends.trailing_zeros() as usize / 8 + 1;
            if ends != 0 && length <= most {
                self.at += length;
                return Ok(gather(first_value(word)));
            }
        }
        self.varint_by_bytes(most)
    }

    #[cold]
    fn varint_by_bytes(&mut self, most: usize) -> Result<u64, Error> {
        let rest = self.rest();
        let mut value = 0u64;
        for (index, &byte) in rest.iter().take(most).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index as u32);
            if byte < 0x80 {
                self.at += index + 1;
                return Ok(value);
            }
        }
        let kind = if rest.len() < most { ErrorKind::Truncated } else { ErrorKind::VarintTooLong };
        Err(self.error(kind))
    }

    /// Reads a length and that many bytes.
    ///
    /// # Errors
    /// `Truncated` (also when the length reaches beyond the message), `VarintTooLong`.
    #[inline]
    pub fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let start = self.at;
        let length = self.short_varint()?;
        let end = usize::try_from(length).ok().and_then(|length| self.at.checked_add(length));
        match end.and_then(|end| Some((end, self.bytes.get(self.at..end)?))) {
            Some((end, bytes)) => {
                self.at = end;
                Ok(bytes)
            }
            None => Err(Error::new(ErrorKind::Truncated, start)),
        }
    }

    /// Reads four raw bytes (little-endian).
    ///
    /// # Errors
    /// `Truncated`.
    #[inline]
    pub fn fixed32(&mut self) -> Result<[u8; 4], Error> {
        self.fixed()
    }

    /// Reads eight raw bytes (little-endian).
    ///
    /// # Errors
    /// `Truncated`.
    #[inline]
    pub fn fixed64(&mut self) -> Result<[u8; 8], Error> {
        self.fixed()
    }

    #[inline]
    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        match self.rest().first_chunk::<N>() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.error(ErrorKind::Truncated)),
        }
    }

    /// Passes over the value of a tag that has just been read.
    ///
    /// # Errors
    /// `Truncated`, `VarintTooLong`, and for groups also `BadTag`, `BadWireType`,
    /// `UnmatchedEndGroup`, `TooDeep`.
    #[inline]
    pub fn skip(&mut self, tag: Tag) -> Result<(), Error> {
        match tag.wire {
            WireType::Varint => self.varint().map(drop),
            WireType::I64 => self.fixed64().map(drop),
            WireType::Len => self.bytes().map(drop),
            WireType::I32 => self.fixed32().map(drop),
            WireType::StartGroup => self.skip_group(tag.field),
            WireType::EndGroup => Err(self.error(ErrorKind::UnmatchedEndGroup)),
        }
    }

    /// Passes over a group without recursion: the open groups' numbers are kept on a small stack.
    #[cold]
    fn skip_group(&mut self, field: u32) -> Result<(), Error> {
        let mut open = [0u32; MAX_NESTING as usize];
        let most = MAX_NESTING.saturating_sub(self.depth) as usize;
        let mut level = 0;
        let mut entering = Some(field);
        loop {
            if let Some(field) = entering.take() {
                match open.get_mut(..most).and_then(|open| open.get_mut(level)) {
                    Some(slot) => *slot = field,
                    None => return Err(self.error(ErrorKind::TooDeep)),
                }
                level += 1;
            }
            let Some(tag) = self.tag()? else { return Err(self.error(ErrorKind::Truncated)) };
            match tag.wire {
                WireType::StartGroup => entering = Some(tag.field),
                WireType::EndGroup => {
                    level -= 1;
                    if open.get(level) != Some(&tag.field) {
                        return Err(self.error(ErrorKind::UnmatchedEndGroup));
                    }
                    if level == 0 {
                        return Ok(());
                    }
                }
                _ => self.skip(tag)?,
            }
        }
    }
}
