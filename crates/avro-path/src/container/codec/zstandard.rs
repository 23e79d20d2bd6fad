//! Zstandard, of one frame or several.

use zstd::bulk::Compressor;
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::{Codec, corrupt, grow};
use crate::{Error, Result};

/// The state of the decoder, which is kept from block to block.
pub(super) struct Inflate {
    state: Decoder<'static>,
}

impl Inflate {
    pub(super) fn new() -> Result<Self> {
        let state = Decoder::new().map_err(|error| Error::io(error, "preparing zstandard"))?;
        Ok(Self { state })
    }

    pub(super) fn decompress(&mut self, stored: &[u8], out: &mut Vec<u8>, most: usize) -> Result<()> {
        let refused = |error| corrupt(Codec::Zstandard, "it cannot be decompressed").because(error);
        self.state.reinit().map_err(refused)?;
        out.clear();
        let mut input = InBuffer::around(stored);
        loop {
            if out.len() == out.capacity() || out.len() > most {
                grow(out, most)?;
            }
            let (read, length) = (input.pos(), out.len());
            let hint =
                self.state.run(&mut input, &mut OutBuffer::around_pos(out, length)).map_err(refused)?;
            let all_read = input.pos() == stored.len();
            if hint == 0 && all_read && out.len() <= most {
                return Ok(());
            }
            if input.pos() == read && out.len() == length {
                return Err(corrupt(Codec::Zstandard, "it ends too early"));
            }
        }
    }
}

pub(super) fn compress(block: &[u8], level: u32, out: &mut Vec<u8>) -> Result<()> {
    let refused = |error| corrupt(Codec::Zstandard, "it cannot be compressed").because(error);
    let mut compressor = Compressor::new(i32::try_from(level).unwrap_or_default()).map_err(refused)?;
    // Four bytes a block, without which damage goes unnoticed.
    compressor.include_checksum(true).map_err(refused)?;
    let data = compressor.compress(block).map_err(refused)?;
    out.extend_from_slice(&data);
    Ok(())
}
