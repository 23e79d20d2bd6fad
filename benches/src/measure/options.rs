//! The command line of `measure`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};

/// Task to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Task {
    /// Framing with both checksums, to record slices.
    Scan,
    /// Records to record batches or to structs, which are dropped.
    Decode,
    /// Record batches or structs to records, in a buffer that is used again.
    Encode,
    /// tf.Example records to tensors as a schema says, which are dropped.
    Tensors,
    /// An Avro object container to record batches, or to the tensors of features, which are dropped.
    Avro,
    /// Any data set, opened by its path, to record batches, which are dropped.
    Read,
    /// A file of any format to another format, which is dropped or written.
    Convert,
    /// A loader's configuration to batches, which are dropped.
    Load,
    /// tf.Example records to record batches, and these to statistics.
    Stats,
    /// A statement of SQL over a file of any format, to its answer; needs the feature `sql`.
    Sql,
}

impl Task {
    /// Its name on the command line and in the output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Decode => "decode",
            Self::Encode => "encode",
            Self::Tensors => "tensors",
            Self::Avro => "avro",
            Self::Read => "read",
            Self::Convert => "convert",
            Self::Load => "load",
            Self::Stats => "stats",
            Self::Sql => "sql",
        }
    }
}

/// Message type of the file's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum As {
    /// tf.Example.
    Example,
    /// tf.SequenceExample.
    SequenceExample,
    /// The message that `--descriptor` and `--message` name.
    Message,
    /// tf.Example, as the struct `Click`.
    Struct,
}

/// Location of the bytes when the clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum From {
    /// In memory: the file's bytes for `scan` and `avro`, framed records for `decode`, batches for `encode` and
    /// `tensors`.
    Memory,
    /// In the file: opening, reading, decompressing and framing it are timed too.
    File,
}

/// Measures how fast tfxio reads a TFRecord file or an Avro object container, or loads batches, on warm caches.
///
/// Prints one JSON line. `bytes` are those of the uncompressed file (payloads and 16 bytes a record; of Avro the records),
/// `mb_per_s` is 10^6 of them a second in the fastest run, `peak_rss_mb` is the peak memory of the
/// process in 10^6 bytes, its input included (null where the system does not tell).
#[derive(Clone, Debug, Parser)]
#[command(name = "measure")]
pub struct Options {
    /// Task to measure
    pub task: Task,
    /// A TFRecord file: not compressed, gzip or zlib. For `avro`, and also for `scan`, an Avro object container. For
    /// `load` the configuration of a loader, which says all but `--repeat` and `--batches`
    pub file: PathBuf,
    /// Records a batch
    #[arg(long, default_value = "1024")]
    pub batch: NonZeroUsize,
    /// Encoding of the records
    #[arg(long = "as", value_enum, default_value = "example")]
    pub record: As,
    /// Decode only these columns; of `avro` these fields of the record
    #[arg(long, value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
    /// Read only the rows that satisfy this predicate, for `read`
    #[arg(long)]
    pub filter: Option<String>,
    /// The descriptor set of the message type, for `--as message`
    #[arg(long)]
    pub descriptor: Option<PathBuf>,
    /// The full name of the message type, for `--as message`
    #[arg(long)]
    pub message: Option<String>,
    /// Decode messages into the plain layout, or encode from it
    #[arg(long)]
    pub plain: bool,
    /// Have prost do the work, for `--as struct`, or prost-reflect, for `--as message`
    #[arg(long)]
    pub prost: bool,
    /// Description of the tensors, for `tensors`: a schema of TensorFlow Metadata, in text or binary form
    #[arg(long)]
    pub schema: Option<PathBuf>,
    /// Decode features whose length the schema fixes as lists of a fixed size, for `tensors` from memory
    #[arg(long)]
    pub fixed_size_lists: bool,
    /// Key expressions to decode, for `avro`; may be given several times
    #[arg(long)]
    pub key: Vec<String>,
    /// Features to make tensors of, for `avro`: JSON, names or keys with their specs
    #[arg(long)]
    pub features: Option<PathBuf>,
    /// Read the file with this schema instead of its own, for `avro` with whole records, --columns or --key
    #[arg(long)]
    pub reader_schema: Option<PathBuf>,
    /// Decode with the crate arrow-avro, for `avro`; needs the feature `arrow-avro`
    #[arg(long)]
    pub arrow_avro: bool,
    /// Format to convert to, for `convert`: `parquet`, `avro`, and others by their names
    #[arg(long)]
    pub to: Option<String>,
    /// File to convert to, for `convert`; the end of its name does not matter. Nothing is kept without it
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// Options of the formats, for `convert`, such as output_compression=snappy
    #[arg(long, value_parser = key_and_value)]
    pub set: Vec<(String, String)>,
    /// Read with arrow's own reader of the format, for `read` of Parquet, CSV and JSON lines; needs the feature `arrow-readers`
    #[arg(long)]
    pub arrow: bool,
    /// Find the schema in each run, for `read`: from all rows, where the file is local and not large
    #[arg(long)]
    pub infer: bool,
    /// Columns whose cells hold several values, for `read` of CSV
    #[arg(long, value_delimiter = ',')]
    pub multivalent: Vec<String>,
    /// Load so many batches at most, for `load`; all, where the configuration has an end
    #[arg(long)]
    pub batches: Option<u64>,
    /// The statement, for `sql`; it calls the file `t`
    #[arg(long)]
    pub statement: Option<String>,
    /// Threads, each with its own records
    #[arg(long, default_value = "1")]
    pub threads: NonZeroUsize,
    /// Timed runs; one that is not timed comes first
    #[arg(long, default_value = "5")]
    pub repeat: NonZeroUsize,
    /// Source of the bytes when the clock starts
    #[arg(long, value_enum, default_value = "memory")]
    pub from: From,
}

