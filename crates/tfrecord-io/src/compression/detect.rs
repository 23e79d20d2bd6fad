//! Detection of the compression from the first bytes of a file.

use super::{Compression, has_gzip_magic, has_zlib_magic};
use crate::frame::{HEADER_LEN, Header, looks_like};
use crate::{Error, Kind, Result};

/// Result of detection from the first bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detected {
    /// Compression to read the file with.
    Known(Compression),
    /// Undecided: too few bytes, and the file has more.
    NeedMore,
}

/// Bytes needed to decide whether a stream is zlib. A stream may begin with up to about 300 bytes of code description
/// before the first record comes out.
const ENOUGH: usize = 512;

/// Decides from `start`, the first bytes of a file, how to read it. `whole`: the file has no more bytes than these.
///
/// # Errors
///
/// `stated` is contradicted by the bytes.
pub(crate) fn detect(start: &[u8], whole: bool, stated: Option<Compression>) -> Result<Detected> {
    // A stream that somebody is still writing must not wait for bytes that change nothing.
    let enough = if has_zlib_magic(start) && !starts_with_record(start) { ENOUGH } else { HEADER_LEN };
    if start.len() < enough && !whole {
        return Ok(Detected::NeedMore);
    }
    let found = guess(start);
    let Some(stated) = stated else { return Ok(Detected::Known(found.unwrap_or(Compression::None))) };
    let fits = match (stated, found) {
        // Nothing certain was found. Framing explains what is wrong with a record, the decompressors what is wrong with a stream.
        (Compression::None, None) => true,
        (Compression::Gzip, None) => start.is_empty() || has_gzip_magic(start),
        (Compression::Zlib, None) => start.is_empty() || has_zlib_magic(start),
        (stated, Some(found)) => stated == found,
    };
    if fits {
        return Ok(Detected::Known(stated));
    }
    let found = match found {
        Some(Compression::None) => "it is not compressed: it begins with a record",
        Some(Compression::Gzip) => "it begins like a gzip stream",
        Some(Compression::Zlib) => "it begins like a zlib stream",
        None => match looks_like(start) {
            Some(name) => &format!("it begins like {name}"),
            None => "it begins like no format that is known here",
        },
    };
    Err(Error::new(Kind::CompressionMismatch, format!("the compression was given as {stated}, but {found}"))
        .help("leave the compression to be detected, or give the right one")
        .at_byte(0))
}

/// Returns the compression of a file that begins with `start`, if there is any sign of one.
fn guess(start: &[u8]) -> Option<Compression> {
    if starts_with_record(start) {
        Some(Compression::None)
    } else if has_gzip_magic(start) {
        Some(Compression::Gzip)
    } else if has_zlib_magic(start) && inflates_to_record(start) {
        Some(Compression::Zlib)
    } else {
        None
    }
}

fn starts_with_record(start: &[u8]) -> bool {
    start.first_chunk::<HEADER_LEN>().is_some_and(|header| Header::read(header).checked_length().is_some())
}

/// Returns whether the zlib stream of which `start` is the beginning holds a record first, or ends before that can be known.
#[cfg(feature = "gzip")]
fn inflates_to_record(start: &[u8]) -> bool {
    use super::inflate::Inflater;
    let Some(body) = start.get(2..) else { return true };
    let mut out = [0; HEADER_LEN];
    match Inflater::new().inflate(body, &mut out, 0) {
        Ok(step) => step.produced < HEADER_LEN || starts_with_record(&out),
        Err(_) => false,
    }
}

/// Returns true: without an inflater, the two bytes of the header must do.
#[cfg(not(feature = "gzip"))]
fn inflates_to_record(_start: &[u8]) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;

    #[test]
    fn a_record_of_376_bytes_is_no_zlib_stream() {
        let mut file = Vec::new();
        frame::append(&mut file, &[7; 376]);
        assert!(has_zlib_magic(&file), "the premise");
        assert_eq!(detect(&file, true, None).unwrap(), Detected::Known(Compression::None));
        // Not even when its checksum is damaged.
        file[9] ^= 1;
        if cfg!(feature = "gzip") {
            assert_eq!(detect(&file, true, None).unwrap(), Detected::Known(Compression::None));
        }
    }

    #[test]
    fn asks_for_more_only_while_there_is_more() {
        assert_eq!(detect(&[0x1f], false, None).unwrap(), Detected::NeedMore);
        assert_eq!(detect(&[0x1f], true, None).unwrap(), Detected::Known(Compression::None));
        assert_eq!(detect(&[], true, Some(Compression::Gzip)).unwrap(), Detected::Known(Compression::Gzip));
    }
}
