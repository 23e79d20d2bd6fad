//! Deflate in its two wrappers: gzip (RFC 1952), any number of members, and zlib (RFC 1950), one stream. Both may be
//! followed by zero bytes.

use crc_fast::{CrcAlgorithm, Digest};
use tfxio_base::inflating;
use zlib_rs::adler32::adler32;

use super::gzip_header::{HeaderParser, MAX_LEN};
use super::inflate::Inflater;
use super::stream::{Corrupt, InflateStep};
use super::{Compression, has_zlib_magic};

/// Error message for bytes after the end of the data.
const AFTER_GZIP: &str = "bytes that are not gzip data follow the end of the gzip data";
const AFTER_ZLIB: &str = "bytes that are not zlib data follow the end of the zlib data";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before the first member. An empty file is an empty stream.
    Start,
    Header,
    Body,
    Trailer,
    /// After a gzip member, where another may begin.
    Between,
    /// After the last member: zero bytes only.
    Padding,
}

/// Wrapper around deflate, with the running checksum of the member.
#[derive(Debug)]
enum Wrapper {
    Gzip {
        header: HeaderParser,
        crc: Box<Digest>,
        /// Uncompressed size of the member, modulo 2^32, as the trailer has it.
        size: u32,
    },
    Zlib {
        adler: u32,
    },
}

impl Wrapper {
    fn gzip() -> Self {
        Self::Gzip {
            header: HeaderParser::default(),
            crc: Box::new(Digest::new(CrcAlgorithm::Crc32IsoHdlc)),
            size: 0,
        }
    }

    fn zlib() -> Self {
        Self::Zlib { adler: 1 }
    }

    /// Returns the length of the header with which `bytes` begin; `None` if they end inside of it. The error is the
    /// offset of the wrong field, and its fault.
    fn header_len(&mut self, bytes: &[u8]) -> Result<Option<usize>, (usize, &'static str)> {
        match self {
            Self::Gzip { header, .. } => header.length(bytes),
            Self::Zlib { .. } if bytes.len() < 2 => Ok(None),
            Self::Zlib { .. } if has_zlib_magic(bytes) => Ok(Some(2)),
            Self::Zlib { .. } => Err((2, "no zlib stream begins here")),
        }
    }

    /// Adds uncompressed bytes to the checksum.
    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Gzip { crc, size, .. } => {
                crc.update(bytes);
                *size = size.wrapping_add(bytes.len() as u32);
            }
            Self::Zlib { adler } => *adler = adler32(*adler, bytes),
        }
    }

    /// Returns the size of the trailer in bytes: checksum and size for gzip, the checksum for zlib.
    fn trailer_len(&self) -> usize {
        match self {
            Self::Gzip { .. } => 8,
            Self::Zlib { .. } => 4,
        }
    }

    /// Compares a trailer with the output.
    fn check_trailer(&self, trailer: &[u8]) -> Result<(), &'static str> {
        match self {
            Self::Gzip { crc, .. } if !trailer.starts_with(&(crc.finalize() as u32).to_le_bytes()) => {
                Err("the CRC-32 of the gzip member does not match")
            }
            Self::Gzip { size, .. } if !trailer.ends_with(&size.to_le_bytes()) => {
                Err("the size of the gzip member does not match")
            }
            Self::Zlib { adler } if trailer != adler.to_be_bytes() => {
                Err("the Adler-32 of the zlib stream does not match")
            }
            _ => Ok(()),
        }
    }
}

/// Decompresses gzip or zlib, in chunks of any size.
#[derive(Debug)]
pub(crate) struct WrappedDecoder {
    wrapper: Wrapper,
    phase: Phase,
    inflater: Inflater,
    /// The bytes so far of a header or trailer that came in several chunks.
    gathered: Vec<u8>,
    /// Whether to pause after each member.
    pauses: bool,
}

impl WrappedDecoder {
    /// Returns a decoder for `compression`; `None` if nothing is to be decoded.
    pub(crate) fn new(compression: Compression) -> crate::Result<Option<Self>> {
        Ok(match compression {
            Compression::None => None,
            Compression::Gzip => Some(Self::over(Wrapper::gzip())),
            Compression::Zlib => Some(Self::over(Wrapper::zlib())),
        })
    }

    /// Returns a decoder for one member of a gzip file: a call of [`decode`](Self::decode) does not go beyond its end.
    pub(crate) fn one_member() -> Self {
        Self { pauses: true, ..Self::over(Wrapper::gzip()) }
    }

    fn over(wrapper: Wrapper) -> Self {
        let (inflater, gathered) = (Inflater::new(), Vec::new());
        Self { wrapper, phase: Phase::Start, inflater, gathered, pauses: false }
    }

    /// Takes from `input` and writes to `out[filled..]`, until one of them is used up.
    pub(crate) fn decode(
        &mut self,
        input: &[u8],
        out: &mut [u8],
        filled: usize,
    ) -> Result<InflateStep, Corrupt> {
        inflating(|| self.decode_all(input, out, filled))
    }

