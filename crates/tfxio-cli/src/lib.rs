//! The `tfxio` command as a library: [`run`] with formats of one's own.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     // `.register(MyFormat)` adds a format of one's own.
//!     let formats = tfxio::formats();
//!     tfxio_cli::run(std::env::args_os(), &formats)
//! }
//! ```
//!
//! `args` has the arguments, `commands` a file for each command, `failure` the errors and the exit codes of the
//! program.

mod advice;
mod args;
mod arrow_type;
mod cell;
mod color;
mod commands;
mod context;
mod escape;
mod failure;
mod help;
mod json;
mod leaves;
mod left_out;
mod losses;
mod on_error;
mod options;
mod output;
mod progress;
mod rows;
mod selection;
#[cfg(any(unix, windows))]
mod signals;
mod table;
mod tensor;
mod verbosity;
mod width;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use tfxio::Formats;

use self::args::Command;
use self::color::Color;
use self::failure::Failure;

/// Runs the command with arguments, of which the first is the name of the program. Files are opened with these formats, and
/// their options are flags.
///
/// Writes to standard output and standard error. The exit code is 0 if all went well, 1 if the data are damaged, 2 if the
/// command was not understood, and 3 if reading or writing failed.
pub fn run<A>(args: impl IntoIterator<Item = A>, formats: &Formats) -> ExitCode
where
    A: Into<OsString> + Clone,
{
    Color::default().decide();
    let (args, context) = match help::parse(args, formats) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are not errors.
            if error.use_stderr() {
                failure::say(format_args!("{}", error.to_string().trim_end()));
                return ExitCode::from(failure::USAGE);
            }
            return end(error.print().and_then(|()| std::io::stdout().flush()).map_err(Failure::from));
        }
    };
    args.color.decide();
    verbosity::set(args.quiet, args.verbose);
    let begin = std::time::Instant::now();
    #[cfg(any(unix, windows))]
    signals::watch();
    let done = match args.command {
        Command::AvroPath(args) => commands::avro_path::run(&args, &context),
        Command::Inspect(args) => commands::inspect::run(&args, &context),
        Command::Head(args) => commands::head::run(&args, &context),
        Command::Tail(args) => commands::tail::run(&args, &context),
        Command::Sample(args) => commands::sample::run(&args, &context),
        Command::Show(args) => commands::show::run(&args, &context),
        Command::Schema(args) => commands::schema::run(&args, &context),
        Command::Stats(args) => commands::stats::run(&args, &context),
        #[cfg(feature = "sql")]
        Command::Sql(args) => commands::sql::run(&args, &context),
        Command::Tensors(args) => commands::tensors::run(&args, &context),
        Command::Load(args) => commands::load::run(&args, &context),
        Command::Index(args) => commands::index::run(&args, &context),
        Command::Convert(args) => {
            commands::load::init::beside(&args, &context, || commands::convert::run(&args, &context))
        }
        Command::Verify(args) => commands::verify::run(&args, &context),
        Command::Extract(args) => commands::extract::run(&args, &context),
        Command::Completions(args) => commands::completions::run(&args, formats),
        Command::Man(args) => commands::man::run(&args, formats),
        Command::Repair(args) => commands::repair::run(&args, &context),
    };
    progress::finish();
    let (seconds, read) = (begin.elapsed().as_secs_f64(), progress::bytes_read());
    let read = if read > 0 { format!(", {} read", table::counted(read, "byte")) } else { String::new() };
    verbosity::tell(format_args!("took {seconds:.3} s{read}"));
    end(done)
}

fn end(done: Done) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Result of a command.
type Done = Result<(), Failure>;

/// Runs the example of this crate's README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
