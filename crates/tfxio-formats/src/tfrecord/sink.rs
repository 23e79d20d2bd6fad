//! Batches as TFRecord files.

use arrow_schema::SchemaRef;
use tfrecord_io::FileWriter;
use tfxio_core::{Batch, FormatOptions, RecordEncoder, RecordFormat, Result, Sink, Written};

use super::plan;
use super::settings::create;
use crate::output::{self, Output, Tally};

/// Writes a file, or the shards of a pattern.
pub(super) struct TfRecordSink {
    encoder: Box<dyn RecordEncoder>,
    output: Output<FileWriter>,
    tally: Tally,
}

impl TfRecordSink {
    pub(super) fn create(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        let encoder = encoder(schema, options)?;
        Ok(Self { encoder, output: create(output, options)?, tally: Tally::new(output) })
    }
}

/// Returns an encoder of the format that is named, or else of the first that takes the columns.
pub(super) fn encoder(schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn RecordEncoder>> {
    let of = |format: &dyn RecordFormat| format.encoder(schema, &plan::of_format(format, options)?);
    let formats = plan::known(options);
    if let Some(name) = options.text("records") {
        return of(&**formats.record_format(name)?);
    }
    let mut refused = None;
    for format in formats.records().iter().rev().filter(|format| format.encodes(schema, options)) {
        match plan::of_format(&**format, options) {
            Ok(options) => return format.encoder(schema, &options),
            // Options of another format say that it is that one.
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or_else(plan::not_known))
}

impl Sink for TfRecordSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let Self { encoder, output, tally } = self;
        let written = encoder.encode(batch.columns(), &mut |record| output.write(|file| file.write(record)));
        tally.add(batch, written.map_err(|error| batch.locate(error)))
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let rows = self.tally.rows()?;
        let files = self.output.finish()?;
        Ok(Written::new(rows, output::written(&files)))
    }
}
