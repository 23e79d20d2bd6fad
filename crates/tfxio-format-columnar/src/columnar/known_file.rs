//! Facts in the footer of a file.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use tfxio_core::{Cancel, Partition, Result};

use super::Footer;
use super::dataset::Inner;

/// A file whose footer was read.
pub(super) struct KnownFile {
    pub(super) name: Arc<str>,
    pub(super) size: u64,
    pub(super) footer: Arc<dyn Footer>,
    /// Offset of each group. They rise, even if the offsets in the footer do not, so that each group is of one partition.
    starts: Vec<u64>,
    /// Number of the first row of each group, and of all rows.
    first_rows: OnceLock<Vec<u64>>,
}

impl KnownFile {
    pub(super) fn new(name: &Arc<str>, size: u64, footer: Arc<dyn Footer>) -> Self {
        let mut starts: Vec<u64> = Vec::with_capacity(footer.groups().len());
        for group in footer.groups() {
            let least = starts.last().map_or(0, |last| last.saturating_add(1));
            starts.push(group.start.max(least));
        }
        let known = Self { name: Arc::clone(name), size, footer, starts, first_rows: OnceLock::new() };
        let rows = known.footer.groups().iter().map(|group| group.rows).collect::<Option<Vec<_>>>();
        if let Some(rows) = rows {
            known.first_rows.get_or_init(|| sums(&rows));
        }
        known
    }

    /// Returns the groups of a partition.
    pub(super) fn groups(&self, partition: &Partition) -> Range<usize> {
        let index = |offset| self.starts.partition_point(|start| *start < offset);
        let start = index(partition.start);
        start..index(partition.end).max(start)
    }

    /// Returns the offset of a group; of the one after the last, one that no group has.
    pub(super) fn start(&self, group: usize) -> u64 {
        self.starts.get(group).copied().unwrap_or(u64::MAX)
    }

    /// Returns the number of the first row of each group, and of all rows, if they are known.
    pub(super) fn known_first_rows(&self) -> Option<&[u64]> {
        self.first_rows.get().map(Vec::as_slice)
    }

    /// Returns the same; reads the heads of groups where the footer does not contain their numbers of rows.
    pub(super) fn first_rows(&self, data: &Inner, cancel: &Cancel) -> Result<&[u64]> {
        if let Some(known) = self.known_first_rows() {
            return Ok(known);
        }
        let mut input = data.input(&self.name, 0, 0, cancel)?;
        let rows = || {
            let groups = 0..self.starts.len();
            groups.map(|group| self.footer.rows(group, &mut *input)).collect::<Result<Vec<_>, _>>()
        };
        let rows = data.format.guarded(&self.name, rows)?;
        Ok(self.first_rows.get_or_init(|| sums(&rows)))
    }

    /// Returns whether rows are all of a group.
    pub(super) fn is_whole(&self, group: usize, rows: &Range<u64>) -> bool {
        let of_group = self.footer.groups().get(group).and_then(|group| group.rows);
        of_group.is_some_and(|count| *rows == (0..count))
    }

    /// Returns the number of rows of the groups of a partition, and of the partition.
    pub(super) fn rows(&self, partition: &Partition, data: &Inner, cancel: &Cancel) -> Result<(u64, u64)> {
        let groups = self.groups(partition);
        let first_rows = self.first_rows(data, cancel)?;
        let row = |group: usize| first_rows.get(group).copied().unwrap_or_default();
        let of_groups = row(groups.end).saturating_sub(row(groups.start));
        let rows = of_groups.saturating_sub(partition.skip);
        Ok((of_groups, partition.records.map_or(rows, |records| rows.min(records))))
    }

    /// Appends partitions of about `target` bytes.
    pub(super) fn cut(&self, target: u64, partitions: &mut Vec<Partition>) {
        let (mut from, mut first) = (0, 0);
        for (group, start) in self.starts.iter().enumerate().skip(1) {
            let next = self.starts.get(group + 1).copied().unwrap_or(self.size);
            // The group no longer fits.
            if next.saturating_sub(from) > target {
                partitions.push(self.partition(first, from, *start));
                (from, first) = (*start, group);
            }
        }
        partitions.push(self.partition(first, from, u64::MAX));
    }

    /// Returns the partition from a group on.
    pub(super) fn partition(&self, group: usize, start: u64, end: u64) -> Partition {
        let partition = Partition::range(Arc::clone(&self.name), start, end);
        let first_row = self.known_first_rows().and_then(|rows| rows.get(group)).copied();
        match first_row.or((group == 0).then_some(0)) {
            Some(row) => partition.first_record(row),
            None => partition,
        }
    }
}

/// Returns the sums of the first numbers, from none of them to all.
fn sums(numbers: &[u64]) -> Vec<u64> {
    let sums = numbers.iter().scan(0u64, |sum, number| {
        *sum = sum.saturating_add(*number);
        Some(*sum)
    });
    std::iter::once(0).chain(sums).collect()
}
