//! Footers of Parquet files: what they claim is compared with the file before anything is allocated for it.
//!
//! The [metadata](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift) are written in
//! Thrift's [compact protocol](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). The
//! `parquet` crate allocates lists of row groups and children of the schema by the lengths that stand there, and follows
//! the schema as deep as it goes.

use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader as _, Length as _};

use super::chunks::Chunks;
use crate::columnar::{Failure, without_footer};

/// What ends a file: the length of the metadata and `PAR1`.
const TAIL: u64 = 8;
/// Structs and lists within each other.
const NESTING: u32 = 32;

/// Reads the metadata. May panic where they are damaged.
pub(super) fn read(file: &Chunks, nesting: u32) -> Result<ParquetMetaData, Failure> {
    let bytes = file.len();
    let tail_at = bytes.saturating_sub(TAIL);
    let tail = file.get_bytes(tail_at, bytes.min(TAIL) as usize)?;
    let length = match *tail {
        [a, b, c, d, b'P', b'A', b'R', b'1'] => u32::from_le_bytes([a, b, c, d]),
        [.., b'P', b'A', b'R', b'E'] => {
            return Err(ParquetError::NYI("the file is encrypted".to_owned()).into());
        }
        _ => {
            let first_bytes = file.get_bytes(0, tail.len())?;
            return Err(without_footer("Parquet", "PAR1", &first_bytes, bytes).into());
        }
    };
    let Some(start) = tail_at.checked_sub(u64::from(length)) else {
        return Err(damaged(format!("the footer claims {length} bytes, and the file has {bytes}")).into());
    };
    let metadata = file.get_bytes(start, length as usize)?;
    check(&metadata, nesting).ok_or_else(|| damaged("the footer is damaged"))?;
    let metadata = ParquetMetaDataReader::decode_metadata(&metadata)?;
    for (group, row_group) in metadata.row_groups().iter().enumerate() {
        for column in row_group.columns() {
            let from = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
            let length = column.compressed_size();
            let end = u64::try_from(from).ok().zip(u64::try_from(length).ok());
            let end = end.and_then(|(from, length)| from.checked_add(length));
            if row_group.num_rows() < 0 || end.is_none_or(|end| end > start) {
                let path = column.column_path().string();
                return Err(damaged(format!(
                    "column {path:?} of row group {group} is said to have {length} bytes at byte {from}, and the footer \
                     begins at byte {start}"
                ))
                .into());
            }
        }
    }
    Ok(metadata)
}

fn damaged(text: impl Into<String>) -> ParquetError {
    ParquetError::General(text.into())
}

/// Whether all lengths in the metadata fit into them, and the schema is a tree that is not too deep.
fn check(metadata: &[u8], nesting: u32) -> Option<()> {
    let mut walk = Walk { left: metadata };
    let mut children = Vec::new();
    walk.fields(&mut |walk, field, kind| match (field, kind) {
        (2, Kind::List) => {
            let (count, of) = walk.list()?;
            for _ in 0..count {
                let mut number = 0;
                match of {
                    Kind::Struct => walk.fields(&mut |walk, field, kind| match (field, kind) {
                        (5, Kind::Integer) => walk.integer().map(|found| number = found),
                        (_, kind) => walk.skip(kind, NESTING),
                    })?,
                    _ => return None,
                }
                children.push(usize::try_from(number).ok()?);
            }
            Some(())
        }
        (_, kind) => walk.skip(kind, NESTING),
    })?;
    is_tree(&children, nesting).then_some(())
}

/// Whether elements with these numbers of children, in the order of a walk from the root, are one tree.
fn is_tree(children: &[usize], nesting: u32) -> bool {
    // The children that the elements on the way from the root still wait for.
    let mut open: Vec<usize> = Vec::new();
    for (at, &count) in children.iter().enumerate() {
        if at > 0 {
            match open.last_mut() {
                Some(left) => *left -= 1,
                None => return false,
            }
        }
        if count > 0 {
            open.push(count);
        }
        if count > children.len() || open.len() > nesting as usize {
            return false;
        }
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    open.is_empty()
}

/// What a value is, as far as its length depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Byte,
    Integer,
    Double,
    Bytes,
    List,
    Map,
    Struct,
    Uuid,
}

