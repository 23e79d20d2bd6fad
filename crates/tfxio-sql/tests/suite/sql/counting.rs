//! A data set that counts what it is asked for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Dataset, Partition, PartitionStatistics, Result, Scan, ScanCounts, ScanRequest};

/// A data set that counts what it is asked for.
#[derive(Debug)]
pub struct Counting {
    inner: Arc<dyn Dataset>,
    asked: Mutex<Vec<ScanRequest>>,
    rows: Arc<AtomicU64>,
}

impl Counting {
    pub fn new(inner: Arc<dyn Dataset>) -> Arc<Self> {
        Arc::new(Self { inner, asked: Mutex::default(), rows: Arc::default() })
    }

    /// Forgets what was counted.
    pub fn reset(&self) {
        self.asked.lock().unwrap().clear();
        self.rows.store(0, Ordering::SeqCst);
    }

    /// The paths of the columns of the last request.
    pub fn columns(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let columns = asked.last().and_then(|request| request.columns.clone()).unwrap_or_default();
        columns.iter().map(|column| column.path.to_string()).collect()
    }

    /// The filter of the last request.
    pub fn filter(&self) -> Option<String> {
        let asked = self.asked.lock().unwrap();
        asked.last().and_then(|request| request.filter.as_ref()).map(ToString::to_string)
    }

    /// Number of scans.
    pub fn scans(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// Number of rows that scans have returned.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::SeqCst)
    }
}

impl Dataset for Counting {
    fn schema(&self) -> &SchemaRef {
        self.inner.schema()
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        self.inner.partitions(target_bytes)
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        self.inner.statistics(partition)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.asked.lock().unwrap().push(request.clone());
        Ok(Box::new(Counted(self.inner.scan(partition, request)?, Arc::clone(&self.rows))))
    }
}

struct Counted(Box<dyn Scan>, Arc<AtomicU64>);

impl Scan for Counted {
    fn schema(&self) -> &SchemaRef {
        self.0.schema()
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let batch = self.0.next_batch()?;
        self.1.fetch_add(batch.as_ref().map_or(0, |batch| batch.num_rows() as u64), Ordering::SeqCst);
        Ok(batch)
    }

    fn counts(&self) -> ScanCounts {
        self.0.counts()
    }
}
