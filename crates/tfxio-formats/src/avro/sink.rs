//! Batches as Avro records.

use arrow_schema::SchemaRef;
use avro_path::encode::EncodePlan;
use tfxio_core::{Batch, FormatOptions, Result, Sink, Written};

use super::output::{AvroFile, create};
use super::settings;
use crate::output::{self, Output};
use crate::tfrecord::url::refuse_output;

/// Writes a file, or the shards of a pattern.
pub(super) struct AvroSink {
    plan: EncodePlan,
    output: Output<AvroFile>,
    rows: u64,
}

impl AvroSink {
    pub(super) fn create(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        refuse_output(output)?;
        let plan = EncodePlan::new(schema, &settings::encoding(options)?)?;
        // A plan writes nothing else than data of its schema.
        let output = create(output, settings::writer(options)?, plan.avro_schema(), options)?;
        Ok(Self { plan, output, rows: 0 })
    }
}

impl Sink for AvroSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let rows = self.plan.rows(batch.columns()).map_err(|error| batch.locate(error))?;
        for row in 0..rows.len() {
            let written = self.output.write(|file| file.0.write_with(|out| rows.append(row, out)));
            written.map_err(|error| batch.locate(error))?;
        }
        self.rows = self.rows.saturating_add(rows.len() as u64);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let files = self.output.finish()?;
        Ok(Written::new(self.rows, output::written(&files)))
    }
}
