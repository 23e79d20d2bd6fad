//! Decoding of records to batches, on the threads of a scan.

use tfxio_core::{Error, Result, ScanCounts, ScanRequest, Work};
use tfxio_scan::deferred_drop::DeferredDrops;
use tfxio_scan::executor::Done;

use super::chunk::Chunk;
use super::decoding::Decoding;
use super::records::Records;

/// Position up to which the records of a partition were read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor {
    /// Number of records, including the ones passed over.
    pub(super) records: u64,
    /// Offset of the next record in the uncompressed file.
    pub(super) offset: u64,
    pub(super) is_compressed: bool,
}

/// Decodes the records of a batch. Those before a record that fails are a batch of their own, which comes first.
pub(super) struct Job {
    decoding: Decoding,
    batch_rows: usize,
    batch_bytes: usize,
    chunk: Chunk,
    /// Whether the records of the chunk are not decoded yet.
    holds: bool,
    /// Number of records of the partition before the batch.
    before: u64,
    after: Option<Cursor>,
    counts: ScanCounts,
    is_ready: bool,
    failed: Option<Error>,
    /// Batches handed out, if several threads decode.
    lent: Option<DeferredDrops>,
}

impl Job {
    pub(super) fn new(decoding: Decoding, request: &ScanRequest, shared: bool) -> Self {
        let bytes = request.batch_bytes.unwrap_or(u64::MAX);
        Self {
            decoding,
            batch_rows: request.batch_rows.max(1),
            batch_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
            chunk: Chunk::default(),
            holds: false,
            before: 0,
            after: None,
            counts: ScanCounts::default(),
            is_ready: false,
            failed: None,
            lent: shared.then(DeferredDrops::default),
        }
    }

    /// Decodes the records of the chunk.
    fn decode(&mut self) -> Result<()> {
        self.holds = false;
        self.decoding.decode(&self.chunk)
    }

    fn finish(&mut self) -> Result<Done<Option<Cursor>>> {
        let progress = self.decoding.progress();
        let batch = self.decoding.flush()?;
        if self.failed.is_some()
            && self.chunk.skip.is_none()
            && let Some(after) = &mut self.after
        {
            (after.records, after.offset) = (self.before.saturating_add(progress.records), progress.end);
        }
        Ok(Done { batch, after: self.after, counts: self.counts })
    }
}

impl Work for Job {
    type Source = Records;
    type Output = Done<Option<Cursor>>;
    type Error = Error;

    fn read(&mut self, records: &mut Records) -> Result<bool> {
        let (counted, mut read) = (records.counts(), 0usize);
        let mut bytes = 0usize;
        // Where less is left than a record has on average, the batch is full: another chunk would have this one decoded
        // here, where only one thread works.
        while read < self.batch_rows
            && bytes.checked_div(read).is_none_or(|each| bytes.saturating_add(each) <= self.batch_bytes)
        {
            if self.holds
                && let Err(error) = self.decode()
            {
                self.failed = Some(error);
                break;
            }
            let most = self.batch_rows - read;
            let count = match records.read(&mut self.chunk, most, self.batch_bytes.saturating_sub(bytes)) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if read == 0 => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            };
            let offset = self.chunk.end();
            let progress = records.progress();
            if read == 0 {
                self.before = progress.map_or(0, |(records, _)| records.saturating_sub(count as u64));
            }
            read += count;
            self.holds = true;
            bytes = usize::try_from(records.counts().since(counted).bytes).unwrap_or(usize::MAX);
            self.after = progress.zip(offset).map(|((records, is_compressed), offset)| Cursor {
                records,
                offset,
                is_compressed,
            });
        }
        self.counts = records.counts().since(counted);
        self.is_ready = read > 0;
        Ok(self.is_ready)
    }

    fn next(&mut self) -> Result<Option<Done<Option<Cursor>>>> {
        if std::mem::take(&mut self.is_ready) {
            if let Some(lent) = &mut self.lent {
                lent.take_back();
            }
            if self.holds
                && let Err(error) = self.decode()
            {
                self.failed = Some(error);
            }
            if self.failed.is_none() || self.decoding.rows() > 0 {
                let done = self.finish()?;
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

    fn weight(done: &Done<Option<Cursor>>) -> u64 {
        done.batch.columns().get_array_memory_size() as u64
    }
}
