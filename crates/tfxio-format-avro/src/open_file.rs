//! A file whose records are read by their numbers.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use avro_path::BlockCursor;
use avro_path::container::{ContainerReader, Header, ReaderBuilder, SkippingReader};
use avro_path::datum::SkipPlan;
use tfxio_core::{Error, Limits, Position, Result, ScanRequest};

use super::dataset::Inner;
use super::decoder::{Decoder, Program};
use super::file_metadata::{FileInput, FileMetadata};
use super::table::Found;

/// A file that is being read.
pub(super) struct OpenFile {
    input: FileInput,
    header: Arc<Header>,
    pub(super) decoder: Option<Decoder>,
    plan: SkipPlan,
    bytes: Vec<u8>,
    /// Reader of blocks whose damage is skipped.
    skipping: Option<Box<SkippingReader<FileInput>>>,
}

impl OpenFile {
    pub(super) fn open(
        dataset: &Inner,
        file: &Arc<str>,
        program: Option<&Program>,
        request: &ScanRequest,
    ) -> Result<Self> {
        let metadata = &dataset.metadata;
        let header = metadata.header(file, &request.cancel)?;
        let recipe = |program| dataset.recipe(program, None, file, header.schema(), request);
        let decoder = program.map(recipe).transpose()?.map(|recipe| recipe.decoder());
        let input = metadata.open(file, header.len(), header.len(), &request.cancel)?;
        let plan = SkipPlan::new(header.schema());
        Ok(Self { input, decoder, plan, header, bytes: Vec::new(), skipping: None })
    }

    /// Announces the blocks that are read next.
    pub(super) fn announce(&mut self, blocks: &[Range<u64>]) {
        if self.skipping.is_none() {
            self.input.will_read(blocks);
        }
    }

    /// Decodes records of a block, which are sorted. Returns which of them are good: all, unless damage is skipped.
    pub(super) fn read(
        &mut self,
        metadata: &FileMetadata,
        file: &Arc<str>,
        found: &Found,
        records: &[u64],
        request: &ScanRequest,
    ) -> Result<Vec<bool>> {
        let Some(skip) = request.on_error.skip() else {
            return self.decode(file, found, records, request.limits).map(|()| vec![true; records.len()]);
        };
        let mut reader = match self.skipping.take() {
            Some(reader) => reader,
            None => {
                let source = metadata.open(file, 0, self.header.len(), &request.cancel)?;
                let size = source.size().unwrap_or_default();
                let builder = ReaderBuilder::default().limits(request.limits).name(Arc::clone(file));
                Box::new(builder.source(source).build_skipping(size, skip)?)
            }
        };
        reader.enter(found.position.offset, found.position.offset.saturating_add(1))?;
        let good = self.decode_good(&mut reader, found, records)?;
        self.skipping = Some(reader);
        Ok(good)
    }

    /// Decodes records of a block, which are sorted.
    fn decode(&mut self, file: &Arc<str>, found: &Found, records: &[u64], limits: Limits) -> Result<()> {
        let Self { input, header, decoder: Some(decoder), plan, bytes, .. } = self else { return Ok(()) };
        let failed = |error| {
            Error::io(error, "reading").at(Position::new().file(Arc::clone(file)).byte(found.position.offset))
        };
        bytes.clear();
        input.seek(SeekFrom::Start(found.position.offset)).map_err(failed)?;
        // The memory grows with what is there.
        let size = found.end.saturating_sub(found.position.offset);
        input.take(size).read_to_end(bytes).map_err(failed)?;
        let builder = ContainerReader::builder(&bytes[..]).limits(limits).name(Arc::clone(file));
        let mut reader = builder.build_at(Arc::clone(header), found.position.clone(), u64::MAX)?;
        let Some(block) = reader.next_block()? else { return Ok(()) };
        let mut progress = BlockCursor::default();
        for record in records {
            let number = record.saturating_sub(found.position.first_record);
            progress.pass_to(&block, header.schema(), plan, number)?;
            decoder.decode(&block, &mut progress, decoder.records().saturating_add(1))?;
        }
        Ok(())
    }

    /// Decodes the good ones of the records of a block, which are sorted, and returns which they are.
    fn decode_good(
        &mut self,
        reader: &mut SkippingReader<FileInput>,
        found: &Found,
        records: &[u64],
    ) -> Result<Vec<bool>> {
        let mut good = vec![false; records.len()];
        let Self { header, decoder: Some(decoder), plan, .. } = self else { return Ok(good) };
        if !reader.next_block()? {
            return Ok(good);
        }
        let count = reader.last_block().filter(|block| block.position().offset == found.position.offset);
        let count = count.map_or(0, |block| block.count());
        let mut progress = BlockCursor::default();
        for number in 0..count {
            let record = found.position.first_record.saturating_add(reader.number_of(number));
            let Ok(at) = records.binary_search(&record) else { continue };
            let Some(block) = reader.last_block() else { break };
            progress.pass_to(&block, header.schema(), plan, number)?;
            match decoder.decode(&block, &mut progress, decoder.records().saturating_add(1)) {
                Ok(_) => {
                    if let Some(good) = good.get_mut(at) {
                        *good = true;
                    }
                }
                Err(error) => {
                    let length = reader.pass_over(progress.bytes(), error)?;
                    progress.pass_over(length);
                }
            }
        }
        // Reports what was skipped.
        reader.next_block()?;
        Ok(good)
    }
}
