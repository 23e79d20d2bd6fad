//! Planning of a range of rows: which records of which files it is.

use std::ops::Range;

use tfxio_core::{Dataset, Partition, Result, ScanRequest};

use super::Wanted;
use crate::views::numbered::Numbered;

/// A file that has rows of a range.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The whole file, as the data set below plans it.
    pub(super) partition: Partition,
    /// Records that are in the range; `None` where all are.
    pub(super) records: Option<Records>,
}

/// Records of a file that are in a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Records {
    /// Their numbers in the file.
    pub(super) numbers: Range<u64>,
    /// Whether the file has as many. The last one need not be counted, and may be one that can be read once only.
    pub(super) is_counted: bool,
}

/// Returns the files that have rows of a range.
pub(super) fn plan(dataset: &dyn Dataset, wanted: &Wanted) -> Result<Vec<Part>> {
    let files = dataset.partitions(u64::MAX)?;
    let request = ScanRequest::new();
    let (wanted, counts) = match wanted {
        Wanted::Rows(rows) => (rows.clone(), None),
        Wanted::Shard { index, count } => {
            let counts = files.iter().map(|file| dataset.count_rows(file, &request));
            let counts = counts.collect::<Result<Vec<_>>>()?;
            let all = counts.iter().fold(0u64, |all, rows| all.saturating_add(*rows));
            (border(all, *index, *count)..border(all, index.saturating_add(1), *count), Some(counts))
        }
    };
    let (mut parts, mut before, count_of_files) = (Vec::new(), 0u64, files.len());
    for (at, partition) in files.into_iter().enumerate() {
        let left = wanted.end.saturating_sub(before);
        if left == 0 {
            break;
        }
        // All rows of what comes after the first are in a range without an end.
        if wanted.end == u64::MAX && before >= wanted.start {
            parts.push(Part { partition, records: None });
            continue;
        }
        let is_last = at + 1 == count_of_files;
        let is_known = counts.is_some() || dataset.statistics(&partition)?.rows.exact().is_some();
        if is_last && !is_known && !dataset.leaves_out() {
            let first = partition.first_read().unwrap_or(0);
            let start = first.saturating_add(wanted.start.saturating_sub(before));
            let numbers = start..first.saturating_add(left);
            parts.push(Part { partition, records: Some(Records { numbers, is_counted: false }) });
            break;
        }
        let rows = match counts.as_ref().and_then(|counts| counts.get(at)) {
            Some(rows) => *rows,
            None => count(dataset, &partition, left)?,
        };
        let rows_of_file = wanted.start.saturating_sub(before).min(rows)..left.min(rows);
        before = before.saturating_add(rows);
        if rows_of_file.is_empty() {
            continue;
        }
        // What was counted up to the end of the range may have more rows.
        let is_whole = rows_of_file == (0..rows) && rows < left;
        let is_whole = is_whole || (counts.is_some() && rows_of_file == (0..rows));
        let records = match is_whole {
            true => None,
            false => {
                let numbers = records(dataset, &partition, rows_of_file)?;
                Some(Records { numbers, is_counted: true })
            }
        };
        parts.push(Part { partition, records });
    }
    Ok(parts)
}

/// Returns where a part begins of as many parts of equal size of some rows.
fn border(rows: u64, index: u64, count: u64) -> u64 {
    let border = u128::from(rows) * u128::from(index.min(count)) / u128::from(count.max(1));
    u64::try_from(border).unwrap_or(rows)
}

/// Counts the rows of a file, as far as some.
fn count(dataset: &dyn Dataset, partition: &Partition, most: u64) -> Result<u64> {
    if let Some(rows) = dataset.statistics(partition)?.rows.exact() {
        return Ok(rows.min(most));
    }
    if most == u64::MAX {
        return dataset.count_rows(partition, &ScanRequest::new());
    }
    let request = ScanRequest::new().counting().limit(most);
    let mut scan = dataset.scan(partition, &request)?;
    let mut rows = 0u64;
    while rows < most
        && let Some(batch) = scan.next_batch()?
    {
        rows = rows.saturating_add(batch.num_rows() as u64);
    }
    Ok(rows.min(most))
}

/// Returns the numbers of the records that some rows of a file are.
fn records(dataset: &dyn Dataset, partition: &Partition, rows: Range<u64>) -> Result<Range<u64>> {
    if !dataset.leaves_out() {
        let first = partition.first_read().unwrap_or(0);
        return Ok(first.saturating_add(rows.start)..first.saturating_add(rows.end));
    }
    let request = ScanRequest::new().counting().limit(rows.end);
    let mut scan = Numbered::new(dataset.scan(partition, &request)?, partition);
    let number = |at: u64, before: u64, batch: &tfxio_core::Batch| {
        let row = usize::try_from(at.checked_sub(before)?).ok()?;
        batch.origins().get(row).map(|origin| origin.record)
    };
    let (mut before, mut found) = (0u64, 0..0);
    while before < rows.end
        && let Some(batch) = scan.next_batch()?
    {
        if let Some(first) = number(rows.start, before, &batch) {
            found.start = first;
        }
        if let Some(last) = number(rows.end.saturating_sub(1), before, &batch) {
            found.end = last.saturating_add(1);
        }
        before = before.saturating_add(batch.num_rows() as u64);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::border;

    #[test]
    fn parts_of_rows_are_all_of_them_and_of_equal_size() {
        for (rows, count) in [(0, 3), (1, 3), (10, 3), (1797, 8), (u64::MAX, 7)] {
            let borders = (0..=count).map(|index| border(rows, index, count)).collect::<Vec<_>>();
            assert_eq!((borders.first(), borders.last()), (Some(&0), Some(&rows)));
            let sizes = borders.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
    }
}
