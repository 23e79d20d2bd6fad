//! Decoding of records to batches, on the threads of a scan.

use std::sync::Arc;

use tfxio_core::{
    Batch, Error, LostRange, Origin, Origins, Partition, Result, ScanCounts, ScanRequest, Skip, Work,
};
use tfxio_scan::damage::{is_damage, reason};
use tfxio_scan::deferred_drop::DeferredDrops;
use tfxio_scan::executor::{Decoder, Done, flush};

use super::chunk::Chunk;
use super::reader::RowReader;

/// Position of the record after a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    /// Offset in the uncompressed file.
    pub(super) offset: u64,
    /// Number, as the reader counts.
    pub(super) record: u64,
    pub(super) is_compressed: bool,
}

/// Decodes the records of a batch. Those before a record that fails are a batch of their own, which comes first.
pub(super) struct Job {
    decoder: Decoder,
    batch_rows: usize,
    batch_bytes: usize,
    partition: Arc<Partition>,
    skip: Option<Skip>,
    chunk: Chunk,
    after: Cursor,
    counts: ScanCounts,
    is_ready: bool,
    failed: Option<Error>,
    /// Batches handed out, if several threads decode.
    lent: Option<DeferredDrops>,
}

impl Job {
    pub(super) fn new(
        decoder: Decoder,
        partition: Arc<Partition>,
        request: &ScanRequest,
        shared: bool,
    ) -> Self {
        let bytes = request.batch_bytes.unwrap_or(u64::MAX);
        Self {
            decoder,
            batch_rows: request.batch_rows.max(1),
            batch_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
            partition,
            skip: request.on_error.skip().cloned(),
            chunk: Chunk::default(),
            after: Cursor { offset: 0, record: 0, is_compressed: false },
            counts: ScanCounts::default(),
            is_ready: false,
            failed: None,
            lent: shared.then(DeferredDrops::default),
        }
    }

    /// Decodes the records of the chunk.
    fn decode(&mut self) -> Result<Option<Done<Cursor>>> {
        let Self { decoder, chunk, partition, skip, after, .. } = self;
        let (mut origins, mut offsets, mut first) = (Origins::default(), Vec::with_capacity(chunk.len()), 0);
        let file = &partition.file;
        let mut rows = 0;
        for (offset, number, row) in chunk.iter() {
            if let Some(decoder) = decoder
                && let Err(error) = decoder.push(row, Origin::new(file, offset, number))
            {
                let error = partition.locate(error);
                let Some(skip) = skip.as_ref().filter(|_| is_damage(&error)) else {
                    (after.offset, after.record) = (offset, number);
                    self.failed = Some(error);
                    break;
                };
                let end = offset.saturating_add(row.len() as u64);
                skip.add(LostRange::new(offset, end, reason(&error)).file(Arc::clone(file)).records(1))?;
                continue;
            }
            if number != u64::saturating_add(first, offsets.len() as u64) {
                origins.push_run(Arc::clone(file), first, &offsets, offsets.len());
                offsets.clear();
            }
            if offsets.is_empty() {
                first = number;
            }
            offsets.push(offset);
            rows += 1;
        }
        origins.push_run(Arc::clone(file), first, &offsets, offsets.len());
        if rows == 0 && self.failed.is_some() {
            return Ok(None);
        }
        let columns = flush(decoder, rows)?;
        Ok(Some(Done { batch: Batch::new(columns, origins), after: *after, counts: self.counts }))
    }
}

impl Work for Job {
    type Source = RowReader;
    type Output = Done<Cursor>;
    type Error = Error;

    fn read(&mut self, rows: &mut RowReader) -> Result<bool> {
        let (offset, is_compressed) = (rows.offset(), rows.is_compressed());
        let (count, result) = rows.read(&mut self.chunk, self.batch_rows, self.batch_bytes);
        match result {
            Err(error) if count == 0 => return Err(self.partition.locate(error)),
            result => self.failed = result.err().map(|error| self.partition.locate(error)),
        }
        self.after = Cursor { offset: rows.offset(), record: rows.record(), is_compressed };
        let bytes = rows.offset().saturating_sub(offset);
        self.counts = ScanCounts::default().records(count as u64).bytes(bytes);
        if is_compressed {
            self.counts = self.counts.decompressed(bytes);
        }
        self.is_ready = count > 0;
        Ok(self.is_ready)
    }

    fn next(&mut self) -> Result<Option<Done<Cursor>>> {
        if std::mem::take(&mut self.is_ready) {
            if let Some(lent) = &mut self.lent {
                lent.take_back();
            }
            if let Some(done) = self.decode()? {
                if let Some(lent) = &mut self.lent {
                    lent.lend(done.batch.columns());
                }
                return Ok(Some(done));
            }
        }
        self.failed.take().map_or(Ok(None), Err)
    }

    fn is_done(&self) -> bool {
        !self.is_ready && self.failed.is_none()
    }

    fn weight(done: &Done<Cursor>) -> u64 {
        done.batch.columns().get_array_memory_size() as u64
    }
}
