//! The last rows of a data set.

use std::collections::VecDeque;
use std::sync::Arc;

use tfxio_core::{Batch, Dataset, RecordRun, Result, Scan as _, ScanRequest};

use super::Batches;
use super::buffered::BufferedScan;
use super::counts::of_last_files;

/// Reads the last rows: by number where the files are counted, else by reading all.
pub fn tail(dataset: &Arc<dyn Dataset>, rows: u64, mut request: ScanRequest) -> Result<Batches> {
    request.limit = None;
    let Some(files) = of_last_files(dataset, rows, &request)? else {
        return read_through(dataset, rows, request);
    };
    let mut left = rows;
    let mut runs = Vec::new();
    for (file, records) in files.into_iter().rev() {
        let last = left.min(records);
        runs.push(RecordRun::new(file, records - last, last));
        left -= last;
    }
    runs.reverse();
    let scan = dataset.take(&runs, &request)?;
    Ok(Batches::of_scan(Arc::clone(dataset), request, scan))
}

/// Reads all rows and holds the last ones.
fn read_through(dataset: &Arc<dyn Dataset>, rows: u64, request: ScanRequest) -> Result<Batches> {
    let mut all = Batches::new(Arc::clone(dataset), request.clone())?;
    let (mut last, mut held): (VecDeque<Batch>, u64) = (VecDeque::new(), 0);
    while let Some(batch) = all.next_batch()? {
        held = held.saturating_add(batch.num_rows() as u64);
        last.push_back(batch);
        while let Some(first) = last.front().map(|first| first.num_rows() as u64)
            && held - first >= rows
        {
            held -= first;
            last.pop_front();
        }
    }
    if let Some(first) = last.front_mut() {
        let before = usize::try_from(held.saturating_sub(rows)).unwrap_or(usize::MAX);
        *first = first.slice(before, usize::MAX);
    }
    let scan = Box::new(BufferedScan { schema: Arc::clone(all.schema()), batches: last });
    Ok(Batches::of_scan(Arc::clone(dataset), request, scan))
}
