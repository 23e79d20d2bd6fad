//! `tfxio sql`: runs statements over files.

mod prompt;
mod shown;

use std::io::{self, IsTerminal as _, Read as _};

use tfxio::sql::datafusion::error::DataFusionError;
use tfxio::sql::datafusion::scalar::ScalarValue;
use tfxio::sql::{Answer, FileTables, Session, TableOptions, dataset_error, mark};
use tfxio::{Error, ErrorKind, Formats};
use tokio::runtime::{Builder, Runtime};

use crate::args::Sql;
use crate::context::Context;
use crate::failure::{self, DATA, Failure, IO, USAGE, say};
use crate::table::counted;
use crate::{Done, progress, verbosity};

/// Bytes of the stack of each thread, so that it is large enough for statements that are nested deep. Memory is taken as far as it
/// is used.
const STACK: usize = 64 << 20;

pub(crate) fn run(args: &Sql, context: &Context) -> Done {
    let threads = usize::from(args.threads).max(1);
    let engine = SqlEngine::new(args, context, threads)?;
    match (&args.statement, &args.file) {
        (Some(text), _) => engine.run(text),
        (None, Some(file)) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| Error::from(error).in_file(file.to_string_lossy().into_owned()))?;
            engine.run(&text)
        }
        (None, None) if io::stdin().is_terminal() => prompt::run(&engine),
        (None, None) => {
            let mut text = String::new();
            let read = io::stdin().read_to_string(&mut text);
            read.map_err(|error| Error::from(error).in_file("standard input"))?;
            engine.run(&text)
        }
    }
}

/// A session, what it runs on, and how its answers are shown.
struct SqlEngine {
    session: Session,
    runtime: Runtime,
    parameters: Vec<(String, ScalarValue)>,
    threads: usize,
    format: String,
    formats: Formats,
}

impl SqlEngine {
    fn new(args: &Sql, context: &Context, threads: usize) -> Result<Self, Failure> {
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(threads).thread_stack_size(STACK).enable_time().build();
        let runtime = runtime
            .map_err(|error| Error::new(ErrorKind::Other, "no threads can be started").because(error))?;
        let options = TableOptions::new().scalars(!args.lists).text(!args.bytes);
        let files = FileTables::new().formats(&context.formats).open(context.open_options()?).table(options);
        let parameters = args.parameters.iter().map(|(name, value)| (name.clone(), parameter(value)));
        let engine = Self {
            session: match args.memory_bytes {
                Some(bytes) => Session::limited(files, threads, bytes),
                None => Session::new(files, threads),
            },
            runtime,
            parameters: parameters.collect(),
            threads,
            format: args.format.clone(),
            formats: context.formats.clone(),
        };
        // What cannot be shown is said before anything is read.
        shown::Shown::new(&engine)?;
        Ok(engine)
    }

    /// Runs the statements of a text, one after the other.
    fn run(&self, text: &str) -> Done {
        let said = |error: DataFusionError| report(&error, text);
        let threads = counted(self.threads as u64, "partition");
        verbosity::tell(format_args!("{threads} at most, one a thread"));
        for statement in Session::parse(text).map_err(said)? {
            // What is written to a terminal in a format of its own has no room for a bar.
            let is_seen = matches!(&*self.format, "table" | "json") || !io::stdout().is_terminal();
            let _progress = is_seen.then(|| progress::begin("reading", None));
            let begin = std::time::Instant::now();
            let answer =
                self.runtime.block_on(self.session.run(statement, &self.parameters)).map_err(said)?;
            let shown = shown::Shown::new(self)?;
            match answer {
                Answer::Rows(rows) => shown.rows(rows, &said)?,
                Answer::Written(summary) => shown.written(&summary)?,
            }
            verbosity::tell(format_args!("the statement took {:.3} s", begin.elapsed().as_secs_f64()));
        }
        Ok(())
    }
}

/// Returns the value of a parameter.
fn parameter(text: &str) -> ScalarValue {
    if let Ok(number) = text.parse::<i64>() {
        return number.into();
    }
    match text {
        "true" => true.into(),
        "false" => false.into(),
        _ => match text.parse::<f64>() {
            // Words such as `inf` are text.
            Ok(number) if text.starts_with(|char: char| char.is_ascii_digit() || "+-.".contains(char)) => {
                number.into()
            }
            _ => ScalarValue::from(text),
        },
    }
}

/// Prints an error: with its record if it is of data, with a mark if it is of the statement.
fn report(error: &DataFusionError, text: &str) -> Failure {
    if let Some(error) = dataset_error(error) {
        if error.kind() == ErrorKind::Cancelled {
            say(format_args!("error: interrupted"));
            return Failure::Reported(IO);
        }
        say(format_args!("error: {}", failure::paragraph(error)));
        return Failure::Reported(failure::exit_code(error));
    }
    let root = error.find_root();
    let code = match root {
        DataFusionError::IoError(_) | DataFusionError::ResourcesExhausted(_) => IO,
        DataFusionError::Execution(_) | DataFusionError::ArrowError(..) | DataFusionError::External(_) => {
            DATA
        }
        _ => USAGE,
    };
    let what = root.message();
    let what = what.strip_prefix("sql parser error: ").unwrap_or(&what);
    match mark(error, text) {
        Some(mark) => say(format_args!("error: {}\n{mark}", what.trim_end())),
        None => say(format_args!("error: {}", what.trim_end())),
    }
    Failure::Reported(code)
}
