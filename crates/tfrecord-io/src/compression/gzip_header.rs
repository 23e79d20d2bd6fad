//! The header of a gzip member (RFC 1952, section 2.3).

const FHCRC: u8 = 1 << 1;
const FEXTRA: u8 = 1 << 2;
const FNAME: u8 = 1 << 3;
const FCOMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// The longest header that is taken: a name of this length is an attack, not a name.
pub(super) const MAX_LEN: usize = 1 << 20;

/// Measures a header that comes in several chunks, without looking at a byte of its names twice.
#[derive(Debug, Default)]
pub(super) struct HeaderParser {
    /// Offset just past the fields that were measured; 0 before the first.
    end: usize,
    /// Flags of the fields that were not.
    left: u8,
    /// Offset up to which the end of a name was looked for.
    searched: usize,
}

impl HeaderParser {
    /// Checks the header with which `bytes` begin and returns its length; `None` if they end inside of it: the next call is
    /// given the same bytes and more. The error is the offset of the wrong field, and its fault.
    pub(super) fn length(&mut self, bytes: &[u8]) -> Result<Option<usize>, (usize, &'static str)> {
        let length = self.measure(bytes);
        if !matches!(length, Ok(None)) {
            *self = Self::default();
        }
        length
    }

    fn measure(&mut self, bytes: &[u8]) -> Result<Option<usize>, (usize, &'static str)> {
        if self.end == 0 {
            let Some(&[magic0, magic1, method, flags, ..]) = bytes.first_chunk::<10>() else {
                return Ok(None);
            };
            if [magic0, magic1] != [0x1f, 0x8b] {
                return Err((0, "no gzip member begins here"));
            }
            if method != 8 {
                return Err((0, "the gzip member has a method other than deflate"));
            }
            if flags & RESERVED != 0 {
                return Err((0, "the gzip member has flags that RFC 1952 reserves"));
            }
            (self.end, self.left) = (10, flags);
        }
        if self.left & FEXTRA != 0 {
            let Some(length) = two_bytes(bytes, self.end) else { return Ok(None) };
            self.end += 2 + usize::from(length);
            self.left &= !FEXTRA;
        }
        // The name and the comment end with a zero byte.
        for flag in [FNAME, FCOMMENT] {
            if self.left & flag != 0 {
                let from = self.end.max(self.searched);
                let Some(rest) = bytes.get(from..) else { return Ok(None) };
                let Some(zero) = rest.iter().position(|&byte| byte == 0) else {
                    self.searched = bytes.len();
                    return Ok(None);
                };
                self.end = from + zero + 1;
                self.left &= !flag;
            }
        }
        let mut end = self.end;
        if self.left & FHCRC != 0 {
            let (Some(before), Some(stored)) = (bytes.get(..end), two_bytes(bytes, end)) else {
                return Ok(None);
            };
            // The lower half of the CRC-32.
            if stored != crc_fast::crc32_iso_hdlc(before) as u16 {
                return Err((end, "the checksum of the gzip member's header does not match"));
            }
            end += 2;
        }
        Ok((end <= bytes.len()).then_some(end))
    }
}

fn two_bytes(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(bytes: &[u8]) -> Result<Option<usize>, (usize, &'static str)> {
        HeaderParser::default().length(bytes)
    }

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
    fn a_full_header_is_measured_once_all_of_it_is_there() {
        let header = full();
        for end in 0..header.len() {
            assert_eq!(length(&header[..end]), Ok(None), "{end} bytes");
        }
        assert_eq!(length(&header), Ok(Some(header.len())));
        let longer = [header.clone(), vec![1, 2, 3]].concat();
        assert_eq!(length(&longer), Ok(Some(header.len())));
    }

    #[test]
    fn a_header_in_chunks_of_any_size_is_measured_as_a_whole_one() {
        for bit in 0..full().len() * 8 {
            let mut header = [full(), vec![0, 7, 0]].concat();
            header[bit / 8] ^= 1 << (bit % 8);
            for size in 1..header.len() {
                let mut parser = HeaderParser::default();
                for end in (size..=header.len()).step_by(size) {
                    let (found, expected) = (parser.length(&header[..end]), length(&header[..end]));
                    assert_eq!(found, expected, "bit {bit}, {end} bytes, {size} at a time");
                    if !matches!(found, Ok(None)) {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn a_name_that_comes_byte_by_byte_is_looked_at_once() {
        let mut header = vec![0x1f, 0x8b, 8, FNAME, 0, 0, 0, 0, 0, 255];
        header.resize(MAX_LEN - 1, b'n');
        header.push(0);
        let mut parser = HeaderParser::default();
        for end in 0..header.len() {
            assert_eq!(parser.length(&header[..end]), Ok(None));
        }
        assert_eq!(parser.length(&header), Ok(Some(MAX_LEN)));
    }

    #[test]
    fn a_flipped_bit_is_noticed_or_makes_the_header_another_one() {
        for bit in 0..full().len() * 8 {
            let mut header = full();
            header[bit / 8] ^= 1 << (bit % 8);
            // Without the flag for the checksum nothing is compared; otherwise nothing may pass.
            assert_ne!(length(&header), Ok(Some(header.len())), "bit {bit}");
        }
    }
}
