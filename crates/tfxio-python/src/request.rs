//! Requests of scans.

use std::num::NonZero;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use tfxio::{ColumnPath, OnError, Predicate, ScanRequest, Skip, SkipBudget};

use crate::errors::OrRaise;
use crate::options::not_json;
use crate::reading::Reading;
use crate::skipped;

/// The path of a column: its name, or the names of the steps to a nested one.
pub(crate) enum Path {
    Name(String),
    Steps(Vec<String>),
}

impl<'py> FromPyObject<'_, 'py> for Path {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = value.extract::<String>() {
            return Ok(Self::Name(name));
        }
        if let Ok(steps) = value.extract::<Vec<String>>() {
            return Ok(Self::Steps(steps));
        }
        let found = value.get_type().name()?;
        Err(PyTypeError::new_err(format!("a column is a str, or a list of the steps to it, not {found}")))
    }
}

impl From<Path> for ColumnPath {
    fn from(path: Path) -> Self {
        match path {
            Path::Name(name) => name.into(),
            Path::Steps(steps) => Self::new(steps),
        }
    }
}

/// The request of a scan: columns, rows a batch, filter, limit, threads, treatment of damaged records. Can be pickled.
#[pyclass(frozen, module = "tfxio", from_py_object)]
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) scan: ScanRequest,
    /// Whether damaged records are treated as the data set was opened for.
    as_opened: bool,
}

impl From<ScanRequest> for Request {
    fn from(scan: ScanRequest) -> Self {
        Self { scan, as_opened: false }
    }
}

#[pymethods]
impl Request {
    #[new]
    #[pyo3(signature = (*, columns=None, batch_size=None, batch_bytes=None, limit=None, filter=None, threads=0, on_error=None, batch_rows=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        py: Python<'_>,
        columns: Option<Vec<Path>>,
        batch_size: Option<usize>,
        batch_bytes: Option<u64>,
        limit: Option<u64>,
        filter: Option<&str>,
        threads: usize,
        on_error: Option<&str>,
        batch_rows: Option<usize>,
    ) -> PyResult<Self> {
        let (name, rows) = match (batch_size, batch_rows) {
            (Some(_), Some(_)) => {
                let what =
                    "batch_size is given twice, once as batch_rows, its other name: give batch_size alone";
                return Err(PyTypeError::new_err(what));
            }
            (None, Some(rows)) => ("batch_rows", rows),
            (rows, None) => ("batch_size", rows.unwrap_or(1024)),
        };
        if rows == 0 {
            return Err(PyValueError::new_err(format!("{name} is 0: a batch has at least one row")));
        }
        let mut request = ScanRequest::new().batch_rows(rows).threads(thread_count(threads));
        if let Some(columns) = columns {
            request = request.columns(columns.into_iter().map(ColumnPath::from));
        }
        if let Some(filter) = filter {
            request = request.filter(filter.parse::<Predicate>().or_raise(py)?);
        }
        request.batch_bytes = batch_bytes;
        request.limit = limit;
        if let Some(on_error) = on_error {
            request = request.on_error(skipped::on_error(on_error)?);
        }
        Ok(Self { scan: request, as_opened: on_error.is_none() })
    }

    /// The paths of the columns, each a tuple of steps; `None` for all.
    #[getter]
    fn columns(&self) -> Option<Vec<Vec<String>>> {
        let steps = |path: &ColumnPath| path.steps().iter().map(ToString::to_string).collect();
        self.scan.columns.as_ref().map(|columns| columns.iter().map(|column| steps(&column.path)).collect())
    }

    /// Rows a batch.
    #[getter]
    fn batch_size(&self) -> usize {
        self.scan.batch_rows
    }

    /// Another name of `batch_size`.
    #[getter]
    fn batch_rows(&self) -> usize {
        self.scan.batch_rows
    }

    /// The most rows of the scan, `None` for all.
    #[getter]
    fn limit(&self) -> Option<u64> {
        self.scan.limit
    }

    /// The filter as text. A scan may use it to skip rows; what it returns is filtered again.
    #[getter]
    fn filter(&self) -> Option<String> {
        self.scan.filter.as_ref().map(ToString::to_string)
    }

    /// Threads that may work on the scan.
    #[getter]
    fn threads(&self) -> usize {
        self.scan.threads
    }

    /// Treatment of damaged records: `"fail"` or `"skip"`; `None` as the data set was opened.
    #[getter]
    fn on_error(&self) -> Option<&'static str> {
        match &self.scan.on_error {
            _ if self.as_opened => None,
            OnError::Skip(_) => Some("skip"),
            _ => Some("fail"),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, bool))> {
        let text = serde_json::to_string(&self.scan).map_err(|error| not_json(&error))?;
        Ok((py.get_type::<Self>().getattr("_from_json")?, (text, self.as_opened)))
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, text: &str, as_opened: bool) -> PyResult<Self> {
        Ok(Self { scan: serde_json::from_str(text).map_err(|error| not_json(&error))?, as_opened })
    }
}

impl Request {
    /// Returns the request of one reader, which is cancelled alone, of a data set that was opened to skip damaged records or not.
    pub(crate) fn of_reader(&self, reading: &Reading, skips: bool) -> ScanRequest {
        let mut request = self.scan.clone().cancel(reading.cancel.clone()).spawn(reading.spawn());
        // A report of its own.
        if let Some(skip) = request.on_error.skip() {
            request.on_error = OnError::Skip(Skip::new(*skip.budget()));
        } else if self.as_opened && skips {
            request.on_error = Some(SkipBudget::default()).into();
        }
        request
    }
}

/// Returns the number of threads that are asked for: 0 are as many as the machine has processors.
pub(crate) fn thread_count(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    }
}

/// Returns whether every row that is read is returned, so that one batch takes about as long as another.
pub(crate) fn is_steady(request: &ScanRequest) -> bool {
    request.filter.is_none() && request.on_error.skip().is_none()
}
