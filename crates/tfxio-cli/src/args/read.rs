//! Arguments of commands that look into files.

use std::path::PathBuf;

use clap::{Args as Arguments, ValueEnum};
use tfxio::Predicate;

use super::{OnDamage, Opening, Printed, path};

/// Count records and bytes and compare every checksum.
///
/// Reads each file to its end. Damage is reported and the rest of the file still read; then the next file comes. Where an
/// index stands beside the file, records and checksum are compared with it. The exit code is 1 if anything was damaged.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio inspect train-00000-of-00016.tfrecord
  tfxio inspect 'train@16.tfrecord' extra.tfrecord.gz
  tfxio inspect --format json data/*.tfrecord | jq .records
  tfxio inspect people.avro

With --format json there is one object a file, with the keys file, format, errors (a list of texts) and
what the format knows of its files: records, payload_bytes, longest, crc32_of_payloads (the IEEE
CRC-32 over all payloads in order), compression of TFRecord files, codec, schema, blocks and metadata
of Avro files. Records that are damaged are not counted.")]
pub(crate) struct Inspect {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) shown: Printed,
    #[command(flatten)]
    pub(crate) opening: Opening,
}

/// Verify that files are whole: checksums, framing, indexes, and every record.
///
/// Looks into each file as `inspect` does, then decodes all columns of all records, of every format. Compares checksums and the number
/// of records with the index beside the file, and with --against all that `inspect` said of it before. The exit code is 1 if
/// anything is damaged or otherwise.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio verify 'train@16.tfrecord'
  tfxio verify people.avro --format json | jq .state
  tfxio inspect 'train@16.tfrecord' --json > report.jsonl
  tfxio verify 'train@16.tfrecord' --against report.jsonl

With --format json there is one object a file, with the keys file, format, records, state and
errors. A file that was moved is found in the report by its name without folders.")]
pub(crate) struct Verify {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Compare with what `tfxio inspect --format json` printed before
    #[arg(long, value_name = "REPORT")]
    pub(crate) against: Option<String>,
    #[command(flatten)]
    pub(crate) shown: Printed,
    #[command(flatten)]
    pub(crate) opening: Opening,
}

/// Write each payload to a file of its own: records, or the values of a column of bytes.
///
/// Files are called after file and number of the record, or with --name-by after another column, and end as their content begins:
/// .png, .jpg, .wav, .txt for text, .bin otherwise. Names that are not safe are changed, and that is said: nothing is written
/// outside of the folder. Files that exist are not replaced.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio extract train.tfrecord --as raw -o records -n 100
  tfxio extract train.tfrecord -o ids --column id --name-by id
  tfxio extract train.tfrecord -o sevens --column id --where 'label = 7'

Without --column it is the only column that holds bytes. A record with several values has a file for
each.")]
pub(crate) struct Extract {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// The folder to write to
    #[arg(short = 'o', long, value_name = "FOLDER", value_parser = path())]
    pub(crate) output: PathBuf,
    /// The column that is written [default: the only one that holds bytes]
    #[arg(id = "payload", long = "column", value_name = "COLUMN")]
    pub(crate) column: Option<String>,
    /// The column after which files are called [default: file and number of the record]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) name_by: Option<String>,
    /// Maximum number of rows [default: all]
    #[arg(short = 'n', long = "rows", value_name = "N")]
    pub(crate) rows: Option<u64>,
    /// Only rows that satisfy this: comparisons with and, or, not, in, is null
    #[arg(id = "where", long = "where", value_name = "PREDICATE")]
    pub(crate) filter: Option<Predicate>,
    /// Replace files that exist
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) opening: Opening,
    #[command(flatten)]
    pub(crate) on_damage: OnDamage,
}

/// Flags for the rows and columns that are shown, and their layout.
#[derive(Clone, Debug, Arguments)]
pub(crate) struct Shown {
    /// Columns to show, in this order, or patterns such as 'user.*' [default: all]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) columns: Option<Vec<String>>,
    /// Only rows that satisfy this: comparisons with and, or, not, in, is null
    #[arg(id = "where", long = "where", value_name = "PREDICATE")]
    pub(crate) filter: Option<Predicate>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Layout::Table)]
    pub(crate) format: Layout,
    #[command(flatten)]
    pub(crate) opening: Opening,
    #[command(flatten)]
    pub(crate) on_damage: OnDamage,
}

/// Show the first rows.
///
/// With --columns only those columns are read. A table cuts long lists and long texts short; JSON shows everything, and so does
/// `tfxio show` of one record. Several files are shown one after the other, as one data set.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio head train.tfrecord
  tfxio head train.tfrecord -n 3 --columns label,id
  tfxio head 'train@16.tfrecord' eval.tfrecord --skip 100 -n 5
  tfxio head train.tfrecord --where 'label = 7 or label in (1, 2)'
  tfxio head train.tfrecord.gz -n 1000 --format json | jq -c .label
  tfxio head sessions.tfrecord --as sequence_example --columns '##SEQUENCE##.*'
  tfxio head people.avro --format json --columns name,age
  tfxio head people.avro --keys name.first --keys 'friends[*].age'
  tfxio head data/ -n 1 --columns id

In --columns * stands for any text and ? for a character. With --format json there is one object a row;
a sequence feature, which is called after its column,
has a list for each step. What is absent is null, bytes that are not UTF-8 are {\"base64\": \"…\"},
and floats that JSON does not have are the strings \"NaN\", \"Infinity\" and \"-Infinity\". Records
within records are nested objects. Dates, times and timestamps are shown in ISO 8601, decimals as
\"1.00\", and 16 bytes of fixed size as UUIDs are. Records that contain themselves are shown four deep,
or as --max-depth says.")]
pub(crate) struct Head {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Number of rows
    #[arg(short = 'n', long = "rows", visible_alias = "limit", default_value_t = 10, value_name = "N")]
    pub(crate) rows: u64,
    /// Leave out the first N rows, of those that satisfy --where
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) skip: u64,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Show the last rows.
///
/// Without --where the files are read from the last one back, by their indexes, footers or frames. Otherwise all rows are read,
/// and N of them are held in memory.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio tail train.tfrecord
  tfxio tail 'train@16.tfrecord' -n 3 --columns label,id --format json
  tfxio tail people.avro -n 1 --where 'age >= 30' --columns age,gender")]
pub(crate) struct Tail {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Number of rows
    #[arg(short = 'n', long = "rows", visible_alias = "limit", default_value_t = 10, value_name = "N")]
    pub(crate) rows: u64,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Show rows that are drawn at random, in the order of the files.
///
/// Each row has the same probability. Without --where the records are counted, and those that were drawn are read; otherwise
/// all rows are read, and N of them are held in memory.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio sample 'train@16.tfrecord' -n 5 --seed 1
  tfxio sample train.tfrecord -n 20 --seed 1 --where 'label = 7' --format json

The same seed gives the same rows of the same files. Without --seed one is drawn, and said on
standard error. --where comes first: a row that is drawn without it, and satisfies it, is drawn with it,
too.")]
pub(crate) struct Sample {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Number of rows
    #[arg(short = 'n', long = "rows", visible_alias = "limit", default_value_t = 10, value_name = "N")]
    pub(crate) rows: u64,
    /// Seed of the sample [default: random]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Show all of a record, one column a line.
///
/// A record is named by its number, FILE@12, counted from 0 through all files of a pattern, or by a byte of it, FILE@0x1f4, as
/// messages say them: offsets are those in the uncompressed file. Where an index, a footer or blocks say where records are,
/// nothing else is read.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio show train.tfrecord@12
  tfxio show train.tfrecord@0x3e4
  tfxio show 'train@16.tfrecord@7000' --columns id,label --format json
  tfxio show people.avro@0 people.avro@1 --max-depth 4

A record of standard input is named after two dashes: tfxio show -- -@12.")]
pub(crate) struct Show {
    /// A file or a pattern, and the number of a record or, with 0x, of a byte
    #[arg(required = true, value_name = "FILE@RECORD", value_parser = target)]
    pub(crate) records: Vec<Target>,
    /// Columns to show, in this order, or patterns such as 'user.*' [default: all]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) columns: Option<Vec<String>>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Layout::Table)]
    pub(crate) format: Layout,
    #[command(flatten)]
    pub(crate) opening: Opening,
}

/// A record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) file: String,
    pub(crate) at: At,
}

/// Identification of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// By its number.
    Record(u64),
    /// By a byte of it.
    Byte(u64),
}

/// Reads `FILE@12` or `FILE@0x1f4`.
fn target(text: &str) -> Result<Target, String> {
    let at = |number: &str| match number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
        // A sign would be read, too.
        Some(hex) if hex.starts_with('+') => None,
        Some(hex) => u64::from_str_radix(hex, 16).ok().map(At::Byte),
        None if number.starts_with('+') => None,
        None => number.replace(',', "").parse().ok().map(At::Record),
    };
    let parts = text.rsplit_once('@').filter(|(file, _)| !file.is_empty());
    let found = parts.and_then(|(file, number)| Some((file, at(number)?)));
    let Some((file, at)) = found else {
        // What follows the last @ may be a number that is not valid, or the end of a name.
        let file = parts.filter(|(_, end)| !end.contains(['.', '/'])).map_or(text, |(file, _)| file);
        return Err(format!("name a record of it: {file}@12 is record 12, {file}@0x1f4 the one at byte 500"));
    };
    Ok(Target { file: file.to_owned(), at })
}

/// Layout of rows.
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
are not UTF-8 as {\"base64\": \"…\"}. https://github.com/tfxio/tfxio/blob/main/docs/key-expressions.md
explains the
language.")]
pub(crate) struct AvroPath {
    /// An Avro file or a pattern
    pub(crate) file: String,
    /// Key expressions
    #[arg(required = true, value_name = "KEY")]
    pub(crate) keys: Vec<String>,
    /// Number of records
    #[arg(short = 'n', long = "rows", visible_alias = "limit", default_value_t = 10, value_name = "N")]
    pub(crate) rows: u64,
    /// Output format
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

#[cfg(test)]
mod tests {
    use super::{At, Target, target};

    #[test]
    fn records_are_named() {
        let named = |file: &str, at| Ok(Target { file: file.to_owned(), at });
        assert_eq!(target("a@12"), named("a", At::Record(12)));
        assert_eq!(target("train@16.tfrecord@1,234"), named("train@16.tfrecord", At::Record(1234)));
        assert_eq!(target("s3://b/me@home/a@0x1F"), named("s3://b/me@home/a", At::Byte(31)));
        for text in ["a", "a@", "a@0x", "a@-1", "a@+1", "a@0x+1", "a@99999999999999999999"] {
            let error = target(text).unwrap_err();
            assert!(error.starts_with("name a record of it: a@12 is record 12, a@0x1f4"), "{text}: {error}");
        }
        for text in ["@5", "train@16.tfrecord", "me@home/a"] {
            let error = target(text).unwrap_err();
            assert!(error.starts_with(&format!("name a record of it: {text}@12 is record 12")), "{error}");
        }
    }
}
