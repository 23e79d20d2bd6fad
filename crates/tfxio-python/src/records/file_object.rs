//! File objects of Python as sources and targets of bytes.

use std::io;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::ending;

/// Anything with `read` or `write`.
pub(super) struct FileObject(pub(super) Py<PyAny>);

fn failed(error: PyErr) -> io::Error {
    io::Error::other(error)
}

fn called<T>(call: impl FnOnce(Python<'_>) -> io::Result<T>) -> io::Result<T> {
    ending::attach(call).map_err(io::Error::other)?
}

impl io::Read for FileObject {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        called(|py| {
            let bytes = self.0.bind(py).call_method1("read", (room.len(),)).map_err(failed)?;
            let bytes = bytes.cast_into::<PyBytes>().map_err(|error| failed(error.into()))?;
            let bytes = bytes.as_bytes();
            let Some(filled) = room.get_mut(..bytes.len()) else {
                let what = format!("read({}) of the file object returned {} bytes", room.len(), bytes.len());
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            };
            filled.copy_from_slice(bytes);
            Ok(bytes.len())
        })
    }
}

impl io::Write for FileObject {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        called(|py| {
            let written =
                self.0.bind(py).call_method1("write", (PyBytes::new(py, bytes),)).map_err(failed)?;
            // Writers that are not of `io` return nothing when they have written all.
            Ok(written.extract::<Option<usize>>().map_err(failed)?.unwrap_or(bytes.len()).min(bytes.len()))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        called(|py| match self.0.bind(py).getattr_opt("flush").map_err(failed)? {
            Some(flush) => flush.call0().map(drop).map_err(failed),
            None => Ok(()),
        })
    }
}
