//! Batches as Arrow IPC files.

use std::io::BufWriter;

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use tfxio_base::OutputFile;
use tfxio_core::{FormatOptions, Result};

use super::dictionaries::Dictionaries;
use super::file;
use crate::columnar::{BatchWriter, refuse_deep};

/// Ending of a stream.
pub(super) const STREAM: &str = ".arrows";

/// Writes one file.
pub(super) struct Writer {
    writer: FileWriter<BufWriter<OutputFile>>,
    dictionaries: Dictionaries,
}

impl BatchWriter for Writer {
    type Error = ArrowError;

    fn create(
        file: OutputFile,
        schema: &SchemaRef,
        options: &FormatOptions,
        _shards: u32,
    ) -> Result<Self, ArrowError> {
        // A file has no second dictionary of a column; new values are added to the first.
        let options = write_options(options)?.with_dictionary_handling(DictionaryHandling::Delta);
        let writer = FileWriter::try_new_with_options(BufWriter::new(file), schema, options)?;
        Ok(Self { writer, dictionaries: Dictionaries::new(schema) })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.writer.write(&self.dictionaries.joined(batch)?)
    }

    fn finish(self) -> Result<OutputFile, ArrowError> {
        self.writer.into_inner()?.into_inner().map_err(|error| error.into_error().into())
    }
}

/// Writes one stream.
pub(super) type StreamOutput = StreamWriter<BufWriter<OutputFile>>;

impl BatchWriter for StreamOutput {
    type Error = ArrowError;

    fn create(
        file: OutputFile,
        schema: &SchemaRef,
        options: &FormatOptions,
        _shards: u32,
    ) -> Result<Self, ArrowError> {
        Self::try_new_with_options(BufWriter::new(file), schema, write_options(options)?)
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        Self::write(self, batch)
    }

    fn finish(self) -> Result<OutputFile, ArrowError> {
        self.into_inner()?.into_inner().map_err(|error| error.into_error().into())
    }
}

/// Refuses columns that are nested too deep to be read again.
pub(super) fn refuse(schema: &Schema, output: &str) -> Result<()> {
    let is_stream = output.ends_with(STREAM);
    let write = |schema: SchemaRef| {
        Ok(match is_stream {
            true => StreamWriter::try_new(Vec::new(), &schema)?.into_inner()?,
            false => FileWriter::try_new(Vec::new(), &schema)?.into_inner()?,
        })
    };
    refuse_deep(schema, output, "Arrow", write, file::open)
}

fn write_options(options: &FormatOptions) -> Result<IpcWriteOptions, ArrowError> {
    let compression = match options.text("output_compression") {
        Some("lz4") => Some(CompressionType::LZ4_FRAME),
        Some("zstd") => Some(CompressionType::ZSTD),
        _ => None,
    };
    IpcWriteOptions::default().try_with_compression(compression)
}
