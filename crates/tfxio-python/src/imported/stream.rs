//! Streams of other libraries.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, make_array};
use arrow_schema::{DataType, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tfxio::tfxio_core::foreign::{Foreign, Text, guarded};
use tfxio::{Error, ErrorKind, Result};

use super::{batch_of, called, described, not_importable};

const STREAM: &CStr = c"arrow_array_stream";

/// The batches of another library, one after the other, each validated.
pub(crate) struct GivenStream {
    stream: FFI_ArrowArrayStream,
    described: FFI_ArrowSchema,
    schema: SchemaRef,
    /// Validates the batches; nothing where their giver is trusted.
    foreign: Option<Foreign>,
}

impl<'py> FromPyObject<'_, 'py> for GivenStream {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let capsule = called(&object, "__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: a capsule of this name holds a stream, by the PyCapsule interface; what is left in it is released.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
        if stream.release.is_none() {
            let what = "this capsule was read before, and a capsule is read once: call __arrow_c_stream__ again for another";
            return Err(PyValueError::new_err(what));
        }
        Self::new(stream)
    }
}

impl GivenStream {
    fn new(mut stream: FFI_ArrowArrayStream) -> PyResult<Self> {
        let mut described = FFI_ArrowSchema::empty();
        let Some(get_schema) = stream.get_schema else {
            return Err(not_importable("a stream without a schema"));
        };
        // SAFETY: the stream was not released.
        if unsafe { get_schema(&raw mut stream, &raw mut described) } != 0 {
            let why = last_error(&mut stream).unwrap_or_else(|| "no reason was given".to_owned());
            return Err(not_importable(&format!("the schema of a stream cannot be had: {why}")));
        }
        described::check_type(&described).map_err(PyValueError::new_err)?;
        let schema = guarded(|| Schema::try_from(&described).map_err(|error| error.to_string()));
        let schema = schema.and_then(|schema| schema).map_err(|why| not_importable(&why))?;
        Ok(Self { stream, described, schema: Arc::new(schema), foreign: Some(Foreign::new()) })
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Takes batches as they are given. Their values are not looked at: bytes may not be text, and offsets and keys may point
    /// anywhere.
    pub(crate) fn not_validated(mut self) -> Self {
        self.foreign = None;
        self
    }

    /// Returns the next batch.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>> {
        let refused = |what: String| Error::new(ErrorKind::Malformed, what);
        let mut rows = FFI_ArrowArray::empty();
        let Some(get_next) = self.stream.get_next else { return Ok(None) };
        // SAFETY: the stream was not released.
        if unsafe { get_next(&raw mut self.stream, &raw mut rows) } != 0 {
            let why = last_error(&mut self.stream).unwrap_or_else(|| "no reason was given".to_owned());
            return Err(Error::new(ErrorKind::Other, format!("the giver of the stream failed: {why}")));
        }
        if rows.release.is_none() {
            return Ok(None);
        }
        described::check_values(&self.described, &rows).map_err(refused)?;
        let kind = DataType::Struct(self.schema.fields().clone());
        // SAFETY: the array was not released, and has the parts of its type; what is in these is validated below.
        let imported = guarded(|| unsafe { from_ffi_and_data_type(rows, kind) }.map(make_array));
        let imported = imported.and_then(|rows| rows.map_err(|error| error.to_string()));
        let batch = imported.and_then(|rows| batch_of(&self.schema, rows)).map_err(refused)?;
        if let Some(foreign) = &mut self.foreign {
            foreign.batch(&batch, Text::Unread)?;
        }
        Ok(Some(batch))
    }
}

/// Returns the message of a stream's last failure.
fn last_error(stream: &mut FFI_ArrowArrayStream) -> Option<String> {
    let get_last_error = stream.get_last_error?;
    // SAFETY: the stream was not released, and the text lives until it is called again.
    let text = unsafe { get_last_error(&raw mut *stream) };
    if text.is_null() {
        return None;
    }
    // SAFETY: it is not null, and ends with a zero byte.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
