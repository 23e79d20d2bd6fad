//! Report of damaged ranges that were skipped, for callers.

use pyo3::prelude::*;
use tfxio::{LostRange, OnError, ScanRequest, Skip, SkipBudget};

/// A report that readers add to. `tfxio.SkipReport` is what a user sees of it.
#[pyclass(frozen, module = "tfxio._lib")]
#[derive(Clone, Default)]
pub(crate) struct Skipped(pub(crate) Skip);

#[pymethods]
impl Skipped {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The number of ranges so far.
    #[getter]
    fn ranges(&self) -> u64 {
        self.0.ranges()
    }

    /// Returns the report so far.
    pub(crate) fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = self.0.report();
        let listed = report.listed.iter().map(listed).collect::<Vec<_>>();
        py.import("tfxio._skipped")?.call_method1(
            "report",
            (report.ranges, report.records, report.records_unknown, report.bytes, listed),
        )
    }
}

/// File, first byte, byte after the last, whether these are of the compressed file, records, reason.
type Listed = (String, u64, u64, bool, Option<u64>, String);

fn listed(range: &LostRange) -> Listed {
    let LostRange { file, start, end, compressed, records, .. } = range;
    (file.as_deref().unwrap_or_default().to_owned(), *start, *end, *compressed, *records, range.why())
}

impl Skipped {
    /// Returns the report of a request.
    pub(crate) fn of(request: &ScanRequest) -> Self {
        request.on_error.skip().cloned().map(Self).unwrap_or_default()
    }

    /// Warns of what was skipped, if anything was.
    pub(crate) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        if self.0.ranges() > 0 {
            py.import("tfxio._skipped")?.call_method1("warn", (self.report(py)?,))?;
        }
        Ok(())
    }
}

/// Returns what becomes of damaged records, of its name in Python.
pub(crate) fn on_error(name: &str) -> PyResult<OnError> {
    match name {
        "fail" => Ok(OnError::Fail),
        "skip" => Ok(Some(SkipBudget::default()).into()),
        other => {
            let what = format!("on_error is {other:?}: give \"fail\" or \"skip\"");
            Err(pyo3::exceptions::PyValueError::new_err(what))
        }
    }
}
