//! Errors on their way through DataFusion.

use datafusion::error::DataFusionError;
use tfxio_core::{Error, ErrorKind};

/// Returns an error as DataFusion carries it.
pub(crate) fn carried(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Returns the error of a data set that an error of DataFusion carries, with its position and its hint; `None` where
/// DataFusion has found something wrong itself.
///
/// ```
/// use datafusion::prelude::SessionContext;
/// use tfxio_sql::{FileTables, SessionContextExt as _, dataset_error};
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let context = SessionContext::new();
/// context.enable_files(FileTables::new());
/// let error = context.sql("select * from 'none.tfrecord'").await.unwrap_err();
/// let expected = "none.tfrecord: opening the file failed: no such file; check the path";
/// assert_eq!(dataset_error(&error).unwrap().to_string(), expected);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn dataset_error(error: &DataFusionError) -> Option<&Error> {
    let mut at: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = at {
        if let Some(found) = error.downcast_ref::<Error>() {
            return Some(found);
        }
        // What is shared or boxed is not its own source.
        at = match error.downcast_ref::<DataFusionError>() {
            Some(DataFusionError::External(inner)) => Some(&**inner),
            Some(DataFusionError::Shared(inner)) => Some(&**inner),
            Some(DataFusionError::Context(_, inner)) => Some(&**inner),
            _ => error.source(),
        };
    }
    None
}

/// Returns an error of DataFusion as one of ours.
pub(crate) fn ours(error: DataFusionError) -> Error {
    match dataset_error(&error) {
        Some(found) => {
            let copy = Error::new(found.kind(), found.what()).at(found.position().clone());
            match found.hint() {
                Some(hint) => copy.help(hint),
                None => copy,
            }
        }
        None => Error::new(ErrorKind::Other, error.strip_backtrace()),
    }
}
