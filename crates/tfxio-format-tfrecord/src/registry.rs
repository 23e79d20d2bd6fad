//! Registration of the formats of this crate.

use tfxio_core::{Formats, Result};

use crate::TfRecordFormat;
#[cfg(feature = "proto")]
use crate::record_formats::ProtoFormat;
use crate::record_formats::RawFormat;
#[cfg(feature = "example")]
use crate::record_formats::{ExampleFormat, SequenceExampleFormat};

/// Registers [`TfRecordFormat`] and the formats of records of this build: `raw` and, with the features of their names, `proto`,
/// `sequence_example` and `example`.
///
/// ```
/// use tfxio_core::Formats;
///
/// let formats = tfxio_format_tfrecord::register(Formats::empty())?;
/// assert_eq!(formats.record_format("example")?.name(), "example");
/// # Ok::<(), tfxio_core::Error>(())
/// ```
///
/// # Errors
/// `InvalidArgument` where a format of one of these names is registered already.
pub fn register(formats: Formats) -> Result<Formats> {
    let formats = formats.register(TfRecordFormat)?;
    // Chosen by name or by its options.
    #[cfg(feature = "proto")]
    let formats = formats.register_records(ProtoFormat)?;
    let formats = formats.register_records(RawFormat)?;
    // The last goes first where the format of records is inferred.
    #[cfg(feature = "example")]
    let formats = formats.register_records(SequenceExampleFormat)?.register_records(ExampleFormat)?;
    Ok(formats)
}
