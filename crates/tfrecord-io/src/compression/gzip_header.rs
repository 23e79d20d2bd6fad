//! A parser for the header of a gzip member (RFC 1952, section 2.3) that takes it in chunks of any size.

use super::inflate::Corrupt;
use super::stream::Step;

const FHCRC: u8 = 1 << 1;
const FEXTRA: u8 = 1 << 2;
const FNAME: u8 = 1 << 3;
const FCOMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// The longest header that is taken: a name of this length is an attack, not a name.
const MAX_LEN: u64 = 1 << 20;

/// Where in a header the parser stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// Ten bytes that every header has.
    Fixed,
    /// The length of the extra field, two bytes.
    ExtraLen,
    /// The extra field, with the number of bytes left.
    Extra(u16),
    /// A name that ends with a zero byte.
    Name,
    /// A comment that ends with a zero byte.
    Comment,
    /// Two bytes: the lower half of the header's CRC-32.
    HeaderCrc,
    /// All read.
    Done,
}

/// Skips a header and checks it.
#[derive(Debug)]
pub(crate) struct HeaderParser {
    field: Field,
    flags: u8,
    /// The bytes of a field of fixed size, as far as they are there.
    gathered: [u8; 10],
    have: usize,
    len: u64,
    crc: crc_fast::Digest,
}

impl HeaderParser {
    pub(crate) fn new() -> Self {
        Self {
            field: Field::Fixed,
            flags: 0,
            gathered: [0; 10],
            have: 0,
            len: 0,
            crc: crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32IsoHdlc),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.field == Field::Done
    }

    /// Takes what belongs to the header from the front of `input` and says how many bytes that were.
    pub(crate) fn feed(&mut self, input: &[u8]) -> Result<usize, Corrupt> {
        let taking = |consumed| Step { consumed, produced: 0 };
        let mut used = 0;
        while self.field != Field::Done {
            let rest = input.get(used..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            let taken = self.feed_field(rest).map_err(|what| Corrupt::new(what, taking(used)))?;
            used += taken;
            self.len += taken as u64;
            if self.len > MAX_LEN {
                return Err(Corrupt::new("the header of the gzip member is longer than 1 MiB", taking(used)));
            }
        }
        Ok(used)
    }

    /// Takes at most to the end of the field at hand.
    fn feed_field(&mut self, rest: &[u8]) -> Result<usize, &'static str> {
        match self.field {
            Field::Fixed => self.gather(rest, 10, |this, bytes| {
                let [magic0, magic1, method, flags, ..] = bytes;
                if [magic0, magic1] != [0x1f, 0x8b] {
                    return Err("no gzip member begins here");
                }
                if method != 8 {
                    return Err("the gzip member has a method other than deflate");
                }
                if flags & RESERVED != 0 {
                    return Err("the gzip member has flags that RFC 1952 reserves");
                }
                this.flags = flags;
                this.field = this.after_fixed();
                Ok(())
            }),
            Field::ExtraLen => self.gather(rest, 2, |this, bytes| {
                let [low, high, ..] = bytes;
                this.field = match u16::from_le_bytes([low, high]) {
                    0 => this.after_extra(),
                    length => Field::Extra(length),
                };
                Ok(())
            }),
            Field::Extra(left) => {
                let taken = rest.len().min(usize::from(left));
                self.crc.update(rest.get(..taken).unwrap_or_default());
                // `taken` is at most `left`.
                self.field = match left - taken as u16 {
                    0 => self.after_extra(),
                    left => Field::Extra(left),
                };
                Ok(taken)
            }
            Field::Name | Field::Comment => {
                let end = rest.iter().position(|&byte| byte == 0);
                let taken = end.map_or(rest.len(), |end| end + 1);
                self.crc.update(rest.get(..taken).unwrap_or_default());
                if end.is_some() {
                    self.field =
                        if self.field == Field::Name { self.after_name() } else { self.after_comment() };
                }
                Ok(taken)
            }
            Field::HeaderCrc => {
                let expected = self.crc.finalize() as u16;
                self.gather(rest, 2, |this, bytes| {
                    let [low, high, ..] = bytes;
                    if u16::from_le_bytes([low, high]) != expected {
                        return Err("the checksum of the gzip member's header does not match");
                    }
                    this.field = Field::Done;
                    Ok(())
                })
            }
            Field::Done => Ok(0),
        }
    }

    /// Gathers a field of `size` bytes, then looks at it.
    fn gather(
        &mut self,
        rest: &[u8],
        size: usize,
        look: impl FnOnce(&mut Self, [u8; 10]) -> Result<(), &'static str>,
    ) -> Result<usize, &'static str> {
        let mut taken = 0;
        for (&byte, place) in rest.iter().zip(self.gathered.iter_mut().take(size).skip(self.have)) {
            *place = byte;
            taken += 1;
        }
        self.have += taken;
        if self.field != Field::HeaderCrc {
            self.crc.update(rest.get(..taken).unwrap_or_default());
        }
        if self.have == size {
            self.have = 0;
            look(self, self.gathered)?;
        }
        Ok(taken)
    }

    fn after_fixed(&self) -> Field {
        if self.flags & FEXTRA != 0 { Field::ExtraLen } else { self.after_extra() }
    }

    fn after_extra(&self) -> Field {
        if self.flags & FNAME != 0 { Field::Name } else { self.after_name() }
    }

    fn after_name(&self) -> Field {
        if self.flags & FCOMMENT != 0 { Field::Comment } else { self.after_comment() }
    }

    fn after_comment(&self) -> Field {
        if self.flags & FHCRC != 0 { Field::HeaderCrc } else { Field::Done }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All optional fields, with the right checksum.
    fn full() -> Vec<u8> {
        let mut header = vec![0x1f, 0x8b, 8, FHCRC | FEXTRA | FNAME | FCOMMENT, 0, 0, 0, 0, 0, 255];
        header.extend_from_slice(&[5, 0, b'X', b'Y', 1, 0, 9]);
        header.extend_from_slice(b"name\0comment\0");
        let crc = crc_fast::crc32_iso_hdlc(&header) as u16;
        header.extend_from_slice(&crc.to_le_bytes());
        header
    }

    #[test]
    fn takes_a_full_header_in_pieces_of_any_size() {
        let header = full();
        for size in 1..=header.len() {
            let mut parser = HeaderParser::new();
            let mut used = 0;
            for piece in header.chunks(size) {
                used += parser.feed(piece).unwrap();
            }
            assert!(parser.is_done());
            assert_eq!(used, header.len());
        }
        let mut parser = HeaderParser::new();
        let longer = [header.clone(), vec![1, 2, 3]].concat();
        assert_eq!(parser.feed(&longer).unwrap(), header.len());
    }

    #[test]
    fn a_flipped_bit_is_noticed_or_makes_the_header_another_one() {
        for bit in 0..full().len() * 8 {
            let mut header = full();
            header[bit / 8] ^= 1 << (bit % 8);
            let mut parser = HeaderParser::new();
            let complete = parser.feed(&header).is_ok_and(|used| used == header.len()) && parser.is_done();
            // Without the flag for the checksum nothing is compared; otherwise nothing may pass.
            assert!(!complete, "bit {bit}");
        }
    }
}
