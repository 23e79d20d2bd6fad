//! Reader of containers straight into Arrow batches, on the calling thread.

mod cursor;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use serde_core::de::DeserializeOwned;
use tfxio_core::BatchReader;

use crate::container::ContainerReader;
use crate::plan::AvroDecoder;
use crate::program::KeyOptions;
use crate::record::{RecordOptions, RecordPlan};
use crate::{AvroSchema, AvroValues, Error, Key, KeyProgram, Result};

pub use cursor::BlockCursor;

const BATCH_ROWS: usize = 1024;

/// An object container, as columns: what key expressions name, or its whole records.
///
/// ```
/// use avro_path::Reader;
/// use avro_path::container::ContainerWriter;
/// use avro_path::datum::write;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("people.avro");
/// # let schema = avro_path::AvroSchema::parse(
/// #     r#"{"type": "record", "name": "person", "fields": [{"name": "name", "type": "string"}]}"#,
/// # )?;
/// # let mut writer = ContainerWriter::builder(&path, &schema).create()?;
/// # writer.write_with(|out| Ok(write::string(out, "Ada")))?;
/// # writer.finish()?;
///
/// for batch in Reader::open(&path)?.keys(["name"])? {
///     assert_eq!(batch?.num_rows(), 1);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`ContainerReader`] has the blocks instead, with limits, splits and threads.
#[derive(Debug)]
pub struct Reader<R = File> {
    container: ContainerReader<R>,
    batch_rows: usize,
}

impl Reader {
    /// Opens a file with the default limits.
    ///
    /// # Errors
    /// When the file cannot be opened or its header is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(ContainerReader::open(path)?.into())
    }
}

impl<R> From<ContainerReader<R>> for Reader<R> {
    fn from(container: ContainerReader<R>) -> Self {
        Self { container, batch_rows: BATCH_ROWS }
    }
}

impl<R: Read> Reader<R> {
    /// Sets the number of rows of a batch, of which the last one may have fewer. Default 1024; 0 is taken as 1.
    #[must_use]
    pub fn batch_rows(mut self, rows: usize) -> Self {
        self.batch_rows = rows.max(1);
        self
    }

    /// Returns the schema that the data were written with.
    #[must_use]
    pub fn schema(&self) -> &AvroSchema {
        self.container.header().schema()
    }

    /// Reads one column for each key expression, with the key's text as its name.
    ///
    /// # Errors
    /// Of kind [`KeySyntax`](crate::Kind::KeySyntax) when a key cannot be parsed, and as [`KeyProgram::new`].
    pub fn keys<S: AsRef<str>>(self, keys: impl IntoIterator<Item = S>) -> Result<AvroBatches<R>> {
        self.keys_with(keys, KeyOptions::default())
    }

    /// Reads as [`keys`](Self::keys), with options for the layout of the columns.
    ///
    /// # Errors
    /// As [`keys`](Self::keys).
    pub fn keys_with<S: AsRef<str>>(
        self,
        keys: impl IntoIterator<Item = S>,
        options: KeyOptions,
    ) -> Result<AvroBatches<R>> {
        let keys = keys.into_iter().map(|key| Key::parse(key.as_ref())).collect::<Result<Vec<_>>>();
        let program = keys.and_then(|keys| {
            let columns = keys.iter().map(|key| (key.text(), key));
            KeyProgram::builder(self.schema(), columns).options(options).build()
        });
        self.decode(program.map(|program| program.decoder()))
    }

    /// Reads the records as values of a type of serde, such as structs.
    ///
    /// ```
    /// use avro_path::container::{ContainerReader, ContainerWriter};
    /// use avro_path::{AvroSchema, Reader};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Debug, PartialEq, Deserialize, Serialize)]
    /// struct Click {
    ///     user: i64,
    ///     page: Option<String>,
    /// }
    ///
    /// let schema = AvroSchema::parse(
    ///     r#"{"type": "record", "name": "click", "fields": [
    ///         {"name": "user", "type": "long"}, {"name": "page", "type": ["null", "string"]}]}"#,
    /// )?;
    /// let click = Click { user: 7, page: None };
    /// let mut writer = ContainerWriter::builder(Vec::new(), &schema).build()?;
    /// writer.write_value(&click)?;
    /// let file = writer.finish()?;
    ///
    /// let read = Reader::from(ContainerReader::new(&file[..])?).values::<Click>().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(read, [click]);
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    ///
    /// # Errors
    /// Of the iterator: that reading fails, and as [`from_datum`](crate::datum::from_datum), with the file and the record.
    #[must_use]
    pub fn values<T: DeserializeOwned>(self) -> AvroValues<R, T> {
        AvroValues::new(self.container)
    }

    /// Reads whole records: one column for each field, or for each field that the options choose.
    ///
    /// # Errors
    /// As [`RecordPlanBuilder::build`](crate::record::RecordPlanBuilder::build).
    pub fn records(self, options: &RecordOptions) -> Result<AvroBatches<R>> {
        let plan = RecordPlan::builder(self.schema()).options(options.clone()).build();
        self.decode(plan.map(|plan| plan.decoder()))
    }

    /// Decodes with the limits of the container, or names the file in an error.
    fn decode(self, decoder: Result<AvroDecoder>) -> Result<AvroBatches<R>> {
        let Self { container, batch_rows } = self;
        let decoder =
            decoder.map_err(|error| error.in_file_if_known(container.name()))?.limits(container.limits());
        Ok(AvroBatches {
            container,
            decoder,
            batch_rows,
            block: BlockCursor::default(),
            state: State::Reading,
        })
    }
}

/// The batches of a [`Reader`], which have fewer rows where more would not be within the limits. Rows before an error come first, as a
/// batch of their own; nothing comes after it.
pub struct AvroBatches<R> {
    container: ContainerReader<R>,
    decoder: AvroDecoder,
    batch_rows: usize,
    /// Decoded part of the block that was lent last.
    block: BlockCursor,
    state: State,
}

enum State {
    Reading,
    Failed(Error),
    Ended,
}

impl<R> AvroBatches<R> {
    /// Returns the schema of the batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.decoder.arrow_schema()
    }
}

impl<R: Read> AvroBatches<R> {
    /// Returns the batches as a [`RecordBatchReader`](arrow_array::RecordBatchReader) of Arrow.
    #[must_use]
    pub fn into_record_batch_reader(self) -> BatchReader<Self> {
        BatchReader::new(self.schema(), self)
    }
}

impl<R: Read> AvroBatches<R> {
    /// Decodes until the decoder has the rows of a batch. Returns whether there may be more.
    fn fill(&mut self) -> Result<bool> {
        let Self { container, decoder, batch_rows, block: cursor, .. } = self;
        while decoder.rows() < *batch_rows {
            if let Some(block) = container.last_block()
                && !cursor.decode(&block, decoder, *batch_rows)?
            {
                continue;
            }
            *cursor = BlockCursor::default();
            if container.next_block()?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl<R: Read> Iterator for AvroBatches<R> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Reading => {}
            State::Failed(error) => return Some(Err(error)),
            State::Ended => return None,
        }
        match self.fill() {
            Ok(true) => self.state = State::Reading,
            Ok(false) => {}
            Err(error) if self.decoder.rows() == 0 => return Some(Err(error)),
            // The record is the first of the next batch.
            Err(_) if self.decoder.is_full() => self.state = State::Reading,
            Err(error) => self.state = State::Failed(error),
        }
        (self.decoder.rows() > 0).then(|| self.decoder.flush())
    }
}

impl<R> fmt::Debug for AvroBatches<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroBatches").field("schema", &self.schema()).finish_non_exhaustive()
    }
}
