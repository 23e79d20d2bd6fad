//! Deflate without a header, through flate2.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use tfxio_core::Count;
use zlib_rs::adler32::adler32;

use super::{Codec, corrupt, grow};
use crate::Result;

/// The state of the inflater, which is kept from block to block.
pub(super) struct Inflate {
    state: Decompress,
}

impl Default for Inflate {
    fn default() -> Self {
        Self { state: Decompress::new(false) }
    }
}

impl Inflate {
    pub(super) fn decompress(&mut self, stored: &[u8], out: &mut Vec<u8>, most: usize) -> Result<()> {
        self.state.reset(false);
        out.clear();
        loop {
            if out.len() == out.capacity() || out.len() > most {
                grow(out, most)?;
            }
            let (read, length) = (self.state.total_in() as usize, out.len());
            let rest = stored.get(read..).unwrap_or_default();
            let status = self
                .state
                .decompress_vec(rest, out, FlushDecompress::Finish)
                .map_err(|error| corrupt(Codec::Deflate, "it cannot be inflated").because(error))?;
            let read = self.state.total_in() as usize;
            match status {
                Status::StreamEnd if read == stored.len() && out.len() <= most => return Ok(()),
                Status::StreamEnd if out.len() > most => grow(out, most)?,
                Status::StreamEnd => {
                    let left = stored.get(read..).unwrap_or_default();
                    // Avro's Python library cuts zlib's header off, but only the last byte of its checksum.
                    if left.len() <= 4 && adler32(1, out).to_be_bytes().starts_with(left) {
                        return Ok(());
                    }
                    let left = Count::of(left.len(), "byte");
                    let what = format!("{left} {} its end", left.verb("follows", "follow"));
                    return Err(corrupt(Codec::Deflate, &what));
                }
                // Room was left, and nothing came.
                _ if out.len() == length && out.len() < out.capacity() => {
                    return Err(corrupt(Codec::Deflate, "it ends too early"));
                }
                _ => {}
            }
        }
    }
}

pub(super) fn compress(block: &[u8], level: u32, out: &mut Vec<u8>) -> Result<()> {
    let mut state = Compress::new(Compression::new(level), false);
    loop {
        // Where the room runs out, zlib-rs forgets the match that it was looking at: the block would depend on how much room those
        // before it have left. Nine bits a byte are the most that it writes.
        out.reserve(block.len() + block.len() / 8 + 64);
        let rest = block.get(state.total_in() as usize..).unwrap_or_default();
        let status = state
            .compress_vec(rest, out, FlushCompress::Finish)
            .map_err(|error| corrupt(Codec::Deflate, "it cannot be compressed").because(error))?;
        if status == Status::StreamEnd {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compress;

    #[test]
    fn a_block_does_not_depend_on_the_room_for_it() {
        let mut state = 1u64;
        // Bytes of which half shrinks away, so that matches are rare, and one is at hand now and then where room would run out.
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 60) as u8
        };
        for len in (40_000..240_000).step_by(5000) {
            let block = (0..len).map(|_| byte()).collect::<Vec<_>>();
            let [tight, wide] = [0, 2 * len].map(|room| {
                let mut stored = Vec::with_capacity(room);
                compress(&block, 6, &mut stored).expect("a block");
                stored
            });
            assert!(tight == wide, "{len} bytes");
        }
    }
}
