//! Readers of a container whose header is known: they enter it at a block.

use std::io::{Read, Seek};
use std::sync::Arc;

use super::ContainerReader;
use super::block::BlockPosition;
use super::header::Header;
use super::input::Input;
use super::open::ReaderBuilder;
use super::parser::BlockParser;
use crate::Result;

impl<R: Read> ReaderBuilder<R> {
    /// Reads blocks of a container whose header is known: from the one at `position`, which the source is at, to the
    /// last that begins before `end`. Numbers of blocks and records continue those of `position`.
    ///
    /// ```
    /// use avro_path::AvroSchema;
    /// use avro_path::container::{BlockPosition, ContainerReader, ContainerWriter};
    ///
    /// let schema = AvroSchema::parse("\"long\"")?;
    /// let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(1).build()?;
    /// writer.write(&[84])?;
    /// writer.write(&[86])?;
    /// let file = writer.finish()?;
    /// let header = ContainerReader::new(&file[..])?.header().clone();
    ///
    /// let offset = header.len() + 1 + 1 + 1 + 16; // after the first block: count, size, data, marker
    /// let position = BlockPosition { offset, number: 1, first_record: 1, ..BlockPosition::default() };
    /// let source = &file[offset as usize..];
    /// let mut reader = ContainerReader::builder(source).build_at(header, position, u64::MAX)?;
    /// let block = reader.next_block()?.expect("the second block");
    /// assert_eq!((block.position().first_record, block.bytes()), (1, &[86][..]));
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    ///
    /// # Errors
    /// When this build lacks the codec.
    pub fn build_at(
        self,
        header: Arc<Header>,
        position: BlockPosition,
        end: u64,
    ) -> Result<ContainerReader<R>> {
        let (source, settings) = self.parts();
        let parser = BlockParser::enter(header, &settings, position, end)?;
        Ok(ContainerReader { input: Input::new(source), parser, lent: 0 })
    }

    /// Returns the offset of the first block that begins at `from` or after it, found by the sync marker before it; `None`
    /// if there is none.
    ///
    /// # Errors
    /// When reading fails, and when this build lacks the codec.
    pub fn find_block(self, header: Arc<Header>, from: u64) -> Result<Option<u64>>
    where
        R: Seek,
    {
        let position = BlockPosition::first(&header);
        let settings = self.settings.clone();
        let mut reader = self.build_at(header, position, u64::MAX)?;
        let find = |reader: &mut ContainerReader<R>| {
            reader.restrict(from, u64::MAX)?;
            if !reader.parser.has_ended() {
                reader.input.fill(1)?;
            }
            let is_there = !reader.parser.has_ended() && !reader.input.window().bytes.is_empty();
            Ok(is_there.then(|| reader.parser.offset()))
        };
        find(&mut reader).map_err(|error| settings.locate(error))
    }
}
