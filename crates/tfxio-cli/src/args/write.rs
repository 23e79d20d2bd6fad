//! What can be typed to write files.

use std::path::PathBuf;

use clap::Args as Arguments;

use super::{OnDamage, Opening, Stated, name, path, threads};

/// Write an index beside each file: offsets, lengths and a checksum.
///
/// An index lets readers count records, read any of them, and split files without a search, gzip files
/// that tfxio wrote included. Commands that read a file refuse it if its size is not the one that was indexed.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio index train.tfrecord
  tfxio index 'train@16.tfrecord'")]
pub(crate) struct Index {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE", value_parser = name)]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) stated: Stated,
}

/// Convert between files of any two formats: TFRecord, Avro, Parquet and Arrow.
///
/// The ending of OUTPUT says the format: .tfrecord, .tfrecord.gz, .tfrecord.zlib, .avro, .parquet or .arrow. OUTPUT appears
/// when it is whole, in one step; a file of that name is replaced then, and stays as it is after an error. TFRecord to
/// TFRecord copies the records as they are, whatever they hold, and so does Avro to Avro; the other conversions of TFRecord
/// are of tf.Example and tf.SequenceExample records. Records are taken for the latter where one that the columns are inferred
/// from has feature lists, rows where they have the column of sequence features.
#[derive(Debug, Arguments)]
#[command(
    override_usage = "tfxio convert [OPTIONS] <INPUT>... <OUTPUT>",
    after_help = "\
Examples:
  tfxio convert 'train@16.tfrecord' train.parquet
  tfxio convert train.parquet train.tfrecord.gz
  tfxio convert --columns label,image train.tfrecord small.arrow
  tfxio convert sessions.tfrecord --as sequence_example sessions.parquet
  tfxio convert train.tfrecord 'train@4.tfrecord'
  tfxio convert train.tfrecord 'train@*.avro' --shard-bytes 67108864
  tfxio convert people.avro people.parquet --keys name.first --keys 'friends[*].age'
  tfxio convert train.parquet train.avro --codec zstandard
  tfxio convert people.avro people.tfrecord --columns age,gender
  tfxio convert 'old/*.avro' all.avro --reader-schema person.avsc
  tfxio convert broken.avro good.parquet --on-error skip --max-skipped 10

tf.Example and tf.SequenceExample hold int64, 32-bit floats and bytes. On the way to TFRecord
integers of all widths and bools become int64, 16-bit floats 32-bit ones; columns of 64-bit floats
or of unsigned 64-bit integers are an error: leave them out with --columns.

An input may be a pipe, such as /dev/stdin. What must be read twice is kept: up to 64 MiB in memory,
more in a temporary file.

'train@4.tfrecord' deals the records out to four shards in turn; 'train@*.tfrecord' begins another
shard where one has reached --shard-bytes. A progress bar is shown when
standard error is a terminal."
)]
pub(crate) struct Convert {
    /// The inputs, files or patterns of one format; and last the output, a file or a set of shards
    /// such as train@16.tfrecord
    // One list, since options may stand between the inputs and the output.
    #[arg(required = true, value_name = "FILE", value_parser = path())]
    pub(crate) files: Vec<PathBuf>,
    /// Format of the output [default: by the ending of its name]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Convert only these columns, in this order [default: all]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) columns: Option<Vec<String>>,
    /// Infer the columns from the first N records only [default: all, which reads the input twice]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) infer_records: Option<u64>,
    /// Threads that decode [default: one a processor, at most 8]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) opening: Opening,
    #[command(flatten)]
    pub(crate) on_damage: OnDamage,
    /// Write a manifest of the output for loading, too: of TFRecord files
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
}

/// Copy the records that are whole to a new file, and report what is lost.
///
/// Works on damaged TFRecord and Avro files of any compression. Of Avro files, every record is decoded, and those that cannot
/// be are left out. The report says for each damage which bytes are lost, which record was the last good one before them, and
/// why. The exit code is 1 if nothing of a damaged file could be kept. IN is never changed.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio repair broken.tfrecord good.tfrecord
  tfxio repair --json broken.tfrecord good.tfrecord > damage.jsonl
  tfxio repair broken.avro good.avro")]
pub(crate) struct Repair {
    /// The damaged file
    #[arg(value_name = "IN", value_parser = name)]
    pub(crate) input: String,
    /// The file to write; its name says the compression
    #[arg(value_name = "OUT", value_parser = path())]
    pub(crate) output: PathBuf,
    /// Print the report as one JSON object a damage
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) stated: Stated,
}

/// Reads a number of records that columns can be inferred from.
fn at_least_one(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|records| *records > 0).ok_or("give a number of records, at least 1")
}
