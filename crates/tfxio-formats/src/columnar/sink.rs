//! Batches as files of a columnar format.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_base::{OutputFile, WriteErrors};
use tfxio_core::{Batch, Error, ErrorKind, Feed, FormatOptions, Nested, Ordered, Result, Sink, Written};

use super::Columnar;
use super::apart::{Apart, Encoded, Encoding, Groups};
use super::guard::guarded;
use crate::output::{Creator, Tally, refuse_shards, same_columns};

/// What writes one file. May panic over types that it has no code for; nothing is written after that.
pub(crate) trait BatchWriter: Send + Sized + 'static {
    type Error: std::error::Error + Send + Sync + 'static;

    fn create(file: OutputFile, schema: &SchemaRef, options: &FormatOptions) -> Result<Self, Self::Error>;

    fn write(&mut self, batch: &RecordBatch) -> Result<(), Self::Error>;

    /// Returns what encodes rows apart from the file, if that is offered and no group of rows is open. Default: not offered.
    fn apart(&self) -> Option<Apart<Self>> {
        None
    }

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

impl<W: BatchWriter> ColumnarSink<W> {
    /// Returns the result of a writer, which may have failed or panicked.
    fn done<T>(&self, done: Result<Result<T, W::Error>, String>) -> Result<T> {
        let done = done.map_err(|text| stopped(&self.format, &text))?;
        done.map_err(|error| self.errors.of_writer(error))
    }

    /// Appends what several threads encode. Returns the number of rows.
    fn write_apart(&mut self, feed: Feed, apart: Apart<W>, progress: &mut dyn FnMut(u64)) -> Result<u64> {
        let (threading, nested) = (feed.threading().clone(), Nested::new());
        let (schema, output) = (Arc::clone(&self.schema), self.output.clone());
        let fed = feed.within(&nested).map(move || {
            let (schema, output) = (Arc::clone(&schema), output.clone());
            Ok(move |batch: Batch| {
                same_columns(&schema, &batch.columns().schema())
                    .map_err(|error| error.in_file(output.as_str()))?;
                Ok(batch)
            })
        })?;
        let Apart { cut, encode, parts } = apart;
        let groups = Groups::new(fed, cut, parts);
        let encoded = Ordered::over(groups, &threading, nested, move || Ok(Encoding::new(&encode)))?;
        let mut written = 0u64;
        for part in encoded {
            let Encoded { append, rows } = part?;
            let append = self.done(append)?;
            let appended = guarded(|| append(&mut self.writer));
            self.done(appended)?;
            written = written.saturating_add(rows);
            progress(written);
        }
        Ok(written)
    }
}

impl<W: BatchWriter> Sink for ColumnarSink<W> {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        if let Err(error) = same_columns(&self.schema, &batch.columns().schema()) {
            return self.tally.add(batch, Err(error.in_file(self.output.as_str())));
        }
        let written = guarded(|| self.writer.write(batch.columns()));
        let written = self.done(written);
        self.tally.add(batch, written)
    }

    fn write_all(&mut self, feed: Feed, progress: &mut dyn FnMut(u64)) -> Result<()> {
        if let Some(apart) = self.writer.apart().filter(|_| feed.threading().threads > 1) {
            return match self.write_apart(feed, apart, progress) {
                Ok(rows) => self.tally.add_rows(rows, Ok(())),
                Err(error) => self.tally.add_rows(0, Err(error)),
            };
        }
        let mut rows = 0u64;
        for batch in feed.map(|| Ok(Ok))? {
            let batch = batch?;
            self.write(&batch)?;
            rows = rows.saturating_add(batch.num_rows() as u64);
            progress(rows);
        }
        Ok(())
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
