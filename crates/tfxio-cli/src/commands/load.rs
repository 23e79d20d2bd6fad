//! `tfxio load`: batches as a loader makes them, and how fast; [`init`] writes a first configuration.

mod anomalies;
pub(crate) mod init;

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tfxio::batch_loader::config::{LoaderConfig, Located, OnError, Shard};
use tfxio::batch_loader::{Anomaly, Batch, LoaderBuilder, LoaderState, Stats};
use tfxio::tensor_repr::DenseTensor;
use tfxio::{ErrorKind, OutputFile, Position, SkipBudget};

use crate::args::{self, DASH, Load};
use crate::context::Context;
use crate::failure::{DATA, Failure, say};
use crate::json::{self, Object};
use crate::on_error::{NOT_SKIPPED, say_report};
use crate::output::{self, Output};
use crate::table::{count, counted, cut_right};
use crate::{Done, escape, progress, tensor, verbosity};

pub(crate) fn run(args: &Load, context: &Context) -> Done {
    if let Some(data) = &args.init {
        return init::run(args, data, context);
    }
    let file = args.config.as_deref().unwrap_or(Path::new(""));
    let config = configuration(args, context, file)?;
    let mut builder = builder(args, config).formats(&context.formats);
    if let Some(file) = &args.state {
        builder = builder.state(saved(file)?);
    }
    let mut out = Output::new();
    if args.check {
        builder.check()?;
        writeln!(out, "{}: all is well", file.display())?;
        return Ok(out.finish()?);
    }
    let start = Instant::now();
    let progress = progress::begin("looking at the files", None);
    let mut loader = builder.build()?;
    let mut batches = 0;
    while batches < args.batches {
        if progress::is_shown() {
            let stats = loader.stats();
            progress::title(format!(
                "loading, {} and {}",
                counted(batches, "batch"),
                counted(stats.examples, "example")
            ));
            progress::at(stats.bytes_framed, stats.records_parsed);
        }
        match loader.next_batch() {
            Ok(Some(batch)) => {
                let text =
                    if args.shown.is_json() { in_json(&batch, batches) } else { for_people(&batch, batches) };
                writeln!(out, "{text}")?;
            }
            Ok(None) => break,
            Err(error) => {
                // What came before is shown before what is wrong is said.
                if args.shown.is_json() && !loader.anomalies().is_empty() {
                    writeln!(out, "{}", anomalies::alone_in_json(loader.anomalies()))?;
                }
                out.finish()?;
                say_report(&loader.skip_report());
                anomalies::say(loader.anomalies());
                return Err(error.into());
            }
        }
        batches += 1;
    }
    drop(progress);
    let run = LoadRun { seed: loader.seed(), took: start.elapsed(), stats: loader.stats() };
    let text = if args.shown.is_json() { run.in_json(loader.anomalies()) } else { run.for_people() };
    writeln!(out, "{text}")?;
    out.finish()?;
    say_report(&loader.skip_report());
    anomalies::say(loader.anomalies());
    if let Some(file) = &args.save_state {
        // Whole or not at all, in place of an older one.
        OutputFile::write(file, (loader.state().to_json() + "\n").as_bytes())?;
    }
    // A run that goes on from its end reads over old damage, and has nothing left to parse.
    let went_on = args.state.is_some();
    if !went_on && run.stats.records_parsed == 0 && run.stats.ranges_skipped > 0 {
        say(format_args!("error: everything was damaged and skipped: there is no record"));
        return Err(Failure::Reported(DATA));
    }
    if run.stats.examples == 0 && args.batches > 0 {
        say(format_args!("warning: {}", run.nothing()));
    }
    Ok(())
}

