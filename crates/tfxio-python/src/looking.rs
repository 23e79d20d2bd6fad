//! Inspection, verification, indexing, repair and extraction of files by their formats.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use tfxio::extract::Extraction;
use tfxio::store::Stores;
use tfxio::{
    Cancel, ColumnPath, Fact, FactValue, FileReport, FileState, LostRange, OpenOptions, Predicate, Result,
    ScanRequest, not_offered,
};

use crate::errors::OrRaise;
use crate::options::Options;
use crate::reading::Reading;
use crate::request::Path;
use crate::skipped::{self, Skipped};
use crate::waiting;
use crate::writing::Notes;
use crate::writing::convert::{Gauge, watch};

/// Options for opening the files.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct How {
    format: Option<String>,
    options: Options,
    storage_options: BTreeMap<String, String>,
}

/// A report, and the notes that came with it.
type Noted<'py> = (Bound<'py, PyList>, Vec<String>);

impl How {
    fn open(self, reading: &Reading, notes: &Notes, gauge: &Gauge) -> Result<OpenOptions> {
        let set = |stores: Stores, (key, value): (String, String)| stores.option(key, value);
        let stores = self.storage_options.into_iter().fold(Stores::default(), set);
        let gauge = gauge.clone();
        let mut open = OpenOptions::new().stores(stores).cancel(reading.cancel.clone()).on_note(notes.hear());
        open = open.on_read(move |bytes| gauge.read(bytes));
        if let Some(format) = self.format {
            open = open.format(format);
        }
        for (key, value) in self.options {
            open = open.set(&key, value.0)?;
        }
        Ok(open)
    }
}

/// Does something with each of the files that patterns name, and returns the reports.
fn each(
    open: &OpenOptions,
    paths: &[String],
    mut look: impl FnMut(&OpenOptions, &str) -> Result<Vec<FileReport>>,
) -> Result<Vec<FileReport>> {
    let mut reports = Vec::new();
    for path in paths {
        let files = open.files(path.as_str())?;
        for file in files.names() {
            reports.extend(look(open, file)?);
        }
    }
    Ok(reports)
}

/// Returns the bytes of all files that patterns name, for a progress that somebody looks at; nothing where a size is not known.
fn total(
    py: Python<'_>,
    cancel: &Cancel,
    progress: Option<&Bound<'_, PyAny>>,
    open: &OpenOptions,
    paths: &[String],
) -> PyResult<Option<u64>> {
    if progress.is_none() {
        return Ok(None);
    }
    let (open, paths) = (open.clone(), paths.to_vec());
    waiting::wait(py, cancel, move || {
        let mut total = 0u64;
        for path in &paths {
            // What is wrong with a name is said where it is looked at.
            let files = open.files(path.as_str()).ok()?;
            for file in files.names() {
                total = total.saturating_add(files.store().size(file).ok()??);
            }
        }
        Some(total).filter(|bytes| *bytes > 0)
    })
}

fn looked_at<'py>(
    py: Python<'py>,
    paths: Vec<String>,
    how: How,
    progress: Option<&Bound<'py, PyAny>>,
    dict: impl Fn(Python<'py>, &FileReport) -> PyResult<Bound<'py, PyDict>>,
    look: impl FnMut(&OpenOptions, &str) -> Result<Vec<FileReport>> + Send + 'static,
) -> PyResult<Noted<'py>> {
    let (reading, notes, gauge) = (Reading::new(), Notes::default(), Gauge::default());
    let open = how.open(&reading, &notes, &gauge).or_raise(py)?;
    let total = total(py, &reading.cancel, progress, &open, &paths)?;
    let done = watch(py, &reading.cancel, progress, &gauge, total, move || each(&open, &paths, look))?;
    let reports = Result::or_raise(done, py)?;
    let reports = reports.iter().map(|report| dict(py, report)).collect::<PyResult<Vec<_>>>()?;
    Ok((PyList::new(py, reports)?, notes.taken()))
}

/// Returns the facts that the format reports of each file.
#[pyfunction]
#[pyo3(signature = (paths, how, progress=None))]
pub(crate) fn inspect<'py>(
    py: Python<'py>,
    paths: Vec<String>,
    how: How,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Noted<'py>> {
    let dict = |py, report: &FileReport| {
        let dict = PyDict::new(py);
        dict.set_item("file", &report.file)?;
        if report.facts.is_empty() {
            dict.set_item("format", py.None())?;
        }
        report.facts.iter().try_for_each(|each| fact(&dict, each))?;
        dict.set_item("state", report.state.name())?;
        dict.set_item("errors", errors(report))?;
        Ok(dict)
    };
    looked_at(py, paths, how, progress.as_ref(), dict, |open, file| match open.find(file) {
        Ok(found) => found.inspect(),
        Err(error) if error.kind().is_io() || is_of_caller(&error) => Err(error),
        Err(error) => {
            let mut report = FileReport::new(file);
            report.state = FileState::NotRead;
            report.errors.push(error);
            Ok(vec![report])
        }
    })
}

