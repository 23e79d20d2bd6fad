//! Arguments of all commands.

mod load;
mod read;
mod schema;
#[cfg(feature = "sql")]
mod sql;
mod stats;
mod write;

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args as Arguments, Parser, Subcommand, ValueEnum};

use crate::color::Color;

pub(crate) use self::load::Load;
pub(crate) use self::read::{
    At, AvroPath, Extract, Head, Inspect, Layout, Sample, Show, Shown, Tail, Target, Verify,
};
pub(crate) use self::schema::{Schema, SchemaFormat, TensorFormat, Tensors};
#[cfg(feature = "sql")]
pub(crate) use self::sql::Sql;
pub(crate) use self::stats::{Stats, StatsFormat};
pub(crate) use self::write::{Convert, Index, Repair};

const EXIT_CODES: &str = "\
Exit codes:
  0  all went well
  1  the data are damaged, or are not what they should be: anomalies of `stats --schema`, drift of
     `stats --compare`, findings of `schema --validate`, columns of several kinds in `schema`
  2  the command was not understood: an unknown option, column or format, or a condition that
     cannot be asked of a column
  3  reading or writing failed: a missing file, no permission, a full disk

FILE may be a path or a pattern: train@16.tfrecord (16 shards, all of which must be
there), train@*.tfrecord, train-?????-of-00016, 'data/**/*.tfrecord'; or - for standard
input. Compression (none, gzip, zlib) is found out from the bytes, not from the name, and so
are most formats.
Where the command was built with the feature `cloud`, FILE and outputs may also be
URLs: s3://BUCKET/train@16.tfrecord, gs://…, az://…; https://… is only read. Stores are
set up by the variables of the environment that begin with AWS_, GOOGLE_ and AZURE_.

https://github.com/tfxio/tfxio/blob/main/docs/command.md has every command by example.";

/// Look into, load, index, convert and repair training data.
#[derive(Debug, Parser)]
#[command(name = "tfxio", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Whether there is colour
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_short_help = true)]
    pub(crate) color: Color,
    /// Show no progress and no notes; errors, warnings and reports of damage stay
    #[arg(short, long, global = true, hide_short_help = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say what was decided: format, schema, files, threads, time
    #[arg(short, long, global = true, hide_short_help = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Inspect(Inspect),
    Head(Head),
    Tail(Tail),
    Sample(Sample),
    Show(Show),
    Schema(Schema),
    Stats(Stats),
    Tensors(Tensors),
    #[cfg(feature = "sql")]
    Sql(Sql),
    AvroPath(AvroPath),
    Load(Load),
    Index(Index),
    Convert(Convert),
    Repair(Repair),
    Verify(Verify),
    Extract(Extract),
    Completions(Completions),
    Man(Man),
}

/// Flags of all commands that open files. Options of formats are further flags: see [`options`](crate::options).
#[derive(Clone, Debug, Arguments)]
pub(crate) struct Stated {
    /// Format of the files or of their records [default: found out from them]
    #[arg(id = "stated", long = "as", value_name = "FORMAT")]
    _stated: Option<String>,
    /// Keep at most N bytes of standard input in a temporary file, so that it can be read twice [default: 68719476736]
    #[arg(id = "spool_bytes", long = "spool-bytes", value_name = "N", hide_short_help = true)]
    _spool_bytes: Option<u64>,
}

/// Flags of commands that read files, which may have indexes.
#[derive(Clone, Debug, Arguments)]
pub(crate) struct Opening {
    #[command(flatten)]
    _stated: Stated,
    /// Read without the indexes beside files, also where one contradicts its file
    #[arg(id = "no_index", long = "no-index")]
    _no_index: bool,
}

/// Flags for the treatment of damage.
#[derive(Clone, Debug, Arguments)]
pub(crate) struct OnDamage {
    /// Treatment of damaged records of TFRecord and Avro files: end with an error, or leave them
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

/// Treatment of a damaged record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnError {
    /// End with an error
    Fail,
    /// Leave it out, and report it on standard error
    Skip,
}

/// Flags for the layout of a report.
#[derive(Clone, Debug, Arguments)]
pub(crate) struct Printed {
    /// Output format
    #[arg(long, value_enum, default_value_t = Layout::Table)]
    format: Layout,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Printed {
    pub(crate) fn is_json(&self) -> bool {
        self.json || self.format == Layout::Json
    }
}

/// Print what completes commands and flags in a shell.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio completions bash > tfxio.bash
  tfxio completions zsh > _tfxio
  tfxio completions fish > tfxio.fish

bash: source the file, or write it to ~/.local/share/bash-completion/completions/tfxio. zsh: a folder
of $fpath. fish: ~/.config/fish/completions. PowerShell: a line of $PROFILE that runs it.")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual, or write its pages to a folder.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio man > tfxio.1
  tfxio man head > tfxio-head.1
  tfxio man -o man1

`man -l tfxio-head.1` shows a page. The folder man1 below one of $MANPATH is where `man tfxio-head`
finds them.")]
pub(crate) struct Man {
    /// The command whose page is printed [default: the program]
    #[arg(conflicts_with = "output")]
    pub(crate) command: Option<String>,
    /// Write the pages of all commands to this folder
    #[arg(short = 'o', long, value_name = "FOLDER", value_parser = path())]
    pub(crate) output: Option<PathBuf>,
}

/// Reads a number of threads; 0 means one for each processor.
fn threads(text: &str) -> Result<u16, &'static str> {
    const MOST: u16 = 1024;
    let threads = text.parse().ok().filter(|threads| *threads <= MOST);
    if threads == Some(0) {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        return Ok(u16::try_from(processors).unwrap_or(MOST).min(MOST));
    }
    threads.ok_or("give a number of threads from 1 to 1024, or 0 for one a processor")
}

/// A path of a file or a folder that is written, which need not be Unicode.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new()
        .try_map(|text| if text == DASH { Err(NOT_STDOUT) } else { Ok(PathBuf::from(text)) })
}

/// Standard input or output.
pub(crate) const DASH: &str = "-";

const NOT_STDOUT: &str =
    "this is written to a file or a folder, and not to standard output; one of this name is ./-";
