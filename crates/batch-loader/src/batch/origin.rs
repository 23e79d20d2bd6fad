//! Origins of a batch's examples.

use std::sync::Arc;

use super::Batch;
use crate::progress::ItemPosition;

/// Origin of an example of a batch. See [`Batch::origins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowOrigin<'a> {
    /// The row of the batch. Where examples are packed, a row comes once for each of them, in their order, and an example that is split
    /// comes once for each of its parts.
    pub row: usize,
    /// The number of the data set in its mixture, since the data sets may have files of the same names; 0 without a
    /// mixture.
    pub dataset: usize,
    /// The file, or the part of a source, as it was named.
    pub file: &'a Arc<str>,
    /// The number in its file of the record, or of the first record of a window. The first is 0.
    pub record: u64,
    /// Number of records that the example spans: 1, or the records of a window from its first to its last.
    pub records: u64,
    /// The step of the first record with which a window of steps begins; 0 for all other examples.
    pub step: u64,
}

/// Origins of the examples of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origins {
    pub(super) files: Arc<[Arc<str>]>,
    /// For each data set the number of files up to its end.
    pub(super) ends: Arc<[u32]>,
    pub(super) rows: Vec<ItemPosition>,
    /// Number of examples up to the end of each row, where they are packed.
    pub(super) row_ends: Vec<usize>,
    pub(super) epoch: u64,
}

impl Batch {
    /// Returns the epoch of the example that was read last, which outside of buckets by length is that of the last row. The
    /// first epoch is 0. Rows before it may be of the epoch before, as batches are not cut at epochs.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.origins.epoch
    }

    /// Returns where each row comes from, in their order.
    ///
    /// ```
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::LoaderConfig;
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
    /// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["image"]).targets(["label"]).base_dir(folder);
    /// let batch = builder.build()?.next_batch()?.expect("a batch");
    /// assert_eq!(batch.origins().len(), batch.len());
    /// for origin in batch.origins() {
    ///     println!("record {} of {}", origin.record, origin.file);
    /// }
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    pub fn origins(&self) -> impl ExactSizeIterator<Item = RowOrigin<'_>> + '_ {
        let ends = &self.origins.ends;
        let row_ends = &self.origins.row_ends;
        self.origins.rows.iter().enumerate().map(|(at, row)| RowOrigin {
            row: if row_ends.is_empty() { at } else { row_ends.partition_point(|end| *end <= at) },
            dataset: ends.partition_point(|end| *end <= row.part),
            file: self.origins.files.get(row.part as usize).unwrap_or(&self.roles.unnamed),
            record: row.record,
            records: row.records.into(),
            step: row.step.into(),
        })
    }

    /// Names the files of the rows, of data sets of which each ends with the number of a file.
    pub(crate) fn of_files(mut self, files: &Arc<[Arc<str>]>, ends: &Arc<[u32]>) -> Self {
        self.origins.files = Arc::clone(files);
        self.origins.ends = Arc::clone(ends);
        self
    }

    pub(crate) fn of_epoch(mut self, epoch: u64) -> Self {
        self.origins.epoch = epoch;
        self
    }
}
