//! What a conversion writes to.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use example_codec::{EncodedExamples, EncoderOptions, ExampleEncoder, SequenceExampleEncoder};
use tfxio_core::Error;

#[cfg(feature = "parquet")]
use super::guard::guarded;
use super::{Conversion, Format};
use crate::Message;
use crate::record_formats::features::Features;
use crate::tfrecord::RecordOutput;

/// Files of more columns than this are written without dictionaries.
#[cfg(feature = "parquet")]
const MOST_DICTIONARIES: usize = 2048;

/// Makes records of rows.
pub(super) enum Encoder {
    Example(ExampleEncoder),
    SequenceExample(SequenceExampleEncoder),
}

impl Encoder {
    fn new(conversion: &Conversion, schema: &Schema, options: EncoderOptions) -> Result<Self, Error> {
        let column = &*conversion.sequence_column;
        let has_lists = schema
            .fields()
            .iter()
            .any(|field| field.name() == column && matches!(field.data_type(), DataType::Struct(_)));
        let message = conversion.message.unwrap_or(match has_lists {
            true => Message::SequenceExample,
            false => Message::Example,
        });
        Ok(match message {
            Message::Example => Self::Example(ExampleEncoder::try_new(schema, options)?),
            Message::SequenceExample => {
                Self::SequenceExample(SequenceExampleEncoder::try_new(schema, column, options)?)
            }
        })
    }

    fn encode(&self, batch: &RecordBatch, examples: &mut EncodedExamples) -> Result<(), Error> {
        match self {
            Self::Example(encoder) => encoder.encode(batch, examples)?,
            Self::SequenceExample(encoder) => encoder.encode(batch, examples)?,
        }
        Ok(())
    }
}

/// Takes batches of one schema.
pub(super) enum Sink {
    Examples {
        sink: RecordOutput,
        features: Features,
        encoder: Box<Encoder>,
        examples: EncodedExamples,
    },
    #[cfg(feature = "parquet")]
    Parquet {
        writer: Box<parquet::arrow::ArrowWriter<tfxio_base::OutputFile>>,
        errors: tfxio_base::WriteErrors,
    },
    #[cfg(feature = "ipc")]
    Arrow {
        writer: Box<arrow_ipc::writer::FileWriter<std::io::BufWriter<tfxio_base::OutputFile>>>,
        errors: tfxio_base::WriteErrors,
    },
    #[cfg(feature = "avro")]
    Avro {
        writer: Box<avro_path::container::FileWriter>,
        plan: Box<avro_path::encode::EncodePlan>,
        output: std::path::PathBuf,
    },
}

/// A row group of a Parquet file ends when it takes so many bytes of memory.
#[cfg(feature = "parquet")]
const ROW_GROUP_BYTES: usize = 64 << 20;

impl Sink {
    pub(super) fn create(conversion: &Conversion, schema: &SchemaRef) -> Result<Self, Error> {
        match conversion.to {
            Format::TfRecord => {
                let options = EncoderOptions::default().text(true).limits(conversion.records.limits);
                let features = Features::new(schema)?;
                let encoder = Box::new(Encoder::new(conversion, features.schema(), options)?);
                let sink = RecordOutput::create(&conversion.output, &conversion.writer, None)?;
                Ok(Self::Examples { sink, features, encoder, examples: EncodedExamples::new() })
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                refuse_no_columns(schema, &conversion.output)?;
                refuse_types(schema, &conversion.output)?;
                let file = tfxio_base::OutputFile::create(&conversion.output, true)?;
                let errors = file.errors();
                let properties = parquet::file::properties::WriterProperties::builder()
                    .set_compression(parquet_compression(conversion.parquet))
                    // Each column's begins with tens of kilobytes, whatever the column holds.
                    .set_dictionary_enabled(schema.flattened_fields().len() <= MOST_DICTIONARIES)
                    .set_created_by(concat!("tfxio ", env!("CARGO_PKG_VERSION")).to_owned())
                    .build();
                let writer = parquet::arrow::ArrowWriter::try_new(file, schema.clone(), Some(properties));
                let writer = writer.map_err(|error| errors.of_writer(error))?;
                Ok(Self::Parquet { writer: Box::new(writer), errors })
            }
            #[cfg(feature = "ipc")]
            Format::Arrow => {
                let file = tfxio_base::OutputFile::create(&conversion.output, true)?;
                let errors = file.errors();
                let writer = arrow_ipc::writer::FileWriter::try_new_buffered(file, schema);
                let writer = writer.map_err(|error| errors.of_writer(error))?;
                Ok(Self::Arrow { writer: Box::new(writer), errors })
            }
            #[cfg(feature = "avro")]
            Format::Avro => {
                let output = conversion.output.clone();
                let plan = avro_path::encode::EncodePlan::new(schema, &Default::default())?;
                let writer = avro_path::container::WriterBuilder::new().codec(conversion.avro_codec);
                // A plan writes nothing else than data of its schema.
                let writer = writer.check(false).overwrite(true).create(&output, plan.avro_schema())?;
                Ok(Self::Avro { writer: Box::new(writer), plan: Box::new(plan), output })
            }
            #[allow(unreachable_patterns, reason = "with all features there is no other")]
            other => Err(super::input::left_out(other)),
        }
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        match self {
            Self::Examples { sink, features, encoder, examples } => {
                encoder.encode(&features.batch(batch)?, examples)?;
                examples.iter().try_for_each(|record| sink.write(record))
            }
            #[cfg(feature = "parquet")]
            Self::Parquet { writer, errors } => {
                let write = || {
                    writer.write(batch)?;
                    if writer.memory_size() > ROW_GROUP_BYTES { writer.flush() } else { Ok(()) }
                };
                // It panics over types that it has no code for; nothing is written after that.
                guarded(write).map_err(stopped)?.map_err(|error| errors.of_writer(error))
            }
            #[cfg(feature = "ipc")]
            Self::Arrow { writer, errors } => writer.write(batch).map_err(|error| errors.of_writer(error)),
            #[cfg(feature = "avro")]
            Self::Avro { writer, plan, .. } => {
                let rows = plan.rows(batch)?;
                for row in 0..rows.len() {
                    writer.write_with(|out| rows.append(row, out))?;
                }
                Ok(())
            }
        }
    }