/// Returns the configuration of a file with what the flags change of it, and reports what it warns of.
fn configuration(args: &Load, context: &Context, file: &Path) -> Result<Located<LoaderConfig>, Failure> {
    if context.stated.is_some() || !context.options.is_empty() || !context.preferred.is_empty() {
        let text = "--as and the options of formats say how --init opens data; how a configuration loads data, it says itself";
        return Err(Failure::Usage(text.to_owned()));
    }
    let mut config = if file == Path::new(DASH) { from_stdin()? } else { LoaderConfig::from_file(file)? };
    if let Some(threads) = args.threads {
        (config.num_parallel_reads, config.num_parallel_parses) = (threads.into(), threads.into());
    }
    config.on_error = on_error(args, config.on_error)?;
    select(args, &mut config);
    verbosity::tell(format_args!(
        "{} that read, {} that parse",
        counted(config.num_parallel_reads as u64, "thread"),
        counted(config.num_parallel_parses as u64, "thread")
    ));
    for warning in config.warnings() {
        say(format_args!("warning: {warning}"));
    }
    Ok(config)
}

/// Returns the configuration that comes in on standard input.
fn from_stdin() -> Result<Located<LoaderConfig>, Failure> {
    let position = || Position::new().file(DASH);
    let failed = |error| tfxio::Error::io(error, "reading the configuration").at(position());
    let mut text = String::new();
    io::stdin().lock().take(MAX_BYTES.saturating_add(1)).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_BYTES {
        let what = "the configuration has more than 64 MiB; check that this is one";
        return Err(tfxio::Error::new(ErrorKind::LimitExceeded, what).at(position()).into());
    }
    Ok(LoaderConfig::from_json(&text).map_err(|error| error.in_file(DASH))?)
}

/// Leaves out the features that the flags do not name, and reports them.
fn select(args: &Load, config: &mut Located<LoaderConfig>) {
    if args.inputs.is_empty() && args.targets.is_empty() {
        return;
    }
    let names = args.inputs.iter().chain(&args.targets).map(|name| Arc::from(name.as_str()));
    let (names, known) = (names.collect::<Vec<_>>(), config.tensor_names());
    if names.iter().any(|name| !known.contains(name)) {
        // The error names all tensors that there are.
        return;
    }
    let left_out = config.select(&names);
    if left_out.is_empty() {
        return;
    }
    let named = left_out.iter().take(NAMED).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let more = left_out.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let text = format!("{named}{more}");
    say(format_args!(
        "note: not loaded, as neither --inputs nor --targets names it: {}",
        escape::line(&text)
    ));
}

/// The most tensors that a note names.
const NAMED: usize = 8;

/// Returns the treatment of damage: the configuration's, overridden by the flags.
fn on_error(args: &Load, given: OnError) -> Result<OnError, Failure> {
    let given = match (args.on_error, given) {
        (Some(args::OnError::Fail), _) => OnError::Fail,
        (Some(args::OnError::Skip), OnError::Fail) => OnError::Skip(SkipBudget::default()),
        (_, given) => given,
    };
    match given {
        OnError::Skip(budget) => Ok(OnError::Skip(
            budget
                .ranges(args.max_skipped.unwrap_or(budget.ranges))
                .bytes(args.max_skipped_bytes.unwrap_or(budget.bytes)),
        )),
        OnError::Fail if args.max_skipped.or(args.max_skipped_bytes).is_some() => {
            Err(Failure::Usage(NOT_SKIPPED.to_owned()))
        }
        given => Ok(given),
    }
}

/// Maximum size of a state, or of a configuration on standard input, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Returns the state in a file.
fn saved(file: &Path) -> Result<LoaderState, Failure> {
    let name = file.display();
    let position = || Position::new().file(name.to_string());
    let failed = |error: io::Error| {
        let what = match error.kind() {
            io::ErrorKind::NotFound => "no such file; check the path",
            _ => "the state cannot be read",
        };
        tfxio::Error::new(ErrorKind::Io, what).at(position()).because(error)
    };
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|file| file.take(MAX_BYTES.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        let what = "the state has more than 64 MiB; check that this is the file of a state";
        return Err(tfxio::Error::new(ErrorKind::LimitExceeded, what).at(position()).into());
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))?;
    LoaderState::from_json(text.trim()).map_err(|error| Failure::Usage(format!("{name}: {error}")))
}

