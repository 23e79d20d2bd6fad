//! The reader of records.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use tfxio::tfrecord_io::{BatchSize, Reader, Record, RecordBuffer};
use tfxio::{Batch, Error, ErrorKind, Result};

use super::compression;
use super::file_object::FileObject;
use crate::batch::RecordBatch;
use crate::codec::RecordDecoder;
use crate::errors::OrRaise;
use crate::reading::Reading;
use crate::source::Source;

/// Records that are read at once.
const BATCH: usize = 256;
/// Bytes of records after which no further one is read at once.
const BATCH_BYTES: usize = 1 << 20;

/// The records of a TFRecord file, one after the other, as `bytes`. Checksums are compared.
#[pyclass(module = "tfxio._lib")]
pub(crate) struct TFRecordReader {
    source: Source<RecordBuffer>,
    ready: Ready,
    /// Error after the records that are ready.
    failed: Option<PyErr>,
    last: Option<(u64, u64)>,
}

fn batches<R: Read + Send + 'static>(
    mut reader: Reader<R>,
) -> impl FnMut() -> Result<Option<RecordBuffer>> + Send {
    move || {
        let mut records = RecordBuffer::new();
        // Records before damage come first.
        let count = reader.read_batch(&mut records, BatchSize::records(BATCH).and_bytes(BATCH_BYTES))?;
        Ok((count > 0).then_some(records))
    }
}

/// Records that were read and not yet given.
#[derive(Default)]
struct Ready {
    buffers: VecDeque<RecordBuffer>,
    /// Number of records of the first buffer that were given.
    given: usize,
    /// Number of records that were not.
    len: usize,
}

impl Ready {
    fn push(&mut self, records: RecordBuffer) {
        self.len += records.len();
        self.buffers.push_back(records);
    }

    fn iter(&self) -> impl Iterator<Item = Record<'_>> + Clone {
        self.buffers.iter().flatten().skip(self.given)
    }

    /// Takes out the first records. Returns the number and the byte of the last one.
    fn pass(&mut self, count: usize) -> Option<(u64, u64)> {
        let last = self.iter().nth(count.checked_sub(1)?).map(|record| (record.index, record.offset));
        self.len = self.len.saturating_sub(count);
        self.given += count;
        while let Some(first) = self.buffers.front()
            && first.len() <= self.given
        {
            self.given -= first.len();
            self.buffers.pop_front();
        }
        last
    }
}

#[pymethods]
impl TFRecordReader {
    /// Reads a path, or an object with `read`. The compression is detected unless it is given.
    #[new]
    #[pyo3(signature = (path, file, compression))]
    fn new(
        py: Python<'_>,
        path: Option<String>,
        file: Option<Py<PyAny>>,
        compression: Option<&str>,
    ) -> PyResult<Self> {
        let compression = self::compression(compression)?;
        let source = match (path, file) {
            (Some(path), _) => {
                let is_steady = std::fs::metadata(&path).is_ok_and(|file| file.is_file());
                let builder = Reader::<File>::builder(path).compression(compression);
                let reader = py.detach(|| builder.open()).or_raise(py)?;
                Source::new(Reading::new(), is_steady, Box::new(batches(reader)))
            }
            (None, Some(file)) => {
                let reader = Reader::<File>::builder(FileObject(file)).compression(compression).build();
                Source::new(Reading::new(), false, Box::new(batches(reader)))
            }
            (None, None) => {
                let what = "neither a path nor a file object";
                return Err(Error::new(ErrorKind::InvalidArgument, what)).or_raise(py);
            }
        };
        Ok(Self { source, ready: Ready::default(), failed: None, last: None })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let count = self.fill(py, 1)?;
        let record = self.ready.iter().next().map(|record| PyBytes::new(py, record.data));
        self.pass(count);
        Ok(record)
    }

    /// Returns the next records, at most `count`; an empty list at the end.
    fn read<'py>(&mut self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyList>> {
        let count = self.fill(py, count)?;
        let records = self.ready.iter().take(count).map(|record| PyBytes::new(py, record.data));
        let records = PyList::new(py, records.collect::<Vec<_>>())?;
        self.pass(count);
        Ok(records)
    }

    /// Decodes some of the next records, at most `count`: each `step`-th from number `first` on. Returns them and how many were
    /// passed in all; `None` at the end. Those that cannot be decoded stay, for `read`.
    #[pyo3(signature = (decoder, count, first=0, step=1))]
    fn decode(
        &mut self,
        py: Python<'_>,
        decoder: PyRef<'_, RecordDecoder>,
        count: usize,
        first: usize,
        step: usize,
    ) -> PyResult<Option<(RecordBatch, usize)>> {
        let count = self.fill(py, count)?;
        if count == 0 {
            return Ok(None);
        }
        let (decoder, ready) = (&*decoder, &self.ready);
        let records = || ready.iter().take(count).skip(first).step_by(step.max(1)).map(|record| record.data);
        let batch = py.detach(|| decoder.decode_all(records())).or_raise(py)?;
        self.pass(count);
        Ok(Some((Batch::from(batch).into(), count)))
    }

    /// The number of the record that came out last, counted from 0, and the byte at which it begins; `None` before the first.
    #[getter]
    fn position(&self) -> Option<(u64, u64)> {
        self.last
    }

    /// Ends the reader and closes the file.
    fn close(&mut self, py: Python<'_>) {
        self.ready = Ready::default();
        self.failed = None;
        self.source.close(py);
    }
}

impl TFRecordReader {
    /// Reads until this number of records is ready or no more come. Returns how many of them there are, up to that number. What is
    /// wrong comes after the records before it.
    fn fill(&mut self, py: Python<'_>, count: usize) -> PyResult<usize> {
        while self.ready.len < count && self.failed.is_none() {
            match self.source.next(py) {
                Ok(Some(records)) => self.ready.push(records),
                Ok(None) => break,
                Err(error) if error.is_instance_of::<PyException>(py) => self.failed = Some(error),
                // Ctrl-C, which does not wait.
                Err(error) => return Err(error),
            }
        }
        match &self.failed {
            Some(error) if self.ready.len == 0 && count > 0 => Err(error.clone_ref(py)),
            _ => Ok(self.ready.len.min(count)),
        }
    }

    /// Takes out the first records.
    fn pass(&mut self, count: usize) {
        self.last = self.ready.pass(count).or(self.last);
    }
}
