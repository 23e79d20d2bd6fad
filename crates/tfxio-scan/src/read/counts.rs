//! Record counts of files.

use std::collections::HashSet;
use std::sync::Arc;

use tfxio_core::{Dataset, Estimate, Partition, RecordRun, Result, ScanRequest};

/// A file and the number of its records.
pub type Counted = (Arc<str>, u64);

/// Returns the files of a data set, each a partition of its own, such that its records can be taken by number; `None` where
/// files are cut or named twice.
pub(super) fn whole_files(dataset: &Arc<dyn Dataset>) -> Result<Option<Vec<Partition>>> {
    if dataset.leaves_out() {
        return Ok(None);
    }
    let partitions = dataset.partitions(u64::MAX)?;
    let mut files = HashSet::new();
    let is_whole = |partition: &Partition| {
        partition.is_whole()
            && (partition.skip, partition.records) == (0, None)
            && files.insert(Arc::clone(&partition.file))
    };
    Ok(partitions.iter().all(is_whole).then_some(partitions))
}

/// Returns the last files with their numbers of records, in their order: as many as together have at least `rows`. `None` where only
/// reading shows which rows there are: because of a filter, because damage is skipped, or because an input can be read once only.
pub(super) fn of_last_files(
    dataset: &Arc<dyn Dataset>,
    rows: u64,
    request: &ScanRequest,
) -> Result<Option<Vec<Counted>>> {
    if request.filter.is_some() || request.on_error.skip().is_some() {
        return Ok(None);
    }
    let Some(partitions) = whole_files(dataset)? else { return Ok(None) };
    let (mut counted, mut found) = (Vec::new(), 0u64);
    for partition in partitions.iter().rev() {
        if found >= rows {
            break;
        }
        let Some(records) = count(dataset, partition, request)? else { return Ok(None) };
        found = found.saturating_add(records);
        counted.push((Arc::clone(&partition.file), records));
    }
    counted.reverse();
    Ok(Some(counted))
}

/// Returns the number of rows of a data set: from indexes, footers or block headers where there are any, else by framing alone.
pub fn count_all(dataset: &Arc<dyn Dataset>) -> Result<u64> {
    let mut rows = 0u64;
    for partition in dataset.partitions(u64::MAX)? {
        rows = rows.saturating_add(dataset.count_rows(&partition, &ScanRequest::new())?);
    }
    Ok(rows)
}

/// Returns all files with their numbers of records, as [`of_last_files`] does.
pub fn counted_files(dataset: &Arc<dyn Dataset>) -> Result<Option<Vec<Counted>>> {
    of_last_files(dataset, u64::MAX, &ScanRequest::new())
}

/// Returns the number of records of a file that can be read twice.
pub(super) fn count(
    dataset: &Arc<dyn Dataset>,
    partition: &Partition,
    request: &ScanRequest,
) -> Result<Option<u64>> {
    // What is wrong with a file is said when it is read.
    let statistics = dataset.statistics(partition).unwrap_or_default();
    match (statistics.rows, statistics.bytes) {
        (Estimate::Exact(rows), _) => Ok(Some(rows)),
        (_, Estimate::Exact(_)) => dataset.count_rows(partition, request).map(Some),
        _ => Ok(None),
    }
}

/// Returns the runs of records that are numbered through the files, in ascending order.
pub(super) fn runs(files: &[Counted], numbers: impl IntoIterator<Item = u64>) -> Vec<RecordRun> {
    let mut runs: Vec<RecordRun> = Vec::new();
    let (mut files, mut before) = (files.iter().peekable(), 0u64);
    for number in numbers {
        while let Some((_, records)) = files.peek()
            && number - before >= *records
        {
            before += *records;
            files.next();
        }
        let Some((file, _)) = files.peek() else { break };
        let first = number - before;
        match runs.last_mut() {
            Some(run) if run.file == *file && run.first + run.records == first => run.records += 1,
            _ => runs.push(RecordRun::new(Arc::clone(file), first, 1)),
        }
    }
    runs
}

/// Returns the runs of records for runs of numbers through the files, in their order. Numbers past the end of the files belong to the last
/// file.
pub fn runs_of(files: &[Counted], numbers: &[(u64, u64)]) -> Vec<RecordRun> {
    let mut ends = Vec::with_capacity(files.len());
    let mut all = 0u64;
    for (_, records) in files {
        all = all.saturating_add(*records);
        ends.push(all);
    }
    let mut runs = Vec::with_capacity(numbers.len());
    for (first, records) in numbers {
        let (mut first, mut left) = (*first, *records);
        while left > 0 {
            let at = ends.partition_point(|end| *end <= first).min(files.len().saturating_sub(1));
            let Some(((file, records), end)) = files.get(at).zip(ends.get(at)) else { break };
            let within = first.saturating_sub(end.saturating_sub(*records));
            let here = if at + 1 == files.len() { left } else { left.min(end.saturating_sub(first)) };
            runs.push(RecordRun::new(Arc::clone(file), within, here));
            (first, left) = (first.saturating_add(here), left.saturating_sub(here));
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{runs, runs_of};

    #[test]
    fn runs_of_numbers_are_cut_where_files_end() {
        let files = [("a".into(), 3), ("b".into(), 0), ("c".into(), 4)];
        let text = |numbers: &[(u64, u64)]| {
            let runs = runs_of(&files, numbers);
            runs.iter().map(|run| format!("{}{}+{}", run.file, run.first, run.records)).collect::<Vec<_>>()
        };
        assert_eq!(text(&[(0, 7)]), ["a0+3", "c0+4"]);
        assert_eq!(text(&[(5, 1), (2, 2), (0, 1)]), ["c2+1", "a2+1", "c0+1", "a0+1"]);
        // Records that are not there are asked for of the last file, which says so.
        assert_eq!(text(&[(6, 3)]), ["c3+3"]);
        assert_eq!(text(&[(9, 1)]), ["c6+1"]);
        assert!(runs_of(&[], &[(0, 1)]).is_empty());
    }

    #[test]
    fn numbers_become_runs_of_files() {
        let files = [("a".into(), 3), ("b".into(), 0), ("c".into(), 4)];
        let text = |numbers: &[u64]| {
            let runs = runs(&files, numbers.iter().copied());
            runs.iter().map(|run| format!("{}{}+{}", run.file, run.first, run.records)).collect::<Vec<_>>()
        };
        assert_eq!(text(&[0, 1, 2, 3, 4, 6]), ["a0+3", "c0+2", "c3+1"]);
        assert_eq!(text(&[2, 5]), ["a2+1", "c2+1"]);
        assert_eq!(text(&[]), [""; 0]);
        assert_eq!(text(&[6, 7]), ["c3+1"]);
    }
}
