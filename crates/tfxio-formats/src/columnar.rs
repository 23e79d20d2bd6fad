//! Files whose footer says where their rows are: what Parquet and Arrow IPC files share.

mod counted;
mod dataset;
pub(crate) mod guard;
mod known_file;
mod scan;
mod selection;

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{Error, ErrorKind, Input, Limits};

pub(crate) use self::dataset::ColumnarFiles;

/// An error of a reader, of which only the text is shown.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A format whose files have a footer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columnar {
    /// Name in the registry.
    pub(crate) name: &'static str,
    /// Name in messages.
    pub(crate) title: &'static str,
    /// Reads footers.
    pub(crate) open: OpenFooter,
}

/// Reads the footer of a file of this size. May panic if it is damaged.
type OpenFooter = fn(Box<dyn Input>, u64, &Limits) -> Result<Arc<dyn Footer>, Failure>;

/// The footer of a file.
pub(crate) trait Footer: fmt::Debug + Send + Sync {
    /// Returns the schema of the file.
    fn schema(&self) -> &SchemaRef;

    /// Returns the groups of rows, in order: row groups, or record batches.
    fn groups(&self) -> &[Group];

    /// Returns the number of rows of a group, which may read its head. May panic if that is damaged.
    fn rows(&self, group: usize, input: &mut dyn Input) -> Result<u64, Failure>;

    /// Returns a reader of these columns, which are in the order of the file. May panic if the file is damaged.
    fn reader(
        self: Arc<Self>,
        input: Box<dyn Input>,
        columns: Vec<usize>,
        batch_rows: usize,
        limits: &Limits,
    ) -> Result<Box<dyn GroupReader>, Failure>;
}

/// Rows that are stored together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// Offset of its first byte.
    pub(crate) start: u64,
    /// Number of rows, if the footer says it.
    pub(crate) rows: Option<u64>,
}

/// Reads one group after the other. After an error or a panic it is not used again.
pub(crate) trait GroupReader: Send {
    /// Enters a group and passes over its first `skip` rows, which it has.
    fn enter(&mut self, group: usize, skip: u64) -> Result<(), Failure>;

    /// Returns the next rows of the group; `None` after the last.
    fn next(&mut self) -> Result<Option<RecordBatch>, Failure>;
}

impl Columnar {
    /// Does work that may fail or panic over a damaged file.
    fn guarded<T>(&self, file: &Arc<str>, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Error> {
        let what = |text: &str| format!("the {} file cannot be read: {text}", self.title);
        let error = match guard::guarded(work) {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => match error.downcast::<Error>() {
                Ok(ours) => *ours,
                Err(error) => {
                    let kind =
                        if is_cancelled(&*error) { ErrorKind::Cancelled } else { ErrorKind::Malformed };
                    Error::new(kind, what(&error.to_string())).because(error)
                }
            },
            Err(text) => {
                let text = format!("it is damaged (its reader stopped: {})", text.replace('\n', " "));
                Error::new(ErrorKind::Malformed, what(&text))
            }
        };
        Err(error.in_file(Arc::clone(file)))
    }
}

/// Returns whether an error of ours among the causes says that the work was cancelled.
fn is_cancelled(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<Error>().is_some_and(|ours| ours.kind() == ErrorKind::Cancelled) {
            return true;
        }
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        cause = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}
