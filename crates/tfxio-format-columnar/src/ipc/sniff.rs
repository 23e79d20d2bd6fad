//! Detection of streams by their first bytes.
//!
//! Since Arrow 0.15 a marker precedes the length of each message; before, the length came first: see the
//! [format](https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format). Then only the first message tells a stream
//! from something else, and it is checked as far as needed to see that it is a schema.

use arrow_ipc::{MessageHeader, MetadataVersion};
use tfxio_core::{Error, ErrorKind};

use super::file::MAGIC;
use crate::columnar::without_footer;

/// Marker before the length of each message, since Arrow 0.15.
pub(super) const MARKER: [u8; 4] = [0xff; 4];
/// Bytes of the first message, which is the schema.
const MOST: i32 = 1 << 24;

/// Returns whether a file begins with a message, as a stream does. A TFRecord file that began with the marker would begin with a
/// record of more than 4 GiB.
pub(super) fn is_stream(first_bytes: &[u8]) -> bool {
    match first_bytes {
        [0xff, 0xff, 0xff, 0xff, a, b, c, d, ..] => (1..MOST).contains(&i32::from_le_bytes([*a, *b, *c, *d])),
        _ => is_schema(first_bytes) == Some(true),
    }
}

/// Returns whether a stream may begin with these bytes, which are few.
pub(super) fn may_be_stream(first_bytes: &[u8]) -> bool {
    match first_bytes.as_chunks::<4>().0 {
        [MARKER, length, ..] => (1..MOST).contains(&i32::from_le_bytes(*length)),
        [length, root, ..] => {
            let (length, root) = (i32::from_le_bytes(*length), i32::from_le_bytes(*root));
            (1..MOST).contains(&length) && (4..length).contains(&root)
        }
        // A message is longer.
        _ => false,
    }
}

/// Returns the error of an input that begins neither as a file nor as a stream does.
#[cold]
pub(super) fn another_format(first_bytes: &[u8]) -> Error {
    if first_bytes.is_empty() {
        return without_footer("Arrow", MAGIC, first_bytes, 0);
    }
    let what = format!(
        "the Arrow file cannot be read: it begins neither with {MAGIC} nor with a message, as a stream does: it has another format"
    );
    Error::new(ErrorKind::Malformed, what).help("state the format that it has, or convert it first")
}

/// Returns whether bytes begin with the length of a message without a marker, and with the message of a schema, by the layout of
/// [FlatBuffers](https://flatbuffers.dev/internals/): `None` where they end before.
fn is_schema(bytes: &[u8]) -> Option<bool> {
    let at = |at: usize| bytes.get(4..)?.get(at..);
    let length = i32::from_le_bytes(*bytes.first_chunk()?);
    if !(1..MOST).contains(&length) {
        return Some(false);
    }
    let length = usize::try_from(length).unwrap_or_default();
    // The message is a table, which says where the table of its fields is.
    let table = u32::from_le_bytes(*at(0)?.first_chunk()?) as usize;
    if !(4..length).contains(&table) {
        return Some(false);
    }
    let before = i32::from_le_bytes(*at(table)?.first_chunk()?);
    let fields = i64::try_from(table).unwrap_or(i64::MAX).checked_sub(i64::from(before));
    let fields = fields.and_then(|fields| usize::try_from(fields).ok()).filter(|fields| *fields < length);
    let Some(fields) = fields else { return Some(false) };
    let number = |index: usize| Some(u16::from_le_bytes(*at(fields)?.get(2 * index..)?.first_chunk()?));
    // Bytes of the table of fields, then of the table; after them version, kind, header and the length of the body.
    let (size, table_size) = (number(0)?, number(1)?);
    if !(10..=12).contains(&size) || size % 2 != 0 || !(8..=64).contains(&table_size) {
        return Some(false);
    }
    let (version, kind, header) = (number(2)?, number(3)?, number(4)?);
    if [kind, header].iter().any(|field| !(4..table_size).contains(field)) || version >= table_size {
        return Some(false);
    }
    let version = match version {
        0 => MetadataVersion::V1.0,
        at_field => i16::from_le_bytes(*at(table)?.get(usize::from(at_field)..)?.first_chunk()?),
    };
    let kind = *at(table)?.get(usize::from(kind))?;
    Some(MetadataVersion(version).variant_name().is_some() && kind == MessageHeader::Schema.0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_ipc::MetadataVersion;
    use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
    use arrow_schema::{DataType, Field, Schema};

    use super::{is_stream, may_be_stream};

    /// A stream of `columns` columns, without batches.
    fn stream(columns: usize, options: IpcWriteOptions) -> Vec<u8> {
        let item = Arc::new(Field::new("item", DataType::Float32, true));
        let field = |index| Field::new(format!("c{index}"), DataType::List(Arc::clone(&item)), true);
        let metadata = [("key".to_owned(), "value".repeat(columns))].into();
        let schema = Schema::new_with_metadata((0..columns).map(field).collect::<Vec<_>>(), metadata);
        StreamWriter::try_new_with_options(Vec::new(), &schema, options).unwrap().into_inner().unwrap()
    }

    #[test]
    fn streams_are_known_with_and_without_markers() {
        for columns in [0, 1, 7, 500] {
            for (legacy, version) in
                [(true, MetadataVersion::V4), (false, MetadataVersion::V4), (false, MetadataVersion::V5)]
            {
                let bytes = stream(columns, IpcWriteOptions::try_new(8, legacy, version).unwrap());
                assert_eq!(bytes.starts_with(&[0xff; 4]), !legacy);
                assert!(is_stream(&bytes) && may_be_stream(&bytes[..8]), "{columns} {legacy} {version:?}");
                assert!(is_stream(&bytes[..bytes.len().min(200)]), "{columns}");
                for end in 0..8 {
                    assert!(!is_stream(&bytes[..end]), "{end}");
                }
            }
        }
    }

    #[test]
    fn other_files_do_not_begin_like_streams() {
        let mut record = vec![0; 600];
        record[0] = 0x40;
        let mut numbers = Vec::new();
        (0..100_u32).for_each(|number| numbers.extend_from_slice(&number.to_le_bytes()));
        let texts: [&[u8]; 9] = [
            b"",
            b"id,a\n1,2\n",
            b"{\"a\": 1}\n{\"a\": 2}\n",
            b"PAR1\x15\x04\x15\x10\x15\x14\x4c\x15",
            b"Obj\x01\x04\x16avro.schema",
            b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            &record,
            &numbers,
        ];
        for text in texts {
            assert!(!is_stream(text), "{text:?}");
        }
        assert!(!may_be_stream(b"id,a\n1,2") && !may_be_stream(b"abc") && !may_be_stream(&record[..8]));
    }

    #[test]
    fn damaged_beginnings_do_not_stop_the_look() {
        let bytes = stream(3, IpcWriteOptions::try_new(8, true, MetadataVersion::V4).unwrap());
        for at in 0..80 {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                // Says something, and does not panic.
                let _ = (is_stream(&damaged), may_be_stream(&damaged));
            }
        }
    }
}
