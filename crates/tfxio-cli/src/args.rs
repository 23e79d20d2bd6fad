//! What can be typed.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args as Arguments, Parser, Subcommand, ValueEnum};

const EXIT_CODES: &str = "\
Exit codes:
  0  all went well
  1  the data are damaged, or are not what they should be
  2  the command was not understood: an unknown option, column or format
  3  reading or writing failed: a missing file, no permission, a full disk

FILE may be a path or a pattern: train@16.tfrecord (16 shards, all of which must be
there), train@*.tfrecord, train-?????-of-00016, 'data/**/*.tfrecord'. Compression
(none, gzip, zlib) is found out from the bytes, not from the name, and so are Avro files.
Where the command was built with the feature `cloud`, inspect, head, schema, tensors,
avro-path, load and convert also read URLs: s3://BUCKET/train@16.tfrecord, gs://…, az://…,
https://…; stores are set up by the variables of the environment that begin with AWS_,
GOOGLE_ and AZURE_.";

/// Look into, load, index, convert and repair training data.
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
    Tensors(Tensors),
    AvroPath(AvroPath),
    Load(Load),
    Index(Index),
    Convert(Convert),
    Repair(Repair),
}

/// What records hold.
#[derive(Debug, Arguments)]
pub(crate) struct Records {
    /// What the records hold [default: found out from the schema or the records]
    #[arg(long = "as", value_enum, value_name = "MESSAGE")]
    pub(crate) message: Option<Message>,
    /// The name of the column of sequence features
    #[arg(long, default_value = "##SEQUENCE##", value_name = "NAME")]
    pub(crate) sequence_column: String,
}

/// What is said about files that are opened. Options of formats are further flags: see [`options`](crate::options).
#[derive(Clone, Debug, Arguments)]
pub(crate) struct Stated {
    /// Format of the files or of their records [default: found out from them]
    #[arg(id = "stated", long = "as", value_name = "FORMAT")]
    _stated: Option<String>,
}

/// What is said about files that are read, and may have indexes.
#[derive(Clone, Debug, Arguments)]
pub(crate) struct Opening {
    #[command(flatten)]
    _stated: Stated,
    /// Read without the indexes beside files, also where one contradicts its file
    #[arg(id = "no_index", long = "no-index")]
    _no_index: bool,
}

/// Whether indexes count.
#[derive(Debug, Arguments)]
pub(crate) struct Indexes {
    /// Read without the indexes beside TFRecord files, also where one contradicts its file
    #[arg(long)]
    pub(crate) no_index: bool,
}

/// What is done about damage.
#[derive(Clone, Debug, Arguments)]
pub(crate) struct OnDamage {
    /// What to do about damaged records of TFRecord and Avro files: end with an error, or leave them
    /// out and report them
    #[arg(long, value_enum, default_value_t = OnError::Fail, value_name = "ACTION")]
    pub(crate) on_error: OnError,
    /// Skip N damaged ranges at most [default: any number]
    #[arg(long, value_name = "N")]
    pub(crate) max_skipped: Option<u64>,
    /// Skip N bytes at most [default: any number]
    #[arg(long, value_name = "N")]
    pub(crate) max_skipped_bytes: Option<u64>,
}

/// What to do about a damaged record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnError {
    /// End with an error
    Fail,
    /// Leave it out, and report it on standard error
    Skip,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Message {
    /// tf.Example
    #[value(name = "example")]
    Example,
    /// tf.SequenceExample
    #[value(name = "sequence_example")]
    SequenceExample,
}

