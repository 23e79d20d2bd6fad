//! Conversion between files of any two formats.
//!
//! Inputs are opened as a data set, and its batches are written by a [`Sink`](tfxio_core::Sink) of the output's format. Where both formats
//! are the same, nothing is projected and the format [offers it](tfxio_core::CopyRecords), the records are copied as they are: unknown
//! fields, recursion and metadata survive. No format is known by name: formats of a program convert like ours.
//!
//! A column that the format of the output [takes](FileFormat::takes) stays as it is. Another becomes the nearest type that the
//! format takes, so that ordinary tables become training data: values of tf.Example are lists of int64, 32-bit floats and bytes.
//!
//! | values | on the way to tf.Example |
//! | --- | --- |
//! | one value | a list of one; null is an absent feature |
//! | bools, integers | int64; an unsigned integer of 2^63 or more is an error with its record |
//! | 64-bit floats | 32-bit floats, which is a [`Loss`]; a finite value beyond their range is an error with its record |
//! | texts, bytes of a fixed size | bytes |
//! | dictionaries, runs | their values |
//! | dates, times, timestamps, durations | int64, in the unit that they have, which is a [`Loss`] |
//! | a struct | a column for each of its fields, `a.b` |
//! | arrays of several dimensions: lists of a fixed size of such lists | lists of their values, which is a [`Loss`] |
//! | decimals, intervals, maps, unions, lists of structs | an error with what can be done: leave the column out ([`ConversionBuilder::exclude`]) or cast it ([`ConversionBuilder::cast`]) |
//!
//! [`ConversionBuilder::scalars`] and [`ConversionBuilder::text`] are the way back: features that have one value in every record become
//! columns of values, and features of UTF-8 text become text columns.
//!
//! A conversion to a set of a number of shards [can be resumed](ConversionBuilder::resume) after it was killed: it is then written shard by
//! shard, and complete shards are kept.
//!
//! *Absent* stays null and *present but empty* stays an empty list, so that a way there and back gives the same columns.
//! The output appears under its name when it is whole, in one step, and replaces what had the name before; after an
//! error nothing is left of it. Memory does not grow with the size of the files.
//!
//! ```
//! use tfxio_convert::Conversion;
//! # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits-*.tfrecord");
//!
//! let folder = tempfile::tempdir()?;
//! let output = folder.path().join("digits.tfrecord.gz");
//! let conversion = Conversion::builder([digits], &output).set("single_member", true)?.build()?;
//! assert_eq!(conversion.output_format().name(), "tfrecord");
//! assert_eq!(conversion.run(|_| {})?.records, 1797);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod batches;
mod builder;
pub mod extract;
mod feeding;
mod fitted;
mod given;
mod resume;
mod rows;
mod run;
mod sample;
mod shards;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow_schema::SchemaRef;
use tfxio_core::{FileFormat, FormatOptions, OptionValue, Result, ScanRequest, SkipReport};
use tfxio_formats::FoundValues;
use tfxio_formats::opening::Opening;
use tfxio_store::FileStore;
use tfxio_store::counted_store::Counter;

pub use self::batches::BatchOutput;
pub use self::builder::ConversionBuilder;
pub use self::fitted::Fitted;
use self::rows::Shaping;
pub use self::sample::Sample;
pub use tfxio_core::Loss;
pub use tfxio_scan::cast::CastType;

/// Progress of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Current phase.
    pub phase: Phase,
    /// Bytes of the inputs that were read in this phase, before decompression.
    pub bytes_read: u64,
    /// Records or rows that were written.
    pub records: u64,
}

/// Phase of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Opening the inputs, which reads them where their schema is inferred.
    Schema,
    /// Reading the inputs and writing the output.
    Records,
}

/// Result of a conversion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// Records or rows that were written.
    pub records: u64,
    /// Size of the inputs in bytes, as far as it is known.
    pub bytes_in: u64,
    /// Size of the output in bytes; of all its files together. 0 where it is standard output.
    pub bytes_out: u64,
    /// Names of the files that were written, shards in order.
    pub files: Vec<String>,
    /// Losses of columns by their types, in their order, and then losses of other columns by their values.
    pub losses: Vec<Loss>,
    /// Skipped data, if the request skips damage.
    pub skipped: Option<SkipReport>,
    /// Columns that would be scalars and text by `scalars` and `text` of the builder, if it was told to
    /// [look](ConversionBuilder::find_values) for them.
    pub found: FoundValues,
}

/// A conversion of some files into one, or into one set of shards.
#[derive(Debug)]
pub struct Conversion {
    opening: Opening,
    /// Format that the inputs look like, where it is not the one that was stated.
    looks_like: Option<String>,
    store: Option<Arc<FileStore>>,
    counter: Arc<Counter>,
    output: PathBuf,
    format: Arc<dyn FileFormat>,
    options: FormatOptions,
    request: ScanRequest,
    shaping: Shaping,
    /// Whether what is whole of an output is kept.
    resume: bool,
    /// Records that are looked at for columns that could be scalars and text.
    finds: u64,
    /// These columns.
    found: OnceLock<FoundValues>,
    /// Options that were set.
    stated: BTreeMap<String, OptionValue>,
    bytes_in: u64,
    /// Columns of the inputs, once they are open.
    schema: OnceLock<SchemaRef>,
    /// Losses, once they are known.
    losses: OnceLock<Vec<Loss>>,
}

impl Conversion {
    /// Returns a builder of a conversion of the files that patterns name into `output`, whose ending determines the format.
    /// `train@16.tfrecord` writes 16 shards, a record to each in turn. `-` is standard input and standard output, whose format must be
    /// given ([`ConversionBuilder::output_format`]); output that was written to it stays after an error.
    pub fn builder<P: Into<Arc<str>>>(
        inputs: impl IntoIterator<Item = P>,
        output: impl Into<PathBuf>,
    ) -> ConversionBuilder {
        ConversionBuilder::new(inputs.into_iter().map(Into::into).collect(), output.into())
    }

    /// Returns the format of the inputs.
    #[must_use]
    pub fn input_format(&self) -> &Arc<dyn FileFormat> {
        self.opening.format()
    }

    /// Returns the format of the output.
    #[must_use]
    pub fn output_format(&self) -> &Arc<dyn FileFormat> {
        &self.format
    }

    /// Returns the file or the set of files that is written, with the number of shards where one was asked for.
    #[must_use]
    pub fn output(&self) -> &Path {
        &self.output
    }

    /// Returns the size of all inputs in bytes, of which [`Progress::bytes_read`] counts a part; 0 where it is not known.
    #[must_use]
    pub fn bytes_in(&self) -> u64 {
        self.bytes_in
    }

    /// Returns the columns of the inputs, once [`run`](Self::run) has opened them; nothing where records are copied.
    #[must_use]
    pub fn input_schema(&self) -> Option<&SchemaRef> {
        self.schema.get()
    }

    /// Returns what is lost of columns because of their types, once [`run`](Self::run) has found it out, which is before it
    /// reads rows. [`Summary::losses`] has also what depends on the values.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        self.losses.get().map_or(&[], Vec::as_slice)
    }

    /// Converts. `progress` is called often: while the inputs are read, on the thread that reads, and at least once a batch.
    ///
    /// # Errors
    /// Whatever reading the inputs and writing the output meets. What had the name of the output before is then still
    /// there.
    pub fn run(&self, progress: impl Fn(Progress) + Send + Sync + 'static) -> Result<Summary> {
        let watch: run::Watch = Arc::new(progress);
        self.convert(&watch)
    }
}
pub use tfxio_core;

/// Runs the examples of this crate's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
