//! Arguments of commands that write files.

use std::path::PathBuf;

use clap::Args as Arguments;
use tfxio::convert::{CastType, Sample};

use super::{OnDamage, Opening, Printed, Stated, path, threads};

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
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) stated: Stated,
}

/// Convert between files of any two formats.
///
/// The ending of OUTPUT says the format: .tfrecord, .tfrecord.gz, .tfrecord.zlib, .avro, .parquet, .arrow, .csv
/// or .jsonl; some have others, and --to says it where the name does not. OUTPUT appears when it is whole, in one step; a file
/// of that name is replaced then, and stays as it is after an error. TFRecord to
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
  tfxio convert train.tfrecord 'parts@4.tfrecord'
  tfxio convert train.tfrecord 'train@*.avro' --shard-bytes 67108864
  tfxio convert people.avro people.parquet --keys name.first --keys 'friends[*].age'
  tfxio convert train.parquet train.avro --codec zstandard
  tfxio convert people.avro people.tfrecord --columns age,gender
  tfxio convert train.tfrecord small.parquet --columns 'label,im*'
  tfxio convert 'old/*.avro' all.avro --reader-schema person.avsc
  tfxio convert broken.avro good.parquet --on-error skip --max-skipped 10
  tfxio convert train.tfrecord train.parquet --scalars --text
  tfxio convert train.parquet labels.tfrecord --exclude 'im*' --cast label:string
  tfxio convert train.tfrecord sevens.parquet --where 'label = 7' -n 100
  tfxio convert train.tfrecord some.tfrecord --sample 0.1 --seed 1 --shards 2
  tfxio convert train.tfrecord 'train@8.parquet'
  tfxio convert train.tfrecord 'parts@16.parquet' --resume
  tfxio convert train.tfrecord - --to jsonl | gzip > train.jsonl.gz

tf.Example and tf.SequenceExample hold int64, 32-bit floats and bytes. On the way to TFRecord one
value becomes a feature of one value, null an absent feature; integers and bools become int64, floats
32-bit ones, texts bytes, dates and times int64 in the unit that they have, the fields of a struct
features of their own (a.b). What is lost is said once; --lossless refuses it. Decimals, maps and
unions are errors: leave them out with --exclude, or cast them with --cast. Types of --cast: int64,
float32, float64, string, bytes, and s, ms, us and ns for dates and times.

- is standard input and, with --to, standard output. What must be read twice of it is kept: up to 64 MiB
in memory, more in a temporary file.

'parts@4.tfrecord' deals the records out to four shards in turn; 'train@*.tfrecord' begins another
shard where one has reached --shard-bytes. A progress bar is shown when
standard error is a terminal."
)]
pub(crate) struct Convert {
    /// The inputs, files or patterns of one format; and last the output, a file or a set of shards
    /// such as train@16.tfrecord
    // One list, since options may stand between the inputs and the output.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Format of the output [default: by the ending of its name]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Convert only these columns, in this order; names may have * and ? [default: all]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) columns: Option<Vec<String>>,
    /// Leave these columns out; names may have * and ?
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) exclude: Vec<String>,
    /// Cast the values of a column, such as price:float32
    #[arg(long, value_delimiter = ',', value_name = "COLUMN:TYPE", value_parser = cast)]
    pub(crate) cast: Vec<(String, CastType)>,
    /// Refuse to lose anything, such as bits of floats or the unit of times
    #[arg(long, visible_alias = "strict")]
    pub(crate) lossless: bool,
    /// Write features that have one value in every record as plain columns; reads the rows once more
    #[arg(long)]
    pub(crate) scalars: bool,
    /// Write features that are UTF-8 in every record as texts; reads the rows once more
    #[arg(long)]
    pub(crate) text: bool,
    /// Convert only the rows that satisfy a predicate, such as 'label = 7 and not image is null'
    #[arg(long = "where", value_name = "PREDICATE")]
    pub(crate) predicate: Option<String>,
    /// Convert the first N rows only, of those that satisfy the predicate
    #[arg(short = 'n', long = "rows", visible_alias = "limit", value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Convert rows chosen by chance: a fraction such as 0.1, or a number of rows such as 1000
    #[arg(long, value_name = "FRACTION|N", value_parser = sample)]
    pub(crate) sample: Option<Sample>,
    /// Choose other rows for a sample [default: 0]
    #[arg(long, value_name = "N", requires = "sample")]
    pub(crate) seed: Option<u64>,
    /// Write a set of N shards, as the name train@N.tfrecord says, too
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) shards: Option<u32>,
    /// Refuse to replace a file that is there already
    #[arg(long)]
    pub(crate) no_clobber: bool,
    /// Go on where a conversion was killed, for sets of a number of shards; say it the first time, too
    #[arg(long)]
    pub(crate) resume: bool,
    /// Infer the columns from the first N records only [default: all, which reads the input twice]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) infer_records: Option<u64>,
    /// Threads that decode, encode and compress; 0 for one a processor [default: one a processor, at most 8]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) opening: Opening,
    #[command(flatten)]
    pub(crate) on_damage: OnDamage,
    /// Write a manifest of the output for loading, too: of TFRecord files
    #[arg(long, value_name = "FILE", value_parser = path())]
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
  tfxio repair --format json broken.tfrecord good.tfrecord > damage.jsonl
  tfxio repair broken.avro good.avro")]
pub(crate) struct Repair {
    /// The damaged file
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// The file to write; its name determines the compression
    #[arg(value_name = "OUT", value_parser = path())]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) shown: Printed,
    #[command(flatten)]
    pub(crate) stated: Stated,
}

/// Reads a number of records that columns can be inferred from.
fn at_least_one(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|records| *records > 0).ok_or("give a number of records, at least 1")
}

/// Reads a column and what it is cast to. The name of the column may have colons.
fn cast(text: &str) -> Result<(String, CastType), String> {
    let Some((column, to)) = text.rsplit_once(':') else {
        return Err("give a column and a type, such as price:float32".to_owned());
    };
    Ok((column.to_owned(), to.parse().map_err(|error: tfxio::Error| error.to_string())?))
}

/// Reads how many rows a sample has: a number with a point is a fraction.
fn sample(text: &str) -> Result<Sample, &'static str> {
    const WRONG: &str = "give a fraction with a point, such as 0.1, or a number of rows";
    if let Ok(rows) = text.parse() {
        return Ok(Sample::Rows(rows));
    }
    let fraction = text.parse().ok().filter(|fraction| (0.0..=1.0).contains(fraction));
    fraction.map(Sample::Fraction).ok_or(WRONG)
}
