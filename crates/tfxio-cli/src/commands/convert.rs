//! `tfxio convert`: from files of one format to a file of another, or of the same.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tfxio::convert::{Conversion, Loss, Phase};
use tfxio::prelude::*;
use tfxio::tfxio_core::UnknownColumn;
use tfxio::{ErrorKind, FileFormat, FoundValues, OnError, OptionValue, Remedy, Skip, is_url};

use crate::args::{Convert, DASH};
use crate::context::{self, Context};
use crate::failure::{Failure, say, with_mark};
use crate::table::{count, counted};
use crate::{Done, escape, losses, on_error, progress, verbosity};

/// The most threads that are used where no number is given.
const THREADS: usize = 8;
/// Records by which it is said which columns could be scalars and text.
const LOOKED_AT: u64 = 100;

/// Converts, and returns the file or the set of files that was written.
pub(crate) fn run(args: &Convert, context: &Context) -> Result<PathBuf, Failure> {
    let skip = args.on_damage.skip()?;
    let conversion = conversion(args, context, skip.as_ref())?;
    let is_stdout = conversion.output().as_os_str() == DASH;
    if is_stdout {
        refuse_binary(&**conversion.output_format(), io::stdout().is_terminal())?;
    }
    let begin = Instant::now();
    tell(&conversion, args);
    // A terminal that shows the rows has no room for a bar.
    let is_seen = progress::is_shown() && !(is_stdout && io::stdout().is_terminal());
    let bytes_in = Some(conversion.bytes_in()).filter(|bytes| *bytes > 0);
    let bar = is_seen.then(|| progress::begin("converting", bytes_in));
    let opens = AtomicBool::new(false);
    let done = conversion.run(move |at| {
        if !is_seen {
            return;
        }
        let is_opening = at.phase == Phase::Schema;
        if is_opening != opens.swap(is_opening, Ordering::Relaxed) {
            progress::phase(if is_opening { "looking at the columns" } else { "converting" });
        }
        progress::at(at.bytes_read, at.records);
    });
    drop(bar);
    on_error::report(skip.as_ref());
    if let Ok(summary) = &done {
        report_losses(&summary.losses);
    }
    let summary = done.map_err(|error| {
        if is_stdout && error.is_io_kind(io::ErrorKind::BrokenPipe) {
            // Nobody wants more.
            return Failure::Closed;
        }
        let schema = conversion.input_schema().map(|schema| &**schema);
        explain(context.explain(error, schema), args)
    })?;
    if progress::is_shown() || verbosity::is_verbose() {
        let seconds = begin.elapsed().as_secs_f64();
        let rate = if seconds > 0.0 { (summary.records as f64 / seconds) as u64 } else { 0 };
        // Nobody knows how much a pipe gave or took.
        let bytes = |bytes: u64| if bytes > 0 { counted(bytes, "byte") } else { "a stream".to_owned() };
        say(format_args!(
            "{}, {} to {} in {seconds:.1} s, {} records/s",
            counted(summary.records, "record"),
            bytes(summary.bytes_in),
            bytes(summary.bytes_out),
            count(rate)
        ));
        propose(&summary.found);
    }
    Ok(conversion.output().to_owned())
}

/// Prints the flags with which features of one value, or of text, become such columns, if there are any.
fn propose(found: &FoundValues) {
    const MOST: usize = 8;
    let (mut flags, mut write) = (Vec::new(), Vec::new());
    for (what, names) in [("scalars", &found.scalars), ("text", &found.text)] {
        if names.is_empty() {
            continue;
        }
        let shown = names.iter().take(MOST).map(|name| escape::line(name)).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(MOST);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        flags.push(format!("--{what}"));
        write.push(format!("{shown}{more} as {what}"));
    }
    if !flags.is_empty() {
        context::note(&format!("{} write {}", flags.join(" "), write.join(", ")));
    }
}

/// Prints the decisions of a conversion.
fn tell(conversion: &Conversion, args: &Convert) {
    let threads = args.threads.map_or_else(processors, usize::from);
    let columns = match args.infer_records {
        Some(records) => format!("the first {} at most", counted(records, "record")),
        None => "all records".to_owned(),
    };
    let (from, to) = (conversion.input_format().name(), conversion.output_format().name());
    verbosity::tell(format_args!(
        "from {from} to {to}, with {}; where columns are inferred, from {columns}",
        counted(threads as u64, "thread")
    ));
}

/// Returns how many threads work where no number is given.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(THREADS)
}

/// Refuses to write bytes to a terminal, which would act on some of them.
pub(super) fn refuse_binary(format: &dyn FileFormat, is_terminal: bool) -> Done {
    if !is_terminal || format.is_text() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} files are not text, and standard output is a terminal; redirect it, as in > FILE, or pipe it to a program",
        format.name()
    )))
}

/// Prints the losses, each once with its columns.
pub(super) fn report_losses(losses: &[Loss]) {
    losses::say(losses, "; --lossless refuses that");
}

