//! Files that are written: of batches of Python, and of other libraries.

pub(crate) mod convert;
mod slices;

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use tfxio::convert::{BatchOutput, CastType, Loss, Summary};
use tfxio::store::Stores;
use tfxio::{Batch, Cancel, Error, ErrorKind, FileStore, OpenOptions, Result, ScanRequest};

use self::slices::Slices;
use crate::batch::RecordBatch;
use crate::errors::OrRaise;
use crate::imported::GivenStream;
use crate::options::Options;
use crate::reader::BatchReader;
use crate::reading::Reading;
use crate::request::thread_count;
use crate::schema::Schema;
use crate::skipped::Skipped;
use crate::waiting;

/// Options of files that are written.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    pub(crate) format: Option<String>,
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) exclude: Vec<String>,
    pub(crate) cast: Vec<(String, String)>,
    pub(crate) lossless: bool,
    pub(crate) scalars: bool,
    pub(crate) text: bool,
    pub(crate) shards: Option<u32>,
    pub(crate) overwrite: bool,
    pub(crate) threads: usize,
    pub(crate) storage_options: BTreeMap<String, String>,
    pub(crate) options: Options,
}

impl Asked {
    /// Returns the columns that are cast, each with what it is cast to.
    pub(crate) fn casts(&self) -> Result<Vec<(String, CastType)>> {
        self.cast.iter().map(|(column, to)| Ok((column.clone(), to.parse()?))).collect()
    }

    pub(crate) fn stores(&self) -> Stores {
        let set = |stores: Stores, (key, value): (&String, &String)| stores.option(key, value);
        self.storage_options.iter().fold(Stores::default(), set)
    }
}

/// Notes, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// Returns what notes are told to.
    pub(crate) fn hear(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let notes = self.clone();
        move |note| {
            let mut all = notes.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !all.iter().any(|known| known == note) {
                all.push(note.to_owned());
            }
        }
    }

    /// Returns the notes so far.
    pub(crate) fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Rows, size in bytes, files, what is lost of columns, and notes.
pub(crate) type Wrote = (u64, u64, Vec<String>, Vec<(String, String)>, Vec<String>);

pub(crate) fn wrote(summary: Summary, notes: &Notes) -> Wrote {
    let losses = summary.losses.into_iter().map(|Loss { column, what, .. }| (column, what)).collect();
    (summary.records, summary.bytes_out, summary.files, losses, notes.taken())
}

/// Writes data to files: an object that gives a stream of Arrow, or, where a schema is given, an iterator of batches of it.
#[pyfunction]
#[pyo3(signature = (data, path, asked, schema=None))]
pub(crate) fn write(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    path: String,
    asked: Asked,
    schema: Option<Schema>,
) -> PyResult<Wrote> {
    let notes = Notes::default();
    let Some(schema) = schema else { return write_stream(py, stream(data)?, path, &asked, &notes) };
    let reading = Reading::new();
    let output = output(path, &asked, &reading, &notes).or_raise(py)?;
    let cancel = reading.cancel.clone();
    let mut items = data.try_iter()?.map(|item| Ok(item?.cast::<RecordBatch>()?.get().batch.clone()));
    let next = |_: Python<'_>| items.next().transpose();
    let written = waiting::feed(py, &reading.cancel, next, move |taken| {
        output.write(&schema.0, Slices::new(from_channel(taken), cancel).into_next())
    })?;
    Ok(wrote(Result::or_raise(written, py)?, &notes))
}

fn write_stream(
    py: Python<'_>,
    stream: Stream,
    path: String,
    asked: &Asked,
    notes: &Notes,
) -> PyResult<Wrote> {
    let Stream { schema, next, cancel, skipped } = stream;
    let reading = Reading::ending_with(cancel.clone());
    let output = output(path, asked, &reading, notes).or_raise(py)?;
    let written = waiting::wait_for_writing(py, &reading.cancel, move || {
        output.write(&schema, Slices::new(next, cancel).into_next())
    })?;
    let written = wrote(Result::or_raise(written, py)?, notes);
    skipped.warn(py)?;
    Ok(written)
}

/// The batches of an object, and what ends them.
struct Stream {
    schema: SchemaRef,
    next: Next,
    cancel: Cancel,
    skipped: Skipped,
}

type Next = Box<dyn FnMut() -> Result<Option<Batch>> + Send>;

/// Returns the batches of an object.
fn stream(data: &Bound<'_, PyAny>) -> PyResult<Stream> {
    if let Ok(reader) = data.cast::<BatchReader>() {
        let (source, schema, skipped) = reader.get().parts();
        source.check_process()?;
        let cancel = source.cancel().clone();
        return Ok(Stream { schema, next: Box::new(move || source.next_here()), cancel, skipped });
    }
    let mut stream = data.extract::<GivenStream>()?;
    let (schema, next) = (stream.schema(), move || Ok(stream.next()?.map(Batch::from)));
    Ok(Stream { schema, next: Box::new(next), cancel: Cancel::new(), skipped: Skipped::default() })
}

/// Returns a source of the batches that another thread sends; it ends with `None`.
fn from_channel(taken: Receiver<Option<arrow_array::RecordBatch>>) -> Next {
    Box::new(move || match taken.recv() {
        Ok(batch) => Ok(batch.map(Batch::from)),
        Err(_) => Err(Error::new(ErrorKind::Cancelled, "the giver of the rows has ended before their end")),
    })
}

fn output(path: String, asked: &Asked, reading: &Reading, notes: &Notes) -> Result<BatchOutput> {
    let request = ScanRequest::new().threads(thread_count(asked.threads));
    let request = request.cancel(reading.cancel.clone()).spawn(reading.spawn());
    let mut output = BatchOutput::new(path)
        .threading(request.threading())
        .overwrite(asked.overwrite)
        .lossless(asked.lossless)
        .scalars(asked.scalars)
        .text(asked.text)
        .store(Arc::new(FileStore::new(asked.stores()).cancel(reading.cancel.clone())))
        .notes_of(&OpenOptions::new().on_note(notes.hear()));
    if let Some(format) = &asked.format {
        output = output.output_format(format);
    }
    if let Some(columns) = &asked.columns {
        output = output.columns(columns);
    }
    if let Some(shards) = asked.shards {
        output = output.shards(shards);
    }
    output = asked.exclude.iter().fold(output, |output, pattern| output.exclude(pattern));
    for (column, to) in asked.casts()? {
        output = output.cast(column, to);
    }
    for (key, value) in &asked.options {
        output = output.set(key, value.0.clone())?;
    }
    Ok(output)
}
