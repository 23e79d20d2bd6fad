//! gzip (RFC 1952): any number of members, then nothing or zero bytes.

use crc_fast::{CrcAlgorithm, Digest};

use super::gzip_header::HeaderParser;
use super::inflate::{Corrupt, Inflater};
use super::stream::Step;
use super::zlib::gather;

/// Checksum and size after a member.
const TRAILER_LEN: usize = 8;

#[derive(Debug)]
enum Phase {
    /// Before the first member. An empty file is an empty stream.
    Start,
    Header(Box<HeaderParser>),
    Body,
    Trailer {
        bytes: [u8; TRAILER_LEN],
        have: usize,
    },
    /// After a member, where another may begin.
    Between,
    /// After the last member: zero bytes only.
    Padding,
}

/// Decompresses gzip, in chunks of any size.
#[derive(Debug)]
pub(crate) struct GzipDecoder {
    phase: Phase,
    inflater: Box<Inflater>,
    crc: Digest,
    /// Whether to pause after each member.
    pauses: bool,
    /// Uncompressed size of the member, modulo 2^32, as the trailer has it.
    size: u32,
}

impl GzipDecoder {
    pub(crate) fn new() -> Self {
        Self {
            phase: Phase::Start,
            inflater: Box::new(Inflater::new()),
            crc: new_crc(),
            pauses: false,
            size: 0,
        }
    }

    pub(crate) fn decode(&mut self, input: &[u8], out: &mut [u8], filled: usize) -> Result<Step, Corrupt> {
        let mut done = Step::default();
        loop {
            let rest = input.get(done.consumed..).unwrap_or_default();
            let earlier = done;
            match &mut self.phase {
                Phase::Start | Phase::Between => match rest.first() {
                    None => return Ok(done),
                    Some(0) if matches!(self.phase, Phase::Between) => self.phase = Phase::Padding,
                    Some(0x1f) => self.phase = Phase::Header(Box::new(HeaderParser::new())),
                    Some(_) => {
                        let what = if matches!(self.phase, Phase::Start) {
                            "no gzip member begins here"
                        } else {
                            "the bytes after a gzip member are neither another member nor zero padding"
                        };
                        return Err(Corrupt::new(what, done));
                    }
                },
                Phase::Header(parser) => {
                    done.consumed += parser.feed(rest).map_err(|corrupt| corrupt.after(earlier))?;
                    if !parser.is_done() {
                        return Ok(done);
                    }
                    self.inflater.reset();
                    self.crc = new_crc();
                    self.size = 0;
                    self.phase = Phase::Body;
                }
                Phase::Body => {
                    let start = filled + done.produced;
                    let step =
                        self.inflater.inflate(rest, out, start).map_err(|corrupt| corrupt.after(earlier))?;
                    done.consumed += step.consumed;
                    done.produced += step.produced;
                    self.crc.update(out.get(start..start + step.produced).unwrap_or_default());
                    self.size = self.size.wrapping_add(step.produced as u32);
                    if !self.inflater.is_done() {
                        return Ok(done);
                    }
                    self.phase = Phase::Trailer { bytes: [0; TRAILER_LEN], have: 0 };
                }
                Phase::Trailer { bytes, have } => {
                    done.consumed += gather(rest, bytes, have);
                    if *have < TRAILER_LEN {
                        return Ok(done);
                    }
                    let [c0, c1, c2, c3, s0, s1, s2, s3] = *bytes;
                    if u64::from(u32::from_le_bytes([c0, c1, c2, c3])) != self.crc.finalize() {
                        return Err(Corrupt::new("the CRC-32 of the gzip member does not match", done));
                    }
                    if u32::from_le_bytes([s0, s1, s2, s3]) != self.size {
                        return Err(Corrupt::new("the size of the gzip member does not match", done));
                    }
                    self.phase = Phase::Between;
                    if self.pauses {
                        return Ok(done);
                    }
                }
                Phase::Padding => {
                    return match rest.iter().position(|&byte| byte != 0) {
                        None => {
                            done.consumed += rest.len();
                            Ok(done)
                        }
                        Some(at) => Err(Corrupt::new(
                            "other bytes follow the last gzip member and its padding",
                            Step { consumed: done.consumed + at, ..done },
                        )),
                    };
                }
            }
        }
    }

    /// Makes each call of [`decode`](Self::decode) end after a member, if one ends.
    pub(crate) fn pausing(self) -> Self {
        Self { pauses: true, ..self }
    }

    /// Returns whether a member has ended and no other has begun.
    pub(crate) fn is_between(&self) -> bool {
        matches!(self.phase, Phase::Between)
    }

    /// Returns where the stream stands, if it cannot end there.
    pub(crate) fn unfinished(&self) -> Option<&'static str> {
        match self.phase {
            Phase::Start | Phase::Between | Phase::Padding => None,
            Phase::Header(_) => Some("the header of a gzip member"),
            Phase::Body => Some("a gzip member"),
            Phase::Trailer { .. } => Some("the checksum and size of a gzip member"),
        }
    }
}

fn new_crc() -> Digest {
    Digest::new(CrcAlgorithm::Crc32IsoHdlc)
}
