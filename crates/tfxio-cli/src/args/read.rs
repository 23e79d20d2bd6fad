//! What can be typed to look into files.

use clap::{Args as Arguments, ValueEnum};

use super::{OnDamage, Opening, name};

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
