//! Running a conversion.

use std::path::Path;
use std::sync::Arc;

use arrow_schema::{DataType, Field};
use tfxio_core::{CopyRecords, Count, Error, ErrorKind, FactValue, Files, Nested, OptionValue, Result, Sink};
use tfxio_formats::opening::{self, Checked};
use tfxio_scan::cast::{self, Target};
use tfxio_store::DASH;
use tfxio_store::output::{bytes_of, is_stdout, shards_beside};
use tfxio_store::url;

use super::feeding::{Meter, Way};
use super::resume;
use super::rows::InputRows;
use super::{Conversion, Loss, Phase, Progress, Summary};

/// Output of a run.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) records: u64,
    /// Size of the output.
    pub(super) bytes: u64,
    /// Names of the files.
    pub(super) files: Vec<String>,
    /// Losses in values, in addition to the losses of their types.
    pub(super) losses: Vec<Loss>,
}

/// Receiver of the progress of a conversion.
pub(super) type Watch = Arc<dyn Fn(Progress) + Send + Sync>;

impl Conversion {
    pub(super) fn convert(&self, watch: &Watch) -> Result<Summary> {
        let (bytes_in, skip) = (self.bytes_in, self.request.on_error.skip().cloned());
        let copies = self.copies()?;
        if let Some(beside) = shards_beside(&self.output.to_string_lossy(), &**self.opening.files().store())?
        {
            self.opening.say(&beside);
        }
        let is_local = !is_stdout(&self.output) && !url::is_url(&self.output.to_string_lossy());
        if !self.resume && is_local {
            // Shards of an earlier conversion that was broken off are not those of this one.
            resume::forget(&self.output)?;
        }
        let done = if copies { self.copy(watch)? } else { self.decode(watch)? };
        let Outcome { records, bytes: bytes_out, files, losses: of_values } = done;
        let losses = self.losses().iter().cloned().chain(of_values).collect();
        let skipped = skip.map(|skip| skip.report());
        let found = self.found.get().cloned().unwrap_or_default();
        Ok(Summary { records, bytes_in, bytes_out, files, losses, skipped, found })
    }

    /// Returns what is lost of the values that a sink was given, before its files appear.
    ///
    /// # Errors
    /// When something is, and nothing may be lost.
    pub(super) fn losses_of(&self, sink: &dyn Sink) -> Result<Vec<Loss>> {
        let losses = sink.losses();
        if self.shaping.cast.is_lossless {
            cast::refuse_losses(&losses)?;
        }
        Ok(losses)
    }

    /// Returns what copies the records as they are, if nothing else is asked for.
    fn copier(&self) -> Option<&dyn CopyRecords> {
        let request = &self.request;
        let is_whole = request.columns.is_none() && request.filter.is_none() && request.limit.is_none();
        let is_whole = is_whole && self.shaping.is_plain() && !self.resume;
        let is_same = self.opening.format().name() == self.format.name();
        self.format.copy_records().filter(|copier| is_whole && is_same && copier.keeps_all(&self.options))
    }

    /// Returns whether records are copied as they are.
    fn copies(&self) -> Result<bool> {
        let Some(copier) = self.copier() else { return Ok(false) };
        if self.opening.files().names().len() < 2 {
            return Ok(true);
        }
        let Checked { files, options, .. } = self.opening.clone().checked()?;
        Ok(copier.keeps_all_of(&files, &options))
    }

    /// Returns whether the floats of a text are read as 32-bit floats, which was asked for.
    fn rounds_floats(&self) -> bool {
        let from = self.opening.format();
        let is_structured =
            matches!(self.stated.get("layout"), Some(OptionValue::Text(text)) if text == "structured");
        is_structured
            && !from.holds_records()
            && from.options().iter().any(|spec| spec.key == "infer_records")
    }

    /// Copies records.
    fn copy(&self, watch: &Watch) -> Result<Outcome> {
        let Checked { files, mut options, .. } = self.opening.clone().checked()?;
        options.store.clone_from(&self.options.store);
        options.overwrite = self.options.overwrite;
        for (key, value) in self.options.values() {
            options = options.option(key, value.clone());
        }
        self.counter.restart(None);
        let Some(copier) = self.copier() else { return Ok(Outcome::default()) };
        let output = self.output.to_string_lossy();
        let meter = Meter::new(self, watch);
        let report =
            copier.copy_records(&files, &output, &options, &mut |records| meter.say_records(records))?;
        let count = |key| match report.get(key) {
            Some(FactValue::Count(count)) => Some(*count),
            _ => None,
        };
        let bytes = count("bytes").unwrap_or_else(|| bytes_of(&[&*output], &self.options));
        let files = match report.get("files") {
            Some(FactValue::Counts(files)) => files.iter().map(|(name, _)| name.clone()).collect(),
            _ => vec![output.to_string()],
        };
        let records = count("records").unwrap_or_default();
        Ok(Outcome { records, bytes, files, losses: Vec::new() })
    }