fn is_of_caller(error: &tfxio::Error) -> bool {
    matches!(error.kind(), tfxio::ErrorKind::InvalidArgument | tfxio::ErrorKind::Cancelled)
}

/// Decodes each file, and returns whether it is whole.
#[pyfunction]
#[pyo3(signature = (paths, how, progress=None))]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    paths: Vec<String>,
    how: How,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Noted<'py>> {
    let dict = |py, report: &FileReport| {
        let dict = PyDict::new(py);
        dict.set_item("file", &report.file)?;
        let format = match report.get("format") {
            Some(FactValue::Text(format)) => Some(format),
            _ => None,
        };
        dict.set_item("format", format)?;
        let records = match report.get("verified_records") {
            Some(FactValue::Count(records)) => Some(*records),
            _ => None,
        };
        dict.set_item("records", records)?;
        dict.set_item("state", report.state.name())?;
        dict.set_item("errors", errors(report))?;
        Ok(dict)
    };
    looked_at(py, paths, how, progress.as_ref(), dict, |open, file| Ok(vec![open.verify(file)?]))
}

/// Writes an index beside each file.
#[pyfunction]
#[pyo3(signature = (paths, how, progress=None))]
pub(crate) fn index<'py>(
    py: Python<'py>,
    paths: Vec<String>,
    how: How,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Noted<'py>> {
    let dict = |py, report: &FileReport| {
        let dict = PyDict::new(py);
        report.facts.iter().try_for_each(|each| fact(&dict, each))?;
        Ok(dict)
    };
    looked_at(py, paths, how, progress.as_ref(), dict, |open, file| {
        let is_special = !tfxio::is_url(file)
            && std::fs::metadata(file).is_ok_and(|found| !found.is_file() && !found.is_dir());
        if is_special {
            let what = "an index is written beside its file, and this is a pipe or a device";
            let error = tfxio::Error::new(tfxio::ErrorKind::InvalidArgument, what);
            return Err(error.help("write it to a file first, and index that").in_file(file));
        }
        let found = open.find(file)?;
        match found.format.index() {
            Some(index) => index.write_index(&found.files, &found.options),
            None => {
                let error = not_offered(found.format.name(), "indexes");
                Err(error.help("its records are found without one").in_file(file))
            }
        }
    })
}

/// A file, the good records in it, ranges that are lost, how many further ones there are, and notes.
type Repaired<'py> = (String, u64, Bound<'py, PyList>, u64, Vec<String>);

/// Copies the records that are whole. Returns the file, the good records, what is lost, and how many further ranges are.
#[pyfunction]
#[pyo3(signature = (input, output, how, progress=None))]
pub(crate) fn repair<'py>(
    py: Python<'py>,
    input: String,
    output: String,
    how: How,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Repaired<'py>> {
    let (reading, notes, gauge) = (Reading::new(), Notes::default(), Gauge::default());
    let open = how.open(&reading, &notes, &gauge).or_raise(py)?;
    let total = total(py, &reading.cancel, progress.as_ref(), &open, std::slice::from_ref(&input))?;
    let done =
        watch(py, &reading.cancel, progress.as_ref(), &gauge, total, move || open.repair(&input, &output))?;
    let mut report = Result::or_raise(done, py)?;
    if let Some(error) = report.errors.pop() {
        return Err(error).or_raise(py);
    }
    let records = match report.get("records") {
        Some(FactValue::Count(records)) => *records,
        _ => 0,
    };
    let lost = report.lost.iter().map(|range| lost(py, range)).collect::<PyResult<Vec<_>>>()?;
    Ok((report.file, records, PyList::new(py, lost)?, report.unlisted, notes.taken()))
}

/// Returns what is said of a range that is lost.
fn lost<'py>(py: Python<'py>, lost: &LostRange) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("start", lost.start)?;
    dict.set_item("end", lost.end)?;
    dict.set_item("compressed", lost.compressed)?;
    dict.set_item("records_before", lost.records_before)?;
    dict.set_item("last_good_offset", lost.last_good_offset)?;
    dict.set_item("lost_records", lost.records)?;
    dict.set_item("reason", &*lost.reason)?;
    dict.set_item("detail", lost.detail.as_deref())?;
    Ok(dict)
}

