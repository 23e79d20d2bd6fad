//! Conversions of files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pyo3::prelude::*;
use tfxio::convert::{Conversion, ConversionBuilder, Phase, Sample};
use tfxio::{Cancel, Predicate, Result, ScanRequest};

use super::{Asked, Notes, Wrote, wrote};
use crate::errors::OrRaise;
use crate::reading::Reading;
use crate::request::thread_count;
use crate::skipped::{self, Skipped};
use crate::waiting;

/// Options of the inputs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Inputs {
    format: Option<String>,
    filter: Option<String>,
    limit: Option<u64>,
    rows: Option<u64>,
    fraction: Option<f64>,
    seed: u64,
    resume: bool,
    infer_records: Option<u64>,
    on_error: String,
}

/// Progress of work: whether columns are being inferred, bytes read, and records written or read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge(Arc<(AtomicBool, AtomicU64, AtomicU64)>);

impl Gauge {
    pub(crate) fn set(&self, is_opening: bool, bytes: u64, records: u64) {
        let (opening, read, written) = &*self.0;
        opening.store(is_opening, Ordering::Relaxed);
        read.store(bytes, Ordering::Relaxed);
        written.store(records, Ordering::Relaxed);
    }

    /// Counts further records.
    pub(crate) fn add(&self, records: u64) {
        self.0.2.fetch_add(records, Ordering::Relaxed);
    }

    /// Notes how many bytes were read of all.
    pub(crate) fn read(&self, bytes: u64) {
        self.0.1.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Calls a function of Python with it; `total` is the number of bytes that are read.
    pub(crate) fn tell(&self, progress: &Bound<'_, PyAny>, total: Option<u64>) -> PyResult<()> {
        let (opening, read, written) = &*self.0;
        let phase = if opening.load(Ordering::Relaxed) { "schema" } else { "records" };
        let (read, written) = (read.load(Ordering::Relaxed), written.load(Ordering::Relaxed));
        // Beginnings of files are read again, to find out what they are.
        let read = read.min(total.unwrap_or(u64::MAX));
        progress.call1((phase, read, total, written)).map(drop)
    }
}

/// Runs work as [`waiting::wait_for_writing`], and tells a function of Python how far it is, if there is one.
pub(crate) fn watch<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    progress: Option<&Bound<'_, PyAny>>,
    gauge: &Gauge,
    total: Option<u64>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let Some(progress) = progress else { return waiting::wait_for_writing(py, cancel, work) };
    let done = waiting::wait_and_tell(py, cancel, |_| gauge.tell(progress, total), work)?;
    gauge.tell(progress, total)?;
    Ok(done)
}

/// Converts files. Returns what was written, and what was skipped.
#[pyfunction]
#[pyo3(signature = (inputs, output, asked, how, progress=None))]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    inputs: Vec<String>,
    output: String,
    asked: Asked,
    how: Inputs,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Wrote, Bound<'py, PyAny>)> {
    let (reading, notes, gauge) = (Reading::new(), Notes::default(), Gauge::default());
    let cancel = reading.cancel.clone();
    let mut request = ScanRequest::new().threads(thread_count(asked.threads));
    request =
        request.cancel(cancel.clone()).spawn(reading.spawn()).on_error(skipped::on_error(&how.on_error)?);
    if let Some(filter) = &how.filter {
        request = request.filter(filter.parse::<Predicate>().or_raise(py)?);
    }
    request.limit = how.limit;
    let skipped = Skipped::of(&request);
    let builder = Conversion::builder(inputs, output).request(request).on_note(notes.hear());
    let builder = builder_of(builder, &asked, &how).or_raise(py)?;
    let conversion = waiting::wait(py, &cancel, move || builder.build())?.or_raise(py)?;
    let total = Some(conversion.bytes_in()).filter(|bytes| *bytes > 0);
    let told = gauge.clone();
    let done = watch(py, &cancel, progress.as_ref(), &gauge, total, move || {
        conversion.run(move |at| told.set(at.phase == Phase::Schema, at.bytes_read, at.records))
    });
    let summary = Result::or_raise(done?, py)?;
    Ok((wrote(summary, &notes), skipped.report(py)?))
}

fn builder_of(mut builder: ConversionBuilder, asked: &Asked, how: &Inputs) -> Result<ConversionBuilder> {
    builder = builder
        .stores(asked.stores())
        .lossless(asked.lossless)
        .scalars(asked.scalars)
        .text(asked.text)
        .overwrite(asked.overwrite)
        .resume(how.resume);
    if let Some(columns) = &asked.columns {
        builder = builder.columns(columns);
    }
    builder = asked.exclude.iter().fold(builder, |builder, pattern| builder.exclude(pattern));
    for (column, to) in asked.casts()? {
        builder = builder.cast(column, to);
    }
    let sample = how.rows.map(Sample::Rows).or(how.fraction.map(Sample::Fraction));
    if let Some(sample) = sample {
        builder = builder.sample(sample, how.seed);
    }
    if let Some(shards) = asked.shards {
        builder = builder.shards(shards);
    }
    if let Some(records) = how.infer_records {
        builder = builder.prefer("infer_records", records);
    }
    if let Some(format) = &asked.format {
        builder = builder.output_format(format);
    }
    match &how.format {
        Some(name) if tfxio::formats().files().iter().any(|format| format.name() == name) => {
            builder = builder.input_format(name);
        }
        Some(name) => builder = builder.set("records", name.as_str())?,
        None => {}
    }
    for (key, value) in &asked.options {
        builder = builder.set(key, value.0.clone())?;
    }
    Ok(builder)
}
