//! Decoding of chunks of records to rows: of all records, or of the ones that satisfy a filter.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfrecord_io::Record;
use tfxio_core::{Batch, Origin, Origins, RecordPlan, Result, ScanRequest};
use tfxio_scan::executor::{self, Decoder};

use super::chunk::{Chunk, FRAME};
use super::prefilter::Prefilter;

/// Decodes the records of a batch.
pub(super) struct Decoding {
    decoder: Decoder,
    /// Decides which records are decoded, if not all are.
    prefilter: Option<Prefilter>,
    rows: RowOrigins,
    progress: Progress,
}

/// Position after the records of a batch that were decoded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// Number of records, including the ones that do not satisfy the filter.
    pub(super) records: u64,
    /// Offset in the uncompressed file of the record after them.
    pub(super) end: u64,
}

impl Decoding {
    /// Returns what decodes the columns of a request.
    pub(super) fn new(plan: &dyn RecordPlan, request: &ScanRequest) -> Result<Self> {
        let (decoder, prefilter) = match Prefilter::new(plan, request)? {
            Some((decoder, prefilter)) => (Some(decoder), Some(prefilter)),
            None => (executor::decoder(plan, request)?, None),
        };
        Ok(Self { decoder, prefilter, rows: RowOrigins::default(), progress: Progress::default() })
    }

    /// Returns the schema of the batches.
    pub(super) fn schema(&self, plan: &dyn RecordPlan) -> SchemaRef {
        let filtered = self.prefilter.as_ref().and_then(Prefilter::schema);
        filtered.cloned().unwrap_or_else(|| executor::schema(&self.decoder, plan))
    }

    /// Returns the number of rows that have gathered.
    pub(super) fn rows(&self) -> usize {
        self.rows.count
    }

    /// Returns how far the records were decoded since the last batch.
    pub(super) fn progress(&self) -> Progress {
        self.progress
    }

    /// Decodes the records of a chunk, until one fails.
    pub(super) fn decode(&mut self, chunk: &Chunk) -> Result<()> {
        let Some(file) = chunk.file() else { return Ok(()) };
        let Self { decoder, prefilter, rows, progress } = self;
        let result = match (prefilter, decoder) {
            (Some(prefilter), Some(decoder)) => {
                let (records, result) =
                    prefilter.decode(&mut **decoder, chunk, &mut |record| rows.push(file, record));
                progress.records = progress.records.saturating_add(records as u64);
                let next = chunk.get(records).map(|record| record.offset);
                progress.end = next.or_else(|| chunk.end()).unwrap_or(progress.end);
                result
            }
            (_, decoder) => chunk.try_for_each(|record| {
                if let Some(decoder) = decoder {
                    let origin = Origin::new(file, record.offset, record.index);
                    if let Err(error) = decoder.push(record.data, origin) {
                        return chunk.skip(chunk.locate(error), &record);
                    }
                }
                rows.push(file, &record);
                progress.records = progress.records.saturating_add(1);
                progress.end = record.offset.saturating_add(record.data.len() as u64).saturating_add(FRAME);
                Ok(())
            }),
        };
        rows.close(file);
        result
    }

    /// Returns the rows that have gathered, which may be none.
    pub(super) fn flush(&mut self) -> Result<Batch> {
        let RowOrigins { count, origins, .. } = std::mem::take(&mut self.rows);
        self.progress = Progress::default();
        let batch = Batch::new(executor::flush(&mut self.decoder, count)?, origins);
        match &mut self.prefilter {
            Some(prefilter) => prefilter.finish(batch),
            None => Ok(batch),
        }
    }
}

/// Origins of the rows of a batch.
#[derive(Debug, Default)]
struct RowOrigins {
    count: usize,
    origins: Origins,
    /// Number of the first of the last records, which follow each other, and the offset of each.
    first: u64,
    offsets: Vec<u64>,
}

impl RowOrigins {
    fn push(&mut self, file: &Arc<str>, record: &Record<'_>) {
        if record.index != u64::saturating_add(self.first, self.offsets.len() as u64) {
            self.close(file);
        }
        if self.offsets.is_empty() {
            self.first = record.index;
        }
        self.offsets.push(record.offset);
        self.count = self.count.saturating_add(1);
    }

    /// Ends a run of records.
    fn close(&mut self, file: &Arc<str>) {
        self.origins.push_run(Arc::clone(file), self.first, &self.offsets, self.offsets.len());
        self.offsets.clear();
    }
}
