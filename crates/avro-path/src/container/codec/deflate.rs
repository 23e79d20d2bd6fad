//! Deflate without a header, through flate2.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
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
                    let what = format!("{} bytes follow its end", left.len());
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
        out.reserve(block.len() / 2 + 64);
        let rest = block.get(state.total_in() as usize..).unwrap_or_default();
        let status = state
            .compress_vec(rest, out, FlushCompress::Finish)
            .map_err(|error| corrupt(Codec::Deflate, "it cannot be compressed").because(error))?;
        if status == Status::StreamEnd {
            return Ok(());
        }
    }
}
