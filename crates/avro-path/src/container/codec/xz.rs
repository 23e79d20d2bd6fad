//! xz, of one stream or several, through lzma-rust2.

use std::io::Write;

use lzma_rust2::{XzOptions, XzReader, XzWriter};

use super::{Codec, corrupt, read_all};
use crate::Result;

/// Memory limit of the decoder: a dictionary of 64 MiB, as level 9 needs, and the decoder's own. Only the used part of
/// it is touched.
const MEMORY_KIB: u32 = 96 << 10;

pub(super) fn decompress(stored: &[u8], out: &mut Vec<u8>, most: usize) -> Result<()> {
    let source = XzReader::new_mem_limit(stored, true, MEMORY_KIB);
    read_all(source, out, most, |error| corrupt(Codec::Xz, "it cannot be decompressed").because(error))
}

pub(super) fn compress(block: &[u8], level: u32, out: &mut Vec<u8>) -> Result<()> {
    let refused = |error| corrupt(Codec::Xz, "it cannot be compressed").because(error);
    let mut options = XzOptions::with_preset(level);
    // A dictionary beyond the block is memory for nothing, for the reader too.
    let size = u32::try_from(block.len()).unwrap_or(u32::MAX).max(1 << 12);
    options.lzma_options.dict_size = options.lzma_options.dict_size.min(size);
    let mut writer = XzWriter::new(out, options).map_err(refused)?;
    writer.write_all(block).map_err(refused)?;
    writer.finish().map_err(refused)?;
    Ok(())
}