impl Kind {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            1 | 2 => Self::Bool,
            3 => Self::Byte,
            4..=6 => Self::Integer,
            7 => Self::Double,
            8 => Self::Bytes,
            9 | 10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            13 => Self::Uuid,
            _ => return None,
        })
    }
}

/// Goes over values without keeping them. Every step is `None` where the bytes end before the value.
struct Walk<'a> {
    left: &'a [u8],
}

type Visit<'v, 'a> = &'v mut dyn FnMut(&mut Walk<'a>, i64, Kind) -> Option<()>;

impl<'a> Walk<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, left) = self.left.split_first()?;
        self.left = left;
        Some(*first)
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.left = self.left.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// The number of elements of a list, each of which takes a byte at least, and what they are.
    fn list(&mut self) -> Option<(u64, Kind)> {
        let head = self.byte()?;
        // Some writers give an empty list no kind.
        if head == 0 {
            return Some((0, Kind::Byte));
        }
        let count = match head >> 4 {
            15 => self.number()?,
            count => u64::from(count),
        };
        (count <= self.left.len() as u64).then_some((count, Kind::of(head & 0x0f)?))
    }

    /// Calls a function at each field of a struct, which has to go over its value.
    fn fields(&mut self, visit: Visit<'_, 'a>) -> Option<()> {
        let mut field = 0i64;
        loop {
            let head = self.byte()?;
            if head & 0x0f == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => self.integer()?,
                more => field.checked_add(i64::from(more))?,
            };
            match Kind::of(head & 0x0f)? {
                // The value stands in the kind.
                Kind::Bool => {}
                kind => visit(self, field, kind)?,
            }
        }
    }

    /// Goes over a value that stands in a list, or is a field and no bool.
    fn skip(&mut self, kind: Kind, nesting: u32) -> Option<()> {
        let nesting = nesting.checked_sub(1)?;
        match kind {
            Kind::Bool | Kind::Byte => self.pass(1),
            Kind::Integer => self.number().map(drop),
            Kind::Double => self.pass(8),
            Kind::Uuid => self.pass(16),
            Kind::Bytes => {
                let bytes = self.number()?;
                self.pass(bytes)
            }
            Kind::List => {
                let (count, of) = self.list()?;
                (0..count).try_for_each(|_| self.skip(of, nesting))
            }
            Kind::Map => {
                let count = self.number()?;
                if count == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                let (key, value) = (Kind::of(kinds >> 4)?, Kind::of(kinds & 0x0f)?);
                (0..count).try_for_each(|_| {
                    self.skip(key, nesting)?;
                    self.skip(value, nesting)
                })
            }
            Kind::Struct => self.fields(&mut |walk, _, kind| walk.skip(kind, nesting)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_trees() {
        for (children, is_one) in [
            (&[][..], true),
            (&[0], true),
            (&[2, 0, 0], true),
            (&[2, 1, 0, 2, 0, 0], true),
            (&[1], false),
            (&[0, 0], false),
            (&[2, 0], false),
            (&[1, 0, 0], false),
            (&[1 << 40, 0], false),
            (&[1, 1, 1, 1, 0], false),
        ] {
            assert_eq!(is_tree(children, 3), is_one, "{children:?}");
        }
    }

    #[test]
    fn lists_are_not_longer_than_what_is_left() {
        // Field 4, a list of 2^31 - 1 structs: the row groups.
        assert_eq!(check(b"\x49\xfc\xff\xff\xff\xff\x07\x00", 9), None);
        // The same with one struct, and its end.
        assert_eq!(check(b"\x49\x1c\x00\x00", 9), Some(()));
        // A schema whose root has 2^30 children.
        assert_eq!(check(b"\x29\x1c\x55\x80\x80\x80\x80\x08\x00\x00", 9), None);
        assert_eq!(check(b"\x29\x1c\x55\x00\x00\x00", 9), Some(()));
        // Structs in structs.
        assert_eq!(check(&[0x1c; 1000], 9), None);
    }
}
