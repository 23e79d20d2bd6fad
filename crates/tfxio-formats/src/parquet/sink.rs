//! Batches as Parquet files.

use arrow_schema::{DataType, IntervalUnit, Schema, SchemaRef};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use tfxio_base::{OutputFile, WriteErrors};
use tfxio_core::{Batch, Error, ErrorKind, FormatOptions, Position, Result, Sink, Written};

use crate::columnar::guard::guarded;
use crate::tfrecord::refuse_shards;
use crate::tfrecord::url::refuse_output;

/// Files of more columns than this are written without dictionaries.
const MOST_DICTIONARIES: usize = 2048;
/// Bytes of memory at which a row group ends.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// Writes one file.
pub(super) struct ParquetSink {
    writer: ArrowWriter<OutputFile>,
    errors: WriteErrors,
    output: String,
    rows: u64,
}

impl ParquetSink {
    pub(super) fn create(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        refuse_output(output)?;
        refuse_shards(output, super::FORMAT.name)?;
        refuse_no_columns(schema, output)?;
        refuse_types(schema, output)?;
        let file = OutputFile::create(output, true)?;
        let errors = file.errors();
        let properties = WriterProperties::builder()
            .set_compression(compression(options))
            // Each column's begins with tens of kilobytes, whatever the column holds.
            .set_dictionary_enabled(schema.flattened_fields().len() <= MOST_DICTIONARIES)
            .set_created_by(concat!("tfxio ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties));
        let writer = writer.map_err(|error| errors.of_writer(error))?;
        Ok(Self { writer, errors, output: output.to_owned(), rows: 0 })
    }
}

impl Sink for ParquetSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let Self { writer, errors, .. } = self;
        let write = || {
            writer.write(batch.columns())?;
            if writer.memory_size() > ROW_GROUP_BYTES { writer.flush() } else { Ok(()) }
        };
        // It panics over types that it has no code for; nothing is written after that.
        guarded(write).map_err(stopped)?.map_err(|error| errors.of_writer(error))?;
        self.rows = self.rows.saturating_add(batch.num_rows() as u64);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { writer, errors, output, rows } = *self;
        let file = guarded(|| writer.into_inner()).map_err(stopped)?;
        file.map_err(|error| errors.of_writer(error))?.finish()?;
        Ok(Written::new(rows, vec![output]))
    }
}

/// Returns the error of a writer that panics.
fn stopped(text: String) -> Error {
    let text = text.replace('\n', " ");
    let message = format!(
        "the columns cannot be written as Parquet (the writer stopped: {text}); write an Arrow file, or leave out columns of \
         rare types, such as dictionaries of views"
    );
    Error::new(ErrorKind::Unsupported, message)
}

fn refuse_no_columns(schema: &SchemaRef, output: &str) -> Result<()> {
    if !schema.fields().is_empty() {
        return Ok(());
    }
    let message = "there are no columns to write: the inputs have no records, or their records no features";
    Err(Error::new(ErrorKind::InvalidArgument, message).in_file(output))
}

/// Refuses columns of types that Parquet, or its writer, does not have.
fn refuse_types(schema: &SchemaRef, output: &str) -> Result<()> {
    for field in schema.fields() {
        let alone = Schema::new(vec![std::sync::Arc::clone(field)]);
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
