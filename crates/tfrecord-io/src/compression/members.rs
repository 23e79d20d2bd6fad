//! Gzip files of members that can be read at random and in parallel, and by every other gzip reader as usual.
//!
//! A gzip file may consist of many members, each a whole stream of its own. Our writer ends a member every mebibyte or
//! so, always between two records, and puts the length of each member into an extra field of its header (RFC 1952,
//! section 2.3.1.1; BGZF does the same). So a reader can hop from member to member without inflating, and inflate any
//! of them alone.
//!
//! ```text
//!  1f 8b 08 04  mtime=0 (4)  xfl os=ff │ 20 00 │ 'T' 'R' 1c 00 │ stored │ uncompressed │ records │ crc    │
//!   fixed part, FLG = FEXTRA, 10 bytes │ XLEN  │ subfield head │ u64 LE │ u64 LE       │ u64 LE  │ u32 LE │
//!  deflate stream … │ CRC-32 │ size │
//! ```
//!
//! `stored` is the length of the whole member in the file, from its first magic byte to the last byte of its trailer;
//! `uncompressed` the bytes of whole records that it becomes; `records` their number; `crc` the masked CRC-32C
//! ([`crate::crc`]) of these 24 bytes, because gzip's own checksums do not cover its header. The extra field may have
//! other subfields, and a longer subfield of the same name may follow in the future; a reader takes its first 28 bytes.
//! A member whose subfield is wrong in any way is read like one of another writer: it must be inflated to find its end.
//!
//! The lengths are claims until the member is inflated: [`inflate`] compares all of them.

#[cfg(feature = "gzip")]
mod whole;

use std::io::{BufReader, Read, Seek, SeekFrom};

use tfxio_base::Count;

use super::has_gzip_magic;
use crate::{Error, ErrorKind, Kind, Limits, Result};

/// The name of the subfield.
pub const SUBFIELD: [u8; 2] = *b"TR";
/// The length of the subfield's data.
const SUBFIELD_LEN: usize = 28;
/// Bytes of the fixed part of a gzip header.
const FIXED_LEN: usize = 10;
/// Length of the header that our writer makes: the fixed part, XLEN, and the subfield with its head.
pub const HEADER_LEN: usize = FIXED_LEN + 2 + 4 + SUBFIELD_LEN;
/// CRC-32 and size after the deflate stream.
pub(crate) const TRAILER_LEN: usize = 8;

/// A member of a gzip file, as its header describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// Offset in the file, in bytes.
    pub stored_offset: u64,
    /// Length in the file, header and trailer included.
    pub stored_len: u64,
    /// Offset of its first record in the uncompressed stream.
    pub offset: u64,
    /// Uncompressed length.
    pub uncompressed_len: u64,
    /// Number of its first record in the file.
    pub first_record: u64,
    /// Number of records.
    pub records: u64,
}

/// Returns the header of a member, with our subfield.
#[cfg(feature = "gzip")]
pub(crate) fn encode_header(stored_len: u64, uncompressed_len: u64, records: u64) -> Vec<u8> {
    // Deflate, an extra field and nothing else, no time, an unknown system.
    let fixed = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff";
    let extra_len = [4 + SUBFIELD_LEN as u8, 0];
    let numbers = [stored_len, uncompressed_len, records].map(u64::to_le_bytes);
    let crc = crate::crc::masked_crc32c(numbers.as_flattened()).to_le_bytes();
    let subfield_len = [SUBFIELD_LEN as u8, 0];
    [fixed, &extra_len[..], &SUBFIELD, &subfield_len, numbers.as_flattened(), &crc].concat()
}

/// Returns whether a gzip file of these members stays within the limits of decompression, if their headers are right;
/// [`inflate`] checks that.
#[must_use]
pub fn within_limits(members: &[Member], limits: &Limits) -> bool {
    let bytes = members.last().map_or(0, |last| last.offset.saturating_add(last.uncompressed_len));
    let ratio = limits.decompression_ratio;
    bytes <= limits.decompressed_bytes
        && members.iter().all(|member| member.uncompressed_len <= member.stored_len.saturating_mul(ratio))
}

/// Reads the header of a member from the first bytes of it: `stored_len`, `uncompressed_len` and `records`; the
/// offsets are 0. `None` if no member with our subfield begins there, or not all of its extra field is in `start`.
pub fn parse_header(start: &[u8]) -> Option<Member> {
    const FEXTRA: u8 = 1 << 2;
    const RESERVED: u8 = 0b1110_0000;
    let flags = *start.get(3)?;
    if !has_gzip_magic(start) || flags & FEXTRA == 0 || flags & RESERVED != 0 {
        return None;
    }
    let (extra_len, rest) = start.get(FIXED_LEN..)?.split_first_chunk::<2>()?;
    let mut extra = rest.get(..usize::from(u16::from_le_bytes(*extra_len)))?;
    while let Some((&[name0, name1, low, high], rest)) = extra.split_first_chunk::<4>() {
        let (data, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes([low, high])))?;
        if [name0, name1] == SUBFIELD {
            let (numbers, crc) = data.split_first_chunk::<24>()?;
            if u32::from_le_bytes(*crc.first_chunk()?) != crate::crc::masked_crc32c(numbers) {
                return None;
            }
            let &[stored_len, uncompressed_len, records] = numbers.as_chunks::<8>().0.first_chunk::<3>()?;
            let member = Member {
                stored_offset: 0,
                stored_len: u64::from_le_bytes(stored_len),
                offset: 0,
                uncompressed_len: u64::from_le_bytes(uncompressed_len),
                first_record: 0,
                records: u64::from_le_bytes(records),
            };
            return is_plausible(&member).then_some(member);
        }
        extra = rest;
    }
    None
}

