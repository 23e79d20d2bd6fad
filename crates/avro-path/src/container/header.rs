//! The header of a container: metadata and the sync marker.

use std::io::Read;

use super::codec::Codec;
use super::frame::SYNC;
use super::input::Input;
use crate::datum::{DatumReader, write};
use crate::schema::{Schema, SchemaLimits};
use crate::{Error, ErrorKind, Result};

/// The four bytes with which a container begins.
pub(super) const MAGIC: [u8; 4] = *b"Obj\x01";
/// Bytes of a header, beyond which it is refused.
const MOST: usize = 128 << 20;

/// A key of the metadata and its value.
type Entry = (Box<[u8]>, Box<[u8]>);

/// What stands at the beginning of a container.
#[derive(Clone, Debug)]
pub struct Header {
    schema: Schema,
    codec: Codec,
    sync: [u8; SYNC],
    metadata: Vec<Entry>,
    length: u64,
}

impl Header {
    /// The schema with which the container was written.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How its blocks are compressed.
    #[must_use]
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// The bytes that stand behind each block.
    #[must_use]
    pub fn sync_marker(&self) -> [u8; 16] {
        self.sync
    }

    /// The metadata in the order of the file, those that Avro defines (`avro.schema`, `avro.codec`) included. Keys are
    /// meant to be UTF-8, values are bytes; of neither can one be sure.
    pub fn metadata(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.metadata.iter().map(|(key, value)| (&**key, &**value))
    }

    /// The value of a key; the first, if the file has several.
    #[must_use]
    pub fn metadata_value(&self, key: &str) -> Option<&[u8]> {
        self.metadata().find(|(found, _)| *found == key.as_bytes()).map(|(_, value)| value)
    }

    /// Bytes of the header: where the first block begins.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a header has bytes")]
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Reads the header from the beginning of a source.
    pub(super) fn read<R: Read>(input: &mut Input<R>) -> Result<Self> {
        let magic = input.fill(MAGIC.len())?;
        if !magic.starts_with(&MAGIC) {
            return Err(not_avro(magic));
        }
        // The header is read again with twice the bytes until it is there as a whole.
        let mut wanted = 1 << 14;
        loop {
            let bytes = input.fill(wanted)?;
            let all = bytes.len() < wanted;
            match Self::parse(bytes) {
                Err(error) if error.kind() == ErrorKind::Truncated && !all && wanted <= MOST => wanted *= 2,
                Err(error) if error.kind() == ErrorKind::Truncated && all => {
                    return Err(Error::new(ErrorKind::Truncated, "the file ends within its header")
                        .with_hint("the file is not complete; copy it again"));
                }
                Err(error) if error.kind() == ErrorKind::Truncated => {
                    return Err(Error::new(
                        ErrorKind::LimitExceeded,
                        format!("the header has more than {MOST} bytes"),
                    ));
                }
                Err(error) => return Err(error),
                Ok((raw, length)) => {
                    let header = raw.understand(length as u64)?;
                    input.take(length);
                    return Ok(header);
                }
            }
        }
    }

    fn parse(bytes: &[u8]) -> Result<(Raw, usize)> {
        let mut reader = DatumReader::new(bytes);
        reader.fixed(MAGIC.len())?;
        let mut metadata = Vec::new();
        loop {
            // The window may end before the entries do, so that counts and sizes say nothing yet.
            let mut count = header_number(&mut reader)?;
            if count == 0 {
                break;
            }
            if count < 0 {
                header_number(&mut reader)?;
                count = count.checked_neg().ok_or_else(|| damaged("an impossible number of entries"))?;
            }
            for _ in 0..count {
                let key = header_bytes(&mut reader)?;
                metadata.push((key.into(), header_bytes(&mut reader)?.into()));
            }
        }
        let sync = reader.fixed(SYNC)?.first_chunk().copied().unwrap_or_default();
        Ok((Raw { metadata, sync }, reader.position()))
    }

    /// Appends a header.
    pub(super) fn write(metadata: &[(Vec<u8>, Vec<u8>)], sync: [u8; SYNC], out: &mut Vec<u8>) {
        out.extend_from_slice(&MAGIC);
        // Never empty: the schema is in it.
        write::long(out, metadata.len() as i64);
        for (key, value) in metadata {
            write::bytes(out, key);
            write::bytes(out, value);
        }
        write::long(out, 0);
        out.extend_from_slice(&sync);
    }
}

/// A header whose metadata were not looked at yet.
struct Raw {
    metadata: Vec<Entry>,
    sync: [u8; SYNC],
}

impl Raw {
    fn understand(self, length: u64) -> Result<Header> {
        let value = |key: &str| {
            self.metadata.iter().find(|(found, _)| **found == *key.as_bytes()).map(|(_, value)| &**value)
        };
        let schema = value("avro.schema").ok_or_else(|| damaged("no schema"))?;
        let schema = std::str::from_utf8(schema)
            .map_err(|error| damaged("a schema that is not UTF-8").because(error))?;
        let schema = Schema::parse_within(schema, SchemaLimits::default())?;
        let codec = match value("avro.codec") {
            None | Some([]) => Codec::Null,
            Some(name) => String::from_utf8_lossy(name).parse()?,
        };
        Ok(Header { schema, codec, sync: self.sync, metadata: self.metadata, length })
    }
}

fn header_number(reader: &mut DatumReader<'_>) -> Result<i64> {
    reader.long().map_err(|error| match error.kind() {
        ErrorKind::Truncated => error,
        _ => damaged("a number of more than 64 bits"),
    })
}

fn header_bytes<'a>(reader: &mut DatumReader<'a>) -> Result<&'a [u8]> {
    reader.bytes().map_err(|error| match error.kind() {
        ErrorKind::Truncated => error,
        _ => damaged("an entry of negative length"),
    })
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::Header, format!("the header of the file has {what}"))
        .with_hint("without its header an Avro file cannot be read; copy it again")
}

fn not_avro(magic: &[u8]) -> Error {
    let (what, hint) = match magic {
        [] => ("the file is empty", "an Avro file without records still has a header"),
        [b'O', b'b', b'j', _, ..] => {
            ("this is an Avro file of a version that is not 1", "convert it with the program that wrote it")
        }
        [b'P', b'A', b'R', b'1', ..] => ("this is a Parquet file, no Avro file", "read it as such"),
        [0x1f, 0x8b, ..] => {
            ("this is no Avro file, but something compressed with gzip", "decompress it first")
        }
        [0xc3, 0x01, ..] => (
            "this is a message in single-object encoding, no Avro file",
            "read it with avro_path::datum::single_object",
        ),
        _ => ("this is no Avro file: it does not begin with \"Obj\" and 1", "check the path"),
    };
    Error::new(ErrorKind::NotAvro, what).with_hint(hint)
}
