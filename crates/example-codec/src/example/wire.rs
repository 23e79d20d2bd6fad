//! The wire form of examples: writing messages whose lengths are known, and walking the maps of a record.

use proto_wire::{Error as WireError, Reader, WireType, len_field_size};

use crate::Error;
use crate::decode::feature::Span;
use crate::error::{malformed, name_not_utf8};

/// Appends a length-delimited field, whose number is below 16.
pub(crate) fn field(out: &mut Vec<u8>, number: u32, content: &[u8]) {
    head(out, number, content.len());
    out.extend_from_slice(content);
}

/// Appends the tag and the length of a field.
#[inline]
pub(crate) fn head(out: &mut Vec<u8>, number: u32, length: usize) {
    out.push((number << 3 | 2) as u8);
    varint(out, length as u64);
}

#[inline]
pub(crate) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns the size of a map entry, a field 1, whose value has `length` bytes.
#[inline]
pub(crate) fn entry_len(name: &str, length: usize) -> usize {
    len_field_size(len_field_size(name.len()) + len_field_size(length))
}

/// Appends all of a map entry that comes before its value.
#[inline]
pub(crate) fn entry_head(out: &mut Vec<u8>, name: &str, length: usize) {
    head(out, 1, len_field_size(name.len()) + len_field_size(length));
    field(out, 1, name.as_bytes());
    head(out, 2, length);
}

/// A record and the name of its message, for errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) name: &'static str,
}

/// The fields of one number, which protobuf merges to one message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    first: Span,
    more: Vec<Span>,
}

impl Parts {
    pub(crate) fn push(&mut self, part: Span) {
        if self.first == Span::default() {
            self.first = part;
        } else {
            self.more.push(part);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Span> {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }

    /// Returns the only part.
    #[inline]
    pub(crate) fn single(&self) -> Option<Span> {
        self.more.is_empty().then_some(self.first)
    }
}

impl<'a> Message<'a> {
    pub(crate) const fn new(bytes: &'a [u8], name: &'static str) -> Self {
        Self { bytes, name }
    }

    pub(crate) const fn whole(self) -> Span {
        Span { start: 0, end: self.bytes.len() }
    }

    #[cold]
    pub(crate) fn malformed(self, error: WireError) -> Error {
        malformed(error, self.name)
    }

    /// Calls `each` with the number and the content of each length-delimited field of a message that is `depth` messages
    /// deep. Other fields are passed over.
    #[inline(always)]
    pub(crate) fn fields(
        self,
        within: Span,
        depth: u32,
        mut each: impl FnMut(u32, Span) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let wire = |error: WireError| self.malformed(error.shifted(within.start));
        let mut reader = Reader::at_depth(within.of(self.bytes), depth);
        while let Some(tag) = reader.tag().map_err(wire)? {
            if tag.wire == WireType::Len {
                let length = reader.bytes().map_err(wire)?.len();
                let end = within.start + reader.position();
                each(tag.field, Span { start: end - length, end })?;
            } else {
                reader.skip(tag).map_err(wire)?;
            }
        }
        Ok(())
    }

    /// Calls `each` with the name and the value of each entry of a `Features` or a `FeatureLists`. Names are not checked to
    /// be UTF-8.
    #[inline(always)]
    pub(crate) fn entries(
        self,
        map: Span,
        mut each: impl FnMut(&'a [u8], Parts) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.fields(map, 1, |number, entry| {
            if number != 1 {
                return Ok(());
            }
            let (mut name, mut value): (Option<&'a [u8]>, _) = (None, Parts::default());
            self.fields(entry, 2, |number, content| {
                match number {
                    1 => {
                        // Also a name that another one replaces is text.
                        if let Some(replaced) = name.replace(content.of(self.bytes)) {
                            utf8(replaced)?;
                        }
                    }
                    2 => value.push(content),
                    _ => {}
                }
                Ok(())
            })?;
            each(name.unwrap_or_default(), value)
        })
    }
}

/// Returns a name as the text that proto3 demands.
#[inline]
pub(crate) fn utf8(name: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(name).map_err(|_| name_not_utf8(name))
}

impl From<Span> for Parts {
    fn from(part: Span) -> Self {
        Self { first: part, more: Vec::new() }
    }
}
