//! Batches as Avro records.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use avro_path::container::FileWriter;
use avro_path::encode::EncodePlan;
use tfxio_core::{Batch, FormatOptions, Result, Sink, Written};

use super::settings;
use crate::tfrecord::refuse_shards;
use crate::tfrecord::url::refuse_output;

/// Writes one file.
#[derive(Debug)]
pub(super) struct AvroSink {
    plan: EncodePlan,
    writer: FileWriter,
    output: Arc<str>,
}

impl AvroSink {
    pub(super) fn create(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        refuse_output(output)?;
        refuse_shards(output, "avro")?;
        let plan = EncodePlan::new(schema, &settings::encoding(options)?)?;
        // A plan writes nothing else than data of its schema.
        let writer = settings::writer(options)?.create(output, plan.avro_schema())?;
        Ok(Self { plan, writer, output: output.into() })
    }
}

impl Sink for AvroSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let rows = self.plan.rows(batch.columns()).map_err(|error| batch.locate(error))?;
        for row in 0..rows.len() {
            let written = self.writer.write_with(|out| rows.append(row, out));
            written.map_err(|error| batch.locate(error))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let rows = self.writer.records_written();
        self.writer.finish()?;
        Ok(Written::new(rows, vec![self.output.to_string()]))
    }
}
