//! What a conversion writes to.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use example_codec::{EncodedExamples, EncoderOptions, ExampleEncoder, SequenceExampleEncoder};
use tfxio_core::Error;

use super::{Conversion, Format};
use crate::Message;
use crate::record_formats::features::Features;
use crate::tfrecord::RecordOutput;

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
    #[cfg(any(feature = "ipc", feature = "parquet"))]
    Columnar(Box<dyn tfxio_core::Sink>),
    #[cfg(feature = "avro")]
    Avro {
        writer: Box<avro_path::container::FileWriter>,
        plan: Box<avro_path::encode::EncodePlan>,
        output: std::path::PathBuf,
    },
}

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
                use tfxio_core::{FileFormat as _, FormatOptions};

                let options = FormatOptions::default().set("compression", conversion.parquet.name());
                let output = conversion.output.to_string_lossy();
                crate::ParquetFormat.sink(&output, schema, &options).map(Self::Columnar)
            }
            #[cfg(feature = "ipc")]
            Format::Arrow => {
                use tfxio_core::{FileFormat as _, FormatOptions};

                let output = conversion.output.to_string_lossy();
                crate::IpcFormat.sink(&output, schema, &FormatOptions::default()).map(Self::Columnar)
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
            #[cfg(any(feature = "ipc", feature = "parquet"))]
            Self::Columnar(sink) => sink.write(&batch.clone().into()),
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
            #[cfg(any(feature = "ipc", feature = "parquet"))]
            Self::Columnar(sink) => {
                let written = sink.finish()?;
                Ok(written.files.iter().map(|file| size(Path::new(file))).fold(0, u64::saturating_add))
            }
            #[cfg(feature = "avro")]
            Self::Avro { writer, output, .. } => {
                writer.finish()?;
                Ok(size(&output))
            }
        }
    }
}

/// Size of a finished file in bytes; 0 where it cannot be known.
pub(super) fn size(output: &Path) -> u64 {
    std::fs::metadata(output).map_or(0, |found| found.len())
}
