//! Errors that leave by DataFusion, which hands on their text alone: kept here, so that they can be had as exceptions of tfxio.

use std::collections::VecDeque;
use std::error::Error as StdError;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::StreamExt as _;
use pyo3::prelude::*;
use tfxio::Error;
use tfxio::sql::datafusion::error::DataFusionError;
use tfxio::sql::datafusion::execution::SendableRecordBatchStream;
use tfxio::sql::datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use tfxio_python_errors::exception;

/// Errors that are kept; older ones give way.
const KEPT: usize = 64;

static LAST: Mutex<VecDeque<Error>> = Mutex::new(VecDeque::new());

fn last() -> MutexGuard<'static, VecDeque<Error>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the exception of tfxio whose text an exception of the package datafusion has; `None` of any other.
#[pyfunction]
pub(crate) fn raised<'py>(py: Python<'py>, text: &str) -> Option<Bound<'py, PyAny>> {
    let last = last();
    let found = last.iter().rev().find(|error| text.contains(&error.to_string()))?;
    Some(exception(py, found).into_value(py).into_bound(py).into_any())
}

/// Keeps the error of tfxio that this one is, or is caused by.
pub(crate) fn keep(error: &DataFusionError) {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(cause) = next {
        if let Some(ours) = cause.downcast_ref::<Error>() {
            let text = ours.to_string();
            let mut last = last();
            if last.iter().all(|error| error.to_string() != text) {
                let excess = (last.len() + 1).saturating_sub(KEPT);
                last.drain(..excess);
                last.push_back(copy(ours));
            }
            return;
        }
        next = cause.source();
    }
}

/// Returns an error of the same kind, position, hint and text. Errors cannot be cloned.
fn copy(error: &Error) -> Error {
    let mut copy = Error::new(error.kind(), error.what()).at(error.position().clone());
    if let Some(hint) = error.hint() {
        copy = copy.help(hint);
    }
    if copy.to_string() == error.to_string() {
        copy
    } else {
        copy.saying(error.to_string()).at(Default::default())
    }
}

/// Returns the stream, whose errors are kept.
pub(crate) fn watched(stream: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let schema = stream.schema();
    let stream = stream.inspect(|batch| {
        if let Err(error) = batch {
            keep(error);
        }
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, stream))
}