/// Returns the conversion that was asked for.
fn conversion(args: &Convert, context: &Context, skip: Option<&Skip>) -> Result<Conversion, Failure> {
    let (inputs, output) = names(args)?;
    let dashes = inputs.iter().filter(|input| **input == DASH).count();
    let mut request = ScanRequest::new();
    request = request.threads(args.threads.map_or_else(processors, usize::from));
    if let Some(skip) = skip {
        request = request.on_error(OnError::Skip(skip.clone()));
    }
    if let Some(predicate) = &args.predicate {
        request = request.filter(predicate.parse()?);
    }
    if let Some(rows) = args.limit {
        request = request.limit(rows);
    }
    let mut builder = Conversion::builder(inputs, output).formats(&context.formats).request(request);
    builder = builder.spool_limits(context.spool_limits()).on_note(context::note);
    builder = builder
        .lossless(args.lossless)
        .scalars(args.scalars)
        .text(args.text)
        .overwrite(!args.no_clobber)
        .resume(args.resume);
    if progress::is_shown() || verbosity::is_verbose() {
        builder = builder.find_values(LOOKED_AT);
    }
    if let Some(columns) = &args.columns {
        builder = builder.columns(columns);
    }
    builder = args.exclude.iter().fold(builder, |builder, name| builder.exclude(name));
    builder = args.cast.iter().fold(builder, |builder, (column, to)| builder.cast(column, *to));
    if let Some(sample) = args.sample {
        builder = builder.sample(sample, args.seed.unwrap_or_default());
    }
    if let Some(shards) = args.shards {
        builder = builder.shards(shards);
    }
    if let Some(records) = args.infer_records {
        builder = builder.prefer("infer_records", records);
    }
    match &args.to {
        Some(format) => builder = builder.output_format(format),
        // What is named twice is said first.
        None if output.as_os_str() == DASH && dashes < 2 => {
            let text = "standard output has no name that says a format; give one, such as --to jsonl";
            return Err(Failure::Usage(text.to_owned()));
        }
        None => {}
    }
    match &context.stated {
        Some(name) if context.formats.files().iter().any(|format| format.name() == name) => {
            builder = builder.input_format(name);
        }
        Some(name) => builder = builder.set("records", name.as_str())?,
        None => {}
    }
    for (key, value) in &context.preferred {
        builder = builder.prefer(key, value.clone());
    }
    for (key, value) in &context.options {
        builder = match (key.as_str(), value) {
            // As it was called before.
            ("layout", OptionValue::Text(lists)) if lists == "lists" => builder.set(key, "structured")?,
            _ => builder.set(key, value.clone())?,
        };
    }
    builder.build().map_err(Failure::from)
}

/// Adds the remedy on the command line to an error.
fn explain(error: tfxio::Error, args: &Convert) -> Failure {
    let within = args.columns.iter().flatten().filter_map(|name| Some((name, name.split_once('.')?.0)));
    let unknown = error.detail::<UnknownColumn>().map(UnknownColumn::name);
    let is_asked = |(name, _): &(&String, &str)| unknown == Some(name.as_str());
    if let Some((name, column)) = { within }.find(is_asked) {
        return Failure::Usage(format!(
            "there is no column {name:?}; its fields are converted together, as the column {column:?}"
        ));
    }
    let casts = error.remedy() == Some(Remedy::CastColumn);
    match error.position().column.clone() {
        Some(column) if casts => {
            let flags = format!("on the command line, --exclude {column} or --cast {column}:TYPE");
            with_mark(error.and_help(&flags))
        }
        Some(column) if error.kind() == ErrorKind::Unsupported => {
            with_mark(error.and_help(&format!("on the command line, --exclude {column} leaves it out")))
        }
        None if casts && args.lossless => {
            with_mark(error.and_help("on the command line, --exclude A,B, --cast A:TYPE, or no --lossless"))
        }
        _ => with_mark(error),
    }
}

/// The inputs and the output.
fn names(args: &Convert) -> Result<(Vec<&str>, &Path), Failure> {
    let Some((output, inputs)) = args.files.split_last().filter(|(_, inputs)| !inputs.is_empty()) else {
        let text =
            "there is one name, and convert needs two: an input, and last the output; for more, try '--help'";
        return Err(Failure::Usage(text.to_owned()));
    };
    let mut names = Vec::with_capacity(inputs.len());
    for input in inputs {
        let Some(name) = input.to_str() else {
            let text = format!("{}: the name of an input is not Unicode; rename the file", input.display());
            return Err(Failure::Usage(text));
        };
        names.push(name);
    }
    refuse_pattern(output)?;
    Ok((names, output))
}

/// Refuses an output that would be one file with the name of a pattern.
fn refuse_pattern(output: &Path) -> Done {
    let Some(name) = output.file_name().map(|name| name.to_string_lossy()) else { return Ok(()) };
    if is_url(&output.to_string_lossy()) || !has_wildcards(&name) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{}: the output is a pattern, and only inputs may be patterns; give the name of one file, or of shards, such as \
         train@16.tfrecord or train@*.tfrecord",
        output.display()
    )))
}

/// Returns whether a name has wildcards other than the star of a set of shards, such as `train@*.avro`.
fn has_wildcards(name: &str) -> bool {
    let is_wild = |text: &str| text.contains(['*', '?']);
    match name.rsplit_once("@*") {
        Some((prefix, suffix)) if !prefix.is_empty() && (suffix.is_empty() || suffix.starts_with('.')) => {
            is_wild(prefix) || is_wild(suffix)
        }
        _ => is_wild(name),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;

    #[test]
    fn only_text_is_written_to_a_terminal() {
        let formats = tfxio::formats();
        let mut texts = Vec::new();
        for format in formats.files() {
            assert!(refuse_binary(&**format, false).is_ok(), "{}", format.name());
            let Err(failure) = refuse_binary(&**format, true) else {
                texts.push(format.name());
                continue;
            };
            let Failure::Usage(text) = failure else { panic!("{}", format.name()) };
            let expected =
                format!("{} files are not text, and standard output is a terminal; ", format.name());
            assert!(text.starts_with(&expected), "{text}");
        }
        texts.sort_unstable();
        assert_eq!(texts, ["csv", "jsonl"]);
    }
}
