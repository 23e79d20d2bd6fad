//! Sizes of images by their headers.

/// Returns two bytes, the more significant first.
fn u16_be(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u32::from(u16::from_be_bytes(bytes.try_into().ok()?)))
}

fn u16_le(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u32::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

fn u24_le(bytes: &[u8], at: usize) -> Option<u32> {
    let &[a, b, c] = bytes.get(at..at.checked_add(3)?)? else { return None };
    Some(u32::from_le_bytes([a, b, c, 0]))
}

fn u32_le(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// Reads the header chunk, which comes first: [PNG, 11.2.1](https://www.w3.org/TR/png-3/#11IHDR).
pub(super) fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    if bytes.get(12..16)? != b"IHDR" {
        return None;
    }
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some((number(16)?, number(20)?))
}

/// Reads the logical screen: [GIF 89a, 18](https://www.w3.org/Graphics/GIF/spec-gif89a.txt).
pub(super) fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((u16_le(bytes, 6)?, u16_le(bytes, 8)?))
}

/// Reads the first frame header: [ITU T.81, B.2.2](https://www.w3.org/Graphics/JPEG/itu-t81.pdf). Segments before it are
/// passed over by their lengths, each at least two bytes, so that this ends.
pub(super) fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2usize;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        let marker = *bytes.get(at.checked_add(1)?)?;
        match marker {
            // Fill bytes.
            0xff => at = at.checked_add(1)?,
            // Markers without a segment.
            0x01 | 0xd0..=0xd8 => at = at.checked_add(2)?,
            // The image data, or its end, without a frame before.
            0x00 | 0xd9 | 0xda => return None,
            // All frames but for the tables in between.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                return Some((u16_be(bytes, at.checked_add(7)?)?, u16_be(bytes, at.checked_add(5)?)?));
            }
            _ => {
                let length = usize::try_from(u16_be(bytes, at.checked_add(2)?)?).ok()?;
                if length < 2 {
                    return None;
                }
                at = at.checked_add(2)?.checked_add(length)?;
            }
        }
    }
}

/// Reads the first chunk: [RFC 9649, 2](https://www.rfc-editor.org/rfc/rfc9649#section-2).
pub(super) fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => {
            let begins = bytes.get(23..26)? == [0x9d, 0x01, 0x2a];
            begins.then_some(())?;
            // The two bits above are scales.
            Some((u16_le(bytes, 26)? & 0x3fff, u16_le(bytes, 28)? & 0x3fff))
        }
        b"VP8L" if *bytes.get(20)? == 0x2f => {
            let bits = u32_le(bytes, 21)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some((u24_le(bytes, 24)? + 1, u24_le(bytes, 27)? + 1)),
        _ => None,
    }
}

/// Reads the information header of 40 bytes or a longer one; the height is negative where rows begin at the top.
pub(super) fn bmp(bytes: &[u8]) -> Option<(u32, u32)> {
    if !matches!(u32_le(bytes, 14)?, 40 | 52 | 56 | 64 | 108 | 124) {
        return None;
    }
    let number = |at| Some(i32::from_le_bytes(u32_le(bytes, at)?.to_le_bytes()));
    Some((u32::try_from(number(18)?).ok()?, number(22)?.unsigned_abs()))
}