/// Count records and bytes and compare every checksum.
///
/// Reads each file to its end. Damage is reported and the rest of the file still read; then the next file comes. Where an
/// index stands beside the file, records and checksum are compared with it. The exit code is 1 if anything was damaged.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio inspect train-00000-of-00016.tfrecord
  tfxio inspect 'train@16.tfrecord' extra.tfrecord.gz
  tfxio inspect --json data/*.tfrecord | jq .records
  tfxio inspect people.avro

With --json there is one object a file, with the keys file, format, errors (a list of texts) and
what the format knows of its files: records, payload_bytes, longest, crc32_of_payloads (the IEEE
CRC-32 over all payloads in order), compression of TFRecord files, codec, schema, blocks and metadata
of Avro files. Records that are damaged are not counted.")]
pub(crate) struct Inspect {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE", value_parser = name)]
    pub(crate) files: Vec<String>,
    /// Print one JSON object a file
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) opening: Opening,
}

/// Show the first rows.
///
/// With --columns only those columns are read. A table cuts long lists and long texts short; JSON shows everything.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio head train.tfrecord
  tfxio head train.tfrecord -n 3 --columns label,id
  tfxio head train.tfrecord.gz -n 1000 --format json | jq -c .label
  tfxio head sessions.tfrecord --as sequence_example --columns '##SEQUENCE##.clicks'
  tfxio head people.avro --format json --columns name,age
  tfxio head people.avro --keys name.first --keys 'friends[*].age'

With --format json there is one object a row; a sequence feature, which is called after its column,
has a list for each step. What is absent is null, bytes that are not UTF-8 are {\"base64\": \"…\"},
and floats that JSON does not have are the strings \"NaN\", \"Infinity\" and \"-Infinity\". Records
within records are nested objects. Dates, times and timestamps are shown in ISO 8601, decimals as
\"1.00\", and 16 bytes of fixed size as UUIDs are. Records that contain themselves are shown four deep,
or as --max-depth says.")]
pub(crate) struct Head {
    /// A file or a pattern
    #[arg(value_parser = name)]
    pub(crate) file: String,
    /// How many records
    #[arg(short = 'n', long = "rows", default_value_t = 10, value_name = "N")]
    pub(crate) rows: u64,
    /// Columns to show, in this order [default: all]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) columns: Option<Vec<String>>,
    /// How to show them
    #[arg(long, value_enum, default_value_t = Layout::Table)]
    pub(crate) format: Layout,
    #[command(flatten)]
    pub(crate) opening: Opening,
    #[command(flatten)]
    pub(crate) on_damage: OnDamage,
}

/// How rows are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layout {
    /// For people
    Table,
    /// One JSON object a row
    Json,
}

/// Show the columns of a data set, or hold its rows against a schema.
///
/// All files are taken together as one data set. A feature that has several kinds is shown with the number of records of each,
/// and the exit code is 1. Where the schema stands in the files, only their headers are read.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio schema train.tfrecord
  tfxio schema --records 10000 'train@16.tfrecord'
  tfxio schema --format json train.tfrecord | jq -r .name
  tfxio schema --format pbtxt 'train@16.tfrecord' > schema.pbtxt
  tfxio schema --validate schema.pbtxt --group serving eval.tfrecord
  tfxio schema --format own people.avro | jq .fields
  tfxio schema --keys people.avro

With --format pbtxt the output is a schema of TensorFlow Metadata: types, numbers of values,
presence, shapes, small sets of strings, and a proposal for the default group of tensor
representations. --validate prints a line for each feature and each tensor that the records no
longer satisfy, and ends with the exit code 1 if there is any.

--format own prints the schema as it stands in the files, of formats that have one. --keys lists all
key expressions that end at a single value, for head --keys; --keys=3 those with three names of
fields at most, through records that contain themselves too, which are not gone into again otherwise.")]
pub(crate) struct Schema {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE", value_parser = name)]
    pub(crate) files: Vec<String>,
    /// Look at the first N records only [default: all]
    #[arg(long = "records", value_name = "N")]
    pub(crate) sample: Option<u64>,
    /// How to show it
    #[arg(long, value_enum, default_value_t = SchemaFormat::Table)]
    pub(crate) format: SchemaFormat,
    /// List key expressions with their types instead [with a depth: of so many names]
    #[arg(
        long,
        value_name = "DEPTH",
        num_args = 0..=1,
        default_missing_value = "0",
        require_equals = true,
        conflicts_with = "validate"
    )]
    pub(crate) keys: Option<usize>,
    /// Hold the records against this schema, text or binary, instead
    #[arg(long, value_name = "SCHEMA")]
    pub(crate) validate: Option<String>,
    /// The group of tensor representations that must hold [default: the one without a name, and
    /// inferred ones]
    #[arg(long, value_name = "NAME", requires = "validate")]
    pub(crate) group: Option<String>,
    /// The environment that the records are of, such as SERVING [default: all features count]
    #[arg(long, value_name = "NAME", requires = "validate")]
    pub(crate) environment: Option<String>,
    #[command(flatten)]
    pub(crate) opening: Opening,
}

/// How a schema is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaFormat {
    /// For people
    Table,
    /// One JSON object a feature
    Json,
    /// A schema of TensorFlow Metadata as text
    Pbtxt,
    /// The Arrow columns, one a line
    Arrow,
    /// The schema as it stands in the files
    #[value(alias = "avro")]
    Own,
}

/// Show the first rows as tensors.
///
/// What the tensors are, a schema of TensorFlow Metadata or feature specs say; where a format has key expressions, the keys of
/// specs are such. The rows of a file make one batch.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio tensors train.tfrecord --schema schema.pbtxt
  tfxio tensors train.tfrecord --schema schema.pbtxt --group serving --tensors image,label -n 3
  tfxio tensors sessions.tfrecord --schema sessions.pbtxt --format json | jq .row_splits
  tfxio tensors train.tfrecord --features specs.json -n 0
  tfxio tensors people.avro --features people.json

-n 0 shows what the tensors will be and reads no record. With --format json there is one object
a tensor and batch: its spec, and values in row-major order; sparse tensors have indices and
dense_shape, ragged ones row_splits, outermost first, and inner_shape. docs/tensors.md of the
repository explains schemas and feature specs.")]
pub(crate) struct Tensors {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE", value_parser = name)]
    pub(crate) files: Vec<String>,
    /// A schema of TensorFlow Metadata, text or binary, of formats whose records have none
    #[arg(long, value_name = "SCHEMA")]
    pub(crate) schema: Option<String>,
    /// Take the tensors of this group of the schema [default: those of the one without a name, and
    /// inferred ones]
    #[arg(long, value_name = "NAME", requires = "schema", conflicts_with = "features")]
    pub(crate) group: Option<String>,
    /// Feature specs as JSON, in place of the schema's tensors
    #[arg(long, alias = "specs", value_name = "JSON")]
    pub(crate) features: Option<String>,
    /// Representations as JSON, in place of the schema's tensors
    #[arg(long, value_name = "JSON", conflicts_with_all = ["features", "group"])]
    pub(crate) representations: Option<String>,
    /// How many rows
    #[arg(short = 'n', long = "rows", default_value_t = 10, value_name = "N")]
    pub(crate) rows: usize,
    /// Tensors to show, in this order [default: all, sorted]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) tensors: Option<Vec<String>>,
    /// How to show them
    #[arg(long, value_enum, default_value_t = TensorFormat::Text)]
    pub(crate) format: TensorFormat,
    #[command(flatten)]
    pub(crate) opening: Opening,
}

/// How tensors are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TensorFormat {
    /// For people
    Text,
    /// One JSON object a tensor
    Json,
}

/// Show the values of key expressions in Avro records.
///
/// A key expression names values in nested records: friends[*].name.first are the first names of all friends. Each is one
/// column.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio avro-path people.avro name.first 'friends[*].name.first'
  tfxio avro-path people.avro \"friends[gender='unknown'].age\" -n 100 --format json
  tfxio avro-path people.avro \"cars['nickname'].color\" --types

Brackets and quotes need quotes around them in a shell. Text and bytes are shown as text; bytes that
are not UTF-8 as {\"base64\": \"…\"}. docs/key-expressions.md of the repository explains the
language.")]
pub(crate) struct AvroPath {
    /// An Avro file or a pattern
    #[arg(value_parser = name)]
    pub(crate) file: String,
    /// Key expressions
    #[arg(required = true, value_name = "KEY")]
    pub(crate) keys: Vec<String>,
    /// How many records
    #[arg(short = 'n', long = "rows", default_value_t = 10, value_name = "N")]
    pub(crate) rows: u64,
    /// How to show them
    #[arg(long, value_enum, default_value_t = Layout::Table)]
    pub(crate) format: Layout,
    /// Show the types of the columns instead, and read no record
    #[arg(long)]
    pub(crate) types: bool,
    #[command(flatten)]
    pub(crate) opening: Opening,
    #[command(flatten)]
    pub(crate) on_damage: OnDamage,
}

/// Load batches of training data as a configuration says, and tell how fast.
///
/// The configuration is JSON: the files, what is read from them, shuffling, windows, padding and the size of batches. Each
/// batch is shown with the dtypes, shapes and first values of its tensors, and at the end how fast it all went and what was
/// waited for.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio load digits.json --inputs image --targets label
  tfxio load digits.json --inputs image --targets label --batches 100000 --json | tail -n 1
  tfxio load --check digits.json --inputs image --targets label
  tfxio load digits.json --seed 7 --batches 3 --base-dir /data

Without --inputs and --targets all tensors of the configuration are inputs. Relative paths in the
configuration start from its folder, or from --base-dir. The same seed gives the same
batches; one that is drawn is shown at the end. With --json there is one object a batch, with
all values in row-major order, and one at the end with the figures. docs/loader.md of the repository
explains the configuration.")]
pub(crate) struct Load {
    /// The configuration of the loader
    pub(crate) config: PathBuf,
    /// The names of the model's inputs
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) inputs: Vec<String>,
    /// The names of the model's targets
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) targets: Vec<String>,
    /// How many batches to load, at most
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) batches: u64,
    /// From what the order is drawn [default: the configuration's, else drawn]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Examples a batch [default: the configuration's target_batch_size]
    #[arg(long, value_name = "N")]
    pub(crate) batch_size: Option<usize>,
    /// Where relative paths in the configuration start [default: the configuration's folder]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) base_dir: Option<PathBuf>,
    /// The part of the data set to load, of N parts from 0 on [default: the configuration's]
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<(u32, u32)>,
    /// Threads that read, and that parse [default: the configuration's]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<u16>,
    /// What to do about damaged records [default: the configuration's on_error]
    #[arg(long, value_enum, value_name = "ACTION")]
    pub(crate) on_error: Option<OnError>,
    /// Skip N damaged ranges at most [default: the configuration's error_budget]
    #[arg(long, value_name = "N")]
    pub(crate) max_skipped: Option<u64>,
    /// Skip N bytes at most [default: the configuration's error_budget]
    #[arg(long, value_name = "N")]
    pub(crate) max_skipped_bytes: Option<u64>,
    /// Go on from a state that --save-state wrote
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Write the state after the last batch to a file
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    pub(crate) save_state: Option<PathBuf>,
    /// Print one JSON object a batch, and one with the figures
    #[arg(long)]
    pub(crate) json: bool,
    /// Only look whether configuration, manifest and files fit together; read no record
    #[arg(long, conflicts_with_all = ["batches", "json"])]
    pub(crate) check: bool,
}

/// Reads a number of threads.
fn threads(text: &str) -> Result<u16, &'static str> {
    let threads = text.parse().ok().filter(|threads| (1..=1024).contains(threads));
    threads.ok_or("give a number of threads from 1 to 1024")
}

/// Reads a number of records that columns can be inferred from.
fn at_least_one(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|records| *records > 0).ok_or("give a number of records, at least 1")
}

/// Reads `0/4`: a part of a data set and how many there are.
fn shard(text: &str) -> Result<(u32, u32), String> {
    let numbers =
        text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    numbers
        .filter(|(index, count): &(u32, u32)| index < count)
        .ok_or_else(|| "give I/N with I from 0 to N - 1, such as 0/4".to_owned())
}

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

'train@4.tfrecord' deals the records out to four shards in turn. A progress bar is shown when
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

/// The name of a file or a pattern.
fn name(text: &str) -> Result<String, &'static str> {
    if text == "-" { Err(DASH) } else { Ok(text.to_owned()) }
}

/// A path, which need not be Unicode.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|text| if text == "-" { Err(DASH) } else { Ok(PathBuf::from(text)) })
}

const DASH: &str =
    "standard input and output are called /dev/stdin and /dev/stdout here, and a file of this name ./-";
