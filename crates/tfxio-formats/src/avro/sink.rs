//! Batches as Avro records.

use arrow_schema::SchemaRef;
use avro_path::encode::EncodePlan;
use tfxio_core::{Batch, FormatOptions, Result, Sink, Written};

use super::output::{AvroFile, create};
use super::settings;
use crate::output::{self, Output, Tally};

/// Writes a file, or the shards of a pattern.
pub(super) struct AvroSink {
    plan: EncodePlan,
    output: Output<AvroFile>,
    tally: Tally,
}

impl AvroSink {
    pub(super) fn create(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        let plan = EncodePlan::new(schema, &settings::encoding(options)?)?;
        // A plan writes nothing else than data of its schema.
        let files = create(output, settings::writer(options)?, plan.avro_schema(), options)?;
        Ok(Self { plan, output: files, tally: Tally::new(output) })
    }
}

impl Sink for AvroSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let Self { plan, output, tally } = self;
        let written = plan.rows(batch.columns()).and_then(|rows| {
            (0..rows.len())
                .try_for_each(|row| output.write(|file| file.0.write_with(|out| rows.append(row, out))))
        });
        tally.add(batch, written.map_err(|error| batch.locate(error)))
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let rows = self.tally.rows()?;
        let files = self.output.finish()?;
        Ok(Written::new(rows, output::written(&files)))
    }
}
