//! Arguments of `sql`.

use std::path::PathBuf;

use clap::Args as Arguments;

use super::{Opening, path, threads};

/// Run SQL over files.
///
/// Files, patterns and URLs between quotes are tables: from 'train-*.tfrecord'. A feature with one value in every row is a column of
/// values, others are lists; bytes that are UTF-8 are text. Without a statement, those of standard input are run; a terminal
/// has a prompt.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio sql \"select label, count(*) from 'train-*.tfrecord' group by 1\"
  tfxio sql 'select name from \"people.avro\" where age >= $age' --param age=30 --max-depth 1
  tfxio sql \"copy (select * from 'train.tfrecord' where label = 7) to 'sevens.tfrecord' (shards 8)\"
  tfxio sql \"select _file, _record from 'train-*.tfrecord' where label = 7 limit 3\" --format json
  tfxio sql \"explain analyze select sum(label) from 'train.tfrecord'\"

Statements end with a semicolon where there are several. $NAME stands for a parameter; between double quotes a
shell would put its own variable there. copy … to writes every format that convert
writes, and replaces files as convert does; options of the format, shards, format and overwrite false
stand in brackets after the name. A statement that names _file, _record or
_offset has these columns of each file. Functions over features, beside those of DataFusion: feature_len, element_at,
image_size, bucket. read_tfxio('FILE', 'format=raw') and a function for each format open files with options.
https://github.com/tfxio/tfxio/blob/main/docs/sql.md has all of it by example.")]
pub(crate) struct Sql {
    /// Statements
    #[arg(value_name = "STATEMENT", conflicts_with = "file")]
    pub(crate) statement: Option<String>,
    /// Run the statements of a file
    #[arg(short = 'f', long, value_name = "FILE", value_parser = path())]
    pub(crate) file: Option<PathBuf>,
    /// Value of $NAME: a number, true, false, or text
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    pub(crate) parameters: Vec<(String, String)>,
    /// Output format: table, json (an object a row), or a format that can be written, such as csv or arrow
    #[arg(long, default_value = "table", value_name = "FORMAT")]
    pub(crate) format: String,
    /// Use N threads; 0 for one a processor
    #[arg(long, default_value = "0", value_name = "N", value_parser = threads)]
    pub(crate) threads: u16,
    /// Hold at most N bytes at a time; sorts and groups go to temporary files beyond that [default: three
    /// quarters of the memory]
    #[arg(long, value_name = "N")]
    pub(crate) memory_bytes: Option<usize>,
    /// Make columns of lists of all features, also where each row has one value
    #[arg(long)]
    pub(crate) lists: bool,
    /// Make columns of bytes of all features of bytes, also where they are UTF-8
    #[arg(long)]
    pub(crate) bytes: bool,
    #[command(flatten)]
    pub(crate) opening: Opening,
}

fn parameter(text: &str) -> Result<(String, String), &'static str> {
    let parts = text.split_once('=').map(|(name, value)| (name.trim_start_matches('$'), value));
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_');
    match parts.filter(|(name, _)| is_name(name)) {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err("write NAME=VALUE: age=40 for $age"),
    }
}
