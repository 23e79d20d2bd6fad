//! Batches as bytes of Arrow IPC, which other processes read.

use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tfxio::tfxio_core::foreign::{Foreign, Text, guarded};
use tfxio::{Error, ErrorKind, Result};

use crate::batch::RecordBatch;
use crate::errors::OrRaise;

/// Returns a batch as a stream of Arrow IPC. The origins of its rows are not in it.
#[pyfunction]
pub(crate) fn ipc_of_batch<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyBytes>> {
    let written = py.detach(|| written(batch)).or_raise(py)?;
    Ok(PyBytes::new(py, &written))
}

fn written(batch: &RecordBatch) -> Result<Vec<u8>> {
    let mut writer = StreamWriter::try_new(Vec::new(), batch.batch.schema_ref())?;
    writer.write(&batch.batch)?;
    Ok(writer.into_inner()?)
}

/// Returns the batch that bytes of Arrow IPC have, which are copied once, and validates it.
#[pyfunction]
pub(crate) fn batch_of_ipc(py: Python<'_>, data: PyBuffer<u8>) -> PyResult<RecordBatch> {
    let data = data.to_vec(py)?;
    py.detach(|| read(data)).or_raise(py)
}

fn read(data: Vec<u8>) -> Result<RecordBatch> {
    let mut left = Buffer::from_vec(data);
    let decoded = guarded(|| StreamDecoder::new().decode(&mut left).map_err(|error| error.to_string()));
    let refused =
        |what: String| Error::new(ErrorKind::Malformed, what).help("give what ipc_of_batch has returned");
    let not_read = |why: String| refused(format!("the bytes are not a batch of Arrow: {why}"));
    let batch = decoded.and_then(|batch| batch).map_err(not_read)?;
    let batch = batch.ok_or_else(|| refused("the bytes have no batch of Arrow".to_owned()))?;
    Foreign::new().batch(&batch, Text::Unread)?;
    Ok(tfxio::Batch::from(batch).into())
}
