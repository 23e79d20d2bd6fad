//! Drawing of random rows: the rows of the lowest ranks.
//!
//! The rank of a row is a random number that depends on the seed, on the file and on the number of its record there, and on
//! nothing else. So a row that is drawn is drawn, too, where a filter leaves it among fewer, and it does not matter whether the
//! rows come from a file, through a pipe, or by their numbers.

use std::sync::Arc;

use tfxio_core::random::Stream;
use tfxio_core::{Batch, Dataset, Result};

/// Ranks of the records of one partition: numbers of a stream, each by its index.
#[derive(Clone, Copy, Debug)]
pub struct Ranks(u64);

impl Ranks {
    /// Returns the ranks of the records of a partition, by its index among all.
    pub const fn new(seed: u64, partition: u64) -> Self {
        Self(number(seed, partition))
    }

    /// Returns the rank of a record by its number in the partition.
    pub const fn of(self, record: u64) -> u64 {
        number(self.0, record)
    }
}

/// Returns a number of a seed.
const fn number(seed: u64, index: u64) -> u64 {
    Stream { key: seed, counter: index }.next_u64()
}

/// Ranks of the rows of batches, as they come one after the other.
#[derive(Clone, Debug)]
pub struct RowRanks {
    seed: u64,
    /// Files of the partitions.
    files: Arc<[Arc<str>]>,
    /// Index of the partition that the last row was of, and the number of its record.
    last: Option<(usize, u64)>,
    /// Rows of which it is not known which records they were: they have the ranks of records of another partition.
    unknown: u64,
}

impl RowRanks {
    /// Returns the ranks of the rows of a data set.
    ///
    /// # Errors
    /// When its partitions cannot be planned.
    pub fn new(dataset: &Arc<dyn Dataset>, seed: u64) -> Result<Self> {
        let partitions = dataset.partitions(u64::MAX)?;
        let files = partitions.into_iter().map(|partition| partition.file).collect();
        Ok(Self { seed, files, last: None, unknown: 0 })
    }

    /// Returns the ranks of the rows of the next batch.
    pub fn next(&mut self, batch: &Batch) -> Vec<u64> {
        let mut ranks = Vec::with_capacity(batch.num_rows());
        for (row, origin, rows) in batch.origins().runs() {
            self.unknown(row, &mut ranks);
            let partition = self.partition(&origin.file, origin.record);
            let of = Ranks::new(self.seed, partition as u64);
            let end = origin.record.saturating_add(rows as u64);
            ranks.extend((origin.record..end).map(|record| of.of(record)));
            self.last = Some((partition, end.saturating_sub(1)));
        }
        self.unknown(batch.num_rows(), &mut ranks);
        ranks
    }

    /// Appends the ranks of the rows up to `end`, of which nothing is known.
    fn unknown(&mut self, end: usize, ranks: &mut Vec<u64>) {
        let of = Ranks::new(self.seed, u64::MAX);
        while ranks.len() < end {
            ranks.push(of.of(self.unknown));
            self.unknown += 1;
        }
    }

    /// Returns the index of the partition of a record. A file that is named twice is read again from a record that it has
    /// given.
    fn partition(&self, file: &Arc<str>, record: u64) -> usize {
        let is_of =
            |index: &usize| self.files.get(*index).is_some_and(|of| Arc::ptr_eq(of, file) || of == file);
        let first = match self.last {
            Some((index, last)) if last < record => index,
            Some((index, _)) => index.saturating_add(1),
            None => 0,
        };
        let next = (first..self.files.len()).find(is_of);
        next.or_else(|| (0..self.files.len()).find(is_of)).unwrap_or(self.files.len())
    }
}

/// Finds the lowest of many ranks, in the memory of twice as many as are wanted.
#[derive(Debug)]
pub struct Lowest {
    most: usize,
    ranks: Vec<u64>,
    /// Greater ones are not among the lowest.
    bound: u64,
}

impl Lowest {
    /// Returns a finder of this many ranks.
    #[must_use]
    pub fn new(most: u64) -> Self {
        Self { most: usize::try_from(most).unwrap_or(usize::MAX), ranks: Vec::new(), bound: u64::MAX }
    }

