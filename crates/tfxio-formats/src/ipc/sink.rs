//! Batches as Arrow IPC files.

use std::io::BufWriter;

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_base::OutputFile;
use tfxio_core::FormatOptions;

use crate::columnar::BatchWriter;

/// Writes one file.
pub(super) type Writer = FileWriter<BufWriter<OutputFile>>;

impl BatchWriter for Writer {
    type Error = ArrowError;

    fn create(file: OutputFile, schema: &SchemaRef, options: &FormatOptions) -> Result<Self, ArrowError> {
        let compression = match options.text("output_compression") {
            Some("lz4") => Some(CompressionType::LZ4_FRAME),
            Some("zstd") => Some(CompressionType::ZSTD),
            _ => None,
        };
        let options = IpcWriteOptions::default().try_with_compression(compression)?;
        Self::try_new_with_options(BufWriter::new(file), schema, options)
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        Self::write(self, batch)
    }

    fn finish(self) -> Result<OutputFile, ArrowError> {
        self.into_inner()?.into_inner().map_err(|error| error.into_error().into())
    }
}
