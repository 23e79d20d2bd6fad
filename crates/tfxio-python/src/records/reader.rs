//! The reader of records.

use std::fs::File;
use std::io::Read;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use tfxio::tfrecord_io::{OwnedRecord, Reader};
use tfxio::{Cancel, Error, ErrorKind, Result};

use super::compression;
use super::file_object::FileObject;
use crate::errors::OrRaise;
use crate::source::Source;

/// Records that are read at once.
const BATCH: usize = 256;
/// Bytes of records after which no further one is read at once.
const BATCH_BYTES: usize = 1 << 20;

/// The records of a TFRecord file, one after the other, as `bytes`. Checksums are compared.
#[pyclass(module = "tfxio._lib")]
pub(crate) struct TFRecordReader {
    source: Source<Vec<OwnedRecord>>,
    /// Records that were read and not yet given, the next one last.
    ready: Vec<OwnedRecord>,
    last: Option<(u64, u64)>,
}

fn batches<R: Read + Send + 'static>(
    mut reader: Reader<R>,
) -> impl FnMut() -> Result<Option<Vec<OwnedRecord>>> + Send {
    let mut failed = None;
    move || {
        if let Some(error) = failed.take() {
            return Err(error);
        }
        let mut records = Vec::new();
        let mut bytes = 0usize;
        while records.len() < BATCH && bytes < BATCH_BYTES {
            match reader.next_record() {
                Ok(None) => break,
                Ok(Some(record)) => {
                    bytes = bytes.saturating_add(record.data.len());
                    records.push(OwnedRecord::from(record));
                }
                // The records before it come first.
                Err(error) if records.is_empty() => return Err(error),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        records.reverse();
        Ok((!records.is_empty()).then_some(records))
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
                Source::new(Cancel::new(), is_steady, Box::new(batches(reader)))
            }
            (None, Some(file)) => {
                let reader = Reader::<File>::builder(FileObject(file)).compression(compression).build();
                Source::new(Cancel::new(), false, Box::new(batches(reader)))
            }
            (None, None) => {
                let what = "neither a path nor a file object";
                return Err(Error::new(ErrorKind::InvalidArgument, what)).or_raise(py);
            }
        };
        Ok(Self { source, ready: Vec::new(), last: None })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if self.ready.is_empty() {
            self.ready = self.source.next(py)?.unwrap_or_default();
        }
        Ok(self.ready.pop().map(|record| {
            self.last = Some((record.index, record.offset));
            PyBytes::new(py, &record.data)
        }))
    }

    /// Returns the next records, at most `count`; an empty list at the end.
    fn read<'py>(&mut self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyList>> {
        let records = PyList::empty(py);
        while records.len() < count {
            match self.__next__(py)? {
                Some(record) => records.append(record)?,
                None => break,
            }
        }
        Ok(records)
    }

    /// The number of the record that came out last, counted from 0, and the byte at which it begins; `None` before the first.
    #[getter]
    fn position(&self) -> Option<(u64, u64)> {
        self.last
    }

    /// Ends the reader and closes the file.
    fn close(&mut self, py: Python<'_>) {
        self.ready.clear();
        self.source.close(py);
    }
}