impl Options {
    /// Refuses combinations that have no meaning.
    pub(super) fn check(&self) -> Result<()> {
        if self.columns.is_some()
            && !matches!(self.task, Task::Decode | Task::Avro | Task::Read | Task::Stats)
        {
            bail!(
                "--columns goes with `decode`, `avro`, `read` and `stats` only; {} always takes all of a record",
                self.task.name()
            );
        }
        if self.record == As::SequenceExample
            && (!matches!(self.task, Task::Decode | Task::Tensors | Task::Read) || self.columns.is_some())
        {
            bail!("--as sequence_example goes with `decode`, `tensors` and `read` only, of all columns");
        }
        let is_message = self.record == As::Message;
        if is_message != self.descriptor.is_some() || is_message != self.message.is_some() {
            bail!("--descriptor and --message go with `--as message`, which needs both");
        }
        if self.plain && !is_message {
            bail!("--plain goes with `--as message` only");
        }
        let is_struct = self.record == As::Struct;
        if self.prost && !is_message && !is_struct {
            bail!("--prost goes with `--as message` and `--as struct` only");
        }
        let is_read = is_message && self.task == Task::Read && !self.prost;
        if (is_message || is_struct)
            && !is_read
            && (!matches!(self.task, Task::Decode | Task::Encode)
                || self.from == From::File
                || self.threads.get() > 1
                || self.columns.is_some())
        {
            bail!(
                "messages and structs are decoded and encoded from memory, by one thread, all columns; messages can also be `read`"
            );
        }
        if self.schema.is_some() != (self.task == Task::Tensors) {
            bail!("--schema goes with `tensors`, and `tensors` needs it");
        }
        let chosen = [self.columns.is_some(), !self.key.is_empty(), self.features.is_some()];
        if self.task != Task::Avro && (chosen[1] || chosen[2] || self.arrow_avro) {
            bail!("--key, --features and --arrow-avro go with `avro` only");
        }
        if self.arrow_avro && (chosen[1] || chosen[2] || self.threads.get() > 1) {
            bail!("arrow-avro decodes whole records or --columns, with one thread");
        }
        if self.reader_schema.is_some() && (self.task != Task::Avro || chosen[2] || self.arrow_avro) {
            bail!("--reader-schema goes with `avro` only, and neither with --features nor with --arrow-avro");
        }
        if self.fixed_size_lists && self.task != Task::Tensors {
            bail!("--fixed-size-lists goes with `tensors` only");
        }
        if chosen.iter().filter(|&&is_chosen| is_chosen).count() > 1 {
            bail!("--columns, --key and --features each say what to decode: give one of them");
        }
        if self.to.is_some() != (self.task == Task::Convert) {
            bail!("--to goes with `convert`, and `convert` needs it");
        }
        if self.task != Task::Convert && (self.output.is_some() || !self.set.is_empty()) {
            bail!("--output and --set go with `convert` only");
        }
        let is_read_only = self.arrow || self.infer || self.filter.is_some() || !self.multivalent.is_empty();
        if self.task != Task::Read && is_read_only {
            bail!("--arrow, --filter, --infer and --multivalent go with `read` only");
        }
        if self.arrow && self.filter.is_some() {
            bail!("the readers of arrow take no --filter");
        }
        let has_reader =
            ["parquet", "csv", "jsonl"].iter().any(|ending| self.file.extension() == Some(ending.as_ref()));
        if self.arrow && !has_reader {
            bail!("--arrow reads files of the endings .parquet, .csv and .jsonl");
        }
        if self.batches.is_some() && self.task != Task::Load {
            bail!("--batches goes with `load` only; the others take the whole file");
        }
        if self.task == Task::Stats && self.from == From::Memory && self.threads.get() > 1 {
            bail!("`stats` from memory is done by one thread: use --from file");
        }
        if self.statement.is_some() != (self.task == Task::Sql) {
            bail!("--statement goes with `sql`, and `sql` needs it");
        }
        if self.task == Task::Encode && self.from == From::File {
            bail!("`encode` starts from batches, and a TFRecord file holds none; leave --from out");
        }
        Ok(())
    }
}

