//! Statements that are cancelled.

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::{Mutex, PoisonError};

use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt as _;
use futures::channel::oneshot;
use futures::future::{Either, select};
use tfxio_core::{Cancel, Error, ErrorKind};

use crate::error::carried;

/// Waits until a token is cancelled.
async fn cancelled(cancel: Cancel) {
    let (wake, woken) = oneshot::channel();
    let wake = Mutex::new(Some(wake));
    let _guard = cancel.on_cancel(move || {
        let wake = wake.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Nobody waits any more.
        let _ = wake.map(|wake| wake.send(()));
    });
    let _ = woken.await;
}

fn error() -> Error {
    Error::new(ErrorKind::Cancelled, "the statement was cancelled")
}

/// Does work unless a token is cancelled before it is done.
pub(super) async fn until<T>(cancel: &Cancel, work: impl Future<Output = Result<T>>) -> Result<T> {
    match select(pin!(cancelled(cancel.clone())), pin!(work)).await {
        Either::Left(_) => Err(carried(error())),
        Either::Right((done, _)) => done,
    }
}

/// Returns rows that end with an error once a token is cancelled.
pub(super) fn rows(cancel: Cancel, rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let schema = rows.schema();
    let until = rows.take_until(cancelled(cancel.clone()));
    let why = futures::stream::once(async move { cancel.is_cancelled() });
    let why = why.filter_map(|is_cancelled| ready(is_cancelled.then(|| Err(carried(error())))));
    Box::pin(RecordBatchStreamAdapter::new(schema, until.chain(why)))
}
