//! Rows that are drawn from a data set.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use tfxio_core::{Batch, Cancel, Dataset, Error, Origins, Result, Scan as _, ScanRequest};

use super::Batches;
use super::buffered::BufferedScan;
use super::counts::{Counted, of_last_files, runs};
use crate::ranks::{Lowest, Ranks, RowRanks};

/// Reads rows that are drawn: by number where the files are counted, else from all rows as they come.
pub fn sample(dataset: &Arc<dyn Dataset>, rows: u64, seed: u64, mut request: ScanRequest) -> Result<Batches> {
    request.limit = None;
    let scan = match of_last_files(dataset, u64::MAX, &request)? {
        Some(files) => {
            let drawn = draw(&files, rows, seed, &request.cancel)?;
            dataset.take(&runs(&files, drawn), &request)?
        }
        None => {
            let mut ranks = RowRanks::new(dataset, seed)?;
            let mut all = Batches::new(Arc::clone(dataset), request.clone())?;
            let schema = Arc::clone(all.schema());
            let mut kept = Kept { most: rows, seen: 0, rows: BTreeMap::new() };
            while let Some(batch) = all.next_batch()? {
                kept.push(&batch, &ranks.next(&batch))?;
            }
            Box::new(BufferedScan { batches: kept.finish(request.batch_rows)?, schema })
        }
    };
    Ok(Batches::of_scan(Arc::clone(dataset), request, scan))
}

/// Records whose ranks are looked at until it is asked whether that is to end.
const AT_ONCE: u64 = 1 << 20;

/// Returns the numbers of the records of the lowest ranks, counted through all files, in ascending order.
fn draw(files: &[Counted], rows: u64, seed: u64, cancel: &Cancel) -> Result<Vec<u64>> {
    let each = |take: &mut dyn FnMut(u64)| {
        for (partition, (_, records)) in (0..).zip(files) {
            let ranks = Ranks::new(seed, partition);
            let mut first = 0u64;
            while first < *records {
                cancel.check()?;
                let end = first.saturating_add(AT_ONCE).min(*records);
                (first..end).for_each(|record| take(ranks.of(record)));
                first = end;
            }
        }
        Ok::<_, Error>(())
    };
    let mut lowest = Lowest::new(rows);
    each(&mut |rank| lowest.push(rank))?;
    let (mut drawn, mut numbers, mut number) = (lowest.finish(), Vec::new(), 0u64);
    each(&mut |rank| {
        if drawn.takes(rank) {
            numbers.push(number);
        }
        number += 1;
    })?;
    Ok(numbers)
}

/// Rows of the lowest ranks so far.
struct Kept {
    most: u64,
    /// Number of rows that came by.
    seen: u64,
    /// Rows by rank and number; of one rank, the first ones are kept.
    rows: BTreeMap<(u64, u64), Row>,
}

enum Row {
    /// Row of the current batch, by its index.
    Of(usize),
    /// A batch of its own, which keeps no other row in memory.
    Copied(Batch),
}

impl Kept {
    fn push(&mut self, batch: &Batch, ranks: &[u64]) -> Result<()> {
        let mut entered = Vec::new();
        for (row, rank) in ranks.iter().enumerate() {
            let key = (*rank, self.seen);
            self.seen = self.seen.saturating_add(1);
            let is_full = self.rows.len() as u64 >= self.most;
            if is_full && self.rows.last_key_value().is_none_or(|(last, _)| *last < key) {
                continue;
            }
            if is_full {
                self.rows.pop_last();
            }
            self.rows.insert(key, Row::Of(row));
            entered.push(key);
        }
        for key in entered {
            if let Some(kept) = self.rows.get_mut(&key)
                && let Row::Of(row) = kept
            {
                *kept = Row::Copied(copied(batch, *row)?);
            }
        }
        Ok(())
    }

    /// Returns the rows in their order.
    fn finish(self, batch_rows: usize) -> Result<VecDeque<Batch>> {
        let rows = self.rows.into_iter().filter_map(|((_, number), row)| match row {
            Row::Copied(row) => Some((number, row)),
            Row::Of(_) => None,
        });
        let mut rows = rows.collect::<Vec<_>>();
        rows.sort_by_key(|(number, _)| *number);
        let mut batches = VecDeque::new();
        for rows in rows.chunks(batch_rows.max(1)) {
            let Some((_, first)) = rows.first() else { continue };
            let columns: Vec<&RecordBatch> = rows.iter().map(|(_, row)| row.columns()).collect();
            let columns = match columns.as_slice() {
                // Without columns only the number of rows is left to add up.
                all if first.columns().num_columns() == 0 => {
                    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(all.len()));
                    RecordBatch::try_new_with_options(first.schema(), Vec::new(), &options)?
                }
                all => concat_batches(&first.schema(), all.iter().copied())?,
            };
            let mut origins = Origins::default();
            rows.iter().for_each(|(_, row)| origins.append(row.origins()));
            batches.push_back(Batch::new(columns, origins));
        }
        Ok(batches)
    }
}

/// Returns a copy of a row.
fn copied(batch: &Batch, row: usize) -> Result<Batch> {
    let columns = match batch.columns().num_columns() {
        0 => batch.columns().slice(row, 1),
        _ => take_record_batch(batch.columns(), &UInt64Array::from_value(row as u64, 1))?,
    };
    let mut origins = Origins::default();
    match batch.origins().get(row) {
        Some(origin) => origins.push(origin.file, origin.record, origin.byte),
        None => origins.push_unknown(1),
    }
    Ok(Batch::new(columns, origins))
}

#[cfg(test)]
mod tests {
    use tfxio_core::Cancel;

    use super::draw;

    #[test]
    fn no_more_than_there_are() {
        let files = [("a".into(), 3), ("b".into(), 0), ("c".into(), 1)];
        let drawn = |rows| draw(&files, rows, 1, &Cancel::new()).expect("numbers");
        assert!(drawn(9).into_iter().eq(0..4) && drawn(4).into_iter().eq(0..4));
        assert_eq!((drawn(3).len(), drawn(0).len()), (3, 0));
    }

    #[test]
    fn drawing_ends_when_it_is_cancelled() {
        let cancel = Cancel::new();
        cancel.cancel();
        draw(&[("a".into(), u64::MAX)], 1, 1, &cancel).expect_err("cancelled");
    }
}
