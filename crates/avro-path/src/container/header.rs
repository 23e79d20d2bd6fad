//! The header of a container: metadata and the sync marker.

use super::codec::Codec;
use super::frame::{Parsed, SYNC, Window};
use crate::datum::{DatumReader, write};
use crate::schema::{AvroSchema, SchemaLimits};
use crate::{Error, ErrorKind, Kind, Result};

/// The four bytes with which a container begins.
pub(super) const MAGIC: [u8; 4] = *b"Obj\x01";
/// Bytes of a header, beyond which it is refused.
const MOST: usize = 128 << 20;

/// A key of the metadata and its value.
type Entry = (Box<[u8]>, Box<[u8]>);

/// Header of a container.
#[derive(Clone, Debug)]
pub struct Header {
    schema: AvroSchema,
    codec: Codec,
    sync: [u8; SYNC],
    metadata: Vec<Entry>,
    length: u64,
}

impl Header {
    /// Returns the schema with which the container was written.
    #[must_use]
    pub fn schema(&self) -> &AvroSchema {
        &self.schema
    }

    /// Returns the codec of its blocks.
    #[must_use]
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// Returns the bytes that end each block.
    #[must_use]
    pub fn sync_marker(&self) -> [u8; 16] {
        self.sync
    }

    /// Returns the metadata in the order of the file, including the entries that Avro defines (`avro.schema`,
    /// `avro.codec`). Keys are meant to be UTF-8 and values are bytes, but neither is guaranteed.
    pub fn metadata(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.metadata.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Returns the value of a key; the first, if the file has several.
    #[must_use]
    pub fn metadata_value(&self, key: &str) -> Option<&[u8]> {
        self.metadata().find(|(found, _)| *found == key.as_bytes()).map(|(_, value)| value)
    }

    /// Returns the length of the header in bytes, which is the offset of the first block.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a header has bytes")]
    pub fn len(&self) -> u64 {
        self.length
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

/// Parses a header of which more and more is there.
#[derive(Debug, Default)]
pub(super) struct HeaderParser {
    limits: SchemaLimits,
    metadata: Vec<Entry>,
    /// Bytes that were parsed.
    at: usize,
    part: Part,
}

/// Next part of a header.
#[derive(Debug, Default)]
enum Part {
    #[default]
    Magic,
    Count,
    Entries(u64),
    Sync,
}

/// Why a part of a header could not be parsed.
enum Failed {
    /// There must be at least this many bytes.
    Need(usize),
    Wrong(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Wrong(error)
    }
}

impl HeaderParser {
    /// Parses a header whose schema stays within these limits.
    pub(super) fn new(limits: SchemaLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Returns the number of bytes that were parsed.
    pub(super) fn parsed(&self) -> usize {
        self.at
    }

    /// Continues with a window that begins where the container does, and has all bytes of the one before.
    pub(super) fn parse(&mut self, window: Window<'_>) -> Result<Parsed<Header>> {
        if matches!(self.part, Part::Magic) {
            let magic = window.bytes.get(..MAGIC.len()).unwrap_or(window.bytes);
            if magic.len() < MAGIC.len() && !window.is_end {
                return Ok(Parsed::Need(MAGIC.len()));
            }
            if magic != MAGIC {
                return Err(not_avro(magic));
            }
            (self.at, self.part) = (MAGIC.len(), Part::Count);
        }
        match self.parts(window.bytes) {
            Ok(sync) => self.understand(sync).map(Parsed::Done),
            Err(Failed::Wrong(error)) => Err(error),
            Err(Failed::Need(_)) if window.is_end => {
                Err(Error::new(Kind::Truncated, "the file ends within its header")
                    .help("the file is not complete; copy it again"))
            }
            Err(Failed::Need(_)) if window.bytes.len() > MOST => {
                Err(Error::new(ErrorKind::LimitExceeded, format!("the header has more than {MOST} bytes")))
            }
            Err(Failed::Need(bytes)) => Ok(Parsed::Need(bytes.min(MOST + 1))),
        }
    }

    /// Parses the remaining header, part by part.
    fn parts(&mut self, bytes: &[u8]) -> Result<[u8; SYNC], Failed> {
        let mut reader = DatumReader::at(bytes, self.at);
        loop {
            self.part = match self.part {
                Part::Magic | Part::Count => {
                    let mut count = number(&mut reader)?;
                    if count < 0 {
                        number(&mut reader)?;
                        count =
                            count.checked_neg().ok_or_else(|| damaged("an impossible number of entries"))?;
                    }
                    if count == 0 { Part::Sync } else { Part::Entries(count.unsigned_abs()) }
                }
                Part::Entries(0) => Part::Count,
                Part::Entries(left) => {
                    let key = counted(&mut reader)?;
                    self.metadata.push((key.into(), counted(&mut reader)?.into()));
                    Part::Entries(left - 1)
                }
                Part::Sync => {
                    let need = Failed::Need(self.at.saturating_add(SYNC));
                    return reader.rest().first_chunk().copied().ok_or(need);
                }
            };
            self.at = reader.position();
        }
    }

    fn understand(&mut self, sync: [u8; SYNC]) -> Result<Header> {
        let metadata = std::mem::take(&mut self.metadata);
        let value = |key: &str| {
            metadata.iter().find(|(found, _)| **found == *key.as_bytes()).map(|(_, value)| &**value)
        };
        let schema = value("avro.schema").ok_or_else(|| damaged("no schema"))?;
        let schema = std::str::from_utf8(schema)
            .map_err(|error| damaged("a schema that is not UTF-8").because(error))?;
        let schema = AvroSchema::parse_within(schema, self.limits)?;
        let codec = match value("avro.codec") {
            None | Some([]) => Codec::Null,
            Some(name) => String::from_utf8_lossy(name).parse()?,
        };
        let length = self.at.saturating_add(SYNC) as u64;
        Ok(Header { schema, codec, sync, metadata, length })
    }
}

fn number(reader: &mut DatumReader<'_>) -> Result<i64, Failed> {
    reader.long().map_err(|error| match error.detail() {
        Some(Kind::Truncated) => Failed::Need(reader.all().len() + 1),
        _ => Failed::Wrong(damaged("a number of more than 64 bits")),
    })
}

/// Reads bytes after their number.
fn counted<'a>(reader: &mut DatumReader<'a>) -> Result<&'a [u8], Failed> {
    let length = number(reader)?;
    let length = u64::try_from(length).map_err(|_| damaged("an entry of negative length"))?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    reader.fixed(length).map_err(|_| Failed::Need(reader.position().saturating_add(length)))
}

fn damaged(what: &str) -> Error {
    Error::new(Kind::Header, format!("the header of the file has {what}"))
        .help("without its header an Avro file cannot be read; copy it again")
}

fn not_avro(magic: &[u8]) -> Error {
    let (what, hint) = match magic {
        [] => ("the file is empty", "an Avro file without records still has a header"),
        [b'O', b'b', b'j', _, ..] => {
            ("this is an Avro file of a version that is not 1", "convert it with the program that wrote it")
        }
        [b'P', b'A', b'R', b'1', ..] => ("this is a Parquet file, not an Avro file", "read it as such"),
        [0x1f, 0x8b, ..] => {
            ("this is not an Avro file, but something compressed with gzip", "decompress it first")
        }
        [0xc3, 0x01, ..] => (
            "this is a message in single-object encoding, not an Avro file",
            "read it with avro_path::datum::single_object",
        ),
        _ => ("this is not an Avro file: it does not begin with \"Obj\" and 1", "check the path"),
    };
    Error::new(Kind::NotAvro, what).help(hint)
}
