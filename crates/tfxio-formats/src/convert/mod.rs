//! Conversion between TFRecord, Avro, Parquet and Arrow IPC files.
//!
//! | from | to | how |
//! | --- | --- | --- |
//! | TFRecord | TFRecord | the records are copied as they are, whatever they hold; only framing and compression are new |
//! | TFRecord of tf.Example or tf.SequenceExample | Parquet, Arrow | decoded; one schema for the whole output, inferred from all records unless told otherwise |
//! | Parquet, Arrow | TFRecord | each row encoded as a tf.Example, or as a tf.SequenceExample if there is a column of sequence features |
//! | Parquet, Arrow | Parquet, Arrow | batches are copied |
//! | Avro | Avro | the records are copied as they are; only the codec is new |
//! | Avro | others | decoded, a column a field or a key expression; as a tf.Example where a record has nothing else than its features can hold |
//! | others | Avro | each row encoded as a record, with a schema that is made from the columns |
//!
//! tf.Example and tf.SequenceExample hold int64, 32-bit floats and bytes. Integers of other widths and bools become int64 on
//! the way there, 16-bit floats 32-bit ones; a column of 64-bit floats or of unsigned 64-bit integers is an error, since its
//! values might not fit. [`Conversion::columns`] leaves columns out.
//!
//! *Absent* stays null and *present but empty* stays an empty list, so that a way there and back gives the same columns.
//! The output appears under its name when it is whole, in one step, and replaces what had the name before; after an
//! error nothing is left of it. Memory does not grow with the size of the files.
//!
//! Checksums of Parquet pages are compared where a file has them; those of TFRecord and Avro always are. A damaged Parquet or
//! Arrow file is an error, also where its reader would panic: the first such file that is read puts a panic hook before the
//! one of the program, which passes on all other panics.
//!
//! ```
//! use tfxio_formats::convert::Conversion;
//! # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-*.tfrecord");
//!
//! let folder = tempfile::tempdir()?;
//! let output = folder.path().join("digits.tfrecord.gz");
//! let summary = Conversion::new([digits], &output)?.run(|_| {})?;
//! assert_eq!(summary.records, 1797);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batches;
mod format;
mod input;
mod output;
mod records;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tfrecord_io::WriterBuilder;
use tfxio_core::{Error, ErrorKind, Position};

pub use self::format::{Format, ParquetCompression};
use crate::sequence::SEQUENCE_COLUMN;
use crate::tfrecord::{RecordOptions, files, url};
use crate::{Message, Sample};

/// How far a conversion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Bytes of the inputs that were read in this phase, before decompression.
    pub bytes_read: u64,
    /// Records or rows that were read in this phase.
    pub records: u64,
}

/// What a conversion is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Reading the inputs to infer their schema.
    Schema,
    /// Reading the inputs and writing the output.
    Records,
}

/// What a conversion did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Records or rows that were written.
    pub records: u64,
    /// Size of the inputs in bytes.
    pub bytes_in: u64,
    /// Size of the output in bytes; of all shards together.
    pub bytes_out: u64,
}

/// A conversion of some files into one, or into one set of shards.
#[derive(Clone, Debug)]
pub struct Conversion {
    inputs: Vec<Arc<str>>,
    from: Format,
    output: PathBuf,
    to: Format,
    columns: Option<Vec<Arc<str>>>,
    sample: Sample,
    batch_size: usize,
    parquet: ParquetCompression,
    writer: WriterBuilder,
    records: RecordOptions,
    message: Option<Message>,
    sequence_column: Arc<str>,
    #[cfg(feature = "avro")]
    keys: Option<Vec<Arc<str>>>,
    #[cfg(feature = "avro")]
    layout: Option<avro_path::record::RecordOptions>,
    #[cfg(feature = "avro")]
    avro_codec: avro_path::container::Codec,
    #[cfg(feature = "avro")]
    reader_schema: Option<avro_path::Schema>,
}

impl Conversion {
    /// A conversion of the files that patterns name into `output`, whose name says the format: `.tfrecord`,
    /// `.tfrecord.gz`, `.tfrecord.zlib`, `.parquet`, `.arrow` or `.avro`. `train@16.tfrecord` writes 16 shards, a record to each
    /// in turn. The format of the inputs is found out from their first bytes.
    ///
    /// # Errors
    /// `Io` when an input is missing; `InvalidArgument` when the name of the output says no format, or is that of an
    /// input, or the inputs are of several formats; `Unsupported` for a format that was left out of this build.
    pub fn new<P: Into<Arc<str>>>(
        inputs: impl IntoIterator<Item = P>,
        output: impl Into<PathBuf>,
    ) -> Result<Self, Error> {
        Self::open(inputs, output, RecordOptions::default())
    }

