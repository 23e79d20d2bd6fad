//! Blocks that are compressed apart from the writer.

use super::codec::{Codec, Compressor};
use crate::Result;

/// Compresses records to blocks, one after the other, on any thread. Made by
/// [`WriterBuilder::block_encoder`](super::WriterBuilder::block_encoder).
///
/// ```
/// use avro_path::AvroSchema;
/// use avro_path::container::{BlockEncoder, Codec, ContainerReader, ContainerWriter};
///
/// let mut encoder = BlockEncoder::new(Codec::Null, None)?;
/// // Two records, one byte each.
/// let block = encoder.encode(&[1, 0], 2)?;
///
/// let mut writer = ContainerWriter::builder(Vec::new(), &AvroSchema::parse("\"boolean\"")?).build()?;
/// writer.write_block(&block)?;
/// assert_eq!(writer.records_written(), 2);
/// # let file = writer.finish()?;
/// # assert_eq!(ContainerReader::new(&file[..])?.next_block()?.map(|block| block.count()), Some(2));
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Debug)]
pub struct BlockEncoder(Compressor);

impl BlockEncoder {
    /// Returns an encoder; without a level, with the usual one of the codec.
    ///
    /// # Errors
    /// When the codec does not have the level, or this build lacks the codec.
    pub fn new(codec: Codec, level: Option<u32>) -> Result<Self> {
        Compressor::new(codec, level).map(Self)
    }

    /// Compresses the bytes of this many records.
    ///
    /// # Errors
    /// When the codec fails.
    pub fn encode(&mut self, data: &[u8], records: u64) -> Result<EncodedBlock> {
        let mut stored = Vec::new();
        self.0.compress(data, &mut stored)?;
        Ok(EncodedBlock { codec: self.0.codec(), stored, uncompressed_len: data.len() as u64, records })
    }
}

/// A block of a container, as it is stored, without the marker that each file has of its own. Made by
/// [`BlockEncoder::encode`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedBlock {
    codec: Codec,
    stored: Vec<u8>,
    uncompressed_len: u64,
    records: u64,
}

impl EncodedBlock {
    /// Returns the codec.
    #[must_use]
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// Returns the compressed bytes.
    #[must_use]
    pub fn stored(&self) -> &[u8] {
        &self.stored
    }

    /// Returns the number of bytes before compression.
    #[must_use]
    pub fn uncompressed_len(&self) -> u64 {
        self.uncompressed_len
    }

    /// Returns the number of records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }
}