fn key_and_value(text: &str) -> Result<(String, String)> {
    let Some((key, value)) = text.split_once('=') else { bail!("{text:?} is not KEY=VALUE") };
    Ok((key.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        let options = Options::try_parse_from(["measure"].into_iter().chain(line.split(' ')))?;
        options.check()?;
        Ok(options)
    }

    #[test]
    fn defaults_are_those_of_the_comparisons() {
        let options = parse("decode a.tfrecord").unwrap();
        assert_eq!((options.batch.get(), options.threads.get(), options.repeat.get()), (1024, 1, 5));
        assert_eq!((options.from, options.columns, options.record), (From::Memory, None, As::Example));
        let options = parse("decode a.tfrecord --columns a,b --from file").unwrap();
        assert_eq!((options.from, options.columns), (From::File, Some(vec!["a".to_owned(), "b".to_owned()])));
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        for line in [
            "decode",
            "parse a.tfrecord",
            "decode a.tfrecord --batch 0",
            "decode a.tfrecord --threads 0",
            "decode a.tfrecord --repeat 0",
            "scan a.tfrecord --columns a",
            "encode a.tfrecord --from file",
            "scan a.tfrecord --as sequence_example",
            "decode a.tfrecord --as sequence_example --columns a",
            "tensors a.tfrecord",
            "tensors a.tfrecord --schema s.pbtxt --columns a",
            "decode a.tfrecord --schema s.pbtxt",
            "decode a.tfrecord --key a",
            "scan a.avro --features f.json",
            "avro a.avro --key a --columns b",
            "avro a.avro --key a --features f.json",
            "avro a.avro --as sequence_example",
            "decode a.tfrecord --batches 3",
            "convert a.tfrecord",
            "decode a.tfrecord --to parquet",
            "scan a.tfrecord --output b.parquet",
            "convert a.tfrecord --to parquet --set snappy",
            "decode a.tfrecord --as message --message A",
            "decode a.tfrecord --descriptor a.pb --message A",
            "decode a.tfrecord --plain",
            "encode a.tfrecord --prost",
            "scan a.tfrecord --as struct",
            "decode a.tfrecord --as struct --threads 2",
            "decode a.tfrecord --as struct --from file",
            "load a.json --columns a",
            "load a.json --batches many",
            "decode a.tfrecord --infer",
            "stats a.tfrecord --threads 2",
            "sql a.tfrecord",
            "read a.tfrecord --arrow",
            "avro a.avro --multivalent a",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