    fn decode_all(&mut self, input: &[u8], out: &mut [u8], filled: usize) -> Result<InflateStep, Corrupt> {
        let is_gzip = matches!(self.wrapper, Wrapper::Gzip { .. });
        let mut done = InflateStep::default();
        loop {
            let rest = input.get(done.consumed..).unwrap_or_default();
            match self.phase {
                Phase::Start | Phase::Between => match rest.first() {
                    None => return Ok(done),
                    Some(0) if self.phase == Phase::Between => self.phase = Phase::Padding,
                    Some(&first) if is_gzip && first != 0x1f => {
                        return Err(match self.phase {
                            Phase::Start => Corrupt::new("no gzip member begins here", done),
                            _ => Corrupt::trailing(AFTER_GZIP, done),
                        });
                    }
                    Some(_) => self.phase = Phase::Header,
                },
                Phase::Header => {
                    let (consumed, is_whole) = self.header(rest).map_err(|corrupt| corrupt.after(done))?;
                    done.consumed += consumed;
                    if !is_whole {
                        return Ok(done);
                    }
                    self.inflater.reset();
                    self.wrapper = if is_gzip { Wrapper::gzip() } else { Wrapper::zlib() };
                    self.phase = Phase::Body;
                }
                Phase::Body => {
                    let start = filled + done.produced;
                    let step =
                        self.inflater.inflate(rest, out, start).map_err(|corrupt| corrupt.after(done))?;
                    done.consumed += step.consumed;
                    done.produced += step.produced;
                    self.wrapper.update(out.get(start..start + step.produced).unwrap_or_default());
                    if !self.inflater.is_done() {
                        return Ok(done);
                    }
                    self.phase = Phase::Trailer;
                }
                Phase::Trailer => {
                    let missing = self.wrapper.trailer_len().saturating_sub(self.gathered.len());
                    let taken = rest.get(..missing).unwrap_or(rest);
                    self.gathered.extend_from_slice(taken);
                    done.consumed += taken.len();
                    if taken.len() < missing {
                        return Ok(done);
                    }
                    let checked = self.wrapper.check_trailer(&self.gathered);
                    checked.map_err(|what| Corrupt::new(what, done))?;
                    self.gathered.clear();
                    self.phase = if is_gzip { Phase::Between } else { Phase::Padding };
                    if self.pauses {
                        return Ok(done);
                    }
                }
                Phase::Padding => {
                    let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
                    done.consumed += zeros;
                    if zeros == rest.len() {
                        return Ok(done);
                    }
                    return Err(Corrupt::trailing(if is_gzip { AFTER_GZIP } else { AFTER_ZLIB }, done));
                }
            }
        }
    }

    /// Skips a header, or what there is of one. Returns how many bytes it took, and whether the header ended.
    fn header(&mut self, rest: &[u8]) -> Result<(usize, bool), Corrupt> {
        let before = self.gathered.len();
        if before > 0 {
            self.gathered.extend_from_slice(rest);
        }
        let header = if before > 0 { &self.gathered } else { rest };
        let corrupt = |at: usize, what| {
            Corrupt::new(what, InflateStep { consumed: at.saturating_sub(before), produced: 0 })
        };
        let len = self.wrapper.header_len(header).map_err(|(at, what)| corrupt(at, what))?;
        let taken = len.unwrap_or(header.len());
        if taken > MAX_LEN {
            return Err(corrupt(taken, "the header of the gzip member is longer than 1 MiB"));
        }
        match len {
            Some(_) => self.gathered.clear(),
            None if before == 0 => self.gathered.extend_from_slice(rest),
            None => {}
        }
        Ok((taken - before, len.is_some()))
    }

    /// Returns whether a gzip member has ended and no other has begun.
    pub(crate) fn is_between(&self) -> bool {
        self.phase == Phase::Between
    }

    /// Returns the unfinished part of the stream; `None` if the stream may end here.
    pub(crate) fn unfinished(&self) -> Option<&'static str> {
        let (in_gzip, in_zlib) = match self.phase {
            Phase::Start | Phase::Between | Phase::Padding => return None,
            Phase::Header => ("the header of a gzip member", "the header of a zlib stream"),
            Phase::Body => ("a gzip member", "a zlib stream"),
            Phase::Trailer => ("the checksum and size of a gzip member", "the checksum of a zlib stream"),
        };
        Some(if matches!(self.wrapper, Wrapper::Gzip { .. }) { in_gzip } else { in_zlib })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Hello" in one stored block.
    const DEFLATED: &[u8] = b"\x01\x05\0\xfa\xffHello";

    /// Decodes `stored` in chunks of `size` bytes.
    fn decoded(mut decoder: WrappedDecoder, stored: &[u8], size: usize) -> Vec<u8> {
        let (mut out, mut filled) = ([0; 64], 0);
        for chunk in stored.chunks(size) {
            let step = decoder.decode(chunk, &mut out, filled).unwrap();
            assert_eq!(step.consumed, chunk.len());
            filled += step.produced;
        }
        assert_eq!(decoder.unfinished(), None);
        out[..filled].to_vec()
    }

    #[test]
    fn streams_come_in_chunks_of_any_size() {
        let crc = crc_fast::crc32_iso_hdlc(b"Hello").to_le_bytes();
        let mut header = b"\x1f\x8b\x08\x1e\0\0\0\0\0\xff\x05\0XY\x01\0\x09name\0comment\0".to_vec();
        header.extend_from_slice(&(crc_fast::crc32_iso_hdlc(&header) as u16).to_le_bytes());
        let member = [&header, DEFLATED, &crc, &[5, 0, 0, 0]].concat();
        let gzip = [&member[..], &member, &[0; 7]].concat();
        let zlib = [b"\x78\x9c", DEFLATED, &adler32(1, b"Hello").to_be_bytes(), &[0; 7]].concat();
        let decoder = |compression| WrappedDecoder::new(compression).unwrap().unwrap();
        for size in 1..=gzip.len() {
            assert_eq!(decoded(decoder(Compression::Gzip), &gzip, size), b"HelloHello", "chunks of {size}");
            assert_eq!(decoded(decoder(Compression::Zlib), &zlib, size), b"Hello", "chunks of {size}");
        }
    }
}