    /// Adds a rank.
    pub fn push(&mut self, rank: u64) {
        if rank > self.bound {
            return;
        }
        self.ranks.push(rank);
        if self.ranks.len() >= self.most.saturating_mul(2).max(1024) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.ranks.len() <= self.most {
            return;
        }
        self.bound = match self.most.checked_sub(1) {
            Some(last) => *self.ranks.select_nth_unstable(last).1,
            None => 0,
        };
        self.ranks.truncate(self.most);
    }

    /// Returns the test of whether a rank is among the lowest.
    pub fn finish(mut self) -> Drawn {
        self.cut();
        if self.ranks.len() < self.most {
            return Drawn { bound: u64::MAX, at_bound: u64::MAX };
        }
        let bound = self.ranks.iter().copied().max().unwrap_or(0);
        Drawn { bound, at_bound: self.ranks.iter().filter(|rank| **rank == bound).count() as u64 }
    }
}

/// Tells the ranks that are among the lowest.
#[derive(Clone, Debug)]
pub struct Drawn {
    bound: u64,
    /// Number of rows of exactly this rank that are still to be drawn.
    at_bound: u64,
}

impl Drawn {
    /// Returns whether the row of this rank is drawn. Asked once for each, in their order.
    pub fn takes(&mut self, rank: u64) -> bool {
        let is_bound = rank == self.bound && self.at_bound > 0;
        self.at_bound -= u64::from(is_bound);
        rank < self.bound || is_bound
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Lowest, Ranks, RowRanks};

    /// Returns which of some ranks are drawn.
    fn drawn(most: u64, ranks: &[u64]) -> Vec<usize> {
        let mut lowest = Lowest::new(most);
        ranks.iter().for_each(|rank| lowest.push(*rank));
        let mut drawn = lowest.finish();
        (0..ranks.len()).filter(|at| drawn.takes(ranks[*at])).collect()
    }

    #[test]
    fn as_many_as_are_wanted_are_drawn() {
        assert_eq!(drawn(2, &[5, 1, 3, 2]), [1, 3]);
        // The first ones of a rank.
        assert_eq!(drawn(3, &[7, 7, 0, 7, 9, 7]), [0, 1, 2]);
        assert_eq!(drawn(2, &[u64::MAX; 3]), [0, 1]);
        assert_eq!(drawn(9, &[4, u64::MAX]), [0, 1]);
        assert_eq!(drawn(2, &[4, u64::MAX]), [0, 1]);
        assert!(drawn(0, &[0, 4]).is_empty() && drawn(3, &[]).is_empty());
        let ranks = (0..100_000).map(|record| Ranks::new(1, 0).of(record)).collect::<Vec<_>>();
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        for most in [1, 10, 1000, 1023, 1024, 50_000, 99_999] {
            let found = drawn(most, &ranks);
            assert_eq!(found.len() as u64, most);
            assert!(found.iter().all(|at| ranks[*at] <= sorted[most as usize - 1]), "{most}");
        }
    }

    #[test]
    fn every_row_is_drawn_as_often() {
        let mut counts = [0u32; 10];
        for seed in 0..10_000 {
            let ranks = (0..10).map(|row| Ranks::new(seed, row / 4).of(row % 4)).collect::<Vec<_>>();
            drawn(3, &ranks).into_iter().for_each(|row| counts[row] += 1);
        }
        // 3,000 each; the standard deviation is 46.
        assert!(counts.iter().all(|count| (2_770..=3_230).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_file_that_is_named_twice_has_other_ranks_again() {
        let file = |name: &str| Arc::<str>::from(name);
        let files = [file("a"), file("a"), file("b"), file("a")];
        let mut ranks = RowRanks { seed: 1, files: files.into(), last: None, unknown: 0 };
        let mut partitions = Vec::new();
        for (name, record) in [("a", 2), ("a", 7), ("a", 2), ("a", 7), ("b", 0), ("b", 9), ("a", 2), ("a", 3)]
        {
            let partition = ranks.partition(&file(name), record);
            ranks.last = Some((partition, record));
            partitions.push(partition);
        }
        assert_eq!(partitions, [0, 0, 1, 1, 2, 2, 3, 3]);
    }
}
