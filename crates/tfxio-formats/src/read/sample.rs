//! Rows that are drawn from a data set.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use tfxio_core::{Batch, Dataset, Origins, Result, Scan as _, ScanRequest};

use super::Batches;
use super::counts::{of_last_files, runs};
use super::held::Held;
use super::random::Random;

/// Reads rows that are drawn: by number where the files are counted, else from all rows as they come.
pub(super) fn sample(
    dataset: &Arc<dyn Dataset>,
    rows: u64,
    seed: u64,
    mut request: ScanRequest,
) -> Result<Batches> {
    request.limit = None;
    let mut random = Random::new(seed);
    let scan = match of_last_files(dataset, u64::MAX, &request)? {
        Some(files) => {
            let total = files.iter().fold(0u64, |sum, (_, records)| sum.saturating_add(*records));
            dataset.take(&runs(&files, draw(total, rows, &mut random)), &request)?
        }
        None => {
            let mut all = Batches::new(Arc::clone(dataset), request.clone())?;
            let schema = Arc::clone(all.schema());
            let mut reservoir = Reservoir { most: rows, seen: 0, random, kept: Vec::new() };
            while let Some(batch) = all.next_batch()? {
                reservoir.push(&batch)?;
            }
            Box::new(Held { batches: reservoir.finish(request.batch_rows)?, schema })
        }
    };
    Ok(Batches::of_scan(Arc::clone(dataset), request, scan))
}

/// Returns numbers below `total`, as many as are asked for or as there are, in ascending order. Each set of them is equally likely
/// ([Floyd 1987](https://doi.org/10.1145/30401.315746)).
fn draw(total: u64, count: u64, random: &mut Random) -> BTreeSet<u64> {
    let count = count.min(total);
    let mut drawn = BTreeSet::new();
    for last in total - count..total {
        let number = random.below(last + 1);
        drawn.insert(if drawn.contains(&number) { last } else { number });
    }
    drawn
}

/// Rows that are drawn while they come by: Algorithm R of [Vitter 1985](https://doi.org/10.1145/3147.3165).
struct Reservoir {
    most: u64,
    seen: u64,
    random: Random,
    /// Rows with their numbers, each a batch of its own, which keeps no other row in memory.
    kept: Vec<(u64, Batch)>,
}

impl Reservoir {
    fn push(&mut self, batch: &Batch) -> Result<()> {
        // Which row of the batch each of the kept ones is to be.
        let mut entering = BTreeMap::new();
        let before = self.kept.len();
        let mut kept = before as u64;
        for row in 0..batch.num_rows() {
            self.seen = self.seen.saturating_add(1);
            let slot = if kept < self.most {
                kept += 1;
                kept - 1
            } else {
                self.random.below(self.seen)
            };
            if slot < self.most {
                entering.insert(slot, row);
            }
        }
        let first = self.seen.saturating_sub(batch.num_rows() as u64);
        for (slot, row) in entering {
            let number = first.saturating_add(row as u64);
            let row = (number, self::row(batch, row)?);
            match usize::try_from(slot).ok().and_then(|slot| self.kept.get_mut(slot)) {
                Some(kept) => *kept = row,
                None => self.kept.push(row),
            }
        }
        Ok(())
    }

    /// Returns the rows in their order.
    fn finish(mut self, batch_rows: usize) -> Result<VecDeque<Batch>> {
        self.kept.sort_by_key(|(number, _)| *number);
        let mut batches = VecDeque::new();
        for rows in self.kept.chunks(batch_rows.max(1)) {
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
fn row(batch: &Batch, row: usize) -> Result<Batch> {
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
    use super::{Random, draw};

    #[test]
    fn every_number_is_drawn_as_often() {
        let mut counts = [0u32; 10];
        let mut random = Random::new(1);
        for _ in 0..10_000 {
            let drawn = draw(10, 3, &mut random);
            assert_eq!(drawn.len(), 3);
            drawn.into_iter().for_each(|number| counts[usize::try_from(number).expect("small")] += 1);
        }
        // 3,000 each; the standard deviation is 46.
        assert!(counts.iter().all(|count| (2_770..=3_230).contains(count)), "{counts:?}");
    }

    #[test]
    fn no_more_than_there_are() {
        let mut random = Random::new(1);
        assert!(draw(4, 9, &mut random).into_iter().eq(0..4));
        assert!(draw(0, 9, &mut random).is_empty() && draw(9, 0, &mut random).is_empty());
    }
}
