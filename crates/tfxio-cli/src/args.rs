//! What can be typed.

use std::path::PathBuf;

use clap::{Args as Arguments, Parser, Subcommand, ValueEnum};

const EXIT_CODES: &str = "\
Exit codes:
  0  all went well
  1  the data are damaged, or are not what they should be
  2  the command was not understood: an unknown option, column or format
  3  reading or writing failed: a missing file, no permission, a full disk

FILE may be a path or a pattern: train@16.tfrecord (16 shards, all of which must be
there), train@*.tfrecord, train-?????-of-00016, 'data/**/*.tfrecord'. Compression
(none, gzip, zlib) is found out from the bytes, not from the name. Where the command was
built with the feature `cloud`, inspect, head, schema and convert also read URLs:
s3://BUCKET/train@16.tfrecord, gs://…, az://…, https://…; stores are set up by the
variables of the environment that begin with AWS_, GOOGLE_ and AZURE_.";

/// Look into, index, convert and repair training data.
#[derive(Debug, Parser)]
#[command(name = "tfxio", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Inspect(Inspect),
    Head(Head),
    Schema(Schema),
    Index(Index),
    Convert(Convert),
    Repair(Repair),
}

/// Count records and bytes and compare every checksum.
///
/// Reads each file to its end. Damage is reported and the rest of the file still read; then the next file comes. The exit
/// code is 1 if anything was damaged.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio inspect train-00000-of-00016.tfrecord
  tfxio inspect 'train@16.tfrecord' extra.tfrecord.gz
  tfxio inspect --json data/*.tfrecord | jq .records

With --json there is one object a file, with the keys file, format, compression, records,
payload_bytes, crc32_of_payloads (the IEEE CRC-32 over all payloads in order) and errors (a list
of texts). Records that are damaged are not counted.")]
pub(crate) struct Inspect {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Print one JSON object a file
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show the first records.
///
/// The records must be tf.Example. A table cuts long lists and long strings short; JSON shows everything.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio head train.tfrecord
  tfxio head train.tfrecord -n 3 --columns label,id
  tfxio head train.tfrecord.gz -n 1000 --format json | jq -c .label

With --format json there is one object a row and one list a feature. Absent features are null,
bytes that are not UTF-8 are {\"base64\": \"…\"}, and floats that JSON does not have are the strings
\"NaN\", \"Infinity\" and \"-Infinity\".")]
pub(crate) struct Head {
    /// A file or a pattern
    pub(crate) file: String,
    /// How many records
    #[arg(short = 'n', long = "rows", default_value_t = 10, value_name = "N")]
    pub(crate) rows: u64,
    /// Features to show, in this order [default: all, sorted]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) columns: Option<Vec<String>>,
    /// How to show them
    #[arg(long, value_enum, default_value_t = Layout::Table)]
    pub(crate) format: Layout,
}

/// How rows are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layout {
    /// For people
    Table,
    /// One JSON object a row
    Json,
}

/// Show the features of tf.Example records: kinds, numbers of values, how many records have them.
///
/// All files are taken together as one data set.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio schema train.tfrecord
  tfxio schema --records 10000 'train@16.tfrecord'
  tfxio schema --format json train.tfrecord | jq -r .name")]
pub(crate) struct Schema {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Look at the first N records only [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) records: Option<u64>,
    /// How to show it
    #[arg(long, value_enum, default_value_t = Layout::Table)]
    pub(crate) format: Layout,
}

/// Write an index beside each file: offsets, lengths and a checksum.
///
/// An index lets readers count records, read any of them, and split files without a search, gzip files
/// that tfxio wrote included.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio index train.tfrecord
  tfxio index 'train@16.tfrecord'")]
pub(crate) struct Index {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
}

/// Convert between TFRecord, Parquet and Arrow.
///
/// The name of OUTPUT says the format: .tfrecord, .tfrecord.gz, .tfrecord.zlib, .parquet or .arrow. OUTPUT appears when it
/// is whole, in one step; a file of that name is replaced then, and stays as it is after an error. TFRecord to TFRecord
/// copies the records as they are, whatever they hold; the other conversions are of tf.Example records.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio convert 'train@16.tfrecord' train.parquet
  tfxio convert train.parquet train.tfrecord.gz
  tfxio convert --columns label,image train.tfrecord small.arrow
  tfxio convert train.tfrecord 'train@4.tfrecord'

The last one deals the records out to four shards in turn. A progress bar is shown when standard
error is a terminal.")]
pub(crate) struct Convert {
    /// Files or patterns, all of one format
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// The file to write, or a set of shards such as train@16.tfrecord
    pub(crate) output: PathBuf,
    /// Convert only these columns, in this order [default: all]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) columns: Option<Vec<String>>,
    /// Infer the columns from the first N records only [default: all, which reads the input twice]
    #[arg(long, value_name = "N")]
    pub(crate) infer_records: Option<u64>,
    /// Compression of Parquet files
    #[arg(long, value_enum, default_value_t = ParquetCompression::Zstd)]
    pub(crate) parquet_compression: ParquetCompression,
    /// Write gzip as a single member, which TensorFlow 1.12 and older need
    #[arg(long)]
    pub(crate) single_member: bool,
    /// Threads that decode [default: one a processor, at most 8]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

/// The compression of Parquet files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ParquetCompression {
    /// None
    None,
    /// Fast, and read by everything
    Snappy,
    /// Deflate
    Gzip,
    /// Small and fast
    Zstd,
}

/// Copy the records that are whole to a new file, and report what is lost.
///
/// Works on damaged TFRecord files of any compression. The report says for each damage which bytes are lost, which record
/// was the last good one before them, and why. IN is never changed.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio repair broken.tfrecord good.tfrecord
  tfxio repair --json broken.tfrecord good.tfrecord > damage.jsonl")]
pub(crate) struct Repair {
    /// The damaged file
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// The file to write; its name says the compression
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Print the report as one JSON object a damage
    #[arg(long)]
    pub(crate) json: bool,
}
