//! The formats of this crate.

use tfxio_core::{Formats, Result};

use crate::record_formats::RawFormat;
#[cfg(feature = "example")]
use crate::record_formats::{ExampleFormat, SequenceExampleFormat};
use crate::tfrecord::TfRecordFormat;

/// Returns the formats of this build: of files `tfrecord` and, with the features of their names, `avro`, `parquet`,
/// `arrow` (feature `ipc`), `csv` and `jsonl`, and of records `example`, `sequence_example` and `raw`.
#[must_use]
pub fn formats() -> Formats {
    let formats = add(Formats::empty(), |formats| formats.register(TfRecordFormat));
    #[cfg(feature = "avro")]
    let formats = add(formats, |formats| formats.register(crate::avro::AvroFormat));
    #[cfg(feature = "parquet")]
    let formats = add(formats, |formats| formats.register(crate::parquet::ParquetFormat));
    #[cfg(feature = "ipc")]
    let formats = add(formats, |formats| formats.register(crate::ipc::IpcFormat));
    #[cfg(feature = "csv")]
    let formats = add(formats, |formats| formats.register(crate::csv::CsvFormat));
    #[cfg(feature = "jsonl")]
    let formats = add(formats, |formats| formats.register(crate::jsonl::JsonLinesFormat));
    // Chosen by name or by its options.
    #[cfg(feature = "proto")]
    let formats = add(formats, |formats| formats.register_records(crate::record_formats::ProtoFormat));
    let formats = add(formats, |formats| formats.register_records(RawFormat));
    // The last goes first where the format of records is found out.
    #[cfg(feature = "example")]
    let formats = add(formats, |formats| formats.register_records(SequenceExampleFormat));
    #[cfg(feature = "example")]
    let formats = add(formats, |formats| formats.register_records(ExampleFormat));
    formats
}

fn add(formats: Formats, add: impl FnOnce(Formats) -> Result<Formats>) -> Formats {
    // Ours have names of their own.
    add(formats.clone()).unwrap_or(formats)
}
