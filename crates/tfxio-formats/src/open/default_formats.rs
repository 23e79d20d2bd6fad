//! The formats of this build.

use tfxio_core::{Formats, Result};

/// Returns the formats of this build, each with the feature of its name: of files `tfrecord`, `avro`, `parquet`, `arrow` (feature `ipc`),
/// `csv` and `jsonl`, and of records `example`, `sequence_example`, `proto` and `raw`.
#[must_use]
pub fn formats() -> Formats {
    let formats = Formats::empty();
    #[cfg(feature = "tfrecord")]
    let formats = add(formats, tfxio_format_tfrecord::register);
    #[cfg(feature = "avro")]
    let formats = add(formats, |formats| formats.register(tfxio_format_avro::AvroFormat));
    #[cfg(feature = "parquet")]
    let formats = add(formats, |formats| formats.register(tfxio_format_columnar::ParquetFormat));
    #[cfg(feature = "ipc")]
    let formats = add(formats, |formats| formats.register(tfxio_format_columnar::IpcFormat));
    #[cfg(feature = "csv")]
    let formats = add(formats, |formats| formats.register(tfxio_format_text::CsvFormat));
    #[cfg(feature = "jsonl")]
    let formats = add(formats, |formats| formats.register(tfxio_format_text::JsonLinesFormat));
    formats
}

#[allow(dead_code, reason = "a build without a format adds none")]
fn add(formats: Formats, add: impl FnOnce(Formats) -> Result<Formats>) -> Formats {
    // Ours have names of their own.
    add(formats.clone()).unwrap_or(formats)
}