    /// As [`new`](Self::new), with the options of [`record_options`](Self::record_options), which are there when the inputs
    /// are looked for: URLs may lead to the stores of the options.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn open<P: Into<Arc<str>>>(
        inputs: impl IntoIterator<Item = P>,
        output: impl Into<PathBuf>,
        options: RecordOptions,
    ) -> Result<Self, Error> {
        let output = output.into();
        url::refuse_output(&output.to_string_lossy())?;
        let to = Format::of_name(&output)?;
        let patterns = inputs.into_iter().map(Into::into).collect::<Vec<_>>();
        let inputs = files::expand(&patterns, &options)?;
        let from = input::format(&inputs, &options)?;
        refuse_input(&inputs, &output)?;
        Ok(Self {
            inputs,
            from,
            writer: WriterBuilder::default().compression(format::compression(&output)),
            output,
            to,
            columns: None,
            sample: Sample::All,
            batch_size: 1024,
            parquet: ParquetCompression::default(),
            records: options,
            message: None,
            sequence_column: SEQUENCE_COLUMN.into(),
            #[cfg(feature = "avro")]
            keys: None,
            #[cfg(feature = "avro")]
            layout: None,
            #[cfg(feature = "avro")]
            avro_codec: avro_path::container::Codec::Deflate,
            #[cfg(feature = "avro")]
            reader_schema: None,
        })
    }

    /// Converts only these columns, in this order. Default: all.
    #[must_use]
    pub fn columns<P: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = P>) -> Self {
        self.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The records from which the schema of tf.Example records is inferred. Default: all, which reads the inputs twice.
    /// With fewer, a later record that does not fit ends the conversion with an error.
    #[must_use]
    pub fn infer_schema(mut self, sample: Sample) -> Self {
        self.sample = sample;
        self
    }

    /// States which message records hold, those that are read and those that are written. Default: records that are read
    /// say it, as [`infer_messages`](crate::infer_messages) finds out; rows are written as tf.SequenceExamples where
    /// they have a struct column with the name of the [sequence column](Self::sequence_column).
    #[must_use]
    pub fn message(mut self, message: Message) -> Self {
        self.message = Some(message);
        self
    }

    /// Names the column of the sequence features. Default: `##SEQUENCE##`, as in TFX.
    #[must_use]
    pub fn sequence_column(mut self, name: impl Into<Arc<str>>) -> Self {
        self.sequence_column = name.into();
        self
    }

    /// Converts the values of these key expressions, a column each, of Avro records that are read. Default: whole records, a
    /// column a field.
    #[cfg(feature = "avro")]
    #[must_use]
    pub fn keys<K: Into<Arc<str>>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        self.keys = Some(keys.into_iter().map(Into::into).collect());
        self
    }

    /// Chooses what the columns of whole Avro records look like. Default: typed as their values are
    /// ([`Layout::Plain`](avro_path::record::Layout::Plain)); lists ([`Layout::Structured`](avro_path::record::Layout::Structured))
    /// where tf.Examples are written, which have nothing else.
    #[cfg(feature = "avro")]
    #[must_use]
    pub fn record_layout(mut self, options: avro_path::record::RecordOptions) -> Self {
        self.layout = Some(options);
        self
    }

    /// Reads Avro files with this schema: data that were written with another become data of this one, also where the
    /// output is Avro. Default: the schema of the first file.
    #[cfg(feature = "avro")]
    #[must_use]
    pub fn reader_schema(mut self, schema: avro_path::Schema) -> Self {
        self.reader_schema = Some(schema);
        self
    }

    /// The codec of an Avro file that is written. Default: deflate, which every reader of Avro has.
    #[cfg(feature = "avro")]
    #[must_use]
    pub fn avro_codec(mut self, codec: avro_path::container::Codec) -> Self {
        self.avro_codec = codec;
        self
    }

    /// Rows that are converted at a time. Default: 1,024.
    #[must_use]
    pub fn batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows.max(1);
        self
    }

    /// The compression of Parquet pages. Default: zstd.
    #[must_use]
    pub fn parquet_compression(mut self, compression: ParquetCompression) -> Self {
        self.parquet = compression;
        self
    }

    /// Sets how TFRecord files are written, but for their compression, which the name of the output says.
    #[must_use]
    pub fn writer(mut self, writer: WriterBuilder) -> Self {
        self.writer = writer.compression(format::compression(&self.output));
        self
    }

    /// Sets how TFRecord files are read. The inputs were found before: [`open`](Self::open) finds them in stores of your
    /// own.
    #[must_use]
    pub fn record_options(mut self, options: RecordOptions) -> Self {
        self.records = options;
        self
    }

    /// The format of the inputs.
    #[must_use]
    pub fn from(&self) -> Format {
        self.from
    }

    /// The format of the output.
    #[must_use]
    pub fn to(&self) -> Format {
        self.to
    }

    /// Size of all inputs in bytes, of which [`Progress::bytes_read`] counts a part.
    #[must_use]
    pub fn bytes_in(&self) -> u64 {
        files::size_of_all(&self.inputs, &self.records)
    }

    /// Converts. `progress` is called often, at least once a batch.
    ///
    /// # Errors
    /// Whatever reading the inputs and writing the output meets. What had the name of the output before is then still
    /// there.
    pub fn run(self, mut progress: impl FnMut(Progress)) -> Result<Summary, Error> {
        let progress: &mut dyn FnMut(Progress) = &mut progress;
        let bytes_in = self.bytes_in();
        let (records, bytes_out) = match (self.from, self.to, &self.columns) {
            (Format::TfRecord, Format::TfRecord, None) => records::copy(&self, progress)?,
            #[cfg(feature = "avro")]
            (Format::Avro, Format::Avro, None) if self.keys.is_none() && self.layout.is_none() => {
                batches::copy_avro(&self, progress)?
            }
            _ => batches::convert(&self, progress)?,
        };
        Ok(Summary { records, bytes_in, bytes_out })
    }
}

/// Refuses an output that is one of the inputs.
fn refuse_input(inputs: &[Arc<str>], output: &Path) -> Result<(), Error> {
    let outputs = crate::tfrecord::output_names(output)?
        .into_iter()
        .filter_map(|name| name.canonicalize().ok())
        .collect::<Vec<_>>();
    for input in inputs {
        if Path::new(&**input).canonicalize().is_ok_and(|input| outputs.contains(&input)) {
            let message = "the output is one of the inputs; write to another name";
            return Err(
                Error::new(ErrorKind::InvalidArgument, message).at(Position::new().file(Arc::clone(input)))
            );
        }
    }
    Ok(())
}
