//! A scan of several partitions.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Error, Origins, Partition, Result, Scan, ScanRequest};

use super::dataset::Inner;
use super::decoder::BatchPlan;
use super::gathered::Gathered;
use super::scan::{self, AvroScan, Read};

/// Reads partitions one after the other. A batch goes on with the rows of the next where one ends.
pub(super) struct Chain {
    dataset: Arc<Inner>,
    request: ScanRequest,
    plan: BatchPlan,
    partitions: VecDeque<Partition>,
    scan: Option<AvroScan>,
    /// Batch that was read and had no room in the one before.
    pending: Option<Read>,
    gathered: Gathered,
    /// Records of the batch, including the ones that the filter leaves out.
    records: usize,
    origins: Origins,
    /// Rows that may still be returned.
    left: u64,
    /// The error that comes after the rows before it.
    failed: Option<Error>,
}

impl Chain {
    /// Opens the first partition, so that its errors come early.
    pub(super) fn open(
        dataset: Arc<Inner>,
        partitions: &[Partition],
        plan: BatchPlan,
        request: &ScanRequest,
    ) -> Result<Self> {
        let mut chain = Self {
            gathered: Gathered::new(Arc::clone(&plan.schema)),
            records: 0,
            request: request.clone().batch_rows(request.batch_rows),
            left: scan::limit(&plan, request),
            partitions: partitions.to_vec().into(),
            scan: None,
            pending: None,
            origins: Origins::default(),
            failed: None,
            dataset,
            plan,
        };
        if chain.left > 0 {
            chain.open_next()?;
        }
        Ok(chain)
    }

    /// Opens the next partition for the rows that are missing, and returns whether there is one.
    fn open_next(&mut self) -> Result<bool> {
        let Some(partition) = self.partitions.pop_front() else { return Ok(false) };
        let gathered = self.gathered.rows();
        let mut request = self.request.clone();
        request.limit = request.limit.map(|_| self.left.saturating_sub(gathered as u64));
        let (dataset, plan) = (Arc::clone(&self.dataset), self.plan.clone());
        self.scan = Some(AvroScan::open(dataset, &partition, plan, &request, self.records)?);
        Ok(true)
    }

    /// Gathers rows until a batch is full, the limit is reached or the partitions end. Returns whether they have not ended.
    fn fill(&mut self) -> Result<bool> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        while self.gathered.rows() < most && self.records < self.request.batch_rows {
            let (pending, is_pending) = (self.pending.take(), self.pending.is_some());
            let next = match (pending, &mut self.scan) {
                (Some(pending), _) => Some(pending),
                (None, Some(scan)) => scan.next_rows()?,
                (None, None) => None,
            };
            match next {
                Some(read)
                    if !self.gathered.has_room(read.batch.columns(), self.request.limits.batch_bytes) =>
                {
                    self.pending = Some(read);
                    return Ok(true);
                }
                Some(Read { batch, records, is_full }) => {
                    let (rows, origins) = batch.into_parts();
                    self.records = self.records.saturating_add(records);
                    self.gathered.push(rows);
                    self.origins.append(&origins);
                    // Further rows were not asked for as the rest of a batch.
                    if is_full || is_pending {
                        return Ok(true);
                    }
                }
                None => {
                    self.scan = None;
                    if !self.open_next()? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(most > 0)
    }

    /// Ends the scan.
    fn end(&mut self) {
        (self.left, self.scan, self.pending) = (0, None, None);
        self.partitions.clear();
    }
}

impl Scan for Chain {
    fn schema(&self) -> &SchemaRef {
        &self.plan.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        loop {
            let goes_on = self.fill().unwrap_or_else(|error| {
                self.end();
                self.failed = Some(error);
                false
            });
            self.records = 0;
            if let Some(rows) = self.gathered.take()? {
                self.left = self.left.saturating_sub(rows.num_rows() as u64);
                return Ok(Some(Batch::new(rows, std::mem::take(&mut self.origins))));
            }
            // None of the records may have satisfied the filter.
            if !goes_on {
                self.end();
                return self.failed.take().map_or(Ok(None), Err);
            }
        }
    }
}
