//! The records of partitions, one partition after the other.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use tfxio_core::{Partition, Result, ScanCounts};

use super::chunk::Chunk;
use super::data::Data;
use super::partition_reader::{PartitionReader, ReadOptions};

/// Reads the records of partitions in order.
pub(super) struct Records {
    data: Arc<Data>,
    options: ReadOptions,
    partitions: VecDeque<Partition>,
    open: Option<PartitionReader>,
    /// Number of records that are still wanted.
    left: u64,
    /// The partition before, whose reader may be used again.
    before: Option<PartitionReader>,
    /// Counts of the partitions that were read before.
    counts: ScanCounts,
    /// Keeps what the store reads ahead of the files that are opened next.
    _ahead: Option<Box<dyn Send>>,
}

impl Records {
    pub(super) fn new(
        data: Arc<Data>,
        options: ReadOptions,
        partitions: impl IntoIterator<Item = Partition>,
        limit: u64,
    ) -> Self {
        let partitions: VecDeque<Partition> = partitions.into_iter().collect();
        // Where all records are wanted, all files are opened.
        let is_ahead =
            limit == u64::MAX && partitions.len() > 1 && partitions.iter().all(Partition::is_whole);
        let file = |partition: &Partition| (Arc::clone(&partition.file), partition.start..partition.end);
        let ahead = is_ahead.then(|| data.files.store().will_open(partitions.iter().map(file).collect()));
        Self {
            data,
            options,
            partitions,
            open: None,
            left: limit,
            before: None,
            counts: ScanCounts::default(),
            _ahead: ahead,
        }
    }

    /// Opens the first partition, so that its errors come early.
    pub(super) fn open(&mut self) -> Result<()> {
        while self.open.is_none()
            && let Some(partition) = self.partitions.pop_front()
        {
            let before = self.before.take().filter(|before| before.goes_on_with(&partition));
            self.open = Some(match before {
                Some(before) => before.go_on(&self.data, partition, &self.options)?,
                None => {
                    let coming = self.coming(&partition);
                    PartitionReader::open(&self.data, partition, &self.options, &coming)?
                }
            });
        }
        Ok(())
    }

    /// Returns the ranges of this partition and of those after it that follow each other in one file; nothing where it is
    /// the only one.
    fn coming(&self, first: &Partition) -> Vec<Range<u64>> {
        let mut coming = Vec::new();
        let mut at = 0;
        for partition in std::iter::once(first).chain(&self.partitions) {
            if partition.file != first.file || partition.start < at || partition.end == u64::MAX {
                break;
            }
            at = partition.end;
            coming.push(partition.start..partition.end);
        }
        if coming.len() > 1 { coming } else { Vec::new() }
    }

    /// Fills `chunk` with the next records of one partition, at most `most`, and about `bytes` of them, and returns their
    /// number; 0 at the end.
    pub(super) fn read(&mut self, chunk: &mut Chunk, most: usize, bytes: usize) -> Result<usize> {
        let most = most.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if most == 0 && self.left == 0 {
            return Ok(0);
        }
        loop {
            self.options.cancel.check()?;
            self.open()?;
            let Some(open) = &mut self.open else { return Ok(0) };
            let count = open.read(chunk, most, bytes)?;
            if count > 0 {
                self.left = self.left.saturating_sub(count as u64);
                return Ok(count);
            }
            self.counts = self.counts();
            self.before = self.open.take();
            if self.partitions.is_empty() {
                self.before = None;
                return Ok(0);
            }
        }
    }

    /// Passes over records of the partition that is being read.
    pub(super) fn pass_over(&mut self, records: u64) -> bool {
        self.open.as_mut().map(|open| open.pass_over(records)).is_some()
    }

    /// Returns what was read.
    pub(super) fn counts(&self) -> ScanCounts {
        self.open.as_ref().map_or(self.counts, |open| self.counts.plus(open.counts()))
    }

    /// Returns the number of records of the open partition that were read, and whether its file is compressed.
    pub(super) fn progress(&mut self) -> Option<(u64, bool)> {
        self.open.as_mut().map(|open| (open.records_read(), open.is_compressed()))
    }
}
