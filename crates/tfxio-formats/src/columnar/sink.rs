//! Batches as files of a columnar format.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_base::{OutputFile, WriteErrors};
use tfxio_core::{Batch, Error, ErrorKind, FormatOptions, Result, Sink, Written};

use super::Columnar;
use super::guard::guarded;
use crate::output::{Creator, Tally, refuse_shards, same_columns};

/// What writes one file. May panic over types that it has no code for; nothing is written after that.
pub(crate) trait BatchWriter: Send + Sized + 'static {
    type Error: std::error::Error + Send + Sync + 'static;

    fn create(file: OutputFile, schema: &SchemaRef, options: &FormatOptions) -> Result<Self, Self::Error>;

    fn write(&mut self, batch: &RecordBatch) -> Result<(), Self::Error>;

    /// Writes the footer.
    fn finish(self) -> Result<OutputFile, Self::Error>;
}

/// Writes one file.
pub(crate) struct ColumnarSink<W> {
    format: Columnar,
    writer: W,
    errors: WriteErrors,
    output: String,
    schema: SchemaRef,
    tally: Tally,
}

impl<W: BatchWriter> ColumnarSink<W> {
    pub(crate) fn create(
        format: &Columnar,
        output: &str,
        schema: &SchemaRef,
        options: &FormatOptions,
    ) -> Result<Box<dyn Sink>> {
        refuse_shards(output, format.name)?;
        (format.refuse)(schema, output)?;
        let file = Creator::new(options).create(output)?;
        let errors = file.errors();
        let writer = W::create(file, schema, options).map_err(|error| errors.of_writer(error))?;
        Ok(Box::new(Self {
            format: *format,
            writer,
            errors,
            output: output.to_owned(),
            schema: Arc::clone(schema),
            tally: Tally::new(output),
        }))
    }
}

impl<W: BatchWriter> Sink for ColumnarSink<W> {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        if let Err(error) = same_columns(&self.schema, &batch.columns().schema()) {
            return self.tally.add(batch, Err(error.in_file(self.output.as_str())));
        }
        let written = guarded(|| self.writer.write(batch.columns()));
        let written = written
            .map_err(|text| stopped(&self.format, &text))
            .and_then(|written| written.map_err(|error| self.errors.of_writer(error)));
        self.tally.add(batch, written)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { format, writer, errors, output, tally, .. } = *self;
        let rows = tally.rows()?;
        let file = guarded(|| writer.finish()).map_err(|text| stopped(&format, &text))?;
        file.map_err(|error| errors.of_writer(error))?.finish()?;
        Ok(Written::new(rows, vec![output]))
    }
}

/// Returns the error of a writer that panics.
fn stopped(format: &Columnar, text: &str) -> Error {
    let title = format.title;
    let text = text.replace('\n', " ");
    let message = format!("the columns cannot be written as {title} (the writer stopped: {text})");
    let help = "write another format, or leave out columns of rare types, such as dictionaries of views";
    Error::new(ErrorKind::Unsupported, message).help(help)
}
