//! Footers of Parquet files: what they claim is compared with the file before anything is allocated for it.
//!
//! The [metadata](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift) are written in
//! [Thrift](super::thrift). The `parquet` crate allocates lists of row groups and children of the schema by the lengths in the metadata,
//! and follows the schema as deep as it goes.

use std::collections::BTreeSet;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader as _, Length as _};
use tfxio_core::{Count, Error, ErrorKind};

use super::chunks::Chunks;
use super::thrift::{Kind, Walk};
use crate::columnar::{Failure, without_footer};

/// Bytes at the end of a file: the length of the metadata and `PAR1`.
const TAIL: u64 = 8;
/// Structs and lists within each other.
const NESTING: u32 = 32;
/// Field of a column of a row group for its encryption.
const CRYPTO_METADATA: i64 = 8;

/// The metadata of a file, as they are stored.
pub(super) struct Stored {
    pub(super) bytes: Bytes,
    /// Offset at which they begin.
    pub(super) start: u64,
    /// Numbers of the leaf columns that are encrypted.
    pub(super) encrypted: BTreeSet<usize>,
}

/// Reads the metadata, whose lengths and schema are checked.
pub(super) fn read(file: &Chunks, nesting: u32) -> Result<Stored, Failure> {
    let bytes = file.len();
    let tail_at = bytes.saturating_sub(TAIL);
    let tail = file.get_bytes(tail_at, bytes.min(TAIL) as usize)?;
    let length = match *tail {
        [a, b, c, d, b'P', b'A', b'R', b'1'] => u32::from_le_bytes([a, b, c, d]),
        [.., b'P', b'A', b'R', b'E'] => {
            return Err(encrypted("the file is encrypted"));
        }
        _ => {
            let first_bytes = file.get_bytes(0, tail.len())?;
            return Err(without_footer("Parquet", "PAR1", &first_bytes, bytes).into());
        }
    };
    let Some(start) = tail_at.checked_sub(u64::from(length)) else {
        return Err(damaged(format!(
            "the footer claims {}, and the file has {bytes}",
            Count::of(length, "byte")
        ))
        .into());
    };
    let bytes = file.get_bytes(start, length as usize)?;
    let encrypted = check(&bytes, nesting).ok_or_else(|| damaged("the footer is damaged"))?;
    Ok(Stored { bytes, start, encrypted })
}

/// Decodes metadata, before which the columns end that they describe. May panic where they are damaged.
pub(super) fn decode(bytes: &[u8], start: u64) -> Result<ParquetMetaData, Failure> {
    let metadata = ParquetMetaDataReader::decode_metadata(bytes)?;
    for (group, row_group) in metadata.row_groups().iter().enumerate() {
        for column in row_group.columns() {
            let from = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
            let length = column.compressed_size();
            let end = u64::try_from(from).ok().zip(u64::try_from(length).ok());
            let end = end.and_then(|(from, length)| from.checked_add(length));
            if row_group.num_rows() < 0 || end.is_none_or(|end| end > start) {
                let path = column.column_path().string();
                return Err(damaged(format!(
                    "column {path:?} of row group {group} is said to have {} at byte {from}, and the footer begins at \
                     byte {start}",
                    Count::of(length, "byte")
                ))
                .into());
            }
        }
    }
    Ok(metadata)
}

/// Returns the error of an encrypted file; `what` names the encrypted part.
#[cold]
pub(super) fn encrypted(what: &str) -> Failure {
    let what = format!("the Parquet file cannot be read: {what}, which is not supported");
    let help = "decrypt it first, with the program that has its keys, or write it without encryption";
    Error::new(ErrorKind::Unsupported, what).help(help).into()
}

fn damaged(text: impl Into<String>) -> ParquetError {
    ParquetError::General(text.into())
}

