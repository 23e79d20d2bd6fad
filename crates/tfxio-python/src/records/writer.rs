//! The writer of records.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tfxio::tfrecord_io::{Compression, FileWriter, Writer};

use super::compression;
use super::file_object::FileObject;
use crate::errors::OrRaise;

enum Target {
    /// A file that appears whole, when the writer is closed.
    File(FileWriter),
    Object(Writer<FileObject>),
}

/// Writes records to a TFRecord file.
#[pyclass(module = "tfxio._lib")]
pub(crate) struct TFRecordWriter {
    target: Option<Target>,
    written: u64,
}

#[pymethods]
impl TFRecordWriter {
    /// Writes to a path, or to an object with `write`. A path ending in `.gz` is compressed unless the compression is given.
    #[new]
    #[pyo3(signature = (path, file, compression, level, overwrite))]
    fn new(
        py: Python<'_>,
        path: Option<String>,
        file: Option<Py<PyAny>>,
        compression: Option<&str>,
        level: Option<u32>,
        overwrite: bool,
    ) -> PyResult<Self> {
        let given = self::compression(compression)?;
        let target = match (path, file) {
            (Some(path), _) => {
                let by_name = Compression::of_file_name(&path);
                let mut builder =
                    Writer::builder(path).compression(given.unwrap_or(by_name)).overwrite(overwrite);
                if let Some(level) = level {
                    builder = builder.level(level);
                }
                Target::File(py.detach(|| builder.create()).or_raise(py)?)
            }
            (None, Some(file)) => {
                let compression = given.unwrap_or(Compression::None);
                let mut builder = Writer::builder(FileObject(file)).compression(compression);
                if let Some(level) = level {
                    builder = builder.level(level);
                }
                Target::Object(builder.build().or_raise(py)?)
            }
            (None, None) => return Err(PyValueError::new_err("neither a path nor a file object")),
        };
        Ok(Self { target: Some(target), written: 0 })
    }

    /// Appends a record.
    fn write(&mut self, py: Python<'_>, record: &[u8]) -> PyResult<()> {
        let written = match &mut self.target {
            Some(Target::File(file)) => file.write(record),
            Some(Target::Object(object)) => object.write(record),
            None => return Err(PyValueError::new_err("the writer is closed")),
        };
        written.or_raise(py)?;
        self.written += 1;
        Ok(())
    }

    /// The number of records that were written.
    #[getter]
    fn records_written(&self) -> u64 {
        self.written
    }

    /// Completes the file, which appears under its name now.
    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        match self.target.take() {
            Some(Target::File(file)) => py.detach(|| file.finish()).map(drop).or_raise(py),
            Some(Target::Object(object)) => object.finish().map(drop).or_raise(py),
            None => Ok(()),
        }
    }

    /// Gives the file up: nothing appears under its name.
    fn discard(&mut self) {
        self.target = None;
    }
}