/// Returns whether the numbers can be true of any deflate stream.
fn is_plausible(member: &Member) -> bool {
    let least = (HEADER_LEN - 2 + TRAILER_LEN) as u64;
    member.stored_len > least
        // Deflate cannot reach 1,032 times.
        && member.uncompressed_len / 1032 <= member.stored_len
        && member.records <= member.uncompressed_len / crate::frame::OVERHEAD as u64
        && (member.records > 0 || member.uncompressed_len == 0)
}

/// Returns the members of a gzip file, found by reading nothing but their headers; `None` if some member does not have our
/// subfield, which is so for all files of other writers.
///
/// ```
/// # #[cfg(feature = "gzip")] {
/// use std::io::Cursor;
/// use tfrecord_io::compression::members;
/// use tfrecord_io::{Compression, Writer};
///
/// let mut writer = Writer::builder(Vec::new()).compression(Compression::Gzip).member_bytes(1000).build()?;
/// for _ in 0..100 {
///     writer.write(&[7; 84])?;
/// }
/// let file = writer.finish()?;
/// let members = members::hop(Cursor::new(&file))?.expect("written with the subfield");
/// assert_eq!(members.len(), 10);
/// assert_eq!(members[3].first_record, 30);
/// assert_eq!(members[3].offset, 3000);
/// # }
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
///
/// # Errors
///
/// Reading or seeking fails, or a member reaches beyond the end of the file ([`Kind::Truncated`]).
pub fn hop<R: Read + Seek>(mut file: R) -> Result<Option<Vec<Member>>> {
    let io = |error| Error::io(error, "reading the headers of gzip members");
    let len = file.seek(SeekFrom::End(0)).map_err(io)?;
    let mut members = Vec::new();
    let (mut at, mut offset, mut first_record) = (0u64, 0u64, 0u64);
    let mut start = Vec::with_capacity(HEADER_LEN);
    while at < len {
        file.seek(SeekFrom::Start(at)).map_err(io)?;
        start.clear();
        (&mut file).take(HEADER_LEN as u64).read_to_end(&mut start).map_err(io)?;
        if !members.is_empty() && start.first() == Some(&0) {
            // Padding, or garbage: a sequential reader tells which.
            return if only_zeros(&mut file, at)? { Ok(Some(members)) } else { Ok(None) };
        }
        let Some(member) = parse_header(&start) else { return Ok(None) };
        if member.stored_len > len - at {
            let have = len - at;
            let are = Count::of(have, "byte").verb("is", "are");
            let all = Count::of(member.stored_len, "byte");
            return Err(Error::new(
                Kind::Truncated,
                format!("the file ends inside a gzip member: {have} of {all} {are} there"),
            )
            .help("the file was not written or copied to its end; copy it again, or salvage what is there")
            .at_stored_byte(at));
        }
        members.push(Member { stored_offset: at, offset, first_record, ..member });
        at += member.stored_len;
        // Bounded by `is_plausible` and the file's length, but a sum of claims all the same.
        offset = offset.saturating_add(member.uncompressed_len);
        first_record = first_record.saturating_add(member.records);
    }
    Ok(Some(members))
}

fn only_zeros<R: Read + Seek>(file: &mut R, at: u64) -> Result<bool> {
    let io = |error| Error::io(error, "reading the padding after gzip members");
    file.seek(SeekFrom::Start(at)).map_err(io)?;
    for byte in BufReader::new(file).bytes() {
        if byte.map_err(io)? != 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Inflates one member: `stored` is all of its bytes, and `out` becomes its contents. Compares the checksum and the
/// sizes, and that nothing is left over. The memory of `out` is reused.
///
/// # Errors
///
/// [`Kind::Decompress`], [`Kind::Truncated`], or [`ErrorKind::LimitExceeded`] if the member would become
/// more than `max_bytes`; [`Kind::CompressionUnsupported`] in a build without the feature `gzip`.
pub fn inflate(stored: &[u8], member: &Member, max_bytes: u64, out: &mut Vec<u8>) -> Result<()> {
    let fail = |kind, what: String| {
        Err(Error::new(kind, what)
            .help("the file is damaged; copy it again, or salvage the other members")
            .at_stored_byte(member.stored_offset)
            .at_byte(member.offset))
    };
    if member.uncompressed_len > max_bytes {
        let claimed = member.uncompressed_len;
        return Err(Error::new(
            ErrorKind::LimitExceeded,
            format!("a gzip member becomes {}; the limit is {max_bytes}", Count::of(claimed, "byte")),
        )
        .help("raise the limit if the file is to be trusted")
        .at_stored_byte(member.stored_offset));
    }
    if stored.len() as u64 != member.stored_len || !is_plausible(member) {
        let (have, all) = (stored.len(), member.stored_len);
        return fail(
            Kind::Truncated,
            format!("a gzip member of {} was given as {}", Count::of(all, "byte"), Count::of(have, "byte")),
        );
    }
    // The claim is at most 1,032 times the bytes that are at hand.
    let Ok(size) = usize::try_from(member.uncompressed_len) else {
        let what = "a gzip member is larger than the address space";
        return Err(Error::new(ErrorKind::LimitExceeded, what).at_stored_byte(member.stored_offset));
    };
    #[cfg(feature = "gzip")]
    return whole::inflate(stored, size, out).or_else(|what| fail(Kind::Decompress, what));
    #[cfg(not(feature = "gzip"))]
    {
        let _ = (size, out);
        fail(Kind::CompressionUnsupported, "this build cannot inflate a gzip member".into())
    }
}