/// Returns the numbers of the leaf columns that are encrypted in a row group; nothing unless all lengths in the metadata fit
/// into them, and the schema is a tree that is not too deep.
fn check(metadata: &[u8], nesting: u32) -> Option<BTreeSet<usize>> {
    let mut walk = Walk::new(metadata);
    let (mut children, mut encrypted) = (Vec::new(), BTreeSet::new());
    walk.fields(&mut |walk, field, kind| match (field, kind) {
        // The schema.
        (2, Kind::List) => walk.structs(&mut |walk, _| {
            let mut number = 0;
            walk.fields(&mut |walk, field, kind| match (field, kind) {
                (5, Kind::Integer) => walk.integer().map(|found| number = found),
                (_, kind) => walk.skip(kind, NESTING),
            })?;
            children.push(usize::try_from(number).ok()?);
            Some(())
        }),
        // The row groups.
        (4, Kind::List) => walk.structs(&mut |walk, _| {
            walk.fields(&mut |walk, field, kind| match (field, kind) {
                (1, Kind::List) => walk.structs(&mut |walk, column| {
                    walk.fields(&mut |walk, field, kind| {
                        if (field, kind) == (CRYPTO_METADATA, Kind::Struct) {
                            encrypted.insert(column);
                        }
                        walk.skip(kind, NESTING)
                    })
                }),
                (_, kind) => walk.skip(kind, NESTING),
            })
        }),
        (_, kind) => walk.skip(kind, NESTING),
    })?;
    is_tree(&children, nesting).then_some(encrypted)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch};
    use tfxio_core::{FileFormat as _, Files, FormatOptions, ScanRequest};

    use super::*;
    use crate::ParquetFormat;

    const HELP: &str = "which is not supported; decrypt it first, with the program that has its keys, or write it without \
                        encryption";

    /// Returns a file with the columns `a` and `b`, and the length of its footer.
    fn two_columns() -> (Vec<u8>, usize) {
        let numbers = || Arc::new(Int64Array::from_iter_values(0..9)) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("a", numbers()), ("b", numbers())]).unwrap();
        let mut file = Vec::new();
        let mut writer = parquet::arrow::ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let length = file.last_chunk::<8>().unwrap().first_chunk().unwrap();
        let length = u32::from_le_bytes(*length) as usize;
        (file, length)
    }

    /// Reads columns of a file with these bytes. Returns the number of rows of the first batch, or the error after the name
    /// of the file.
    fn read_file(bytes: &[u8], columns: &[&str]) -> Result<usize, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.parquet");
        std::fs::write(&path, bytes).unwrap();
        let read = || {
            let files = Files::local([path.to_str().unwrap()])?;
            let dataset = ParquetFormat.open(files, &FormatOptions::default())?;
            let partitions = dataset.partitions(u64::MAX)?;
            let mut scan =
                dataset.scan(&partitions[0], &ScanRequest::new().columns(columns.iter().copied()))?;
            Ok(scan.next_batch()?.map_or(0, |batch| batch.num_rows()))
        };
        read().map_err(|error: Error| {
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            error.to_string().split_once("f.parquet: ").unwrap().1.to_owned()
        })
    }

    #[test]
    fn an_encrypted_footer_is_said() {
        let (mut file, _) = two_columns();
        assert_eq!(read_file(&file, &["a"]), Ok(9));
        let at = file.len() - 4;
        file[at..].copy_from_slice(b"PARE");
        let error = read_file(&file, &["a"]).unwrap_err();
        assert_eq!(error, format!("the Parquet file cannot be read: the file is encrypted, {HELP}"));
    }

    /// A footer in plain text, and a column that is encrypted: the other one is read.
    #[test]
    fn an_encrypted_column_is_said_where_it_is_read() {
        let (mut file, length) = two_columns();
        let footer = file.len() - 8 - length;
        let mut ends = Vec::new();
        let metadata = &file[footer..footer + length];
        Walk::new(metadata).fields(&mut |walk, field, kind| match field {
            4 => walk.structs(&mut |walk, _| {
                walk.fields(&mut |walk, field, kind| match field {
                    1 => walk.structs(&mut |walk, _| {
                        walk.fields(&mut |walk, _, kind| walk.skip(kind, NESTING))?;
                        ends.push(footer + length - walk.left() - 1);
                        Some(())
                    }),
                    _ => walk.skip(kind, NESTING),
                })
            }),
            _ => walk.skip(kind, NESTING),
        });
        // Field 8 of the second column: with the key of the footer.
        file.splice(ends[1]..ends[1], *b"\x0c\x10\x1c\x00\x00");
        let at = file.len() - 8;
        file[at..at + 4].copy_from_slice(&(length as u32 + 5).to_le_bytes());
        assert_eq!(read_file(&file, &["a"]), Ok(9));
        for columns in [&["b"][..], &["a", "b"]] {
            let error = read_file(&file, columns).unwrap_err();
            assert_eq!(
                error,
                format!("the Parquet file cannot be read: the column \"b\" is encrypted, {HELP}")
            );
        }
    }

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
        assert_eq!(check(b"\x49\x1c\x00\x00", 9), Some(BTreeSet::new()));
        // A schema whose root has 2^30 children.
        assert_eq!(check(b"\x29\x1c\x55\x80\x80\x80\x80\x08\x00\x00", 9), None);
        assert_eq!(check(b"\x29\x1c\x55\x00\x00\x00", 9), Some(BTreeSet::new()));
        // Structs in structs.
        assert_eq!(check(&[0x1c; 1000], 9), None);
    }
}
