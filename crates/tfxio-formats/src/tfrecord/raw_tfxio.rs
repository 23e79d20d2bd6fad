//! Raw records on TFRecord.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{BoxedBatchReader, Error, ErrorKind, ReadOptions, Split, TfxIo};

use super::queue::Queue;
use super::{RawRecordDecoder, RecordOptions, batches, files, raw};

/// A data set of TFRecord files whose records are not decoded: one column, `LargeList<LargeBinary>`, with one byte
/// string a row.
///
/// ```
/// use tfxio_formats::{RawRecordTfxIo, ReadOptions, Split, TfxIo};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/tfrecord/six-records.tfrecord.gz");
///
/// let dataset = RawRecordTfxIo::new([file])?;
/// assert_eq!(dataset.arrow_schema()?.field(0).name(), "raw_record");
/// let mut rows = 0;
/// for split in dataset.splits(1 << 20)? {
///     for batch in dataset.read(&split, &ReadOptions::default())? {
///         rows += batch?.num_rows();
///     }
/// }
/// assert_eq!(rows, 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RawRecordTfxIo {
    files: Arc<[Arc<str>]>,
    column: Arc<str>,
    options: RecordOptions,
}

impl RawRecordTfxIo {
    /// The name of the column if no other is given.
    pub const DEFAULT_COLUMN: &'static str = "raw_record";

    /// A data set of the files that the patterns name; see [`tfrecord_io::shards`] for the patterns.
    ///
    /// # Errors
    /// `Io` when a file or a shard is missing; `InvalidArgument` for a pattern that cannot be read, or none.
    pub fn new<P: Into<Arc<str>>>(patterns: impl IntoIterator<Item = P>) -> Result<Self, Error> {
        Self::open(patterns, RecordOptions::default())
    }

    /// As [`new`](Self::new), with options, which are there when the files are looked for: URLs may lead to the stores of
    /// the options.
    ///
    /// # Errors
    /// As [`new`](Self::new), and `Unsupported` for a URL that this build does not know.
    pub fn open<P: Into<Arc<str>>>(
        patterns: impl IntoIterator<Item = P>,
        options: RecordOptions,
    ) -> Result<Self, Error> {
        let patterns = patterns.into_iter().map(Into::into).collect::<Vec<_>>();
        let files = files::expand(&patterns, &options)?.into();
        Ok(Self { files, column: Self::DEFAULT_COLUMN.into(), options })
    }

    /// Names the column. Default: `raw_record`.
    #[must_use]
    pub fn with_column(mut self, name: impl Into<Arc<str>>) -> Self {
        self.column = name.into();
        self
    }

    /// Sets how the files are read. They were found before: [`open`](Self::open) finds them in stores of your own.
    #[must_use]
    pub fn with_record_options(mut self, options: RecordOptions) -> Self {
        self.options = options;
        self
    }

    /// The files, in order.
    #[must_use]
    pub fn files(&self) -> &[Arc<str>] {
        &self.files
    }

    /// Reads all files, one after the other. Batches may hold records of several files.
    ///
    /// # Errors
    /// As [`TfxIo::read`].
    pub fn read_all(&self, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        self.read_splits(self.files.iter().map(|file| Split::whole(Arc::clone(file))), options)
    }

    fn read_splits(
        &self,
        splits: impl IntoIterator<Item = Split>,
        options: &ReadOptions,
    ) -> Result<BoxedBatchReader, Error> {
        if let Some(projection) = &options.projection {
            if let Some(unknown) = projection.iter().find(|name| **name != self.column) {
                let message = format!(
                    "there is no column {unknown:?}; the only column of raw records is {:?}",
                    self.column
                );
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
            if projection.len() != 1 {
                let message = format!("the projection must name the column {:?} once", self.column);
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
        }
        let queue = Queue::for_pool(splits, &self.options)?;
        let (column, limits) = (Arc::clone(&self.column), self.options.limits);
        let decoders = move || Ok(RawRecordDecoder::new(&column).with_limits(limits));
        batches::reader(queue, raw::schema(&self.column), options.batch_size, decoders)
    }
}

impl TfxIo for RawRecordTfxIo {
    fn arrow_schema(&self) -> Result<SchemaRef, Error> {
        Ok(raw::schema(&self.column))
    }

    fn splits(&self, target_bytes: u64) -> Result<Vec<Split>, Error> {
        files::splits(&self.files, &self.options, target_bytes)
    }

    fn read(&self, split: &Split, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        self.read_splits([split.clone()], options)
    }
}