fn builder(args: &Load, config: Located<LoaderConfig>) -> LoaderBuilder {
    let names = |names: &[String]| names.iter().map(|name| Arc::from(name.as_str())).collect::<Vec<_>>();
    let (inputs, targets) = match (&args.inputs[..], &args.targets[..]) {
        ([], []) => (config.tensor_names(), Vec::new()),
        (inputs, targets) => (names(inputs), names(targets)),
    };
    let mut builder = tfxio::loader(config);
    if let Some(threads) = args.threads {
        builder = builder.threads(threads.into());
    }
    if let Some(seed) = args.seed {
        builder = builder.seed(seed);
    }
    if let Some((index, count)) = args.shard {
        builder = builder.shard(Shard { index, count });
    }
    if let Some(examples) = args.batch_size {
        builder = builder.batch_size(examples);
    }
    // Where the configuration lies, unless another folder is given: the command means the same wherever it is run.
    let folder = args.base_dir.as_deref().or_else(|| args.config.as_deref()?.parent());
    if let Some(folder) = folder {
        builder = builder.base_dir(folder);
    }
    builder.inputs(inputs).targets(targets)
}

/// A line for the batch, and one for each tensor: name, dtype, shape, first values.
fn for_people(batch: &Batch, number: u64) -> String {
    let examples = batch.len();
    let mut lines = vec![format!("batch {number}: {}", counted(examples as u64, "example"))];
    let roles = [("input", batch.inputs().collect::<Vec<_>>()), ("target", batch.targets().collect())];
    let all = || roles.iter().flat_map(|(_, tensors)| tensors);
    let wide = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or_default();
    let name_width = wide(&mut all().map(|(name, _)| escape::line(name).chars().count()));
    let spec_width = wide(&mut all().map(|(_, tensor)| spec(tensor).chars().count()));
    for (role, tensors) in &roles {
        for (name, dense) in tensors {
            let (name, spec, values) = (escape::line(name), spec(dense), tensor::dense(dense));
            let text = format!("  {role:<6}  {name:<name_width$}  {spec:<spec_width$}  {values}");
            lines.push(match output::terminal_width() {
                Some(width) => cut_right(&text, width),
                None => text,
            });
        }
    }
    lines.join("\n")
}

fn spec(tensor: &DenseTensor) -> String {
    format!("{} {:?}", tensor.values().dtype(), tensor.shape())
}

/// One object with the whole tensors.
fn in_json(batch: &Batch, number: u64) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.number("batch", number);
    object.number("examples", batch.len() as u64);
    members(object.key("inputs"), batch, &mut batch.inputs());
    members(object.key("targets"), batch, &mut batch.targets());
    object.finish();
    line
}

fn members(out: &mut String, batch: &Batch, tensors: &mut dyn Iterator<Item = (&Arc<str>, &DenseTensor)>) {
    let mut object = Object::new(out);
    for (name, dense) in tensors {
        let mut inner = Object::new(object.key(name));
        tensor::dense_members(&mut inner, dense);
        if let Some(lengths) = batch.row_lengths(name) {
            inner.key("row_lengths").push_str(&tensor::int_lists(lengths));
        }
        inner.finish();
    }
    object.finish();
}

/// Counts and duration of a run.
struct LoadRun {
    seed: u64,
    took: Duration,
    stats: Stats,
}

impl LoadRun {
    fn per_second(&self, number: u64) -> u64 {
        (number as f64 / self.took.as_secs_f64().max(1e-9)).round() as u64
    }

