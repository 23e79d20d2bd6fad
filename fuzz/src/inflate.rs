//! A gzip member inflates exactly when its deflate stream is whole and its header tells the truth, and then to what
//! zlib-rs makes of that stream, whichever inflater the build has.

use flate2::{Decompress, FlushDecompress, Status};
use tfrecord_io::compression::members;
use tfrecord_io::crc;

/// The most bytes that an input is inflated to.
const MOST: usize = 1 << 18;

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut reference = Decompress::new(false);
    let mut wanted = vec![0; MOST];
    let result = reference.decompress(data, &mut wanted, FlushDecompress::Finish);
    wanted.truncate(reference.total_out() as usize);
    let used = reference.total_in() as usize;
    let whole = matches!(result, Ok(Status::StreamEnd));
    if wanted.len() == MOST || wanted.len() < tfrecord_io::frame::OVERHEAD {
        // Too long to compare, or shorter than any record, which the header of a member cannot say.
        return;
    }
    // The whole of a stream; or all of the input, of which no part is a stream.
    let deflate = if whole { &data[..used] } else { data };
    let bytes = member(deflate, &wanted);
    let Some(member) = members::parse_header(&bytes) else {
        assert!(wanted.len() / 1032 > bytes.len(), "a plausible header was refused");
        return;
    };
    let mut out = Vec::new();
    match members::inflate(&bytes, &member, MOST as u64, &mut out) {
        Ok(()) => {
            assert!(whole, "zlib-rs refuses it: {result:?}");
            assert_eq!(out, wanted);
        }
        Err(error) => assert!(!whole, "zlib-rs takes it: {error}"),
    }

    // One byte less or more, or another size, is never right.
    if whole {
        for (stored, uncompressed) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            let mut bytes = bytes.clone();
            match stored {
                -1 => drop(bytes.pop()),
                // Not zero, which is padding.
                1 => bytes.push(1),
                _ => {}
            }
            let mut wrong = member;
            wrong.stored_len = bytes.len() as u64;
            wrong.uncompressed_len = member.uncompressed_len.saturating_add_signed(uncompressed);
            assert!(members::inflate(&bytes, &wrong, MOST as u64 + 1, &mut out).is_err());
        }
    }
}

/// Returns a gzip member of these parts.
fn member(deflate: &[u8], contents: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 32, 0];
    bytes.extend_from_slice(&members::SUBFIELD);
    bytes.extend_from_slice(&[28, 0]);
    let stored = (members::HEADER_LEN + deflate.len() + 8) as u64;
    let numbers = [stored, contents.len() as u64, 1].map(u64::to_le_bytes);
    bytes.extend_from_slice(numbers.as_flattened());
    bytes.extend_from_slice(&crc::masked_crc32c(numbers.as_flattened()).to_le_bytes());
    bytes.extend_from_slice(deflate);
    bytes.extend_from_slice(&crc32fast::hash(contents).to_le_bytes());
    bytes.extend_from_slice(&(contents.len() as u32).to_le_bytes());
    bytes
}

/// Returns streams of each kind of block.
pub fn seeds() -> Vec<Vec<u8>> {
    let text = b"a text in which some words come again and again, and some words do not come again".repeat(4);
    let numbers: Vec<u8> = (0..3000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) as u8).collect();
    let mut seeds = Vec::new();
    for contents in [&text, &numbers, &vec![0; 5000]] {
        for level in [0, 1, 6, 9] {
            let mut deflate = flate2::Compress::new(flate2::Compression::new(level), false);
            let mut out = Vec::with_capacity(contents.len() + 100);
            if deflate.compress_vec(contents, &mut out, flate2::FlushCompress::Finish).is_ok() {
                seeds.push(out);
            }
        }
    }
    // One block with the fixed codes: 20 times the literal 'a' as a match.
    seeds.push(vec![0x4b, 0xc4, 0x02, 0x00]);
    seeds
}
