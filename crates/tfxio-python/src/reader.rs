//! Readers: batches one after the other.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{ArrowError, Field, FieldRef, SchemaRef};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyType};
use pyo3_arrow::ffi::{ArrayReader, to_schema_pycapsule, to_stream_pycapsule};
use tfxio::tfxio_core::foreign::guarded;
use tfxio::{Batch, Scan};

use crate::batch::RecordBatch;
use crate::ending;
use crate::errors::{exception, exported};
use crate::imported::GivenStream;
use crate::reading::Reading;
use crate::schema::Schema;
use crate::skipped::Skipped;
use crate::source::{Next, Source};

/// Batches, one after the other: an iterator, and a stream of Arrow that any library of the Arrow PyCapsule interface reads.
/// What is read by one is not read by the other.
#[pyclass(frozen, module = "tfxio")]
pub(crate) struct BatchReader {
    schema: SchemaRef,
    source: Source<Batch>,
    skipped: Skipped,
    raised: Raised,
}

/// The exception that a library which reads a stream was told as a text.
type Raised = Arc<Mutex<Option<PyErr>>>;

impl BatchReader {
    pub(crate) fn new(schema: SchemaRef, reading: Reading, is_steady: bool, next: Next<Batch>) -> Self {
        let source = Source::new(reading, is_steady, next);
        Self { schema, source, skipped: Skipped::default(), raised: Raised::default() }
    }

    pub(crate) fn of_scan(mut scan: Box<dyn Scan>, reading: Reading, is_steady: bool) -> Self {
        let schema = scan.schema().clone();
        Self::new(schema, reading, is_steady, Box::new(move || scan.next_batch()))
    }

    /// Returns the source of the batches, their columns, and the report of skipped ranges.
    pub(crate) fn parts(&self) -> (Source<Batch>, SchemaRef, Skipped) {
        (self.source.clone(), Arc::clone(&self.schema), self.skipped.clone())
    }

    /// Sets the report of skipped ranges.
    pub(crate) fn skipped(mut self, skipped: Skipped) -> Self {
        self.skipped = skipped;
        self
    }
}

#[pymethods]
impl BatchReader {
    /// Returns the batches of any object that gives a stream of Arrow: a table of pyarrow, a frame of polars.
    ///
    /// Its values are validated, since the C data interface takes them as their giver describes them.
    /// `dangerously_not_validated` leaves that out: bytes that are not text, or an offset beyond its values, end the
    /// process later.
    #[classmethod]
    #[pyo3(signature = (stream, *, dangerously_not_validated=false))]
    fn from_arrow(_class: &Bound<'_, PyType>, stream: GivenStream, dangerously_not_validated: bool) -> Self {
        let mut stream = if dangerously_not_validated { stream.not_validated() } else { stream };
        let schema = stream.schema();
        let next = move || Ok(stream.next()?.map(Batch::from));
        Self::new(schema, Reading::new(), false, Box::new(next))
    }

    /// The names and types of the columns.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(Arc::clone(&self.schema))
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let batch = self.source.next(py)?;
        if batch.is_none() {
            self.skipped.warn(py)?;
        }
        Ok(batch.map(RecordBatch::from))
    }

    /// Returns what was skipped so far because it was damaged (`on_error="skip"`).
    fn skip_report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.skipped.report(py)
    }

    /// Returns the exception at which a library that reads the stream of this reader has stopped, once.
    #[pyo3(name = "_raised")]
    fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the reader and releases what it holds. A wait in another thread ends with `CancelledError`.
    fn close(&self, py: Python<'_>) {
        self.source.close(py);
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, PyAny>) {
        self.close(py);
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        exported(py, to_schema_pycapsule(py, self.schema.as_ref()))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.source.check_process()?;
        let schema = &self.schema;
        let field =
            Field::new_struct("", schema.fields().clone(), false).with_metadata(schema.metadata().clone());
        let stream = Stream {
            source: self.source.clone(),
            skipped: self.skipped.clone(),
            raised: Arc::clone(&self.raised),
            field: field.into(),
        };
        exported(py, to_stream_pycapsule(py, Box::new(stream), requested_schema))
    }

    fn __repr__(&self) -> String {
        format!("BatchReader\n{}", self.schema().__str__())
    }
}

/// The stream of Arrow of a reader.
struct Stream {
    source: Source<Batch>,
    skipped: Skipped,
    raised: Raised,
    field: FieldRef,
}

impl Iterator for Stream {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = |batch: Batch| Arc::new(StructArray::from(batch.into_columns())) as ArrayRef;
        // A panic would leave by a function of C, which ends the process.
        let next = guarded(|| self.next_batch().map(|batch| batch.map(rows)));
        let next = next.unwrap_or_else(|panic| Err(ArrowError::ExternalError(panic.into())));
        next.map_err(without_zero).transpose()
    }
}

impl Stream {
    fn next_batch(&self) -> Result<Option<Batch>, ArrowError> {
        if self.source.is_quick() && self.source.is_in_its_process() {
            return self.source.next_here().map_err(|error| {
                self.keep(Python::attach(|py| exception(py, &error)));
                error.into()
            });
        }
        // SAFETY: it reads a slot of this thread, and needs no lock of the interpreter; it is null on threads of others.
        let is_of_python = !unsafe { pyo3::ffi::PyGILState_GetThisThreadState() }.is_null();
        Python::attach(|py| {
            let next = self.source.next(py).and_then(|batch| match batch {
                Some(batch) => Ok(Some(batch)),
                None => self.skipped.warn(py).map(|()| None),
            });
            next.map_err(|raised| {
                if is_of_python {
                    ending::stop_if_begun(py);
                }
                let told = of_library(py, &raised);
                if !raised.is_instance_of::<PyKeyboardInterrupt>(py) {
                    self.keep(raised);
                }
                told
            })
        })
    }

    fn keep(&self, raised: PyErr) {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(raised);
    }
}

/// Returns an error whose text has no zero byte, which ends a text of C.
fn without_zero(error: ArrowError) -> ArrowError {
    let text = match &error {
        ArrowError::ExternalError(inner) => inner.to_string(),
        other => other.to_string(),
    };
    if text.contains('\0') { ArrowError::ExternalError(text.replace('\0', "\\0").into()) } else { error }
}

/// Returns an exception as the error that the library which reads the stream is told. It makes one of its own of it: Ctrl-C
/// has to be seen again above.
fn of_library(py: Python<'_>, raised: &PyErr) -> ArrowError {
    if raised.is_instance_of::<PyKeyboardInterrupt>(py) {
        let again = || py.import("_thread")?.call_method0("interrupt_main");
        // Where this fails, the error of the library is all that is seen.
        drop(again());
    }
    ArrowError::ExternalError(raised.to_string().into())
}

impl ArrayReader for Stream {
    fn field(&self) -> FieldRef {
        Arc::clone(&self.field)
    }
}
