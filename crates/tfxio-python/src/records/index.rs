//! Records by number.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tfxio::tfrecord_io::RandomReader;
use tfxio::tfrecord_io::index::{Check, Index};

use crate::errors::OrRaise;

/// The records of a file by number, found through its index.
#[pyclass(frozen, module = "tfxio._lib")]
pub(crate) struct RecordIndex(Mutex<RandomReader<File>>, u64);

#[pymethods]
impl RecordIndex {
    /// Reads the index beside a file. If it does not exist, or `build` is true, the file is read and indexed; `save`
    /// writes the index beside it.
    #[new]
    #[pyo3(signature = (path, build, save))]
    fn new(py: Python<'_>, path: &str, build: Option<bool>, save: bool) -> PyResult<Self> {
        let opened = py.detach(|| {
            let is_there = Index::path_for(path).exists();
            let index = match build.unwrap_or(!is_there) {
                true => Index::build(path)?,
                false => Index::open_with(path, Check::default())?,
            };
            if save && build.unwrap_or(!is_there) {
                index.write_beside(path)?;
            }
            RandomReader::open_with(path, index)
        });
        let reader = opened.or_raise(py)?;
        let records = reader.len();
        Ok(Self(Mutex::new(reader), records))
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.1)?)
    }

    /// Returns a record.
    fn __getitem__<'py>(&self, py: Python<'py>, number: i64) -> PyResult<Bound<'py, PyBytes>> {
        let at = if number < 0 { self.1.checked_add_signed(number) } else { u64::try_from(number).ok() };
        let Some(at) = at.filter(|at| *at < self.1) else {
            return Err(PyIndexError::new_err(format!("record {number} of {} records", self.1)));
        };
        let record = py.detach(|| {
            let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            reader.record(at).map(|record| record.data.to_vec())
        });
        Ok(PyBytes::new(py, &record.or_raise(py)?))
    }

    /// Returns the byte at which each record begins, in the uncompressed file.
    fn offsets(&self) -> Vec<u64> {
        let reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (0..self.1).filter_map(|record| reader.index().offset(record)).collect()
    }
}
