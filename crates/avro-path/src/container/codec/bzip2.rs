//! bzip2, of one stream or several.

use std::io::{ErrorKind, Write};

use bzip2::Compression;
use bzip2::bufread::MultiBzDecoder;
use bzip2::write::BzEncoder;

use super::{Codec, corrupt, read_all};
use crate::Result;

pub(super) fn decompress(stored: &[u8], out: &mut Vec<u8>, most: usize) -> Result<()> {
    read_all(MultiBzDecoder::new(stored), out, most, |error| {
        let what = match error.kind() {
            ErrorKind::UnexpectedEof => "it ends too early",
            _ => "it cannot be decompressed",
        };
        corrupt(Codec::Bzip2, what).because(error)
    })
}

pub(super) fn compress(block: &[u8], level: u32, out: &mut Vec<u8>) -> Result<()> {
    let refused = |error| corrupt(Codec::Bzip2, "it cannot be compressed").because(error);
    let mut writer = BzEncoder::new(out, Compression::new(level));
    writer.write_all(block).map_err(refused)?;
    writer.finish().map_err(refused)?;
    Ok(())
}