fn errors(report: &FileReport) -> Vec<String> {
    let mut texts = report.errors.iter().map(ToString::to_string).collect::<Vec<_>>();
    let further = |lost: &LostRange| {
        let bytes = if lost.compressed { "compressed bytes" } else { "bytes" };
        let records = lost.records.map_or("an unknown number of records".to_owned(), |records| {
            tfxio::tfxio_core::Count::of(records, "record").to_string()
        });
        let why = lost.why();
        let before = tfxio::tfxio_core::Count::of(lost.records_before, "good record");
        let (file, start, end) = (&report.file, lost.start, lost.end);
        format!("{file}, {bytes} {start} to {end}, after {before}: lost as well: {records} ({why})")
    };
    texts.extend(report.lost.iter().map(further));
    if report.unlisted > 0 {
        texts.push(format!(
            "{}: {} more",
            report.file,
            tfxio::tfxio_core::Count::of(report.unlisted, "damage")
        ));
    }
    texts
}

/// Sets a fact as members of a dict.
fn fact(dict: &Bound<'_, PyDict>, fact: &Fact) -> PyResult<()> {
    let (key, py) = (fact.key, dict.py());
    match &fact.value {
        FactValue::Text(text) => dict.set_item(key, text),
        FactValue::Count(count) => dict.set_item(key, count),
        FactValue::Checksum(crc) => dict.set_item(key, crc),
        FactValue::Entries(entries) => {
            let members = PyDict::new(py);
            for (name, value) in entries {
                match std::str::from_utf8(value) {
                    Ok(text) => members.set_item(name, text)?,
                    Err(_) => members.set_item(name, PyBytes::new(py, value))?,
                }
            }
            dict.set_item(key, members)
        }
        FactValue::Counts(counts) => {
            let members = PyDict::new(py);
            counts.iter().try_for_each(|(name, count)| members.set_item(name, count))?;
            dict.set_item(key, members)
        }
        FactValue::Range { sum, min, max } => {
            dict.set_item(key, sum)?;
            dict.set_item(format!("min_{key}"), min)?;
            dict.set_item(format!("max_{key}"), max)
        }
        FactValue::Share { count, of } => {
            dict.set_item(key, count)?;
            dict.set_item("records", of)
        }
        _ => dict.set_item(key, py.None()),
    }
}

/// Options of an extraction.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Extracting {
    column: Option<Path>,
    name_by: Option<Path>,
    filter: Option<String>,
    limit: Option<u64>,
    overwrite: bool,
    on_error: String,
}

/// Files, bytes, records without a value, files of other names, and the first of these.
type Extracted = (u64, u64, u64, u64, Vec<(String, String)>);

/// Writes each value of a column of bytes to a file of its own. Returns what was written, notes, and what was skipped.
#[pyfunction]
#[pyo3(signature = (paths, folder, what, how, progress=None))]
pub(crate) fn extract<'py>(
    py: Python<'py>,
    paths: Vec<String>,
    folder: String,
    what: Extracting,
    how: How,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Extracted, Vec<String>, Bound<'py, PyAny>)> {
    let (reading, notes, gauge) = (Reading::new(), Notes::default(), Gauge::default());
    let on_error = skipped::on_error(&what.on_error)?;
    // Damage among the records that the columns are inferred from is of the scan, which says where it is.
    let open = how.open(&reading, &notes, &gauge).or_raise(py)?.prefer("layout", "plain");
    let mut request =
        ScanRequest::new().cancel(reading.cancel.clone()).spawn(reading.spawn()).on_error(on_error);
    if let Some(filter) = &what.filter {
        request = request.filter(filter.parse::<Predicate>().or_raise(py)?);
    }
    request.limit = what.limit;
    let skipped = Skipped::of(&request);
    let open =
        if request.on_error.skip().is_some() { open.on_error(skipped::on_error("skip")?) } else { open };
    let (column, name_by) = (what.column.map(ColumnPath::from), what.name_by.map(ColumnPath::from));
    let total = total(py, &reading.cancel, progress.as_ref(), &open, &paths)?;
    let done = watch(py, &reading.cancel, progress.as_ref(), &gauge, total, move || {
        let on_error = request.on_error.clone();
        let mut builder =
            Extraction::builder(open.open(&paths)?, folder).request(request).overwrite(what.overwrite);
        if let Some(column) = column {
            builder = builder.column(column);
        }
        if let Some(column) = name_by {
            builder = builder.name_by(column);
        }
        let done = builder.build()?.run()?;
        on_error.refuse_nothing(done.files.saturating_add(done.without_value))?;
        Ok(done)
    })?;
    let done = Result::or_raise(done, py)?;
    let extracted = (done.files, done.bytes, done.without_value, done.renamed, done.examples);
    Ok((extracted, notes.taken(), skipped.report(py)?))
}
