//! A format whose files have a footer.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use tfxio_core::foreign::guarded;
use tfxio_core::{Dataset, Error, ErrorKind, Files, FormatOptions, Input, Limits, OptionSpec, Result, Sink};

use super::dataset::ColumnarFiles;
use super::{Failure, Footer};

/// A format whose files have a footer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columnar {
    /// Name in the registry.
    pub(crate) name: &'static str,
    /// Name in messages.
    pub(crate) title: &'static str,
    pub(crate) endings: &'static [&'static str],
    /// Returns whether a file begins like one of the format.
    pub(crate) sniff: fn(&[u8]) -> bool,
    pub(crate) options: &'static [OptionSpec],
    /// Noun for a group of rows, and the key of the number of groups.
    pub(crate) group: &'static str,
    pub(crate) groups: &'static str,
    /// Reads footers.
    pub(crate) footer: OpenFooter,
    /// Reads the beginning of a pipe, for a format that can be read from its beginning.
    pub(crate) sequential: Option<OpenSequential>,
    /// Refuses columns that cannot be written.
    pub(crate) refuse: fn(&Schema, &str) -> Result<()>,
    /// Refuses values that cannot be written, of columns that can be.
    pub(crate) refuse_values: fn(&RecordBatch) -> Result<()>,
    /// Returns whether other readers know a type that can be written. A conversion writes another for one that they do not.
    pub(crate) is_common: fn(&DataType) -> bool,
    pub(crate) sink: CreateSink,
}

/// Reads the footer of a file of this size. May panic if it is damaged.
pub(super) type OpenFooter = fn(Box<dyn Input>, u64, &FormatOptions) -> Result<Arc<dyn Footer>, Failure>;

/// Reads the beginning of a file of unknown size. May panic if it is damaged.
type OpenSequential = fn(Box<dyn Input>, &Limits) -> Result<Arc<dyn Footer>, Failure>;

type CreateSink = fn(&Columnar, &str, &SchemaRef, &FormatOptions) -> Result<Box<dyn Sink>>;

/// Makes a type the [`FileFormat`](tfxio_core::FileFormat) that a [`Columnar`] is.
macro_rules! columnar_format {
    ($type:ty, $format:path) => {
        impl tfxio_core::FileFormat for $type {
            fn name(&self) -> &str {
                $format.name
            }

            fn endings(&self) -> &[&str] {
                $format.endings
            }

            fn sniff(&self, first_bytes: &[u8]) -> bool {
                ($format.sniff)(first_bytes)
            }

            fn options(&self) -> Vec<tfxio_core::OptionSpec> {
                $format.options.to_vec()
            }

            fn open(
                &self,
                files: tfxio_core::Files,
                options: &tfxio_core::FormatOptions,
            ) -> tfxio_core::Result<std::sync::Arc<dyn tfxio_core::Dataset>> {
                $format.open(files, options)
            }

            fn sink(
                &self,
                output: &str,
                schema: &arrow_schema::SchemaRef,
                options: &tfxio_core::FormatOptions,
            ) -> tfxio_core::Result<Box<dyn tfxio_core::Sink>> {
                ($format.sink)(&$format, output, schema, &$format.checked(options)?)
            }

            fn takes(&self, column: &arrow_schema::Field, _: &tfxio_core::FormatOptions) -> bool {
                ($format.is_common)(column.data_type())
                    && ($format.refuse)(&arrow_schema::Schema::new(vec![column.clone()]), "").is_ok()
            }

            fn inspect(&self) -> Option<&dyn tfxio_core::Inspect> {
                Some(&$format)
            }
        }
    };
}

pub(crate) use columnar_format;

impl Columnar {
    /// Returns the options, if the format has them.
    pub(crate) fn checked(&self, options: &FormatOptions) -> Result<FormatOptions> {
        options.clone().checked(self.name, self.options)
    }

    pub(crate) fn open(&self, files: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>> {
        Ok(Arc::new(ColumnarFiles::open(*self, files, &self.checked(options)?)?))
    }

    /// Does work that may fail or panic over a damaged file.
    pub(super) fn guarded<T>(
        &self,
        file: &Arc<str>,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let what = |text: &str| format!("the {} file cannot be read: {text}", self.title);
        let error = match guarded(work) {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => match ours(error) {
                Ok(ours) => ours,
                Err(error) => {
                    let kind =
                        if is_cancelled(&*error) { ErrorKind::Cancelled } else { ErrorKind::Malformed };
                    let ours = Error::new(kind, what(&error.to_string()));
                    let ours = match (is_damage(&*error), is_contradiction(&*error)) {
                        (true, _) => ours.help(COPY_AGAIN),
                        (false, true) => ours.help(CONTRADICTS),
                        (false, false) => ours,
                    };
                    ours.because(error)
                }
            },
            Err(text) => {
                let text = format!("it is damaged (its reader stopped: {})", text.replace('\n', " "));
                Error::new(ErrorKind::Malformed, what(&text)).help(COPY_AGAIN)
            }
        };
        Err(error.in_file(Arc::clone(file)))
    }
}

/// Returns an error of ours, as it is or as arrow carries it.
fn ours(error: Failure) -> Result<Error, Failure> {
    let error = match error.downcast::<Error>() {
        Ok(ours) => return Ok(*ours),
        Err(error) => error,
    };
    match error.downcast::<ArrowError>().map(|error| *error) {
        Ok(ArrowError::ExternalError(inner)) => inner.downcast::<Error>().map(|ours| *ours),
        Ok(error) => Err(Box::new(error)),
        Err(error) => Err(error),
    }
}

/// Advice for a damaged file.
const COPY_AGAIN: &str = "the file is damaged; copy or download it again";

/// Returns whether an error means that the file is damaged: not that its reader lacks a feature, or that reading failed.
fn is_damage(error: &(dyn std::error::Error + 'static)) -> bool {
    #[cfg(feature = "parquet")]
    if let Some(error) = error.downcast_ref::<parquet::errors::ParquetError>() {
        use parquet::errors::ParquetError;
        return matches!(error, ParquetError::General(_) | ParquetError::EOF(_));
    }
    match error.downcast_ref::<ArrowError>() {
        Some(ArrowError::ParseError(_)) => true,
        // Compressed buffers have lengths.
        Some(ArrowError::IpcError(text)) => text.contains("ompressed"),
        _ => false,
    }
}

/// Advice for a file whose parts are whole and do not belong together.
const CONTRADICTS: &str = "nothing says that the file is damaged: if another program reads it, write it again with that one; \
                           otherwise copy it again";

/// Returns whether an error means that the parts of a file contradict each other, although none of them is damaged.
fn is_contradiction(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref::<ArrowError>(), Some(ArrowError::IpcError(_)))
}

/// Returns whether an error of ours among the causes is a cancellation.
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
