//! bzip2, of one stream or several.

use bzip2::{Action, Compress, Compression, Decompress, Status};

use super::{Codec, corrupt, grow};
use crate::Result;

pub(super) fn decompress(stored: &[u8], out: &mut Vec<u8>, most: usize) -> Result<()> {
    out.clear();
    let mut rest = stored;
    loop {
        rest = stream(rest, out, most)?;
        if rest.is_empty() {
            return Ok(());
        }
    }
}

/// Decompresses one stream and returns what follows it.
fn stream<'a>(stored: &'a [u8], out: &mut Vec<u8>, most: usize) -> Result<&'a [u8]> {
    let mut state = Decompress::new(false);
    loop {
        if out.len() == out.capacity() || out.len() > most {
            grow(out, most)?;
        }
        let length = out.len();
        let before = state.total_in();
        let rest = stored.get(before as usize..).unwrap_or_default();
        let status = state
            .decompress_vec(rest, out)
            .map_err(|error| corrupt(Codec::Bzip2, "it cannot be decompressed").because(error))?;
        match status {
            Status::StreamEnd if out.len() > most => grow(out, most)?,
            Status::StreamEnd => return Ok(stored.get(state.total_in() as usize..).unwrap_or_default()),
            _ if out.len() == length && state.total_in() == before => {
                return Err(corrupt(Codec::Bzip2, "it ends too early"));
            }
            _ => {}
        }
    }
}

pub(super) fn compress(block: &[u8], level: u32, out: &mut Vec<u8>) -> Result<()> {
    let mut state = Compress::new(Compression::new(level), 0);
    loop {
        out.reserve(block.len() / 2 + 64);
        let rest = block.get(state.total_in() as usize..).unwrap_or_default();
        let status = state
            .compress_vec(rest, out, Action::Finish)
            .map_err(|error| corrupt(Codec::Bzip2, "it cannot be compressed").because(error))?;
        if status == Status::StreamEnd {
            return Ok(());
        }
    }
}