    /// Gives the output its name. Its size in bytes.
    pub(super) fn finish(self) -> Result<u64, Error> {
        match self {
            Self::Examples { sink, .. } => {
                sink.finish().map(|paths| paths.iter().map(|path| size(path)).sum())
            }
            #[cfg(feature = "parquet")]
            Self::Parquet { writer, errors } => {
                let file = guarded(|| writer.into_inner()).map_err(stopped)?;
                file.map_err(|error| errors.of_writer(error))?.finish()
            }
            #[cfg(feature = "ipc")]
            Self::Arrow { writer, errors } => {
                // Writes the footer and flushes.
                let buffered = writer.into_inner().map_err(|error| errors.of_writer(error))?;
                let file = buffered.into_inner().map_err(|error| errors.of_writer(error.into_error()))?;
                file.finish()
            }
            #[cfg(feature = "avro")]
            Self::Avro { writer, output, .. } => {
                writer.finish()?;
                Ok(size(&output))
            }
        }
    }
}

/// The error of Parquet's writer where it panics.
#[cfg(feature = "parquet")]
fn stopped(text: String) -> Error {
    let text = text.replace('\n', " ");
    let message = format!(
        "the columns cannot be written as Parquet (the writer stopped: {text}); write an Arrow file, or leave out columns of \
         rare types, such as dictionaries of views"
    );
    Error::new(tfxio_core::ErrorKind::Unsupported, message)
}

/// Size of a finished file in bytes; 0 where it cannot be known.
pub(super) fn size(output: &Path) -> u64 {
    std::fs::metadata(output).map_or(0, |found| found.len())
}

#[cfg(feature = "parquet")]
fn refuse_no_columns(schema: &SchemaRef, output: &Path) -> Result<(), Error> {
    use tfxio_core::{ErrorKind, Position};

    if !schema.fields().is_empty() {
        return Ok(());
    }
    let message = "there are no columns to write: the inputs have no records, or their records no features";
    let position = Position::new().file(output.to_string_lossy());
    Err(Error::new(ErrorKind::InvalidArgument, message).at(position))
}

/// Refuses columns of types that Parquet, or its writer, does not have.
#[cfg(feature = "parquet")]
fn refuse_types(schema: &SchemaRef, output: &Path) -> Result<(), Error> {
    use parquet::arrow::ArrowSchemaConverter;
    use tfxio_core::{ErrorKind, Position};

    for field in schema.fields() {
        let alone = Schema::new(vec![std::sync::Arc::clone(field)]);
        if !has_interval(field.data_type()) && ArrowSchemaConverter::new().convert(&alone).is_ok() {
            continue;
        }
        let message = format!(
            "a Parquet file cannot hold a column of the type {}; write an Arrow file",
            field.data_type()
        );
        let position = Position::new().file(output.to_string_lossy()).column(field.name().as_str());
        return Err(Error::new(ErrorKind::Unsupported, message).at(position));
    }
    Ok(())
}

/// Whether a type is or holds an interval of months, days and nanoseconds, which has a Parquet type and no writer.
#[cfg(feature = "parquet")]
fn has_interval(kind: &DataType) -> bool {
    match kind {
        DataType::Interval(unit) => *unit == arrow_schema::IntervalUnit::MonthDayNano,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_interval(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_interval(field.data_type())),
        DataType::Dictionary(_, value) => has_interval(value),
        _ => false,
    }
}

#[cfg(feature = "parquet")]
fn parquet_compression(compression: super::ParquetCompression) -> parquet::basic::Compression {
    use parquet::basic::Compression;

    use super::ParquetCompression;

    match compression {
        ParquetCompression::None => Compression::UNCOMPRESSED,
        ParquetCompression::Snappy => Compression::SNAPPY,
        ParquetCompression::Gzip => Compression::GZIP(Default::default()),
        ParquetCompression::Zstd => Compression::ZSTD(Default::default()),
    }
}
