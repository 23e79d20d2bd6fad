//! Batches as Arrow IPC files.

use std::io::BufWriter;

use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::SchemaRef;
use tfxio_base::{OutputFile, WriteErrors};
use tfxio_core::{Batch, FormatOptions, Result, Sink, Written};

use crate::tfrecord::refuse_shards;
use crate::tfrecord::url::refuse_output;

/// Writes one file.
pub(super) struct IpcSink {
    writer: FileWriter<BufWriter<OutputFile>>,
    errors: WriteErrors,
    output: String,
    rows: u64,
}

impl IpcSink {
    pub(super) fn create(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        refuse_output(output)?;
        refuse_shards(output, super::FORMAT.name)?;
        let compression = match options.text("output_compression") {
            Some("lz4") => Some(CompressionType::LZ4_FRAME),
            Some("zstd") => Some(CompressionType::ZSTD),
            _ => None,
        };
        let file = OutputFile::create(output, true)?;
        let errors = file.errors();
        let writer = IpcWriteOptions::default()
            .try_with_compression(compression)
            .and_then(|options| FileWriter::try_new_with_options(BufWriter::new(file), schema, options))
            .map_err(|error| errors.of_writer(error))?;
        Ok(Self { writer, errors, output: output.to_owned(), rows: 0 })
    }
}

impl Sink for IpcSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        self.writer.write(batch.columns()).map_err(|error| self.errors.of_writer(error))?;
        self.rows = self.rows.saturating_add(batch.num_rows() as u64);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { writer, errors, output, rows } = *self;
        // Writes the footer and flushes.
        let buffered = writer.into_inner().map_err(|error| errors.of_writer(error))?;
        buffered.into_inner().map_err(|error| errors.of_writer(error.into_error()))?.finish()?;
        Ok(Written::new(rows, vec![output]))
    }
}
