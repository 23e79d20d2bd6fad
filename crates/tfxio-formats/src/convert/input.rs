//! The inputs of a conversion as batches.

use std::sync::Arc;

use tfxio_core::{Error, ErrorKind, Position};

use super::Format;
use crate::tfrecord::{RecordOptions, url};

/// The format that all files have.
pub(super) fn format(inputs: &[Arc<str>], options: &RecordOptions) -> Result<Format, Error> {
    let mut first: Option<(Format, &Arc<str>)> = None;
    for file in inputs {
        // A look at each of a thousand objects takes long, and the readers notice as well.
        if first.is_some() && url::is_url(file) {
            continue;
        }
        let position = || Position::new().file(Arc::clone(file));
        let format = Format::of_file(file, options)?;
        match first {
            Some((known, other)) if known != format => {
                let message = format!(
                    "the file is {format}, but {other} is {known}; convert the files of each format by themselves"
                );
                return Err(Error::new(ErrorKind::InvalidArgument, message).at(position()));
            }
            Some(_) => {}
            None => first = Some((format, file)),
        }
    }
    Ok(first.map_or(Format::TfRecord, |(format, _)| format))
}

/// Opens a Parquet or Arrow file as a data set.
#[cfg(any(feature = "ipc", feature = "parquet"))]
pub(super) fn columnar(
    conversion: &super::Conversion,
    name: &Arc<str>,
) -> Result<Arc<dyn tfxio_core::Dataset>, Error> {
    use tfxio_core::{FileFormat as _, Files, FormatOptions};

    use crate::FileStore;

    #[cfg(feature = "object-store")]
    let store = FileStore::new(conversion.records.stores.clone());
    #[cfg(not(feature = "object-store"))]
    let store = FileStore::default();
    let files = Files::new([Arc::clone(name)], Arc::new(store));
    let mut options = FormatOptions::default();
    options.request.limits = conversion.records.limits;
    match conversion.from {
        #[cfg(feature = "parquet")]
        Format::Parquet => crate::ParquetFormat.open(files, &options),
        #[cfg(feature = "ipc")]
        Format::Arrow => crate::IpcFormat.open(files, &options),
        other => Err(left_out(other)),
    }
}

/// The error for a format that was left out of this build.
#[cfg_attr(all(feature = "ipc", feature = "parquet"), allow(dead_code, reason = "nothing is left out"))]
pub(super) fn left_out(format: Format) -> Error {
    let feature = match format {
        Format::Arrow => "ipc",
        Format::Avro => "avro",
        _ => "parquet",
    };
    let message = format!("this build has no {format}; build it with the feature `{feature}`");
    Error::new(ErrorKind::Unsupported, message)
}
