//! Batches as bytes of Arrow IPC, which other processes read.

use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
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

/// Returns the batch that bytes of Arrow IPC have, which are copied once.
#[pyfunction]
pub(crate) fn batch_of_ipc(py: Python<'_>, data: PyBuffer<u8>) -> PyResult<RecordBatch> {
    let data = data.to_vec(py)?;
    py.detach(|| read(data)).or_raise(py)
}

fn read(data: Vec<u8>) -> Result<RecordBatch> {
    let mut left = Buffer::from_vec(data);
    let mut decoder = StreamDecoder::new();
    match decoder.decode(&mut left)? {
        Some(batch) => Ok(tfxio::Batch::from(batch).into()),
        None => Err(Error::new(ErrorKind::Malformed, "the bytes have no batch of Arrow")
            .help("give what ipc_of_batch has returned")),
    }
}
