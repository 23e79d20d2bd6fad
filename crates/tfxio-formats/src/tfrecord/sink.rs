//! Batches as TFRecord files.

use std::path::Path;

use arrow_schema::SchemaRef;
use tfxio_core::{Batch, FormatOptions, RecordEncoder, RecordFormat, Result, Sink, Written};

use super::output::RecordOutput;
use super::settings::{SHARD_BYTES, writer};
use super::{plan, url};

/// Writes a file, or the shards of a pattern.
pub(super) struct TfRecordSink {
    encoder: Box<dyn RecordEncoder>,
    output: RecordOutput,
    rows: u64,
}

impl TfRecordSink {
    pub(super) fn create(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        url::refuse_output(output)?;
        let encoder = encoder(schema, options)?;
        let shard_bytes = options.count(SHARD_BYTES);
        let output = RecordOutput::create(Path::new(output), &writer(output, options), shard_bytes)?;
        Ok(Self { encoder, output, rows: 0 })
    }
}

/// Returns an encoder of the format that is named, or else of the first that takes the columns.
fn encoder(schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn RecordEncoder>> {
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
        let Self { encoder, output, .. } = self;
        let written = encoder.encode(batch.columns(), &mut |record| output.write(record));
        self.rows = self.rows.saturating_add(batch.num_rows() as u64);
        written.map_err(|error| batch.locate(error))
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let files = self.output.finish()?;
        Ok(Written::new(self.rows, files.iter().map(|path| path.to_string_lossy().into_owned()).collect()))
    }
}
