//! Batches as Parquet files.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, IntervalUnit, Schema, SchemaRef};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use tfxio_base::OutputFile;
use tfxio_core::{Error, ErrorKind, FormatOptions, Position, Result};

use crate::columnar::BatchWriter;

/// Files of more columns than this are written without dictionaries.
const MOST_DICTIONARIES: usize = 2048;
/// Bytes of memory at which a row group ends.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// Writes one file.
pub(super) type Writer = ArrowWriter<OutputFile>;

impl BatchWriter for Writer {
    type Error = ParquetError;

    fn create(file: OutputFile, schema: &SchemaRef, options: &FormatOptions) -> Result<Self, ParquetError> {
        let properties = WriterProperties::builder()
            .set_compression(compression(options))
            // Each column's begins with tens of kilobytes, whatever the column holds.
            .set_dictionary_enabled(schema.flattened_fields().len() <= MOST_DICTIONARIES)
            .set_created_by(concat!("tfxio ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        Self::try_new(file, Arc::clone(schema), Some(properties))
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        Self::write(self, batch)?;
        if self.memory_size() > ROW_GROUP_BYTES { self.flush() } else { Ok(()) }
    }

    fn finish(self) -> Result<OutputFile, ParquetError> {
        self.into_inner()
    }
}

/// Refuses no columns, and columns of types that Parquet, or its writer, does not have.
pub(super) fn refuse(schema: &Schema, output: &str) -> Result<()> {
    if schema.fields().is_empty() {
        let message =
            "there are no columns to write: the inputs have no records, or their records no features";
        return Err(Error::new(ErrorKind::InvalidArgument, message).in_file(output));
    }
    for field in schema.fields() {
        let alone = Schema::new(vec![Arc::clone(field)]);
        if !has_interval(field.data_type()) && ArrowSchemaConverter::new().convert(&alone).is_ok() {
            continue;
        }
        let message = format!(
            "a Parquet file cannot hold a column of the type {}; write an Arrow file",
            field.data_type()
        );
        let position = Position::new().file(output).column(field.name().as_str());
        return Err(Error::new(ErrorKind::Unsupported, message).at(position));
    }
    Ok(())
}

/// Returns whether a type is or holds an interval of months, days and nanoseconds, which has a Parquet type and no writer.
fn has_interval(kind: &DataType) -> bool {
    match kind {
        DataType::Interval(unit) => *unit == IntervalUnit::MonthDayNano,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_interval(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_interval(field.data_type())),
        DataType::Dictionary(_, value) => has_interval(value),
        _ => false,
    }
}

fn compression(options: &FormatOptions) -> Compression {
    match options.text("output_compression") {
        Some("none") => Compression::UNCOMPRESSED,
        Some("snappy") => Compression::SNAPPY,
        Some("gzip") => Compression::GZIP(Default::default()),
        _ => Compression::ZSTD(Default::default()),
    }
}
