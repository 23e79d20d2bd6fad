//! Snappy's raw format with the CRC-32 of the uncompressed bytes after it, in big-endian order.

use snap::raw::{Decoder, Encoder, decompress_len};
use tfxio_base::resize_zeroed;
use tfxio_core::Count;

use super::{Codec, corrupt, too_much};
use crate::Result;

/// Maximum number of bytes that one byte of snappy data expands to: a copy of 64 bytes takes three.
const RATIO: usize = 22;

pub(super) fn decompress(decoder: &mut Decoder, stored: &[u8], out: &mut Vec<u8>, most: usize) -> Result<()> {
    let Some((data, crc)) = stored.split_last_chunk::<4>() else {
        return Err(corrupt(Codec::Snappy, "it is shorter than its checksum"));
    };
    let refused = |error| corrupt(Codec::Snappy, "it cannot be decompressed").because(error);
    let length = decompress_len(data).map_err(refused)?;
    if length > most {
        return Err(too_much(most));
    }
    if length > data.len().saturating_mul(RATIO) {
        let stored = Count::of(data.len(), "byte");
        let what = format!("{stored} {} to become {length}", stored.verb("claims", "claim"));
        return Err(corrupt(Codec::Snappy, &what));
    }
    // What is there from the last block need not be cleared first.
    resize_zeroed(out, length);
    let written = decoder.decompress(data, out).map_err(refused)?;
    out.truncate(written);
    let (found, stated) = (crc32fast::hash(out), u32::from_be_bytes(*crc));
    if found != stated {
        let what = format!("its CRC-32 is {found:08x}, the file says {stated:08x}");
        return Err(corrupt(Codec::Snappy, &what));
    }
    Ok(())
}

pub(super) fn compress(block: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let data = Encoder::new()
        .compress_vec(block)
        .map_err(|error| corrupt(Codec::Snappy, "it cannot be compressed").because(error))?;
    out.extend_from_slice(&data);
    out.extend_from_slice(&crc32fast::hash(block).to_be_bytes());
    Ok(())
}
