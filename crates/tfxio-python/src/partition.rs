//! Partitions: what one task of an engine reads.

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::options::not_json;

/// A part of a data set that is read alone, here or, as it can be pickled, in another process.
#[pyclass(frozen, eq, module = "tfxio", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct Partition(pub(crate) tfxio::Partition);

#[pymethods]
impl Partition {
    /// A file, or its bytes from `start` to `end`. `first_record` is the number of the first record in them and
    /// `records` their number, where these are known.
    #[new]
    #[pyo3(signature = (file, start=0, end=None, *, first_record=None, records=None))]
    fn new(
        file: &str,
        start: u64,
        end: Option<u64>,
        first_record: Option<u64>,
        records: Option<u64>,
    ) -> Self {
        let mut partition = tfxio::Partition::range(file, start, end.unwrap_or(u64::MAX));
        partition.first_record = first_record;
        partition.records = records;
        Self(partition)
    }

    /// The file.
    #[getter]
    fn file(&self) -> &str {
        &self.0.file
    }

    /// The first byte.
    #[getter]
    fn start(&self) -> u64 {
        self.0.start
    }

    /// The byte after the last one; `None` is the end of the file.
    #[getter]
    fn end(&self) -> Option<u64> {
        (self.0.end != u64::MAX).then_some(self.0.end)
    }

    /// The number of the first record in the file, where it is known.
    #[getter]
    fn first_record(&self) -> Option<u64> {
        self.0.first_record
    }

    /// The number of records, where it is known.
    #[getter]
    fn records(&self) -> Option<u64> {
        self.0.records
    }

    fn __repr__(&self) -> String {
        let end = self.end().map_or_else(|| "end".to_owned(), |end| end.to_string());
        let records = self.0.records.map(|records| format!(", records={records}")).unwrap_or_default();
        format!("Partition({:?}, bytes {}..{end}{records})", self.file(), self.0.start)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        (&self.0.file, self.0.start, self.0.end, self.0.skip).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text = serde_json::to_string(&self.0).map_err(|error| not_json(&error))?;
        Ok((py.get_type::<Self>().getattr("_from_json")?, (text,)))
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        Ok(Self(serde_json::from_str(text).map_err(|error| not_json(&error))?))
    }
}
