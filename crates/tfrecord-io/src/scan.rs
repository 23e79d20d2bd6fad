//! Search for the next header, which finds records without knowing where one begins.
//!
//! A header is twelve bytes: a length and the masked CRC-32C of that length. Any position can be tested for one, and
//! bytes that are not a header pass the test once in 2³². [`splits`](crate::splits) and [`salvage`](crate::salvage) are
//! built on this. TensorFlow's own readers cannot do it: they begin at byte 0 and hop from header to header.
//!
//! # Speed
//!
//! Nearly all positions are thrown out before any CRC is computed:
//!
//! 1. A length cannot exceed what the file or the limits allow. With a limit below 4 GiB the four high bytes of the
//!    length must be zero, below 1 TiB three, so that only positions before a run of zero bytes matter. Sixty-four
//!    positions are tested at once.
//! 2. A length of 0 has the checksum `29 03 98 07`, so that nine zero bytes never begin a header. This disposes of long
//!    runs of zeros, where the first rule finds nothing to throw out.
//! 3. Where many positions are left, as in `int64` values, the first byte of the checksum is computed for all sixty-four
//!    at once. A checksum is linear, so that it is the XOR of what the bytes of a length contribute: small tables, and
//!    shuffle instructions where there are some.
//! 4. What is left costs one CRC instruction each (SSE 4.2, Armv8) or eight table look-ups.
//!
//! [`find_header`] finds *candidates*. That a candidate begins a record needs more evidence: see
//! [`splits`](crate::splits#the-first-record-after-a-cut).

mod blocks;
pub(crate) mod window;

use crate::frame::{HEADER_LEN, Header};

/// A position at which twelve bytes are a valid header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// Index of the header's first byte in the slice that was searched.
    pub position: usize,
    /// The length of the payload that the header gives, in bytes.
    pub length: u64,
}

/// Returns the first position at or after `from` at which `data` holds a valid header with a length of at most `max_length`.
///
/// `None` if there is none; a header that begins in the last eleven bytes is not seen, so that a caller who searches a
/// stream chunk by chunk keeps these for the next chunk.
///
/// Smaller limits search faster only across the steps of 2³² and 2⁴⁰: above 2³² three bytes of a length are known to be
/// zero instead of four, and above 2⁴⁰ none is asked for.
///
/// ```
/// use tfrecord_io::{frame, scan};
///
/// let mut data = b"damaged bytes".to_vec();
/// frame::append(&mut data, b"payload");
/// let found = scan::find_header(&data, 0, 1 << 30).expect("there is one");
/// assert_eq!((found.position, found.length), (13, 7));
/// assert_eq!(scan::find_header(&data, 14, 1 << 30), None);
/// ```
pub fn find_header(data: &[u8], from: usize, max_length: u64) -> Option<Candidate> {
    let at = match blocks::search(data, from, max_length) {
        Ok(found) => return Some(found),
        Err(tail) => tail,
    };
    let tail = data.get(at..)?;
    tail.windows(HEADER_LEN).enumerate().find_map(|(position, bytes)| {
        header_at(bytes, max_length).map(|length| Candidate { position: at + position, length })
    })
}

/// Returns the length that a valid header at the start of `bytes` gives.
#[inline]
fn header_at(bytes: &[u8], max_length: u64) -> Option<u64> {
    let header = Header::read(bytes.first_chunk()?);
    if header.claimed_length() > max_length {
        return None;
    }
    header.checked_length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;

    /// Follows the definition, position by position.
    fn slowly(data: &[u8], from: usize, max_length: u64) -> Option<Candidate> {
        (from..data.len()).find_map(|position| {
            let header = Header::read(data[position..].first_chunk()?);
            let length = header.checked_length().filter(|&length| length <= max_length)?;
            Some(Candidate { position, length })
        })
    }

    fn check_all(data: &[u8], max_length: u64) {
        let mut from = 0;
        loop {
            let found = find_header(data, from, max_length);
            assert_eq!(found, slowly(data, from, max_length), "from {from}, limit {max_length}");
            match found {
                Some(found) => from = found.position + 1,
                None => break,
            }
        }
    }

    #[test]
    fn finds_a_header_at_every_alignment_and_distance_from_the_end() {
        for before in 0..140 {
            for after in [0, 1, 11, 12, 63, 64, 130] {
                let mut data = vec![7; before];
                data.extend_from_slice(&Header::encode(300));
                data.resize(data.len() + after, 0);
                let found = Some(Candidate { position: before, length: 300 });
                assert_eq!(find_header(&data, 0, 1 << 30), found, "{before} bytes before, {after} after");
                assert_eq!(find_header(&data, before, 1 << 30), found);
                assert_eq!(find_header(&data, before + 1, 1 << 30), None);
                assert_eq!(find_header(&data, 0, 299), None);
            }
        }
    }

    #[test]
    fn agrees_with_the_definition_on_many_lengths_and_limits() {
        let mut data = Vec::new();
        for length in [0, 1, 0x100, 0xffff_ffff, 0x1_0000_0000, u64::MAX, 1 << 40, 0, 77, 0x0100_0000] {
            data.extend_from_slice(&Header::encode(length));
            data.extend_from_slice(&[0; 23]);
        }
        for max in [0, 1, 255, 0xffff_fffe, 0xffff_ffff, 0x1_0000_0000, 1 << 40, u64::MAX] {
            check_all(&data, max);
        }
    }

    #[test]
    fn zeros_are_no_header_but_a_record_of_no_bytes_among_zeros_is_found() {
        let mut data = vec![0; 1000];
        assert_eq!(find_header(&data, 0, u64::MAX), None);
        assert_eq!(find_header(&data, 0, 1 << 20), None);
        frame::append(&mut data, b"");
        data.resize(2000, 0);
        // The length is all zeros, so the header could only be told from the zeros before it by its checksum.
        let found = Some(Candidate { position: 1000, length: 0 });
        assert_eq!(find_header(&data, 0, 1 << 20), found);
        assert_eq!(find_header(&data, 0, u64::MAX), found);
    }

    #[test]
    fn short_slices_and_starts_behind_the_end() {
        for length in 0..12 {
            assert_eq!(find_header(&Header::encode(5)[..length], 0, u64::MAX), None);
        }
        assert_eq!(find_header(&[0; 5], 6, u64::MAX), None);
        assert_eq!(find_header(&[], usize::MAX, 10), None);
    }
}
