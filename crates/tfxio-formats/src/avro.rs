//! Avro object containers as record batches.
//!
//! Behind the seam, [`mod@format`] is the format and [`dataset`] what it opens; [`scan`] reads a part of a file, by [`serial`] or
//! [`threaded`], and [`take`] chosen records; [`known`] keeps where blocks are,
//! [`sink`] writes, [`mod@copy`] copies records as they are, and [`salvage`] looks into files and repairs them.
//!
//! [`open`] opens files and parts of them, [`columns`] says what is asked for, [`decoder`] makes rows of blocks and [`pieces`]
//! batches of rows; [`reader`] does so on one thread, [`threads`] on several.

mod blocks;
mod builder;
mod columns;
pub(crate) mod copy;
mod cursor;
mod dataset;
mod decoder;
mod describe;
mod format;
mod known;
mod open;
mod pieces;
mod reader;
mod salvage;
mod scan;
mod serial;
mod settings;
mod sink;
#[cfg(feature = "tensors")]
mod specs;
mod take;
mod threaded;
mod threads;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_schema::SchemaRef;
use avro_path::Schema;
use avro_path::container;
use tfxio_core::{BoxedBatchReader, Error, ReadOptions, Split, TfxIo};

pub use self::builder::AvroTfxIoBuilder;
use self::columns::Columns;
use self::decoder::Program;
pub use self::format::AvroFormat;
use self::open::Splits;
use self::reader::BatchReader;
use self::threads::ThreadedReader;
use crate::tfrecord::{InputFile, RecordOptions, files};

/// A data set of Avro files: a column for each field of the records, or for each of some
/// [key expressions](avro_path::key).
///
/// ```
/// use tfxio_formats::{AvroTfxIo, ReadOptions, TfxIo};
/// # let people = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/avro/people.avro");
///
/// let dataset = AvroTfxIo::builder([people]).keys(["name.first", "friends[*].age"]).build()?;
/// assert_eq!(dataset.arrow_schema()?.field(1).name(), "friends[*].age");
/// let mut rows = 0;
/// for split in dataset.splits(64 << 20)? {
///     for batch in dataset.read(&split, &ReadOptions::default())? {
///         rows += batch?.num_rows();
///     }
/// }
/// assert_eq!(rows, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// All files are read with one schema, that of the first unless another is given. Files can be cut into splits at any
/// byte, whatever their codec. With [several threads](RecordOptions::with_threads), blocks are decompressed and decoded
/// side by side; the batches are the same. [Damage can be skipped](RecordOptions::with_on_error), by one thread: records that
/// cannot be decoded are left out and reported, those of a block that is not compressed one by one, of a compressed one as
/// one range.
#[derive(Clone)]
pub struct AvroTfxIo {
    files: Arc<[Arc<str>]>,
    schema: Schema,
    columns: Columns,
    program: Program,
    options: RecordOptions,
}

impl AvroTfxIo {
    /// A builder for the files that the patterns name; see [`tfrecord_io::shards`] for the patterns.
    pub fn builder<P: Into<Arc<str>>>(patterns: impl IntoIterator<Item = P>) -> AvroTfxIoBuilder {
        AvroTfxIoBuilder::new(patterns.into_iter().map(Into::into).collect())
    }

    /// The files, in order.
    #[must_use]
    pub fn files(&self) -> &[Arc<str>] {
        &self.files
    }

    /// The schema with which all files are read.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Size of all files in bytes, as they are stored; 0 for one whose size cannot be known.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        files::size_of_all(&self.files, &self.options)
    }

    /// Reads all files, one after the other. Batches may hold records of several files.
    ///
    /// # Errors
    /// As [`TfxIo::read`].
    pub fn read_all(&self, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        self.read_all_counted(options).map(|(reader, _)| reader)
    }

    /// As [`read_all`](Self::read_all), with a counter of the bytes that were read from the files.
    pub(crate) fn read_all_counted(
        &self,
        options: &ReadOptions,
    ) -> Result<(BoxedBatchReader, Arc<AtomicU64>), Error> {
        self.read_splits(self.whole(), options)
    }

    fn whole(&self) -> Vec<Split> {
        self.files.iter().map(|file| Split::whole(Arc::clone(file))).collect()
    }

    fn read_splits(
        &self,
        splits: Vec<Split>,
        options: &ReadOptions,
    ) -> Result<(BoxedBatchReader, Arc<AtomicU64>), Error> {
        let splits = Splits::new(splits, &self.schema, &self.options);
        let read = splits.bytes_read();
        Ok((self.start(splits, options)?, read))
    }

    fn start(&self, splits: Splits, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        let projected;
        let program = match &options.projection {
            None => &self.program,
            Some(names) => {
                projected = self.columns.project(names)?.compile(&self.schema)?;
                &projected
            }
        };
        let (threads, rows) = (self.options.threading.threads, options.batch_size);
        // Which records are skipped shows block by block.
        Ok(if threads > 1 && self.options.skip().is_none() {
            Box::new(ThreadedReader::start(splits, program, rows)?)
        } else {
            Box::new(BatchReader::start(splits, program, rows)?)
        })
    }
}

impl TfxIo for AvroTfxIo {
    fn arrow_schema(&self) -> Result<SchemaRef, Error> {
        Ok(self.program.arrow_schema())
    }

    /// Cuts files of any codec, without reading them.
    fn splits(&self, target_bytes: u64) -> Result<Vec<Split>, Error> {
        let mut splits = Vec::new();
        for file in self.files.iter() {
            let bytes = InputFile::open(file, &self.options)?.size();
            splits.extend(container::splits(Arc::clone(file), bytes, target_bytes));
        }
        Ok(splits)
    }

    fn read(&self, split: &Split, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        self.read_splits(vec![split.clone()], options).map(|(reader, _)| reader)
    }
}

impl fmt::Debug for AvroTfxIo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroTfxIo")
            .field("files", &self.files)
            .field("columns", &self.columns)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