    fn for_people(&self) -> String {
        let stats = &self.stats;
        let mut text = format!(
            "{} in {}, seed {}\n\
             read {}, {:.1} MB, in {:.3} s: {} records/s, {:.1} MB/s, {} examples/s\n\
             waited {:.3} s for batches, and the loader {:.3} s for this command\n\
             threads took {:.3} s to read, {:.3} s to decompress, {:.3} s to parse, {:.3} s to plan and {:.3} s to assemble batches",
            counted(stats.examples, "example"),
            counted(stats.batches, "batch"),
            self.seed,
            counted(stats.records_parsed, "record"),
            stats.bytes_framed as f64 / 1e6,
            self.took.as_secs_f64(),
            count(self.per_second(stats.records_parsed)),
            self.per_second(stats.bytes_framed) as f64 / 1e6,
            count(self.per_second(stats.examples)),
            stats.waiting_for_input.as_secs_f64(),
            stats.waiting_for_consumer.as_secs_f64(),
            stats.reading.as_secs_f64(),
            stats.inflating.as_secs_f64(),
            stats.parsing.as_secs_f64(),
            stats.planning.as_secs_f64(),
            stats.assembling.as_secs_f64(),
        );
        for (number, what) in [
            (stats.windows, "windows cut"),
            (stats.leftover, "steps or records at the ends of files that filled no window"),
            (stats.records_filtered, "records that the filter left out"),
            (stats.examples_truncated, "examples truncated"),
            (stats.examples_dropped, "examples left out for their length"),
            (stats.ranges_skipped, "damaged ranges skipped"),
            (stats.records_skipped, "records known to be in them"),
            (stats.bytes_skipped, "bytes in them"),
        ] {
            if number > 0 {
                text = format!("{text}\n{} {what}", count(number));
            }
        }
        text
    }

    fn in_json(&self, anomalies: &[Anomaly]) -> String {
        let stats = &self.stats;
        let mut line = String::new();
        let mut object = Object::new(&mut line);
        for (key, value) in [
            ("seed", self.seed),
            ("batches", stats.batches),
            ("examples", stats.examples),
            ("records_framed", stats.records_framed),
            ("bytes_framed", stats.bytes_framed),
            ("bytes_inflated", stats.bytes_inflated),
            ("records_parsed", stats.records_parsed),
            ("records_filtered", stats.records_filtered),
            ("examples_truncated", stats.examples_truncated),
            ("examples_dropped", stats.examples_dropped),
            ("ranges_skipped", stats.ranges_skipped),
            ("records_skipped", stats.records_skipped),
            ("bytes_skipped", stats.bytes_skipped),
            ("windows", stats.windows),
            ("leftover", stats.leftover),
        ] {
            object.number(key, value);
        }
        for (key, value) in [
            ("seconds", self.took.as_secs_f64()),
            ("seconds_reading", stats.reading.as_secs_f64()),
            ("seconds_inflating", stats.inflating.as_secs_f64()),
            ("seconds_parsing", stats.parsing.as_secs_f64()),
            ("seconds_planning", stats.planning.as_secs_f64()),
            ("seconds_assembling", stats.assembling.as_secs_f64()),
            ("seconds_waiting_for_input", stats.waiting_for_input.as_secs_f64()),
            ("seconds_waiting_for_consumer", stats.waiting_for_consumer.as_secs_f64()),
            ("records_per_s", self.per_second(stats.records_parsed) as f64),
            ("examples_per_s", self.per_second(stats.examples) as f64),
            ("mb_per_s", self.per_second(stats.bytes_framed) as f64 / 1e6),
        ] {
            json::double(object.key(key), value);
        }
        anomalies::list(object.key("anomalies"), anomalies);
        object.finish();
        line
    }

    /// Why there may be no batch.
    fn nothing(&self) -> String {
        let stats = &self.stats;
        match (stats.records_framed, stats.leftover) {
            (0, _) => "no batch came out: the files hold no record".to_owned(),
            (_, 0) => "no batch came out: the examples are fewer than a batch, and drop_remainder is true"
                .to_owned(),
            (_, left) => {
                let units = if left == 1 { "step or record" } else { "steps or records" };
                format!(
                    "no batch came out: {left} {units} at the ends of files filled no window; choose shorter windows"
                )
            }
        }
    }
}
