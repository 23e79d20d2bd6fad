//! Encoding of the index as bytes. The documentation of [`index`](crate::index) has the layout.

use super::{Index, Stamp};
use crate::compression::{Compression, members::Member};
use crate::crc::crc32c;
use crate::{Error, Kind, Result};

const MAGIC: [u8; 8] = *b"\x89TFXI\r\n\x1a";
const VERSION: u32 = 1;
const HEADER_LEN: usize = 80;
const CHECKSUM_LEN: usize = 4;
/// The compressions in the order of their numbers.
const COMPRESSIONS: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zlib];

const KNOWS_TIME: u8 = 1;
const KNOWS_ETAG: u8 = 2;
const KNOWS_CHECKSUM: u8 = 4;

impl Index {
    /// Returns the index in the documented format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let etag = self.stamp.etag.as_deref().unwrap_or_default();
        let mut records = Vec::with_capacity(self.offsets.len());
        let mut before = 0u64;
        for frame in self.offsets.windows(2) {
            if let &[start, end] = frame {
                let length = end - start - crate::frame::OVERHEAD as u64;
                put_varint(&mut records, zigzag(length.wrapping_sub(before) as i64));
                before = length;
            }
        }
        let mut members = Vec::new();
        for member in &self.members {
            put_varint(&mut members, member.stored_len);
            put_varint(&mut members, member.uncompressed_len);
            put_varint(&mut members, member.records);
        }
        let mut known = 0;
        known |= if self.stamp.modified_ns.is_some() { KNOWS_TIME } else { 0 };
        known |= if self.stamp.etag.is_some() { KNOWS_ETAG } else { 0 };
        known |= if self.crc32_of_payloads.is_some() { KNOWS_CHECKSUM } else { 0 };
        let compression = self.compression as u8;
        let mut out =
            Vec::with_capacity(HEADER_LEN + etag.len() + records.len() + members.len() + CHECKSUM_LEN);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[compression, known, 0, 0]);
        out.extend_from_slice(&self.stamp.file_bytes.to_le_bytes());
        out.extend_from_slice(&self.stamp.modified_ns.unwrap_or(0).to_le_bytes());
        out.extend_from_slice(&self.len().to_le_bytes());
        out.extend_from_slice(&self.uncompressed_bytes().to_le_bytes());
        out.extend_from_slice(&self.crc32_of_payloads.unwrap_or(0).to_le_bytes());
        out.extend_from_slice(&(etag.len() as u32).to_le_bytes());
        out.extend_from_slice(&(self.members.len() as u64).to_le_bytes());
        out.extend_from_slice(&(records.len() as u64).to_le_bytes());
        out.extend_from_slice(&(members.len() as u64).to_le_bytes());
        out.extend_from_slice(etag.as_bytes());
        out.extend_from_slice(&records);
        out.extend_from_slice(&members);
        out.extend_from_slice(&crc32c(&out).to_le_bytes());
        out
    }

    /// Reads the documented format. Every number is checked before memory is taken for it.
    ///
    /// # Errors
    ///
    /// [`Kind::IndexCorrupt`]: this is not an index, is damaged, or was made by a later version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if !bytes.starts_with(&MAGIC) {
            return Err(corrupt("this is not an index file: its first bytes are others"));
        }
        let mut header = Fields { rest: bytes.get(MAGIC.len()..).unwrap_or_default() };
        let version = header.u32().ok_or_else(short)?;
        if version != VERSION {
            return Err(corrupt(format!(
                "the index has version {version}, this reader knows version {VERSION}"
            )));
        }
        let (body, stored) = bytes.split_last_chunk::<CHECKSUM_LEN>().ok_or_else(short)?;
        if crc32c(body) != u32::from_le_bytes(*stored) {
            return Err(corrupt("the index is damaged: its checksum does not match"));
        }
        // What follows is what some writer of indexes has meant, so each message is about that writer.
        Self::parse(header, body).ok_or_else(|| corrupt("the index contradicts itself"))
    }

    fn parse(mut header: Fields<'_>, body: &[u8]) -> Option<Self> {
        let [compression, known, 0, 0] = header.take()? else { return None };
        let compression = *COMPRESSIONS.get(usize::from(compression))?;
        if known & !(KNOWS_TIME | KNOWS_ETAG | KNOWS_CHECKSUM) != 0 {
            return None;
        }
        let file_bytes = header.u64()?;
        let modified = header.u64()? as i64;
        let records = header.u64()?;
        let uncompressed = header.u64()?;
        let crc = header.u32()?;
        let etag_len = usize::try_from(header.u32()?).ok()?;
        let member_count = header.u64()?;
        let record_len = usize::try_from(header.u64()?).ok()?;
        let member_len = usize::try_from(header.u64()?).ok()?;
        let mut rest = Fields { rest: body.get(HEADER_LEN..)? };
        let etag = std::str::from_utf8(rest.slice(etag_len)?).ok()?;
        let mut record_table = Fields { rest: rest.slice(record_len)? };
        let mut member_table = Fields { rest: rest.slice(member_len)? };
        if !rest.rest.is_empty() {
            return None;
        }

        // A record takes at least one byte of its table, a member three.
        let count = usize::try_from(records).ok().filter(|&count| count <= record_len)?;
        let mut offsets = Vec::with_capacity(count.checked_add(1)?);
        let mut before = 0u64;
        let lengths = (0..count).map(|_| {
            before = before.wrapping_add(unzigzag(record_table.varint()?) as u64);
            Some(before)
        });
        Self::offsets_of(lengths, &mut offsets)?;
        if !record_table.rest.is_empty() || offsets.last() != Some(&uncompressed) {
            return None;
        }
        let count = usize::try_from(member_count).ok().filter(|&count| count <= member_len / 3)?;
        let mut members = Vec::with_capacity(count);
        let (mut stored_offset, mut offset, mut first_record) = (0u64, 0u64, 0u64);
        for _ in 0..count {
            let member = Member {
                stored_offset,
                stored_len: member_table.varint()?,
                offset,
                uncompressed_len: member_table.varint()?,
                first_record,
                records: member_table.varint()?,
            };
            stored_offset = stored_offset.checked_add(member.stored_len)?;
            offset = offset.checked_add(member.uncompressed_len)?;
            first_record = first_record.checked_add(member.records)?;
            members.push(member);
        }
        let stamp = Stamp {
            file_bytes,
            modified_ns: (known & KNOWS_TIME != 0).then_some(modified),
            etag: (known & KNOWS_ETAG != 0).then(|| etag.to_owned()),
        };
        let crc32_of_payloads = (known & KNOWS_CHECKSUM != 0).then_some(crc);
        let index = Self { compression, stamp, crc32_of_payloads, offsets, members: Vec::new() };
        let fits = match compression {
            Compression::None => members.is_empty() && uncompressed == file_bytes,
            Compression::Gzip => members.is_empty() || index.members_fit(&members),
            Compression::Zlib => members.is_empty(),
        };
        (fits && member_table.rest.is_empty()).then_some(Self { members, ..index })
    }
}

fn corrupt(what: impl Into<String>) -> Error {
    Error::new(Kind::IndexCorrupt, what).help("build the index again (`tfxio index FILE`)")
}

fn short() -> Error {
    corrupt("the index ends too early")
}

/// Takes fields from the front of bytes.
struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*field)
    }

    fn slice(&mut self, len: usize) -> Option<&'a [u8]> {
        let (field, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(field)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let [byte] = self.take()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has one bit.
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), 1 << 62, u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            let mut fields = Fields { rest: &bytes };
            assert_eq!(fields.varint(), Some(value));
            assert!(fields.rest.is_empty());
            assert_eq!(unzigzag(zigzag(value as i64)), value as i64);
        }
        assert_eq!(Fields { rest: &[0xff; 11] }.varint(), None);
        assert_eq!(Fields { rest: &[0x80; 3] }.varint(), None);
        let mut too_large = [0x80; 10];
        too_large[9] = 2;
        assert_eq!(Fields { rest: &too_large }.varint(), None);
    }
}
