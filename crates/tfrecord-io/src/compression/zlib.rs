//! zlib (RFC 1950): one stream, then nothing or zero bytes.

use super::inflate::{Corrupt, Inflater};
use super::stream::Step;
use super::{adler32::Adler32, has_zlib_magic};

#[derive(Debug)]
enum Phase {
    /// Two bytes.
    Header {
        bytes: [u8; 2],
        have: usize,
    },
    Body,
    /// The Adler-32 of all that came out, big-endian.
    Trailer {
        bytes: [u8; 4],
        have: usize,
    },
    /// Zero bytes only.
    Padding,
}

/// Decompresses zlib, in chunks of any size.
#[derive(Debug)]
pub(crate) struct ZlibDecoder {
    phase: Phase,
    inflater: Box<Inflater>,
    adler: Adler32,
}

impl ZlibDecoder {
    pub(crate) fn new() -> Self {
        Self {
            phase: Phase::Header { bytes: [0; 2], have: 0 },
            inflater: Box::new(Inflater::new()),
            adler: Adler32::new(),
        }
    }

    pub(crate) fn decode(&mut self, input: &[u8], out: &mut [u8], filled: usize) -> Result<Step, Corrupt> {
        let mut done = Step::default();
        loop {
            let rest = input.get(done.consumed..).unwrap_or_default();
            match &mut self.phase {
                Phase::Header { bytes, have } => {
                    done.consumed += gather(rest, bytes, have);
                    if *have < bytes.len() {
                        return Ok(done);
                    }
                    if !has_zlib_magic(bytes) {
                        return Err(Corrupt::new("no zlib stream begins here", done));
                    }
                    self.phase = Phase::Body;
                }
                Phase::Body => {
                    let start = filled + done.produced;
                    let earlier = done;
                    let step =
                        self.inflater.inflate(rest, out, start).map_err(|corrupt| corrupt.after(earlier))?;
                    done.consumed += step.consumed;
                    done.produced += step.produced;
                    self.adler.update(out.get(start..start + step.produced).unwrap_or_default());
                    if !self.inflater.is_done() {
                        return Ok(done);
                    }
                    self.phase = Phase::Trailer { bytes: [0; 4], have: 0 };
                }
                Phase::Trailer { bytes, have } => {
                    done.consumed += gather(rest, bytes, have);
                    if *have < bytes.len() {
                        return Ok(done);
                    }
                    if u32::from_be_bytes(*bytes) != self.adler.value() {
                        return Err(Corrupt::new("the Adler-32 of the zlib stream does not match", done));
                    }
                    self.phase = Phase::Padding;
                }
                Phase::Padding => {
                    return match rest.iter().position(|&byte| byte != 0) {
                        None => {
                            done.consumed += rest.len();
                            Ok(done)
                        }
                        Some(at) => Err(Corrupt::new(
                            "other bytes follow the zlib stream",
                            Step { consumed: done.consumed + at, ..done },
                        )),
                    };
                }
            }
        }
    }

    /// Returns where the stream stands, if it cannot end there.
    pub(crate) fn unfinished(&self) -> Option<&'static str> {
        match self.phase {
            Phase::Header { have: 0, .. } | Phase::Padding => None,
            Phase::Header { .. } => Some("the header of a zlib stream"),
            Phase::Body => Some("a zlib stream"),
            Phase::Trailer { .. } => Some("the checksum of a zlib stream"),
        }
    }
}

/// Fills `out` from `have` on, and returns how many bytes it took.
pub(super) fn gather(rest: &[u8], out: &mut [u8], have: &mut usize) -> usize {
    let mut taken = 0;
    for (&byte, out) in rest.iter().zip(out.iter_mut().skip(*have)) {
        *out = byte;
        taken += 1;
    }
    *have += taken;
    taken
}
