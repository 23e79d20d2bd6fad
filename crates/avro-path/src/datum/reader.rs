//! Reader of primitives in the bytes of a datum.

use tfxio_core::Count;

use crate::{Error, Kind, Result};

/// Reads the primitives of Avro's binary encoding one after the other, each checked against what remains.
///
/// An error has the byte at which the value begins ([`Position::record_byte`](crate::Position::record_byte)); the reader
/// stays there.
#[derive(Clone, Debug)]
pub struct DatumReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Block of items in an array or a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemBlock {
    /// Items; never 0.
    pub count: u64,
    /// Bytes that they take, if the writer has given them.
    pub bytes: Option<usize>,
}

impl ItemBlock {
    /// Checks that the items, which began at a position of the reader, have the number of bytes that their block
    /// claims.
    pub(crate) fn check_size(&self, reader: &DatumReader<'_>, start: usize) -> Result<()> {
        let read = reader.position().saturating_sub(start);
        match self.bytes {
            Some(bytes) if bytes != read => Err(reader.malformed(format!(
                "a block of an array or map claims to have {}, its items have {read}",
                Count::of(bytes, "byte")
            ))),
            _ => Ok(()),
        }
    }
}

impl<'a> DatumReader<'a> {
    /// Reads from the beginning of a slice.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Reads from an offset of a slice.
    #[inline]
    pub(crate) fn at(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Returns all bytes, including the ones already read.
    #[inline]
    pub(crate) fn all(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the number of bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the bytes not read yet.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Returns the bytes from a former [`position`](Self::position) to this one.
    #[must_use]
    pub fn since(&self, position: usize) -> &'a [u8] {
        self.bytes.get(position..self.at).unwrap_or_default()
    }

    /// Returns whether everything was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Reads a boolean.
    ///
    /// # Errors
    /// When no byte is left, or it is neither 0 nor 1.
    #[inline]
    pub fn boolean(&mut self) -> Result<bool> {
        match self.bytes.get(self.at) {
            Some(&byte @ 0..=1) => {
                self.at += 1;
                Ok(byte == 1)
            }
            Some(&byte) => Err(self.malformed(format!("a boolean is the byte {byte}, not 0 or 1"))),
            None => Err(self.truncated("a boolean")),
        }
    }

    /// Reads a varint of 32 bits, zigzag.
    ///
    /// # Errors
    /// When the bytes end within it or it does not fit 32 bits.
    #[inline]
    pub fn int(&mut self) -> Result<i32> {
        let start = self.at;
        let value = self.long()?;
        i32::try_from(value).map_err(|_| {
            self.at = start;
            self.malformed(format!("an int is {value}, which does not fit 32 bits"))
        })
    }

    /// Reads a varint of 64 bits, zigzag.
    ///
    /// # Errors
    /// When the bytes end within it or it does not fit 64 bits.
    #[inline]
    pub fn long(&mut self) -> Result<i64> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(zigzag(u64::from(byte)))
            }
            _ => self.long_varint(),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Result<i64> {
        let mut value = 0;
        for (at, &byte) in self.rest().iter().take(10).enumerate() {
            if at == 9 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                self.at += at + 1;
                return Ok(zigzag(value));
            }
        }
        if self.rest().len() < 10 {
            return Err(self.truncated("a number"));
        }
        Err(self.malformed("a number has more than 64 bits"))
    }

    /// Passes over a varint of whatever value.
    #[inline]
    pub(crate) fn skip_varint(&mut self) -> Result<()> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(())
            }
            _ => self.long_varint().map(drop),
        }
    }

    /// Reads a float.
    ///
    /// # Errors
    /// When fewer than four bytes are left.
    #[inline]
    pub fn float(&mut self) -> Result<f32> {
        match self.rest().first_chunk() {
            Some(bytes) => {
                self.at += 4;
                Ok(f32::from_le_bytes(*bytes))
            }
            None => Err(self.truncated("a float")),
        }
    }

    /// Reads a double.
    ///
    /// # Errors
    /// When fewer than eight bytes are left.
    #[inline]
    pub fn double(&mut self) -> Result<f64> {
        match self.rest().first_chunk() {
            Some(bytes) => {
                self.at += 8;
                Ok(f64::from_le_bytes(*bytes))
            }
            None => Err(self.truncated("a double")),
        }
    }

    /// Reads bytes with their length before them.
    ///
    /// # Errors
    /// When the length is negative or more than the remaining bytes.
    #[inline]
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let start = self.at;
        let length = self.long()?;
        let found = usize::try_from(length).ok().and_then(|length| self.rest().get(..length));
        match found {
            Some(found) => {
                self.at += found.len();
                Ok(found)
            }
            None => Err(self.bad_length(start, length)),
        }
    }

    #[cold]
    fn bad_length(&mut self, start: usize, length: i64) -> Error {
        let left = self.rest().len();
        self.at = start;
        if length < 0 {
            return self.malformed(format!("bytes or a string have the length {length}"));
        }
        let are = Count::of(left, "byte").verb("is", "are");
        let what = format!("bytes or a string claim {}, {left} {are} left", Count::of(length, "byte"));
        Error::new(Kind::Truncated, what).at_record_byte(start)
    }

    /// Reads a string.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes), and when they are not UTF-8.
    #[inline]
    pub fn string(&mut self) -> Result<&'a str> {
        let start = self.at;
        let bytes = self.bytes()?;
        std::str::from_utf8(bytes).map_err(|error| {
            self.at = start;
            let what = format!(
                "a string of {} is not UTF-8 from its byte {}",
                Count::of(bytes.len(), "byte"),
                error.valid_up_to()
            );
            Error::new(Kind::NotUtf8, what).at_record_byte(start).because(error)
        })
    }

    /// Reads a known number of bytes.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn fixed(&mut self, size: usize) -> Result<&'a [u8]> {
        match self.rest().get(..size) {
            Some(found) => {
                self.at += size;
                Ok(found)
            }
            None => {
                let left = self.rest().len();
                let (size, are) = (Count::of(size, "byte"), Count::of(left, "byte").verb("is", "are"));
                let what = format!("the datum ends within {size} of known length, {left} {are} left");
                Err(Error::new(Kind::Truncated, what).at_record_byte(self.at))
            }
        }
    }

    /// Reads the number of a union's branch or of an enum's symbol, below `of`.
    ///
    /// # Errors
    /// When the number is negative or not below `of`.
    #[inline]
    pub fn index(&mut self, of: usize) -> Result<usize> {
        let start = self.at;
        let value = self.long()?;
        match usize::try_from(value) {
            Ok(index) if index < of => Ok(index),
            _ => {
                self.at = start;
                let are = Count::of(of, "branch").verb("is", "are");
                Err(self.malformed(format!("a branch or symbol has the number {value}, there {are} {of}")))
            }
        }
    }

    /// Reads the head of the next block of an array or a map; `None` after the last. `least` are the fewest bytes that
    /// an item can have ([`AvroSchema::least_bytes`](crate::AvroSchema::least_bytes), one more for the key of a map): a block
    /// that claims more items than can be there is an error. Items that have no bytes can be claimed without limit;
    /// whoever stores something for each has to set one.
    ///
    /// # Errors
    /// When count or size are not numbers that can be true.
    #[inline]
    pub fn item_block(&mut self, least: usize) -> Result<Option<ItemBlock>> {
        let start = self.at;
        let count = self.long()?;
        if count == 0 {
            return Ok(None);
        }
        let block = if count > 0 {
            ItemBlock { count: count.unsigned_abs(), bytes: None }
        } else {
            let size = self.long()?;
            let bytes = usize::try_from(size).ok().filter(|&size| size <= self.rest().len());
            if bytes.is_none() || count == i64::MIN {
                return Err(self.bad_block(start, count, Some(size)));
            }
            ItemBlock { count: count.unsigned_abs(), bytes }
        };
        let room = block.bytes.unwrap_or(self.rest().len());
        let fits = usize::try_from(block.count)
            .ok()
            .and_then(|count| count.checked_mul(least))
            .map_or(least == 0, |bytes| bytes <= room);
        if fits { Ok(Some(block)) } else { Err(self.bad_block(start, count, None)) }
    }

    #[cold]
    fn bad_block(&mut self, start: usize, count: i64, size: Option<i64>) -> Error {
        let left = Count::of(self.rest().len(), "byte");
        self.at = start;
        let claim = match size {
            Some(size) => format!("has the count {count} and the size {size}"),
            None => format!("claims {}", Count::of(count.unsigned_abs(), "item")),
        };
        let are = left.verb("is", "are");
        self.malformed(format!("a block of an array or map {claim}, {left} {are} left"))
    }

    #[cold]
    fn truncated(&self, what: &str) -> Error {
        let what = format!("the datum ends within {what}");
        Error::new(Kind::Truncated, what).at_record_byte(self.at)
    }

    #[cold]
    pub(crate) fn malformed(&self, what: impl Into<String>) -> Error {
        Error::new(Kind::Malformed, what).at_record_byte(self.at)
    }
}

#[inline]
fn zigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ (value & 1).cast_signed().wrapping_neg()
}