    /// Decodes and encodes rows.
    fn decode(&self, watch: &Watch) -> Result<Outcome> {
        let files = self.opening.files().clone();
        let sizes = sizes(&files);
        let meter = Meter::new(self, watch);
        let (bytes_in, opening) = (self.bytes_in, Arc::clone(watch));
        self.counter.restart(Some(Arc::new(move |bytes: u64| {
            let bytes_read = bytes.min(if bytes_in > 0 { bytes_in } else { u64::MAX });
            opening(Progress { phase: Phase::Schema, bytes_read, records: 0 });
        })));
        let looks_like = self.looks_like.as_deref();
        let dataset = self.opening.clone().open().map_err(|error| opening::explained(error, looks_like))?;
        self.schema.get_or_init(|| Arc::clone(dataset.schema()));
        let mut rows = InputRows::new(dataset, &self.request, &self.shaping)?;
        rows.look(|| meter.say(Phase::Schema))?;
        let takes_values = self.format.takes(&Field::new("value", DataType::Int64, true), &self.options);
        if takes_values && self.finds > 0 && self.found.get().is_none() {
            // What is wrong with records is said where they are converted.
            let found = rows.find_values(self.finds).unwrap_or_default();
            self.found.get_or_init(|| found);
        }
        if let Some(store) = &self.store {
            store.set_last_reader();
        }
        self.counter.restart(None);
        let nested = Nested::new();
        let mut batches = rows.read_within(&nested)?;
        let takes = |column: &Field| self.format.takes(column, &self.options);
        let rounds = self.rounds_floats();
        let of_reading = rows.dataset().losses();
        let losses = |column: &Field| {
            let of_column = of_reading.iter().filter(|loss| loss.column == *column.name());
            let mut losses = of_column.map(|loss| loss.what.clone()).collect::<Vec<_>>();
            losses.extend(self.format.losses(column, &self.options));
            if rounds && cast::has(column.data_type(), &DataType::Float32) {
                losses.push(cast::ROUNDED.to_owned());
            }
            losses
        };
        let target = Target { name: self.format.name(), takes: &takes, losses: &losses };
        let plan = Arc::new(rows.plan(batches.schema(), &target)?);
        self.losses.get_or_init(|| plan.losses().to_vec());
        let mut way = Way { plan, filter: None, threading: rows.request().threading() };
        if self.resume {
            drop(batches);
            let written = self.write_shards(&rows, &way, &meter)?;
            watch(Progress { phase: Phase::Records, bytes_read: self.bytes_in, records: written.records });
            refuse_changes(&files, &sizes)?;
            return Ok(written);
        }
        way.filter = batches.filter_apart();
        // An output may refuse to have no columns: damage says more.
        let mut first = batches.next_batch()?;
        let is_empty = first.is_none();
        if is_empty {
            // What has the name of the output stays if nothing is left to replace it.
            self.request.on_error.refuse_nothing(0)?;
        }
        let output = self.output.to_string_lossy();
        let created = self.format.sink(&output, way.plan.schema(), &self.options);
        let mut sink = created.map_err(|error| named(&self.output, error))?;
        let mut records = 0;
        if !is_empty {
            let next = move || first.take().map_or_else(|| batches.next_batch(), |batch| Ok(Some(batch)));
            records = way.write(&mut *sink, nested, next, &meter)?;
        }
        // Heads were read when the files were opened.
        watch(Progress { phase: Phase::Records, bytes_read: self.bytes_in, records });
        refuse_changes(&files, &sizes)?;
        let losses = self.losses_of(&*sink)?;
        let files = sink.finish()?.files;
        Ok(Outcome { records, bytes: bytes_of(&files, &self.options), files, losses })
    }
}

/// Names standard output in an error of creating the output: `-` would be standard input.
pub(super) fn named(output: &Path, mut error: Error) -> Error {
    if is_stdout(output) && error.position().file.as_deref() == Some(DASH) {
        error.position_mut().file = Some("standard output".into());
    }
    error
}

/// Returns the sizes of local files.
fn sizes(files: &Files) -> Vec<Option<u64>> {
    let size =
        |name: &Arc<str>| std::fs::metadata(files.store().local_path(name)?).ok().map(|found| found.len());
    files.names().iter().map(size).collect()
}

/// Refuses files that are not as they were when their columns were inferred.
fn refuse_changes(files: &Files, before: &[Option<u64>]) -> Result<()> {
    for ((name, before), after) in files.names().iter().zip(before).zip(sizes(files)) {
        if *before != after {
            let bytes = |size: Option<u64>| {
                size.map_or("none".to_owned(), |size| Count::of(size, "byte").to_string())
            };
            let what = format!(
                "the file changed while it was converted: it had {} when the columns were inferred, and {} when it had \
                 been read",
                bytes(*before),
                bytes(after)
            );
            let error = Error::new(ErrorKind::Malformed, what).help("convert it when nothing writes to it");
            return Err(error.in_file(Arc::clone(name)));
        }
    }
    Ok(())
}
