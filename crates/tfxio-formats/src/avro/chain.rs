//! A scan of several partitions.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Error, Origins, Partition, Result, Scan, ScanRequest};

use super::dataset::Inner;
use super::decoder::Program;
use super::gathered::Gathered;
use super::scan::AvroScan;

/// Reads partitions one after the other. A batch goes on with the rows of the next where one ends.
pub(super) struct Chain {
    dataset: Arc<Inner>,
    request: ScanRequest,
    program: Option<Program>,
    schema: SchemaRef,
    partitions: VecDeque<Partition>,
    scan: Option<AvroScan>,
    gathered: Gathered,
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
        program: Option<Program>,
        schema: SchemaRef,
        request: &ScanRequest,
    ) -> Result<Self> {
        let mut chain = Self {
            gathered: Gathered::new(Arc::clone(&schema)),
            request: request.clone().batch_rows(request.batch_rows),
            // Rows that the filter leaves are counted above.
            left: request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX),
            partitions: partitions.to_vec().into(),
            scan: None,
            origins: Origins::default(),
            failed: None,
            dataset,
            program,
            schema,
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
        let (dataset, program) = (Arc::clone(&self.dataset), self.program.clone());
        let schema = Arc::clone(&self.schema);
        self.scan = Some(AvroScan::open(dataset, &partition, program, schema, &request, gathered)?);
        Ok(true)
    }

    /// Gathers rows until a batch is full, the limit is reached or the partitions end.
    fn fill(&mut self) -> Result<()> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.request.batch_rows);
        while self.gathered.rows() < most {
            let next = match &mut self.scan {
                Some(scan) => scan.next_batch()?,
                None => None,
            };
            match next {
                Some(batch) => {
                    let (rows, origins) = batch.into_parts();
                    self.gathered.push(rows);
                    self.origins.append(&origins);
                }
                None => {
                    self.scan = None;
                    if !self.open_next()? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the scan.
    fn end(&mut self) {
        (self.left, self.scan) = (0, None);
        self.partitions.clear();
    }
}

impl Scan for Chain {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if let Err(error) = self.fill() {
            self.end();
            self.failed = Some(error);
        }
        match self.gathered.take()? {
            Some(rows) => {
                self.left = self.left.saturating_sub(rows.num_rows() as u64);
                Ok(Some(Batch::new(rows, std::mem::take(&mut self.origins))))
            }
            None => {
                self.end();
                self.failed.take().map_or(Ok(None), Err)
            }
        }
    }
}
