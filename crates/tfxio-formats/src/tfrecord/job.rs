//! From records to batches: what the threads of a scan do.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Schema;
use tfxio_core::{Batch, Error, Origin, Origins, RecordDecoder, Result, Work};

use super::chunk::Chunk;
use super::records::Records;
use crate::lent::Lent;

/// A decoder of some columns; nothing where no column is asked for.
pub(super) type Decoder = Option<Box<dyn RecordDecoder + Send>>;

/// How far the records of a partition were read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    /// Number of records, those passed over included.
    pub(super) records: u64,
    /// Offset of the next record in the uncompressed file.
    pub(super) offset: u64,
    pub(super) is_compressed: bool,
}

/// A batch, which may have no rows, and where the records after it begin.
pub(super) struct Done {
    pub(super) batch: Batch,
    pub(super) after: Option<Cursor>,
}

/// Decodes the records of a batch.
pub(super) struct Job {
    decoder: Decoder,
    batch_rows: usize,
    chunk: Chunk,
    /// Whether the records of the chunk are not decoded yet.
    holds: bool,
    rows: usize,
    origins: Origins,
    offsets: Vec<u64>,
    after: Option<Cursor>,
    is_ready: bool,
    /// Of several threads.
    lent: Option<Lent>,
}

impl Job {
    pub(super) fn new(decoder: Decoder, batch_rows: usize, shared: bool) -> Self {
        Self {
            decoder,
            batch_rows: batch_rows.max(1),
            chunk: Chunk::default(),
            holds: false,
            rows: 0,
            origins: Origins::default(),
            offsets: Vec::new(),
            after: None,
            is_ready: false,
            lent: shared.then(Lent::default),
        }
    }

    /// Decodes the records of the chunk.
    fn decode(&mut self) -> Result<()> {
        self.holds = false;
        let Self { decoder, chunk, origins, offsets, rows, .. } = self;
        let Some(file) = chunk.file() else { return Ok(()) };
        offsets.clear();
        let mut first = 0;
        let result = chunk.try_for_each(|record| {
            if let Some(decoder) = decoder {
                let origin = Origin::new(file, record.offset, record.index);
                if let Err(error) = decoder.push(record.data, origin) {
                    let error = match &chunk.base {
                        Some(base) => base.in_partition(error),
                        None => error,
                    };
                    return chunk.skip(error, &record);
                }
            }
            if record.index != u64::saturating_add(first, offsets.len() as u64) {
                origins.push_run(Arc::clone(file), first, offsets, offsets.len());
                offsets.clear();
            }
            if offsets.is_empty() {
                first = record.index;
            }
            offsets.push(record.offset);
            *rows += 1;
            Ok(())
        });
        origins.push_run(Arc::clone(file), first, offsets, offsets.len());
        result
    }

    fn finish(&mut self) -> Result<Done> {
        let rows = std::mem::take(&mut self.rows);
        let columns = match &mut self.decoder {
            Some(decoder) => decoder.flush()?,
            None => {
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?
            }
        };
        Ok(Done { batch: Batch::new(columns, std::mem::take(&mut self.origins)), after: self.after })
    }
}

impl Work for Job {
    type Source = Records;
    type Output = Done;
    type Error = Error;

    fn read(&mut self, records: &mut Records) -> Result<bool> {
        self.origins = Origins::default();
        self.rows = 0;
        let mut read = 0;
        while read < self.batch_rows {
            if self.holds {
                self.decode()?;
            }
            let count = records.read(&mut self.chunk, self.batch_rows - read)?;
            if count == 0 {
                break;
            }
            read += count;
            self.holds = true;
            let offset = self.chunk.end();
            self.after = records.progress().zip(offset).map(|((records, is_compressed), offset)| Cursor {
                records,
                offset,
                is_compressed,
            });
        }
        self.is_ready = read > 0;
        Ok(self.is_ready)
    }

    fn next(&mut self) -> Result<Option<Done>> {
        if !std::mem::take(&mut self.is_ready) {
            return Ok(None);
        }
        if let Some(lent) = &mut self.lent {
            lent.take_back();
        }
        if self.holds {
            self.decode()?;
        }
        let done = self.finish()?;
        if let Some(lent) = &mut self.lent {
            lent.lend(done.batch.columns());
        }
        Ok(Some(done))
    }

    fn is_done(&self) -> bool {
        !self.is_ready
    }

    fn weight(done: &Done) -> u64 {
        done.batch.columns().get_array_memory_size() as u64
    }
}
